/* inquiries.c - the calls that lfs makes, with what it expects of them
 *
 * inquiries ROOT: needs ROOT/two (2 stripes of 1 MiB), ROOT/dir with a default
 * of 3 stripes, ROOT/plain without one. The order of calls is the recorded one
 * (locks-2.md, "ioctls of lfs"): getstripe FILE and DIR, find, df, osts, mdts,
 * path2fid, data_version, getname, getdirstripe, setstripe, pool_list.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <mntent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int count, failed;

static void ok(int good, const char *text)
{
    failed += !good;
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++count, text);
}

static uint32_t u32_at(const void *buf, size_t off)
{
    uint32_t v;

    memcpy(&v, (const char *)buf + off, sizeof(v));
    return v;
}

static uint16_t u16_at(const void *buf, size_t off)
{
    uint16_t v;

    memcpy(&v, (const char *)buf + off, sizeof(v));
    return v;
}

static int open_dir(const char *root, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    return open(path, O_RDONLY | O_NONBLOCK | O_DIRECTORY);
}

static void getstripe(const char *root)
{
    char buf[65536] = "two", path[4096];
    int dir = open_dir(root, "."), sub = open_dir(root, "dir");
    int bare = open_dir(root, "plain"), fd;

    snprintf(path, sizeof(path), "%s/two", root);
    ok(open(path, O_RDONLY | O_DIRECTORY) < 0 && errno == ENOTDIR,
       "getstripe FILE: not a directory");
    ok(ioctl(dir, 0xc0086915, buf) == 0, "the layout of a name");
    ok(u32_at(buf, 0) == 0x0bd10bd0 && u32_at(buf, 4) == 1 &&
           u32_at(buf, 24) == 1 << 20 && u16_at(buf, 28) == 2 &&
           u16_at(buf, 30) == 0,
       "V1, raid0, 1 MiB, 2 stripes, generation 0");
    ok(u32_at(buf, 52) < 4 && u32_at(buf, 76) < 4, "with its OSTs");
    strcpy(buf, "missing");
    ok(ioctl(dir, 0xc0086915, buf) < 0 && errno == ENOENT, "a missing name");
    strcpy(buf, "../two");
    ok(ioctl(sub, 0xc0086915, buf) < 0 && errno == EINVAL, "no path");
    strcpy(buf, "dir");
    ok(ioctl(dir, 0xc0086915, buf) == 0 && u16_at(buf, 28) == 3,
       "a directory's default by name");
    fd = open(path, O_RDONLY);
    ok(ioctl(fd, 0xc0086915, buf) < 0 && errno == ENOTTY, "not of a file");
    ok(ioctl(fd, 0x8080667f, buf) == 0 && strstr((char *)buf, "-clilov-"),
       "the name of the OSTs' device: of a file too");
    ok(ioctl(fd, 0x80806683, buf) == 0 && strstr((char *)buf, "-clilmv-"),
       "the name of the MDTs' device: of a file too");
    memset(buf, 0, sizeof(buf));
    ok(ioctl(sub, 0x4008669b, buf) == 0 && u16_at(buf, 28) == 3,
       "getstripe -d DIR");
    ok(ioctl(bare, 0x4008669b, buf) < 0 && errno == ENODATA,
       "a directory without default");
    memset(buf, 0, sizeof(buf));
    ok(ioctl(fd, 0x8020669b, buf) == 0 && u16_at(buf, 28) == 2,
       "the newer number of GETSTRIPE");
    close(fd);
    close(dir);
    close(sub);
    close(bare);
}

/* llapi_layout_get_by_fid: a handle made of the identifier, the layout of what
 * it opens. */
