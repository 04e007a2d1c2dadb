/* lustre.c - calls of the Lustre client: layouts, OSTs, locks of a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lustre.h"
#include "calls.h"
#include "inode.h"
#include "lustre_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PATIENCE 1000 /* interrupted calls, made again */

static int check(int rc)
{
    return rc < 0 ? -errno : rc;
}

/* ---- which file system ---- */

int adl_lustre_is_fd(int fd)
{
    struct statfs s;

    if (fstatfs(fd, &s))
        return -errno;
    return (unsigned long)s.f_type == ADL_LUSTRE_SUPER_MAGIC;
}

int adl_lustre_is_path(const char *path)
{
    struct statfs s;

    if (statfs(path, &s))
        return -errno;
    return (unsigned long)s.f_type == ADL_LUSTRE_SUPER_MAGIC;
}

/* ---- reading a layout ---- */

/* The ioctl does not say how much it wrote, and for a composite it may write
 * more than it was asked for: room for the largest layout there can be. */
#define IOCTL_ROOM (1 << 20)

/* How long the answer is: by its own account, but a directory's default has
 * no objects even if its header counts some. */
static size_t answer_len(const unsigned char *blob, int is_dir)
{
    struct adl_lov_comp_head comp;
    struct adl_lov_foreign foreign;
    struct adl_lov_user user;
    size_t len = sizeof(user);

    memcpy(&comp, blob, sizeof(comp));
    memcpy(&foreign, blob, sizeof(foreign));
    memcpy(&user, blob, sizeof(user));
    if (user.magic == ADL_LOV_MAGIC_COMP_V1)
        return comp.size < IOCTL_ROOM ? comp.size : IOCTL_ROOM;
    if (user.magic == ADL_LOV_MAGIC_FOREIGN)
        return foreign.length < ADL_LAYOUT_BLOB_MAX
                   ? sizeof(foreign) + foreign.length
                   : ADL_LAYOUT_BLOB_MAX;
    if (user.magic == ADL_LOV_MAGIC_V3)
        len += ADL_LOV_POOL_SIZE;
    if (!is_dir && user.stripe_count <= ADL_LOV_MAX_STRIPES &&
        !(user.pattern & ADL_LOV_PATTERN_F_RELEASED))
        len += user.stripe_count * sizeof(struct adl_lov_entry);
    return len;
}

/* With magic 0 the ioctl gives the whole layout, composite or not. */
static ssize_t ask_ioctl(int fd, void **blob)
{
    struct adl_inode inode;
    void *buf;
    int rc = adl_inode_look(fd, 0, &inode);

    if (rc < 0)
        return rc;
    buf = calloc(1, IOCTL_ROOM);
    if (!buf)
        return -ENOMEM;
    rc = check(ioctl(fd, ADL_IOC_LOV_GETSTRIPE, buf));
    if (rc < 0) {
        free(buf);
        return rc;
    }
    *blob = buf;
    return (ssize_t)answer_len(buf, inode.is_dir);
}

/* The xattr of a path or, if that is NULL, of a descriptor. */
static ssize_t ask_xattr(int fd, const char *path, void **blob)
{
    void *buf = malloc(ADL_LAYOUT_BLOB_MAX);
    ssize_t n;

    if (!buf)
        return -ENOMEM;
    if (path)
        n = getxattr(path, ADL_LUSTRE_XATTR, buf, ADL_LAYOUT_BLOB_MAX);
    else
        n = fgetxattr(fd, ADL_LUSTRE_XATTR, buf, ADL_LAYOUT_BLOB_MAX);
    if (n < 0) {
        n = -errno;
        free(buf);
    } else {
        *blob = buf;
    }
    return n;
}

/* Is the ioctl worth a try: no xattr there, or it was too long for one. */
static int xattr_unfit(ssize_t rc)
{
    return rc == -EOPNOTSUPP || rc == -ERANGE || rc == -E2BIG;
}

static int decode(ssize_t len, void *blob,
                  const struct adl_layout_defaults *def,
                  struct adl_layout **out, struct adl_err *err)
{
    int rc;

    if (len < 0)
        return adl_err_set(err, (int)len, "cannot read the layout: %s",
                           strerror((int)-len));
    if (len == 0)
        rc = adl_err_set(err, -ENODATA, "empty layout");
    else
        rc = adl_layout_decode(blob, (size_t)len, def, out, err);
    free(blob);
    return rc;
}

