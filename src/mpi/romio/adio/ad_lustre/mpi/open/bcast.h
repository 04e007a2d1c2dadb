/* bcast.h - broadcast bytes of rank 0 whose number only rank 0 knows */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BCAST_H
#define ADL_BCAST_H

#include "adio.h"

#include "../../core/text/strbuf.h"

/* Collective. All ranks get the contents of rank 0's `sb` (theirs is empty
 * before) and rank 0's *word. A *word below 0 is an error, of the caller or of
 * sb; then there are no bytes. The first broadcast has a fixed size and is
 * mostly the only one; what does not fit (thousands of nodes, stripes or
 * aggregators) follows in a second. Afterwards sb->err (own) says that malloc
 * failed on this rank. */
void adl_bcast_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb);

#endif