static void by_fid(const char *root)
{
    union {
        struct file_handle h;
        char room[sizeof(struct file_handle) + 32];
    } u = {.h.handle_bytes = 32};
    char path[4096], buf[65536] = "";
    int dir = open_dir(root, "."), mount, fd;

    snprintf(path, sizeof(path), "%s/dir/below", root);
    fd = open(path, O_CREAT | O_RDWR, 0644);
    close(fd);
    ok(name_to_handle_at(AT_FDCWD, path, &u.h, &mount, 0) == 0, "a file's FID");
    fd = open_by_handle_at(dir, &u.h, O_RDONLY);
    ok(fd >= 0, "opened by it");
    ok(ioctl(fd, 0x4008669b, buf) == 0 && u16_at(buf, 28) == 3,
       "with its layout");
    close(fd);
    u.h.f_handle[8] ^= 0x55;
    ok(open_by_handle_at(dir, &u.h, O_RDONLY) < 0 && errno == ESTALE,
       "another FID: ESTALE");
    ok(unlink(path) == 0, "removed");
    u.h.f_handle[8] ^= 0x55;
    ok(open_by_handle_at(dir, &u.h, O_RDONLY) < 0 && errno == ESTALE,
       "its FID: ESTALE");
    close(dir);
}

static void pin(const char *root)
{
    char path[4096], buf[256];

    snprintf(path, sizeof(path), "%s/two", root);
    ok(getxattr(path, "lustre.pin", NULL, 0) < 0 && errno == ENODATA,
       "a file that is not pinned");
    ok(removexattr(path, "lustre.pin") < 0 && errno == ENODATA,
       "cannot be unpinned");
    ok(setxattr(path, "lustre.pin", "[pool: fast]", 12, 0) == 0, "pinned");
    ok(getxattr(path, "lustre.pin", buf, sizeof(buf)) == 12 &&
           memcmp(buf, "[pool: fast]", 12) == 0,
       "and it says so");
    ok(setxattr(path, "lustre.pin", "x", 1, XATTR_CREATE) < 0 &&
           errno == EEXIST,
       "not twice with XATTR_CREATE");
    ok(listxattr(path, buf, sizeof(buf)) == 11 &&
           strcmp(buf, "lustre.lov") == 0,
       "no name of ours is listed");
    ok(removexattr(path, "lustre.pin") == 0 &&
           getxattr(path, "lustre.pin", NULL, 0) < 0 && errno == ENODATA,
       "unpinned");
}

static void find(const char *root)
{
    int dir = open_dir(root, "."), n = 1, zero = 0;
    char buf[65536] = "two", path[4096];
    struct stat st;

    ok(ioctl(dir, 0x800866a8, &n) == 0 && n == 64, "slots for MDTs");
    ok(ioctl(dir, 0x800866a8, &zero) == 0 && zero == 4, "OSTs");
    ok(ioctl(dir, 0xc1406916, buf) == 0, "find --stripe-count: of a name");
    snprintf(path, sizeof(path), "%s/two", root);
    ok(stat(path, &st) == 0 && u32_at(buf, 0x10 + 32) == (uint32_t)st.st_ino &&
           u32_at(buf, 0x10 + 40) == (uint32_t)st.st_size,
       "its statx");
    ok(u32_at(buf, 0x118) == 80 && u32_at(buf, 0x120) == 0x0bd10bd0 &&
           u16_at(buf, 0x120 + 28) == 2,
       "and its layout");
    ok(ioctl(dir, 0xc1406917, buf) == 0 && u32_at(buf, 0x118) == 0,
       "find -type: of the directory, without default");
    strcpy(buf, "two");
    ok(ioctl(dir, 0xc0086916, buf) == 0 &&
           u16_at(buf, sizeof(struct stat) + 28) == 2,
       "the older form");
    strcpy(buf, "none");
    ok(ioctl(dir, 0xc1406916, buf) < 0 && errno == ENOENT, "a missing name");
    close(dir);
}

/* As it is packed for the kernel: type and index behind 576 bytes. */
static int obd_statfs(int dir, uint32_t type, uint32_t index, void *statfs,
                      char *uuid)
{
    char arg[0x250] = "";
    uint32_t len = sizeof(arg), version = 0x10004, n1 = 144, n2 = 40;

    memcpy(arg, &len, 4);
    memcpy(arg + 4, &version, 4);
    memcpy(arg + 480, &n1, 4);
    memcpy(arg + 488, &statfs, sizeof(statfs));
    memcpy(arg + 496, &n2, 4);
    memcpy(arg + 504, &uuid, sizeof(uuid));
    memcpy(arg + 576, &type, 4);
    memcpy(arg + 584, &index, 4);
    return ioctl(dir, 0xc00866a4, arg) < 0 ? -errno : 0;
}

