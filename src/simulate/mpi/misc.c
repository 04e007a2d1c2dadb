/* misc.c - the rest of MPI: datatypes by the real MPICH, windows, time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmpi.h"
#include "vmpi_calls.h"

void vmpi_wrong(const char *fmt, ...)
{
    static char text[400];
    va_list ap;
    int n = snprintf(text, sizeof(text), "rank %d: ", sched_rank);

    va_start(ap, fmt);
    vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
    va_end(ap);
    sched_fail(text);
}

int vmpi_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    vmpi_wrong("MPI_Abort, code %d", code);
}

/* ---- datatypes ---- */

int type_is_named(MPI_Datatype type)
{
    return ((unsigned)type & 0xfc000000u) == 0x4c000000u;
}

/* As MPICH's handles have it: the second byte is the size. */
static MPI_Count named_size(MPI_Datatype type)
{
    return (type >> 8) & 0xff;
}

MPI_Count type_bytes(MPI_Count n, MPI_Datatype type)
{
    MPI_Count size;

    if (type_is_named(type))
        return n * named_size(type);
    PMPI_Type_size_x(type, &size);
    return n * size;
}

MPI_Datatype type_hold(MPI_Datatype type)
{
    MPI_Datatype held = type;

    if (!type_is_named(type))
        PMPI_Type_dup(type, &held);
    return held;
}

void type_release(MPI_Datatype type)
{
    if (!type_is_named(type))
        PMPI_Type_free(&type);
}

/* From one place of this process to another, as a message to itself. MPI_Pack
 * would be shorter, but MPICH 4.0 packs nothing from MPI_BOTTOM, and too little
 * of a contiguous type as soon as 512 datatypes exist: it takes a part of the
 * handle for the size of an element. The types of all ranks exist here. */