int adl_lustre_get_layout(int fd, const struct adl_layout_defaults *def,
                          struct adl_layout **out, struct adl_err *err)
{
    void *blob = NULL;
    ssize_t len = ask_xattr(fd, NULL, &blob), again;

    if (xattr_unfit(len)) {
        again = ask_ioctl(fd, &blob);
        if (again != -ENOTTY)
            len = again;
    }
    return decode(len, blob, def, out, err);
}

int adl_lustre_path_layout(const char *path,
                           const struct adl_layout_defaults *def,
                           struct adl_layout **out, struct adl_err *err)
{
    void *blob = NULL;
    ssize_t len = ask_xattr(-1, path, &blob);
    int fd, rc;

    if (!xattr_unfit(len))
        return decode(len, blob, def, out, err);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return decode(-errno, NULL, def, out, err);
    rc = adl_lustre_get_layout(fd, def, out, err);
    close(fd);
    return rc;
}

/* ---- the default for new files ---- */

/* The absolute directory of a path that need not exist; free it. */
static char *directory_of(const char *path)
{
    char *copy = strdup(path), *slash, *dir;

    if (!copy)
        return NULL;
    slash = strrchr(copy, '/');
    if (slash == copy)
        slash[1] = 0;
    else if (slash)
        *slash = 0;
    dir = realpath(slash ? copy : ".", NULL);
    free(copy);
    return dir;
}

int adl_lustre_holds(const char *path)
{
    char *dir;
    int rc;

    if (adl_inode_is_named(path))
        return adl_lustre_is_path(path);
    dir = directory_of(path);
    rc = dir ? adl_lustre_is_path(dir) : -errno;
    free(dir);
    return rc;
}

/* Cut the last component off an absolute path; 0 at the root. */
static int go_up(char *dir)
{
    char *slash = strrchr(dir, '/');

    if (!slash || !slash[1])
        return 0;
    slash[slash == dir] = 0;
    return 1;
}

static int same_file_system(const char *dir, dev_t dev)
{
    struct stat st;

    return stat(dir, &st) == 0 && st.st_dev == dev;
}

int adl_lustre_default_layout(const char *path,
                              const struct adl_layout_defaults *def,
                              struct adl_layout **out, struct adl_err *err)
{
    char *dir = directory_of(path);
    struct stat st;
    int rc;

    if (!dir)
        return adl_err_set(err, -errno, "no directory for %.80s: %s", path,
                           strerror(errno));
    rc = check(stat(dir, &st));
    if (!rc) {
        do {
            rc = adl_lustre_path_layout(dir, def, out, err);
        } while (rc == -ENODATA && go_up(dir) &&
                 same_file_system(dir, st.st_dev));
    }
    free(dir);
    return rc;
}

/* ---- creating ---- */

/* The ioctl is for clients whose xattr cannot be set, and for a file whose
 * mode forbids writing: xattrs heed that even on a writable descriptor. */
static int set_layout(int fd, const void *blob, size_t len)
{
    int rc, again;

    rc = check(fsetxattr(fd, ADL_LUSTRE_XATTR, blob, len, 0));
    if (rc != -EOPNOTSUPP && rc != -EACCES && rc != -EPERM)
        return rc < 0 ? rc : 0;
    again = check(ioctl(fd, ADL_IOC_LOV_SETSTRIPE, blob));
    if (again == -ENOTTY)
        return rc;
    return again < 0 ? again : 0;
}

int adl_lustre_create(const char *path, int flags, mode_t mode,
                      const void *blob, size_t len, int *refused)
{
    int fd, again;

    *refused = 0;
    fd = adl_call_open(path, flags | O_CREAT | ADL_O_LOV_DELAY_CREATE, mode);
    if (fd < 0)
        return fd;
    *refused = set_layout(fd, blob, len);
    if (!*refused)
        return fd;
    /* Still without objects: only an ordinary open makes the default ones.
     * The file is ours or was there before, so it must not be O_EXCL now. */
    again = adl_call_open(path, flags & ~(O_CREAT | O_EXCL | O_TRUNC), mode);
    /* A mode without write permission forbids it; elsewhere than on Lustre
     * the first descriptor is as good. */
    if (again < 0 && adl_lustre_is_fd(fd) == 0)
        return fd;
    close(fd);
    return again;
}

/* ---- OSTs ---- */

int adl_lustre_ask(const char *dir, unsigned long request, void *arg)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (fd < 0)
        return -errno;
    rc = adl_lustre_is_fd(fd) == 1 ? check(ioctl(fd, request, arg)) : -ENOTTY;
    close(fd);
    return rc;
}

