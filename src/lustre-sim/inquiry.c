/* inquiry.c - the ioctls by which lfs and liblustreapi ask about files and
 * targets */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "inquiry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/stat.h>
#include <unistd.h>
#include "abi.h"
#include "io.h"
#include "mds.h"
#include "path.h"
#include "special.h"
#include "store.h"

#define TARGETS 64 /* slots for targets, as many as a small table has */
#define STATFS_MAGIC 0xbdacbd05u

static const unsigned long ours[] = {
    SIM_IOC_GETFILESTRIPE, SIM_IOC_GETFILEINFO_V1, SIM_IOC_GETINFO_V1,
    SIM_IOC_GETFILEINFO,   SIM_IOC_GETINFO,        SIM_IOC_GETOBDCOUNT,
    ADL_IOC_OBD_STATFS,    SIM_IOC_GETDTNAME,      SIM_IOC_GETMDNAME,
    SIM_IOC_PATH2FID,      SIM_IOC_DATA_VERSION,   SIM_IOC_LMV_GETSTRIPE,
    SIM_IOC_GET_MDTIDX};

int sim_inquiry_ours(unsigned long request)
{
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (ours[i] == request)
            return 1;
    return 0;
}

void sim_inquiry_fid(uint64_t inode, struct sim_fid *fid)
{
    uint64_t seq, oid;

    sim_mds_fid(inode, &seq, &oid);
    *fid = (struct sim_fid){.seq = seq, .oid = (uint32_t)oid};
}

void sim_inquiry_device(const struct sim_conf *c, const char *kind, char *name,
                        size_t size)
{
    snprintf(name, size, SIM_FSNAME "-%s-%016llx", kind,
             (unsigned long long)c->fsid);
}

/* ---- a file by its identifier ---- */

#define FIND_DEPTH 64 /* of directories */

/* The entry with the inode at or below `path`, which it replaces. Lustre has an
 * index; here the directories are searched. */
static int find_below(const struct sim_conf *c, char path[PATH_MAX],
                      ino_t inode, int depth)
{
    size_t len = strlen(path);
    struct dirent *e;
    struct stat st;
    int found = 0;
    DIR *dir;

    if (lstat(path, &st) == 0 && st.st_ino == inode)
        return 1;
    dir = depth < FIND_DEPTH ? opendir(path) : NULL;
    while (dir && !found && (e = readdir(dir)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            len + 1 + strlen(e->d_name) >= PATH_MAX)
            continue;
        path[len] = '/';
        strcpy(path + len + 1, e->d_name);
        if (!sim_path_inside(c, path))
            found = 0;
        else if (e->d_ino == inode && e->d_type != DT_DIR)
            found = 1;
        else if (e->d_type == DT_DIR)
            found = find_below(c, path, inode, depth + 1);
        if (!found)
            path[len] = '\0';
    }
    if (dir)
        closedir(dir);
    return found;
}

int sim_inquiry_find(const struct sim_conf *c, const struct sim_fid *fid,
                     char path[PATH_MAX])
{
    struct sim_fid want;
    uint64_t inode = sim_mds_inode(fid->seq, fid->oid);

    sim_inquiry_fid(inode, &want);
    if (memcmp(&want, fid, sizeof(want)) != 0)
        return -ESTALE;
    snprintf(path, PATH_MAX, "%s", c->root);
    return find_below(c, path, inode, 0) ? 0 : -ESTALE;
}

/* ---- files ---- */

/* A name in a directory, as the ioctls take it: in the first bytes of the
 * buffer. A descriptor for reference, or -errno. */
