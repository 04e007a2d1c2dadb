/* path.c - which files are below the root */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int sim_path_inside(const struct sim_conf *c, const char *path)
{
    size_t n = strlen(c->root), own = strlen(SIM_DIR);

    if (n == 1) /* the root of everything */
        n = 0;
    if (strncmp(path, c->root, n) != 0 || (path[n] && path[n] != '/'))
        return 0;
    path += n;
    if (*path == '/')
        path++;
    return strncmp(path, SIM_DIR, own) != 0 || (path[own] && path[own] != '/');
}

const char *sim_path_below(const struct sim_conf *c, const char *path)
{
    size_t n = strlen(c->root);

    if (strncmp(path, c->root, n) != 0)
        return path;
    path += n;
    return *path == '/' ? path + 1 : path;
}

int sim_path_of_fd(const struct sim_conf *c, int fd, char path[PATH_MAX])
{
    static const char deleted[] = " (deleted)";
    char link[64];
    ssize_t n;
    size_t tail = sizeof(deleted) - 1;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, PATH_MAX - 1);
    if (n <= 0)
        return -ENOENT;
    path[n] = '\0';
    if ((size_t)n > tail && strcmp(path + n - tail, deleted) == 0)
        path[n - tail] = '\0';
    return sim_path_inside(c, path) ? 0 : -ENOENT;
}

int sim_path_open(const struct sim_conf *c, int dirfd, const char *name,
                  int nofollow, char path[PATH_MAX])
{
    int flags = O_PATH | O_CLOEXEC | (nofollow ? O_NOFOLLOW : 0);
    int fd = openat(dirfd, name, flags), rc;

    if (fd < 0)
        return -errno;
    rc = sim_path_of_fd(c, fd, path);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

int sim_path_future(const struct sim_conf *c, int dirfd, const char *name,
                    char path[PATH_MAX])
{
    const char *slash = strrchr(name, '/');
    const char *last = slash ? slash + 1 : name;
    char dir[PATH_MAX];
    size_t n;
    int fd;

    snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - name) + 1 : 1,
             slash ? name : ".");
    fd = sim_path_open(c, dirfd, dir, 0, path);
    if (fd < 0)
        return -ENOENT;
    close(fd);
    n = strlen(path);
    if (n + 1 + strlen(last) >= PATH_MAX)
        return -ENOENT;
    snprintf(path + n, PATH_MAX - n, "/%s", last);
    return sim_path_inside(c, path) ? 0 : -ENOENT;
}
