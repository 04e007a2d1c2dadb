/* finding.h - what stands out, in plain words, and what to try
 *
 * Each rule looks at one question. It has no finding where the numbers are too
 * small to be significant. doc/lioprof.md has the list.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_FINDING_H
#define LP_FINDING_H

#include "view.h"

#define LP_FINDINGS_MAX 24

struct lp_finding {
    const char *rule;
    int grave; /* 1: certainly costs time; 0: may cost time */
    char text[320];
    char hint[320]; /* what to try; empty: nothing */
};

struct lp_findings {
    struct lp_finding list[LP_FINDINGS_MAX];
    unsigned count;
};

void lp_findings_make(const struct lp_view *v, struct lp_findings *out);

#endif
