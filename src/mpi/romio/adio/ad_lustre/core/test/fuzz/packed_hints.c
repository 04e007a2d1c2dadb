/* packed_hints.c - fuzzing target: hints as rank 0 sends them at open */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/hints/hints.h"
#include "fuzz.h"

static void show(void *arg, const char *name, const char *value)
{
    *(size_t *)arg += strlen(name) + strlen(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_hints hints;
    size_t chars = 0;

    if (adl_hints_init(&hints))
        return 0;
    adl_hints_unpack(&hints, data, size);
    adl_hints_each(&hints, true, show, &chars);
    adl_hints_release(&hints);
    return 0;
}
