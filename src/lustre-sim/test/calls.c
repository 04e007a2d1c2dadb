/* calls.c - every call the simulator sees, from inside a program; TAP
 *
 *   calls all DIR      run below the root: what each call answers
 *   calls count DIR    write and read 1 MiB through each variant, to be
 *                      compared with the servers' counters
 *   calls inherited    descriptor 3 came through exec
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "core/layout/layout.h"
#include "sys/lustre_abi.h"
#include "../abi.h"

#define MIB (1 << 20)

static int tests, failures;

static void ok(int good, const char *text)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tests, text);
    if (!good) {
        failures++;
        printf("# errno %d %s\n", errno, strerror(errno));
    }
    fflush(stdout);
}

static int is_lustre(int fd)
{
    struct statfs fs;

    return fstatfs(fd, &fs) == 0 && fs.f_type == ADL_LUSTRE_SUPER_MAGIC;
}

/* Stripe count by the xattr, or -errno. */
static int stripes(int fd)
{
    char buf[ADL_LAYOUT_BLOB_MAX];
    struct adl_layout *l;
    ssize_t n = fgetxattr(fd, ADL_LUSTRE_XATTR, buf, sizeof(buf));
    int count;

    if (n < 0)
        return -errno;
    if (adl_layout_decode(buf, n, NULL, &l, NULL))
        return -EINVAL;
    count = adl_layout_component(l, 0)->stripe_count;
    adl_layout_destroy(l);
    return count;
}

static int create_striped(const char *name, int count)
{
    struct adl_lov_user u = {.magic = ADL_LOV_MAGIC_V1,
                             .pattern = 1,
                             .stripe_size = MIB,
                             .stripe_count = count,
                             .stripe_offset = 0xffff};
    int fd = open(name, O_CREAT | O_RDWR | ADL_O_LOV_DELAY_CREATE, 0644);

    if (ioctl(fd, ADL_IOC_LOV_SETSTRIPE, &u) != 0)
        return -1;
    return fd;
}

/* ---- opening ---- */

static void test_open(void)
{
    struct statfs fs;
    struct stat st;
    FILE *f;
    DIR *d;
    int fd, dir;

    fd = open("a", O_CREAT | O_RDWR | O_TRUNC, 0640);
    ok(fd >= 0 && is_lustre(fd) && stripes(fd) == 1, "open creates objects");
    ok(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0640, "mode is kept");
    ok(st.st_blksize == 4 << 20, "st_blksize is Lustre's");
    close(fd);
    fd = creat("b", 0644);
    ok(fd >= 0 && is_lustre(fd) && stripes(fd) == 1, "creat");
    close(fd);
    dir = open(".", O_RDONLY | O_DIRECTORY);
    fd = openat(dir, "c", O_CREAT | O_WRONLY, 0644);
    ok(fd >= 0 && is_lustre(fd) && stripes(fd) == 1, "openat");
    close(fd);
    ok(is_lustre(dir), "a directory's descriptor");
    close(dir);
    f = fopen("d", "w");
    ok(f && is_lustre(fileno(f)) && stripes(fileno(f)) == 1, "fopen");
    fputs("text", f);
    ok(fclose(f) == 0 && stat("d", &st) == 0 && st.st_size == 4, "fclose");
    d = opendir(".");
    ok(d && is_lustre(dirfd(d)), "opendir");
    closedir(d);
    ok(statfs("a", &fs) == 0 && fs.f_type == ADL_LUSTRE_SUPER_MAGIC, "statfs");
    ok(statfs("/", &fs) == 0 && fs.f_type != ADL_LUSTRE_SUPER_MAGIC,
       "statfs elsewhere");
    ok(symlink("a", "link") == 0 && (fd = open("link", O_RDONLY)) >= 0 &&
           is_lustre(fd),
       "through a symbolic link");
    close(fd);
    ok(open("nosuch", O_RDONLY) < 0 && errno == ENOENT, "ENOENT");
    fd = open("/proc/self/maps", O_RDONLY);
    ok(fd >= 0 && !is_lustre(fd), "a file elsewhere is left alone");
    ok(ioctl(fd, ADL_IOC_LOV_GETSTRIPE, &st) < 0 && errno == ENOTTY,
       "ioctl elsewhere: ENOTTY");
    ok(fgetxattr(fd, ADL_LUSTRE_XATTR, &st, sizeof(st)) < 0 && errno == ENOTSUP,
       "xattr elsewhere: ENOTSUP");
    close(fd);
}

