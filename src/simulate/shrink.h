/* shrink.h - the smallest case that still fails */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_SHRINK_H
#define SIMULATE_SHRINK_H

#include "child.h"

/* Take away items as long as the case ends with the same verdict, in at most
 * `tries` runs. The items that are gone, "a,b,c"; the caller frees it. */
char *shrink(uint64_t number, const char *items,
             const struct world_options *options, enum verdict verdict,
             int tries);

#endif
