/* colon.c - where ROMIO looks for the end of a file system's name */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "colon.h"

#include <string.h>

#include "../core/text/fsprefix.h"

char *adl_colon_strchr(const char *name, int c)
{
    size_t len;

    if (c != ':')
        return strchr(name, c);
    len = adl_fsprefix_len(name);
    return len ? (char *)name + len - 1 : NULL;
}
