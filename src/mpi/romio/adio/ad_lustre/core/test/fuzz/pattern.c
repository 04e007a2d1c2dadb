/* pattern.c - fuzzing target: runs as they come in a message */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/messages/pattern.h"
#include "fuzz.h"

enum { LIMIT = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_pattern_iter it;
    int64_t off, len, end = 0, runs = 0;
    int rc;

    adl_pattern_open(&it, data, size, LIMIT);
    while ((rc = adl_pattern_next(&it, &off, &len)) == 1) {
        FUZZ_HOLDS(off >= end && len > 0 && off + len <= LIMIT);
        end = off + len;
        FUZZ_HOLDS(++runs <= LIMIT);
    }
    FUZZ_HOLDS(rc <= 0 && adl_pattern_next(&it, &off, &len) == rc);
    return 0;
}
