/* largecount.c - MPI_File calls with counts beyond INT_MAX
 *
 * ROMIO 4.0 counts in int, and asserts that a count fits. This file has the
 * calls with an MPI_Count in place of ROMIO's own. A count that fits is passed
 * to the call with an int. A larger one becomes one element of a type that is
 * made for it. The status has the number of bytes, so MPI_Get_count_c and the
 * like are right in both cases.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <limits.h>
#include <stdint.h>

#include "adio.h"

enum { CHUNK = 1 << 30 };

/* The count and type to call with. `made` is ours, or MPI_DATATYPE_NULL. */
struct arg {
    int n;
    MPI_Datatype type, made;
};

/* Local. CHUNK elements several times, and the rest. */
static MPI_Datatype make_type(MPI_Count count, MPI_Datatype type)
{
    MPI_Count lb, extent;
    MPI_Datatype chunk, part[2], whole;
    MPI_Aint at[2];
    int len[2] = {1, 1};

    PMPI_Type_get_extent_x(type, &lb, &extent);
    PMPI_Type_contiguous(CHUNK, type, &chunk);
    PMPI_Type_contiguous((int)(count / CHUNK), chunk, &part[0]);
    PMPI_Type_contiguous((int)(count % CHUNK), type, &part[1]);
    at[0] = 0;
    at[1] = (MPI_Aint)(count / CHUNK * CHUNK * extent);
    PMPI_Type_create_struct(count % CHUNK ? 2 : 1, len, at, part, &whole);
    PMPI_Type_commit(&whole);
    PMPI_Type_free(&chunk);
    PMPI_Type_free(&part[0]);
    PMPI_Type_free(&part[1]);
    return whole;
}

/* More bytes than there are: an invalid count, which ROMIO reports. */
static int too_much(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size, lb, extent, bytes;

    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lb, &extent);
    return count / CHUNK > INT_MAX ||
           __builtin_mul_overflow(count, size, &bytes) ||
           __builtin_mul_overflow(count, extent, &bytes);
}

/* MPI is called in the section only: in the plug-in its names are bound there
 * if MPI was loaded late. */
static struct arg arg_of_large(MPI_Count count, MPI_Datatype type)
{
    struct arg a = {.n = -1, .type = type, .made = MPI_DATATYPE_NULL};

    MPIR_Ext_cs_enter();
    if (!too_much(count, type)) {
        a.n = 1;
        a.type = a.made = make_type(count, type);
    }
    MPIR_Ext_cs_exit();
    return a;
}

static struct arg arg_of(MPI_Count count, MPI_Datatype type)
{
    struct arg a = {.n = -1, .type = type, .made = MPI_DATATYPE_NULL};

    if (count > INT_MAX && type != MPI_DATATYPE_NULL)
        return arg_of_large(count, type);
    if (count >= 0 && count <= INT_MAX)
        a.n = (int)count;
    return a;
}

/* The call is over. */
static int over(struct arg *a, int rc)
{
    if (a->made != MPI_DATATYPE_NULL)
        PMPI_Type_free(&a->made);
    return rc;
}

static int free_type(MPI_Comm comm, int key, void *value, void *unused)
{
    MPI_Datatype type = (MPI_Datatype)(intptr_t)value;

    (void)comm;
    (void)key;
    (void)unused;
    return PMPI_Type_free(&type);
}

/* The call has only begun. ROMIO's other drivers look at the type later on:
 * it stays until the file is closed. */
static int begun(struct arg *a, MPI_File fh, int rc)
{
    int key;

    if (rc != MPI_SUCCESS || a->made == MPI_DATATYPE_NULL)
        return over(a, rc);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_type, &key, NULL);
    PMPI_Comm_set_attr(((ADIO_File)fh)->comm, key, (void *)(intptr_t)a->made);
    PMPI_Comm_free_keyval(&key);
    return rc;
}

/* mpioprof.h and mpipr.h do not know these names, so that both are free.
 * In the fork both are here, in place of ROMIO's weak ones. */