int adl_lustre_ost_count(const char *dir)
{
    int count = 0, rc = adl_lustre_ask(dir, ADL_IOC_GETOBDCOUNT, &count);

    return rc < 0 || count < 1 ? -ENODATA : count;
}

int adl_lustre_seeks(const char *dir, int ost)
{
    struct adl_obd_statfs space = {0};
    char name[ADL_OBD_UUID_SIZE];
    struct adl_obd_request r = {.len = sizeof(r),
                                .version = ADL_OBD_VERSION,
                                .plen1 = sizeof(space),
                                .pbuf1 = &space,
                                .plen2 = sizeof(name),
                                .pbuf2 = name,
                                .type = ADL_OBD_OST,
                                .index = (uint32_t)ost};
    int rc;

    r.inl[0].len = r.inl[1].len = sizeof(r.type);
    r.inl[0].buf = &r.type;
    r.inl[1].buf = &r.index;
    rc = adl_lustre_ask(dir, ADL_IOC_OBD_STATFS, &r);
    return rc < 0 ? rc : !(space.state & ADL_OBD_NONROT);
}

/* ---- locks ---- */

/* A call that waits for other clients may be interrupted: it is made again. */
static int ask_again(int fd, unsigned long request, void *arg)
{
    int rc = -EINTR;

    for (int i = 0; i < PATIENCE && rc == -EINTR; i++)
        rc = check(ioctl(fd, request, arg));
    return rc;
}

int adl_lustre_group_lock(int fd, int gid)
{
    return ask_again(fd, ADL_IOC_GROUP_LOCK, (void *)(intptr_t)gid);
}

int adl_lustre_group_unlock(int fd, int gid)
{
    return check(ioctl(fd, ADL_IOC_GROUP_UNLOCK, (long)gid));
}

struct advice_call {
    struct adl_ladvise_head head;
    struct adl_ladvise advice[ADL_LADVISE_MAX];
};

static int lock_batch(int fd, struct adl_ladvise like, struct advice_call *call,
                      struct adl_lock_ahead *locks, int n)
{
    int rc;

    call->head = (struct adl_ladvise_head){.magic = ADL_LADVISE_MAGIC,
                                           .count = (uint32_t)n};
    for (int i = 0; i < n; i++) {
        like.start = (uint64_t)locks[i].start;
        like.end = (uint64_t)locks[i].end - 1;
        call->advice[i] = like;
    }
    rc = ask_again(fd, ADL_IOC_LADVISE, call);
    for (int i = 0; i < n && rc >= 0; i++)
        locks[i].result = (int32_t)call->advice[i].result;
    return rc < 0 ? rc : 0;
}

static int lock_all(int fd, int write, uint32_t flags,
                    struct adl_lock_ahead *locks, int n)
{
    const struct adl_ladvise like = {.advice = ADL_LADVISE_LOCKAHEAD,
                                     .mode = write ? ADL_LADVISE_MODE_WRITE
                                                   : ADL_LADVISE_MODE_READ,
                                     .flags = flags};
    struct advice_call *call;
    int i, m, rc = 0;

    for (i = 0; i < n; i++)
        locks[i].result = -ECANCELED;
    call = malloc(sizeof(*call));
    if (!call)
        return -ENOMEM;
    for (i = 0; i < n && !rc; i += m) {
        m = n - i < ADL_LADVISE_MAX ? n - i : ADL_LADVISE_MAX;
        rc = lock_batch(fd, like, call, locks + i, m);
    }
    free(call);
    return rc;
}

int adl_lustre_lock_ahead(int fd, int write, struct adl_lock_ahead *locks,
                          int n)
{
    return lock_all(fd, write, ADL_LADVISE_F_ASYNC, locks, n);
}

int adl_lustre_lock_now(int fd, int write, struct adl_lock_ahead *locks, int n)
{
    return lock_all(fd, write, 0, locks, n);
}

int adl_lustre_lock_noexpand(int fd, int on)
{
    struct {
        struct adl_ladvise_head head;
        struct adl_ladvise advice;
    } call = {.head = {.magic = ADL_LADVISE_MAGIC, .count = 1},
              .advice = {.advice = ADL_LADVISE_LOCKNOEXPAND,
                         .flags = on ? 0 : ADL_LADVISE_F_UNSET,
                         .end = INT64_MAX}};
    int rc = check(ioctl(fd, ADL_IOC_LADVISE, &call));

    return rc < 0 ? rc : 0;
}
