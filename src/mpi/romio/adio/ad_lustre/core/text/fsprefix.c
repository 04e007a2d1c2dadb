/* fsprefix.c - the file system's name before a file's, as in lustre:x */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fsprefix.h"

#include <string.h>
#include <strings.h>

/* Those of all MPICH releases from 4.0 on, compiled in or not: of a file system
 * that is not there ROMIO says so. */
static const char *const known[] = {
    "ufs",    "nfs",  "xfs",    "pvfs2", "gpfs",    "panfs",
    "lustre", "daos", "testfs", "ime",   "quobyte",
};

size_t adl_fsprefix_len(const char *name)
{
    size_t len = strcspn(name, ":");

    if (name[len] != ':')
        return 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i]) == len && !strncasecmp(known[i], name, len))
            return len + 1;
    return 0;
}
