/* ad_lustre.c - the driver's function table and entry points
 *
 * The entry points only convert arguments and errors; the work is in mpi/.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "adio.h"
#include "ad_lustre_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "mpi/file/access.h"
#include "mpi/coll/coll.h"
#include "mpi/coll/request.h"
#include "mpi/file/descriptor.h"
#include "mpi/file/errcode.h"
#include "mpi/file/failure.h"
#include "mpi/file/file.h"
#include "mpi/indep/fsize.h"
#include "mpi/indep/indep.h"
#include "mpi/file/info.h"
#include "mpi/locks/lockmode.h"
#include "mpi/open/open.h"
#include "mpi/open/pointer.h"
#include "mpi/progress/known.h"
#include "mpi/progress/overdue.h"
#include "mpi/indep/sync.h"
#include "sys/lock.h"
#include "sys/mem.h"

/* Collective, at the end of an entry point: `rc` is the same on all ranks. */
static int shared_error_code(ADIO_File fd, const char *where, int rc)
{
    rc = adl_failure_share(adl_file_of(fd), rc);
    adl_overdue_in(NULL);
    return adl_error_code(fd, where, rc);
}

static void lustre_open(ADIO_File fd, int *error_code)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    int64_t t = adl_prof_now(prof);

    *error_code =
        adl_error_code(fd, "ADIOI_LUSTRE_OPEN", adl_descriptor_open(fd));
    adl_prof_opened(prof, t);
}

static void lustre_open_coll(ADIO_File fd, int rank, int access_mode,
                             int *error_code)
{
    (void)rank;
    adl_overdue_in("MPI_File_open");
    *error_code = shared_error_code(fd, "ADIOI_LUSTRE_OPENCOLL",
                                    adl_open_coll(fd, access_mode));
    /* All ranks have an error or none: ROMIO reduces the codes next. */
    adl_known_note(fd->comm, MPI_MAX, *error_code);
}

/* Runs first inside MPI_File_open, then at set_view and set_info. Those are
 * collective, the last chance before a nonblocking call, which must not wait
 * for others, to make the engine. */
static void lustre_set_info(ADIO_File fd, MPI_Info users_info, int *error_code)
{
    int opened = fd->hints->initialized, rc;

    adl_overdue_in(opened ? "MPI_File_set_view or MPI_File_set_info"
                          : "MPI_File_open");
    rc = opened ? adl_info_change(fd, users_info)
                : adl_info_begin(fd, users_info);
    /* ROMIO ignores an error here, and the other ranks wait in OpenColl. */
    if (!opened && rc < 0)
        adl_failure_cannot(fd->filename, "open it", rc);
    if (opened) {
        adl_file_of(fd)->views++;
        adl_coll_ready(fd);
    }
    adl_overdue_in(NULL);
    *error_code = adl_error_code(fd, "ADIOI_LUSTRE_SETINFO", rc);
}

/* A contiguous access, 0 or -errno. */
static int move_contig(ADIO_File fd, enum adl_dir dir, void *buf,
                       adl_count_t count, MPI_Datatype datatype,
                       int file_ptr_type, ADIO_Offset offset,
                       ADIO_Status *status)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    int64_t t = adl_prof_now(prof);
    struct adl_mem_hold *hold = NULL;
    MPI_Count len, end, done = 0;
    int rc = adl_lockmode_allows(fd);

    PMPI_Type_size_x(datatype, &len);
    len *= count;
    if (file_ptr_type == ADIO_INDIVIDUAL)
        offset = fd->fp_ind;
    if (!rc && len > 0 && !adl_file_of(fd)->host_memory)
        rc = adl_mem_hold(&hold, buf);
    if (!rc && __builtin_add_overflow(offset, len, &end))
        rc = -EFBIG;
    else if (!rc && dir == ADL_READS)
        rc = adl_indep_read(fd, buf, len, offset, &done);
    else if (!rc)
        rc = adl_indep_write(fd, buf, len, offset, &done);
    adl_mem_release(hold);
    if (file_ptr_type == ADIO_INDIVIDUAL)
        fd->fp_ind += done;
    MPIR_Status_set_bytes(status, datatype, done);
    adl_prof_independent(prof, dir, done, t);
    return rc;
}

