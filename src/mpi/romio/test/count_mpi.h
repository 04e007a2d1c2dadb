/* count_mpi.h - what count_mpi.c counts in a process */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef TEST_COUNT_MPI_H
#define TEST_COUNT_MPI_H

/* The engine's tags: below this messages about windows, from here on those with
 * the bytes of one large part. */
#define COUNT_TAG_LARGE 16384

struct mpi_counts {
    long long collectives, collective_bytes; /* number; the largest one */
    long long sends[2], sent[2]; /* windows' and large: number and bytes */
    long long receives;
};

#endif
