/* advice.h - plain findings from the numbers of a report, and what to try
 *
 * Each rule looks at a few numbers and says, if it has something to say, what
 * is wrong, the number behind it, and a hint. Rules are in advice.c, one
 * function each; none fires on little data.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ADVICE_H
#define ADL_ADVICE_H

#include "iostat.h"
#include "report.h"

struct adl_advice {
    const char *rule; /* a word, for scripts */
    char text[200];
    char hint[100]; /* key=value, or words; "" if there is none */
};

#define ADL_ADVICE_MAX 16

struct adl_advice_facts {
    const struct adl_report *report;
    const struct adl_layout *layout;            /* with `use` */
    const struct adl_object_use *use[ADL_DIRS]; /* of all ranks, or NULL */
    int osts;                                   /* there are; 0: unknown */
    int nodes;
    int64_t lock_ahead_extents; /* the hint's value */
};

/* Returns how many there are. */
int adl_advice_find(const struct adl_advice_facts *facts,
                    struct adl_advice out[ADL_ADVICE_MAX]);

/* A line each: "romio-lustre: advice for FILE: TEXT: try HINT". */
void adl_advice_print(struct adl_strbuf *sb, const char *file,
                      const struct adl_advice *advice, int n);

#endif
