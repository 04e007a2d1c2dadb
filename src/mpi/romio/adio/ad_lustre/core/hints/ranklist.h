/* ranklist.h - ranks by hint: "0,8,16-31" or "0-127:8", blanks or commas
 * between
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RANKLIST_H
#define ADL_RANKLIST_H

#include "../text/notes.h"

/* The ranks of the list, in its order, each once, below nranks; `rank` has room
 * for nranks. Invalid entries are noted and skipped. Returns the number of
 * ranks (0: none was valid, noted), or -ENOMEM. */
int adl_ranklist_parse(const char *text, int nranks, struct adl_notes *notes,
                       int *rank);

#endif
