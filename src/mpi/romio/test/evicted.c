/* evicted.c - clients are evicted: what MPI_File_close says, the next file
 *
 * usage: evicted FILE WHEN WHO [HINT VALUE]...
 *   WHEN  close: after the last write; N: before a client's N-th write call
 *   WHO   a client's number, all or none
 * Every rank prints whether its eight collective writes and the close failed.
 * Rank 0 prints how many of the bytes are not in the file, and the seconds that
 * the close took. Then all write and close another file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include "expect.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#define CALLS 8
#define BLOCK 65536
#define BLOCKS 4 /* of a rank in a call, in turn with the others' */

static int rank, size;
static char buf[BLOCK * BLOCKS];

/* The faults of this process; none where it is not on lustre-sim. */
static void set_faults(const char *when, const char *who)
{
    int (*set)(const char *) =
        (int (*)(const char *))dlsym(RTLD_DEFAULT, "lustre_sim_set_faults");
    char text[128], client[32] = "";

    if (strcmp(who, "none") == 0)
        return;
    if (strcmp(who, "all") != 0)
        snprintf(client, sizeof(client), ":client=%s", who);
    if (strcmp(when, "close") == 0)
        snprintf(text, sizeof(text), "any:n=1%s:evict", client);
    else
        snprintf(text, sizeof(text), "write:n=%s%s:evict", when, client);
    if (!set || set(text))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static int write_call(MPI_File fh, int call)
{
    MPI_Datatype view;
    int rc;

    MPI_Type_vector(BLOCKS, BLOCK, BLOCK * size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(
        fh, ((MPI_Offset)call * BLOCKS * size + rank) * (MPI_Offset)BLOCK,
        MPI_BYTE, view, "native", MPI_INFO_NULL);
    MPI_Type_free(&view);
    rc = MPI_File_write_all(fh, buf, BLOCK * BLOCKS, MPI_BYTE,
                            MPI_STATUS_IGNORE);
    return rc;
}

static long missing(const char *name)
{
    static char all[BLOCK];
    long lost = 0, want = (long)CALLS * BLOCKS * BLOCK * size;
    int fd = open(name, O_RDONLY);

    for (long at = 0; at < want; at += BLOCK) {
        ssize_t n = fd < 0 ? 0 : pread(fd, all, BLOCK, at);

        for (long i = 0; i < BLOCK; i++)
            lost += i >= n || all[i] != 'A' + (int)(at / BLOCK % size);
    }
    if (fd >= 0)
        close(fd);
    return lost;
}

static MPI_File open_file(const char *name, MPI_Info info)
{
    MPI_File fh;

    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);
    return fh;
}

int main(int argc, char **argv)
{
    char next[4096], text[MPI_MAX_ERROR_STRING] = "";
    int wrote = MPI_SUCCESS, closed, rc, n;
    double t;
    MPI_Info info;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    memset(buf, 'A' + rank, sizeof(buf));
    MPI_Info_create(&info);
    for (int i = 4; i + 1 < argc; i += 2)
        MPI_Info_set(info, argv[i], argv[i + 1]);
    fh = open_file(argv[1], info);
    if (strcmp(argv[2], "close") != 0)
        set_faults(argv[2], argv[3]);
    for (int call = 0; call < CALLS; call++) {
        rc = write_call(fh, call);
        wrote = rc == MPI_SUCCESS ? wrote : class_of(rc);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[2], "close") == 0)
        set_faults(argv[2], argv[3]);
    t = MPI_Wtime();
    rc = MPI_File_close(&fh);
    t = MPI_Wtime() - t;
    closed = class_of(rc);
    if (rc != MPI_SUCCESS)
        MPI_Error_string(rc, text, &n);
    printf("rank %d: write %d, close %d\n", rank, wrote != MPI_SUCCESS,
           closed != MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("missing %ld, close %.3f s\n%s\n", missing(argv[1]), t, text);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(next, sizeof(next), "%s.next", argv[1]);
    fh = open_file(next, info);
    for (int call = 0; call < CALLS; call++)
        MUST(write_call(fh, call));
    MUST(MPI_File_close(&fh));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("next: missing %ld\n", missing(next));
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
