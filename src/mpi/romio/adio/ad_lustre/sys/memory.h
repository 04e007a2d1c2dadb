/* memory.h - how much more memory a process may use
 *
 * The kernel allocates a mapped page when it is first touched. If the machine,
 * or the memory cgroup of the job, has no memory left then, the kernel kills
 * the process. So the driver asks beforehand how much is left.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_MEMORY_H
#define ADL_MEMORY_H

#include <stdint.h>

/* Bytes that this process may still use: the minimum of what the machine has
 * available and what each memory cgroup above the process (version 1 or 2)
 * leaves. Cached pages of files count as free: the kernel can drop them.
 * INT64_MAX: unknown. `root` is put before the paths of /proc and /sys; it is
 * "" except in tests. */
int64_t adl_memory_left(const char *root);

/* Does the kernel refuse to overcommit (vm.overcommit_memory=2)? Then memory
 * must be reserved before it is touched. */
int adl_memory_is_strict(const char *root);

#endif
