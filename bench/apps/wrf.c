/* wrf.c - WRF-like: record variables, several files at once
 *
 * As a weather model writes through PnetCDF: a history file and an auxiliary
 * one are open at the same time and get a record each time step; a record has
 * a number of 3-D variables [level][y][x] of float, y and x cut into blocks,
 * each written by one collective call; rank 0 then renews the header, which
 * has the number of records. In between a restart file is opened, written and
 * closed. Then all that again, to new files.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"

enum { HEADER = 8192, NX = 64, NY = 64, WORD = 4 };

/* The levels of each variable, up to a 0. */
static const int history[] = {32, 8, 16, 32, 4, 16, 0};
static const int auxiliary[] = {8, 4, 8, 0};
static const int restart[] = {32, 32, 16, 8, 1, 0};

struct settings {
    int64_t sets, records;
};

struct domain {
    struct shape_dim y, x;
};

static int64_t variable_size(const struct domain *d, int levels)
{
    return levels * d->y.full * d->x.full * WORD;
}

static int64_t record_size(const struct domain *d, const int *levels)
{
    int64_t bytes = 0;

    for (; *levels; levels++)
        bytes += variable_size(d, *levels);
    return bytes;
}

static void add_record(struct plan *p, const struct domain *d, int file,
                       const int *levels, int64_t record)
{
    int64_t at = HEADER + record * record_size(d, levels);

    for (; *levels; levels++) {
        struct shape_dim dim[3] = {{*levels, *levels, 0}, d->y, d->x};

        plan_call(p, file, shape_box(at, WORD, 3, dim));
        at += variable_size(d, *levels);
    }
    plan_header(p, file, 0, HEADER);
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int grid[2] = {0, 0};
    struct domain d;

    (void)v;
    MPI_Dims_create(p->ranks, 2, grid);
    d.y = shape_cut(app_scaled(o, NY), grid[0], p->rank / grid[1]);
    d.x = shape_cut(NX, grid[1], p->rank % grid[1]);
    for (int n = 1; n <= s->sets; n++) {
        int out = plan_file(p, "wrfout_d01_%d", n);
        int aux = plan_file(p, "auxhist2_d01_%d", n);
        int rst = plan_file(p, "wrfrst_d01_%d", n);

        for (int64_t record = 0; record < s->records; record++) {
            add_record(p, &d, out, history, record);
            add_record(p, &d, aux, auxiliary, record);
            if (record == s->records / 2)
                add_record(p, &d, rst, restart, 0);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"sets", 0, OPTION_NUMBER, "N", "sets of files (default 2)",
         offsetof(struct settings, sets), 1},
        {"records", 0, OPTION_NUMBER, "N",
         "records of the history files (default 4)",
         offsetof(struct settings, records), 1},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.sets = 2, .records = 4};
    struct app app = {
        .name = "wrf",
        .about = "Writes sets of history, auxiliary history and restart "
                 "files as a weather\nmodel does: record variables, three "
                 "files at once, headers by rank 0.\n--scale multiplies the "
                 "number of rows of its grid.\n",
        .own = {specs, &s},
        .plan = make_plan};

    return app_main(&app, argc, argv);
}