static void lustre_read_contig(ADIO_File fd, void *buf, adl_count_t count,
                               MPI_Datatype datatype, int file_ptr_type,
                               ADIO_Offset offset, ADIO_Status *status,
                               int *error_code)
{
    *error_code =
        adl_error_code(fd, "ADIOI_LUSTRE_READCONTIG",
                       move_contig(fd, ADL_READS, buf, count, datatype,
                                   file_ptr_type, offset, status));
}

static void lustre_write_contig(ADIO_File fd, const void *buf,
                                adl_count_t count, MPI_Datatype datatype,
                                int file_ptr_type, ADIO_Offset offset,
                                ADIO_Status *status, int *error_code)
{
    *error_code =
        adl_error_code(fd, "ADIOI_LUSTRE_WRITECONTIG",
                       move_contig(fd, ADL_WRITES, (void *)buf, count, datatype,
                                   file_ptr_type, offset, status));
}

/* Move the file pointer and set the status to the bytes that were moved, also
 * after an error: then to 0 bytes. */
static void finish_access(ADIO_File fd, struct adl_access *acc,
                          int file_ptr_type, int64_t bytes, ADIO_Status *status)
{
    if (file_ptr_type == ADIO_INDIVIDUAL)
        fd->fp_ind = adl_selection_after(&acc->sel);
    MPIR_Status_set_bytes(status, MPI_BYTE, bytes);
    adl_access_fini(acc);
}

/* A blocking collective access; the error code. */
static int move_together(ADIO_File fd, int write, struct adl_call *call,
                         int file_ptr_type, ADIO_Status *status)
{
    adl_coll_move(fd, call, write);
    finish_access(fd, &call->acc, file_ptr_type, call->bytes, status);
    return adl_outcome_code(fd,
                            write ? "ADIOI_LUSTRE_WRITESTRIDEDCOLL"
                                  : "ADIOI_LUSTRE_READSTRIDEDCOLL",
                            &call->outcome);
}

static void lustre_write_coll(ADIO_File fd, const void *buf, adl_count_t count,
                              MPI_Datatype datatype, int file_ptr_type,
                              ADIO_Offset offset, ADIO_Status *status,
                              int *error_code)
{
    struct adl_call call = {.rc = 0};

    adl_access_init(&call.acc, fd, buf, count, datatype, file_ptr_type, offset);
    *error_code = move_together(fd, 1, &call, file_ptr_type, status);
}

static void lustre_write_strided(ADIO_File fd, const void *buf,
                                 adl_count_t count, MPI_Datatype datatype,
                                 int file_ptr_type, ADIO_Offset offset,
                                 ADIO_Status *status, int *error_code)
{
    struct adl_access acc;
    int rc;

    adl_access_init(&acc, fd, buf, count, datatype, file_ptr_type, offset);
    rc = adl_lockmode_allows(fd);
    if (!rc)
        rc = adl_indep_write_access(fd, &acc);
    adl_prof_independent(adl_file_of(fd)->prof, ADL_WRITES, acc.sel.bytes,
                         acc.time.at[ADL_BEGAN]);
    finish_access(fd, &acc, file_ptr_type, rc ? 0 : acc.sel.bytes, status);
    *error_code = adl_error_code(fd, "ADIOI_LUSTRE_WRITESTRIDED", rc);
}

static void lustre_read_coll(ADIO_File fd, void *buf, adl_count_t count,
                             MPI_Datatype datatype, int file_ptr_type,
                             ADIO_Offset offset, ADIO_Status *status,
                             int *error_code)
{
    struct adl_call call = {.rc = 0};

    adl_access_init(&call.acc, fd, buf, count, datatype, file_ptr_type, offset);
    *error_code = move_together(fd, 0, &call, file_ptr_type, status);
}

static void lustre_read_strided(ADIO_File fd, void *buf, adl_count_t count,
                                MPI_Datatype datatype, int file_ptr_type,
                                ADIO_Offset offset, ADIO_Status *status,
                                int *error_code)
{
    struct adl_access acc;
    int64_t bytes = 0;
    int rc;

    adl_access_init(&acc, fd, buf, count, datatype, file_ptr_type, offset);
    rc = adl_lockmode_allows(fd);
    if (!rc)
        rc = adl_indep_read_access(fd, &acc, &bytes);
    adl_prof_independent(adl_file_of(fd)->prof, ADL_READS, bytes,
                         acc.time.at[ADL_BEGAN]);
    finish_access(fd, &acc, file_ptr_type, bytes, status);
    *error_code = adl_error_code(fd, "ADIOI_LUSTRE_READSTRIDED", rc);
}