#ifdef ADL_IN_MPICH
#define ALSO(name) __attribute__((alias(#name), visibility("default")))
#else
#define ALSO(name) __attribute__((weak, alias(#name), visibility("default")))
#endif
#define ENTRY(name, params)                                    \
    int MPI_File_##name##_c params ALSO(PMPI_File_##name##_c); \
    __attribute__((visibility("default"))) int PMPI_File_##name##_c params

/* Six shapes of arguments. `in`: the buffer is const. */
#define AT_STATUS(name, in)                                                  \
    ENTRY(name, (MPI_File fh, MPI_Offset offset, in void *buf,               \
                 MPI_Count count, MPI_Datatype type, MPI_Status *status))    \
    {                                                                        \
        struct arg a = arg_of(count, type);                                  \
                                                                             \
        return over(&a,                                                      \
                    PMPI_File_##name(fh, offset, buf, a.n, a.type, status)); \
    }
#define AT_REQUEST(name, in)                                                   \
    ENTRY(name, (MPI_File fh, MPI_Offset offset, in void *buf,                 \
                 MPI_Count count, MPI_Datatype type, MPI_Request *request))    \
    {                                                                          \
        struct arg a = arg_of(count, type);                                    \
                                                                               \
        return begun(&a, fh,                                                   \
                     PMPI_File_##name(fh, offset, buf, a.n, a.type, request)); \
    }
#define AT_BEGIN(name, in)                                                    \
    ENTRY(name, (MPI_File fh, MPI_Offset offset, in void *buf,                \
                 MPI_Count count, MPI_Datatype type))                         \
    {                                                                         \
        struct arg a = arg_of(count, type);                                   \
                                                                              \
        return begun(&a, fh, PMPI_File_##name(fh, offset, buf, a.n, a.type)); \
    }
#define STATUS(name, in)                                                 \
    ENTRY(name, (MPI_File fh, in void *buf, MPI_Count count,             \
                 MPI_Datatype type, MPI_Status *status))                 \
    {                                                                    \
        struct arg a = arg_of(count, type);                              \
                                                                         \
        return over(&a, PMPI_File_##name(fh, buf, a.n, a.type, status)); \
    }
#define REQUEST(name, in)                                                      \
    ENTRY(name, (MPI_File fh, in void *buf, MPI_Count count,                   \
                 MPI_Datatype type, MPI_Request *request))                     \
    {                                                                          \
        struct arg a = arg_of(count, type);                                    \
                                                                               \
        return begun(&a, fh, PMPI_File_##name(fh, buf, a.n, a.type, request)); \
    }
#define BEGIN(name, in)                                                    \
    ENTRY(name,                                                            \
          (MPI_File fh, in void *buf, MPI_Count count, MPI_Datatype type)) \
    {                                                                      \
        struct arg a = arg_of(count, type);                                \
                                                                           \
        return begun(&a, fh, PMPI_File_##name(fh, buf, a.n, a.type));      \
    }

/* clang-format off */
AT_STATUS(read_at,)
AT_STATUS(read_at_all,)
AT_STATUS(write_at, const)
AT_STATUS(write_at_all, const)
AT_REQUEST(iread_at,)
AT_REQUEST(iread_at_all,)
AT_REQUEST(iwrite_at, const)
AT_REQUEST(iwrite_at_all, const)
AT_BEGIN(read_at_all_begin,)
AT_BEGIN(write_at_all_begin, const)
STATUS(read,)
STATUS(read_all,)
STATUS(read_shared,)
STATUS(read_ordered,)
STATUS(write, const)
STATUS(write_all, const)
STATUS(write_shared, const)
STATUS(write_ordered, const)
REQUEST(iread,)
REQUEST(iread_all,)
REQUEST(iread_shared,)
REQUEST(iwrite, const)
REQUEST(iwrite_all, const)
REQUEST(iwrite_shared, const)
BEGIN(read_all_begin,)
BEGIN(read_ordered_begin,)
BEGIN(write_all_begin, const)
BEGIN(write_ordered_begin, const)
/* clang-format on */
