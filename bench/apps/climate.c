/* climate.c - E3SM-like: irregular lists of small pieces
 *
 * An unstructured mesh is dealt to the ranks so that neighbours in the file
 * belong to different ranks: every rank has 100,000 pieces of 8 to 64 bytes,
 * in no regular order. The same list serves a number of variables.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"
#include "draw.h"
#include <stdlib.h>

struct settings {
    int64_t pieces, variables;
};

/* A rank at random that has not got all its pieces yet. */
static int owner(uint64_t *state, int64_t *left, int ranks)
{
    int r = (int)(draw(state) % (uint32_t)ranks);

    while (left[r] == 0)
        r = (r + 1) % ranks;
    left[r]--;
    return r;
}

/* This rank's pieces; returns the size of a variable. */
static int64_t deal(struct plan *p, int64_t pieces, int64_t *left)
{
    struct shape_list *l = &p->list;
    uint64_t state = 42;
    int64_t at = 0;

    for (int64_t i = 0; i < pieces * p->ranks; i++) {
        int len = 8 * (1 + (int)(draw(&state) % 8));

        if (owner(&state, left, p->ranks) == p->rank) {
            l->at[l->count] = at;
            l->len[l->count++] = len;
        }
        at += len;
    }
    return at;
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int64_t pieces = app_scaled(o, s->pieces), size;
    int64_t *left = calloc(p->ranks, sizeof(*left));
    int file = plan_file(p, "climate_h0");

    if (pieces > 1 << 26)
        verdict_set(v, APP_USAGE, "%lld pieces a rank are too many",
                    (long long)pieces);
    else if (!left || plan_list(p, (int)pieces))
        verdict_set(v, APP_FAILED, "no memory for the list of pieces");
    if (!v->code) {
        for (int r = 0; r < p->ranks; r++)
            left[r] = pieces;
        size = deal(p, pieces, left);
        for (int64_t i = 0; i < s->variables; i++)
            plan_call(p, file, shape_pieces(i * size, &p->list));
    }
    free(left);
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"pieces", 0, OPTION_NUMBER, "N", "pieces of a rank (default 100000)",
         offsetof(struct settings, pieces), 1},
        {"variables", 0, OPTION_NUMBER, "N",
         "variables, a call each (default 2)",
         offsetof(struct settings, variables), 1},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.pieces = 100000, .variables = 2};
    struct app app = {.name = "climate",
                      .about =
                          "Writes variables of an unstructured mesh: "
                          "lists of pieces of 8 to 64 bytes,\ndealt to "
                          "the ranks at random. --scale multiplies the number "
                          "of pieces.\n",
                      .own = {specs, &s},
                      .plan = make_plan};

    return app_main(&app, argc, argv);
}
