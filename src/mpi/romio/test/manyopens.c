/* manyopens.c - opens a file again and again, and looks for what is left over
 *
 *   manyopens N DIRECTORY
 *
 * Each time: a collective open, write and close; an open that fails; an open
 * on MPI_COMM_SELF. After a tenth of them (caches are warm then) descriptors
 * and memory are noted; at the end there must be no more descriptors, and
 * memory must not have grown by more than 2 KiB an open.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <limits.h>
#include <unistd.h>

static int rank;

/* Resident memory in KiB. */
static long memory(void)
{
    FILE *in = fopen("/proc/self/statm", "r");
    long size, resident;

    EXPECT(in && fscanf(in, "%ld %ld", &size, &resident) == 2);
    fclose(in);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void open_write_close(MPI_Comm comm, const char *name, MPI_Info info)
{
    MPI_File fh;

    MUST(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    MUST(MPI_File_write_at_all(fh, 4 * rank, &rank, 1, MPI_INT,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_close(&fh));
}

static void once(const char *dir, MPI_Info info)
{
    char name[PATH_MAX];
    MPI_File fh;

    snprintf(name, sizeof(name), "%s/many", dir);
    open_write_close(MPI_COMM_WORLD, name, info);
    snprintf(name, sizeof(name), "%s/none", dir);
    EXPECT_EQ(class_of(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY,
                                     info, &fh)),
              MPI_ERR_NO_SUCH_FILE);
    snprintf(name, sizeof(name), "%s/own.%d", dir, rank);
    open_write_close(MPI_COMM_SELF, name, MPI_INFO_NULL);
}

int main(int argc, char **argv)
{
    int n, fds = 0;
    long kib = 0, more;
    double start;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    EXPECT(argc == 3);
    n = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "striping_factor", "2"));
    start = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        once(argv[2], info);
        if (i == n / 10) {
            fds = open_descriptors();
            kib = memory();
        }
    }
    MPI_Info_free(&info);
    EXPECT_EQ(open_descriptors(), fds);
    more = memory() - kib;
    printf("rank %d: %d opens of each kind, %.3f ms, %ld KiB more\n", rank, n,
           1e3 * (MPI_Wtime() - start) / n, more);
    EXPECT(more < 1024 + n * 2L);
    MPI_Finalize();
    return 0;
}