/* Begin a nonblocking collective access: 0 or -errno. */
static int begin_access(ADIO_File fd, int write, struct adl_access *acc,
                        int file_ptr_type, ADIO_Request *request)
{
    if (file_ptr_type == ADIO_INDIVIDUAL)
        fd->fp_ind = adl_selection_after(&acc->sel);
    return adl_request_start(fd, acc, write, request);
}

static void lustre_iwrite_coll(ADIO_File fd, const void *buf, adl_count_t count,
                               MPI_Datatype datatype, int file_ptr_type,
                               ADIO_Offset offset, ADIO_Request *request,
                               int *error_code)
{
    struct adl_access acc;

    adl_access_init(&acc, fd, buf, count, datatype, file_ptr_type, offset);
    *error_code =
        adl_error_code(fd, "ADIOI_LUSTRE_IWRITESTRIDEDCOLL",
                       begin_access(fd, 1, &acc, file_ptr_type, request));
}

static void lustre_iread_coll(ADIO_File fd, void *buf, adl_count_t count,
                              MPI_Datatype datatype, int file_ptr_type,
                              ADIO_Offset offset, ADIO_Request *request,
                              int *error_code)
{
    struct adl_access acc;

    adl_access_init(&acc, fd, buf, count, datatype, file_ptr_type, offset);
    *error_code =
        adl_error_code(fd, "ADIOI_LUSTRE_IREADSTRIDEDCOLL",
                       begin_access(fd, 0, &acc, file_ptr_type, request));
}

/* Nonblocking independent calls are done at once. ROMIO's own functions for it
 * lose the count of a transfer that stops inside an element. */
static void complete_now(ADIO_File fd, const ADIO_Status *status,
                         ADIO_Request *request, int *error_code)
{
    MPI_Count bytes = 0;

    if (*error_code == MPI_SUCCESS)
        PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    MPIO_Completed_request_create(&fd, bytes, error_code, request);
}

#define AT_ONCE(name, in, blocking)                                        \
    static void name(ADIO_File fd, in void *buf, adl_count_t count,        \
                     MPI_Datatype datatype, int file_ptr_type,             \
                     ADIO_Offset offset, ADIO_Request *request,            \
                     int *error_code)                                      \
    {                                                                      \
        ADIO_Status status;                                                \
                                                                           \
        blocking(fd, buf, count, datatype, file_ptr_type, offset, &status, \
                 error_code);                                              \
        complete_now(fd, &status, request, error_code);                    \
    }

/* clang-format off */
AT_ONCE(lustre_iread_contig,, lustre_read_contig)
AT_ONCE(lustre_iread_strided,, lustre_read_strided)
AT_ONCE(lustre_iwrite_contig, const, lustre_write_contig)
AT_ONCE(lustre_iwrite_strided, const, lustre_write_strided)
/* clang-format on */

static void lustre_flush(ADIO_File fd, int *error_code)
{
    adl_overdue_in("MPI_File_sync");
    *error_code = shared_error_code(fd, "ADIOI_LUSTRE_FLUSH", adl_sync(fd));
}

static void lustre_close(ADIO_File fd, int *error_code)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    int64_t t = adl_prof_now(prof);

    adl_overdue_in("MPI_File_close");
    *error_code = shared_error_code(fd, "ADIOI_LUSTRE_CLOSE", adl_open_end(fd));
    adl_prof_opened(prof, t);
}

static void lustre_resize(ADIO_File fd, ADIO_Offset size, int *error_code)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    int64_t t = adl_prof_now(prof);

    adl_overdue_in("MPI_File_set_size");
    *error_code =
        shared_error_code(fd, "ADIOI_LUSTRE_RESIZE", adl_fsize_set(fd, size));
    adl_prof_opened(prof, t);
}

/* Atomic mode locks every access. -EOPNOTSUPP: it may be set, by ROMIO. */
static int check_atomic(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int rc = adl_descriptor_ready(fd, 0);

    rc = rc ? rc : adl_lock_probe(fd->fd_sys);
    if (!adl_lock_is_missing(rc))
        return -EOPNOTSUPP;
    if (f->rank == 0)
        fprintf(stderr,
                "romio-lustre: %s: atomic mode needs file locks, which this "
                "file system does not have (a mount with noflock)\n",
                f->name);
    return -ENOSYS;
}

