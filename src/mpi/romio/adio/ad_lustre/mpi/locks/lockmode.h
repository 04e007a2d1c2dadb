/* lockmode.h - how the aggregators get their Lustre locks
 *
 *   mode 0  as Lustre grants them; nothing to do here
 *   mode 1  group lock: every aggregator takes it before its first collective
 *           write; under it nobody needs other locks. Whoever is not in the
 *           group waits: so it is given back at sync, close, set_size, when the
 *           file becomes atomic, and after an error. An independent access,
 *           which the user has promised not to make, is refused.
 *   mode 2  lockahead: see core/coll/lockwindow.h. Descriptors do not let the
 *           server expand their locks; such a one refuses writes into a
 *           component on the MDT, whose locks have no extents, so that those
 *           go through another (sys/rw.h).
 *           Direct writes, those of hybrid I/O too, take the server's own
 *           lock, which would call back ours: nothing is locked ahead then.
 *           Locks that were asked for in vain are given back at close. Where
 *           every object has one aggregator nothing is asked for in the first
 *           call that writes it: that gets the whole object, as in mode 0.
 *
 * The mode is f->hints.lock_mode. It is the same on all ranks: where it does
 * not work on one, the start agreement (mode 1: before anybody writes) or the
 * end agreement (mode 2) tells all, and it becomes 0 everywhere, with one
 * message.
 *
 *   adl_lockmode_prepare   before the start agreement
 *   adl_lockmode_start     after it
 *   adl_locks_begin        on the io thread, before its first access
 *   adl_locks_access       on the io thread, before each
 *   adl_lockmode_end       after the end agreement, which has `trouble`
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKMODE_H
#define ADL_LOCKMODE_H

#include <stdint.h>

#include "adio.h"

#include "../../node/locks.h"

struct adl_claim;
struct adl_outcome;

/* Local. Does lockahead work on this descriptor's file? Asked once a file
 * system and process; where it is found later not to work, that counts. */
int adl_lockmode_works(int fd);

/* Local. `alone`: this call will not go through the aggregators. Adds to the
 * claim what the others must know. */
void adl_lockmode_prepare(ADIO_File fd, int write, int alone,
                          struct adl_claim *claim);
/* Local, on all ranks. */
void adl_lockmode_start(ADIO_File fd, int write, int alone,
                        const struct adl_claim *all);

/* Local. The descriptor for direct I/O, if it is `wanted` and can be used: in
 * mode 1 it would wait for the group that its own rank is in. -1: none. */
int adl_lockmode_direct(ADIO_File fd, int wanted);

/* Local. What follows from the end agreement. */
void adl_lockmode_end(ADIO_File fd, const struct adl_outcome *end);

/* Local, but all ranks must do it. Give the group lock back; locks ahead at or
 * after `size` may be gone. */
void adl_lockmode_release(ADIO_File fd, int64_t size);

/* Local, when the file is closed: release, and give back what was locked in
 * vain. */
void adl_lockmode_leave(ADIO_File fd);

/* Local. May this rank access the file on its own? 0, or -EPERM: it promised
 * not to. */
int adl_lockmode_allows(ADIO_File fd);
/* Local, before an access of one's own to [off, off + len) on fd_sys. */
void adl_lockmode_alone(ADIO_File fd, int write, int64_t off, int64_t len);

/* Local. The size of the file, where fstat says `size`: what other nodes have
 * written under the group lock need not be known here. */
int64_t adl_lockmode_size(ADIO_File fd, int64_t size);

/* A group number from a file's inode: the same file opened twice by one job
 * must not wait for itself. Not 0. */
int adl_lockmode_gid(uint64_t inode);

#endif
