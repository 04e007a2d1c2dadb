/* traffic.h - requests added up: by target, client, job, object and time
 *
 * A target is an OST if the log names it, else the log's host. Memory is
 * bounded: unknown names and names above a limit have number 0, time has a
 * fixed number of bins, and only the first pairs of client and target have a
 * time series of their own.
 *
 * Both the server that sends a callback and the client that receives it log
 * it, and either log may be missing. Both kinds of lines are counted. Only the
 * server's line names the target: lp_traffic_finish takes the larger number,
 * and puts under each target what that target has sent.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_TRAFFIC_H
#define LP_TRAFFIC_H

#include <stdint.h>

#include "names.h"
#include "timeline.h"

enum lp_op {
#define X(name, key, text) LP_##name,
#include "ops.def"
#undef X
    LP_OPS
};

extern const char *const lp_op_keys[LP_OPS];
extern const char *const lp_op_texts[LP_OPS];

/* Kinds of a target's time series: the ops, then bytes. */
enum { LP_READ_BYTES = LP_OPS, LP_WRITE_BYTES, LP_TARGET_KINDS };

/* Kinds of a pair's time series: requests and bytes, by direction. */
enum { LP_PAIR_REQUESTS = 0, LP_PAIR_BYTES = 2, LP_PAIR_KINDS = 4 };

#define LP_SMALL 65536   /* requests below are called small */
#define LP_SIZES 16      /* classes: up to 4 KiB, 8 KiB, ... */
#define LP_SIZE_FIRST 12 /* 2^12 = 4 KiB */

struct lp_counts {
    uint64_t op[LP_OPS];
    uint64_t bytes[2]; /* read, written; of requests whose size is known */
    uint64_t sized[2]; /* number of requests whose size is known */
    uint64_t small[2]; /* of these, below LP_SMALL */
    uint64_t placed;   /* requests whose place in an object is known */
    uint64_t seeks; /* of these, not at the end of the target's last request */
    uint64_t served, service_us, slowest_us; /* times where the log has them */
};

/* Sizes of requests, by direction. */
struct lp_sizes {
    uint64_t class[2][LP_SIZES];
    uint64_t tiny[2];     /* 4 KiB to 16 KiB */
    uint64_t half_mib[2]; /* the 16 KiB up to 512 KiB */
    uint64_t mib[2];      /* the 16 KiB up to 1 MiB */
};

struct lp_target {
    struct lp_counts counts;
    struct lp_sizes sizes;
    struct lp_series *series; /* LP_TARGET_KINDS; NULL: no memory */
    unsigned last_object;
    uint64_t last_end;
    /* the log or a list of targets has this name; 0: named after its file */
    int named;
    int mdt;  /* a metadata target */
    int gone; /* merged into another */
};

struct lp_pair {
    unsigned client, target;
    struct lp_counts counts;
    struct lp_series *series; /* LP_PAIR_KINDS, or NULL */
};

/* Blocking callbacks between two clients about one object. */
struct lp_contest {
    unsigned one, other; /* one <= other; 0: not named */
    unsigned object;
    uint64_t count;
};

/* Of clients, jobs, objects: by number. */
struct lp_party {
    struct lp_counts counts;
    /* clients: clients: number of the network id, 0: several or none */
    unsigned nid;
    unsigned target; /* objects: where it lies */
};

struct lp_parties {
    struct lp_names *names;
    struct lp_party *list;
    unsigned room;
};

struct lp_index; /* pairs and contests found again */

struct lp_traffic {
    struct lp_parties clients, jobs, objects;
    struct lp_names *nids, *targets;
    unsigned *nid_client; /* nid to client, UINT_MAX: several */
    unsigned nid_room;
    struct lp_target *target;
    unsigned target_room;
    struct lp_pair *pair;
    unsigned pairs, pair_room;
    struct lp_contest *contest;
    unsigned contests, contest_room;
    struct lp_index *pair_index, *contest_index;
    struct lp_timeline *time;
    struct lp_target all;
    uint64_t undated; /* requests outside of the time bins: wrong clock */
    uint64_t pairs_with_series, pair_series_limit;
    int err; /* 0 or -ENOMEM: pairs or names are missing from the counts */
};

/* One request, done. */
struct lp_request {
    unsigned client, target, job, object; /* numbers of names */
    enum lp_op op;
    int64_t us;
    int dated; /* us is a plausible time */
    int sized, placed;
    uint64_t bytes, start, end;
    int64_t service_us; /* -1: not said */
};

/* bins: number of time bins; width: of a bin at first, microseconds;
 * pair_series: number of pairs with a time series. */
struct lp_traffic *lp_traffic_create(unsigned bins, int64_t width,
                                     unsigned pair_series);
void lp_traffic_destroy(struct lp_traffic *t);

/* The number of a name; valid as an index at once. */
unsigned lp_traffic_client(struct lp_traffic *t, const char *uuid, size_t len,
                           const char *nid, size_t nid_len);
unsigned lp_traffic_job(struct lp_traffic *t, const char *text, size_t len);
unsigned lp_traffic_object(struct lp_traffic *t, const char *text, size_t len);
unsigned lp_traffic_target(struct lp_traffic *t, const char *text, size_t len);
/* The client with this nid, 0 when there is none or more than one. */
unsigned lp_traffic_client_at(const struct lp_traffic *t, const char *nid,
                              size_t len);

void lp_traffic_count(struct lp_traffic *t, const struct lp_request *q);
void lp_traffic_contest(struct lp_traffic *t, unsigned asker, unsigned holder,
                        unsigned object);

/* Merge target `from` into `into`: they are the same OST. */
void lp_traffic_merge(struct lp_traffic *t, unsigned from, unsigned into);
/* After the last request: settles the callbacks. */
void lp_traffic_finish(struct lp_traffic *t);

void lp_counts_add(struct lp_counts *into, const struct lp_counts *from);

#endif
