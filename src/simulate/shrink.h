/* shrink.h - makes a case that fails as small as possible */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_SHRINK_H
#define SIMULATE_SHRINK_H

#include "child.h"

/* Remove items beside those given as long as the case still ends with the same
 * verdict, in at most `tries` runs. Returns the removed items, "a,b,c"; the
 * caller frees the text. */
char *shrink(const struct sim_case *whole, const char *items,
             const struct world_options *options, enum verdict verdict,
             int tries);

#endif
