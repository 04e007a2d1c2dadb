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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_plain),
        T(test_zipped),
        T(test_truncated_zip),
        T(test_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
