/* ostcount.c - the number of OSTs, from what the Lustre client publishes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ostcount.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* The name in a mount source, "NID[:NID...]:/FSNAME[/SUB]". */
static int source_name(char *source, char *name, size_t size)
{
    char *at = strstr(source, ":/");

    if (!at)
        return -ENODATA;
    at += 2;
    at[strcspn(at, "/ \n")] = 0;
    if (!*at || strlen(at) >= size)
        return -ENODATA;
    strcpy(name, at);
    return 0;
}

/* One line: "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAGS] - TYPE SOURCE".
 * 0 if it is the one. */
static int mount_line(char *line, dev_t dev, char *name, size_t size)
{
    unsigned major, minor;
    char *rest = strstr(line, " - ");

    if (!rest || sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2)
        return -ENODATA;
    if (makedev(major, minor) != dev || strncmp(rest, " - lustre ", 10))
        return -ENODATA;
    return source_name(rest + 10, name, size);
}

int adl_ostcount_fsname(FILE *mountinfo, dev_t dev, char *name, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    int rc = -ENODATA;

    while (rc && getline(&line, &room, mountinfo) > 0)
        rc = mount_line(line, dev, name, size);
    free(line);
    return rc;
}

static int read_number(const char *dir, const char *lov)
{
    char path[1024];
    FILE *f;
    int n = 0;

    if (snprintf(path, sizeof(path), "%s/%s/numobd", dir, lov) >=
        (int)sizeof(path))
        return -ENODATA;
    f = fopen(path, "r");
    if (!f)
        return -ENODATA;
    if (fscanf(f, "%7d", &n) != 1 || n < 1)
        n = -ENODATA;
    fclose(f);
    return n;
}

/* FSNAME-clilov-INSTANCE? */
static int is_lov_of(const char *entry, const char *fsname)
{
    size_t len = strlen(fsname);

    return strncmp(entry, fsname, len) == 0 &&
           strncmp(entry + len, "-clilov-", 8) == 0;
}

int adl_ostcount_read(const char *dir, const char *fsname)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int n = -ENODATA;

    if (!d)
        return -ENODATA;
    while (n < 0 && (e = readdir(d)))
        if (is_lov_of(e->d_name, fsname))
            n = read_number(dir, e->d_name);
    closedir(d);
    return n;
}
