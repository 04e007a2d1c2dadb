/* cut.c - the parts in which the pieces of a cell are sent, or requested */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "cut.h"

#include "../text/minmax.h"
#include "message.h"

/* Bytes of a block that are left for heads, in either direction. */
#define BLOCK_HEADS 256
/* Bytes that describe one run, at the most. */
#define RUN_BYTES 18
/* Bytes of a description that fits into a header. */
#define HEADER_PATTERN \
    (ADL_HEADER_MAX - sizeof(struct adl_message) - sizeof(struct adl_part) - 8)

/* The next part, of at most so many bytes and runs. */
static void describe_part(const struct adl_cut *cut, struct adl_extents *ext,
                          int64_t bytes, int64_t runs, struct adl_pack *pack)
{
    const struct adl_cell *cell = cut->cell;
    int64_t unit = INT64_C(1) << cut->terms->shift;
    struct adl_pack_limit limit = {cell->end, bytes & -unit, runs};

    adl_pack_describe(ext, cell->buf - cell->start, &limit, cut->pattern, pack);
    pack->contig &= !cut->device;
}

int adl_cut_alone(const struct adl_cut *cut, struct adl_extents *ext,
                  struct adl_pack *pack)
{
    describe_part(cut, ext, ADL_DIRECT_BYTES, ADL_DIRECT_RUNS, pack);
    return pack->bytes >= ADL_DIRECT_MIN &&
           pack->pattern_size <= HEADER_PATTERN &&
           (pack->contig || !cut->terms->write);
}

/* The requests of several ranks are united: their description may need as much
 * as single runs do. */
int64_t adl_cut_answer(const struct adl_pack *pack)
{
    return pack->bytes + RUN_BYTES * pack->runs;
}

/* Writing, the description of a part and its bytes travel together. Reading,
 * the answer takes the request's place. */
static int fits_block(const struct adl_cut *cut, const struct adl_pack *pack)
{
    int64_t bytes = cut->terms->write
                        ? pack->bytes + (int64_t)pack->pattern_size
                        : adl_cut_answer(pack);

    return bytes + BLOCK_HEADS <= cut->room;
}

/* Half of a block is for the bytes, half for the description. */
void adl_cut_block(const struct adl_cut *cut, const struct adl_extents *from,
                   struct adl_extents *ext, struct adl_pack *pack)
{
    int64_t half = cut->room / 2;

    if (fits_block(cut, pack))
        return;
    *ext = *from;
    describe_part(cut, ext, half - BLOCK_HEADS,
                  adl_min(half / (RUN_BYTES + 2), ADL_DIRECT_RUNS), pack);
}
