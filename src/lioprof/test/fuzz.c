/* fuzz.c - anything as any input: no crash, no hang, memory within bounds
 *
 * LLVMFuzzerTestOneInput is libFuzzer's entry (clang -fsanitize=fuzzer). The
 * first byte says which parser reads the rest. With LIOPROF_FUZZ_MAIN the same
 * runs as a test: the files of corpus/ and captured lines, changed at random
 * with a fixed seed. ADL_FUZZ_ROUNDS and ADL_FUZZ_SEED give other ones.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../finding.h"
#include "../jsonread.h"
#include "../page.h"
#include "../tables.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Lines to a function. */
static void each_line(const char *at, size_t size, void *to,
                      void (*take)(void *to, const char *at, size_t len))
{
    const char *end = at + size;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;

        take(to, at, (size_t)(stop - at));
        at = newline ? newline + 1 : end;
    }
}

static void take_log(void *to, const char *at, size_t len)
{
    lp_tracelog_line(to, at, len, 0);
}

static void take_brw(void *to, const char *at, size_t len)
{
    lp_brw_line(to, at, len);
}

static void take_disk(void *to, const char *at, size_t len)
{
    lp_disk_line(to, at, len);
}

static void take_csv(void *to, const char *at, size_t len)
{
    lp_study_add_csv(to, at, len);
}

/* What was read must also be fit to be shown. */
static void show(struct lp_study *s)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_view *v;

    lp_traffic_finish(s->traffic);
    v = lp_view_create(s);
    for (const struct lp_table_kind *k = lp_tables; v && k->name; k++) {
        struct lp_table *t = lp_table_make(v, k->name);

        lp_table_write(t, LP_AS_JSON, &sb);
        lp_table_destroy(t);
    }
    if (v)
        lp_page_report(v, NULL, &sb);
    lp_view_destroy(v);
    adl_strbuf_release(&sb);
}

static void read_log(struct lp_study *s, const char *at, size_t size)
{
    struct lp_tracelog_stats stats;
    struct lp_tracelog *log = lp_tracelog_begin(s->traffic, "oss", &s->opt.log);

    if (!log)
        return;
    each_line(at, size, log, take_log);
    lp_tracelog_end(log, &stats);
}

static void read_json(struct lp_study *s, const char *at, size_t size, int sim)
{
    struct adl_err err;
    struct lp_json *j = lp_json_parse(at, size, &err);

    if (!j)
        return;
    if (sim)
        lp_study_add_sim(s, j);
    else
        lp_study_add_report(s, j);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct lp_study_options opt = {.bins = 32, .pair_series = 4, .quiet = 1};
    struct lp_study *s = size ? lp_study_create(&opt) : NULL;
    const char *at = (const char *)data + 1;

    if (!s)
        return 0;
    switch (data[0]) {
    case 'j':
        read_json(s, at, size - 1, 0);
        break;
    case 's':
        read_json(s, at, size - 1, 1);
        break;
    case 'b':
        lp_brw_begin(&s->brw, "host");
        each_line(at, size - 1, &s->brw, take_brw);
        break;
    case 'i':
        lp_disk_begin(&s->disks, "host");
        each_line(at, size - 1, &s->disks, take_disk);
        break;
    case 'c':
        each_line(at, size - 1, s, take_csv);
        break;
    default:
        read_log(s, at, size - 1);
    }
    show(s);
    lp_study_destroy(s);
    return 0;
}

#ifdef LIOPROF_FUZZ_MAIN
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define INPUT_MAX 65536

static const char *const corpus[] = {"log",      "report", "sim", "brw",
                                     "brw-huge", "iostat", "csv"};
#define CORPUS (sizeof(corpus) / sizeof(corpus[0]))

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : otherwise;
}

static size_t load(const char *name, unsigned char *out)
{
    const char *src = getenv("srcdir");
    char path[4096];
    size_t n;
    FILE *f;

    snprintf(path, sizeof(path), "%s/src/lioprof/test/corpus/%s",
             src ? src : ".", name);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    n = fread(out, 1, INPUT_MAX, f);
    fclose(f);
    assert_true(n > 1);
    return n;
}

/* Some bytes changed, removed or doubled; at the end cut, now and then. */
static size_t spoil(unsigned char *in, size_t n, unsigned *seed)
{
    static const char bytes[] = ":x@[]()-+>\n\0\377 \"{}09,'";
    unsigned changes = 1 + (unsigned)rand_r(seed) % 8;

    for (unsigned i = 0; i < changes && n > 4; i++) {
        size_t at = 1 + (size_t)rand_r(seed) % (n - 1);
        size_t len = 1 + (size_t)rand_r(seed) % 40;

        if (at + len > n)
            len = n - at;
        switch (rand_r(seed) % 4) {
        case 0:
            in[at] = (unsigned char)
                bytes[(size_t)rand_r(seed) % (sizeof(bytes) - 1)];
            break;
        case 1:
            memmove(in + at, in + at + len, n - at - len);
            n -= len;
            break;
        case 2:
            if (n + len <= INPUT_MAX) {
                memmove(in + at + len, in + at, n - at);
                n += len;
            }
            break;
        default:
            if (rand_r(seed) % 8 == 0)
                n = at + 1;
        }
    }
    return n;
}

static void test_corpus(void **state)
{
    unsigned seed = (unsigned)setting("ADL_FUZZ_SEED", 1);
    long rounds = setting("ADL_FUZZ_ROUNDS", 150);
    unsigned char *in = malloc(INPUT_MAX), *bad = malloc(INPUT_MAX);

    (void)state;
    for (size_t i = 0; i < CORPUS; i++) {
        size_t n = load(corpus[i], in);

        LLVMFuzzerTestOneInput(in, n);
        for (long k = 0; k < rounds; k++) {
            size_t left;

            memcpy(bad, in, n);
            left = spoil(bad, n, &seed);
            LLVMFuzzerTestOneInput(bad, left);
        }
    }
    free(in);
    free(bad);
}

/* A thousand times as many names as anything may have. */
static void test_names(void **state)
{
    struct lp_study_options opt = {.bins = 32, .pair_series = 4, .quiet = 1};
    struct lp_study *s = lp_study_create(&opt);
    struct lp_tracelog_stats stats;
    struct lp_tracelog *log = lp_tracelog_begin(s->traffic, "o", &opt.log);
    char line[512];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int n = snprintf(line, sizeof(line),
                         "00000100:00100000:0.0:1000.000000:0:%d:0:(s.c:1:f()) "
                         "Handling RPC pname:cluuid+ref:pid:xid:nid:opc:job "
                         "ll_ost_io:client%d+1:1:x%d:12345-%d@tcp:4:job%d",
                         i, i, i, i, i);

        lp_tracelog_line(log, line, (size_t)n, 0);
    }
    lp_tracelog_end(log, &stats);
    assert_int_equal(s->traffic->all.counts.op[LP_WRITE], 100000);
    assert_in_range(lp_names_count(s->traffic->clients.names), 65000, 66000);
    assert_in_range(lp_names_count(s->traffic->jobs.names), 16000, 17000);
    assert_in_range(s->traffic->pairs, 65000, 66000);
    lp_study_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
