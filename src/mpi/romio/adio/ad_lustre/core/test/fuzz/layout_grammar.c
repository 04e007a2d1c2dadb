/* layout_grammar.c - fuzzing target: composite layouts as text, "-E 64M -c 1"
 *
 * What is understood can be written down and is then understood as the same; if
 * it makes a blob, that blob is a layout.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/layout/layout.h"
#include "core/layout/layspec.h"
#include "fuzz.h"

enum { TEXT = 1 << 20 };

static void format_again(const struct adl_layout_spec *spec)
{
    char *first = malloc(TEXT), *second = malloc(TEXT);
    struct adl_layout_spec again = {0};

    FUZZ_HOLDS(first && second);
    if (adl_layout_spec_format(spec, first, TEXT) < TEXT) {
        FUZZ_HOLDS(adl_layout_spec_parse(first, &again, NULL) == 0);
        adl_layout_spec_format(&again, second, TEXT);
        FUZZ_HOLDS(strcmp(first, second) == 0);
    }
    adl_layout_spec_clear(&again);
    free(first);
    free(second);
}

static void encode(const struct adl_layout_spec *spec)
{
    struct adl_layout *layout = NULL;
    struct adl_err err;
    void *blob;
    size_t len;

    if (adl_layout_spec_encode(spec, &blob, &len, &err))
        return;
    FUZZ_HOLDS(adl_layout_decode(blob, len, NULL, &layout, &err) == 0);
    adl_layout_destroy(layout);
    free(blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_layout_spec spec = {0};
    char *text = fuzz_text(data, size);
    struct adl_err err;

    if (adl_layout_spec_parse(text, &spec, &err) == 0) {
        format_again(&spec);
        encode(&spec);
    }
    adl_layout_spec_clear(&spec);
    free(text);
    return 0;
}
