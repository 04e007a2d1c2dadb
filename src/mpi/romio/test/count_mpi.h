/* count_mpi.h - what count_mpi.c counts in a process */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef TEST_COUNT_MPI_H
#define TEST_COUNT_MPI_H

/* The engine's tags: below the first headers of messages about windows, from
 * there on the bytes that such a header announces, from the second on words of
 * agreements. */
#define COUNT_TAG_LARGE 1000
#define COUNT_TAG_WORDS 24000

enum count_kind { COUNT_WINDOWS, COUNT_LARGE, COUNT_WORDS, COUNT_KINDS };

struct mpi_counts {
    long long collectives, collective_bytes; /* number; the largest one */
    long long sends[COUNT_KINDS], sent[COUNT_KINDS]; /* number, bytes */
    long long synchronous;                           /* of all those, sent so */
    long long receives;
};

#endif
