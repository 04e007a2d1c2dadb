/* fetch.h - get a node's wishes from aggregators of other nodes */
#ifndef ADL_FETCH_H
#define ADL_FETCH_H

#include <stdint.h>

struct adl_engine;
struct adl_fetch;

/* Local. For the sinks of other nodes' aggregators that this rank serves.
 * 0 or -errno. */
int adl_fetch_create(struct adl_engine *eng, struct adl_fetch **out);
void adl_fetch_destroy(struct adl_fetch *fetch); /* accepts NULL */

/* Local. A new call, which accesses nothing before `start`. */
void adl_fetch_begin(struct adl_fetch *fetch, int64_t call, int64_t start,
                     int shift);
/* Local. Send complete wishes, take in what comes. 1: all is done. */
int adl_fetch_step(struct adl_fetch *fetch);

#endif