static int open_named(int dirfd, const char *arg)
{
    char name[NAME_MAX + 1];
    int fd;

    snprintf(name, sizeof(name), "%s", arg);
    if (!*name || strchr(name, '/'))
        return -EINVAL;
    fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* The layout as the ioctls show it: a plain one has its generation, 0, where
 * the xattr has -1. Returns its length or -errno. */
static ssize_t layout_of(struct sim_proc *p, int fd, void **lov)
{
    struct adl_lov_user u;
    struct stat st;
    size_t len;
    int rc = sim_mds_get(&p->conf, fd, lov, &len);

    if (rc)
        return rc;
    memcpy(&u, *lov, sizeof(u));
    if ((u.magic == ADL_LOV_MAGIC_V1 || u.magic == ADL_LOV_MAGIC_V3) &&
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        u.stripe_offset = 0;
        memcpy(*lov, &u, sizeof(u));
    }
    return len;
}

static int get_file_stripe(struct sim_proc *p, int dirfd, char *arg)
{
    int fd = open_named(dirfd, arg);
    void *lov;
    ssize_t len;

    if (fd < 0)
        return fd;
    len = layout_of(p, fd, &lov);
    close(fd);
    if (len < 0)
        return (int)len;
    memcpy(arg, lov, len);
    free(lov);
    return 0;
}

/* struct lov_user_mds_data: identifier, statx, flags, layout. */
struct info {
    struct sim_fid fid;
    struct statx stx;
    uint64_t flags;
    uint32_t layout_size;
    uint32_t pad;
    /* then the layout */
};

_Static_assert(sizeof(struct info) == 0x120, "lov_user_mds_data");

static int answer_info(struct sim_proc *p, int fd, char *arg)
{
    struct info info = {0};
    void *lov = NULL;
    ssize_t len = layout_of(p, fd, &lov);

    if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME,
              &info.stx) != 0) {
        free(len < 0 ? NULL : lov);
        return -errno;
    }
    sim_inquiry_fid(info.stx.stx_ino, &info.fid);
    info.layout_size = len < 0 ? 0 : (uint32_t)len;
    memcpy(arg, &info, sizeof(info));
    if (len > 0)
        memcpy(arg + sizeof(info), lov, len);
    if (len >= 0)
        free(lov);
    return 0;
}

/* The older form: struct stat, then the layout. */
static int answer_info_v1(struct sim_proc *p, int fd, char *arg)
{
    struct stat st;
    void *lov;
    ssize_t len;

    if (fstat(fd, &st) != 0)
        return -errno;
    memcpy(arg, &st, sizeof(st));
    len = layout_of(p, fd, &lov);
    if (len < 0)
        return (int)len;
    memcpy(arg + sizeof(st), lov, len);
    free(lov);
    return 0;
}

typedef int (*info_fn)(struct sim_proc *p, int fd, char *arg);

static int named_info(struct sim_proc *p, int dirfd, char *arg, info_fn fn)
{
    int fd = open_named(dirfd, arg), rc;

    if (fd < 0)
        return fd;
    rc = fn(p, fd, arg);
    close(fd);
    return rc;
}

static int path_to_fid(int fd, void *arg)
{
    struct sim_fid fid;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -errno;
    sim_inquiry_fid(st.st_ino, &fid);
    memcpy(arg, &fid, sizeof(fid));
    return 0;
}

struct data_version {
    uint64_t version;
    uint32_t layout_version;
    uint32_t flags; /* in: 1 = write back first */
};

/* Changes whenever the data did. */
static int data_version(struct sim_proc *p, struct sim_open *o, int fd,
                        void *arg)
{
    struct data_version v;
    struct stat st;
    int rc;

    if (!o->file)
        return -ENOTTY;
    memcpy(&v, arg, sizeof(v));
    rc = v.flags ? sim_io_flush(p, o, fd) : 0;
    if (rc == 0 && fstat(fd, &st) != 0)
        rc = -errno;
    if (rc)
        return rc;
    v.version = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
                (uint64_t)st.st_mtim.tv_nsec + (uint64_t)st.st_size;
    v.layout_version = 0;
    memcpy(arg, &v, sizeof(v));
    return 0;
}

/* ---- targets ---- */

/* The real one that was recorded had no disks; here the time model says. */
static int is_disk(struct sim_proc *p)
{
    struct lsim *ls = sim_server(p);

    return ls && lsim_seeks(ls);
}

/* A share of the file system below. */
static int target_space(struct sim_proc *p, int mdt, struct adl_obd_statfs *out)
{
    uint64_t share = mdt ? 64 : p->conf.osts, unit;
    struct statvfs fs;

    if (statvfs(p->conf.root, &fs) != 0)
        return -errno;
    unit = fs.f_frsize ? fs.f_frsize : 4096;
    *out = (struct adl_obd_statfs){.type = STATFS_MAGIC,
                                   .blocks = fs.f_blocks * unit / 4096 / share,
                                   .bfree = fs.f_bfree * unit / 4096 / share,
                                   .bavail = fs.f_bavail * unit / 4096 / share,
                                   .files = fs.f_files / share,
                                   .ffree = fs.f_ffree / share,
                                   .bsize = 4096,
                                   .namelen = 255,
                                   .maxbytes = INT64_MAX,
                                   .state = is_disk(p) ? 0 : ADL_OBD_NONROT};
    return 0;
}

