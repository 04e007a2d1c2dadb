/* count_mpi.h - what count_mpi.c counts in a process */
#ifndef TEST_COUNT_MPI_H
#define TEST_COUNT_MPI_H

#define COUNT_TAG_DATA 2 /* the engine's tag of data messages */

struct mpi_counts {
    long long collectives, collective_bytes; /* number; the largest one */
    long long sends[2], sent[2]; /* others and data: number and bytes */
    long long receives;
};

#endif
