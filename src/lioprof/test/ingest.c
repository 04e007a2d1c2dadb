/* ingest.c - test of ingest and study: files of every kind, and directories
 *
 * What a file is follows from its content; what lioprof collect noted about a
 * host holds for the files beside it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../ingest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "../view.h"

struct place {
    char dir[256];
    struct lp_study *study;
};

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));
    struct lp_study_options opt = {.bins = 64, .pair_series = 8, .quiet = 1};
    const char *tmp = getenv("TMPDIR");

    snprintf(p->dir, sizeof(p->dir), "%s/lp-ingest.XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    p->study = lp_study_create(&opt);
    *state = p;
    return p->study && mkdtemp(p->dir) ? 0 : -1;
}

static int teardown(void **state)
{
    struct place *p = *state;
    char command[300];

    lp_study_destroy(p->study);
    snprintf(command, sizeof(command), "rm -rf '%s'", p->dir);
    if (system(command) != 0)
        return -1;
    free(p);
    return 0;
}

static const char *path_of(const struct place *p, const char *name)
{
    static char path[512];

    snprintf(path, sizeof(path), "%s/%s", p->dir, name);
    return path;
}

static void put(const struct place *p, const char *name, const char *text)
{
    FILE *f = fopen(path_of(p, name), "w");

    assert_non_null(f);
    assert_int_equal(fputs(text, f) < 0, 0);
    assert_int_equal(fclose(f), 0);
}

static void put_dir(const struct place *p, const char *name)
{
    assert_int_equal(mkdir(path_of(p, name), 0755), 0);
}

#define HEAD "00000100:00100000:0.0:1000.000001:0:7:0:"
#define RPC(service, client, opc)                                           \
    HEAD "(service.c:1:ptlrpc_server_handle_request()) Handling RPC req@0 " \
         "pname:cluuid+ref:pid:xid:nid:opc:job " service ":" client         \
         "+5:1:x16:12345-10.0.0.1@tcp:" opc ":job\n"

static void read_all(struct place *p, const char *name)
{
    assert_int_equal(lp_ingest(p->study, path_of(p, name)), 0);
}

static void test_log(void **state)
{
    struct place *p = *state;

    put(p, "any", RPC("ll_ost_io00_000", "c", "3") RPC("mdt00", "c", "101"));
    read_all(p, "any");
    lp_ingest_finish(p->study);
    assert_int_equal(p->study->sources, 1);
    assert_int_equal(p->study->source[0].kind, LP_INPUT_LOG);
    assert_int_equal(p->study->source[0].log.lines, 2);
    assert_int_equal(p->study->used, 1);
    assert_int_equal(p->study->partial, 0);
    assert_int_equal(p->study->traffic->all.counts.op[LP_READ], 1);
    assert_int_equal(p->study->traffic->all.counts.op[LP_META], 1);
}

/* lustre-sim's files: OST by the file's number. The metadata server's log has
 * no OST of its own. */
static void test_sim(void **state)
{
    struct place *p = *state;
    struct lp_view *v;

    put(p, "oss2.log", RPC("ll_ost_io00_000", "c", "3"));
    put(p, "mds0.log", RPC("mdt_io00_000", "c", "4"));
    put(p, "stats.json", "{\"model\":true,\"osts\":4,\"object\":[]}\n");
    read_all(p, ".");
    lp_ingest_finish(p->study);
    v = lp_view_create(p->study);
    assert_int_equal(v->osts, 4);
    assert_int_equal(v->targets, 4);
    assert_int_equal(lp_view_counts(v, 2)->counts.op[LP_READ], 1);
    assert_int_equal(p->study->traffic->all.counts.op[LP_WRITE], 0);
    assert_int_equal(p->study->traffic->all.counts.op[LP_META], 1);
    assert_non_null(p->study->sim);
    lp_view_destroy(v);
}

/* A host with one OST: what names none is that one's. Its clock is two seconds
 * ahead; one of its log lines was lost. */
static void test_collected(void **state)
{
    struct place *p = *state;
    struct lp_view *v;

    put_dir(p, "oss1");
    put(p, "oss1/collect.txt",
        "# lioprof collect\nhost oss1.site\ntarget lustre-OST0005\n"
        "clock_offset_us 2000000\ndropped 1\n");
    put(p, "oss1/rpctrace.log", RPC("ll_ost_io00_000", "c", "4"));
    put_dir(p, "oss2");
    put(p, "oss2/collect.txt",
        "host oss2.site\ntarget lustre-OST0006\ntarget lustre-OST0007\n");
    put(p, "oss2/rpctrace.log", RPC("ll_ost_io00_000", "c", "3"));
    read_all(p, ".");
    lp_ingest_finish(p->study);
    assert_int_equal(p->study->dropped, 1);
    assert_int_equal(p->study->clock_offset_most, 2000000);
    v = lp_view_create(p->study);
    assert_int_equal(v->osts, 3);
    assert_string_equal(lp_view_target(v, 0), "OST0005");
    assert_int_equal(lp_view_counts(v, 0)->counts.op[LP_WRITE], 1);
    /* two OSTs: the host has what names none */
    assert_string_equal(lp_view_target(v, 3), "oss2.site (OST not named)");
    assert_int_equal(lp_view_counts(v, 3)->counts.op[LP_READ], 1);
    assert_true(v->seconds >= 2); /* the write is two seconds before the read */
    lp_view_destroy(v);
}

