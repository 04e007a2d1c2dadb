/* advice.h - findings from the numbers of a report, and hints to try
 *
 * Each rule looks at a few numbers. If they show a problem it gives the
 * problem, the number behind it and a hint to try. Rules are in advice.c, one
 * function each; no rule applies to a file with little data.
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
    const struct adl_layout *layout;            /* the layout of `use` */
    const struct adl_object_use *use[ADL_DIRS]; /* of all ranks, or NULL */
    int osts;                                   /* number of OSTs; 0: unknown */
    int nodes;
    int64_t lock_ahead_extents; /* the hint's value */
    int sieves; /* hints enabled read-modify-write; 0: the driver chose it */
};

/* What is known of a file that was just created. */
struct adl_advice_new {
    /* number of stripes at offset `at`, up to which the job writes at least */
    int64_t stripes;
    int64_t at;   /* 0: the number is the same at all offsets */
    int64_t osts; /* 0: unknown */
    int ranks, nodes;
    int nics; /* NICs of a node; 0: unknown */
};

/* 1: a large job has created a file of few stripes, which will be slow. */
int adl_advice_new(const struct adl_advice_new *f, struct adl_advice *a);

/* Fill in `out`. Returns the number of findings. */
int adl_advice_find(const struct adl_advice_facts *facts,
                    struct adl_advice out[ADL_ADVICE_MAX]);

/* A line each: "romio-lustre: advice for FILE: TEXT: try HINT". */
void adl_advice_print(struct adl_strbuf *sb, const char *file,
                      const struct adl_advice *advice, int n);

#endif
