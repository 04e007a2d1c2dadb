/* genlog.c - writes a server log of any size, for measuring lioprof
 *
 * usage: genlog MEGABYTES [CLIENTS]
 *
 * Requests of CLIENTS clients (default 64) in the newer format, with the lines
 * a server has around them: per request an extent, "Handling", a transfer and
 * "Handled", and in between lock requests and messages of no interest. About a
 * thousand requests a second of the log's time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <stdlib.h>

struct state {
    unsigned long long bytes, us, xid, start;
    unsigned client;
};

static int put_head(const struct state *s, const char *masks)
{
    return printf("%s:%u.0:%llu.%06llu:0:%u:0:", masks, s->client % 32,
                  1794792299 + s->us / 1000000, s->us % 1000000,
                  2000 + s->client);
}

static int put_rpc(const struct state *s, const char *verb, int opc)
{
    int n = put_head(s, "00000100:00100000");

    return n +
           printf("(service.c:2543:ptlrpc_server_handle_request()) %s RPC "
                  "req@00000000%08llx pname:cluuid+ref:pid:xid:nid:opc:job "
                  "%s_%03u:97ed66cc-be7b-40a4-a7fe-%012u+%u:240:x%llu:12345-"
                  "10.1.%u.%u@o2ib:%d:ior.1000",
                  verb, s->xid & 0xffffffff,
                  opc == 101 ? "ll_ost00" : "ll_ost_io00", s->client, s->client,
                  5 + s->client % 9, 1881974260000000 + s->xid * 128,
                  s->client / 250, s->client % 250, opc);
}

static int put_request(struct state *s, int opc)
{
    int n = put_head(s, "00002000:00100000");

    n += printf("(ofd_dev.c:2708:ofd_rw_hpreq_check()) @@@ lustre-OST%04x "
                "ll_ost_io00_%03u: refresh rw locks for "
                "[0x240000400:0x%x:0x0] (%llu->%llu)  req@0000000036187da8 "
                "x%llu/t0(0) o%d->97ed66cc-be7b-40a4-a7fe-%012u@0@lo:270/0 "
                "lens 504/0 e 0 to 0 dl 1794792310 ref 1 fl "
                "New:/600/ffffffff rc 0/-1 job:'' uid:0 gid:0 projid:0\n",
                s->client % 4, s->client, 0x700 + s->client % 4, s->start,
                s->start + 1048575, 1881974260000000 + s->xid * 128, opc,
                s->client);
    n += put_rpc(s, "Handling", opc);
    n += printf("\n");
    n += put_head(s, "00000100:00000200");
    n += printf("(niobuf.c:333:ptlrpc_start_bulk_transfer()) Transferring 256 "
                "pages 1048576 bytes via portal 8 id 12345-10.1.0.1@o2ib mbits "
                "0x6afa5d80-0x6afa5d80\n");
    s->us += 400;
    n += put_rpc(s, "Handled", opc);
    return n + printf(" Request processed in 398us (760us total) trans 0 rc "
                      "0/0\n");
}

int main(int argc, char **argv)
{
    unsigned long long most =
        argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
    unsigned clients = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 64;
    struct state s = {0};

    if (!most || !clients || clients > 60000) {
        fprintf(stderr, "usage: genlog MEGABYTES [CLIENTS]\n");
        return 2;
    }
    while (s.bytes < most) {
        s.client = (unsigned)(s.xid % clients);
        s.xid++;
        s.us += 600;
        s.start += s.client ? 0 : 1048576;
        s.bytes += (unsigned)put_request(&s, s.xid % 3 ? 4 : 3);
        s.bytes += (unsigned)put_head(&s, "00000100:00100000");
        s.bytes += (unsigned)printf("(nrs_fifo.c:150:nrs_fifo_req_get()) NRS "
                                    "start fifo request from 12345-0@lo, seq: "
                                    "%llu\n",
                                    s.xid);
        if (s.xid % 8 == 0) {
            s.bytes += (unsigned)put_rpc(&s, "Handling", 101);
            s.bytes += (unsigned)printf("\n");
        }
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