static int copy_items(const void *from, MPI_Count n, MPI_Datatype type,
                      void *to, MPI_Count m, MPI_Datatype to_type)
{
    return PMPI_Sendrecv_c(from, n, type, 0, 0, to, m, to_type, 0, 0,
                           MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

void type_pack(const void *from, MPI_Count n, MPI_Datatype type, void *to)
{
    MPI_Count bytes = type_bytes(n, type);

    if (bytes == 0)
        return;
    if (type_is_named(type))
        memcpy(to, from, (size_t)bytes);
    else if (copy_items(from, n, type, to, bytes, MPI_BYTE))
        vmpi_wrong("%lld bytes cannot be packed", (long long)bytes);
}

void type_unpack(const void *from, MPI_Count bytes, void *to, MPI_Count n,
                 MPI_Datatype type)
{
    MPI_Count room = type_bytes(n, type), size = n ? room / n : 0;

    if (bytes > room)
        bytes = room;
    if (bytes == 0)
        return;
    if (type_is_named(type))
        memcpy(to, from, (size_t)bytes);
    else if (bytes % size)
        vmpi_wrong("%lld bytes are no whole number of elements of %lld",
                   (long long)bytes, (long long)size);
    else if (copy_items(from, bytes, MPI_BYTE, to, bytes / size, type))
        vmpi_wrong("%lld bytes cannot be unpacked", (long long)bytes);
}

void status_set_bytes(MPI_Status *status, MPI_Count bytes)
{
    PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
    PMPI_Status_set_cancelled(status, 0);
}

/* The communicator says only how bytes are represented: the same everywhere. */
int vmpi_Pack(const void *from, int n, MPI_Datatype type, void *to, int size,
              int *position, MPI_Comm comm)
{
    MPI_Count bytes = type_bytes(n, type);

    (void)comm;
    if (bytes > size - *position)
        return MPI_ERR_TRUNCATE;
    type_pack(from, n, type, (char *)to + *position);
    *position += (int)bytes;
    return MPI_SUCCESS;
}

int vmpi_Unpack(const void *from, int size, int *position, void *to, int n,
                MPI_Datatype type, MPI_Comm comm)
{
    MPI_Count bytes = type_bytes(n, type);

    (void)comm;
    if (bytes > size - *position)
        return MPI_ERR_TRUNCATE;
    type_unpack((const char *)from + *position, bytes, to, n, type);
    *position += (int)bytes;
    return MPI_SUCCESS;
}

int vmpi_Pack_size(int n, MPI_Datatype type, MPI_Comm comm, int *size)
{
    (void)comm;
    return PMPI_Pack_size(n, type, MPI_COMM_SELF, size);
}

/* ---- windows: shared memory only ---- */

struct window {
    char *base;
    MPI_Aint bytes;
    int unit, refs;
};
static struct window *windows[65536];
static int window_count;
#define WINDOW_KIND 0xa0000000u

static struct window *window_get(MPI_Win handle)
{
    unsigned i = (unsigned)handle - WINDOW_KIND;

    if (i >= (unsigned)window_count || !windows[i])
        vmpi_wrong("window %x is not valid", (unsigned)handle);
    return windows[i];
}

/* Rank 0 of the communicator has all the memory, as the driver asks for it. */
int vmpi_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                             MPI_Comm comm, void *base, MPI_Win *out)
{
    struct comm *c = comm_get(comm);
    int me = comm_rank(c, sched_rank);
    struct window *w;

    (void)info;
    if (me == 0) {
        if (window_count == (int)(sizeof(windows) / sizeof(*windows)))
            vmpi_wrong("too many windows");
        w = must_calloc(1, sizeof(*w));
        w->base = must_calloc(1, (size_t)bytes);
        w->bytes = bytes;
        w->unit = unit;
        w->refs = c->size;
        *out = (MPI_Win)(WINDOW_KIND + (unsigned)window_count);
        windows[window_count++] = w;
    }
    vmpi_Bcast(out, 1, MPI_INT, 0, comm);
    *(void **)base = window_get(*out)->base;
    return MPI_SUCCESS;
}

int vmpi_Win_shared_query(MPI_Win win, int rank, MPI_Aint *bytes, int *unit,
                          void *base)
{
    struct window *w = window_get(win);

    (void)rank;
    *bytes = w->bytes;
    *unit = w->unit;
    *(void **)base = w->base;
    return MPI_SUCCESS;
}

int vmpi_Win_free(MPI_Win *win)
{
    struct window *w = window_get(*win);

    if (--w->refs == 0) {
        windows[(unsigned)*win - WINDOW_KIND] = NULL;
        free(w->base);
        free(w);
    }
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* Only stock ROMIO's one-sided aggregation needs these, which is off. */
static int no_one_sided(void)
{
    vmpi_wrong("one-sided communication is not simulated");
}

int vmpi_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info,
                    MPI_Comm comm, MPI_Win *win)
{
    (void)base, (void)size, (void)unit, (void)info, (void)comm, (void)win;
    return no_one_sided();
}

int vmpi_Win_lock(int type, int rank, int assert, MPI_Win win)
{
    (void)type, (void)rank, (void)assert, (void)win;
    return no_one_sided();
}

int vmpi_Win_unlock(int rank, MPI_Win win)
{
    (void)rank, (void)win;
    return no_one_sided();
}

int vmpi_Put(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint at,
             int m, MPI_Datatype to_type, MPI_Win win)
{
    (void)from, (void)n, (void)type, (void)rank, (void)at, (void)m;
    (void)to_type, (void)win;
    return no_one_sided();
}

int vmpi_Get(void *to, int n, MPI_Datatype type, int rank, MPI_Aint at, int m,
             MPI_Datatype from_type, MPI_Win win)
{
    (void)to, (void)n, (void)type, (void)rank, (void)at, (void)m;
    (void)from_type, (void)win;
    return no_one_sided();
}

int vmpi_Accumulate(const void *from, int n, MPI_Datatype type, int rank,
                    MPI_Aint at, int m, MPI_Datatype to_type, MPI_Op op,
                    MPI_Win win)
{
    (void)from, (void)n, (void)type, (void)rank, (void)at, (void)m;
    (void)to_type, (void)op, (void)win;
    return no_one_sided();
}

/* ---- the process ---- */

/* A rank is initialised before its program begins. */
int vmpi_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return MPI_SUCCESS;
}

int vmpi_Init_thread(int *argc, char ***argv, int wanted, int *level)
{
    (void)argc, (void)argv, (void)wanted;
    return vmpi_Query_thread(level);
}

int vmpi_Initialized(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

int vmpi_Finalized(int *flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int vmpi_Query_thread(int *level)
{
    *level = config.multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

double vmpi_Wtime(void)
{
    return (double)sched_time() / 1e9;
}

int vmpi_Get_processor_name(char *name, int *length)
{
    *length =
        snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%05d", node_of(sched_rank));
    return MPI_SUCCESS;
}