/* A slot without a target is skipped by lfs, the end of the table ends its
 * search. */
static int target_statfs(struct sim_proc *p, const void *arg)
{
    struct adl_obd_statfs space;
    struct adl_obd_request r;
    char uuid[ADL_OBD_UUID_SIZE] = "";
    int mdt, rc;

    memcpy(&r, arg, sizeof(r));
    if (r.len < sizeof(r) || r.plen1 < sizeof(space) || !r.pbuf1)
        return -EINVAL;
    mdt = (r.type & 3) == ADL_OBD_MDT;
    if (!mdt && (r.type & 3) != ADL_OBD_OST)
        return -EINVAL;
    if (r.index >= (mdt ? 1 : p->conf.osts))
        return r.index < TARGETS ? -EAGAIN : -ENODEV;
    rc = target_space(p, mdt, &space);
    if (rc)
        return rc;
    memcpy(r.pbuf1, &space, sizeof(space));
    snprintf(uuid, sizeof(uuid), SIM_FSNAME "-%s%04x_UUID", mdt ? "MDT" : "OST",
             r.index);
    if (r.pbuf2 && r.plen2 >= sizeof(uuid))
        memcpy(r.pbuf2, uuid, sizeof(uuid));
    return 0;
}

static int target_count(struct sim_proc *p, void *arg)
{
    int n;

    memcpy(&n, arg, sizeof(n));
    n = n == 0 ? (int)p->conf.osts : TARGETS;
    memcpy(arg, &n, sizeof(n));
    return 0;
}

/* No byte more than the name has, whatever the size in the request's number:
 * callers have room for a UUID only. */
static int device_name(struct sim_proc *p, const char *kind, void *arg)
{
    char name[ADL_OBD_UUID_SIZE];

    sim_inquiry_device(&p->conf, kind, name, sizeof(name));
    memcpy(arg, name, strlen(name) + 1);
    return 0;
}

/* ---- all ---- */

/* Names and targets of the file system: a file answers too. */
static int is_of_any(unsigned long request)
{
    return request == SIM_IOC_GETDTNAME || request == SIM_IOC_GETMDNAME ||
           request == SIM_IOC_GET_MDTIDX || request == ADL_IOC_OBD_STATFS;
}

/* What a directory answers. */
static int of_directory(struct sim_proc *p, int fd, unsigned long request,
                        void *arg)
{
    int zero = 0;

    switch (request) {
    case SIM_IOC_GETFILESTRIPE:
        return get_file_stripe(p, fd, arg);
    case SIM_IOC_GETFILEINFO_V1:
        return named_info(p, fd, arg, answer_info_v1);
    case SIM_IOC_GETINFO_V1:
        return answer_info_v1(p, fd, arg);
    case SIM_IOC_GETFILEINFO:
        return named_info(p, fd, arg, answer_info);
    case SIM_IOC_GETINFO:
        return answer_info(p, fd, arg);
    case SIM_IOC_GETOBDCOUNT:
        return target_count(p, arg);
    case ADL_IOC_OBD_STATFS:
        return target_statfs(p, arg);
    case SIM_IOC_GETDTNAME:
        return device_name(p, "clilov", arg);
    case SIM_IOC_GETMDNAME:
        return device_name(p, "clilmv", arg);
    case SIM_IOC_LMV_GETSTRIPE:
        return -ENODATA;
    default: /* SIM_IOC_GET_MDTIDX */
        memcpy(arg, &zero, sizeof(zero));
        return 0;
    }
}

int sim_inquiry(struct sim_proc *p, struct sim_open *o, int fd,
                unsigned long request, void *arg)
{
    if (!arg)
        return -EFAULT;
    if (request == SIM_IOC_PATH2FID)
        return path_to_fid(fd, arg);
    if (request == SIM_IOC_DATA_VERSION)
        return data_version(p, o, fd, arg);
    if (o->file && !is_of_any(request))
        return -ENOTTY;
    return of_directory(p, fd, request, arg);
}
