/* nomemory.c - every allocation of the plug-in fails once
 *
 * usage: nomemory [--from N] [--rank R] FILE, with failalloc.so preloaded.
 *
 * Opens, writes, reads and closes a file, collectively and alone, blocking and
 * not; the n-th allocation of rank R fails (-1: of every rank), for n from N
 * on until there are no more. Rank 0 prints "now N" before each. Errors are
 * fine, on all ranks of a collective call alike; so is a job that ends with a
 * word about memory. Hanging ("hangs: N"), crashing, wrong bytes and a call
 * after which nothing works are not.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include "expect.h"

enum {
    PIECE = 4096,
    PIECES = 16,
    BYTES = PIECE * PIECES,
    CALLS = 3,
    OTHERS = 5,
    SECONDS = 200,
};

static int rank, size, failing = -1;
static int changed; /* what MPI_File_set_info returned */
static MPI_Comm others[OTHERS];
static long now;
static char mine[BYTES], got[BYTES];
static void (*arm)(long n);
static long (*seen)(void);

static void too_long(int sig)
{
    char text[40];
    int n = snprintf(text, sizeof(text), "hangs: %ld\n", now);

    (void)sig;
    if (write(STDERR_FILENO, text, n) < 0)
        _exit(4);
    _exit(3);
}

/* All ranks must have the same error. Returns whether it was one. */
static int failed_alike(int code)
{
    int mine_too = code != MPI_SUCCESS, any, all;

    arm(0);
    MPI_Allreduce(&mine_too, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine_too, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    EXPECT_EQ(any, all);
    return any;
}

static MPI_Datatype make_view(void)
{
    MPI_Datatype pieces, view;

    MUST(MPI_Type_vector(PIECES, PIECE, PIECE * size, MPI_BYTE, &pieces));
    MUST(MPI_Type_create_resized(pieces, 0, BYTES * size, &view));
    MUST(MPI_Type_free(&pieces));
    MUST(MPI_Type_commit(&view));
    return view;
}

/* What failed is not there; what succeeded is. */
static void check_read(int code)
{
    if (code == MPI_SUCCESS)
        EXPECT(memcmp(mine, got, BYTES) == 0);
    memset(got, 0, BYTES);
}

/* Calls like the one before: those that left no hole are known not to leave
 * one again, and no rank asks how far the others are. */
static void use_in_turn(MPI_File fh, MPI_Offset first, MPI_Offset step)
{
    int wrote[CALLS], code;

    for (int k = 0; k < CALLS; k++)
        wrote[k] = MPI_File_write_at_all(fh, first + k * step, mine, BYTES,
                                         MPI_BYTE, MPI_STATUS_IGNORE);
    for (int k = 0; k < CALLS; k++) {
        code = MPI_File_read_at_all(fh, first + k * step, got, BYTES, MPI_BYTE,
                                    MPI_STATUS_IGNORE);
        if (wrote[k] == MPI_SUCCESS)
            check_read(code);
    }
}

static int change_hints(MPI_File fh)
{
    MPI_Info info;
    int code;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "romio_cb_read", "enable");
    code = MPI_File_set_info(fh, info);
    MPI_Info_free(&info);
    return code;
}

/* All ranks have the new hints, or none of them has. */
static void check_hints(MPI_File fh)
{
    char value[40] = "";
    MPI_Info info;
    int found, has;

    MUST(MPI_File_get_info(fh, &info));
    MUST(
        MPI_Info_get(info, "romio_cb_write", sizeof(value) - 1, value, &found));
    MPI_Info_free(&info);
    has = strcmp(value, "enable") == 0;
    failed_alike(has ? MPI_SUCCESS : MPI_ERR_OTHER);
    if (changed == MPI_SUCCESS)
        EXPECT(has);
}

/* The calls, in the order a program makes them: in small pieces, in large ones,
 * nonblocking, alone. A collective one that failed on some ranks only would
 * leave the others waiting in the next. */
