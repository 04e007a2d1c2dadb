/* coll.h - entry of blocking collective reads and writes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_COLL_H
#define ADL_COLL_H

#include "call.h"

/* Collective over fd->comm. Move what call->acc describes; the caller has
 * zeroed the rest. call->rc and call->outcome are the same on all ranks;
 * call->bytes is what this rank moved: in a read less than it asked for if the
 * file ends earlier. */
void adl_coll_move(ADIO_File fd, struct adl_call *call, int write);

/* Collective over fd->comm. Make the engine (engine.h) now if this file will
 * have collective calls. An error is not reported here: the first collective
 * call meets it again. */
void adl_coll_ready(ADIO_File fd);

#endif
