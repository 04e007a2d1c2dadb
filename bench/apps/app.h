/* app.h - the common part of all proxies: everything but what they write
 *
 * A proxy is a plan: files and calls, by its own options. The rest is here:
 * the command line, making data, timing, reading back, verifying, progress,
 * errors, the report.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_APP_H
#define APPS_APP_H

#include "io.h"
#include "options.h"
#include "plan.h"

struct app {
    const char *name;
    const char *about; /* lines for --help */
    struct option_table own;
    const struct io_api *(*hdf5)(void); /* NULL: not for this program */
    const struct io_api *api;           /* set by --api */

    /* Fill in the plan, the same on all ranks but for shapes. Wrong settings
     * are noted in the verdict (APP_USAGE), equally on all ranks. */
    void (*plan)(struct app *app, const struct options *o, struct plan *p,
                 struct verdict *v);
};

/* The whole program; returns main()'s status. */
int app_main(struct app *app, int argc, char **argv);

/* base * scale, rounded, at least 1, at most 2^50. */
int64_t app_scaled(const struct options *o, int64_t base);

#endif
