/* memory.c - how much more memory a process may use */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/text/minmax.h"

enum { TEXT = 8192, PATH = 1024 };
/* Version 1 says it as the last page below 2^63. */
#define NO_LIMIT (INT64_MAX & -(int64_t)65536)

/* A small file of the kernel's, cut at the buffer's end; "" if there is
 * none. */
static const char *read_text(const char *root, const char *path,
                             const char *name, char text[TEXT])
{
    char full[PATH];
    ssize_t n = -1;
    int fd = -1;

    if (snprintf(full, sizeof(full), "%s%s%s", root, path, name) < PATH)
        fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, TEXT - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* The number behind `key` at the begin of a line; `missing` if there is none,
 * or it is none. */
static int64_t number_after(const char *text, const char *key, int64_t missing)
{
    size_t len = strlen(key);

    while (text && *text) {
        char *end;

        if (strncmp(text, key, len) == 0) {
            long long n = strtoll(text + len, &end, 10);

            return end > text + len && n >= 0 ? n : missing;
        }
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return missing;
}

static int64_t machine_left(const char *root)
{
    char text[TEXT];
    int64_t kib = number_after(read_text(root, "/proc/meminfo", "", text),
                               "MemAvailable:", INT64_MAX);

    return kib > INT64_MAX / 1024 ? INT64_MAX : kib * 1024;
}

/* The files of a cgroup, in both versions; statistics of version 1 are those of
 * the groups below, too, with this prefix. */
struct files {
    const char *limit, *used, *inactive, *active;
};

static const struct files version1 = {
    "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ",
    "total_active_file "};
static const struct files version2 = {"/memory.max", "/memory.current",
                                      "inactive_file ", "active_file "};

static int64_t group_left(const char *root, const char *path,
                          const struct files *f)
{
    char text[TEXT];
    int64_t limit, used;

    limit = number_after(read_text(root, path, f->limit, text), "", INT64_MAX);
    if (limit >= NO_LIMIT)
        return INT64_MAX;
    used = number_after(read_text(root, path, f->used, text), "", 0);
    read_text(root, path, "/memory.stat", text);
    used -=
        number_after(text, f->inactive, 0) + number_after(text, f->active, 0);
    return adl_max(0, limit - adl_max(0, used));
}

/* A group and all above it, up to where they are mounted. In a container the
 * path may be one of outside: then only what is mounted is looked at. */
static int64_t groups_left(const char *root, const char *mount,
                           const char *group, const struct files *f)
{
    char path[PATH];
    int64_t left = INT64_MAX;
    size_t top = strlen(mount);

    if (snprintf(path, sizeof(path), "%s%s", mount, group) >= PATH)
        return INT64_MAX;
    for (;;) {
        char *slash;

        left = adl_min(left, group_left(root, path, f));
        slash = strrchr(path + top, '/');
        if (!slash)
            return left;
        *slash = 0;
    }
}

/* One line of /proc/self/cgroup: "4:memory:/a/b", or "0::/a/b". */
static int64_t line_left(const char *root, char *line)
{
    char *names = strchr(line, ':');
    char *group = names ? strchr(names + 1, ':') : NULL;

    if (!group)
        return INT64_MAX;
    *group++ = 0;
    names++;
    if (*names == 0)
        return adl_min(
            groups_left(root, "/sys/fs/cgroup", group, &version2),
            groups_left(root, "/sys/fs/cgroup/unified", group, &version2));
    for (char *save, *name = strtok_r(names, ",", &save); name;
         name = strtok_r(NULL, ",", &save))
        if (strcmp(name, "memory") == 0)
            return groups_left(root, "/sys/fs/cgroup/memory", group, &version1);
    return INT64_MAX;
}

int64_t adl_memory_left(const char *root)
{
    char text[TEXT], *save;
    int64_t left = machine_left(root);

    read_text(root, "/proc/self/cgroup", "", text);
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        left = adl_min(left, line_left(root, line));
    return left;
}

int adl_memory_is_strict(const char *root)
{
    char text[TEXT];

    return number_after(
               read_text(root, "/proc/sys/vm/overcommit_memory", "", text), "",
               0) == 2;
}
