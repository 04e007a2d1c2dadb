/* messages.c - what the ranks send each other in a collective write
 *
 * messages FILE OWNERS CALLS [BYTES]: all ranks but the last two of each node
 * write an interleaved pattern CALLS times, 1 MiB or BYTES a rank each time, in
 * stripes and windows of 64 KiB. Each rank prints a line of counts for the
 * calls after the first; rank 0 adds what the formula allows.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "count_mpi.h"
#include "expect.h"

#define STRIPE 65536
#define SHARE (1 << 20)
#define BLOCK 1024

static MPI_File open_file(const char *name, const char *owners)
{
    MPI_Info info;
    MPI_File fh;

    MPI_Info_create(&info);
    MPI_Info_set(info, "striping_unit", "65536");
    MPI_Info_set(info, "striping_factor", owners);
    MPI_Info_set(info, "cb_nodes", owners);
    MPI_Info_set(info, "cb_buffer_size", "196608");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Blocks of BLOCK bytes in turn; those who write come first in the file. */
static void set_view(MPI_File fh, int writer, int writers)
{
    MPI_Datatype block, tile;

    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * writers, &tile);
    MPI_Type_commit(&tile);
    MUST(MPI_File_set_view(fh, (MPI_Offset)writer * BLOCK, MPI_BYTE, tile,
                           "native", MPI_INFO_NULL));
    MPI_Type_free(&block);
    MPI_Type_free(&tile);
}

int main(int argc, char **argv)
{
    struct mpi_counts *counts = dlsym(RTLD_DEFAULT, "mpi_counts"), seen;
    int rank, size, node_rank, node_size, idle, writers, writer, nodes;
    long long calls, windows, share;
    MPI_Comm node;
    char *buf = calloc(1, SHARE);
    MPI_File fh;

    MPI_Init(&argc, &argv);
    EXPECT(argc == 4 || argc == 5);
    EXPECT(counts != NULL);
    calls = atoi(argv[3]);
    share = argc > 4 ? atoi(argv[4]) : SHARE;
    EXPECT(share > 0 && share <= SHARE && share % BLOCK == 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
                        MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    idle = node_rank >= node_size - 2 && node_size > 2;
    writer = !idle;
    MPI_Allreduce(&writer, &writers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(&(int){!idle}, &writer, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&(int){node_rank == 0}, &nodes, 1, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    fh = open_file(argv[1], argv[2]);
    set_view(fh, idle ? 0 : writer - 1, writers);
    for (int i = 0; i <= calls; i++) {
        if (i == 1)
            memset(counts, 0, sizeof(*counts));
        MUST(MPI_File_write_all(fh, buf, idle ? 0 : (int)share, MPI_BYTE,
                                MPI_STATUS_IGNORE));
    }
    seen = *counts;
    windows = writers * share / STRIPE / atoi(argv[2]) + 1;
    for (int r = 0; r < size; r++) {
        if (r == rank)
            printf("rank %d %s %s: collectives %lld words %lld of %lld bytes; "
                   "data %lld bytes %lld large %lld synchronous %lld receives "
                   "%lld\n",
                   rank, node_rank ? "member" : "leader",
                   idle ? "idle" : "busy", seen.collectives,
                   seen.sends[COUNT_WORDS], seen.sent[COUNT_WORDS],
                   seen.sends[COUNT_WINDOWS], seen.sent[COUNT_WINDOWS],
                   seen.sends[COUNT_LARGE], seen.synchronous, seen.receives);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("limit: %lld\n", calls * (nodes - 1) * atoi(argv[2]) * windows);
    MUST(MPI_File_close(&fh));
    MPI_Comm_free(&node);
    free(buf);
    MPI_Finalize();
    return 0;
}
