/* reader.c - test of reader: lines of any length, plain and compressed */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

struct fixture {
    char path[64];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    int fd;

    strcpy(f->path, "reader-test.XXXXXX");
    fd = mkstemp(f->path);
    *state = f;
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    unlink(f->path);
    free(f);
    return 0;
}

static void put(const struct fixture *f, const char *bytes, size_t len,
                int zipped)
{
    gzFile z = gzopen(f->path, zipped ? "wb" : "wbT");

    assert_non_null(z);
    assert_int_equal(gzwrite(z, bytes, (unsigned)len), (int)len);
    assert_int_equal(gzclose(z), Z_OK);
}

/* Lines of all lengths around the borders, between short ones. */
static void check_lengths(struct fixture *f, int zipped)
{
    static const size_t lengths[] = {0,      1,       100,    65534,  65535,
                                     65536,  65537,   131072, 524287, 524288,
                                     600000, 1048576, 3000000};
    enum { N = sizeof(lengths) / sizeof(lengths[0]) };
    size_t total = 0, at = 0;
    struct lp_read_line line;
    struct lp_reader *r;
    struct adl_err err;
    char *bytes;

    for (int i = 0; i < N; i++)
        total += lengths[i] + 7;
    bytes = malloc(total);
    for (int i = 0; i < N; i++) {
        memset(bytes + at, 'a' + i, lengths[i]);
        at += lengths[i];
        memcpy(bytes + at, "\nshort\n", 7);
        at += 7;
    }
    put(f, bytes, total - 1, zipped); /* the last line has no end */
    assert_int_equal(lp_reader_open(f->path, &r, &err), 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(lp_reader_next(r, &line, &err), 1);
        assert_int_equal(line.cut, lengths[i] > LP_LINE_MAX);
        assert_int_equal(line.len, line.cut ? LP_LINE_MAX : (int)lengths[i]);
        for (size_t k = 0; k < line.len; k++)
            assert_int_equal(line.at[k], 'a' + i);
        assert_int_equal(lp_reader_number(r), 2 * i + 1);
        assert_int_equal(lp_reader_next(r, &line, &err), 1);
        assert_int_equal(line.len, 5);
        assert_memory_equal(line.at, "short", 5);
        assert_int_equal(line.open, i == N - 1);
    }
    assert_int_equal(lp_reader_next(r, &line, &err), 0);
    assert_int_equal(lp_reader_bytes(r), total - 1);
    lp_reader_close(r);
    free(bytes);
}

static void test_plain(void **state)
{
    check_lengths(*state, 0);
}

static void test_zipped(void **state)
{
    check_lengths(*state, 1);
}

static void test_truncated_zip(void **state)
{
    struct fixture *f = *state;
    struct lp_read_line line;
    struct lp_reader *r;
    struct adl_err err;
    char bytes[200000];
    int rc, lines = 0;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = i % 50 == 49 ? '\n' : (char)('a' + i * i % 26);
    put(f, bytes, sizeof(bytes), 1);
    assert_int_equal(truncate(f->path, 1000), 0);
    assert_int_equal(lp_reader_open(f->path, &r, &err), 0);
    while ((rc = lp_reader_next(r, &line, &err)) > 0)
        lines++;
    assert_int_equal(rc, -EBADMSG);
    assert_string_equal(err.text, "the gzip file ends early");
    assert_in_range(lines, 1, 3999);
    lp_reader_close(r);
}

static void test_missing(void **state)
{
    struct lp_reader *r;
    struct adl_err err;

    (void)state;
    assert_int_equal(lp_reader_open("no/such/file", &r, &err), -ENOENT);
    assert_string_equal(err.text, "no/such/file: No such file or directory");
}

/* Read `lines` lines of 50 bytes, begin again, and read all. Returns what
 * lp_reader_again did. */
static int check_again(const char *path, int lines, int all)
{
    struct lp_read_line line;
    struct lp_reader *r;
    struct adl_err err;
    int rc, n = 0;

    assert_int_equal(lp_reader_open(path, &r, &err), 0);
    for (int i = 0; i < lines; i++)
        assert_int_equal(lp_reader_next(r, &line, &err), 1);
    rc = lp_reader_again(r);
    while (rc == 0 && lp_reader_next(r, &line, &err) > 0) {
        char number[16];

        snprintf(number, sizeof(number), "%09d", n++);
        assert_int_equal(line.len, 49);
        assert_memory_equal(line.at, number, 9);
        assert_int_equal(lp_reader_number(r), n);
    }
    assert_int_equal(n, rc == 0 ? all : 0);
    assert_int_equal(lp_reader_bytes(r), rc == 0 ? 50 * all : 50 * lines);
    lp_reader_close(r);
    return rc;
}

static void test_again(void **state)
{
    enum { ALL = 40000, HELD = (1 << 19) / 50 };
    struct fixture *f = *state;
    char *bytes = malloc(ALL * 50 + 1), name[100];

    for (int i = 0; i < ALL; i++)
        sprintf(bytes + 50 * i, "%09d%040d\n", i, 0);
    for (int zipped = 0; zipped < 2; zipped++) {
        put(f, bytes, ALL * 50, zipped);
        assert_int_equal(check_again(f->path, 0, ALL), 0);
        assert_int_equal(check_again(f->path, 1, ALL), 0);
        assert_int_equal(check_again(f->path, HELD, ALL), 0);
        assert_int_equal(check_again(f->path, ALL, ALL), 0);
        /* as a pipe: as long as it is in the buffer */
        for (int lines = 1; lines <= ALL; lines *= 40000) {
            FILE *p;

            snprintf(name, sizeof(name), "cat %s", f->path);
            p = popen(name, "r");
            assert_non_null(p);
            snprintf(name, sizeof(name), "/dev/fd/%d", fileno(p));
            assert_int_equal(check_again(name, lines, ALL),
                             lines == 1 ? 0 : -ESPIPE);
            pclose(p);
        }
    }
    free(bytes);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_plain),   T(test_zipped), T(test_truncated_zip),
        T(test_missing), T(test_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
