/* rpcline.c - test of rpcline: lines taken apart, field by field */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../rpcline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEAD "00000100:00100000:27.0:1458939850.660586:0:16998:0:"
#define HANDLE "(service.c:2071:ptlrpc_server_handle_request()) "

/* A copy without anything behind it, so that sanitizers see a byte too far. */
static void parse(const char *line, struct lp_rpcline *l)
{
    size_t len = strlen(line);
    char *copy = malloc(len ? len : 1);

    memcpy(copy, line, len);
    lp_rpcline_parse(copy, len, l);
    /* texts point into the line: move them to the one that stays */
    for (size_t i = 0; i < 1; i++) {
        struct lp_text *t[] = {&l->file, &l->function, &l->service, &l->client,
                               &l->nid,  &l->job,      &l->target,  &l->object};

        for (size_t k = 0; k < sizeof(t) / sizeof(t[0]); k++)
            if (t[k]->at)
                t[k]->at = line + (t[k]->at - copy);
    }
    free(copy);
}

static void is_text(const struct lp_text *t, const char *wanted)
{
    assert_int_equal(t->len, strlen(wanted));
    assert_memory_equal(t->at, wanted, t->len);
}

/* The example of the LIOProf paper, figure 2. */
static void test_paper(void **state)
{
    struct lp_rpcline l;

    (void)state;
    parse(HEAD HANDLE "Handling RPC pname:cluuid+ref:pid:xid:nid:opc "
                      "ll_ost_io05_000:f2c9a9e1-3fbb-9182-59db-ca8c14b411d7+7:"
                      "8424:x1529178798258480:12345-192.168.1.38@o2ib:3",
          &l);
    assert_int_equal(l.kind, LP_LINE_HANDLING);
    assert_int_equal(l.subsystem, 0x100);
    assert_int_equal(l.mask, 0x100000);
    assert_int_equal(l.cpu, 27);
    assert_int_equal(l.us, 1458939850660586);
    assert_int_equal(l.thread, 16998);
    is_text(&l.file, "service.c");
    assert_int_equal(l.line, 2071);
    is_text(&l.function, "ptlrpc_server_handle_request");
    is_text(&l.service, "ll_ost_io05_000");
    is_text(&l.client, "f2c9a9e1-3fbb-9182-59db-ca8c14b411d7");
    assert_int_equal(l.ref, 7);
    assert_int_equal(l.pid, 8424);
    assert_int_equal(l.xid, 1529178798258480);
    is_text(&l.nid, "192.168.1.38@o2ib");
    assert_int_equal(l.opc, 3);
    is_text(&l.job, "");
    assert_int_equal(l.service_us, -1);
}

static void test_job_and_time(void **state)
{
    struct lp_rpcline l;

    (void)state;
    parse("00000100:00100000:1.0F:1794792299.414053:0:1214:0:(service.c:2592:"
          "ptlrpc_server_handle_request()) Handled RPC req@0000000036187da8 "
          "pname:cluuid+ref:pid:xid:nid:opc:job ll_ost_io00_009:515f9fcf+8:"
          "240:x1881974260018816:12345-0@lo:4:ior.1000 Request processed in "
          "17058us (17617us total) trans 12884901995 rc 0/0",
          &l);
    assert_int_equal(l.kind, LP_LINE_HANDLED);
    is_text(&l.client, "515f9fcf");
    is_text(&l.nid, "0@lo");
    assert_int_equal(l.opc, 4);
    is_text(&l.job, "ior.1000");
    assert_int_equal(l.service_us, 17058);
    assert_int_equal(l.total_us, 17617);
}

