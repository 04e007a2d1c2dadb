/* coll.c - a collective strided access: coll FILE BLOCKS [HINT VALUE]...
 *
 * Every rank writes BLOCKS blocks of 256 KiB in turn with the others, as one
 * MPI_File_write_all, with BLOCKSxCALLS as so many; with -BLOCKS it reads them,
 * and they must be what such a write left; with +BLOCKS it writes, and reads in
 * the same open. Rank 0 prints striping_factor and striping_unit.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 262144

static void print_hint(MPI_File file, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found;

    MPI_File_get_info(file, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    printf("%s=%s\n", key, found ? value : "");
}

static int all_are(const char *buf, size_t n, char c)
{
    for (size_t i = 0; i < n; i++)
        if (buf[i] != c)
            return 0;
    return 1;
}

struct access {
    MPI_File file;
    char *buf;
    int bytes, calls;
    char letter; /* of this rank */
};

typedef int (*call_fn)(MPI_File, MPI_Offset, void *, int, MPI_Datatype,
                       MPI_Status *);

/* All bytes, in so many calls. */
static int move_blocks(const struct access *a, call_fn call)
{
    int part = a->bytes / a->calls, rc = MPI_SUCCESS;

    for (int i = 0; i < a->calls && rc == MPI_SUCCESS; i++)
        rc = call(a->file, (MPI_Offset)i * part, a->buf + (size_t)i * part,
                  part, MPI_BYTE, MPI_STATUS_IGNORE);
    return rc;
}

static int write_part(MPI_File file, MPI_Offset off, void *buf, int n,
                      MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at_all(file, off, buf, n, type, status);
}

static int write_blocks(const struct access *a)
{
    memset(a->buf, a->letter, (size_t)a->bytes);
    return move_blocks(a, write_part);
}

static int read_blocks(const struct access *a)
{
    int rc;

    memset(a->buf, 0, (size_t)a->bytes);
    rc = move_blocks(a, MPI_File_read_at_all);
    return rc == MPI_SUCCESS && !all_are(a->buf, (size_t)a->bytes, a->letter)
               ? MPI_ERR_OTHER
               : rc;
}

static void complain(int rank, const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    MPI_Error_string(rc, text, &n);
    fprintf(stderr, "coll: rank %d: %s: %s\n", rank, what, text);
}

int main(int argc, char **argv)
{
    int rank, ranks, blocks, reads, writes, rc = MPI_SUCCESS, one;
    struct access a;
    MPI_Datatype view;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    blocks = argc > 2 ? atoi(argv[2]) : 0;
    a.calls =
        argc > 2 && strchr(argv[2], 'x') ? atoi(strchr(argv[2], 'x') + 1) : 1;
    reads = blocks < 0 || (argc > 2 && argv[2][0] == '+');
    writes = blocks >= 0;
    blocks = abs(blocks);
    MPI_Info_create(&info);
    for (int i = 3; i + 1 < argc; i += 2)
        MPI_Info_set(info, argv[i], argv[i + 1]);
    rc = MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &a.file);
    if (rc != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    a.bytes = blocks * BLOCK;
    a.buf = malloc((size_t)a.bytes);
    a.letter = (char)('A' + rank);
    MPI_Type_vector(blocks, BLOCK, BLOCK * ranks, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(a.file, (MPI_Offset)rank * BLOCK, MPI_BYTE, view,
                      "native", MPI_INFO_NULL);
    if (writes && (one = write_blocks(&a)) != MPI_SUCCESS)
        complain(rank, "write", rc = one);
    if (reads && (one = read_blocks(&a)) != MPI_SUCCESS)
        complain(rank, "read", rc = one);
    if (rank == 0) {
        print_hint(a.file, "striping_factor");
        print_hint(a.file, "striping_unit");
    }
    if ((one = MPI_File_close(&a.file)) != MPI_SUCCESS)
        complain(rank, "close", rc = one);
    MPI_Type_free(&view);
    MPI_Info_free(&info);
    free(a.buf);
    MPI_Finalize();
    return rc != MPI_SUCCESS;
}
