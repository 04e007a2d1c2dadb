/* tables.c - test of tables and view: one log, every table, known totals
 *
 * Three clients, four OSTs of which one is idle. The numbers of each table are
 * added up by hand from the lines below.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "played.h"

#include "../jsonread.h"

#define MIB 1048576

/* OST 0: client 1 writes 3 x 1 MiB in order, client 2 reads 4 KiB.
 * OST 1: client 2 writes 1 MiB, with a hole: 600,000 bytes move.
 * OST 2: client 1 reads 2 MiB, client 3 reads 512 KiB behind it.
 * OST 3: nothing. Locks: 4 requests, 2 callbacks of OST 0, 3 of the MDT, 1
 * cancel. */
static struct lp_view *play(struct played *w)
{
    lp_study_add_target(w->study, "lustre-OST0003");
    played_enqueue(w, 1);
    for (int i = 0; i < 3; i++)
        played_io(w, WRITE, 1, 0, (int64_t)i * MIB, MIB);
    played_handled(w, 101, 1, w->xid, 500);
    played_io(w, READ, 2, 0, 0, 4096);
    played_io(w, WRITE, 2, 1, 0, MIB);
    played_bulk(w, 102, 600000);
    played_handled(w, 102, 2, w->xid, 900);
    played_io(w, READ, 1, 2, 0, 2 * MIB);
    played_io(w, READ, 3, 2, 2 * MIB, MIB / 2);
    played_enqueue(w, 2);
    played_callback(w, 2, 1, "filter", "lustre-OST0000");
    played_enqueue(w, 1);
    played_callback(w, 1, 2, "filter", "lustre-OST0000");
    for (int i = 0; i < 3; i++)
        played_callback(w, 1, 2, "mdt", "lustre-MDT0000");
    played_enqueue(w, 3);
    played_cancel(w, 1);
    return played_end(w);
}

static void assert_table(const struct lp_view *v, const char *name,
                         const char *want)
{
    assert_string_equal(played_table(lp_tables, v, name), want);
}

/* A line of a table that has it. */
static void assert_line(const struct lp_view *v, const char *name,
                        const char *line)
{
    const char *text = played_table(lp_tables, v, name);
    char want[256];

    snprintf(want, sizeof(want), "\n%s\n", line);
    if (!strstr(text, want))
        fail_msg("no line '%s' in\n%s", line, text);
}

static void test_view(void **state)
{
    const struct lp_view *v = play(*state);

    assert_int_equal(v->osts, 4);
    assert_int_equal(v->targets, 5); /* and the host, for lock requests */
    assert_int_equal(v->mdts, 1);
    assert_int_equal(v->clients, 3);
    assert_int_equal(v->bytes_known, 1);
    assert_string_equal(lp_view_target(v, 0), "OST0000");
    assert_string_equal(lp_view_target(v, 3), "OST0003");
    assert_string_equal(lp_view_target(v, 4), "oss (OST not named)");
    assert_string_equal(lp_view_target(v, 5), "MDT0000");
    assert_string_equal(v->client[0].name, "10.0.0.1@tcp");
    assert_int_equal(lp_view_users(v, 0, 0), 1);
    assert_int_equal(lp_view_users(v, 0, LP_BOTH), 2);
    assert_int_equal(lp_view_users(v, 3, LP_BOTH), 0);
    assert_int_equal(lp_view_used(v, 0, LP_BOTH), 2);
    assert_int_equal(lp_view_used(v, 2, 1), 0);
    assert_int_equal(lp_view_pair(v, 0, 0)->counts.bytes[1], 3 * MIB);
    assert_null(lp_view_pair(v, 2, 0));
    assert_string_equal(lp_view_unit(v), "bytes");
}

