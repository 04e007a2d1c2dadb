/* lattice.c - lattice QCD: one 4-D array, a block a rank
 *
 * Space-time sites [t][z][y][x], each rank with a block of the same size, in
 * row-major order in the file: the fields of one site go together.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"
#include <math.h>

struct settings {
    int64_t edge, site;
};

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int64_t edge = (int64_t)((double)s->edge * pow(o->scale, 0.25) + 0.5);
    int grid[SHAPE_DIMS] = {0, 0, 0, 0}, rest = p->rank;
    struct shape_dim dim[SHAPE_DIMS];

    if (edge < 1 || edge > 1 << 15) {
        verdict_set(v, APP_USAGE, "an edge of %lld sites", (long long)edge);
        return;
    }
    MPI_Dims_create(p->ranks, SHAPE_DIMS, grid);
    for (int d = SHAPE_DIMS - 1; d >= 0; d--) {
        dim[d] = shape_cut(edge * grid[d], grid[d], rest % grid[d]);
        rest /= grid[d];
    }
    plan_call(p, plan_file(p, "lattice_cfg"),
              shape_box(0, s->site, SHAPE_DIMS, dim));
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"edge", 'l', OPTION_NUMBER, "N",
         "sites of a rank in each dimension (default 16)",
         offsetof(struct settings, edge), 1},
        {"site", 0, OPTION_SIZE, "BYTES", "bytes of a site (default 24)",
         offsetof(struct settings, site), 1},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.edge = 16, .site = 24};
    struct app app = {.name = "lattice",
                      .about =
                          "Writes a 4-D array that is cut into a block a "
                          "rank, by one call.\n--scale multiplies the number "
                          "of sites.\n",
                      .own = {specs, &s},
                      .plan = make_plan};

    return app_main(&app, argc, argv);
}
