/* pool.h - slots of the shared arrays: hand out, take back, find
 *
 * All under the OST's mutex. A new slot is zeroed except for its first
 * member, which links free slots.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_POOL_H
#define LSIM_POOL_H

#include "shm.h"

/* 0 when the pool is empty. */
uint32_t pool_get(struct pool *p, void *base, size_t size, uint32_t cap);
void pool_put(struct pool *p, void *base, size_t size, uint32_t slot);

uint32_t object_find(struct ost *o, uint64_t file, uint32_t index);

/* Find or make an object; 0 if there is no room even after idle objects were
 * removed. */
uint32_t object_make(struct ost *o, uint64_t file, uint32_t index);

/* Free an object with its cobjs, locks and runs. */
void object_free(struct ost *o, uint32_t slot);

/* Find or make the client's part of an object; 0 if there is no room. */
uint32_t cobj_make(struct ost *o, uint32_t object, uint32_t client);
void cobj_link(struct ost *o, uint32_t slot);
void object_link(struct ost *o, uint32_t slot);

#endif
