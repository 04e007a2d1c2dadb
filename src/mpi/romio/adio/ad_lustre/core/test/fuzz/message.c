/* message.c - fuzzing target: a message as it comes from another node */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/messages/message.h"
#include "core/messages/packing.h"
#include "fuzz.h"

enum { WINDOW = 4096 };

static char window[WINDOW], packed[WINDOW];
static uint64_t bits[WINDOW / 64];

/* What an aggregator does with a part. */
static void serve(const struct adl_part *part, const char *pattern,
                  const char *bytes)
{
    struct adl_runs_of runs = {pattern, part->pattern, WINDOW, 0};
    struct adl_cover cover;
    int64_t sum = 0, len;

    adl_cover_init(&cover, bits, WINDOW, 0);
    if (part->kind == ADL_PART_DATA)
        adl_pack_scatter(&runs, bytes, part->bytes, window, &cover);
    else if (part->bytes <= WINDOW)
        adl_pack_gather(&runs, window, packed, part->bytes);
    if (adl_pack_mark(&runs, &cover, &sum) == 0)
        FUZZ_HOLDS(sum <= WINDOW);
    if (adl_pack_single(&runs, &len) >= 0)
        FUZZ_HOLDS(len > 0 && len <= WINDOW);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *pattern, *bytes, *end = (const char *)data + size;
    struct adl_message_iter it;
    struct adl_message head;
    struct adl_part part;
    int rc = adl_message_open(&it, data, size, &head);

    while (rc >= 0 &&
           (rc = adl_message_next(&it, &part, &pattern, &bytes)) == 1) {
        FUZZ_HOLDS(part.bytes > 0 && part.pattern > 0);
        FUZZ_HOLDS(bytes == pattern + part.pattern && bytes <= end);
        FUZZ_HOLDS(part.kind != ADL_PART_DATA || part.bytes <= end - bytes);
        serve(&part, pattern, bytes);
    }
    FUZZ_HOLDS(adl_message_next(&it, &part, &pattern, &bytes) == rc);
    return 0;
}
