/* choice.c - tests of core/choice: a table of calls */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/choice.h"
#include "../hints/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define MIB (1 << 20)

/* Blocks of 1 MiB of 8 ranks, read from flash, on 4 objects, nothing asked for.
 * Every row changes one thing of it. */
struct row {
    const char *what;
    int expected; /* through the aggregators */
    struct adl_choice file;
    struct adl_claim all;
    int write, exact;
};

#define FILE_ .cb = ADL_AUTOMATIC, .on_lustre = 1, .stripe = MIB, .objects = 4
#define ALL                                                                  \
    .start = 0, .end = 8 * MIB, .bytes = 8 * MIB, .pieces = 8, .least = MIB, \
    .most = MIB

/* clang-format off */
static const struct row rows[] = {
    {"blocks apart", 0, {FILE_}, {ALL}, 0, 1},
    {"with gaps between them", 0, {FILE_}, {ALL}, 0, 0},
    {"written", 1, {FILE_}, {ALL}, 1, 1},
    {"asked for aggregation", 1,
     {.cb = ADL_ENABLE, .on_lustre = 1, .stripe = MIB, .objects = 4},
     {ALL}, 0, 1},
    {"cannot be aggregated", 0,
     {FILE_, .alone = 1}, {ALL}, 1, 1},
    {"nobody has anything", 0, {FILE_}, {.start = 1}, 0, 0},
    {"disks", 1, {FILE_, .seeks = 1}, {ALL}, 0, 1},
    {"locks or promises", 1, {FILE_, .guarded = 1}, {ALL}, 0, 1},
    {"in the aggregators' caches", 1, {FILE_, .gathered = 1}, {ALL}, 0, 1},
    {"several pieces a rank", 1,
     {FILE_}, {ALL, .flags = ADL_CLAIM_NONCONTIG}, 0, 1},
    {"in another order than the ranks", 0,
     {FILE_}, {ALL, .flags = ADL_CLAIM_INTERLEAVED}, 0, 1},
    {"perhaps overlapping", 1,
     {FILE_}, {ALL, .flags = ADL_CLAIM_INTERLEAVED}, 0, 0},
    {"64 requests an object", 0,
     {FILE_}, {.end = 8 * MIB, .bytes = 8 * MIB, .pieces = 256,
               .least = 32768, .most = 32768}, 0, 1},
    {"65 requests an object", 1,
     {FILE_}, {.end = 9 * MIB, .bytes = 9 * MIB, .pieces = 257,
               .least = 32768, .most = 65536}, 0, 1},
    {"all of them for one object", 1,
     {.cb = ADL_AUTOMATIC, .on_lustre = 1, .stripe = 16 * MIB, .objects = 4},
     {.start = 16 * MIB, .end = 32 * MIB, .bytes = 16 * MIB, .pieces = 65,
      .least = 258111, .most = 258112}, 0, 1},
    {"across the border of two", 0,
     {.cb = ADL_AUTOMATIC, .on_lustre = 1, .stripe = 16 * MIB, .objects = 4},
     {.start = 16 * MIB - 1, .end = 32 * MIB - 1, .bytes = 16 * MIB,
      .pieces = 65, .least = 258111, .most = 258112}, 0, 1},
    {"small blocks", 1,
     {FILE_}, {.end = 8 * 4096, .bytes = 8 * 4096, .pieces = 8,
               .least = 4096, .most = 4096}, 0, 1},
    {"small and large ones", 0,
     {FILE_}, {.end = MIB + 4096, .bytes = MIB + 4096, .pieces = 2,
               .least = 4096, .most = MIB}, 0, 1},
    {"elsewhere than on Lustre", 0,
     {.cb = ADL_AUTOMATIC, .seeks = 1, .stripe = MIB, .objects = 4},
     {ALL}, 0, 1},
    {"elsewhere, small blocks", 1,
     {.cb = ADL_AUTOMATIC, .stripe = MIB, .objects = 4},
     {.end = 8 * 4096, .bytes = 8 * 4096, .pieces = 8, .least = 4096}, 0, 1},
    {"written, from the threshold on", 0,
     {FILE_, .threshold = MIB}, {ALL}, 1, 1},
    {"written under locks, from the threshold on", 1,
     {FILE_, .threshold = MIB, .guarded = 1}, {ALL}, 1, 1},
    {"written, below the threshold", 1,
     {FILE_, .threshold = MIB + 1}, {ALL}, 1, 1},
    {"written interleaved, from the threshold on", 1,
     {FILE_, .threshold = MIB}, {ALL, .flags = ADL_CLAIM_INTERLEAVED}, 1, 1},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        struct adl_terms terms = {.start = r->all.start,
                                  .end = r->all.end,
                                  .bytes = r->all.bytes,
                                  .write = r->write,
                                  .exact = r->exact};

        if (adl_choice_aggregate(&r->file, &r->all, &terms) != r->expected)
            fail_msg("%s: not %d", r->what, r->expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
