/* fixture.h - layouts captured from a real Lustre, for tests */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_FIXTURE_H
#define ADL_TEST_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#define FIXTURE_MAX 65536

#define FIXTURES                                                             \
    "default_touch", "dir_all", "dir_pfl", "dir_pfl_child", "dir_plain",     \
        "dir_plain_child", "dir_pool", "dom", "foreign", "mirror_fresh",     \
        "mirror_resync", "mirror_stale", "ostlist3", "ostlist8", "over8",    \
        "pfl_fresh", "pfl_full", "pfl_w0", "pfl_w100M", "pfl_w5M", "plain1", \
        "plain3_64K_i2", "plain4_16M", "plain4_1M", "pool2", "sel"

/* Read layouts/NAME.EXT, 0-terminated; `buf` has FIXTURE_MAX bytes. Returns
 * the length, 0 if it is not there. */
static inline size_t fixture_read(const char *name, const char *ext, char *buf)
{
    const char *top = getenv("srcdir");
    char path[1024];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s/core/test/layouts/%s.%s",
             top ? top : ".", "src/mpi/romio/adio/ad_lustre", name, ext);
    f = fopen(path, "rb");
    if (f) {
        n = fread(buf, 1, FIXTURE_MAX - 1, f);
        fclose(f);
    }
    buf[n] = 0;
    return n;
}

#endif
