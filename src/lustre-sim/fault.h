/* fault.h - errors on demand
 *
 *   faults = spec { ";" spec }
 *   spec   = call { ":" field } | "ost=" N ":" state
 *   call   = open | read | write | fsync | ioctl | any
 *   field  = n=N       only the N-th call that matches (from 1)
 *          | count=N   N calls in a row, beginning with the n-th
 *          | errno=E   a name (EIO) or number; the call fails with it
 *          | eintr     the same as errno=EINTR
 *          | short=SIZE  read and write move at most SIZE bytes
 *          | client=N | ost=N | file=PATTERN   which calls match
 *   state  = full      writes that reach the OST fail with ENOSPC
 *          | dead      reads and writes fail with EIO
 *          | slow=F    its bandwidth is divided by F (needs a profile)
 *
 * Without n every matching call fails; calls are counted in each process. A
 * PATTERN is of fnmatch(3), against the path below the root.
 */
#ifndef LUSTRE_SIM_FAULT_H
#define LUSTRE_SIM_FAULT_H

#include <stddef.h>
#include <stdint.h>
#include "core/err.h"

enum sim_call {
    SIM_CALL_OPEN = 1,
    SIM_CALL_READ = 2,
    SIM_CALL_WRITE = 4,
    SIM_CALL_FSYNC = 8,
    SIM_CALL_IOCTL = 16,
    SIM_CALL_ANY = 31
};

struct sim_faults;

/* -EINVAL with a text. NULL or "" gives no faults. Destroy accepts NULL. */
int sim_faults_parse(const char *text, struct sim_faults **out,
                     struct adl_err *err);
void sim_faults_destroy(struct sim_faults *faults);

/* Whether there is anything to look for; NULL: no. */
int sim_faults_any(const struct sim_faults *faults);

/* A call about to be made; osts[nosts]: those its bytes are on. */
struct sim_fault_call {
    enum sim_call call;
    uint32_t client;
    const char *path; /* below the root */
    const uint32_t *osts;
    size_t nosts;
};

/* Count the call. 0, or the -errno it is to fail with; *limit (bytes) is made
 * smaller for a short one. */
int sim_faults_call(struct sim_faults *faults,
                    const struct sim_fault_call *call, size_t *limit);

/* What happens to bytes that reach an OST: 0, -ENOSPC or -EIO. */
int sim_faults_ost(const struct sim_faults *faults, enum sim_call call,
                   uint32_t ost);

/* The factor by which an OST is slow, 1 if it is not. */
unsigned sim_faults_slow(const struct sim_faults *faults, uint32_t ost);

#endif