static void lustre_fcntl(ADIO_File fd, int flag, ADIO_Fcntl_t *arg,
                         int *error_code)
{
    const char *where = flag == ADIO_FCNTL_SET_DISKSPACE
                            ? "ADIOI_LUSTRE_FCNTL: RESERVE"
                            : "ADIOI_LUSTRE_FCNTL";
    int rc = -EOPNOTSUPP;

    if (flag == ADIO_FCNTL_GET_FSIZE)
        rc = adl_fsize_get(fd, &arg->fsize);
    else if (flag == ADIO_FCNTL_SET_ATOMICITY && arg->atomicity)
        rc = check_atomic(fd);
    else if (flag == ADIO_FCNTL_SET_DISKSPACE)
        rc = adl_fsize_reserve(fd, arg->diskspace);
    if (rc == -EOPNOTSUPP)
        ADIOI_GEN_Fcntl(fd, flag, arg, error_code);
    else
        *error_code = adl_error_code(fd, where, rc);
}

static int lustre_set_lock(ADIO_File fd, int cmd, int type, ADIO_Offset offset,
                           int whence, ADIO_Offset len)
{
    int rc = adl_descriptor_ready(fd, type == F_RDLCK);

    if (rc < 0)
        return adl_error_code(fd, "ADIOI_LUSTRE_SETLOCK", rc);
    return ADIOI_GEN_SetLock(fd, cmd, type, offset, whence, len);
}

static int lustre_feature(ADIO_File fd, int flag)
{
    switch (flag) {
    case ADIO_SHARED_FP:
        return !adl_pointer_is_named(fd);
    case ADIO_LOCKS:
    case ADIO_ATOMIC_MODE:
    case ADIO_DATA_SIEVING_WRITES:
    case ADIO_UNLINK_AFTER_CLOSE:
    case ADIO_TWO_PHASE:
    case ADIO_SCALABLE_RESIZE:
    case ADIO_IMMEDIATELY_VISIBLE:
        return 1;
    default:
        return 0;
    }
}

struct ADIOI_Fns_struct ADIO_LUSTRE_operations = {
    .ADIOI_xxx_Open = lustre_open,
    .ADIOI_xxx_OpenColl = lustre_open_coll,
    .ADIOI_xxx_ReadContig = lustre_read_contig,
    .ADIOI_xxx_WriteContig = lustre_write_contig,
    .ADIOI_xxx_ReadStridedColl = lustre_read_coll,
    .ADIOI_xxx_WriteStridedColl = lustre_write_coll,
    .ADIOI_xxx_SeekIndividual = ADIOI_GEN_SeekIndividual,
    .ADIOI_xxx_Fcntl = lustre_fcntl,
    .ADIOI_xxx_SetInfo = lustre_set_info,
    .ADIOI_xxx_ReadStrided = lustre_read_strided,
    .ADIOI_xxx_WriteStrided = lustre_write_strided,
    .ADIOI_xxx_Close = lustre_close,
    .ADIOI_xxx_IreadContig = lustre_iread_contig,
    .ADIOI_xxx_IwriteContig = lustre_iwrite_contig,
    .ADIOI_xxx_ReadDone = ADIOI_FAKE_IODone,
    .ADIOI_xxx_WriteDone = ADIOI_FAKE_IODone,
    .ADIOI_xxx_ReadComplete = ADIOI_FAKE_IOComplete,
    .ADIOI_xxx_WriteComplete = ADIOI_FAKE_IOComplete,
    .ADIOI_xxx_IreadStrided = lustre_iread_strided,
    .ADIOI_xxx_IwriteStrided = lustre_iwrite_strided,
    .ADIOI_xxx_Flush = lustre_flush,
    .ADIOI_xxx_Resize = lustre_resize,
    .ADIOI_xxx_Delete = ADIOI_GEN_Delete,
    .ADIOI_xxx_Feature = lustre_feature,
    .fsname = "LUSTRE:",
    .ADIOI_xxx_IreadStridedColl = lustre_iread_coll,
    .ADIOI_xxx_IwriteStridedColl = lustre_iwrite_coll,
    .ADIOI_xxx_SetLock = lustre_set_lock,
};
