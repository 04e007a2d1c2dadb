/* info.c - infos whose keys or values are too long for Open MPI
 *
 * The calls here take the place of MPI's own by name, as those of
 * front/blocking.h do.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "mpi_more.h"

#include <stdio.h>
#include <string.h>

int adl_instead_Info_set(MPI_Info info, const char *key, const char *value);
int adl_instead_Info_get(MPI_Info info, const char *key, int len, char *value,
                         int *found);
int adl_instead_Info_get_valuelen(MPI_Info info, const char *key, int *len,
                                  int *found);

/* Open MPI's keys have up to 35 characters and its values 255. A longer one is
 * an error on MPI_COMM_WORLD, which ends the job. The driver asks for no such
 * key and cuts its values (mpi/file/info.c); a file named by ROMIO_HINTS may
 * have them. */
static int is_too_long(const char *key)
{
    return strlen(key) >= MPI_MAX_INFO_KEY;
}

int adl_instead_Info_set(MPI_Info info, const char *key, const char *value)
{
    char cut[MPI_MAX_INFO_VAL];

    if (is_too_long(key))
        return MPI_SUCCESS;
    snprintf(cut, sizeof(cut), "%s", value);
    return PMPI_Info_set(info, key, cut);
}

int adl_instead_Info_get(MPI_Info info, const char *key, int len, char *value,
                         int *found)
{
    *found = 0;
    return is_too_long(key) ? MPI_SUCCESS
                            : PMPI_Info_get(info, key, len, value, found);
}

int adl_instead_Info_get_valuelen(MPI_Info info, const char *key, int *len,
                                  int *found)
{
    *found = 0;
    return is_too_long(key) ? MPI_SUCCESS
                            : PMPI_Info_get_valuelen(info, key, len, found);
}