/* ---- reading and writing ---- */

static int check_bytes(const char *name, const char *want)
{
    char buf[64] = "";
    int fd = open(name, O_RDONLY);
    ssize_t n = read(fd, buf, sizeof(buf) - 1);

    close(fd);
    return n == (ssize_t)strlen(want) && strcmp(buf, want) == 0;
}

static void test_write(void)
{
    struct iovec v[2] = {{"gh", 2}, {"ij", 2}};
    struct aiocb cb = {.aio_buf = "op", .aio_nbytes = 2, .aio_offset = 14};
    const struct aiocb *wait_for[] = {&cb};
    int fd = open("w", O_CREAT | O_RDWR | O_TRUNC, 0644);

    ok(write(fd, "ab", 2) == 2 && write(fd, "cd", 2) == 2, "write");
    ok(pwrite(fd, "ef", 2, 4) == 2, "pwrite");
    ok(lseek(fd, 0, SEEK_CUR) == 4, "pwrite leaves the position");
    ok(lseek(fd, 6, SEEK_SET) == 6 && writev(fd, v, 2) == 4, "writev");
    v[0].iov_base = "kl";
    v[1].iov_base = "mn";
    ok(pwritev(fd, v, 2, 10) == 4, "pwritev");
    cb.aio_fildes = fd;
    ok(aio_write(&cb) == 0 && aio_suspend(wait_for, 1, NULL) == 0 &&
           aio_return(&cb) == 2,
       "aio_write");
    v[0].iov_base = "qr";
    ok(pwritev2(fd, v, 1, 16, 0) == 2, "pwritev2");
    ok(lseek(fd, 0, SEEK_END) == 18, "lseek to the end");
    close(fd);
    ok(check_bytes("w", "abcdefghijklmnopqr"), "bytes are right");
    fd = open("w", O_WRONLY | O_APPEND);
    ok(write(fd, "st", 2) == 2, "O_APPEND");
    close(fd);
    ok(check_bytes("w", "abcdefghijklmnopqrst"), "appended");
    fd = open("w", O_RDONLY);
    ok(write(fd, "x", 1) < 0 && errno == EBADF, "write to O_RDONLY: EBADF");
    close(fd);
}

static void test_read(void)
{
    char a[3] = "", b[3] = "";
    struct iovec v[2] = {{a, 2}, {b, 2}};
    struct aiocb cb = {.aio_buf = a, .aio_nbytes = 2, .aio_offset = 4};
    const struct aiocb *wait_for[] = {&cb};
    int fd = open("w", O_RDONLY);

    ok(read(fd, a, 2) == 2 && strcmp(a, "ab") == 0, "read");
    ok(pread(fd, a, 2, 2) == 2 && strcmp(a, "cd") == 0, "pread");
    ok(readv(fd, v, 2) == 4 && strcmp(b, "ef") == 0, "readv");
    ok(preadv(fd, v, 2, 8) == 4 && strcmp(b, "kl") == 0, "preadv");
    ok(preadv2(fd, v, 2, 10, 0) == 4 && strcmp(b, "mn") == 0, "preadv2");
    cb.aio_fildes = fd;
    ok(aio_read(&cb) == 0 && aio_suspend(wait_for, 1, NULL) == 0 &&
           aio_return(&cb) == 2 && strcmp(a, "ef") == 0,
       "aio_read");
    ok(pread(fd, a, 2, 1000) == 0, "read past the end");
    ok(pread(fd, a, 2, -1) < 0 && errno == EINVAL, "negative offset");
    close(fd);
}

