/* rpc.h - data: client cache, write-back, read RPCs and the OST's queue */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RPC_H
#define LSIM_RPC_H

#include "call.h"

/* A write into the cache of the call's client: dirty, cached, full RPCs go
 * out at once, and the writer waits beyond the dirty limit. 0, or -EIO where
 * nothing could go out: the client has been evicted. */
int rpc_write(struct call *c, uint64_t start, uint64_t end);

/* A read: RPCs of up to the RPC size for what is not cached of the ranges,
 * which are in order; waited for. */
void rpc_read(struct call *c, const struct lsim_range *range, size_t n);

/* Where what the call's client has cached from start on ends. */
uint64_t rpc_cached(struct call *c, uint64_t start);

/* Direct I/O: the RPCs of one access, cut at multiples of the RPC size and
 * waited for. */
void rpc_direct(struct call *c, enum lsim_op op, uint64_t start, uint64_t end);

/* Write back the dirty data of a cobj in [start, end), sent at time `at`.
 * forced: for a callback, so it is committed. Returns when it is done. */
uint64_t rpc_write_back(struct call *c, uint32_t cobj, uint64_t start,
                        uint64_t end, uint64_t at, int forced);

/* Forget cached data without writing it. */
void rpc_forget(struct ost *o, uint32_t cobj, uint64_t start, uint64_t end);

#endif
