/* kernels.c - the driver's inner loops, for counting instructions
 *
 *   kernels NAME [RANKS]
 *
 * Runs one kernel of core/ on a fixed input and prints what it did: a number
 * that must not change, and nanoseconds a step. Under callgrind only the
 * function kernel() counts. With RANKS the planner runs for one node of a job
 * with that many ranks, 100 on each node.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/coll/cover.h"
#include "core/coll/extents.h"
#include "core/layout/layout.h"
#include "core/coll/owner.h"
#include "core/messages/pattern.h"
#include "core/coll/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB (INT64_C(1) << 20)

/* A 4-D block of 16^4 sites of 24 bytes in an array of 32 x 32 x 16 x 16: the
 * rows of 16 sites follow each other, planes do not. */
enum { EDGE = 16, SITE = 24, ROWS = EDGE * EDGE * EDGE };

struct input {
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_window *win;
    struct adl_pattern *pat;
    int64_t off[ROWS], len[ROWS];
    struct adl_tile tile;
    char *memory, *buffer;
    struct adl_cover cover;
    int64_t ranks;
};

static void must(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "kernels: %s\n", what);
    exit(1);
}

static void make_rows(struct input *in)
{
    for (int i = 0; i < ROWS; i++) {
        int64_t x = i / (EDGE * EDGE), y = i / EDGE % EDGE, z = i % EDGE;

        in->off[i] = ((x * 2 * EDGE + y) * EDGE + z) * EDGE * SITE;
        in->len[i] = EDGE * SITE;
    }
    in->tile = (struct adl_tile){in->off, in->len, ROWS,
                                 2 * EDGE * 2 * EDGE * EDGE * EDGE * SITE,
                                 (int64_t)ROWS * EDGE * SITE};
}

static void begin(struct input *in, int64_t ranks)
{
    size_t bits;

    in->ranks = ranks;
    must(!adl_layout_plain(MIB, ranks < 16 ? 4 : 1000, &in->layout), "layout");
    must(!adl_owner_create(in->layout, ranks < 16 ? 4 : 1000, &in->owner),
         "owner");
    must(!adl_window_create(in->owner, 16 * MIB, &in->win), "window");
    must(!adl_pattern_create(&in->pat), "pattern");
    make_rows(in);
    in->memory = calloc(1, in->tile.size);
    in->buffer = calloc(1, adl_window_size(in->win));
    bits = adl_cover_memory(16 * MIB, 3);
    must(in->memory && in->buffer, "out of memory");
    adl_cover_init(&in->cover, calloc(1, bits), 16 * MIB, 3);
    must(in->cover.word != NULL, "out of memory");
}

static void end(struct input *in)
{
    free(in->cover.word);
    free(in->buffer);
    free(in->memory);
    adl_pattern_destroy(in->pat);
    adl_window_destroy(in->win);
    adl_owner_destroy(in->owner);
    adl_layout_destroy(in->layout);
}

/* ---- the kernels; each returns the number of its steps ---- */

/* A rank's pieces, cut at the borders of windows' cells. */
static int64_t walk(struct input *in, const struct adl_tile *tile,
                    int64_t bytes,
                    void (*visit)(struct input *, const struct adl_cell *,
                                  const struct adl_piece *))
{
    struct adl_extents ext;
    struct adl_piece piece;
    struct adl_cell cell;
    int64_t n = 0;

    adl_extents_begin(&ext, tile, 0, 0, NULL, bytes);
    adl_window_locate(in->win, adl_extents_at(&ext), &cell);
    while (ext.left) {
        if (adl_extents_next(&ext, cell.end, &piece)) {
            if (visit)
                visit(in, &cell, &piece);
            n++;
        } else if (adl_extents_at(&ext) == cell.end) {
            adl_window_next(in->win, &cell);
        } else {
            adl_window_locate(in->win, adl_extents_at(&ext), &cell);
        }
    }
    return n;
}

static int64_t planning(struct input *in)
{
    int64_t n = 0;

    for (int i = 0; i < 20; i++)
        n += walk(in, &in->tile, in->tile.size, NULL);
    return n;
}

