/* mem.h - finds out whether a buffer is device memory, and copies it
 *
 * A user's buffer may lie in the memory of a GPU. Only the device's own library
 * knows. The driver asks the libraries that the process has already loaded
 * (sys/device.h). It can be built and run without any of them. Memory that the
 * processor can access (managed, shared, or pinned on the host) is ordinary
 * memory here.
 *
 * A call holds the device memory of its buffer from its beginning to its end
 * (adl_mem_hold, adl_mem_release). Only memory that a call holds counts as
 * device memory. MPI forbids a program to free a buffer during a call, so these
 * addresses cannot become ordinary memory. After the call the program may free
 * the buffer, and the addresses may be reused: the next call asks the library
 * again.
 *
 * A copy (core/messages/usercopy.h) compares addresses with the ranges that are
 * held. Runs of less than 4 KiB are merged. From a device, one copy fetches
 * several runs with the gaps between them, if the gaps are small. To a device,
 * runs are collected first; runs of one length at one distance, such as a
 * column of an array, then become one copy of rows. adl_mem_finish copies what
 * is still collected.
 *
 * The state belongs to the process. Callers must be inside the section
 * (sys/section.h), except for adl_mem_release.
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

/* A call with a buffer at p begins. If p is in device memory, that allocation
 * is added to *hold. 0 or -ENOMEM. */
int adl_mem_hold(struct adl_mem_hold **hold, const void *p);
/* The call is over. May be called from any thread; does not call MPI. Accepts
 * NULL. */
void adl_mem_release(struct adl_mem_hold *hold);

/* Is p in device memory that a call holds? */
int adl_mem_is_device(const void *p);

/* Finish all copies to the held memory. 0, or -EIO if a copy has failed since
 * the call began. */
int adl_mem_finish(const struct adl_mem_hold *hold);
/* How many copies have failed so far in the allocation that contains p: for a
 * check in the middle of a call. */
unsigned adl_mem_failed(const void *p);

/* Allocate a host buffer for copies to and from the device memory at p. *pinned
 * says whether pinned memory is wanted; on return, whether the buffer is
 * pinned. NULL: no memory. */
void *adl_mem_stage(const void *p, size_t size, int *pinned);
void adl_mem_unstage(const void *p, void *stage, int pinned);

#endif
