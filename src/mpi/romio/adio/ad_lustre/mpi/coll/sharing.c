/* sharing.c - the ranks of a node map one shared segment */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "sharing.h"

#include <errno.h>
#include <string.h>

#define PAGE 4096

/* A window may begin inside a page, at the same place in each process. */
static void *next_page(void *base)
{
    return (char *)base + (PAGE - (uintptr_t)base % PAGE) % PAGE;
}

/* All of it on the node's first rank. */
static int allocate_window(struct adl_segment *seg, MPI_Comm comm, MPI_Win *win)
{
    MPI_Errhandler old;
    MPI_Aint size;
    void *base;
    int rc, unit;

    PMPI_Comm_get_errhandler(comm, &old);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    rc = PMPI_Win_allocate_shared(seg->rank == 0 ? seg->bytes + PAGE : 0, 1,
                                  MPI_INFO_NULL, comm, &base, win);
    PMPI_Comm_set_errhandler(comm, old);
    if (old != MPI_ERRORS_RETURN && old != MPI_ERRORS_ARE_FATAL)
        PMPI_Errhandler_free(&old);
    if (rc != MPI_SUCCESS) {
        *win = MPI_WIN_NULL;
        return -ENOMEM;
    }
    PMPI_Win_shared_query(*win, 0, &size, &unit, &base);
    base = next_page(base);
    if (seg->rank == 0)
        memset(base, 0, (size_t)seg->bytes);
    adl_segment_use(seg, base);
    return 0;
}

/* Windows of MPI are made and freed together, or not at all. */
static int allocate_together(struct adl_segment *seg, MPI_Comm comm,
                             MPI_Win *win)
{
    int mine = seg != NULL, all;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all ? allocate_window(seg, comm, win) : -ENOMEM;
}

/* A rank that could make no segment takes part nevertheless. */
static int allocate_own(struct adl_segment *seg, const struct adl_team *team,
                        MPI_Comm comm)
{
    struct adl_shmem_card card = {.fd = -1};
    int rc = seg ? 0 : -ENOMEM;

    if (team->nodes.rank == 0 && rc == 0)
        rc = adl_segment_allocate(seg);
    if (team->nodes.rank == 0 && rc == 0)
        card = seg->card;
    adl_team_tell_node(team, comm, &card, sizeof(card));
    if (team->nodes.rank > 0 && rc == 0)
        rc = card.fd < 0 ? -ENOMEM : adl_segment_attach(seg, &card);
    /* Where there is no memory, a window of MPI would not find any either. */
    return rc == 0 || rc == -ENOMEM ? rc : -ENOTSUP;
}

int adl_sharing_begin(struct adl_team *team, MPI_Comm comm,
                      const struct adl_segment_shape *shape, int rc,
                      MPI_Win *win, struct adl_segment **out)
{
    struct adl_segment *seg =
        rc < 0 ? NULL
               : adl_segment_create(shape, team->nodes.rank, team->nodes.size);

    rc = win ? allocate_together(seg, adl_team_node_comm(team, comm), win)
             : allocate_own(seg, team, comm);
    if (rc < 0) {
        adl_segment_destroy(seg);
        return rc;
    }
    *out = seg;
    return 0;
}

void adl_sharing_end(struct adl_segment *seg, MPI_Win *win)
{
    if (*win != MPI_WIN_NULL)
        PMPI_Win_free(win);
    adl_segment_destroy(seg);
}
