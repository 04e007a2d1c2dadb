/* heat3d.c - heat in a block, computed on a grid of ranks, kept in one file
 *
 * A cube of doubles is cut into blocks, one a rank. Every step spreads the
 * heat a little (halo exchange with six neighbours) and appends the whole cube
 * to one file: a subarray view and MPI_File_write_all. Then the file is opened
 * again, every rank reads all its blocks back and compares.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "usage: heat3d [-n EDGE] [-s STEPS] [-h KEY=VALUE]... [-k] FILE\n"
    "\n"
    "  -n EDGE       grid points of the cube's edge (default 96)\n"
    "  -s STEPS      time steps, each written to the file (default 4)\n"
    "  -h KEY=VALUE  an MPI-IO hint for the file, may be repeated\n"
    "  -k            keep the file\n";

struct options {
    int edge, steps, keep;
    const char *file;
    MPI_Info hints;
};

/* This rank's block: local extents without the halo, place in the cube. */
struct block {
    MPI_Comm comm; /* the grid of ranks */
    int rank;
    int grid[3], coord[3];
    int n[3], start[3];
    double *now, *next; /* with a halo of one point around, 0 outside */
    double *back;       /* what the file says */
};

static void die(const char *text)
{
    fprintf(stderr, "heat3d: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void must(int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING], line[MPI_MAX_ERROR_STRING + 100];
    int len;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &len);
    snprintf(line, sizeof(line), "%s: %s", what, text);
    die(line);
}

/* ---- options ---- */

static void add_hint(MPI_Info info, const char *arg)
{
    char key[MPI_MAX_INFO_KEY + 1];
    const char *eq = strchr(arg, '=');

    if (!eq || eq == arg || eq - arg > MPI_MAX_INFO_KEY)
        die("a hint is KEY=VALUE");
    memcpy(key, arg, eq - arg);
    key[eq - arg] = 0;
    MPI_Info_set(info, key, eq + 1);
}

static int positive(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (*end || n < 1 || n > 4096)
        die("not a number from 1 to 4096");
    return (int)n;
}

static int parse(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        int more = i + 1 < argc;

        if (!strcmp(argv[i], "-n") && more)
            o->edge = positive(argv[++i]);
        else if (!strcmp(argv[i], "-s") && more)
            o->steps = positive(argv[++i]);
        else if (!strcmp(argv[i], "-h") && more)
            add_hint(o->hints, argv[++i]);
        else if (!strcmp(argv[i], "-k"))
            o->keep = 1;
        else if (argv[i][0] != '-' && !o->file)
            o->file = argv[i];
        else
            return -1;
    }
    return o->file ? 0 : -1;
}

/* ---- the physics ---- */

static size_t at(const struct block *b, int i, int j, int k)
{
    return ((size_t)(i + 1) * (b->n[1] + 2) + (j + 1)) * (b->n[2] + 2) + k + 1;
}

static size_t points_with_halo(const struct block *b)
{
    return (size_t)(b->n[0] + 2) * (b->n[1] + 2) * (b->n[2] + 2);
}

/* Near equal parts: the first edge % parts of them have one point more. */
static void cut(int edge, int parts, int part, int *start, int *n)
{
    int rest = edge % parts;

    *n = edge / parts + (part < rest);
    *start = part * (edge / parts) + (part < rest ? part : rest);
}

static void block_create(struct block *b, int edge)
{
    int size, periodic[3] = {0, 0, 0};

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, b->grid);
    MPI_Cart_create(MPI_COMM_WORLD, 3, b->grid, periodic, 0, &b->comm);
    MPI_Comm_rank(b->comm, &b->rank);
    MPI_Cart_coords(b->comm, b->rank, 3, b->coord);
    for (int d = 0; d < 3; d++) {
        cut(edge, b->grid[d], b->coord[d], &b->start[d], &b->n[d]);
        if (b->n[d] == 0)
            die("more ranks than grid points along an edge");
    }
    b->now = calloc(points_with_halo(b), sizeof(double));
    b->next = calloc(points_with_halo(b), sizeof(double));
    b->back = calloc(points_with_halo(b), sizeof(double));
    if (!b->now || !b->next || !b->back)
        die("out of memory");
}

