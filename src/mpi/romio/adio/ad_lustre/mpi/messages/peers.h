/* peers.h - whom the messages of a file's collective calls go to, and how
 *
 * A message for a window carries the window's number in its tag, so that the
 * aggregator can ask for what it has room for and all else waits at the sender.
 * The bytes of a large part travel in a message of their own, between two
 * ranks; its tag was named before.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PEERS_H
#define ADL_PEERS_H

#include <stdint.h>

#include "adio.h"

#include "../../core/messages/traffic.h"

/* All below 32767, which every MPI allows; 0 is that of ROMIO's own messages on
 * a file's communicator. */
#define ADL_TAG_WINDOW 1      /* + adl_tag_window */
#define ADL_TAG_WINDOWS 16384 /* so many */
#define ADL_TAG_BYTES 17000   /* + place in the sender's or reader's list */
#define ADL_TAG_NODE 20000    /* + place in the courier's list */
#define ADL_TAG_TELL 24000    /* on a node, see team.h */
#define ADL_TAG_REDUCE 24001  /* among leaders: + kind, see reduce.h */

struct adl_peers {
    const MPI_Comm *comm; /* of the file that has the engine */
    const int *agg_rank;  /* [aggregators] */
};

/* The tag of a message about a window. The component is in the upper bits of a
 * window's number (core/coll/window.h): it counts, so that windows of the next
 * one are rarely taken for those of this one. Where they are, the receiver sees
 * it in the message. */
static inline int adl_tag_window(int64_t window)
{
    return ADL_TAG_WINDOW +
           (int)((window + (window >> 48) * 4099) & (ADL_TAG_WINDOWS - 1));
}

#endif