static void test_overview(void **state)
{
    const struct lp_view *v = play(*state);
    static const char *const lines[] = {
        "OSTs,4",
        "clients,3",
        "reads,3",
        "writes,4",
        "lock requests,4",
        "lock cancels,1",
        "blocking callbacks,2",
        "blocking callbacks of metadata servers,3",
        "completion callbacks,0",
        "requests to metadata servers,0",
        "read,2.50 MiB",
        "written,3.57 MiB",
        "log lines dropped,0",
        "server logs,0", /* no file was read */
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_line(v, "overview", lines[i]);
}

static void test_ost(void **state)
{
    const struct lp_view *v = play(*state);
    const char *text = played_table(lp_tables, v, "ost");
    static const char *const parts[] = {
        "ost,reads,writes,read_bytes,written_bytes,share,clients,peak_rate,"
        "seeks,lock_requests,callbacks,cancels,mean_service,slowest\n",
        /* the second client's read of OST 0 is a seek, and its first write */
        "\nOST0000,1,3,4096,3145728,", ",2,0,2,0,500,500\n",
        "\nOST0001,0,1,0,600000,", ",1,0,0,0,900,900\n",
        "\nOST0002,2,0,2621440,0,", "\nOST0003,0,0,0,0,0,0,0,,0,0,0,,\n",
        "\noss (OST not named),0,0,0,0,0,0,0,,4,0,1,,\n",
        "\nMDT0000,,,,,,,,,,3,,,\n"};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (!strstr(text, parts[i]))
            fail_msg("no '%s' in\n%s", parts[i], text);
}

static void test_client(void **state)
{
    const struct lp_view *v = play(*state);

    /* all: 2,625,536 read and 3,745,728 written */
    assert_table(v, "client",
                 "client,reads,writes,read_bytes,written_bytes,share,osts,"
                 "lock_requests,callbacks,cancels\n"
                 "10.0.0.1@tcp,1,3,2097152,3145728,0.822895,2,2,1,1\n"
                 "10.0.0.2@tcp,1,1,4096,600000,0.0948157,2,1,1,0\n"
                 "10.0.0.3@tcp,1,0,524288,0,0.0822895,1,1,0,0\n");
}

static void test_client_ost(void **state)
{
    const struct lp_view *v = play(*state);

    assert_line(v, "client_ost",
                "OST0000,10.0.0.1@tcp,0,3,0,3145728,0.9987,0,1,0");
    assert_line(v, "client_ost",
                "OST0000,10.0.0.2@tcp,1,0,4096,0,0.00130039,0,1,0");
    assert_line(v, "client_ost", "OST0001,10.0.0.2@tcp,0,1,0,600000,1,0,0,0");
    assert_line(v, "client_ost", "OST0002,10.0.0.3@tcp,1,0,524288,0,0.2,0,0,0");
    assert_null(strstr(played_table(lp_tables, v, "client_ost"), "OST0003"));
}

static void test_imbalance(void **state)
{
    const struct lp_view *v = play(*state);

    assert_line(v, "imbalance", "clients of an OST,4,1,0,1.25,2,1.6,0.663325");
    assert_line(v, "imbalance",
                "OSTs of a client,3,0,1,1.66667,2,1.2,0.282843");
    /* 3,149,824; 600,000; 2,621,440; 0 */
    assert_line(v, "imbalance",
                "bytes of an OST,4,1,0,1592816,3149824,1.97752,0.830828");
}

static void test_contention(void **state)
{
    const struct lp_view *v = play(*state);

    /* of OSTs only, so that shares add up to 1 */
    assert_table(v, "contention",
                 "client,and,object,file,callbacks,share\n"
                 "10.0.0.1@tcp,10.0.0.2@tcp,0x1:0x7:0x0,,2,1\n");
}

static void test_sizes(void **state)
{
    const struct lp_view *v = play(*state);

    assert_line(v, "sizes", "up to 4 KiB,1,0.333333,0,0");
    assert_line(v, "sizes", "up to 512 KiB,1,0.333333,0,0");
    assert_line(v, "sizes", "up to 1 MiB,0,0,4,1");
    assert_line(v, "sizes", "up to 2 MiB,1,0.333333,0,0");
}

static void test_job(void **state)
{
    const struct lp_view *v = play(*state);

    assert_table(v, "job",
                 "job,reads,writes,read_bytes,written_bytes,lock_requests,"
                 "callbacks,cancels\n"
                 "job.1,2,3,2621440,3145728,3,0,1\n"
                 "job.0,1,1,4096,600000,1,0,0\n");
}

static void test_object(void **state)
{
    const struct lp_view *v = play(*state);

    assert_table(v, "object",
                 "object,ost,file,reads,writes,read_bytes,written_bytes,seeks,"
                 "callbacks\n"
                 "0x1:0x7:0x0,OST0000,,1,3,4096,3145728,2,2\n"
                 "0x1:0x8:0x0,OST0001,,0,1,0,600000,1,0\n"
                 "0x1:0x9:0x0,OST0002,,2,0,2621440,0,1,0\n");
}

static void test_findings(void **state)
{
    const struct lp_view *v = play(*state);
    const char *text = played_table(lp_tables, v, "findings");

    assert_non_null(
        strstr(text, "idle_ost,1 of 4 OSTs moved no data: OST0003"));
    assert_null(strstr(text, "contention"));
}

/* Bins of a millisecond and more: what the rows of a table over time add up
 * to is the table without time. */
static void test_ost_time(void **state)
{
    const struct lp_view *v = play(*state);
    const char *text = played_table(lp_tables, v, "ost_time");
    long reads = 0, writes = 0, blocking = 0, read = 0, written = 0;

    assert_int_equal(strncmp(text,
                             "time,ost,read,write,enqueue,blocking,"
                             "cancel,metadata,read_bytes,written_bytes\n",
                             78),
                     0);
    for (const char *at = strchr(text, '\n'); at && at[1];
         at = strchr(at + 1, '\n')) {
        long n[8];

        assert_int_equal(
            sscanf(at + 1, "%*[^,],%*[^,],%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld",
                   &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]),
            8);
        reads += n[0];
        writes += n[1];
        blocking += n[3];
        read += n[6];
        written += n[7];
    }
    assert_int_equal(reads, 3);
    assert_int_equal(writes, 4);
    assert_int_equal(blocking, 2);
    assert_int_equal(read, 2625536);
    assert_int_equal(written, 3745728);
}

