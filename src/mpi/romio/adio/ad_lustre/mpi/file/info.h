/* info.h - hints: from MPI_Info and the environment to the file and back */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INFO_H
#define ADL_INFO_H

#include "../../core/nodes/nodemap.h"
#include "file.h"

/* Local. First SetInfo of an open: make the file's state; on rank 0 read the
 * hints from all sources. No message is sent: rank 0 sends the hints to the
 * other ranks in the open. 0 or -ENOMEM. */
int adl_info_begin(ADIO_File fd, MPI_Info info);

/* Collective. A later SetInfo (MPI_File_set_info, set_view): rank 0's info
 * counts, and only hints of scope ANY can change. They change on all ranks, or,
 * with an error that all ranks return, on none. 0 or -errno. */
int adl_info_change(ADIO_File fd, MPI_Info info);

/* Local. Put the hints in force into ROMIO's own fields; into fd->info only
 * where ROMIO prints that. */
int adl_info_publish(ADIO_File fd, struct adl_file *f);

/* Local, before the program gets a copy of `info`. If that is the fd->info of
 * an open file, put the hints in force into it. To do so at every open would
 * take as long as all else that a rank computes there. */
void adl_info_fill(MPI_Info info);

/* Local. Rank 0 prints the notes and displays of an open, in one write; the
 * other ranks do nothing. map: of the nodes; differ: other ranks passed other
 * hints. */
void adl_info_report(struct adl_file *f, const struct adl_nodemap *map,
                     int differ);

#endif