static void block_destroy(struct block *b)
{
    free(b->now);
    free(b->next);
    free(b->back);
    MPI_Comm_free(&b->comm);
}

/* One hot point in the middle, and a gradient so that no two planes agree. */
static void heat_up(struct block *b, int edge)
{
    for (int i = 0; i < b->n[0]; i++)
        for (int j = 0; j < b->n[1]; j++)
            for (int k = 0; k < b->n[2]; k++) {
                int x = b->start[0] + i, y = b->start[1] + j;
                int z = b->start[2] + k, mid = edge / 2;

                b->now[at(b, i, j, k)] = x + 2.0 * y + 3.0 * z;
                if (x == mid && y == mid && z == mid)
                    b->now[at(b, i, j, k)] = 1e6;
            }
}

/* The plane `where` (-1 and n are the halo) of dimension d, as a datatype. */
static MPI_Datatype plane(const struct block *b, int d, int where)
{
    int full[3], sub[3], start[3];
    MPI_Datatype type;

    for (int e = 0; e < 3; e++) {
        full[e] = b->n[e] + 2;
        sub[e] = e == d ? 1 : b->n[e];
        start[e] = e == d ? where + 1 : 1;
    }
    MPI_Type_create_subarray(3, full, sub, start, MPI_ORDER_C, MPI_DOUBLE,
                             &type);
    MPI_Type_commit(&type);
    return type;
}

