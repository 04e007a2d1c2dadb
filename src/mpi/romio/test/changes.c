/* changes.c - hints and atomicity change while nonblocking calls are under way
 *
 * usage: changes [-l SECONDS] FILE [CASE...], or changes -L
 *
 * MPI lets a program change hints and the atomic mode while nonblocking
 * collective calls are outstanding: each call is done by what was in force when
 * it was issued, on all ranks alike. Every case issues calls, changes
 * something, waits, and looks at the bytes, a number of times. Rank 0 prints
 * "ok NAME" behind each case; one that takes longer than the limit ends the job
 * by SIGALRM.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <unistd.h>

#include "expect.h"

enum {
    PIECE = 1000,
    PIECES = 20,
    BYTES = PIECE * PIECES,
    GAP = 3, /* pieces that no rank has, behind those of all ranks */
    TURNS = 10,
    CALLS = 6,
};

static int rank, nprocs;
static const char *prefix;
static char data[CALLS][BYTES], back[CALLS][BYTES];

/* Pieces of all ranks in turn, then a hole. */
static void set_view(MPI_File fh)
{
    MPI_Datatype piece, type;

    MUST(MPI_Type_contiguous(PIECE, MPI_BYTE, &piece));
    MUST(MPI_Type_create_resized(piece, 0, PIECE * (nprocs + GAP), &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(fh, (MPI_Offset)rank * PIECE, MPI_BYTE, type,
                           "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
    MUST(MPI_Type_free(&piece));
}

static void set_hint(MPI_File fh, const char *name, const char *value)
{
    MPI_Info info;

    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, name, value));
    MUST(MPI_File_set_info(fh, info));
    MUST(MPI_Info_free(&info));
}

static void open_file(MPI_File *fh, const char *suffix)
{
    char name[600];
    MPI_Info info;

    snprintf(name, sizeof(name), "%s.%s", prefix, suffix);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "striping_unit", "65536"));
    MUST(MPI_Info_set(info, "striping_factor", "2"));
    MUST(MPI_Info_set(info, "romio_cb_read", "enable"));
    MUST(MPI_Info_set(info, "romio_cb_write", "enable"));
    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, fh));
    MUST(MPI_Info_free(&info));
    set_view(*fh);
}

/* Before the calls are issued and before the change. Rank 0 is the last one to
 * issue calls, so that none of them is through, and the first one to change
 * something; the others test their requests in between. */
static void dawdle(MPI_Request req[CALLS], MPI_Status status[CALLS])
{
    double until = MPI_Wtime() + 0.004;
    int flag = 0;

    if ((rank == 0) != !req)
        return;
    while (!flag && MPI_Wtime() < until)
        if (req)
            MUST(MPI_Testall(CALLS, req, &flag, status));
}

static void fill(int seed)
{
    for (int c = 0; c < CALLS; c++)
        for (int i = 0; i < BYTES; i++)
            data[c][i] = (char)(i * 7 + rank * 31 + seed * 5 + c);
}

