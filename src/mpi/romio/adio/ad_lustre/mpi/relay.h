/* relay.h - hand a node's windows on to aggregators of other nodes */
#ifndef ADL_RELAY_H
#define ADL_RELAY_H

#include <stdint.h>

struct adl_engine;
struct adl_relay;

/* Local. For the sinks of other nodes' aggregators that this rank serves.
 * 0 or -errno. */
int adl_relay_create(struct adl_engine *eng, struct adl_relay **out);
void adl_relay_destroy(struct adl_relay *relay); /* accepts NULL */

/* Local. A new call, which accesses nothing before `start`. */
void adl_relay_begin(struct adl_relay *relay, int64_t call, int64_t start,
                     int shift);
/* Local. Send what is complete, free what has left. 1: all is done. */
int adl_relay_step(struct adl_relay *relay);

#endif
