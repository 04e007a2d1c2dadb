/* cut.c - test of core/messages/cut: what a part may be
 *
 * Random pieces of a cell are cut into parts until none is left. Every part is
 * measured as a message has it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../messages/cut.h"
#include "../messages/message.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CASES 600
#define CELL (INT64_C(6) << 20)
#define START (INT64_C(40) << 20) /* of the cell */

static struct rng rng;
static int counted[2][2]; /* parts: [write][alone] */

/* One piece in `extent` bytes, both multiples of the unit. */
struct access {
    int64_t off, len;
    struct adl_tile file, mem;
    struct adl_extents ext;
};

static int64_t of_unit(int64_t low, int64_t high, int shift)
{
    return rng_in(&rng, low, high) << shift;
}

static void pick_access(struct access *a, int shift)
{
    int64_t gap = rng_chance(&rng, 50) ? 0 : of_unit(1, 40, shift);
    int64_t pieces;

    a->off = 0;
    a->len = of_unit(1, rng_chance(&rng, 50) ? 60 : 300000 >> shift, shift);
    a->file = (struct adl_tile){&a->off, &a->len, 1, a->len + gap, a->len};
    a->mem = a->file;
    a->mem.extent = a->len + (rng_chance(&rng, 50) ? 0 : 8);
    pieces = rng_in(&rng, 1, 1 + CELL / a->file.extent);
    adl_extents_begin(&a->ext, &a->file, START + of_unit(0, 9, shift), 0,
                      &a->mem, pieces * a->len);
}

/* As one of several parts of a block of the pool. */
static int64_t bytes_in_block(const struct adl_cut *cut,
                              const struct adl_pack *pack)
{
    struct adl_part part = {.kind = cut->terms->write ? ADL_PART_DATA
                                                      : ADL_PART_READ,
                            .pattern = (uint32_t)pack->pattern_size,
                            .bytes = pack->bytes};
    int64_t size = (int64_t)(sizeof(struct adl_message) + adl_part_size(&part));
    int64_t answer = adl_cut_answer(pack);

    return cut->terms->write || size > answer ? size : answer;
}

static void check_part(const struct adl_cut *cut, const struct adl_pack *pack,
                       int alone)
{
    int64_t unit = INT64_C(1) << cut->terms->shift;

    counted[cut->terms->write][alone]++;
    assert_true(pack->bytes > 0 && pack->bytes <= ADL_DIRECT_BYTES);
    assert_true(pack->runs <= ADL_DIRECT_RUNS);
    assert_int_equal(pack->start % unit, 0);
    assert_int_equal(pack->bytes % unit, 0);
    if (!alone) {
        assert_true(bytes_in_block(cut, pack) <= cut->room);
        return;
    }
    assert_true(pack->bytes >= ADL_DIRECT_MIN);
    assert_true(sizeof(struct adl_message) + sizeof(struct adl_part) +
                    pack->pattern_size <=
                ADL_HEADER_MAX);
    assert_true(pack->contig || !cut->terms->write);
}

/* One after the other, up to the end of the cell. */
static void cut_all(const struct adl_cut *cut, struct adl_extents *ext)
{
    int64_t left = ext->left, sum = 0;
    struct adl_pack pack;

    while (adl_extents_at(ext) < cut->cell->end) {
        struct adl_extents from = *ext;
        int alone = adl_cut_alone(cut, ext, &pack);

        if (alone && rng_chance(&rng, 20)) /* there is no memory for that */
            alone = 0;
        if (!alone)
            adl_cut_block(cut, &from, ext, &pack);
        assert_true(pack.start == adl_extents_at(&from));
        assert_true(pack.bytes == from.left - ext->left);
        check_part(cut, &pack, alone);
        sum += pack.bytes;
    }
    assert_true(sum == left - ext->left);
}

static void test_parts(void **state)
{
    struct adl_pattern *pattern;

    (void)state;
    assert_int_equal(adl_pattern_create(&pattern), 0);
    for (int i = 0; i < CASES; i++) {
        struct adl_terms terms = {.write = rng_chance(&rng, 50),
                                  .shift = (int)rng_in(&rng, 0, 4)};
        struct adl_cell cell = {
            .start = START, .end = START + CELL, .buf = of_unit(0, 5, 12)};
        struct adl_cut cut = {&terms, &cell, pattern,
                              rng_in(&rng, 4096, INT64_C(1) << 20),
                              rng_chance(&rng, 10)};
        struct access a;

        pick_access(&a, terms.shift);
        cut_all(&cut, &a.ext);
    }
    adl_pattern_destroy(pattern);
    printf("# %d parts written alone, %d in blocks; %d read alone, %d in "
           "blocks\n",
           counted[1][1], counted[1][0], counted[0][1], counted[0][0]);
    for (int i = 0; i < 4; i++)
        assert_true(counted[i / 2][i % 2] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    rng = rng_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
