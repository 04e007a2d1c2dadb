/* tile.c - a dense 2-D array, a tile a rank, with ghost cells
 *
 * Tiles overlap by a border of ghost cells, which neighbours have as well: the
 * same bytes are written, and read, by up to four ranks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"
#include <math.h>

struct settings {
    int64_t edge, elem, ghost;
};

/* Part `i` of n, with `ghost` cells more on each side that has a neighbour. */
static struct shape_dim with_ghosts(int64_t full, int n, int i, int64_t ghost)
{
    struct shape_dim d = shape_cut(full, n, i);
    int64_t low = d.from < ghost ? d.from : ghost;
    int64_t rest = d.full - d.from - d.part;

    d.from -= low;
    d.part += low + (rest < ghost ? rest : ghost);
    return d;
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int64_t edge = (int64_t)((double)s->edge * sqrt(o->scale) + 0.5);
    struct shape_dim dim[2];
    int grid[2] = {0, 0};

    if (edge < 1 || edge > 1 << 24) {
        verdict_set(v, APP_USAGE, "a tile of %lld elements an edge",
                    (long long)edge);
        return;
    }
    MPI_Dims_create(p->ranks, 2, grid);
    dim[0] = with_ghosts(edge * grid[0], grid[0], p->rank / grid[1], s->ghost);
    dim[1] = with_ghosts(edge * grid[1], grid[1], p->rank % grid[1], s->ghost);
    plan_call(p, plan_file(p, "tile.dat"), shape_box(0, s->elem, 2, dim));
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"edge", 'l', OPTION_NUMBER, "N",
         "elements of a rank in each dimension (default 1024)",
         offsetof(struct settings, edge), 1},
        {"elem", 0, OPTION_SIZE, "BYTES", "bytes of an element (default 8)",
         offsetof(struct settings, elem), 1},
        {"ghost", 'g', OPTION_NUMBER, "N", "width of the border (default 8)",
         offsetof(struct settings, ghost), 0},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.edge = 1024, .elem = 8, .ghost = 8};
    struct app app = {.name = "tile",
                      .about = "Writes a 2-D array, a tile a rank, tiles "
                               "overlapping by ghost cells, by one\ncall. "
                               "--scale multiplies the number of elements.\n",
                      .own = {specs, &s},
                      .plan = make_plan};

    return app_main(&app, argc, argv);
}
