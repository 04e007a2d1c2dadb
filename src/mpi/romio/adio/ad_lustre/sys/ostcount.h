/* ostcount.h - the number of OSTs, from what the Lustre client publishes
 *
 * The client has one lov device for each mount, named FSNAME-clilov-INSTANCE,
 * and shows its statistics in a folder of that name (below /sys/fs/lustre/lov,
 * before 2.12 /proc/fs/lustre/lov). The device number of a path's file system,
 * looked up in /proc/self/mountinfo, gives FSNAME.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OSTCOUNT_H
#define ADL_OSTCOUNT_H

#include <stdio.h>
#include <sys/types.h>

/* The file system's name, for the Lustre mount with this device number.
 * -ENODATA: not there. */
int adl_ostcount_fsname(FILE *mountinfo, dev_t dev, char *name, size_t size);

/* numobd of FSNAME's lov below `dir`. -ENODATA: there is none. */
int adl_ostcount_read(const char *dir, const char *fsname);

#endif
