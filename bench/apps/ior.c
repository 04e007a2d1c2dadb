/* ior.c - IOR-like: blocks and transfers of any size, segmented or strided
 *
 * The file has segments; a segment has a block of every rank, which takes one
 * call a transfer. Segmented, a rank's block is contiguous; strided, the
 * ranks' transfers follow each other in turn. A block that is no multiple of
 * the transfer ends with a shorter one. A batch is several transfers of a
 * strided block in one call, through a file view.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"

enum { SEGMENTED, STRIDED };

struct settings {
    int64_t block, transfer, segments, batch;
    int pattern;
};

/* Transfers `first` to `first` + n of a strided block: n rows of one column. */
static struct shape batch_of(const struct plan *p, int64_t transfer,
                             int64_t start, int64_t first, int64_t n)
{
    struct shape_dim dim[2] = {{n, n, 0}, {p->ranks, 1, p->rank}};

    return shape_box(start + first * transfer * p->ranks, transfer, 2, dim);
}

static void add_batches(struct plan *p, const struct settings *s, int file,
                        int64_t start, int64_t block)
{
    int64_t all = block / s->transfer;

    for (int64_t i = 0; i < all; i += s->batch) {
        int64_t rest = all - i;

        plan_call(p, file,
                  batch_of(p, s->transfer, start, i,
                           rest < s->batch ? rest : s->batch));
    }
}

static void add_segment(struct plan *p, const struct settings *s, int file,
                        int64_t start, int64_t block)
{
    for (int64_t at = 0; at < block; at += s->transfer) {
        int64_t rest = block - at;
        int64_t len = rest < s->transfer ? rest : s->transfer;

        plan_call(p, file,
                  shape_span(start + (s->pattern == STRIDED
                                          ? at * p->ranks + p->rank * len
                                          : p->rank * block + at),
                             len));
    }
}

static void make_plan(struct app *app, const struct options *o, struct plan *p,
                      struct verdict *v)
{
    const struct settings *s = app->own.settings;
    int64_t block = app_scaled(o, s->block);
    int file = plan_file(p, o->api == IO_HDF5 ? "ior.h5" : "ior.dat");

    if (s->batch > 1 && (s->pattern != STRIDED || block % s->transfer))
        verdict_set(v, APP_USAGE,
                    "--batch needs --pattern strided and whole transfers");
    else if ((double)block / s->transfer * s->segments > 1 << 24)
        verdict_set(v, APP_USAGE, "more than 2^24 transfers a rank");
    for (int64_t i = 0; i < s->segments && !v->code; i++)
        (s->batch > 1 ? add_batches : add_segment)(p, s, file,
                                                   i * p->ranks * block, block);
}

int main(int argc, char **argv)
{
#define AT(field) offsetof(struct settings, field)
    static const struct option_spec specs[] = {
        {"block", 'b', OPTION_SIZE, "SIZE",
         "bytes of a rank in a segment (default 1M)", AT(block), 1},
        {"transfer", 't', OPTION_SIZE, "SIZE", "bytes of a call (default 256K)",
         AT(transfer), 1},
        {"segments", 's', OPTION_NUMBER, "N", "segments (default 1)",
         AT(segments), 1},
        {"batch", 0, OPTION_NUMBER, "N",
         "strided: N transfers a call (default 1)", AT(batch), 1},
        {"pattern", 'p', OPTION_WORD, "segmented|strided", "default segmented",
         AT(pattern), 0},
        {NULL, 0, 0, NULL, NULL, 0, 0}};
    struct settings s = {
        .block = 1 << 20, .transfer = 256 << 10, .segments = 1, .batch = 1};
    struct app app = {.name = "ior",
                      .about = "Writes blocks in transfers of any size, as IOR "
                               "does. --scale multiplies the block.\n",
                      .own = {specs, &s},
                      .hdf5 = io_hdf5,
                      .plan = make_plan};

    return app_main(&app, argc, argv);
}
