/* inbox.h - an aggregator takes what other nodes send
 *
 * It asks only for messages of windows that it has room for; all else waits at
 * the sender. Writing: the bytes go into the windows. Reading: the runs that
 * are wanted are kept until their window is in memory, then sent back; in an
 * exact call they are read straight into the reply where they came in time
 * (coll/service.h). At most 32 messages are in memory, in both directions.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INBOX_H
#define ADL_INBOX_H

#include "../../node/service.h"
#include "peers.h"

struct adl_inbox;

/* Local. `room`: bytes of the largest message. 0 or -ENOMEM. */
int adl_inbox_create(const struct adl_peers *peers, int64_t room,
                     struct adl_inbox **out);
void adl_inbox_destroy(struct adl_inbox *in); /* accepts NULL */

/* Local. A new call, served by `service`. */
void adl_inbox_begin(struct adl_inbox *in, struct adl_service *service);
/* Local. Take in and send back what can be. `over`: nothing more will come.
 * 1: and nothing is left. */
int adl_inbox_step(struct adl_inbox *in, int over);
/* Local. First error (a message that makes no sense, no memory, a late comer's
 * transfer), 0 or -errno. */
int adl_inbox_error(const struct adl_inbox *in);
void adl_inbox_count(struct adl_inbox *in, struct adl_traffic *sum);
/* Local. Grows whenever a message has come or gone. */
uint64_t adl_inbox_ticks(const struct adl_inbox *in);

#endif
