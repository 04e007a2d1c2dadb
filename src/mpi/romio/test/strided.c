/* strided.c - every rank writes strided blocks, together or each its own file
 *
 * Block i of rank r of P lies at (i * P + r) * block: the pattern of the
 * lockahead paper's IOR runs. Collectively, `count` blocks a call; or, with
 * -f, the same bytes by pwrite to a file for each rank. The time is that of
 * writing and fsync. Hints are given as key=value after the file's name. With
 * -v P nothing is written: a file of P ranks is compared with what it should
 * hold.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    const char *file;
    MPI_Info info;
    int rank, size;
    int64_t block;
    int count; /* blocks a call and rank */
    int calls;
    int apart; /* a file for each rank */
    int check; /* only compare a file that so many ranks have written */
};

static void die(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int len;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &len);
    fprintf(stderr, "%s: %s\n", what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What belongs at a word of the file. */
static uint64_t word_at(int64_t index)
{
    return (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* The blocks of one call. */
static void fill(const struct job *j, int call, uint64_t *buf)
{
    int64_t words = j->block / 8;

    for (int i = 0; i < j->count; i++) {
        int64_t nr = (int64_t)(call * j->count + i) * j->size + j->rank;

        for (int64_t w = 0; w < words; w++)
            buf[i * words + w] = word_at(nr * words + w);
    }
}

static double write_together(const struct job *j, uint64_t *buf)
{
    MPI_Datatype vector, view;
    MPI_File fh;
    double t;

    MPI_Type_vector(j->count, (int)j->block, (int)j->block * j->size, MPI_BYTE,
                    &vector);
    MPI_Type_create_resized(vector, 0, j->block * j->size * j->count, &view);
    MPI_Type_commit(&view);
    must(MPI_File_open(MPI_COMM_WORLD, j->file,
                       MPI_MODE_CREATE | MPI_MODE_WRONLY, j->info, &fh),
         "open");
    must(MPI_File_set_view(fh, j->rank * j->block, MPI_BYTE, view, "native",
                           MPI_INFO_NULL),
         "set_view");
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime();
    for (int call = 0; call < j->calls; call++) {
        fill(j, call, buf);
        must(MPI_File_write_all(fh, buf, (int)(j->block * j->count), MPI_BYTE,
                                MPI_STATUS_IGNORE),
             "write_all");
    }
    must(MPI_File_sync(fh), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime() - t;
    must(MPI_File_close(&fh), "close");
    MPI_Type_free(&view);
    MPI_Type_free(&vector);
    return t;
}

static double write_apart(const struct job *j, uint64_t *buf)
{
    char name[4096];
    int64_t off = 0;
    double t;
    int fd;

    snprintf(name, sizeof(name), "%s.%d", j->file, j->rank);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0)
        die(name);
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime();
    for (int call = 0; call < j->calls; call++) {
        fill(j, call, buf);
        for (int i = 0; i < j->count; i++, off += j->block)
            if (pwrite(fd, (char *)buf + i * j->block, j->block, off) !=
                j->block)
                die("pwrite");
    }
    if (fsync(fd))
        die("fsync");
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime() - t;
    close(fd);
    return t;
}

static void verify(const struct job *j, uint64_t *buf)
{
    int64_t words = j->block / 8, n = (int64_t)j->calls * j->count * j->check;
    int fd = open(j->file, O_RDONLY);

    if (fd < 0)
        die(j->file);
    for (int64_t i = 0; i < n; i++) {
        if (pread(fd, buf, j->block, i * j->block) != j->block)
            die("short file");
        for (int64_t w = 0; w < words; w++)
            if (buf[w] != word_at(i * words + w)) {
                fprintf(stderr, "wrong bytes at %lld\n",
                        (long long)(i * j->block + w * 8));
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
    }
    close(fd);
}

static void add_hint(struct job *j, char *text)
{
    char *value = strchr(text, '=');

    if (!value) {
        fprintf(stderr, "strided: '%s' is no key=value\n", text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    *value++ = 0;
    MPI_Info_set(j->info, text, value);
}

static void parse(struct job *j, int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "b:n:c:fv:")) != -1)
        switch (c) {
        case 'b':
            j->block = strtoll(optarg, NULL, 10) * 1024;
            break;
        case 'n':
            j->count = (int)strtol(optarg, NULL, 10);
            break;
        case 'c':
            j->calls = (int)strtol(optarg, NULL, 10);
            break;
        case 'f':
            j->apart = 1;
            break;
        case 'v':
            j->check = (int)strtol(optarg, NULL, 10);
            break;
        default:
            optind = argc;
        }
    if (optind >= argc || j->block < 8 || j->count < 1 || j->calls < 1) {
        fprintf(stderr, "usage: strided [-b KiB] [-n blocks a call] [-c calls] "
                        "[-f] [-v ranks] FILE [hint=value]...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    j->file = argv[optind++];
    while (optind < argc)
        add_hint(j, argv[optind++]);
}

static void write_and_tell(const struct job *j, uint64_t *buf)
{
    double t = j->apart ? write_apart(j, buf) : write_together(j, buf);
    double mib = (double)j->block * j->count * j->calls * j->size / 1048576;

    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (j->rank == 0)
        printf("%.1f MiB in %.3f s = %.1f MiB/s\n", mib, t, mib / t);
}

int main(int argc, char **argv)
{
    struct job j = {.block = 64 * 1024, .count = 16, .calls = 4};
    uint64_t *buf;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &j.size);
    MPI_Info_create(&j.info);
    parse(&j, argc, argv);
    buf = malloc(j.block * j.count);
    if (!buf)
        die("malloc");
    if (j.check)
        verify(&j, buf);
    else
        write_and_tell(&j, buf);
    free(buf);
    MPI_Info_free(&j.info);
    MPI_Finalize();
    return 0;
}