static void df(const char *root)
{
    int dir = open_dir(root, "."), skipped = 0, found = 0, rc = 0;
    char space[144], uuid[40] = "";

    ok(obd_statfs(dir, 1, 0, space, uuid) == 0 && strstr(uuid, "-MDT0000_UUID"),
       "df: the MDT");
    for (uint32_t i = 0; i < 100 && rc != -ENODEV; i++) {
        rc = obd_statfs(dir, 2, i, space, uuid);
        found += rc == 0;
        skipped += rc == -EAGAIN;
    }
    ok(found == 4 && skipped == 60 && rc == -ENODEV,
       "4 OSTs, 60 empty slots, the end");
    ok(u32_at(space, 88) == 4096 && u32_at(space, 92) == 255 &&
           u32_at(space, 8) > 0,
       "block size, name length, blocks");
    ok(u32_at(space, 104) == 0x200, "no disks, as the real one says");
    ok(obd_statfs(dir, 0, 0, space, uuid) == -EINVAL, "no such kind");
    close(dir);
}

/* What the first line of the only match of a pattern says. */
static void read_param(const char *pattern, char *line, int size)
{
    glob_t g;
    FILE *f;

    line[0] = 0;
    if (glob(pattern, GLOB_BRACE, NULL, &g) != 0)
        return;
    f = g.gl_pathc == 1 ? fopen(g.gl_pathv[0], "r") : NULL;
    if (f && fgets(line, size, f))
        line[strcspn(line, "\n")] = 0;
    if (f)
        fclose(f);
    globfree(&g);
}

/* As liblustreapi asks, 2.17 and before. */
#define ANYWHERE "{{/proc,/sys}/fs/lustre,/sys/kernel/debug/{lnet,lustre}}"
#define SOMEWHERE "{/sys/fs/lustre,/sys/kernel/debug/lustre,/proc/fs/lustre}"

/* find: what the embedded Lustre keeps is not shown. */
static void entries(const char *root)
{
    DIR *dir = opendir(root);
    int seen = 0, own = 0;
    struct dirent *e;

    while (dir && (e = readdir(dir)) != NULL) {
        seen++;
        own += strcmp(e->d_name, ".lustre-sim") == 0;
    }
    if (dir)
        closedir(dir);
    ok(seen > 2 && own == 0, "a listing of the root");
}

