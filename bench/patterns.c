/* patterns.c - three access patterns of a collective write or read, timed
 *
 *   blocks  every rank has blocks of B bytes, dealt out round robin
 *   memgap  contiguous in the file, every other 64 bytes in memory
 *   lists   100,000 pieces of 8 to 64 bytes a rank in random order of ranks,
 *           like a climate code that maps its mesh to the file
 *
 * With -w N the blocks are written by N plain writers instead, which share the
 * bytes evenly and call pwrite: what the file system gives without MPI-IO.
 */
#include <fcntl.h>
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES 100000

struct bench {
    int rank, size;
    const char *pattern, *file;
    int64_t block;   /* bytes */
    int64_t nblocks; /* a rank */
    int reps, writers, read, memory_use;
    /* the access */
    MPI_Datatype view, memory;
    MPI_Count count;
    int64_t bytes; /* a rank */
    char *buf;
};

static int usage(int code)
{
    fprintf(code ? stderr : stdout,
            "usage: patterns [-p blocks|memgap|lists] [-b BLOCK] [-k BLOCKS]\n"
            "                [-n REPS] [-w WRITERS] [-r] [-m] FILE\n"
            "  -p  pattern (default blocks)\n"
            "  -b  bytes of a block (default 1048576)\n"
            "  -k  blocks a rank (default 16)\n"
            "  -n  repetitions (default 3)\n"
            "  -w  no MPI-IO: as many plain writers (blocks only)\n"
            "  -r  read instead of write\n"
            "  -m  also print how many KiB a rank's memory grew by (shared\n"
            "      pages divided among those who share them), the largest\n");
    return code;
}

static void make_blocks(struct bench *b)
{
    MPI_Datatype block, row;

    b->bytes = b->block * b->nblocks;
    MPI_Type_contiguous(b->block, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, b->block * b->size, &row);
    MPI_Type_contiguous(b->nblocks, row, &b->view);
    MPI_Type_contiguous(1, MPI_BYTE, &b->memory);
    b->count = b->bytes;
    b->buf = malloc(b->bytes);
    memset(b->buf, b->rank + 1, b->bytes);
    MPI_Type_free(&block);
    MPI_Type_free(&row);
}

static void make_memgap(struct bench *b)
{
    int64_t n;

    b->bytes = b->block * b->nblocks;
    n = b->bytes / 64;
    MPI_Type_vector(n, 64, 128, MPI_BYTE, &b->memory);
    MPI_Type_contiguous(b->bytes, MPI_BYTE, &b->view);
    b->count = 1;
    b->buf = malloc(n * 128);
    memset(b->buf, b->rank + 1, n * 128);
}

/* The same random numbers everywhere: piece i belongs to rank owner(i). */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void make_lists(struct bench *b)
{
    int *len = malloc(PIECES * 2 * sizeof(*len)), n = 0;
    MPI_Aint *at = malloc(PIECES * 2 * sizeof(*at)), off = 0;
    uint64_t seed = 42;

    for (int64_t i = 0; i < (int64_t)PIECES * b->size; i++) {
        int l = 8 * (1 + next_random(&seed) % 8);

        if ((int)(next_random(&seed) % b->size) == b->rank && n < PIECES * 2) {
            len[n] = l;
            at[n++] = off;
            b->bytes += l;
        }
        off += l;
    }
    MPI_Type_create_hindexed(n, len, at, MPI_BYTE, &b->view);
    MPI_Type_contiguous(1, MPI_BYTE, &b->memory);
    b->count = b->bytes;
    b->buf = malloc(b->bytes);
    memset(b->buf, b->rank + 1, b->bytes);
    free(len);
    free(at);
}

