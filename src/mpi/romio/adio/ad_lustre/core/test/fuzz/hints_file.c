/* hints_file.c - fuzzing target: the content of ROMIO_LUSTRE_HINTS_FILE */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/hints/hintspec.h"
#include "core/text/notes.h"
#include "fuzz.h"

static void count(void *arg, const char *key, const char *value)
{
    FUZZ_HOLDS(*key && value);
    ++*(int *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"", "f", "lustre:/scratch/a/b.h5",
                                        "ufs:relative/*", "a,b:c"};
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hintspec *spec = NULL;
    char *text = fuzz_text(data, size);
    int pairs = 0;

    FUZZ_HOLDS(adl_hintspec_parse_lines(text, "FUZZ", &notes, &spec) == 0);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        adl_hintspec_match(spec, files[i], count, &pairs);
    adl_hintspec_destroy(spec);
    adl_notes_release(&notes);
    free(text);
    return 0;
}
