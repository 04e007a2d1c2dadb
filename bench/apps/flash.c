/* flash.c - FLASH-like: one large contiguous block a rank and variable, of
 * slightly different size
 *
 * As the FLASH I/O benchmark writes its checkpoint: 24 variables of 8x8x8
 * doubles, 80, 81 or 82 of these blocks a rank: 320, 324 and 328 KiB in turn;
 * or, with small blocks, 40, 40.25 and 40.5 KiB, of 1024 variables. The data of
 * a rank begin at a stripe's border only by chance.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"

static const struct {
    int64_t bytes[3]; /* of rank r: bytes[r % 3] */
    int64_t variables;
} kinds[] = {
    {{327680, 331776, 335872}, 24},
    {{40960, 41216, 41472}, 1024},
};

struct settings {
    int kind;
};

/* Where rank r's block of a variable begins; r = ranks: the variable's size. */
static int64_t offset_of(const int64_t *bytes, int r)
{
    int64_t at = r / 3 * (bytes[0] + bytes[1] + bytes[2]);

    for (int i = 0; i < r % 3; i++)
        at += bytes[i];
    return at;
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    const int64_t *bytes = kinds[s->kind].bytes;
    int file = plan_file(p, "flash_hdf5_chk_0001");
    int64_t n = app_scaled(o, kinds[s->kind].variables);

    (void)v;
    for (int64_t i = 0; i < n; i++)
        plan_call(p, file,
                  shape_span(i * offset_of(bytes, p->ranks) +
                                 offset_of(bytes, p->rank),
                             bytes[p->rank % 3]));
}

int main(int argc, char **argv)
{
    static const struct option_spec specs[] = {
        {"blocks", 'b', OPTION_WORD, "large|small",
         "320, 324, 328 KiB (default) or 40, 40.25, 40.5",
         offsetof(struct settings, kind), 0},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {0};
    struct app app = {
        .name = "flash",
        .about =
            "Writes a checkpoint as FLASH does: every variable by one "
            "call, a contiguous\nblock a rank, their sizes slightly "
            "different. --scale multiplies the number of\nvariables: 24, of "
            "small blocks 1024.\n",
        .own = {specs, &s},
        .plan = make_plan};

    return app_main(&app, argc, argv);
}