static void write_all(MPI_File fh)
{
    for (int c = 0; c < CALLS; c++)
        MUST(MPI_File_write_at_all(fh, (MPI_Offset)c * BYTES, data[c], BYTES,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
}

static void must_hold(MPI_File fh)
{
    memset(back, 0, sizeof(back));
    for (int c = 0; c < CALLS; c++)
        MUST(MPI_File_read_at_all(fh, (MPI_Offset)c * BYTES, back[c], BYTES,
                                  MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(memcmp(data, back, sizeof(data)) == 0);
}

static void wait_for(MPI_Request req[CALLS], MPI_Status status[CALLS])
{
    int n;

    if (req[0] != MPI_REQUEST_NULL)
        MUST(MPI_Waitall(CALLS, req, status));
    for (int c = 0; c < CALLS; c++) {
        MUST(MPI_Get_count(&status[c], MPI_BYTE, &n));
        EXPECT_EQ(n, BYTES);
    }
}

typedef void change_fn(MPI_File fh, int turn);

static void read_turns(change_fn *change)
{
    MPI_Request req[CALLS];
    MPI_Status status[CALLS];
    MPI_File fh;

    open_file(&fh, "read");
    fill(1);
    write_all(fh);
    for (int t = 0; t < TURNS; t++) {
        memset(back, 0, sizeof(back));
        dawdle(NULL, NULL);
        for (int c = 0; c < CALLS; c++)
            MUST(MPI_File_iread_at_all(fh, (MPI_Offset)c * BYTES, back[c],
                                       BYTES, MPI_BYTE, &req[c]));
        dawdle(req, status);
        change(fh, t);
        wait_for(req, status);
        EXPECT(memcmp(data, back, sizeof(data)) == 0);
    }
    MUST(MPI_File_close(&fh));
}

static void write_turns(change_fn *change)
{
    MPI_Request req[CALLS];
    MPI_Status status[CALLS];
    MPI_File fh;

    open_file(&fh, "write");
    for (int t = 0; t < TURNS; t++) {
        fill(t);
        dawdle(NULL, NULL);
        for (int c = 0; c < CALLS; c++)
            MUST(MPI_File_iwrite_at_all(fh, (MPI_Offset)c * BYTES, data[c],
                                        BYTES, MPI_BYTE, &req[c]));
        dawdle(req, status);
        change(fh, t);
        wait_for(req, status);
        must_hold(fh);
    }
    MUST(MPI_File_close(&fh));
}

static const char *in_turn(int turn, const char *even, const char *odd)
{
    return turn % 2 ? odd : even;
}

static void change_ds_read(MPI_File fh, int turn)
{
    set_hint(fh, "romio_ds_read", in_turn(turn, "disable", "automatic"));
}

static void change_cb_read(MPI_File fh, int turn)
{
    set_hint(fh, "romio_cb_read", in_turn(turn, "disable", "enable"));
}

static void change_cb_write(MPI_File fh, int turn)
{
    set_hint(fh, "romio_cb_write", in_turn(turn, "disable", "enable"));
}

static void change_ds_in_coll(MPI_File fh, int turn)
{
    set_hint(fh, "romio_lustre_ds_in_coll", in_turn(turn, "enable", "disable"));
}

static void change_threshold(MPI_File fh, int turn)
{
    set_hint(fh, "romio_lustre_coll_threshold", in_turn(turn, "1", "0"));
}

static void change_atomicity(MPI_File fh, int turn)
{
    MUST(MPI_File_set_atomicity(fh, turn % 2 == 0));
}

static void change_view(MPI_File fh, int turn)
{
    MUST(MPI_File_set_view(fh, turn, MPI_BYTE, MPI_BYTE, "native",
                           MPI_INFO_NULL));
    set_view(fh);
}

static void ds_read(void)
{
    read_turns(change_ds_read);
}

static void cb_read(void)
{
    read_turns(change_cb_read);
}

static void cb_write(void)
{
    write_turns(change_cb_write);
}

static void ds_in_coll(void)
{
    write_turns(change_ds_in_coll);
}

static void threshold(void)
{
    write_turns(change_threshold);
}

static void atomic_read(void)
{
    read_turns(change_atomicity);
}

static void atomic_write(void)
{
    write_turns(change_atomicity);
}

static void view_read(void)
{
    read_turns(change_view);
}

static void view_write(void)
{
    write_turns(change_view);
}

/* A promise counts for the calls behind it: those before may break it, and work
 * on all ranks; those after fail on all of them. */
static void promise(const char *name)
{
    MPI_Request req[CALLS];
    MPI_Status status[CALLS];
    MPI_File fh;
    int rc, mine = strcmp(name, "same_io_size") ? BYTES : BYTES - rank;

    open_file(&fh, name);
    fill(1);
    for (int t = 0; t < TURNS; t++) {
        for (int c = 0; c < CALLS; c++)
            MUST(MPI_File_iwrite_at_all(fh, (MPI_Offset)c * BYTES, data[c],
                                        mine, MPI_BYTE, &req[c]));
        set_hint(fh, name, in_turn(t, "yes", "no"));
        rc = MPI_Waitall(CALLS, req, status);
        EXPECT_EQ(rc, t % 2 ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
        for (int c = 0; c < CALLS && t % 2; c++)
            EXPECT(status[c].MPI_ERROR != MPI_SUCCESS);
    }
    MUST(MPI_File_close(&fh));
}

static void same_size(void)
{
    promise("same_io_size");
}

static void contiguous(void)
{
    promise("contiguous_data");
}

/* In atomic mode when issued: no call of another rank comes between its bytes,
 * whatever the mode is when it is done. */
static void atomic_kept(void)
{
    MPI_Request req;
    MPI_File fh;

    open_file(&fh, "atomic");
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    for (int t = 0; t < TURNS; t++) {
        fill(t);
        MUST(MPI_File_set_atomicity(fh, 1));
        MUST(MPI_File_iwrite_at_all(fh, 0, data[0], BYTES, MPI_BYTE, &req));
        MUST(MPI_File_set_atomicity(fh, 0));
        MUST(MPI_Wait(&req, MPI_STATUS_IGNORE));
        MUST(MPI_File_sync(fh));
        MUST(MPI_Barrier(MPI_COMM_WORLD));
        MUST(MPI_File_read_at(fh, 0, back[0], BYTES, MPI_BYTE,
                              MPI_STATUS_IGNORE));
        for (int i = 0; i < BYTES; i++)
            EXPECT_EQ((char)(back[0][i] - i * 7), back[0][0]);
        MUST(MPI_Barrier(MPI_COMM_WORLD));
    }
    MUST(MPI_File_close(&fh));
}

/* clang-format off */
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"ds_read", ds_read},
    {"cb_read", cb_read},
    {"cb_write", cb_write},
    {"ds_in_coll", ds_in_coll},
    {"threshold", threshold},
    {"atomic_read", atomic_read},
    {"atomic_write", atomic_write},
    {"atomic_kept", atomic_kept},
    {"view_read", view_read},
    {"view_write", view_write},
    {"same_size", same_size},
    {"contiguous", contiguous},
};
/* clang-format on */

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static int is_named(char **names, const char *name)
{
    if (!*names)
        return 1;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int opt, limit = 20;

    while ((opt = getopt(argc, argv, "l:L")) != -1) {
        if (opt == 'l')
            limit = atoi(optarg);
        for (int i = 0; opt == 'L' && i < CASES; i++)
            printf("%s\n", cases[i].name);
        if (opt != 'l')
            return opt == 'L' ? 0 : 2;
    }
    if (optind == argc)
        return 2;
    prefix = argv[optind++];
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    for (int i = 0; i < CASES; i++) {
        if (!is_named(argv + optind, cases[i].name))
            continue;
        alarm(limit);
        cases[i].run();
        MUST(MPI_Barrier(MPI_COMM_WORLD));
        alarm(0);
        if (rank == 0)
            printf("ok %s\n", cases[i].name);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
