/* known.c - results of ROMIO's reductions that the ranks know already */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "known.h"

#include "../../sys/section.h"

/* Something that was noted: valid in one call, for one communicator. */
struct note {
    long call; /* 0: none */
    MPI_Comm comm;
    MPI_Op op;
    int value;
};

static __thread struct note amodes, results, meetings;

static int note_holds(const struct note *n, MPI_Comm comm)
{
    return n->call > 0 && n->call == adl_section_call() && n->comm == comm;
}

static void put(struct note *n, MPI_Comm comm, MPI_Op op, int value)
{
    *n = (struct note){adl_section_call(), comm, op, value};
}

void adl_known_note_amode(MPI_Comm comm, int amode)
{
    put(&amodes, comm, MPI_OP_NULL, amode);
}

int adl_known_amode(MPI_Comm comm, int *amode)
{
    int there = note_holds(&amodes, comm);

    *amode = amodes.value;
    amodes.call = 0;
    return there;
}

void adl_known_note(MPI_Comm comm, MPI_Op op, int value)
{
    put(&results, comm, op, value);
}

int adl_known_take(MPI_Comm comm, int n, MPI_Datatype type, MPI_Op op,
                   int *value)
{
    if (n != 1 || type != MPI_INT || !note_holds(&results, comm) ||
        op != results.op)
        return 0;
    *value = results.value;
    results.call = 0;
    return 1;
}

void adl_known_note_met(MPI_Comm comm)
{
    put(&meetings, comm, MPI_OP_NULL, 0);
}

int adl_known_met(MPI_Comm comm)
{
    return note_holds(&meetings, comm);
}