static void test_statistics(void **state)
{
    struct place *p = *state;

    put(p, "brw_stats.1",
        "obdfilter.lustre-OST0000.brw_stats=\n"
        "snapshot_time: 1.5 (secs.nsecs)\n"
        "pages per bulk r/w     rpcs  % cum %\n"
        "256: 10 100 100 | 3 0 0\n");
    put(p, "iostat.txt",
        "Linux 5.14 (oss) \t01/01/26 \t_x86_64_\t(2 CPU)\n"
        "Device r/s rkB/s w/s wkB/s %util\nsda 1 100 2 200 10\n"
        "Device r/s rkB/s w/s wkB/s %util\nsda 1 50 2 60 20\n");
    read_all(p, ".");
    assert_int_equal(p->study->sources, 2);
    assert_string_equal(p->study->brw.list[p->study->brw.count - 1].target,
                        "lustre-OST0000");
    assert_int_equal(p->study->disks.count, 1);
    assert_true(p->study->disks.list[0].sum[1] == 60);
    assert_int_equal(p->study->partial, 0);
}

/* Reports are a document a line; one that is broken leaves the others. */
#define REPORT(version) \
    "{\"schema\":\"romio-lustre-report\",\"version\":" version ","

static void test_reports(void **state)
{
    struct place *p = *state;

    put(p, "report.json",
        REPORT("1") "\"file\":\"a\"}\n" REPORT("1") "\"file\":\n" REPORT(
            "1") "\"file\":\"b\"}\n" REPORT("2") "\"file\":\"c\"}\n");
    put(p, "report.csv",
        "start_ms,file,calls\n"
        "1000,\"a\",1,1,4096,1,1,1,0\nbroken\n");
    read_all(p, ".");
    assert_int_equal(p->study->reports, 2);
    assert_int_equal(p->study->app_rows, 1);
    assert_int_equal(p->study->partial, 1);
}

/* A file that is none of ours: passed over in a directory, and an error where
 * it was named. */
static void test_unknown(void **state)
{
    struct place *p = *state;

    put(p, "notes.txt", "nothing of interest\n");
    put(p, ".hidden", RPC("ll_ost_io00_000", "c", "3"));
    put(p, "empty", "");
    read_all(p, ".");
    assert_int_equal(p->study->sources, 0);
    assert_int_equal(p->study->partial, 0);
    read_all(p, "notes.txt");
    assert_int_equal(p->study->partial, 1);
    assert_int_equal(p->study->used, 0);
}

static void test_missing(void **state)
{
    struct place *p = *state;

    read_all(p, "nosuch");
    assert_int_equal(p->study->partial, 1);
}

/* ---- names ---- */

/* A client is called by its nid, unless that has two; servers by their uuid. */
static void test_client_names(void **state)
{
    struct lp_study *s = ((struct place *)*state)->study;
    struct lp_traffic *t = s->traffic;
    static const char server[] = "lustre-MDT0000-mdtlov_UUID";
    unsigned one = lp_traffic_client(t, "11111111-aaaa", 13, "n1@tcp", 6);
    unsigned two = lp_traffic_client(t, "22222222-bbbb", 13, "n2@tcp", 6);
    unsigned three = lp_traffic_client(t, "33333333-cccc", 13, "n2@tcp", 6);
    unsigned mdt =
        lp_traffic_client(t, server, sizeof(server) - 1, "n2@tcp", 6);
    char name[64];

    lp_study_client(s, one, name, sizeof(name));
    assert_string_equal(name, "n1@tcp");
    lp_study_client(s, two, name, sizeof(name));
    assert_string_equal(name, "22222222");
    lp_study_client(s, three, name, sizeof(name));
    assert_string_equal(name, "33333333");
    lp_study_client(s, mdt, name, sizeof(name));
    assert_string_equal(name, server);
    lp_study_client(s, 0, name, sizeof(name));
    assert_string_equal(name, "(not named)");
}

/* The file system's name is left out where there is one only. */
static void test_target_names(void **state)
{
    struct lp_study *s = ((struct place *)*state)->study;

    lp_study_add_target(s, "scratch-OST0001");
    lp_study_add_target(s, "scratch-MDT0000");
    lp_study_add_target(s, "host");
    assert_string_equal(lp_study_target(s, 1), "OST0001");
    assert_string_equal(lp_study_target(s, 2), "MDT0000");
    assert_string_equal(lp_study_target(s, 3), "host");
    lp_study_add_target(s, "home-OST0001");
    assert_string_equal(lp_study_target(s, 1), "scratch-OST0001");
    assert_string_equal(lp_study_target(s, 4), "home-OST0001");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_log),        T(test_sim),          T(test_collected),
        T(test_statistics), T(test_reports),      T(test_unknown),
        T(test_missing),    T(test_client_names), T(test_target_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
