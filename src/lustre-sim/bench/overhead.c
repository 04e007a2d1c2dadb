/* overhead.c - what lustre-sim adds to a 1 MiB pwrite
 *
 *   overhead PLAIN SIM COUNT    run under lustre-sim, SIM below its root
 *
 * Rewrites two files of 64 MiB in turn, call by call, so that both see the
 * same machine: PLAIN by the bare system call, which is not intercepted, SIM
 * by pwrite. Prints the median of either in microseconds, and the ratio.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MIB (1L << 20)
#define FILE_MIB 64

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *us, int count)
{
    qsort(us, count, sizeof(*us), compare);
    return us[count / 2];
}

static ssize_t bare(int fd, const void *buf, size_t n, off_t off)
{
    return syscall(SYS_pwrite64, fd, buf, n, off);
}

typedef ssize_t (*write_fn)(int fd, const void *buf, size_t n, off_t off);

static double timed(write_fn fn, int fd, const char *buf, int i)
{
    double start = now_us();

    if (fn(fd, buf, MIB, i % FILE_MIB * MIB) != MIB) {
        perror("overhead: pwrite");
        exit(1);
    }
    return now_us() - start;
}

int main(int argc, char **argv)
{
    int plain, sim, count = argc == 4 ? atoi(argv[3]) : 0;
    double *a = calloc(count + FILE_MIB, sizeof(*a));
    double *b = calloc(count + FILE_MIB, sizeof(*b));
    char *buf = malloc(MIB);

    plain = argc == 4 ? open(argv[1], O_CREAT | O_RDWR, 0644) : -1;
    sim = argc == 4 ? open(argv[2], O_CREAT | O_RDWR, 0644) : -1;
    if (plain < 0 || sim < 0 || count < 1 || !a || !b || !buf)
        return 2;
    memset(buf, 'x', MIB);
    for (int i = 0; i < count + FILE_MIB; i++) {
        a[i] = timed(bare, plain, buf, i);
        b[i] = timed(pwrite, sim, buf, i);
    }
    /* The first round allocates. */
    printf("%.2f %.2f", median(a + FILE_MIB, count),
           median(b + FILE_MIB, count));
    printf(" %.4f\n", b[FILE_MIB + count / 2] / a[FILE_MIB + count / 2]);
    free(a);
    free(b);
    free(buf);
    return close(plain) || close(sim);
}
