/* userfile.c - small files that a user's environment names */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "userfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "rw.h"

/* A path's directory, open, and its last part. */
struct place {
    int dir;
    const char *name;
};

static int open_place(const char *path, struct place *at)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    char dir[PATH_MAX] = ".";

    if (len >= sizeof(dir))
        return -ENAMETOOLONG;
    if (slash)
        memcpy(dir, path, len);
    at->name = path + len;
    at->dir = adl_call_open(dir, O_PATH | O_DIRECTORY, 0);
    return at->dir < 0 ? at->dir : 0;
}

static int may_follow(int dir, const struct stat *link)
{
    struct stat st;

    return link->st_uid == geteuid() || link->st_uid == 0 ||
           (fstat(dir, &st) == 0 && st.st_uid == link->st_uid);
}

/* Where the link leads, if it may be followed: 1. The link is read through the
 * descriptor that was looked at, so that it cannot be exchanged in between. No
 * link: 0. */
static int read_link(const struct place *at, char *target, size_t size)
{
    int fd = openat(at->dir, at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    ssize_t n = 0;

    if (fd < 0)
        return 0; /* not there yet: an open that creates will say more */
    if (fstat(fd, &st) || !S_ISLNK(st.st_mode))
        goto out;
    n = may_follow(at->dir, &st) ? readlinkat(fd, "", target, size) : -1;
    if (n >= 0 && (size_t)n < size)
        target[n] = '\0';
    else
        n = -ELOOP;
out:
    close(fd);
    return n < 0 ? -ELOOP : n > 0;
}

/* O_NONBLOCK only for the open: reads and writes of a regular file do
 * not wait for another process, and a FIFO is not waited for. */
int adl_userfile_open(const char *path, int flags)
{
    struct place at;
    char target[PATH_MAX];
    int fd, linked, rc = open_place(path, &at);

    if (rc < 0)
        return rc;
    linked = read_link(&at, target, sizeof(target));
    flags |= O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    if (linked < 0) {
        fd = linked;
    } else {
        fd = openat(at.dir, linked ? target : at.name,
                    linked ? flags : flags | O_NOFOLLOW, 0666);
        fd = fd < 0 ? -errno : fd;
    }
    close(at.dir);
    return fd;
}

int adl_userfile_append(const char *path, int flags, const char *text,
                        size_t len)
{
    int fd = adl_userfile_open(path, O_WRONLY | O_CREAT | O_APPEND | flags);
    int rc, closed;

    if (fd < 0)
        return fd;
    rc = adl_rw_put(fd, text, len);
    closed = adl_call_close(&fd);
    return rc ? rc : closed;
}

static int read_all(int fd, size_t max, char **text)
{
    struct stat st;
    size_t got;
    int rc = fstat(fd, &st) ? -errno : 0;

    if (rc < 0 || !S_ISREG(st.st_mode))
        return rc < 0 ? rc : -EINVAL;
    *text = malloc(max + 1);
    if (!*text)
        return -ENOMEM;
    rc = adl_rw_read(fd, *text, max + 1, 0, &got);
    if (rc == 0 && got > max)
        rc = -EFBIG;
    if (rc == 0)
        (*text)[got] = '\0';
    return rc;
}

int adl_userfile_read(const char *path, size_t max, char **text)
{
    int fd = adl_userfile_open(path, O_RDONLY);
    char *found = NULL;
    int rc;

    if (fd < 0)
        return fd;
    rc = read_all(fd, max, &found);
    adl_call_close(&fd);
    if (rc == 0)
        *text = found;
    else
        free(found);
    return rc;
}
