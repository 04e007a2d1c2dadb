/* soak.c - every kind of access, again and again: soak DIRECTORY SECONDS
 *
 * A turn opens a file, with a lock mode and a layout that change from turn to
 * turn, and goes through the kinds of access: a way of writing, then a way of
 * reading, in which each rank looks at what its neighbour wrote. Memory and
 * descriptors are noted when everything has been used a few times, and must be
 * the same in the end.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <unistd.h>

enum {
    BYTES = 24000,
    PIECE = 600,
    WARM = 48,     /* turns before memory is noted */
    GROWTH = 4096, /* KiB that a process may have more in the end: MPICH's UCX
                    * device loses some bytes of every datatype */
};

static int rank, size, serial;
static char mine[BYTES], got[BYTES], want[BYTES];

static void fill(char *buf, int r)
{
    for (int b = 0; b < BYTES; b++)
        buf[b] = (char)(b * 3 + r * 7 + serial * 11 + b / 255);
}

static MPI_Offset place_of(int r)
{
    return (MPI_Offset)r * BYTES;
}

static void finish(MPI_Request *request)
{
    MUST(MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* ---- ways to write `mine` at place_of(rank) ---- */

static void put_at_all(MPI_File fh)
{
    MUST(MPI_File_write_at_all(fh, place_of(rank), mine, BYTES, MPI_BYTE,
                               MPI_STATUS_IGNORE));
}

static void put_iat_all(MPI_File fh)
{
    MPI_Request request;

    MUST(MPI_File_iwrite_at_all(fh, place_of(rank), mine, BYTES, MPI_BYTE,
                                &request));
    finish(&request);
}

static void put_split(MPI_File fh)
{
    MUST(
        MPI_File_write_at_all_begin(fh, place_of(rank), mine, BYTES, MPI_BYTE));
    MUST(MPI_File_write_at_all_end(fh, mine, MPI_STATUS_IGNORE));
}

static void put_ordered(MPI_File fh)
{
    MUST(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    MUST(MPI_File_write_ordered(fh, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
}

/* Pieces of memory with gaps. */
static void put_from_pieces(MPI_File fh)
{
    static char wide[2 * BYTES];
    MPI_Datatype pieces;

    for (int i = 0; i < BYTES / PIECE; i++)
        memcpy(wide + 2 * i * PIECE, mine + i * PIECE, PIECE);
    MUST(MPI_Type_vector(BYTES / PIECE, PIECE, 2 * PIECE, MPI_BYTE, &pieces));
    MUST(MPI_Type_commit(&pieces));
    MUST(MPI_File_write_at_all(fh, place_of(rank), wide, 1, pieces,
                               MPI_STATUS_IGNORE));
    MUST(MPI_Type_free(&pieces));
}

static void put_at(MPI_File fh)
{
    MUST(MPI_File_write_at(fh, place_of(rank), mine, BYTES, MPI_BYTE,
                           MPI_STATUS_IGNORE));
}

static void put_iat(MPI_File fh)
{
    MPI_Request request;

    MUST(MPI_File_iwrite_at(fh, place_of(rank), mine, BYTES, MPI_BYTE,
                            &request));
    finish(&request);
}

static void put_by_pointer(MPI_File fh)
{
    MUST(MPI_File_seek(fh, place_of(rank), MPI_SEEK_SET));
    MUST(MPI_File_write(fh, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
}

/* ---- ways to read place_of(from) into `got` ---- */

static void get_at_all(MPI_File fh, int from)
{
    MUST(MPI_File_read_at_all(fh, place_of(from), got, BYTES, MPI_BYTE,
                              MPI_STATUS_IGNORE));
}

static void get_iat_all(MPI_File fh, int from)
{
    MPI_Request request;

    MUST(MPI_File_iread_at_all(fh, place_of(from), got, BYTES, MPI_BYTE,
                               &request));
    finish(&request);
}

static void get_split(MPI_File fh, int from)
{
    MUST(MPI_File_read_at_all_begin(fh, place_of(from), got, BYTES, MPI_BYTE));
    MUST(MPI_File_read_at_all_end(fh, got, MPI_STATUS_IGNORE));
}

static void get_at(MPI_File fh, int from)
{
    MUST(MPI_File_read_at(fh, place_of(from), got, BYTES, MPI_BYTE,
                          MPI_STATUS_IGNORE));
}

static void get_iat(MPI_File fh, int from)
{
    MPI_Request request;

    MUST(MPI_File_iread_at(fh, place_of(from), got, BYTES, MPI_BYTE, &request));
    finish(&request);
}

static void get_by_pointer(MPI_File fh, int from)
{
    MUST(MPI_File_seek(fh, place_of(from), MPI_SEEK_SET));
    MUST(MPI_File_read(fh, got, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
}

/* Ways of one rank alone are left out where they are promised away. */
static const struct {
    void (*put)(MPI_File fh);
    void (*get)(MPI_File fh, int from);
    int alone;
} kinds[] = {
    {put_at_all, get_at_all, 0},     {put_iat_all, get_iat_all, 0},
    {put_split, get_split, 0},       {put_ordered, get_at_all, 0},
    {put_from_pieces, get_split, 0}, {put_at, get_iat, 1},
    {put_iat, get_by_pointer, 1},    {put_by_pointer, get_at, 1},
    {put_at, get_at_all, 1},         {put_at_all, get_at, 1},
};

/* ---- shared pointer: whose block lies where is not known ---- */

static void use_shared(MPI_File fh)
{
    int *found = calloc(size, sizeof(*found));

    fill(mine, rank);
    memcpy(mine, &rank, sizeof(rank));
    MUST(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    MUST(MPI_File_write_shared(fh, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(MPI_File_sync(fh));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_sync(fh));
    for (int i = 0; i < size; i++) {
        int whose;

        get_at(fh, i);
        memcpy(&whose, got, sizeof(whose));
        EXPECT(whose >= 0 && whose < size && !found[whose]++);
        fill(want, whose);
        memcpy(want, &whose, sizeof(whose));
        EXPECT(memcmp(got, want, BYTES) == 0);
    }
    free(found);
}

/* ---- strided: the ranks' pieces in turn ---- */

static void use_strided(MPI_File fh)
{
    MPI_Datatype vector, view;

    MUST(
        MPI_Type_vector(BYTES / PIECE, PIECE, PIECE * size, MPI_BYTE, &vector));
    MUST(MPI_Type_create_resized(vector, 0, (MPI_Aint)BYTES * size, &view));
    MUST(MPI_Type_commit(&view));
    MUST(MPI_File_set_view(fh, rank * PIECE, MPI_BYTE, view, "native",
                           MPI_INFO_NULL));
    fill(mine, rank);
    MUST(MPI_File_write_all(fh, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    MUST(MPI_File_read_all(fh, got, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(memcmp(got, mine, BYTES) == 0);
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&view));
    MUST(MPI_Type_free(&vector));
}

/* ---- turns ---- */

static MPI_Info hints_of(int turn)
{
    static const char *const layouts[] = {
        "-c 4 -S 64K", "-C 8 -S 64K", "-E 128K -c 1 -S 64K -E -1 -c 4 -S 64K",
        "-E 64K -L mdt -E -1 -c 2 -S 64K"};
    char mode[2] = {(char)('0' + turn % 3), '\0'};
    MPI_Info info;

    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "cray_cb_write_lock_mode", mode));
    if (turn % 3 == 1)
        MUST(MPI_Info_set(info, "romio_no_indep_rw", "true"));
    MUST(MPI_Info_set(info, "romio_cb_write",
                      turn % 2 ? "enable" : "automatic"));
    MUST(MPI_Info_set(info, "romio_lustre_comp_layout", layouts[turn % 4]));
    MUST(MPI_Info_set(info, "cray_cb_nodes_multiplier", turn % 5 ? "1" : "2"));
    return info;
}

static void write_and_read(MPI_File fh, int kind)
{
    int other = (rank + 1) % size;

    serial++;
    fill(mine, rank);
    kinds[kind].put(fh);
    MUST(MPI_File_sync(fh));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_sync(fh));
    kinds[kind].get(fh, other);
    fill(want, other);
    EXPECT(memcmp(got, want, BYTES) == 0);
    MUST(MPI_Barrier(MPI_COMM_WORLD));
}

static void resize(MPI_File fh)
{
    MPI_Offset end;

    MUST(MPI_File_set_size(fh, place_of(size) / 2));
    MUST(MPI_File_preallocate(fh, place_of(size)));
    MUST(MPI_File_get_size(fh, &end));
    EXPECT_EQ(end, place_of(size));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
}

static void take_turn(const char *dir, int turn)
{
    MPI_Info info = hints_of(turn);
    int promised = turn % 3 == 1;
    char path[600];
    MPI_File fh;

    snprintf(path, sizeof(path), "%s/soak.%d", dir, turn % 7);
    if (rank == 0)
        unlink(path);
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MUST(MPI_Info_free(&info));
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
        if (!promised || !kinds[k].alone)
            write_and_read(fh, (int)k);
    use_strided(fh);
    if (!promised)
        use_shared(fh);
    resize(fh);
    MUST(MPI_File_set_atomicity(fh, !promised));
    write_and_read(fh, 0);
    MUST(MPI_File_close(&fh));
}

/* ---- what is left over ---- */

static int goes_on(double end, int turn)
{
    int yes = turn <= WARM || MPI_Wtime() < end;

    MUST(MPI_Bcast(&yes, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return yes;
}

int main(int argc, char **argv)
{
    long kib = 0, more, most;
    int fds = 0, turn = 0;
    double end;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 3);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
    end = MPI_Wtime() + atof(argv[2]);
    while (goes_on(end, turn)) {
        take_turn(argv[1], turn++);
        if (turn == WARM) {
            kib = resident_kib();
            fds = open_descriptors();
        }
    }
    EXPECT_EQ(open_descriptors(), fds);
    more = resident_kib() - kib;
    MUST(MPI_Allreduce(&more, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
    if (rank == 0)
        printf("%d turns on %d ranks, %d descriptors then and in the end, at "
               "most %ld KiB more than the %ld KiB after %d turns\n",
               turn, size, fds, most, kib, WARM);
    EXPECT(most < GROWTH);
    MUST(MPI_Finalize());
    return 0;
}
