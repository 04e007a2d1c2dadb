/* app.h - the common part of all proxies: everything but what they write
 *
 * A proxy has a plan: files and calls, made from its own options. This module
 * does the rest: the command line, making data, timing, reading back,
 * verifying, progress, errors, the report.
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

    /* Fill in the plan. Only shapes differ between ranks. Wrong settings are
     * noted in the verdict (APP_USAGE), on all ranks alike. */
    void (*plan)(struct app *app, const struct options *o, struct plan *p,
                 struct verdict *v);
};

/* The whole program; returns main()'s status. */
int app_main(struct app *app, int argc, char **argv);

/* base * scale, rounded, at least 1, at most 2^50. */
int64_t app_scaled(const struct options *o, int64_t base);

#endif
