/* layout.c - fuzzing target: layouts as xattr and ioctl give them
 *
 * What is decoded can be mapped, shown, encoded and sent, and comes back as the
 * same layout.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/layout/layout.h"
#include "fuzz.h"

static void map(const struct adl_layout *layout)
{
    static const int64_t offsets[] = {0,       1,         65536,
                                      1 << 30, 1LL << 50, ADL_LAYOUT_EOF - 1};
    int objects = adl_layout_objects(layout);

    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        struct adl_place place;
        int64_t size;
        int count;

        adl_layout_locate(layout, offsets[i], &place);
        FUZZ_HOLDS(place.number >= 0 && place.number < objects);
        FUZZ_HOLDS(place.off == offsets[i] && place.end > place.off);
        if (place.end < ADL_LAYOUT_EOF) {
            int64_t before = place.end;

            adl_layout_next_stripe(layout, &place);
            FUZZ_HOLDS(place.off == before && place.end > before);
        }
        adl_layout_stripe(layout, offsets[i], &size, &count);
        FUZZ_HOLDS(size > 0 && count > 0);
    }
}

/* The same bytes again, however they went. */
static void there_and_back(const struct adl_layout *layout)
{
    struct adl_layout *again = NULL;
    void *blob, *second;
    size_t len, more;

    if (adl_layout_encode(layout, &blob, &len) == 0) {
        FUZZ_HOLDS(adl_layout_decode(blob, len, adl_layout_defaults(layout),
                                     &again, NULL) == 0);
        FUZZ_HOLDS(adl_layout_encode(again, &second, &more) == 0);
        FUZZ_HOLDS(more == len && memcmp(blob, second, len) == 0);
        free(second);
        free(blob);
        adl_layout_destroy(again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct adl_layout_defaults def = {
        .ost_count = 5, .stripe_count = 2, .stripe_size = 1 << 20};
    struct adl_layout *layout = NULL;
    struct adl_err err;

    if (adl_layout_decode(data, size, &def, &layout, &err))
        return 0;
    if (adl_layout_mapped(layout))
        map(layout);
    there_and_back(layout);
    adl_layout_destroy(layout);
    return 0;
}