/* A table with an unknown name; sizes named. */
static void test_names(void **state)
{
    const struct lp_view *v = play(*state);
    char text[48];

    assert_null(lp_table_make(v, "nosuch"));
    lp_size_text(0, text, sizeof(text));
    assert_string_equal(text, "up to 4 KiB");
    lp_size_text(8, text, sizeof(text));
    assert_string_equal(text, "up to 1 MiB");
    lp_size_text(LP_SIZES - 1, text, sizeof(text));
    assert_string_equal(text, "more");
    assert_int_equal(lp_sizes_used(&v->study->traffic->all.sizes), 10);
}

static struct lp_json *parsed(const char *text)
{
    struct adl_err err;
    struct lp_json *j = lp_json_parse(text, strlen(text), &err);

    assert_non_null(j);
    return j;
}

/* The driver's report: its counters, hints, aggregators. */
static void test_driver(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    lp_study_add_report(
        w->study,
        parsed("{\"romio-lustre-report\":1,\"file\":\"out.nc\",\"ranks\":16,"
               "\"nodes\":4,\"aggregators\":[{},{},{}],\"layout\":{"
               "\"stripe_count\":8},\"write\":{\"counters\":{"
               "\"collective_calls\":5,\"independent_calls\":2,"
               "\"system_bytes\":4096}},\"read\":{\"counters\":{"
               "\"collective_calls\":1}},\"hints\":[{\"name\":"
               "\"cb_nodes\",\"requested\":\"3\",\"effective\":\"3\","
               "\"origin\":\"program\"},{\"name\":\"romio_cb_write\","
               "\"effective\":\"enable\",\"origin\":\"default\"}]}"));
    lp_study_add_report(w->study, parsed("{\"file\":\"bare\"}"));
    v = play(w);
    assert_table(v, "driver",
                 "file,ranks,nodes,aggregators,stripes,collective_writes,"
                 "independent_writes,written_bytes,collective_reads,"
                 "independent_reads,read_bytes\n"
                 "out.nc,16,4,3,8,5,2,4096,1,0,0\n"
                 "bare,,,0,,0,0,0,0,0,0\n");
    assert_table(v, "hint",
                 "file,hint,requested,effective,origin\n"
                 "out.nc,cb_nodes,3,3,program\n"
                 "out.nc,romio_cb_write,,enable,default\n");
    assert_line(v, "overview", "reports of the driver,2");
}

/* The driver's bytes over time, from its CSV. */
static void test_app_time(void **state)
{
    struct played *w = *state;
    static const char *const lines[] = {
        "start_ms,file,...", "1000000,\"a,\"\"b\"\"\",1,2,4096,5,1,1,100",
        "1000001,\"c\",1,2,0,5,1,1,50"};
    const struct lp_view *v;

    for (size_t i = 0; i < 3; i++)
        assert_int_equal(lp_study_add_csv(w->study, lines[i], strlen(lines[i])),
                         1);
    assert_int_equal(lp_study_add_csv(w->study, "x", 1), 0);
    assert_int_equal(lp_study_add_csv(w->study, "1,\"open", 7), 0);
    assert_int_equal(lp_study_add_csv(w->study, "-1,\"f\",1,1,1,1,1,1,1", 21),
                     0);
    assert_int_equal(w->study->app_rows, 2);
    v = play(w);
    assert_table(v, "app_time",
                 "time,read_bytes,written_bytes\n"
                 "1000000000,100,4096\n"
                 "1000001000,50,0\n");
}

/* lustre-sim's counters name the files of objects. */
static void test_file(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    lp_study_add_sim(w->study,
                     parsed("{\"model\":true,\"osts\":3,\"object\":[{\"key\":"
                            "\"7\",\"file\":\"dir/one\"},{\"key\":\"8\","
                            "\"file\":\"two\"},{\"key\":\"9\",\"file\":"
                            "\"dir/one\"},{\"key\":\"a\",\"file\":\"\"}]}"));
    v = play(w);
    assert_line(v, "object", "0x1:0x8:0x0,OST0001,two,0,1,0,600000,1,0");
    assert_line(v, "file", "two,1,0,1,0,600000,1,0");
    assert_line(v, "contention",
                "10.0.0.1@tcp,10.0.0.2@tcp,0x1:0x7:0x0,"
                "dir/one,2,1");
    assert_line(v, "overview", "servers,\"lustre-sim, a model\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYED_TEST(test_view),       PLAYED_TEST(test_overview),
        PLAYED_TEST(test_ost),        PLAYED_TEST(test_client),
        PLAYED_TEST(test_client_ost), PLAYED_TEST(test_imbalance),
        PLAYED_TEST(test_contention), PLAYED_TEST(test_sizes),
        PLAYED_TEST(test_job),        PLAYED_TEST(test_object),
        PLAYED_TEST(test_findings),   PLAYED_TEST(test_ost_time),
        PLAYED_TEST(test_names),      PLAYED_TEST(test_driver),
        PLAYED_TEST(test_app_time),   PLAYED_TEST(test_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
