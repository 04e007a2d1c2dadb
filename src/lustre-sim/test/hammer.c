/* hammer.c - I/O of one rank, without MPI: write, verify, hammer, stream
 *
 *   hammer write FILE RANK RANKS BLOCK COUNT   blocks in turn with the others
 *   hammer verify FILE RANKS BLOCK COUNT       what all of them wrote
 *   hammer forever FILE SEED                   all kinds of calls, until killed
 *   hammer stream FILE MIB                     contiguous; prints seconds
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "sys/lustre_abi.h"

#define MIB (1L << 20)

static int do_write(const char *name, int rank, int ranks, long block,
                    long count)
{
    int fd = open(name, O_CREAT | O_RDWR, 0644);
    char *buf = malloc(block);

    memset(buf, 'A' + rank % 26, block);
    for (long i = 0; i < count; i++)
        if (pwrite(fd, buf, block, (i * ranks + rank) * block) != block) {
            perror("hammer: pwrite");
            return 1;
        }
    free(buf);
    return close(fd) ? 1 : 0;
}

static int do_verify(const char *name, int ranks, long block, long count)
{
    int fd = open(name, O_RDONLY);
    char *buf = malloc(block), *want = malloc(block);

    for (long i = 0; i < count * ranks; i++) {
        memset(want, 'A' + (int)(i % ranks) % 26, block);
        if (pread(fd, buf, block, i * block) != block ||
            memcmp(buf, want, block) != 0) {
            fprintf(stderr, "hammer: block %ld is wrong\n", i);
            return 1;
        }
    }
    free(buf);
    free(want);
    return close(fd) ? 1 : 0;
}

static void lock_ahead(int fd, long off)
{
    struct {
        struct adl_ladvise_head h;
        struct adl_ladvise a;
    } x = {.h = {.magic = ADL_LADVISE_MAGIC, .count = 1},
           .a = {.advice = ADL_LADVISE_LOCKAHEAD,
                 .mode = ADL_LADVISE_MODE_WRITE,
                 .flags = ADL_LADVISE_F_ASYNC,
                 .start = off,
                 .end = off + 65535}};

    ioctl(fd, ADL_IOC_LADVISE, &x);
}

static void any_call(int fd, char *buf, long off)
{
    switch (rand() % 16) {
    case 0:
        fsync(fd);
        break;
    case 1:
        lock_ahead(fd, off);
        break;
    case 2:
        if (ioctl(fd, ADL_IOC_GROUP_LOCK, 5L) == 0) {
            if (pwrite(fd, buf, 65536, off) < 0)
                perror("hammer: pwrite");
            ioctl(fd, ADL_IOC_GROUP_UNLOCK, 5L);
        }
        break;
    case 3:
    case 4:
    case 5:
        if (pread(fd, buf, 65536, off) < 0)
            perror("hammer: pread");
        break;
    default:
        if (pwrite(fd, buf, 65536, off) < 0)
            perror("hammer: pwrite");
    }
}

static int do_forever(const char *name, unsigned seed)
{
    static char buf[65536];

    srand(seed);
    for (;;) {
        int fd = open(name, O_CREAT | O_RDWR, 0644);

        if (fd < 0)
            return 1;
        for (int i = 0; i < 50; i++)
            any_call(fd, buf, rand() % 256 * 65536L);
        close(fd);
    }
}

static int do_stream(const char *name, long mib)
{
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    char *buf = malloc(4 * MIB);
    struct timespec a, b;

    memset(buf, 's', 4 * MIB);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < mib; i += 4)
        if (pwrite(fd, buf, 4 * MIB, i * MIB) != 4 * MIB)
            return 1;
    if (fsync(fd) || close(fd))
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.3f\n",
           (double)(b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9);
    free(buf);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 7 && strcmp(argv[1], "write") == 0)
        return do_write(argv[2], atoi(argv[3]), atoi(argv[4]), atol(argv[5]),
                        atol(argv[6]));
    if (argc == 6 && strcmp(argv[1], "verify") == 0)
        return do_verify(argv[2], atoi(argv[3]), atol(argv[4]), atol(argv[5]));
    if (argc == 4 && strcmp(argv[1], "forever") == 0)
        return do_forever(argv[2], atoi(argv[3]));
    if (argc == 4 && strcmp(argv[1], "stream") == 0)
        return do_stream(argv[2], atol(argv[3]));
    return 2;
}
