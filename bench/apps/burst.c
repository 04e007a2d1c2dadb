/* burst.c - a random mix of small and large requests, as a file system sees it
 *
 * Requests of 4 to 16 KiB, of 512 KiB and of 1 MiB make up more than 95 % of
 * what a large centre's Lustre was asked for: half of the requests here are
 * small ones, a quarter each of the others. In every call each rank has one of
 * them, or none, and the ranks' order in the file is a random one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"
#include "draw.h"
#include <stdlib.h>

struct settings {
    int64_t calls;
};

/* Bytes of a request; one in eight ranks has nothing to say. */
static int64_t request(uint64_t *state)
{
    static const int64_t sizes[] = {4 << 10,   8 << 10,   16 << 10, 16 << 10,
                                    512 << 10, 512 << 10, 1 << 20,  1 << 20};

    return draw(state) % 8 ? sizes[draw(state) % 8] : 0;
}

static void shuffle(int *order, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(draw(state) % (uint32_t)(i + 1)), t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int64_t calls = app_scaled(o, s->calls), at = 0;
    int *order = calloc(p->ranks, sizeof(*order));
    int file = plan_file(p, "burst.dat");
    uint64_t state = 2012;

    if (!order || calls > 1 << 24)
        verdict_set(v, APP_USAGE, "%lld calls are too many", (long long)calls);
    for (int64_t i = 0; i < calls && !v->code; i++) {
        struct shape mine = shape_span(at, 0);

        shuffle(order, p->ranks, &state);
        for (int k = 0; k < p->ranks; k++) {
            int64_t len = request(&state);

            if (order[k] == p->rank)
                mine = shape_span(at, len);
            at += len;
        }
        plan_call(p, file, mine);
    }
    free(order);
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"calls", 'c', OPTION_NUMBER, "N", "calls (default 64)",
         offsetof(struct settings, calls), 1},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {.calls = 64};
    struct app app = {.name = "burst",
                      .about = "Writes requests of 4 to 16 KiB, 512 KiB and 1 "
                               "MiB, mixed at random. --scale\nmultiplies the "
                               "number of calls.\n",
                      .own = {specs, &s},
                      .plan = make_plan};

    return app_main(&app, argc, argv);
}
