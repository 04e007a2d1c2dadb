/* golden.h - compare a text with what it must be, in golden/ */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_GOLDEN_H
#define ADL_TEST_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>

/* Fails the test where they differ. With ADL_GOLDEN_WRITE=1 the file is
 * written instead: look at the difference before you commit it. */
static inline void assert_golden(const char *name, const char *text)
{
    const char *top = getenv("srcdir");
    static char want[65536];
    char path[1024];
    size_t n;
    FILE *f;

    snprintf(path, sizeof(path),
             "%s/src/mpi/romio/adio/ad_lustre/core/test/golden/%s",
             top ? top : ".", name);
    f = fopen(path, getenv("ADL_GOLDEN_WRITE") ? "w" : "r");
    assert_non_null(f);
    if (getenv("ADL_GOLDEN_WRITE")) {
        fputs(text, f);
        fclose(f);
        return;
    }
    n = fread(want, 1, sizeof(want) - 1, f);
    fclose(f);
    want[n] = '\0';
    assert_string_equal(text, want);
}

#endif