/* Into the window's buffer, a site at a time: the compiler's own copy, which
 * is the same on every processor. */
static void pack_piece(struct input *in, const struct adl_cell *cell,
                       const struct adl_piece *piece)
{
    char *to = in->buffer + cell->buf + (piece->off - cell->start);
    const char *from = in->memory + piece->mem;

    for (int64_t i = 0; i + 8 <= piece->len; i += 8)
        memcpy(to + i, from + i, 8);
}

static int64_t packing(struct input *in)
{
    return walk(in, &in->tile, in->tile.size, pack_piece);
}

static void cover_piece(struct input *in, const struct adl_cell *cell,
                        const struct adl_piece *piece)
{
    adl_cover_add(&in->cover, cell->buf + (piece->off - cell->start),
                  piece->len);
}

/* Mark what a rank has, then walk the runs that came together. */
static int64_t coverage(struct input *in)
{
    int64_t start, len, n = 0;

    walk(in, &in->tile, in->tile.size, cover_piece);
    for (int64_t at = 0; adl_cover_next(&in->cover, at, 16 * MIB, &start, &len);
         at = start + len)
        n++;
    for (int i = 0; i < 20; i++) {
        struct adl_cover_pen pen;

        adl_cover_pen_begin(&pen, &in->cover);
        for (int64_t at = 0; at < MIB; at += 64, n++)
            adl_cover_pen_add(&pen, at, 24);
        adl_cover_pen_flush(&pen);
    }
    return n;
}

/* Runs of a message, regular and irregular, there and back. */
static int64_t describing(struct input *in)
{
    struct adl_pattern_iter it;
    int64_t off = 0, len, n = 0;
    uint64_t state = 42;
    const void *bytes;
    size_t size;

    adl_pattern_reset(in->pat);
    for (int i = 0; i < ROWS; i++)
        must(!adl_pattern_add(in->pat, 2 * in->off[i], in->len[i]), "add");
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        off = 64 * MIB + i * 128;
        must(!adl_pattern_add(in->pat, off + (int64_t)(state >> 60) * 2,
                              8 + (int64_t)(state >> 61) * 8),
             "add");
    }
    must(!adl_pattern_finish(in->pat, &bytes, &size), "finish");
    adl_pattern_open(&it, bytes, size, 256 * MIB);
    while (adl_pattern_next(&it, &off, &len) == 1)
        n++;
    return n;
}

/* One node of `ranks` / 100: its stretch of every round of blocks. */
static int64_t node(struct input *in)
{
    int64_t len = 16 * 1024 * 100, off = len;
    int64_t nodes = in->ranks < 200 ? 2 : in->ranks / 100;
    struct adl_tile tile = {&off, &len, 1, len * nodes, len};

    return walk(in, &tile, len * 64, NULL);
}

static const struct {
    const char *name;
    int64_t (*run)(struct input *in);
} kernels[] = {
    {"planning", planning},     {"packing", packing}, {"coverage", coverage},
    {"describing", describing}, {"node", node},
};

/* Not inlined: callgrind collects inside it. */
__attribute__((noinline)) int64_t kernel(int nr, struct input *in)
{
    return kernels[nr].run(in);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int count = (int)(sizeof(kernels) / sizeof(kernels[0])), nr = 0;
    static struct input in;
    int64_t steps;
    double t;

    while (argc > 1 && nr < count && strcmp(kernels[nr].name, argv[1]))
        nr++;
    if (argc < 2 || argc > 3 || nr == count) {
        fprintf(stderr, "usage: kernels planning|packing|coverage|describing|"
                        "node [RANKS]\n");
        return 2;
    }
    begin(&in, argc > 2 ? strtoll(argv[2], NULL, 10) : 4);
    t = seconds();
    steps = kernel(nr, &in);
    t = seconds() - t;
    printf("%s %" PRId64 " steps, %.1f ns each\n", argv[1], steps,
           t * 1e9 / (double)(steps ? steps : 1));
    end(&in);
    return 0;
}
