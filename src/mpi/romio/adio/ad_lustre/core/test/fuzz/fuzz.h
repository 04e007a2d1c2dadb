/* fuzz.h - what the fuzzing targets share
 *
 * A target is one file here, NAME.c with LLVMFuzzerTestOneInput; its seeds are
 * in corpus/NAME/. maint/fuzz compiles and runs whatever it finds, with the
 * address and undefined behaviour sanitizers; a broken promise is an abort.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FUZZ_H
#define ADL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_HOLDS(cond)                                               \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
            abort();                                                   \
        }                                                              \
    } while (0)

/* The input as a string, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    FUZZ_HOLDS(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
