/* coll.h - entry of blocking collective reads and writes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_COLL_H
#define ADL_COLL_H

#include "call.h"

/* Collective over fd->comm. Move what call->acc describes; the caller has
 * zeroed the rest. call->rc and call->outcome are the same on all ranks;
 * call->bytes is what this rank moved, reading less than asked for where the
 * file ends before. */
void adl_coll_move(ADIO_File fd, struct adl_call *call, int write);

/* Collective over fd->comm. Make what collective calls need, if this file will
 * have any; an error shows up again at the first of them. */
void adl_coll_ready(ADIO_File fd);

#endif
