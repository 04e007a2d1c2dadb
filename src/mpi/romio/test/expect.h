/* expect.h - checks for the MPI test programs
 *
 * A failed check names its place and ends the job at once: a test never hangs
 * because one rank gave up. main() returns 0 when it comes to its end.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include <dirent.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4), noreturn)) static inline void
expect_failed(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    int rank = -1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "%s:%d: rank %d: ", file, line, rank);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

#define EXPECT(cond)                                        \
    do {                                                    \
        if (!(cond))                                        \
            expect_failed(__FILE__, __LINE__, "%s", #cond); \
    } while (0)

/* Two integers of any kind. */
#define EXPECT_EQ(got, want)                                               \
    do {                                                                   \
        long long expect_g = (got), expect_w = (want);                     \
        if (expect_g != expect_w)                                          \
            expect_failed(__FILE__, __LINE__, "%s is %lld, not %s = %lld", \
                          #got, expect_g, #want, expect_w);                \
    } while (0)

static inline void expect_success(const char *file, int line, const char *call,
                                  int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &len);
    expect_failed(file, line, "%s: %s", call, text);
}

/* An MPI call that must succeed. */
#define MUST(call) expect_success(__FILE__, __LINE__, #call, (call))

/* Open descriptors of this process, and three more: what counts is whether the
 * number stays. */
static inline int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    EXPECT(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Memory of this process without System V segments: those are UCX's queues
 * between the ranks, whose pages come into use one by one for a long time. */
static inline long resident_kib(void)
{
    FILE *in = fopen("/proc/self/smaps", "r");
    char line[4400];
    unsigned long from, to;
    long kib, sum = 0;
    int counts = 0;

    EXPECT(in);
    while (fgets(line, sizeof(line), in))
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            counts = !strstr(line, " /SYSV");
        else if (counts && sscanf(line, "Rss: %ld", &kib) == 1)
            sum += kib;
    fclose(in);
    return sum;
}

static inline int class_of(int code)
{
    int errclass = MPI_ERR_UNKNOWN;

    MPI_Error_class(code, &errclass);
    return errclass;
}

#endif