static void osts(const char *root)
{
    char lov[128], lmv[128] = "", line[256], pattern[512], found[4096];
    FILE *f = setmntent("/proc/mounts", "r");
    int dir = open_dir(root, ".");
    struct mntent *m;

    found[0] = 0;
    while (f && (m = getmntent(f)) != NULL)
        if (strcmp(m->mnt_type, "lustre") == 0)
            snprintf(found, sizeof(found), "%s %s", m->mnt_fsname, m->mnt_dir);
    if (f)
        endmntent(f);
    ok(strstr(found, ":/lsim ") && strstr(found, root), "the mount table");
    memset(lov, 'x', sizeof(lov));
    ok(ioctl(dir, 0x8080667f, lov) == 0 && strstr(lov, "lsim-clilov-") == lov,
       "osts, getname: the lov device");
    ok(lov[40] == 'x', "in no more than the 40 bytes that lfs has for it");
    ok(ioctl(dir, 0x80806683, lmv) == 0 && strstr(lmv, "lsim-clilmv-") == lmv,
       "mdts: the lmv device");
    snprintf(pattern, sizeof(pattern), ANYWHERE "/lov/%s/target_obd", lov);
    read_param(pattern, line, sizeof(line));
    ok(strcmp(line, "0: lsim-OST0000_UUID ACTIVE") == 0, "its targets");
    snprintf(pattern, sizeof(pattern), SOMEWHERE "/lmv/%s/target_obd", lmv);
    read_param(pattern, line, sizeof(line));
    ok(strcmp(line, "0: lsim-MDT0000_UUID ACTIVE") == 0, "and the MDT");
    read_param("/sys/fs/lustre/lov/lsim-clilov-*/stripesize", line,
               sizeof(line));
    ok(strcmp(line, "4194304") == 0, "the default stripe size");
    read_param("/sys/fs/lustre/lov/lsim-clilov-*/pools/fix", line,
               sizeof(line));
    ok(strcmp(line, "lsim-OST0001_UUID") == 0, "pool_list: a pool's members");
    read_param("/sys/fs/lustre/version", line, sizeof(line));
    ok(strstr(line, "2.17") == line, "the version");
    read_param("/sys/fs/lustre/llite/lsim-*/hybrid_io", line, sizeof(line));
    ok(strcmp(line, getenv("LUSTRE_SIM_HYBRID_IO") ? "1" : "0") == 0,
       "hybrid I/O as it is here");
    snprintf(pattern, sizeof(pattern), "/sys/fs/lustre/lov/%s/pools", lov);
    ok(access(pattern, F_OK) == 0 && access("/sys/fs/lustre/none", F_OK) < 0,
       "access");
    close(dir);
}

static void identity(const char *root)
{
    struct {
        struct file_handle h;
        unsigned char room[32];
    } handle;
    unsigned char fid[16] = "";
    struct {
        uint64_t version;
        uint32_t layout, flags;
    } v = {0, 0, 1}, w = {0, 0, 1};
    char path[4096], lmv[48] = "";
    int fd, mount, index = 9;

    snprintf(path, sizeof(path), "%s/two", root);
    fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    handle.h.handle_bytes = 32;
    ok(name_to_handle_at(fd, "", &handle.h, &mount, AT_EMPTY_PATH) == 0 &&
           handle.h.handle_bytes == 32 && handle.h.handle_type == 151,
       "path2fid: a handle");
    close(fd);
    fd = open(path, O_RDWR);
    ok(ioctl(fd, 0x800866ad, fid) == 0 &&
           memcmp(fid, handle.h.f_handle, 16) == 0,
       "the same by the older ioctl");
    ok(ioctl(fd, 0x801066da, &v) == 0, "data_version");
    ok(pwrite(fd, "x", 1, 100) == 1 && ioctl(fd, 0x801066da, &w) == 0 &&
           v.version != w.version,
       "another one after a write");
    close(fd);
    fd = open_dir(root, ".");
    ok(ioctl(fd, 0xc03066f1, lmv) < 0 && errno == ENODATA, "getdirstripe");
    ok(ioctl(fd, 0x800466af, &index) == 0 && index == 0, "the MDT's index");
    ok(ioctl(fd, 0xc0086696, lmv) < 0 && errno == ENOTTY,
       "fid2path is refused");
    close(fd);
}

/* setstripe -c 3, as lfs opens and sets it; the kernel writes back. */
static void setstripe(const char *root)
{
    char path[4096];
    struct {
        uint32_t magic, pattern;
        uint64_t oi[2];
        uint32_t size;
        uint16_t count, offset;
    } lum = {0x0bd10bd0, 1, {0, 0}, 0, 3, 0xffff};
    int fd;

    snprintf(path, sizeof(path), "%s/new", root);
    fd = open(path, 0x2141, 0666);
    ok(fd >= 0 && ioctl(fd, 0x4008669a, &lum) == 0, "setstripe -c 3");
    ok(lum.size == 4194304 && lum.count == 3, "the layout made comes back");
    close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    getstripe(argv[1]);
    by_fid(argv[1]);
    pin(argv[1]);
    find(argv[1]);
    entries(argv[1]);
    df(argv[1]);
    osts(argv[1]);
    identity(argv[1]);
    setstripe(argv[1]);
    printf("1..%d\n", count);
    return failed != 0;
}
