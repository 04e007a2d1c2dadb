/* hint_grammar.c - fuzzing target: MPICH_MPIIO_HINTS, and every hint's value */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/hints/hints.h"
#include "core/hints/hintspec.h"
#include "fuzz.h"

static void show(void *arg, const char *name, const char *value)
{
    *(size_t *)arg += strlen(name) + strlen(value);
}

/* Packed and unpacked the hints are the same. */
static void send(const struct adl_hints *hints)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT, more = ADL_STRBUF_INIT;
    struct adl_hints again;

    FUZZ_HOLDS(adl_hints_init(&again) == 0);
    FUZZ_HOLDS(adl_hints_pack(hints, &sb) == 0);
    FUZZ_HOLDS(adl_hints_unpack(&again, sb.text, sb.len) == 0);
    FUZZ_HOLDS(adl_hints_pack(&again, &more) == 0);
    FUZZ_HOLDS(sb.len == more.len && memcmp(sb.text, more.text, sb.len) == 0);
    adl_strbuf_release(&sb);
    adl_strbuf_release(&more);
    adl_hints_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hintspec *spec = NULL;
    char *text = fuzz_text(data, size);
    struct adl_hints hints;
    size_t chars = 0;

    FUZZ_HOLDS(adl_hints_init(&hints) == 0);
    FUZZ_HOLDS(adl_hintspec_parse(text, "FUZZ", &notes, &spec) == 0);
    adl_hints_set_spec(&hints, spec, "lustre:/scratch/run1/out.nc",
                       ADL_FROM_ENVIRONMENT, &notes);
    adl_hints_settle(&hints, &notes);
    adl_hints_each(&hints, true, show, &chars);
    send(&hints);
    adl_hintspec_destroy(spec);
    adl_hints_release(&hints);
    adl_notes_release(&notes);
    free(text);
    return 0;
}
