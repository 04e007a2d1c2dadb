/* store.c - where the layout of a file or directory is kept */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define RECORD_MAGIC 0x4d49534cu /* "LSIM" */
#define RECORD_VERSION 1u

struct record_head {
    uint32_t magic;
    uint32_t version;
    uint64_t fsid;
    uint64_t inode;
    uint64_t born; /* tells inodes of one number apart */
    uint32_t len;
    uint32_t pad;
};

struct record {
    struct record_head head;
    unsigned char lov[SIM_LOV_MAX];
};

static int open_dir(const struct sim_conf *c)
{
    char path[PATH_MAX + 32];
    int fd;

    snprintf(path, sizeof(path), "%s/" SIM_DIR, c->root);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int sim_store_lock(const struct sim_conf *c)
{
    int dir = open_dir(c), fd, rc = 0;

    if (dir < 0)
        return dir;
    fd = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        rc = -errno;
    close(dir);
    if (rc)
        return rc;
    while (flock(fd, LOCK_EX) != 0) {
        if (errno == EINTR)
            continue;
        rc = -errno;
        close(fd);
        return rc;
    }
    return fd;
}

void sim_store_unlock(int lock)
{
    if (lock < 0)
        return;
    /* A child forked meanwhile has the descriptor too: closing ours would
     * leave the lock with it. */
    flock(lock, LOCK_UN);
    close(lock);
}

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
    const unsigned char *at = data;

    while (n--)
        h = (h ^ *at++) * UINT64_C(0x100000001b3); /* FNV-1a */
    return h;
}

/* Birth time and, as that is coarse, the file handle: it has the inode's
 * generation. Either may be unknown to the file system. */
static uint64_t birth(int fd, const struct statx *sx)
{
    union {
        struct file_handle h;
        char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
    } u = {.h.handle_bytes = MAX_HANDLE_SZ};
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    int mount;

    if (sx->stx_mask & STATX_BTIME) {
        h = mix(h, &sx->stx_btime.tv_sec, sizeof(sx->stx_btime.tv_sec));
        h = mix(h, &sx->stx_btime.tv_nsec, sizeof(sx->stx_btime.tv_nsec));
    }
    /* The system call: the function, where the preload library is before us,
     * answers as Lustre does. */
    if (syscall(SYS_name_to_handle_at, fd, "", &u.h, &mount, AT_EMPTY_PATH) ==
            0 &&
        u.h.handle_bytes <= MAX_HANDLE_SZ)
        h = mix(h, u.room + sizeof(u.h), u.h.handle_bytes);
    return h;
}

static int look(int fd, struct statx *sx)
{
    return statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, sx) ? -errno
                                                                     : 0;
}

int sim_store_identity(int fd, uint64_t *out)
{
    struct statx sx;
    int rc = look(fd, &sx);

    if (rc == 0)
        *out = mix(birth(fd, &sx), &sx.stx_ino, sizeof(sx.stx_ino));
    return rc;
}

/* The head a record of this inode must have. */
static int expect(const struct sim_conf *c, int fd, struct record_head *h)
{
    struct statx sx;
    int rc = look(fd, &sx);

    if (rc)
        return rc;
    memset(h, 0, sizeof(*h));
    h->magic = RECORD_MAGIC;
    h->version = RECORD_VERSION;
    h->fsid = c->fsid;
    h->inode = sx.stx_ino;
    h->born = birth(fd, &sx);
    return 0;
}

static int believable(const struct record *r, ssize_t n,
                      const struct record_head *want)
{
    struct record_head h = *want;

    if (n < (ssize_t)sizeof(h))
        return 0;
    h.len = r->head.len;
    return memcmp(&r->head, &h, sizeof(h)) == 0 &&
           h.len == (size_t)n - sizeof(h);
}

static void xattr_path(int fd, char path[64])
{
    /* Through /proc: an O_PATH descriptor has no fgetxattr. */
    snprintf(path, 64, "/proc/self/fd/%d", fd);
}