static void report(const struct bench *b, double t, int i)
{
    double worst;
    long long all, mine = b->bytes;

    MPI_Reduce(&t, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (b->rank == 0)
        printf("rep %d seconds %.6f MiB/s %.1f\n", i, worst,
               all / worst / 1048576);
}

/* Proportional set size of this process in KiB, -1: not known. */
static long memory_in_use(void)
{
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = -1;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Pss: %ld kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

static void report_memory(const struct bench *b, long before)
{
    long grown = memory_in_use() - before, most;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Reduce(&grown, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (b->rank == 0)
        printf("memory grew by at most %ld KiB a rank\n", most);
}

/* Writer w of n takes every n-th block of the file. */
static void plain(const struct bench *b, int fd)
{
    int64_t all = b->nblocks * b->size, at;

    if (b->rank >= b->writers)
        return;
    for (int64_t i = b->rank; i < all; i += b->writers) {
        at = i / b->writers % b->nblocks * b->block;
        if ((b->read ? pread(fd, b->buf + at, b->block, i * b->block)
                     : pwrite(fd, b->buf + at, b->block, i * b->block)) !=
            b->block) {
            perror(b->file);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void collective(const struct bench *b, MPI_File fh)
{
    int rc = b->read ? MPI_File_read_at_all(fh, 0, b->buf, b->count, b->memory,
                                            MPI_STATUS_IGNORE)
                     : MPI_File_write_at_all(fh, 0, b->buf, b->count, b->memory,
                                             MPI_STATUS_IGNORE);

    if (rc)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run(struct bench *b)
{
    MPI_File fh = MPI_FILE_NULL;
    MPI_Offset disp = 0;
    int fd = -1;
    long before = memory_in_use();

    if (b->writers) {
        fd = open(b->file, O_RDWR | O_CREAT, 0644);
    } else {
        if (MPI_File_open(MPI_COMM_WORLD, b->file,
                          MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh))
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Type_commit(&b->view);
        MPI_Type_commit(&b->memory);
        if (!strcmp(b->pattern, "blocks"))
            disp = b->rank * b->block;
        else if (!strcmp(b->pattern, "memgap"))
            disp = b->rank * b->bytes;
        MPI_File_set_view(fh, disp, MPI_BYTE, b->view, "native", MPI_INFO_NULL);
    }
    for (int i = 0; i < b->reps; i++) {
        double t;

        MPI_Barrier(MPI_COMM_WORLD);
        t = MPI_Wtime();
        if (b->writers)
            plain(b, fd);
        else
            collective(b, fh);
        report(b, MPI_Wtime() - t, i);
    }
    if (b->memory_use)
        report_memory(b, before);
    if (fd >= 0)
        close(fd);
    if (fh != MPI_FILE_NULL)
        MPI_File_close(&fh);
}

static int parse(struct bench *b, int argc, char **argv)
{
    int opt;

    while ((opt = getopt(argc, argv, "p:b:k:n:w:rmh")) != -1)
        switch (opt) {
        case 'p':
            b->pattern = optarg;
            break;
        case 'b':
            b->block = atoll(optarg);
            break;
        case 'k':
            b->nblocks = atoll(optarg);
            break;
        case 'n':
            b->reps = atoi(optarg);
            break;
        case 'w':
            b->writers = atoi(optarg);
            break;
        case 'r':
            b->read = 1;
            break;
        case 'm':
            b->memory_use = 1;
            break;
        case 'h':
            return usage(0) - 1;
        default:
            return usage(2);
        }
    if (optind + 1 != argc || b->block < 1 || b->nblocks < 1)
        return usage(2);
    b->file = argv[optind];
    return 0;
}

int main(int argc, char **argv)
{
    struct bench b = {.pattern = "blocks",
                      .block = 1048576,
                      .nblocks = 16,
                      .reps = 3,
                      .view = MPI_DATATYPE_NULL,
                      .memory = MPI_DATATYPE_NULL};
    int rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.size);
    rc = parse(&b, argc, argv);
    if (rc == 0) {
        if (!strcmp(b.pattern, "memgap"))
            make_memgap(&b);
        else if (!strcmp(b.pattern, "lists"))
            make_lists(&b);
        else
            make_blocks(&b);
        run(&b);
        MPI_Type_free(&b.view);
        MPI_Type_free(&b.memory);
        free(b.buf);
    }
    MPI_Finalize();
    return rc > 0 ? rc : 0;
}
