/* mem.h - memory of devices
 *
 * A user's buffer may lie in the memory of a GPU. The libraries that know are
 * looked for among those that the process has loaded already (sys/device.h);
 * none is needed to build or to run. Memory that the processor can touch
 * (managed, shared, or pinned on the host) is ordinary memory here.
 *
 * A call holds the device memory of its buffer from its beginning to its end
 * (adl_mem_hold, adl_mem_release). Only what some call holds counts as device
 * memory: MPI forbids to free it meanwhile, so that no address in it can be the
 * processor's. What was held once and freed since may be any memory, our own
 * too, and is asked about again.
 *
 * A copy (core/messages/usercopy.h) compares addresses with the ranges that are
 * held. Runs of less than 4 KiB are merged: those from a device come out of one
 * copy of what follows, if the gap before them is small; those to a device are
 * gathered, and go there as one copy of rows when they have one length and one
 * distance, as columns have. adl_mem_finish ends what is gathered.
 *
 * All of it belongs to the process, as the libraries do; callers hold the
 * section (sys/section.h), but in adl_mem_release.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_MEM_H
#define ADL_MEM_H

#include <stddef.h>

/* The device memory that a call holds; NULL: none. */
struct adl_mem_hold;

/* Look for libraries that have been loaded since. Cheap; at every open. */
void adl_mem_look(void);

/* The kinds of memory that can be used, as MPI 4.1 names them: "system,mpi" and
 * ",cuda", ",rocm", ",level_zero" where these are. */
const char *adl_mem_kinds(void);
/* Does a list of kinds, as a user gives it in mpi_assert_memory_alloc_kinds,
 * have only memory that the processor can touch? */
int adl_mem_kinds_host(const char *list);

/* A call with this address begins. If it is in a device's memory, that is added
 * to *hold. 0 or -ENOMEM. */
int adl_mem_hold(struct adl_mem_hold **hold, const void *p);
/* The call is over. From any thread; calls nothing of MPI's. Accepts NULL. */
void adl_mem_release(struct adl_mem_hold *hold);

/* Is it in memory that a call holds? */
int adl_mem_is_device(const void *p);

/* End the copies to held memory. 0, or -EIO: a copy failed since the call
 * began. */
int adl_mem_finish(const struct adl_mem_hold *hold);
/* The same for what is done within a call: how many copies have failed so far,
 * of the memory that holds p. */
unsigned adl_mem_failed(const void *p);

/* A buffer of ours for copies to and from the device memory at p; *pinned: it
 * shall be pinned, and whether it is. NULL: no memory. */
void *adl_mem_stage(const void *p, size_t size, int *pinned);
void adl_mem_unstage(const void *p, void *stage, int pinned);

#endif
