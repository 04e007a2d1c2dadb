/* tracelog.h - one server's log, line by line, into the traffic
 *
 * Several lines describe a request: its extent (found by the transaction
 * number), "Handling", the bulk transfer and "Handled" (found by the thread,
 * which works on one request at a time). The request is counted when its thread
 * begins the next one or the log ends. If a line is missing, only the facts of
 * that line are unknown.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_TRACELOG_H
#define LP_TRACELOG_H

#include "traffic.h"

struct lp_tracelog;

/* Requests before `from` or not before `to` (microseconds since the epoch; 0:
 * no limit) are not counted. shift: added to the times of the log. rpc_size:
 * bytes of a read or write whose size the log does not have; 0: unknown.
 */
struct lp_tracelog_options {
    int64_t from, to, shift;
    uint64_t rpc_size;
};

struct lp_tracelog_stats {
    uint64_t lines, foreign, broken, cut;
    uint64_t handling;      /* requests */
    uint64_t outside;       /* of these, outside of the period */
    uint64_t first_foreign; /* line numbers; 0: none */
    uint64_t first_broken, first_back, first_cut;
    uint64_t back;      /* lines more than a second before the last */
    int64_t worst_back; /* microseconds */
    uint64_t dropped;   /* number of lines that the log reports as lost, or 1 */
    int64_t first, last; /* time, 0: none */
};

/* target: the target of requests whose OST the log does not name. NULL if
 * malloc fails. */
struct lp_tracelog *lp_tracelog_begin(struct lp_traffic *traffic,
                                      const char *target,
                                      const struct lp_tracelog_options *opt);
/* cut: `text` is only the beginning of the line. */
void lp_tracelog_line(struct lp_tracelog *log, const char *text, size_t len,
                      int cut);
void lp_tracelog_end(struct lp_tracelog *log, struct lp_tracelog_stats *out);

#endif