static void test_around(void **state)
{
    struct lp_rpcline l;

    (void)state;
    parse("00002000:00100000:1.0:1794792299.396860:0:1214:0:(ofd_dev.c:2708:"
          "ofd_rw_hpreq_check()) @@@ lustre-OST0001 ll_ost_io00_009: refresh "
          "rw locks for [0x240000400:0x74e:0x0] (524288->1835007)  "
          "req@0000000036187da8 x1881974260018816/t0(0) o4->515f@0@lo:270/0",
          &l);
    assert_int_equal(l.kind, LP_LINE_EXTENT);
    is_text(&l.target, "lustre-OST0001");
    is_text(&l.object, "0x240000400:0x74e:0x0");
    assert_int_equal(l.start, 524288);
    assert_int_equal(l.end, 1835008);
    assert_int_equal(l.xid, 1881974260018816);
    parse("00000100:00000200:1.0:1794792299.396860:0:1214:0:(niobuf.c:333:"
          "ptlrpc_start_bulk_transfer()) Transferring 256 pages 1048576 bytes "
          "via portal 8 id 12345-0@lo mbits 0x6-0x6",
          &l);
    assert_int_equal(l.kind, LP_LINE_BULK);
    assert_int_equal(l.bytes, 1048576);
    parse("00010000:00010000:1.0:1794792299.396860:0:1214:0:(ldlm_lockd.c:793:"
          "ldlm_server_blocking_ast()) ### server preparing blocking AST ns: "
          "filter-lustre-OST0003_UUID lock: 1/2 res: [0x2:0x3:0x0].0x0 rrc: 3 "
          "type: EXT [0->1] nid: 10.0.0.7@tcp remote: 0x1",
          &l);
    assert_int_equal(l.kind, LP_LINE_BLOCKING);
    is_text(&l.target, "lustre-OST0003");
    is_text(&l.object, "0x2:0x3:0x0");
    is_text(&l.nid, "10.0.0.7@tcp");
    parse("00010000:00010000:1.0:1794792299.396860:0:704:0:(ldlm_lockd.c:793:"
          "ldlm_server_blocking_ast()) ### server preparing blocking AST ns: "
          "mdt-lustre-MDT0000_UUID lock: 1/2 res: [0x200000401:0x5:0x0].0x0 "
          "bits 0x40/0x0 rrc: 3 type: IBT nid: 0@lo remote: 0x1",
          &l);
    assert_int_equal(l.kind, LP_LINE_BLOCKING);
    is_text(&l.target, "lustre-MDT0000");
    is_text(&l.object, "0x200000401:0x5:0x0");
    parse("00000100:00100000:0.0:1794792298.411776:0:704:0:(client.c:1913:"
          "ptlrpc_send_new_req()) Sending RPC req@0 pname:cluuid:pid:xid:nid:"
          "opc:job mdt00_004:lustre-MDT0000_UUID:704:1881974260009600:"
          "2001:db8::7@tcp:104:",
          &l);
    assert_int_equal(l.kind, LP_LINE_SENDING);
    is_text(&l.nid, "2001:db8::7@tcp");
    assert_int_equal(l.opc, 104);
}

static const struct {
    const char *line;
    enum lp_line_kind kind;
} others[] = {
    {"", LP_LINE_FOREIGN},
    {"hello", LP_LINE_FOREIGN},
    {"00000100:00100000:27.0:1458939850.660586:0:16998:0:", LP_LINE_FOREIGN},
    {"0000010g:00100000:27.0:1458939850.660586:0:1:0:(a.c:1:f()) x",
     LP_LINE_FOREIGN},
    /* five digits behind the point: not this format */
    {"00000100:00100000:27.0:1458939850.66058:0:1:0:(a.c:1:f()) x",
     LP_LINE_FOREIGN},
    {HEAD "(a.c:1:f()) x", LP_LINE_OTHER},
    {HEAD "(a.c:1:f()) ", LP_LINE_OTHER},
    {HEAD HANDLE "Handling the rest", LP_LINE_OTHER},
    {HEAD HANDLE "Handling RPC", LP_LINE_BROKEN},
    {HEAD HANDLE "Handling RPC pname:cluuid+ref:pid:xid:nid:opc a:b+1:2:x3:",
     LP_LINE_BROKEN},
    {HEAD HANDLE "Handling RPC pname:cluuid+ref:pid:xid:nid:opc a:b+1:2:x3:"
                 "4@lo:",
     LP_LINE_BROKEN},
    {HEAD HANDLE "Handling RPC pname:cluuid+ref:pid:xid:nid:opc a:b+1:2:x3:"
                 "4@lo:5",
     LP_LINE_HANDLING},
    /* 20 digits do not fit */
    {HEAD HANDLE "Handling RPC pname:cluuid+ref:pid:xid:nid:opc a:b+1:2:"
                 "x99999999999999999999:4@lo:5",
     LP_LINE_BROKEN},
    {HEAD "(ofd_dev.c:2708:ofd_rw_hpreq_check()) @@@ lustre-OST0001 x: refresh "
          "rw locks for [0x2:0x7:0x0] (9->3) req@0 x1/t0",
     LP_LINE_BROKEN},
};

static void test_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct lp_rpcline l;

        parse(others[i].line, &l);
        if (l.kind != others[i].kind)
            fail_msg("%s: kind %d, not %d", others[i].line, (int)l.kind,
                     (int)others[i].kind);
    }
}

/* Every shorter line is told to be broken, or is one that says less. */
static void test_truncated(void **state)
{
    static const char line[] =
        HEAD HANDLE "Handling RPC pname:cluuid+ref:pid:xid:nid:opc "
                    "ll_ost_io05_000:f2c9+7:8424:x152:12345-192.168.1.38@o2ib:"
                    "3";
    char part[sizeof(line)];

    (void)state;
    for (size_t len = 0; len < sizeof(line) - 1; len++) {
        struct lp_rpcline l;

        memcpy(part, line, len);
        part[len] = '\0';
        parse(part, &l);
        assert_int_not_equal(l.kind, LP_LINE_HANDLING);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),     cmocka_unit_test(test_job_and_time),
        cmocka_unit_test(test_around),    cmocka_unit_test(test_others),
        cmocka_unit_test(test_truncated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
