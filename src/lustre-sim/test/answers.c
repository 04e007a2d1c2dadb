/* answers.c - ask what a real Lustre was asked, print it in the same form
 *
 * Run below a simulated root of 4 OSTs with the pool "fix" = OSTs 1 and 2:
 *   answers DIR          the first two parts of answers.txt
 *   answers DIR NAME...  GETSTRIPE of files that are there
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sys/lustre_abi.h"

#define DELAY ADL_O_LOV_DELAY_CREATE
#define ROOM (80 * 1024)

/* How the file of a case comes to be. */
enum origin {
    FRESH,        /* created without objects */
    STRIPED,      /* has objects; plain open */
    STRIPED_LATE, /* has objects; opened with O_LOV_DELAY_CREATE */
    PLAIN,        /* created by a plain open */
    READONLY,     /* without objects, opened for reading */
    WRITEONLY,
    SAME,      /* the one of the case before */
    MKNOD,     /* mknod, plain open */
    MKNOD_LATE /* the same file, opened with O_LOV_DELAY_CREATE */
};

struct ask {
    const char *text;
    enum origin origin;
    uint32_t magic, pattern, size;
    uint16_t count, offset;
    const char *pool;
    int nosts;
    uint32_t osts[3];
};

#define V1 ADL_LOV_MAGIC_V1
#define V3 ADL_LOV_MAGIC_V3
#define SPEC ADL_LOV_MAGIC_SPECIFIC
#define M 1048576u
#define ANY 0xffff

