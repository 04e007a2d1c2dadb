/* direct.h - large parts between a rank's memory and an aggregator elsewhere
 *
 * A part that is one range of the user's memory, as most are, needs no copy at
 * this end. Writing: a message says which runs come, the bytes follow straight
 * from the user's memory. Reading: a message says which runs are wanted, the
 * bytes come straight into it; where they lie apart in memory they come into a
 * buffer first.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_DIRECT_H
#define ADL_DIRECT_H

#include "../../core/messages/message.h"
#include "../../core/messages/packing.h"
#include "../../core/coll/window.h"
#include "peers.h"

struct adl_direct;

/* Local. 0 or -ENOMEM. */
int adl_direct_create(const struct adl_peers *peers, struct adl_direct **out);
void adl_direct_destroy(struct adl_direct *d); /* accepts NULL */

/* Local. Is there room for one more under way? Under way at all? */
int adl_direct_has_room(const struct adl_direct *d);
int adl_direct_busy(const struct adl_direct *d);

/* What a part is of. */
struct adl_direct_of {
    const struct adl_cell *cell;
    int64_t call;
    char *user;                    /* the user's buffer */
    const struct adl_extents *ext; /* at the part's first piece */
};

/* Local. Begin; adl_direct_has_room must have said yes. 0 or -ENOMEM. */
int adl_direct_send(struct adl_direct *d, const struct adl_direct_of *of,
                    const struct adl_pack *pack);
int adl_direct_read(struct adl_direct *d, const struct adl_direct_of *of,
                    const struct adl_pack *pack);

/* Local. See what is done. Bytes that came, reading. */
int64_t adl_direct_step(struct adl_direct *d);

/* Local. The lowest file offset under way; INT64_MAX: none. */
int64_t adl_direct_lowest(const struct adl_direct *d);
void adl_direct_count(struct adl_direct *d, struct adl_traffic *sum);
/* Local. Grows whenever a message has come or gone. */
uint64_t adl_direct_ticks(const struct adl_direct *d);

#endif
