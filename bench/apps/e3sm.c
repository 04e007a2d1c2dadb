/* e3sm.c - E3SM-like: all variables of an unstructured mesh in few calls
 *
 * As a climate model writes through PnetCDF. Every rank has columns or cells of
 * the mesh in no regular order, the same ones in every variable. One collective
 * call writes many variables. There are three shapes of decompositions:
 *
 *   f  atmosphere  [variable][level][column], runs of 1 to 3 columns of 8 bytes
 *   g  ocean       [variable][cell][level], runs of 1 to 16 cells of 640 bytes
 *   i  land        [variable][row], runs of 8 to 96 values of 8 bytes, and a
 *                  gap of 1 to 38 after each: where there is no land there is
 *                  no value, and the file has holes
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"
#include "draw.h"
#include <limits.h>

struct kind {
    int elem;        /* bytes of a column, cell or value */
    int least, most; /* of them in a run */
    int gap;         /* at most so many of them after a run; 0: no gap */
    int64_t columns; /* of a level */
    int levels;      /* that repeat the columns */
    int64_t variables, batch; /* and those of a call */
};

/* clang-format off */
static const struct kind kinds[] = {
    {8, 1, 3, 0, 4096, 24, 24, 6},
    {640, 1, 16, 0, 8192, 1, 8, 8},
    {8, 8, 96, 38, 524288, 1, 8, 8},
};
/* clang-format on */

struct settings {
    int kind;
};

/* Adds this rank's runs of one level at `at`, or only counts them (at < 0). */
static int add_level(struct plan *p, const struct kind *k, int64_t columns,
                     int64_t at)
{
    struct shape_list *l = &p->list;
    uint64_t state = 42;
    int count = 0;

    for (int64_t c = 0; c < columns;) {
        int64_t run = k->least + draw(&state) % (k->most - k->least + 1);
        int owner = (int)(draw(&state) % (uint32_t)p->ranks);
        int64_t gap = k->gap ? 1 + draw(&state) % k->gap : 0;

        run = run < columns - c ? run : columns - c;
        if (owner == p->rank && at >= 0) {
            l->at[l->count] = at + c * k->elem;
            l->len[l->count++] = (int)run * k->elem;
        }
        count += owner == p->rank;
        c += run + gap;
    }
    return count;
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    const struct kind *k = &kinds[s->kind];
    int64_t columns = app_scaled(o, k->columns);
    int64_t level = columns * k->elem, size = level * k->levels;
    int64_t pieces = add_level(p, k, columns, -1) * k->levels * k->batch;
    int file = plan_file(p, "e3sm_h0.nc");

    p->holes = k->gap > 0;
    if (pieces > INT_MAX)
        verdict_set(v, APP_USAGE, "--scale: more than 2^31 pieces a call");
    else if (plan_list(p, (int)pieces + 1))
        verdict_set(v, APP_FAILED, "no memory for %lld pieces",
                    (long long)pieces);
    for (int64_t i = 0; i < k->levels * k->batch && !v->code; i++)
        add_level(p, k, columns, i * level);
    for (int64_t i = 0; i < k->variables && !v->code; i += k->batch)
        plan_call(p, file, shape_pieces(i * size, &p->list));
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"case", 'c', OPTION_WORD, "f|g|i", "atmosphere (default), ocean, land",
         offsetof(struct settings, kind), 0},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {0};
    struct app app = {
        .name = "e3sm",
        .about = "Writes variables of an unstructured mesh, several in a call, "
                 "as a climate model\ndoes: pieces of 8 bytes to 10 KiB in no "
                 "regular order; the land's with holes\nbetween them. --scale "
                 "is for the number of columns.\n",
        .own = {specs, &s},
        .plan = make_plan};

    return app_main(&app, argc, argv);
}
