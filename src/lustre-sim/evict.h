/* evict.h - an OST evicts a client, which learns of it at its next RPC
 *
 * The rules, as seen on Lustre 2.17:
 *  E1  The server forgets the client's locks at once; the client gets no
 *      message.
 *  E2  At its next RPC to that OST the client's locks, pages and dirty data
 *      there are gone, and the call that sent it fails with EIO (a write that
 *      asks for a lock too). It is connected again: the next call works.
 *  E3  fsync and sync_file_range of a file that lost data fail with EIO, once;
 *      after a group unlock, which returns 0, with ESHUTDOWN.
 *  E4  close returns 0. An error that no call has returned yet is returned by
 *      the close of a descriptor that was opened after it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_EVICT_H
#define LSIM_EVICT_H

#include "call.h"

/* E1: the server's side. */
void evict_client(struct shm *shm, struct ost *o, uint32_t client);

/* Has the call's client been evicted without having learned of it? */
int evict_is_due(const struct call *c);

/* E2: to be called before an RPC is sent. 0, or -EIO. */
int evict_notice(struct call *c);

/* E3: the error of a cobj, returned once: 0 or -errno. */
int evict_error(struct call *c, uint32_t cobj);

#endif