static void test_elsewhere(void)
{
    char buf[16];
    int fd = open("w", O_RDWR), out = open("copy", O_CREAT | O_RDWR, 0644);
    int p[2];

    ok(copy_file_range(fd, NULL, out, NULL, 4, 0) < 0 && errno == EXDEV,
       "copy_file_range: EXDEV");
    ok(sendfile(out, fd, NULL, 4) < 0 && errno == EINVAL, "sendfile: EINVAL");
    ok(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
           errno == ENODEV,
       "mmap: ENODEV");
    ok(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
           MAP_FAILED,
       "anonymous mmap");
    close(fd);
    close(out);
    ok(pipe(p) == 0 && write(p[1], "hello", 5) == 5 &&
           read(p[0], buf, sizeof(buf)) == 5,
       "a pipe that got the numbers of closed files");
    close(p[0]);
    close(p[1]);
}

static void test_size(void)
{
    struct stat st;
    int fd = create_striped("size", 4);

    ok(ftruncate(fd, 10 * MIB) == 0 && fstat(fd, &st) == 0 &&
           st.st_size == 10 * MIB,
       "ftruncate lengthens");
    ok(truncate("size", 5) == 0 && stat("size", &st) == 0 && st.st_size == 5,
       "truncate");
    ok(posix_fallocate(fd, 0, MIB) == 0 && lstat("size", &st) == 0 &&
           st.st_size == MIB,
       "posix_fallocate");
    ok(fallocate(fd, 0, MIB, MIB) == 0 && fstat(fd, &st) == 0 &&
           st.st_size == 2 * MIB,
       "fallocate");
    ok(fsync(fd) == 0 && fdatasync(fd) == 0, "fsync, fdatasync");
    ok(ftruncate(fd, -1) < 0 && errno == EINVAL, "negative size");
    close(fd);
}

/* ---- descriptors ---- */

static void test_dup(void)
{
    int fd = create_striped("dup", 2), a, b, c, d;

    a = dup(fd);
    b = dup2(fd, 200);
    c = dup3(fd, 2000, O_CLOEXEC);
    d = fcntl(fd, F_DUPFD, 300);
    ok(stripes(a) == 2 && b == 200 && stripes(b) == 2, "dup, dup2");
    ok(c == 2000 && stripes(c) == 2 && d >= 300 && stripes(d) == 2,
       "dup3, F_DUPFD");
    close(fd);
    ok(ioctl(a, ADL_IOC_GROUP_LOCK, 7L) == 0, "group lock on one");
    ok(ioctl(b, ADL_IOC_GROUP_LOCK, 7L) < 0 && errno == EINVAL,
       "the others share it");
    ok(ioctl(c, ADL_IOC_GROUP_UNLOCK, 7L) == 0, "and can let go");
    ok(ioctl(c, ADL_IOC_GROUP_UNLOCK, 7L) < 0 && errno == EINVAL, "but once");
    ok(ioctl(c, ADL_IOC_GROUP_LOCK, 0L) < 0 && errno == EINVAL, "gid 0");
    ok(close_range(200, 2000, 0) == 0 && fcntl(b, F_GETFD) < 0, "close_range");
    ok(write(a, "x", 1) == 1, "the first still works");
    close(a);
}

static void test_fork(const char *self)
{
    int fd = create_striped("fork", 2), status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        int good = stripes(fd) == 2 && pwrite(fd, "child", 5, 0) == 5;

        close(fd);
        _exit(good ? 0 : 1);
    }
    ok(waitpid(pid, &status, 0) == pid && status == 0, "fork: the child");
    ok(pwrite(fd, "parent", 6, 8) == 6, "fork: the parent");
    pid = fork();
    if (pid == 0) {
        dup2(fd, 3);
        execl(self, self, "inherited", (char *)NULL);
        _exit(9);
    }
    ok(waitpid(pid, &status, 0) == pid && status == 0,
       "exec: the descriptor is known there");
    pid = vfork();
    if (pid == 0) {
        close(fd);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    ok(stripes(fd) == 2 && ioctl(fd, ADL_IOC_GROUP_LOCK, 3L) == 0,
       "vfork: a child's close is the child's");
    close(fd);
}

static int inherited(void)
{
    struct adl_lov_user u = {.magic = ADL_LOV_MAGIC_V1};

    if (ioctl(3, ADL_IOC_LOV_GETSTRIPE, &u) != 0 || u.stripe_count != 2)
        return 1;
    return pwrite(3, "exec", 4, 100) == 4 ? 0 : 2;
}

