/* lattice4d.c - write or read a 4-D block-decomposed array, by MPI-IO or by
 * hand
 *
 * Every rank has L^4 sites of 24 bytes of a global array, blocks laid out by
 * MPI_Dims_create, stored in the file in row-major order. The hand-written way
 * is what users do when MPI-IO is too slow: the file is cut into one domain a
 * rank, MPI_Alltoallv moves the pieces, the owner sorts them into place and
 * calls pwrite once.
 */
#include <fcntl.h>
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SITE 24
#define DIMS 4

struct lattice {
    int rank, size;
    int local;      /* sites a dimension and rank */
    int grid[DIMS]; /* ranks a dimension */
    int64_t block;  /* bytes of a rank */
    int64_t total;  /* bytes of the file */
    int64_t row;    /* bytes of a contiguous run of a rank */
};

struct job {
    const char *file;
    int hand, read, reps, check;
};

static void die(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void coords_of(const struct lattice *l, int rank, int *c)
{
    for (int d = DIMS - 1; d >= 0; d--) {
        c[d] = rank % l->grid[d];
        rank /= l->grid[d];
    }
}

/* File offset of row number `i` (0 .. local^3 - 1) of the rank at `c`. */
static int64_t row_offset(const struct lattice *l, const int *c, int64_t i)
{
    int64_t n = l->local, off = 0, x[3] = {i / (n * n), i / n % n, i % n};

    for (int d = 0; d < 3; d++)
        off = off * (n * l->grid[d]) + c[d] * n + x[d];
    return (off * n * l->grid[3] + c[3] * n) * SITE;
}

/* The part of `rank`'s rows inside [lo, hi): calls fn(file offset, offset in
 * the rank's block, length). Rows grow with the file offset. */
typedef void row_fn(void *arg, int64_t off, int64_t mem, int64_t len);
static void for_rows(const struct lattice *l, int rank, int64_t lo, int64_t hi,
                     row_fn *fn, void *arg)
{
    int64_t rows = (int64_t)l->local * l->local * l->local;
    int c[DIMS];

    coords_of(l, rank, c);
    for (int64_t i = 0; i < rows; i++) {
        int64_t off = row_offset(l, c, i), end = off + l->row;
        int64_t a = off > lo ? off : lo, b = end < hi ? end : hi;

        if (off >= hi)
            return;
        if (a < b)
            fn(arg, a, i * l->row + (a - off), b - a);
    }
}

static int64_t domain_start(const struct lattice *l, int rank)
{
    return l->total / l->size * rank;
}

static int64_t domain_end(const struct lattice *l, int rank)
{
    return rank + 1 == l->size ? l->total : domain_start(l, rank + 1);
}

static void add_len(void *arg, int64_t off, int64_t mem, int64_t len)
{
    (void)off;
    (void)mem;
    *(int64_t *)arg += len;
}

struct plan {
    int *mine, *mine_at;     /* pieces of my block, by domain */
    int *theirs, *theirs_at; /* pieces of my domain, by rank */
    char *wire, *image;
    int64_t start, len;
};

static void make_plan(const struct lattice *l, struct plan *p)
{
    int64_t at = 0, got = 0, n;
    int *all = calloc(4 * l->size, sizeof(int));

    p->mine = all;
    p->mine_at = all + l->size;
    p->theirs = all + 2 * l->size;
    p->theirs_at = all + 3 * l->size;
    p->start = domain_start(l, l->rank);
    p->len = domain_end(l, l->rank) - p->start;
    for (int r = 0; r < l->size; r++) {
        n = 0;
        for_rows(l, l->rank, domain_start(l, r), domain_end(l, r), add_len, &n);
        p->mine[r] = n;
        p->mine_at[r] = at;
        at += n;
        n = 0;
        for_rows(l, r, p->start, p->start + p->len, add_len, &n);
        p->theirs[r] = n;
        p->theirs_at[r] = got;
        got += n;
    }
    p->wire = malloc(p->len + 1);
    p->image = malloc(p->len + 1);
    memset(p->wire, 0, p->len);
    memset(p->image, 0, p->len);
}

struct sort {
    char *image, *wire;
    int64_t start;
    int out;
};

static void sort_piece(void *arg, int64_t off, int64_t mem, int64_t len)
{
    struct sort *s = arg;

    (void)mem;
    if (s->out)
        memcpy(s->wire, s->image + (off - s->start), len);
    else
        memcpy(s->image + (off - s->start), s->wire, len);
    s->wire += len;
}

static void sort_domain(const struct lattice *l, struct plan *p, int out)
{
    for (int r = 0; r < l->size; r++) {
        struct sort s = {p->image, p->wire + p->theirs_at[r], p->start, out};

        for_rows(l, r, p->start, p->start + p->len, sort_piece, &s);
    }
}

static void by_hand(const struct lattice *l, struct plan *p, int fd, char *buf,
                    int read)
{
    int64_t at = 0;
    ssize_t n;

    if (!read) {
        MPI_Alltoallv(buf, p->mine, p->mine_at, MPI_BYTE, p->wire, p->theirs,
                      p->theirs_at, MPI_BYTE, MPI_COMM_WORLD);
        sort_domain(l, p, 0);
    }
    for (; at < p->len; at += n) {
        n = read ? pread(fd, p->image + at, p->len - at, p->start + at)
                 : pwrite(fd, p->image + at, p->len - at, p->start + at);
        if (n <= 0)
            die("pread/pwrite");
    }
    if (read) {
        sort_domain(l, p, 1);
        MPI_Alltoallv(p->wire, p->theirs, p->theirs_at, MPI_BYTE, buf, p->mine,
                      p->mine_at, MPI_BYTE, MPI_COMM_WORLD);
    }
}

static void set_view(const struct lattice *l, MPI_File fh)
{
    int sizes[DIMS], sub[DIMS], start[DIMS], c[DIMS];
    MPI_Datatype site, view;

    coords_of(l, l->rank, c);
    for (int d = 0; d < DIMS; d++) {
        sizes[d] = l->grid[d] * l->local;
        sub[d] = l->local;
        start[d] = c[d] * l->local;
    }
    MPI_Type_contiguous(SITE, MPI_BYTE, &site);
    MPI_Type_create_subarray(DIMS, sizes, sub, start, MPI_ORDER_C, site, &view);
    MPI_Type_commit(&site);
    MPI_Type_commit(&view);
    if (MPI_File_set_view(fh, 0, site, view, "native", MPI_INFO_NULL))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_free(&view);
    MPI_Type_free(&site);
}

static uint64_t value_at(int64_t off)
{
    return (uint64_t)off * 0x9e3779b97f4a7c15u;
}

struct fill {
    char *buf;
    int64_t bad;
    int check;
};

static void fill_row(void *arg, int64_t off, int64_t mem, int64_t len)
{
    struct fill *f = arg;

    for (int64_t i = 0; i < len; i += 8) {
        uint64_t v = value_at(off + i);

        if (!f->check)
            memcpy(f->buf + mem + i, &v, 8);
        else if (memcmp(f->buf + mem + i, &v, 8))
            f->bad++;
    }
}

static void report(const struct lattice *l, double t, int i)
{
    double worst;

    MPI_Reduce(&t, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (l->rank == 0)
        printf("rep %d seconds %.6f MiB/s %.1f\n", i, worst,
               l->total / worst / 1048576);
}

static void run(const struct lattice *l, const struct job *job, char *buf)
{
    MPI_File fh = MPI_FILE_NULL;
    struct plan plan = {0};
    int fd = -1;

    if (job->hand) {
        make_plan(l, &plan);
        fd = open(job->file, O_RDWR | O_CREAT, 0644);
        if (fd < 0)
            die(job->file);
    } else {
        if (MPI_File_open(MPI_COMM_WORLD, job->file,
                          MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh))
            die(job->file);
        set_view(l, fh);
    }
    for (int i = 0; i < job->reps; i++) {
        double t;
        int rc = 0;

        MPI_Barrier(MPI_COMM_WORLD);
        t = MPI_Wtime();
        if (job->hand)
            by_hand(l, &plan, fd, buf, job->read);
        else if (job->read)
            rc = MPI_File_read_at_all(fh, 0, buf, l->block, MPI_BYTE,
                                      MPI_STATUS_IGNORE);
        else
            rc = MPI_File_write_at_all(fh, 0, buf, l->block, MPI_BYTE,
                                       MPI_STATUS_IGNORE);
        if (rc)
            MPI_Abort(MPI_COMM_WORLD, 1);
        report(l, MPI_Wtime() - t, i);
    }
    if (fd >= 0)
        close(fd);
    if (fh != MPI_FILE_NULL)
        MPI_File_close(&fh);
}

static int usage(int code)
{
    fprintf(code ? stderr : stdout,
            "usage: lattice4d [-l SITES] [-n REPS] [-H] [-r] [-c] FILE\n"
            "  -l  sites a dimension and rank (default 16)\n"
            "  -n  repetitions (default 3)\n"
            "  -H  by hand: alltoallv and pwrite (default: MPI-IO)\n"
            "  -r  read instead of write\n"
            "  -c  check every byte after reading\n");
    return code;
}

int main(int argc, char **argv)
{
    struct lattice l = {.local = 16};
    struct job job = {.reps = 3};
    struct fill fill = {0};
    int opt;

    MPI_Init(&argc, &argv);
    while ((opt = getopt(argc, argv, "l:n:Hrch")) != -1)
        switch (opt) {
        case 'l':
            l.local = atoi(optarg);
            break;
        case 'n':
            job.reps = atoi(optarg);
            break;
        case 'H':
            job.hand = 1;
            break;
        case 'r':
            job.read = 1;
            break;
        case 'c':
            job.check = 1;
            break;
        default:
            MPI_Finalize();
            return usage(opt == 'h' ? 0 : 2);
        }
    if (optind + 1 != argc || l.local < 1) {
        MPI_Finalize();
        return usage(2);
    }
    job.file = argv[optind];
    MPI_Comm_rank(MPI_COMM_WORLD, &l.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &l.size);
    MPI_Dims_create(l.size, DIMS, l.grid);
    l.row = (int64_t)l.local * SITE;
    l.block = l.row * l.local * l.local * l.local;
    l.total = l.block * l.size;
    fill.buf = malloc(l.block);
    memset(fill.buf, 0, l.block);
    if (!job.read)
        for_rows(&l, l.rank, 0, l.total, fill_row, &fill);
    run(&l, &job, fill.buf);
    if (job.read && job.check) {
        fill.check = 1;
        for_rows(&l, l.rank, 0, l.total, fill_row, &fill);
        if (fill.bad)
            fprintf(stderr, "rank %d: %lld wrong words\n", l.rank,
                    (long long)fill.bad);
    }
    free(fill.buf);
    MPI_Finalize();
    return fill.bad ? 1 : 0;
}