static void shift(struct block *b, int d, int from, int into, int dir)
{
    MPI_Datatype out = plane(b, d, from), in = plane(b, d, into);
    int source, dest;

    MPI_Cart_shift(b->comm, d, dir, &source, &dest);
    MPI_Sendrecv(b->now, 1, out, dest, d, b->now, 1, in, source, d, b->comm,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
}

static void step(struct block *b)
{
    size_t down = (size_t)(b->n[1] + 2) * (b->n[2] + 2), side = b->n[2] + 2;
    double *swap = b->now;

    for (int d = 0; d < 3; d++) {
        shift(b, d, b->n[d] - 1, -1, 1);
        shift(b, d, 0, b->n[d], -1);
    }
    for (int i = 0; i < b->n[0]; i++)
        for (int j = 0; j < b->n[1]; j++)
            for (int k = 0; k < b->n[2]; k++) {
                const double *p = &b->now[at(b, i, j, k)];

                b->next[p - b->now] =
                    *p + 0.1 * (p[1] + p[-1] + p[side] + p[-(long)side] +
                                p[down] + p[-(long)down] - 6 * *p);
            }
    b->now = b->next;
    b->next = swap;
}

/* ---- the file ---- */

/* Where my block is in the file's cube, and in memory inside the halo. */
static void make_types(const struct block *b, int edge, MPI_Datatype *file,
                       MPI_Datatype *memory)
{
    int cube[3] = {edge, edge, edge}, full[3], one[3] = {1, 1, 1};

    for (int d = 0; d < 3; d++)
        full[d] = b->n[d] + 2;
    MPI_Type_create_subarray(3, cube, b->n, b->start, MPI_ORDER_C, MPI_DOUBLE,
                             file);
    MPI_Type_create_subarray(3, full, b->n, one, MPI_ORDER_C, MPI_DOUBLE,
                             memory);
    MPI_Type_commit(file);
    MPI_Type_commit(memory);
}

/* Compute and write every step; returns the seconds spent in MPI-IO. */
static double write_steps(struct block *b, const struct options *o)
{
    MPI_Datatype file_type, memory_type;
    double begin = MPI_Wtime(), spent;
    MPI_File fh;

    make_types(b, o->edge, &file_type, &memory_type);
    must(MPI_File_open(b->comm, o->file, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                       o->hints, &fh),
         "open");
    must(MPI_File_set_view(fh, 0, MPI_DOUBLE, file_type, "native",
                           MPI_INFO_NULL),
         "set_view");
    spent = MPI_Wtime() - begin;
    for (int s = 0; s < o->steps; s++) {
        step(b);
        begin = MPI_Wtime();
        must(MPI_File_write_all(fh, b->now, 1, memory_type, MPI_STATUS_IGNORE),
             "write_all");
        spent += MPI_Wtime() - begin;
    }
    begin = MPI_Wtime();
    must(MPI_File_close(&fh), "close");
    MPI_Type_free(&file_type);
    MPI_Type_free(&memory_type);
    return spent + MPI_Wtime() - begin;
}

static int differs(const struct block *b)
{
    for (int i = 0; i < b->n[0]; i++)
        for (int j = 0; j < b->n[1]; j++)
            if (memcmp(&b->now[at(b, i, j, 0)], &b->back[at(b, i, j, 0)],
                       b->n[2] * sizeof(double)))
                return 1;
    return 0;
}

/* Compute again, read each step back and compare. */
static double read_steps(struct block *b, const struct options *o, int *wrong)
{
    MPI_Datatype file_type, memory_type;
    double begin = MPI_Wtime(), spent;
    MPI_File fh;

    make_types(b, o->edge, &file_type, &memory_type);
    must(MPI_File_open(b->comm, o->file, MPI_MODE_RDONLY, o->hints, &fh),
         "open again");
    must(MPI_File_set_view(fh, 0, MPI_DOUBLE, file_type, "native",
                           MPI_INFO_NULL),
         "set_view");
    spent = MPI_Wtime() - begin;
    for (int s = 0; s < o->steps; s++) {
        step(b);
        memset(b->back, 0xff, points_with_halo(b) * sizeof(double));
        begin = MPI_Wtime();
        must(MPI_File_read_all(fh, b->back, 1, memory_type, MPI_STATUS_IGNORE),
             "read_all");
        spent += MPI_Wtime() - begin;
        *wrong += differs(b);
    }
    must(MPI_File_close(&fh), "close");
    MPI_Type_free(&file_type);
    MPI_Type_free(&memory_type);
    return spent;
}

static double slowest(double seconds)
{
    double all;

    MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int simulate(const struct options *o)
{
    double mib = 8.0 * o->edge * o->edge * o->edge * o->steps / (1 << 20);
    struct block b = {0};
    double wrote, read;
    int wrong = 0, all = 0;

    block_create(&b, o->edge);
    heat_up(&b, o->edge);
    wrote = slowest(write_steps(&b, o));
    heat_up(&b, o->edge);
    read = slowest(read_steps(&b, o, &wrong));
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (b.rank == 0)
        printf("heat3d: %d^3 points on %dx%dx%d ranks, %d steps, %.1f MiB\n"
               "heat3d: written in %.3f s, read back in %.3f s: %s\n",
               o->edge, b.grid[0], b.grid[1], b.grid[2], o->steps, mib, wrote,
               read, all ? "WRONG DATA" : "all data right");
    block_destroy(&b);
    return all != 0;
}

int main(int argc, char **argv)
{
    struct options o = {.edge = 96, .steps = 4};
    int rank, rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&o.hints);
    if (parse(argc, argv, &o)) {
        if (rank == 0)
            fputs(usage_text, stderr);
        MPI_Info_free(&o.hints);
        MPI_Finalize();
        return 2;
    }
    rc = simulate(&o);
    MPI_Info_free(&o.hints);
    if (!o.keep && rank == 0)
        MPI_File_delete(o.file, MPI_INFO_NULL);
    MPI_Finalize();
    return rc;
}
