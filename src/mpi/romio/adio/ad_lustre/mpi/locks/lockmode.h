/* lockmode.h - how the aggregators get their Lustre locks
 *
 *   mode 0  as Lustre grants them; nothing to do here
 *   mode 1  group lock: every aggregator takes it before its first collective
 *           write; under it no rank needs other locks. Processes outside the
 *           group wait. So it is given back at sync, close, set_size, when the
 *           file becomes atomic, and after an error. An independent access,
 *           which the user has promised not to make, is refused.
 *   mode 2  lockahead: see core/coll/lockwindow.h. The descriptors forbid the
 *           server to expand their locks. Such a descriptor refuses writes into
 *           a component on the MDT, whose locks have no extents; those go
 *           through another descriptor (sys/rw.h).
 *           For direct writes, those of hybrid I/O too, the server takes a lock
 *           of its own, which would call back locks taken ahead: nothing is
 *           locked ahead then. Unused locks are given back at close. Where
 *           every object has one aggregator nothing is asked for in the first
 *           call that writes it: its write gets the lock on the whole object,
 *           as in mode 0.
 *
 * The mode is f->locks.mode: the hint's at open. It is the same on all ranks:
 * if it does not work on one rank, all ranks learn of it in the start agreement
 * (mode 1: before a rank writes) or in the end agreement (mode 2), and the mode
 * becomes 0 on all ranks. The hint is changed, and one message printed, as soon
 * as MPI may be called (adl_lockmode_say).
 *
 *   adl_lockmode_begin     when the file is open
 *   adl_lockmode_prepare   before the start agreement
 *   adl_lockmode_start     after it
 *   adl_locks_begin        on the io thread, before its first access
 *   adl_locks_access       on the io thread, before each
 *   adl_lockmode_end       after the end agreement, which has `trouble`
 *   adl_lockmode_say       after a call, where MPI may be called
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKMODE_H
#define ADL_LOCKMODE_H

#include <stdint.h>

#include "adio.h"

#include "../../node/locks.h"

struct adl_claim;
struct adl_file;
struct adl_outcome;

/* Local. Does lockahead work on this descriptor's file? Each process asks a
 * file system once; a later failure replaces the answer. */
int adl_lockmode_works(int fd);

/* Local, on all ranks: the mode that the hints of the file ask for. */
void adl_lockmode_begin(struct adl_file *f);

/* Local. `alone`: this call will not go through the aggregators. Adds to the
 * claim what the other ranks must know. */
void adl_lockmode_prepare(ADIO_File fd, int write, int alone,
                          struct adl_claim *claim);
/* Local, on all ranks. */
void adl_lockmode_start(ADIO_File fd, int write, int alone,
                        const struct adl_claim *all);

/* Local. The size from which writes take no lock of the client (hybrid I/O). */
int64_t adl_lockmode_from(ADIO_File fd);

/* Local. The descriptor for direct I/O, if it is `wanted` and can be used: in
 * mode 1 it would wait for the group that its own rank is in. -1: none. */
int adl_lockmode_direct(ADIO_File fd, int wanted);

/* Local. Apply the end agreement: give the mode up if it failed on a rank. */
void adl_lockmode_end(ADIO_File fd, const struct adl_outcome *end);

/* Local. If the mode was given up since the last call of this function: change
 * the hint that MPI_File_get_info returns, and let rank 0 print the reason. */
void adl_lockmode_say(ADIO_File fd);

/* Local, but all ranks must call it. Give the group lock back; locks ahead at
 * or after `size` may be lost. */
void adl_lockmode_release(ADIO_File fd, int64_t size);

/* Local, when the file is closed: release, and give back locks that no write
 * has used. */
void adl_lockmode_leave(ADIO_File fd);

/* Local. May this rank access the file independently? 0, or -EPERM: the program
 * promised not to. */
int adl_lockmode_allows(ADIO_File fd);
/* Local, before an independent access to [off, off + len) on fd_sys. */
void adl_lockmode_alone(ADIO_File fd, int write, int64_t off, int64_t len);

/* Local. For a rank without the group lock that reads from the file inside a
 * collective call. It joins the group for that time; otherwise it would wait
 * for the aggregators to release the lock, and they for this rank. 1: it joined
 * and must leave the group afterwards. */
int adl_lockmode_join(ADIO_File fd);
void adl_lockmode_leave_group(ADIO_File fd, int joined);

/* Local. The size of the file where fstat returns `size`. Under the group lock
 * fstat may not count what other nodes have written. */
int64_t adl_lockmode_size(ADIO_File fd, int64_t size);

/* A group number made from a file's inode number. Two opens of one file in a
 * job then have the same number and do not wait for each other. Not 0. */
int adl_lockmode_gid(uint64_t inode);
/* A random group number, not 0: another open has the same one only by chance.
 */
int adl_lockmode_own_gid(void);

#endif
