/* llite.c - what the Lustre client of a mount publishes about itself */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "llite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lustre.h"
#include "lustre_abi.h"

#define FOLDER "/sys/fs/lustre/llite"
#define DEFAULT_FROM 2097152 /* where the client does not say */

/* "FSNAME-clilov-INSTANCE" without its middle. */
static int without_lov(char *lov, char *name, size_t size)
{
    char *at = strstr(lov, "-clilov-");

    if (!at || strchr(lov, '/'))
        return -EINVAL;
    *at = 0;
    if (snprintf(name, size, "%s-%s", lov, at + 8) >= (int)size)
        return -ENAMETOOLONG;
    return 0;
}

static int lov_name(const char *dir, char lov[ADL_OBD_NAME_SIZE + 1])
{
    memset(lov, 0, ADL_OBD_NAME_SIZE + 1);
    return adl_lustre_ask(dir, ADL_IOC_GETDTNAME, lov);
}

int adl_llite_name(const char *dir, char *name, size_t size)
{
    char lov[ADL_OBD_NAME_SIZE + 1];
    int rc = lov_name(dir, lov);

    return rc ? rc : without_lov(lov, name, size);
}

int adl_llite_read(const char *name, const char *file, char *line, size_t size)
{
    char path[512];
    FILE *f;
    int rc = -ENOENT;

    if (snprintf(path, sizeof(path), FOLDER "/%s/%s", name, file) >=
        (int)sizeof(path))
        return -ENAMETOOLONG;
    f = fopen(path, "re");
    if (f && fgets(line, (int)size, f)) {
        line[strcspn(line, "\n")] = 0;
        rc = 0;
    }
    if (f)
        fclose(f);
    return rc;
}

int adl_llite_pool(const char *dir, const char *pool)
{
    static const char *const folders[] = {"/proc/fs/lustre", "/sys/fs/lustre",
                                          "/sys/kernel/debug/lustre"};
    char lov[ADL_OBD_NAME_SIZE + 1], path[512];
    int rc = lov_name(dir, lov);

    if (rc < 0)
        return rc;
    if (!*pool || strchr(pool, '/') || strlen(pool) > 64)
        return 0;
    rc = -ENODATA;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        snprintf(path, sizeof(path), "%s/lov/%s/pools/%s", folders[i], lov,
                 pool);
        if (access(path, F_OK) == 0)
            return 1;
        *strrchr(path, '/') = 0;
        if (access(path, X_OK) == 0)
            rc = 0;
    }
    return rc;
}

int64_t adl_llite_direct_from(const char *dir)
{
    char name[ADL_OBD_NAME_SIZE + 1], line[64], *end;
    int64_t from;

    if (adl_llite_name(dir, name, sizeof(name)) < 0 ||
        adl_llite_read(name, "hybrid_io", line, sizeof(line)) < 0 ||
        strcmp(line, "0") == 0)
        return INT64_MAX;
    if (adl_llite_read(name, "hybrid_io_write_threshold_bytes", line,
                       sizeof(line)) < 0)
        return DEFAULT_FROM;
    from = strtoll(line, &end, 10);
    return end == line || from < 1 ? DEFAULT_FROM : from;
}
