/* ranklist.c - fuzzing target: lists of ranks, "0,8,16-31:4" */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "core/text/notes.h"
#include "core/hints/ranklist.h"
#include "fuzz.h"

enum { RANKS = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    char *text = fuzz_text(data, size), seen[RANKS] = {0};
    int *rank = malloc(RANKS * sizeof(*rank));
    int n;

    FUZZ_HOLDS(rank);
    n = adl_ranklist_parse(text, RANKS, &notes, rank);
    FUZZ_HOLDS(n >= 0 && n <= RANKS);
    for (int i = 0; i < n; i++) {
        FUZZ_HOLDS(rank[i] >= 0 && rank[i] < RANKS && !seen[rank[i]]);
        seen[rank[i]] = 1;
    }
    FUZZ_HOLDS(n > 0 || notes.count > 0);
    adl_notes_release(&notes);
    free(rank);
    free(text);
    return 0;
}
