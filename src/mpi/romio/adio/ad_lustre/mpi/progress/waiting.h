/* waiting.h - for each kind of wait: how long a rank polls, how long it sleeps
 *
 * A rank that waits polls MPI; between two polls it first yields its core,
 * later it sleeps. Each nap is an eighth longer than the one before, up to the
 * longest of its kind. A bell ends a nap: a rank that waits for messages as an
 * aggregator naps on the bell of its windows.
 *
 * what it waits for               asks and yields     longest nap
 * ----------------------------    ----------------    ------------------
 * a bell, another rank's MPI      ADL_WAIT_YIELDS     ADL_WAIT_NAP
 * messages of a call              ADL_WAIT_LOOKS      ADL_WAIT_LOOK_NAP
 * an agreement of leaders         ADL_WAIT_YIELDS     ADL_WAIT_LOOK_NAP
 * MPI_Wait polls the request      ADL_WAIT_YIELDS     ADL_WAIT_POLL_NAP
 * a core for every rank: any      ADL_WAIT_SPIN       as above
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WAITING_H
#define ADL_WAITING_H

/* Times are nanoseconds. */
enum {
    /* a small message takes less */
    ADL_WAIT_YIELDS = 100,
    /* Few: where every process is in a scheduling group of its own (autogroups)
     * a yield lets no other process run, and the ranks that have work wait for
     * the ranks that test. */
    ADL_WAIT_LOOKS = 10,
    /* a small call between nodes takes less */
    ADL_WAIT_SPIN = 1000000,

    ADL_WAIT_NAP_MIN = 50000, /* the first nap */
    ADL_WAIT_NAP = 1000000,
    ADL_WAIT_LOOK_NAP = 200000,
    /* MPI_Wait polls in a loop: another request that it waits for, such as a
     * receive, is delayed by at most this time */
    ADL_WAIT_POLL_NAP = 500000,

    /* a leader whose node has not moved enters a round (coll/frontier.h) */
    ADL_WAIT_ROUND = 100000,
    /* polls without success before a window is read with the requests that have
     * come (transport/reply.c) */
    ADL_WAIT_ASKED = 16,
    /* polls between two readings of the clock (coll/stall.h); a rank that waits
     * polls at least once a millisecond */
    ADL_WAIT_STALL_LOOKS = 64,

    /* an idle thread, for the next task */
    ADL_WAIT_LINGER = 100000000,
    /* before an abort: for the launcher to forward the rank's output */
    ADL_WAIT_LAST_WORDS = 200000000,
};

#endif
