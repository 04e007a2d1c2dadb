/* fault.h - errors on demand
 *
 *   faults = spec { ";" spec }
 *   spec   = call { ":" field } | "ost=" N ":" state
 *   call   = open | read | write | fsync | flush | ioctl | xattr | truncate
 *          | fallocate | close | any     (xattr: the layout is asked for;
 *            flush: sync_file_range)
 *   field  = n=N       only the N-th call that matches (from 1)
 *          | count=N   N calls in a row, beginning with the n-th
 *          | errno=E   a name (EIO) or number; the call fails with it
 *          | eintr     the same as errno=EINTR
 *          | short=SIZE  read and write move at most SIZE bytes
 *          | delay=MS    the call takes MS milliseconds longer
 *          | evict     before the call its client is evicted, by OST ost or
 *            by all, and learns of it at its next RPC there (evict.h)
 *          | client=N | ost=N | file=PATTERN   which calls match
 *   state  = full      writes that reach the OST fail with ENOSPC
 *          | dead      reads and writes fail with EIO
 *          | slow=F    its bandwidth is divided by F (needs a profile)
 *
 * Without n every matching call fails; calls are counted in each process. A
 * PATTERN is of fnmatch(3), against the path below the root. A close that fails
 * has closed its descriptor nevertheless, as on Linux.
 *
 * A program may change its own faults while it runs: the preload library has
 *     int lustre_sim_set_faults(const char *faults);
 *     long lustre_sim_faults_seen(void);
 * The first returns 0 or an errno; no other thread may be in a call on a
 * simulated file then. The second returns how many calls have matched the first
 * fault since then. A run with an n that is never reached thus finds the number
 * of the last call.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_FAULT_H
#define LUSTRE_SIM_FAULT_H

#include <stddef.h>
#include <stdint.h>
#include "core/text/err.h"

enum sim_call {
    SIM_CALL_OPEN = 1,
    SIM_CALL_READ = 2,
    SIM_CALL_WRITE = 4,
    SIM_CALL_FSYNC = 8,
    SIM_CALL_IOCTL = 16,
    SIM_CALL_XATTR = 32,
    SIM_CALL_TRUNCATE = 64,
    SIM_CALL_FALLOCATE = 128,
    SIM_CALL_CLOSE = 256,
    SIM_CALL_FLUSH = 512,
    SIM_CALL_ANY = 1023
};

struct sim_faults;

/* -EINVAL with a text. NULL or "" gives no faults. Destroy accepts NULL. */
int sim_faults_parse(const char *text, struct sim_faults **out,
                     struct adl_err *err);
void sim_faults_destroy(struct sim_faults *faults);

/* -EINVAL with a text if one names an OST that is not there. */
int sim_faults_check(const struct sim_faults *faults, uint32_t osts,
                     struct adl_err *err);

/* Calls that matched the first fault so far; NULL: 0. */
long sim_faults_seen(const struct sim_faults *faults);

/* Are there any faults? NULL: no. */
int sim_faults_any(const struct sim_faults *faults);

/* A call that is about to be made; osts[nosts]: the OSTs that have its bytes.
 */
struct sim_fault_call {
    enum sim_call call;
    uint32_t client;
    const char *path; /* below the root */
    const uint32_t *osts;
    size_t nosts;
    /* The client is evicted by an OST, or by all of them (-1). */
    void (*evict)(void *arg, long ost);
    void *arg;
};

/* Count the call. 0, or the -errno with which it must fail; for a short
 * transfer *limit (bytes) is reduced. */
int sim_faults_call(struct sim_faults *faults,
                    const struct sim_fault_call *call, size_t *limit);

/* The result of a transfer to or from an OST: 0, -ENOSPC or -EIO. */
int sim_faults_ost(const struct sim_faults *faults, enum sim_call call,
                   uint32_t ost);

/* The factor by which an OST is slow, 1 if it is not. */
unsigned sim_faults_slow(const struct sim_faults *faults, uint32_t ost);

#endif