static void side_name(const struct record_head *h, char name[64])
{
    snprintf(name, 64, "layout/%llx", (unsigned long long)h->inode);
}

static ssize_t read_xattr(int fd, struct record *r)
{
    char path[64];

    xattr_path(fd, path);
    return getxattr(path, SIM_STORE_XATTR, r, sizeof(*r));
}

static ssize_t read_side(const struct sim_conf *c,
                         const struct record_head *want, struct record *r)
{
    int dir = open_dir(c), fd;
    ssize_t n = -1;
    char name[64];

    if (dir < 0)
        return -1;
    side_name(want, name);
    fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        n = read(fd, r, sizeof(*r));
        close(fd);
    }
    close(dir);
    return n;
}

int sim_store_get(const struct sim_conf *c, int fd, void **lov, size_t *len)
{
    struct record_head want;
    struct record *r = malloc(sizeof(*r));
    int rc;

    if (!r)
        return -ENOMEM;
    rc = expect(c, fd, &want);
    if (rc)
        goto out;
    rc = -ENODATA;
    if (!believable(r, read_xattr(fd, r), &want) &&
        !believable(r, read_side(c, &want, r), &want))
        goto out;
    rc = -ENOMEM;
    *lov = malloc(r->head.len + 1);
    if (!*lov)
        goto out;
    memcpy(*lov, r->lov, r->head.len);
    *len = r->head.len;
    rc = 0;
out:
    free(r);
    return rc;
}

static void drop_xattr(int fd)
{
    char path[64];

    xattr_path(fd, path);
    removexattr(path, SIM_STORE_XATTR);
}

static void drop_side(const struct sim_conf *c, const struct record_head *h)
{
    int dir = open_dir(c);
    char name[64];

    if (dir < 0)
        return;
    side_name(h, name);
    unlinkat(dir, name, 0);
    close(dir);
}

static int write_all(int fd, const void *buf, size_t n)
{
    ssize_t done = write(fd, buf, n);

    if (done < 0)
        return -errno;
    return (size_t)done == n ? 0 : -ENOSPC;
}

/* New file, then rename: a reader sees the old record or the new one. The
 * temporary name may be fixed, we hold the metadata lock. */
static int write_side(const struct sim_conf *c, const struct record *r,
                      size_t n)
{
    int dir = open_dir(c), fd, rc;
    char name[64];

    if (dir < 0)
        return dir;
    rc = -EIO;
    if (mkdirat(dir, "layout", 0777) != 0 && errno != EEXIST)
        goto out;
    fd = openat(dir, "layout/new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                0666);
    if (fd < 0)
        goto out;
    rc = write_all(fd, r, n);
    close(fd);
    side_name(&r->head, name);
    if (rc == 0 && renameat(dir, "layout/new", dir, name) != 0)
        rc = -errno;
out:
    close(dir);
    return rc;
}

int sim_store_put(const struct sim_conf *c, int fd, const void *lov, size_t len)
{
    struct record *r;
    char path[64];
    size_t n = sizeof(r->head) + len;
    int rc;

    if (len > SIM_LOV_MAX)
        return -E2BIG;
    r = malloc(sizeof(*r));
    if (!r)
        return -ENOMEM;
    rc = expect(c, fd, &r->head);
    if (rc)
        goto out;
    r->head.len = len;
    if (len)
        memcpy(r->lov, lov, len);
    xattr_path(fd, path);
    if (setxattr(path, SIM_STORE_XATTR, r, n, 0) == 0)
        goto out;
    /* Too long, not supported, not permitted: a file beside it then. */
    rc = write_side(c, r, n);
    if (rc == 0)
        drop_xattr(fd);
out:
    free(r);
    return rc;
}

void sim_store_drop(const struct sim_conf *c, int fd)
{
    struct record_head h;

    drop_xattr(fd);
    if (expect(c, fd, &h) == 0)
        drop_side(c, &h);
}
