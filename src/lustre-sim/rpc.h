/* rpc.h - data: client cache, write-back, read RPCs and the OST's queue */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RPC_H
#define LSIM_RPC_H

#include "call.h"

/* A write into the cache of the call's client. The bytes become dirty and
 * cached. Full RPCs are sent at once, and a writer above the dirty limit waits.
 * 0, or -EIO if the client has been evicted. */
int rpc_write(struct call *c, uint64_t start, uint64_t end);

/* A read of ranges in ascending order: sends RPCs of at most the RPC size for
 * bytes that are not cached, and waits for them. */
void rpc_read(struct call *c, const struct lsim_range *range, size_t n);

/* The end of what the call's client has cached from start on. */
uint64_t rpc_cached(struct call *c, uint64_t start);

/* Direct I/O: sends the RPCs of one access, cut at multiples of the RPC size,
 * and waits for them. */
void rpc_direct(struct call *c, enum lsim_op op, uint64_t start, uint64_t end);

/* Write back the dirty data of a cobj in [start, end), sent at time `at`.
 * forced: for a callback, so that the server commits the data. Returns the time
 * when that is done. */
uint64_t rpc_write_back(struct call *c, uint32_t cobj, uint64_t start,
                        uint64_t end, uint64_t at, int forced);

/* Forget cached data without writing it. */
void rpc_forget(struct ost *o, uint32_t cobj, uint64_t start, uint64_t end);

#endif
