/* pvars.c - a tool that reads the driver's counters through MPI_T
 *
 * usage: pvars DIRECTORY [some]
 *
 * DIRECTORY is on Lustre. some: only rank 0 uses MPI_T.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

enum {
    BLOCK = 65536, /* of a rank in a collective call, and the stripe size */
    CALLS = 3,     /* collective ones */
    SMALL = 100,   /* bytes of an independent one */
    WORD = 64,
};

static MPI_T_pvar_session session;
static int rank, ranks;
static int tool, all_use; /* this rank uses MPI_T; all do */
static char block[BLOCK];

static void use_mpi_t(void)
{
    int provided;

    if (!tool)
        return;
    MUST(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    MUST(MPI_T_pvar_session_create(&session));
}

static void leave_mpi_t(void)
{
    if (!tool)
        return;
    MUST(MPI_T_pvar_session_free(&session));
    MUST(MPI_T_finalize());
}

static int is_there(const char *name, int varclass)
{
    int index;

    return MPI_T_pvar_get_index(name, varclass, &index) == MPI_SUCCESS;
}

/* A handle comes late, when all was counted, and still tells all of it. */
static void read_variable(const char *name, int varclass, MPI_File fh,
                          void *value)
{
    MPI_T_pvar_handle handle;
    int index, count;

    MUST(MPI_T_pvar_get_index(name, varclass, &index));
    MUST(MPI_T_pvar_handle_alloc(session, index, &fh, &handle, &count));
    EXPECT_EQ(count, 1);
    MUST(MPI_T_pvar_read(session, handle, value));
    MUST(MPI_T_pvar_handle_free(session, &handle));
}

/* "calls", "hits", ... are counters, "bytes" are aggregates. */
static long long number(const char *name, MPI_File fh)
{
    unsigned long long value;
    char full[WORD];

    snprintf(full, sizeof(full), "romio_lustre_%s", name);
    read_variable(full,
                  strstr(name, "bytes") ? MPI_T_PVAR_CLASS_AGGREGATE
                                        : MPI_T_PVAR_CLASS_COUNTER,
                  fh, &value);
    return (long long)value;
}

/* Collective. */
static long long all_ranks(const char *name, MPI_File fh)
{
    long long mine = number(name, fh), sum;

    MUST(MPI_Allreduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    return sum;
}

static MPI_File open_file(const char *dir, const char *name, const char *mode)
{
    char path[4096];
    MPI_Info info;
    MPI_File fh;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "romio_cb_write", "enable"));
    MUST(MPI_Info_set(info, "striping_unit", "65536"));
    MUST(MPI_Info_set(info, "cray_cb_write_lock_mode", mode));
    MUST(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MUST(MPI_Info_free(&info));
    return fh;
}

/* Collective. */
static void use_file(MPI_File fh)
{
    for (int i = 0; i < CALLS; i++)
        MUST(MPI_File_write_at_all(fh, (i * ranks + rank) * (MPI_Offset)BLOCK,
                                   block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(
        MPI_File_read_at_all(fh, 0, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void write_alone(MPI_File fh)
{
    MUST(MPI_File_write_at(fh, rank * SMALL, block, SMALL, MPI_BYTE,
                           MPI_STATUS_IGNORE));
}

static void check_lock_mode(MPI_File fh, int mode, const char *text)
{
    char name[WORD], word[WORD];
    int index, value, verbosity, varclass, binding, readonly, continuous;
    int atomic, len = WORD;
    MPI_Datatype type;
    MPI_T_enum words;

    MUST(MPI_T_pvar_get_index("romio_lustre_lock_mode", MPI_T_PVAR_CLASS_STATE,
                              &index));
    MUST(MPI_T_pvar_get_info(index, name, &len, &verbosity, &varclass, &type,
                             &words, NULL, NULL, &binding, &readonly,
                             &continuous, &atomic));
    EXPECT_EQ(binding, MPI_T_BIND_MPI_FILE);
    EXPECT(readonly && continuous);
    read_variable(name, varclass, fh, &value);
    EXPECT_EQ(value, mode);
    len = WORD;
    MUST(MPI_T_enum_get_item(words, mode, &value, word, &len));
    EXPECT_EQ(value, mode);
    EXPECT(!strcmp(word, text));
}

/* Collective. Everything a rank did, and what all did together. */
static void check_counts(MPI_File fh)
{
    long long done = ranks * (long long)CALLS * BLOCK;

    EXPECT_EQ(number("write_collective_calls", fh), CALLS);
    EXPECT_EQ(number("write_collective_bytes", fh), CALLS * BLOCK);
    EXPECT_EQ(number("write_independent_calls", fh), 0);
    EXPECT_EQ(number("read_collective_calls", fh), 1);
    EXPECT_EQ(number("read_collective_bytes", fh), BLOCK);
    EXPECT_EQ(all_ranks("write_system_bytes", fh), done);
    EXPECT_EQ(all_ranks("write_system_calls", fh), done / BLOCK);
    /* the first call of an aggregator locks the whole object, not ahead */
    EXPECT_EQ(all_ranks("write_lock_hits", fh) +
                  all_ranks("write_lock_misses", fh),
              done / BLOCK - ranks);
    EXPECT(all_ranks("write_lock_hits", fh) > 0);
    EXPECT(all_ranks("read_system_bytes", fh) > 0);
}

/* Each file has its own numbers; none has any after it is closed. */
static void check_own(MPI_File one, MPI_File other)
{
    check_lock_mode(one, 2, "lockahead");
    check_lock_mode(other, 0, "extent locks");
    EXPECT_EQ(number("write_independent_calls", other), 1);
    EXPECT_EQ(number("write_independent_bytes", other), SMALL);
    EXPECT_EQ(number("write_collective_calls", other), 0);
    EXPECT_EQ(number("write_collective_calls", one), CALLS);
}

static void check_uncounted(MPI_File fh)
{
    EXPECT_EQ(number("write_collective_calls", fh), 0);
    EXPECT_EQ(number("write_collective_calls", MPI_FILE_NULL), 0);
}

/* Collective. Two files side by side. */
static void two_files(const char *dir)
{
    MPI_File one = open_file(dir, "one", "2"), gone = one;
    MPI_File other = open_file(dir, "other", "0");

    use_file(one);
    write_alone(other);
    if (tool)
        check_own(one, other);
    if (all_use)
        check_counts(one);
    MUST(MPI_File_close(&one));
    if (tool)
        check_uncounted(gone);
    MUST(MPI_File_close(&other));
}

int main(int argc, char **argv)
{
    MPI_File before;

    MUST(MPI_Init(&argc, &argv));
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    EXPECT(argc == 2 || argc == 3);
    all_use = argc == 2;
    tool = all_use || rank == 0;
    before = open_file(argv[1], "before", "2");
    use_file(before);
    use_mpi_t();
    EXPECT(!is_there("romio_lustre_lock_mode", MPI_T_PVAR_CLASS_STATE));
    for (int i = 0; i < 2; i++)
        two_files(argv[1]);
    if (tool)
        check_uncounted(before);
    MUST(MPI_File_close(&before));
    /* Not earlier: MPICH 4.0.2's own MPI_Comm_dup breaks behind it. */
    leave_mpi_t();
    MUST(MPI_Finalize());
    return 0;
}