/* ---- threads ---- */

struct job {
    int i;
    int bad;
};

static void *thread(void *arg)
{
    struct job *j = arg;
    char name[16], buf[4096];
    int fd;

    memset(buf, j->i, sizeof(buf));
    for (int k = 0; k < 100; k++) {
        snprintf(name, sizeof(name), "t%d", (j->i + k) % 4);
        fd = open(name, O_CREAT | O_RDWR, 0644);
        if (fd < 0 || pwrite(fd, buf, sizeof(buf), j->i * 4096L) != 4096 ||
            pread(fd, buf, sizeof(buf), j->i * 4096L) != 4096 || buf[7] != j->i)
            j->bad++;
        close(fd);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t t[8];
    struct job j[8];
    int bad = 0;

    for (int i = 0; i < 8; i++) {
        j[i] = (struct job){.i = i};
        pthread_create(&t[i], NULL, thread, &j[i]);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], NULL);
        bad += j[i].bad;
    }
    ok(bad == 0, "8 threads open, write, read and close 4 files");
}

/* ---- names and attributes ---- */

static void test_xattr(void)
{
    struct adl_lov_user u = {.magic = ADL_LOV_MAGIC_V1,
                             .pattern = 1,
                             .stripe_size = 2 * MIB,
                             .stripe_count = 3,
                             .stripe_offset = 0xffff};
    char buf[ADL_LAYOUT_BLOB_MAX], names[512];
    ssize_t n;
    int fd;

    ok(mkdir("dir", 0755) == 0 &&
           getxattr("dir", ADL_LUSTRE_XATTR, buf, sizeof(buf)) < 0 &&
           errno == ENODATA,
       "a directory without a default: ENODATA");
    ok(setxattr("dir", ADL_LUSTRE_XATTR, &u, sizeof(u), 0) == 0, "setxattr");
    ok(lgetxattr("dir", ADL_LUSTRE_XATTR, buf, sizeof(buf)) == sizeof(u) &&
           memcmp(buf, &u, sizeof(u)) == 0,
       "lgetxattr gives it back");
    fd = open("dir/f", O_CREAT | O_RDWR, 0644);
    ok(stripes(fd) == 3, "a file inherits it");
    ok(fsetxattr(fd, ADL_LUSTRE_XATTR, &u, sizeof(u), 0) == 0,
       "fsetxattr on it: nothing happens");
    close(fd);
    ok(mkdir("dir/sub", 0755) == 0 &&
           getxattr("dir/sub", ADL_LUSTRE_XATTR, NULL, 0) == sizeof(u),
       "so does a directory");
    n = listxattr("dir/f", names, sizeof(names));
    ok(n > 0 && memmem(names, n, ADL_LUSTRE_XATTR, 11) &&
           !memmem(names, n, "lustre_sim", 10),
       "listxattr");
    ok(getxattr("dir/f", ADL_LUSTRE_XATTR, buf, 10) < 0 && errno == ERANGE,
       "ERANGE");
    n = getxattr("dir", SIM_XATTR_OSTS, buf, sizeof(buf));
    ok(n == 1 && buf[0] == '4', "lustre.sim.osts");
    ok(removexattr("dir", ADL_LUSTRE_XATTR) == 0 &&
           getxattr("dir", ADL_LUSTRE_XATTR, buf, sizeof(buf)) < 0,
       "removexattr");
    fd = open("xdelay", O_CREAT | O_RDWR | ADL_O_LOV_DELAY_CREATE, 0644);
    ok(fsetxattr(fd, ADL_LUSTRE_XATTR, &u, sizeof(u), 0) == 0 &&
           stripes(fd) == 3 && write(fd, "x", 1) == 1,
       "fsetxattr on a file without objects");
    close(fd);
}

