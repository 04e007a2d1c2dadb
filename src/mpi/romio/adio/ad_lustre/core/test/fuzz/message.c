/* message.c - fuzzing target: a message between nodes, its parts and patterns */
#include "core/err.h"
#include "core/message.h"
#include "core/pattern.h"
#include "fuzz.h"

enum { LIMIT = 1 << 16 };

/* The pattern's and the data's bytes lie inside the message. */
static void look_at_part(const uint8_t *data, size_t size,
                         const struct adl_part *part, const char *pattern,
                         const char *bytes)
{
    const char *start = (const char *)data, *end = start + size;
    struct adl_pattern_iter runs;
    struct adl_err err;
    int64_t off, len;

    FUZZ_HOLDS(pattern >= start && part->pattern <= (size_t)(end - pattern));
    if (part->kind == ADL_PART_DATA)
        FUZZ_HOLDS(bytes >= start && part->bytes >= 0 &&
                   part->bytes <= end - bytes);
    if (adl_pattern_open(&runs, pattern, part->pattern, LIMIT, &err))
        return;
    while (adl_pattern_next(&runs, &off, &len) == 1)
        FUZZ_HOLDS(off >= 0 && len > 0 && off + len <= LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_message_iter it;
    struct adl_message head;
    struct adl_part part;
    const char *pattern, *bytes;
    uint64_t *aligned = malloc(size + 8); /* as a receive buffer is */
    int rc = 0;

    FUZZ_HOLDS(aligned);
    memcpy(aligned, data, size);
    if (adl_message_open(&it, aligned, size, &head) == 0) {
        while ((rc = adl_message_next(&it, &part, &pattern, &bytes)) == 1)
            look_at_part((const uint8_t *)aligned, size, &part, pattern, bytes);
        FUZZ_HOLDS(adl_message_next(&it, &part, &pattern, &bytes) == rc);
    }
    free(aligned);
    return 0;
}
