/* iostat.h - counts the system calls that one thread makes on a file
 *
 * The io thread of an aggregator and the application's thread each have one,
 * so that nothing has to be locked; they are joined at close.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_IOSTAT_H
#define ADL_IOSTAT_H

#include "counters.h"
#include "../layout/layout.h"
#include "../coll/owner.h"
#include "timebins.h"

/* Traffic of one object of the layout. */
struct adl_object_use {
    int64_t bytes;
    int64_t calls; /* a call on two objects counts for both */
};

/* The traffic of the OST that has object `number`, from `use` of all objects.
 * Returns how many objects it has, 0: an object with a lower number is there,
 * too. An object on an unknown OST counts as one of its own. */
int adl_use_of_ost(const struct adl_layout *layout,
                   const struct adl_object_use *use, int number,
                   struct adl_object_use *sum);

struct adl_iostat {
    const struct adl_layout *layout;
    struct adl_tally tally[ADL_DIRS];
    /* where an aggregator's last call ended, -1: no call yet */
    int64_t last_end[ADL_DIRS];
    struct adl_object_use *use[ADL_DIRS]; /* [objects], NULL: not asked for */
    struct adl_bins bins;                 /* interval 0: not asked for */
};

/* `layout` must be mapped and outlive the result. 0 or -ENOMEM. */
int adl_iostat_init(struct adl_iostat *io, const struct adl_layout *layout,
                    int per_object, int64_t interval);
void adl_iostat_release(struct adl_iostat *io);

/* One system call moved [off, off + len); it took `ns` and ended at `now`
 * (since the epoch), both 0 where times are not wanted. */
struct adl_iocall {
    enum adl_dir dir;
    int64_t off, len;
    int64_t ns, now;
};
void adl_iostat_add(struct adl_iostat *io, const struct adl_iocall *call);

/* Counts a gap, if there is one before this call. For aggregators; to be called
 * before adl_iostat_add. An aggregator's stripes follow each other in the order
 * of the file. A call leaves a gap if it does not start at the first byte that
 * this aggregator owns behind the end of its last call. The gap's size is the
 * distance in the file. */
void adl_iostat_follow(struct adl_iostat *io, const struct adl_owner *owner,
                       int agg, const struct adl_iocall *call);

#endif
