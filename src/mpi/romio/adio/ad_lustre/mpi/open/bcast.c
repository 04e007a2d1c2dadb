/* bcast.c - broadcast bytes of rank 0 whose number only rank 0 knows */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "bcast.h"

#include <stdint.h>
#include <string.h>

#include "adio.h"

#define ROOM 8184

struct first {
    int word;
    uint32_t total;
    char bytes[ROOM];
};

static void send_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb)
{
    struct first first;

    *word = sb->err < 0 && *word >= 0 ? sb->err : *word;
    memset(&first, 0, sizeof(first));
    first.word = *word;
    first.total = *word < 0 ? 0 : (uint32_t)sb->len;
    if (first.total > 0)
        memcpy(first.bytes, sb->text, sb->len < ROOM ? sb->len : ROOM);
    PMPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, comm);
    if (first.total > ROOM)
        PMPI_Bcast(sb->text + ROOM, (int)(sb->len - ROOM), MPI_BYTE, 0, comm);
}

static void receive_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb)
{
    struct first first;
    char *rest;

    PMPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, comm);
    *word = first.word;
    adl_strbuf_add(sb, first.bytes, first.total < ROOM ? first.total : ROOM);
    if (first.total > ROOM) {
        rest = ADIOI_Malloc(first.total - ROOM);
        PMPI_Bcast(rest, (int)(first.total - ROOM), MPI_BYTE, 0, comm);
        adl_strbuf_add(sb, rest, first.total - ROOM);
        ADIOI_Free(rest);
    }
}

void adl_bcast_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        send_bytes(comm, word, sb);
    else
        receive_bytes(comm, word, sb);
}
