/* bt.c - BT-IO-like: cubes on diagonals, one file, one call a time step
 *
 * As the NAS benchmark BT writes its solution: an array [z][y][x] of 5 doubles
 * is cut into q x q x q cubes for q x q ranks; a rank has q of them, one in
 * every layer, on a diagonal, so that all ranks are busy whichever way the
 * solver sweeps. q is the root of the number of ranks, rounded down; ranks
 * beyond q x q have nothing. Every step appends the array to the file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"

enum { EDGE = 48, CELL = 40 };

struct settings {
    int64_t steps;
};

/* The rows of one cube. */
static void add_cube(struct shape_list *l, struct shape_dim z,
                     struct shape_dim y, struct shape_dim x)
{
    for (int64_t i = 0; i < z.part; i++)
        for (int64_t j = 0; j < y.part; j++) {
            int64_t row = (z.from + i) * y.full + y.from + j;

            l->at[l->count] = (row * x.full + x.from) * CELL;
            l->len[l->count++] = (int)x.part * CELL;
        }
}

static int root(int n)
{
    int q = 1;

    while ((q + 1) * (q + 1) <= n)
        q++;
    return q;
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int64_t planes = app_scaled(o, EDGE), size = planes * EDGE * EDGE * CELL;
    int q = root(p->ranks), file = plan_file(p, "btio.full");
    int row = p->rank / q, column = p->rank % q;

    if (plan_list(p, (int)(planes * EDGE) + 1)) {
        verdict_set(v, APP_FAILED, "no memory");
        return;
    }
    for (int i = 0; i < q && p->rank < q * q; i++)
        add_cube(&p->list, shape_cut(planes, q, i),
                 shape_cut(EDGE, q, (row + i) % q),
                 shape_cut(EDGE, q, (column + q - i) % q));
    for (int64_t i = 0; i < s->steps; i++)
        plan_call(p, file, shape_pieces(i * size, &p->list));
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"steps", 0, OPTION_NUMBER, "N", "time steps (default 8)",
         offsetof(struct settings, steps), 1},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.steps = 8};
    struct app app = {
        .name = "bt",
        .about = "Writes an array step by step as the NAS benchmark BT does: "
                 "a rank has cubes on\na diagonal. --scale is for the number "
                 "of planes.\n",
        .own = {specs, &s},
        .plan = make_plan};

    return app_main(&app, argc, argv);
}