static void test_names(void)
{
    struct stat st;
    int fd = create_striped("from", 3);

    close(fd);
    ok(rename("from", "to") == 0 && (fd = open("to", O_RDONLY)) >= 0 &&
           stripes(fd) == 3,
       "rename takes the layout along");
    close(fd);
    ok(link("to", "hard") == 0 && unlink("to") == 0 &&
           (fd = open("hard", O_RDONLY)) >= 0 && stripes(fd) == 3,
       "another name keeps it");
    ok(unlink("hard") == 0 && stripes(fd) == 3, "an open file without name");
    close(fd);
    fd = open("hard", O_CREAT | O_RDWR, 0644);
    ok(stripes(fd) == 1, "a new file of the name has a new layout");
    close(fd);
    ok(remove("hard") == 0 && stat("hard", &st) < 0, "remove");
}

/* ---- ioctls ---- */

static int advise(int fd, int advice, int flags, uint64_t start, uint64_t end,
                  int *result)
{
    struct {
        struct adl_ladvise_head h;
        struct adl_ladvise a;
    } x = {.h = {.magic = ADL_LADVISE_MAGIC, .count = 1},
           .a = {.advice = advice,
                 .mode = ADL_LADVISE_MODE_WRITE,
                 .flags = flags,
                 .start = start,
                 .end = end,
                 .result = 99}};
    int rc = ioctl(fd, ADL_IOC_LADVISE, &x);

    *result = (int)x.a.result;
    return rc;
}

static void test_ioctl(void)
{
    int fd = create_striped("ioctl", 4), result, n = 0;

    ok(advise(fd, ADL_LADVISE_LOCKAHEAD, ADL_LADVISE_F_ASYNC, 0, 65535,
              &result) == 0 &&
           result == 0,
       "lockahead is sent");
    ok(advise(fd, ADL_LADVISE_LOCKAHEAD, 0, 10, 10, &result) < 0 &&
           errno == EINVAL,
       "an empty extent: EINVAL");
    ok(advise(fd, ADL_LADVISE_LOCKNOEXPAND, 0, 0, 0, &result) == 0 &&
           result == 99,
       "locknoexpand leaves the result alone");
    ok(advise(fd, 77, 0, 0, 100, &result) < 0 && errno == EOPNOTSUPP,
       "unknown advice: EOPNOTSUPP");
    ok(ioctl(fd, FIONREAD, &n) == 0, "FIONREAD passes");
    ok(!isatty(fd), "isatty passes");
    ok(ioctl(fd, _IOW('f', 99, long), &n) < 0 && errno == ENOTTY,
       "an unknown ioctl: ENOTTY");
    close(fd);
}

static int all(const char *dir, const char *self)
{
    if (chdir(dir) != 0)
        return 2;
    test_open();
    test_write();
    test_read();
    test_elsewhere();
    test_size();
    test_dup();
    test_fork(self);
    test_threads();
    test_xattr();
    test_names();
    test_ioctl();
    printf("1..%d\n", tests);
    return failures != 0;
}

/* ---- counting ---- */

static int count(const char *dir)
{
    char *buf = malloc(MIB);
    struct iovec v[2] = {{buf, MIB / 2}, {buf + MIB / 2, MIB / 2}};
    ssize_t n = 0;
    int fd;

    memset(buf, 'x', MIB);
    if (chdir(dir) != 0)
        return 2;
    fd = open("count", O_RDWR);
    n += write(fd, buf, MIB);
    n += pwrite(fd, buf, MIB, 1L * MIB);
    lseek(fd, 2L * MIB, SEEK_SET);
    n += writev(fd, v, 2);
    n += pwritev(fd, v, 2, 3L * MIB);
    n += pwritev2(fd, v, 2, 4L * MIB, 0);
    if (fsync(fd) != 0)
        return 1;
    lseek(fd, 0, SEEK_SET);
    n += read(fd, buf, MIB);
    n += pread(fd, buf, MIB, 1L * MIB);
    lseek(fd, 2L * MIB, SEEK_SET);
    n += readv(fd, v, 2);
    n += preadv(fd, v, 2, 3L * MIB);
    n += preadv2(fd, v, 2, 4L * MIB, 0);
    close(fd);
    free(buf);
    return n == 10L * MIB ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "all") == 0)
        return all(argv[2], realpath(argv[0], NULL));
    if (argc == 3 && strcmp(argv[1], "count") == 0)
        return count(argv[2]);
    if (argc == 2 && strcmp(argv[1], "inherited") == 0)
        return inherited();
    return 2;
}
