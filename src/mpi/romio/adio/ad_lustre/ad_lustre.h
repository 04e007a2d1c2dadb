/* ad_lustre.h - entry points of the Lustre driver, called by ROMIO
 *
 * The entry points only convert arguments and errors; the work is in mpi/.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef AD_LUSTRE_H_INCLUDED
#define AD_LUSTRE_H_INCLUDED

#include "adio.h"
#include "ad_lustre_compat.h"

void ADIOI_LUSTRE_Open(ADIO_File fd, int *error_code);
void ADIOI_LUSTRE_OpenColl(ADIO_File fd, int rank, int access_mode,
                           int *error_code);
void ADIOI_LUSTRE_SetInfo(ADIO_File fd, MPI_Info users_info, int *error_code);
void ADIOI_LUSTRE_ReadContig(ADIO_File fd, void *buf, adl_count_t count,
                             MPI_Datatype datatype, int file_ptr_type,
                             ADIO_Offset offset, ADIO_Status *status,
                             int *error_code);
void ADIOI_LUSTRE_WriteContig(ADIO_File fd, const void *buf, adl_count_t count,
                              MPI_Datatype datatype, int file_ptr_type,
                              ADIO_Offset offset, ADIO_Status *status,
                              int *error_code);
void ADIOI_LUSTRE_WriteStridedColl(ADIO_File fd, const void *buf,
                                   adl_count_t count, MPI_Datatype datatype,
                                   int file_ptr_type, ADIO_Offset offset,
                                   ADIO_Status *status, int *error_code);
void ADIOI_LUSTRE_WriteStrided(ADIO_File fd, const void *buf, adl_count_t count,
                               MPI_Datatype datatype, int file_ptr_type,
                               ADIO_Offset offset, ADIO_Status *status,
                               int *error_code);
void ADIOI_LUSTRE_ReadStridedColl(ADIO_File fd, void *buf, adl_count_t count,
                                  MPI_Datatype datatype, int file_ptr_type,
                                  ADIO_Offset offset, ADIO_Status *status,
                                  int *error_code);
void ADIOI_LUSTRE_ReadStrided(ADIO_File fd, void *buf, adl_count_t count,
                              MPI_Datatype datatype, int file_ptr_type,
                              ADIO_Offset offset, ADIO_Status *status,
                              int *error_code);
void ADIOI_LUSTRE_IreadContig(ADIO_File fd, void *buf, adl_count_t count,
                              MPI_Datatype datatype, int file_ptr_type,
                              ADIO_Offset offset, ADIO_Request *request,
                              int *error_code);
void ADIOI_LUSTRE_IreadStrided(ADIO_File fd, void *buf, adl_count_t count,
                               MPI_Datatype datatype, int file_ptr_type,
                               ADIO_Offset offset, ADIO_Request *request,
                               int *error_code);
void ADIOI_LUSTRE_IwriteContig(ADIO_File fd, const void *buf, adl_count_t count,
                               MPI_Datatype datatype, int file_ptr_type,
                               ADIO_Offset offset, ADIO_Request *request,
                               int *error_code);
void ADIOI_LUSTRE_IwriteStrided(ADIO_File fd, const void *buf,
                                adl_count_t count, MPI_Datatype datatype,
                                int file_ptr_type, ADIO_Offset offset,
                                ADIO_Request *request, int *error_code);
void ADIOI_LUSTRE_IwriteStridedColl(ADIO_File fd, const void *buf,
                                    adl_count_t count, MPI_Datatype datatype,
                                    int file_ptr_type, ADIO_Offset offset,
                                    ADIO_Request *request, int *error_code);
void ADIOI_LUSTRE_IreadStridedColl(ADIO_File fd, void *buf, adl_count_t count,
                                   MPI_Datatype datatype, int file_ptr_type,
                                   ADIO_Offset offset, ADIO_Request *request,
                                   int *error_code);
void ADIOI_LUSTRE_Flush(ADIO_File fd, int *error_code);
void ADIOI_LUSTRE_Close(ADIO_File fd, int *error_code);
void ADIOI_LUSTRE_Resize(ADIO_File fd, ADIO_Offset size, int *error_code);
void ADIOI_LUSTRE_Fcntl(ADIO_File fd, int flag, ADIO_Fcntl_t *arg,
                        int *error_code);
int ADIOI_LUSTRE_SetLock(ADIO_File fd, int cmd, int type, ADIO_Offset offset,
                         int whence, ADIO_Offset len);
int ADIOI_LUSTRE_Feature(ADIO_File fd, int flag);

#endif
