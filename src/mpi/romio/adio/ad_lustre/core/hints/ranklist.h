/* ranklist.h - ranks by hint: "0,8,16-31" or "0-127:8", blanks or commas
 * between
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RANKLIST_H
#define ADL_RANKLIST_H

#include "../text/notes.h"

/* Ranks in the order written, each once, below nranks; rank has room for
 * nranks. Pieces that are wrong are noted and skipped. Returns their number (0:
 * nothing usable, noted), or -ENOMEM. */
int adl_ranklist_parse(const char *text, int nranks, struct adl_notes *notes,
                       int *rank);

#endif
