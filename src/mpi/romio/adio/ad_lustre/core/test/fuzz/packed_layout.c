/* packed_layout.c - fuzzing target: a layout as rank 0 sends it at open */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/layout/layout.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_layout *layout = NULL;
    struct adl_place place;
    struct adl_err err;

    if (adl_layout_unpack(data, size, &layout, &err))
        return 0;
    if (adl_layout_mapped(layout)) {
        adl_layout_locate(layout, 1 << 20, &place);
        FUZZ_HOLDS(place.number >= 0 &&
                   place.number < adl_layout_objects(layout));
    }
    adl_layout_destroy(layout);
    return 0;
}