static const struct ask asks[] = {
    {"V1 1M x4 on O_LOV_DELAY_CREATE file", FRESH, V1, 1, M, 4, ANY, 0, 0, {0}},
    {"V1 1M x4 on file with objects (plain4_1M)",
     STRIPED,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
    {"V1 1M x4 on file with objects, opened with O_LOV_DELAY_CREATE",
     STRIPED_LATE,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
    {"V1 on a file created by plain open(O_CREAT) (objects made)",
     PLAIN,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
    {"stripe size 1000", FRESH, V1, 1, 1000, 4, ANY, 0, 0, {0}},
    {"stripe size 65536+1", FRESH, V1, 1, 65537, 4, ANY, 0, 0, {0}},
    {"stripe size 96K", FRESH, V1, 1, 96 * 1024, 4, ANY, 0, 0, {0}},
    {"stripe size 32K", FRESH, V1, 1, 32 * 1024, 4, ANY, 0, 0, {0}},
    {"stripe size 4G-64K", FRESH, V1, 1, 4294901760u, 4, ANY, 0, 0, {0}},
    {"stripe size 0 count 0", FRESH, V1, 1, 0, 0, ANY, 0, 0, {0}},
    {"stripe count 5 on 4 OSTs", FRESH, V1, 1, M, 5, ANY, 0, 0, {0}},
    {"stripe count 2000 on 4 OSTs", FRESH, V1, 1, M, 2000, ANY, 0, 0, {0}},
    {"stripe count 2001 on 4 OSTs", FRESH, V1, 1, M, 2001, ANY, 0, 0, {0}},
    {"stripe count 65535 (-1)", FRESH, V1, 1, M, 65535, ANY, 0, 0, {0}},
    {"stripe offset 3 count 4", FRESH, V1, 1, M, 4, 3, 0, 0, {0}},
    {"stripe offset 4 (no such OST)", FRESH, V1, 1, M, 4, 4, 0, 0, {0}},
    {"stripe offset 100", FRESH, V1, 1, M, 4, 100, 0, 0, {0}},
    {"V1 pattern 0x200 (overstriping only) count 8",
     FRESH,
     V1,
     0x200,
     M,
     8,
     ANY,
     0,
     0,
     {0}},
    {"V1 pattern 0x201 (RAID0|OVERSTRIPING) count 8",
     FRESH,
     V1,
     0x201,
     M,
     8,
     ANY,
     0,
     0,
     {0}},
    {"V1 pattern 0x201 count 100", FRESH, V1, 0x201, M, 100, ANY, 0, 0, {0}},
    {"V1 pattern 0x201 count 130", FRESH, V1, 0x201, M, 130, ANY, 0, 0, {0}},
    {"V1 pattern 0x201 count 1000", FRESH, V1, 0x201, M, 1000, ANY, 0, 0, {0}},
    {"V1 pattern 0x201 count 2000", FRESH, V1, 0x201, M, 2000, ANY, 0, 0, {0}},
    {"V1 pattern 0x201 count 2001", FRESH, V1, 0x201, M, 2001, ANY, 0, 0, {0}},
    {"V1 pattern 0x1 count 4", FRESH, V1, 1, M, 4, ANY, 0, 0, {0}},
    {"V1 pattern 0x2 (RAID1) count 4", FRESH, V1, 2, M, 4, ANY, 0, 0, {0}},
    {"V1 pattern 0x80 count 4", FRESH, V1, 0x80, M, 4, ANY, 0, 0, {0}},
    {"V3 pool fix count 2", FRESH, V3, 1, M, 2, ANY, "fix", 0, {0}},
    {"V3 pool fix count 4 (pool has 2)",
     FRESH,
     V3,
     1,
     M,
     4,
     ANY,
     "fix",
     0,
     {0}},
    {"V3 unknown pool", FRESH, V3, 1, M, 2, ANY, "nosuch", 0, {0}},
    {"V3 empty pool name", FRESH, V3, 1, M, 2, ANY, "", 0, {0}},
    {"bad magic 0x12345678", FRESH, 0x12345678, 1, M, 4, ANY, 0, 0, {0}},
    {"SPECIFIC (0x0BD50BD0) osts 3,1,0",
     FRESH,
     SPEC,
     1,
     M,
     3,
     3,
     0,
     3,
     {3, 1, 0}},
    {"SPECIFIC osts 0,0 without overstriping",
     FRESH,
     SPEC,
     1,
     M,
     2,
     0,
     0,
     2,
     {0, 0}},
    {"SPECIFIC osts 0,0,1 with pattern 0x201",
     FRESH,
     SPEC,
     0x201,
     M,
     3,
     0,
     0,
     3,
     {0, 0, 1}},
    {"SPECIFIC osts 0,7", FRESH, SPEC, 1, M, 2, 0, 0, 2, {0, 7}},
    {"SETSTRIPE on O_RDONLY fd of object-less file",
     READONLY,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
    {"SETSTRIPE on O_WRONLY fd of object-less file",
     WRITEONLY,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
    {"first SETSTRIPE x2", FRESH, V1, 1, M, 2, ANY, 0, 0, {0}},
    {"second SETSTRIPE x4 on same file", SAME, V1, 1, M, 4, ANY, 0, 0, {0}},
    {"SETSTRIPE on mknod file, plain O_RDWR open",
     MKNOD,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
    {"SETSTRIPE on mknod file, O_LOV_DELAY_CREATE open",
     MKNOD_LATE,
     V1,
     1,
     M,
     4,
     ANY,
     0,
     0,
     {0}},
};

static void print_errno(int error)
{
    printf("errno %d %s", error,
           error == EEXIST    ? "EEXIST"
           : error == EINVAL  ? "EINVAL"
           : error == ENODATA ? "ENODATA"
           : error == EBADF   ? "EBADF"
           : error == ENOTTY  ? "ENOTTY"
                              : strerror(error));
}

/* What a program that knows only the plain forms sees in its buffer. */
static void print_get(int fd, uint32_t magic)
{
    unsigned char *buf = calloc(1, ROOM), *at;
    struct adl_lov_entry e;
    struct adl_lov_user u;

    memcpy(buf, &magic, sizeof(magic));
    if (ioctl(fd, ADL_IOC_LOV_GETSTRIPE, buf) != 0) {
        print_errno(errno);
        free(buf);
        return;
    }
    memcpy(&u, buf, sizeof(u));
    printf("magic 0x%08x pattern 0x%x size %u count %u off %u idx [", u.magic,
           u.pattern, u.stripe_size, u.stripe_count, u.stripe_offset);
    at = buf + sizeof(u) + (u.magic == V3 ? ADL_LOV_POOL_SIZE : 0);
    for (int i = 0; i < u.stripe_count && i < 16; i++, at += sizeof(e)) {
        memcpy(&e, at, sizeof(e));
        printf("%s%u", i ? ", " : "", e.ost);
    }
    printf("]");
    free(buf);
}

static void make_request(const struct ask *a, unsigned char *buf)
{
    struct adl_lov_user u = {.magic = a->magic,
                             .pattern = a->pattern,
                             .stripe_size = a->size,
                             .stripe_count = a->count,
                             .stripe_offset = a->offset};
    struct adl_lov_entry e = {0};

    memcpy(buf, &u, sizeof(u));
    buf += sizeof(u);
    if (a->pool)
        strcpy((char *)buf, a->pool);
    buf += ADL_LOV_POOL_SIZE;
    for (int i = 0; i < a->nosts; i++, buf += sizeof(e)) {
        e.ost = a->osts[i];
        memcpy(buf, &e, sizeof(e));
    }
}

static void stripe(const char *name)
{
    struct adl_lov_user u = {.magic = V1,
                             .pattern = 1,
                             .stripe_size = M,
                             .stripe_count = 4,
                             .stripe_offset = ANY};
    int fd = open(name, O_CREAT | O_RDWR | DELAY, 0644);

    ioctl(fd, ADL_IOC_LOV_SETSTRIPE, &u);
    close(fd);
}

static int open_case(const struct ask *a, const char *name, const char *before)
{
    switch (a->origin) {
    case FRESH:
        return open(name, O_CREAT | O_RDWR | DELAY, 0644);
    case STRIPED:
        stripe(name);
        return open(name, O_RDWR);
    case STRIPED_LATE:
        stripe(name);
        return open(name, O_RDWR | DELAY);
    case PLAIN:
        return open(name, O_CREAT | O_RDWR, 0644);
    case READONLY:
        close(open(name, O_CREAT | O_RDWR | DELAY, 0644));
        return open(name, O_RDONLY);
    case WRITEONLY:
        close(open(name, O_CREAT | O_RDWR | DELAY, 0644));
        return open(name, O_WRONLY | DELAY);
    case SAME:
        return open(before, O_RDWR);
    case MKNOD:
        mknod(name, S_IFREG | 0644, 0);
        return open(name, O_RDWR);
    default:
        mknod(name, S_IFREG | 0644, 0);
        return open(name, O_RDWR | DELAY);
    }
}

static void one_case(const struct ask *a, int i)
{
    unsigned char *buf = calloc(1, ROOM);
    char name[32], before[32];
    int fd;

    snprintf(name, sizeof(name), "case%d", i);
    snprintf(before, sizeof(before), "case%d", i - 1);
    fd = open_case(a, name, before);
    make_request(a, buf);
    printf("%-70s SETSTRIPE: ", a->text);
    if (fd < 0)
        print_errno(errno);
    else if (ioctl(fd, ADL_IOC_LOV_SETSTRIPE, buf) == 0)
        printf("OK");
    else
        print_errno(errno);
    printf(" ; then GETSTRIPE: ");
    print_get(fd, V1);
    printf("\n");
    close(fd);
    free(buf);
}

static void result(const char *what, ssize_t rc)
{
    printf("  %s: ", what);
    if (rc < 0)
        print_errno(errno);
    else if (strcmp(what, "write") == 0 || strstr(what, "via"))
        printf("%zd", rc);
    else
        printf("None");
    printf("\n");
}

/* A file that was never given a layout. */
static void fresh_file(void)
{
    int fd = open("nolov", O_CREAT | O_RDWR | DELAY, 0644), other;
    struct stat st;
    char buf[10] = "";

    printf("fresh O_LOV_DELAY_CREATE file GETSTRIPE: ");
    print_get(fd, V1);
    printf("\n  read 10 bytes: b'%.*s'\n", (int)read(fd, buf, 10), buf);
    fstat(fd, &st);
    printf("  fstat size %lld blocks %lld\n", (long long)st.st_size,
           (long long)st.st_blocks);
    result("write", write(fd, "0123456789", 10));
    result("ftruncate(100)", ftruncate(fd, 100));
    result("fsync", fsync(fd));
    printf("  GETSTRIPE afterwards: ");
    print_get(fd, V1);
    other = open("nolov", O_RDWR);
    printf("\n  after a second plain open(O_RDWR): GETSTRIPE via new fd: ");
    print_get(other, V1);
    printf(" ; via old fd: ");
    print_get(fd, V1);
    printf("\n");
    result("write via old fd", write(fd, "0123456789", 10));
    result("write via new fd", write(other, "0123456789", 10));
    close(fd);
    close(other);
}

static void read_only_file(void)
{
    char buf[10] = "";
    int fd;

    close(open("nolov2", O_CREAT | O_RDWR | DELAY, 0644));
    fd = open("nolov2", O_RDONLY);
    printf("object-less file opened O_RDONLY: GETSTRIPE ");
    print_get(fd, V1);
    printf("\n  read: b'%.*s'\n", (int)read(fd, buf, 10), buf);
    close(fd);
    fd = open("nolov2", O_RDWR);
    printf("object-less file then opened O_RDWR: GETSTRIPE ");
    print_get(fd, V1);
    printf("\n");
    close(fd);
}

static void named(const char *name)
{
    int fd = open(name, O_RDONLY);

    printf("GETSTRIPE %-14s in V1: ", name);
    print_get(fd, V1);
    printf(" | in V3: ");
    print_get(fd, V3);
    printf(" | in 0 magic: ");
    print_get(fd, 0);
    printf("\n");
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    for (int i = 2; i < argc; i++)
        named(argv[i]);
    if (argc > 2)
        return 0;
    for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
        one_case(&asks[i], (int)i);
    fresh_file();
    read_only_file();
    return 0;
}
