/* display.h - what rank 0 prints at open, in the layouts users know
 *
 * Each function appends whole lines; the caller prints them to stderr. The
 * environment block is adl_env_display.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_DISPLAY_H
#define ADL_DISPLAY_H

#include "../hints/hints.h"
#include "../nodes/nodemap.h"
#include "../nodes/placement.h"
#include "../text/strbuf.h"

/* "PE 0: MPIIO hints for FILE:" and a line "name = value" for each hint. Behind
 * a value that is not the default stands where it came from and, if different,
 * what was asked for: "= 60 (adjusted; info asked for 100)". Hints without a
 * value but with a request are shown as well. */
void adl_display_hints(struct adl_strbuf *sb, const char *file,
                       const struct adl_hints *h);

/* "Aggregator Placement for FILE" and a line for each aggregator. */
void adl_display_placement(struct adl_strbuf *sb, const char *file,
                           const struct adl_placement *p,
                           const struct adl_nodemap *nodes, int64_t stride);

#endif