static void use(MPI_File fh, MPI_Datatype view)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code, wrote;

    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    use_in_turn(fh, rank * BYTES, size * BYTES);
    MPI_File_set_view(fh, rank * PIECE, MPI_BYTE, view, "native",
                      MPI_INFO_NULL);
    use_in_turn(fh, 0, BYTES);
    changed = change_hints(fh);
    code = MPI_File_iwrite_at_all(fh, 0, mine, BYTES, MPI_BYTE, &request);
    if (code == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrote = MPI_File_write_at(fh, 0, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    code = MPI_File_read_at(fh, 0, got, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    if (wrote == MPI_SUCCESS)
        check_read(code);
}

/* Without the fault the handle works again, or can at least be closed. */
static void use_again(MPI_File fh)
{
    int wrote, code;

    failed_alike(changed);
    check_hints(fh);
    wrote =
        MPI_File_write_at_all(fh, 0, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    failed_alike(wrote);
    code = MPI_File_read_at_all(fh, 0, got, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    failed_alike(code);
    if (wrote == MPI_SUCCESS)
        check_read(code);
}

/* The same ranks in other orders. */
static void make_others(void)
{
    for (int i = 0; i < OTHERS; i++) {
        int turned = (rank + i / 2 + 1) % size;

        MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? turned : -turned,
                            &others[i]));
    }
}

/* Files of other communicators, more than the driver keeps anything for: what
 * the last file of all ranks had allocated is allocated again. */
static void forget(const char *file)
{
    MPI_File fh;

    for (int i = 0; i < OTHERS; i++) {
        MUST(MPI_File_open(others[i], file, MPI_MODE_CREATE | MPI_MODE_RDWR,
                           MPI_INFO_NULL, &fh));
        MUST(MPI_File_close(&fh));
    }
}

/* Returns how many allocations there were on the rank that fails. */
static long attempt(const char *file, MPI_Datatype view)
{
    int fails = failing < 0 || failing == rank;
    long n, most;
    MPI_File fh;
    int code;

    forget(file);
    MPI_Barrier(MPI_COMM_WORLD);
    arm(fails ? now : 0);
    code = MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &fh);
    if (code == MPI_SUCCESS)
        use(fh, view);
    n = seen();
    if (!failed_alike(code)) {
        use_again(fh);
        MPI_File_close(&fh);
    }
    n = fails ? n : 0;
    MPI_Allreduce(&n, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int parse(int argc, char **argv)
{
    static const struct option names[] = {
        {"from", 1, NULL, 'f'}, {"rank", 1, NULL, 'r'}, {0}};
    int opt;

    now = 1;
    while ((opt = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (opt == 'f')
            now = atol(optarg);
        else if (opt == 'r')
            failing = atoi(optarg);
        else
            return -1;
    }
    return optind + 1 == argc && now > 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    MPI_Datatype view;
    long calls;

    if (parse(argc, argv)) {
        fprintf(stderr, "usage: nomemory [--from N] [--rank R] FILE\n");
        return 2;
    }
    MUST(MPI_Init(&argc, &argv));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    arm = (void (*)(long))dlsym(RTLD_DEFAULT, "failalloc_arm");
    seen = (long (*)(void))dlsym(RTLD_DEFAULT, "failalloc_seen");
    EXPECT(arm && seen);
    signal(SIGALRM, too_long);
    for (int i = 0; i < BYTES; i++)
        mine[i] = (char)(i * 7 + i / 250 + rank);
    view = make_view();
    make_others();
    do {
        if (rank == 0) {
            printf("now %ld\n", now);
            fflush(stdout);
        }
        alarm(SECONDS);
        calls = attempt(argv[optind], view);
    } while (calls >= now++);
    alarm(0);
    if (rank == 0)
        printf("end %ld\n", calls);
    for (int i = 0; i < OTHERS; i++)
        MPI_Comm_free(&others[i]);
    MPI_Type_free(&view);
    MPI_Finalize();
    return 0;
}
