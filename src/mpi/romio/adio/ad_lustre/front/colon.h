/* colon.h - where ROMIO looks for the end of a file system's name
 *
 * MPI_File_open, MPI_File_delete and the choice of a driver each look for the
 * first ':' of a file name by strchr. This call takes strchr's place there (by
 * name, when the plug-in is linked or the fork compiled; see
 * plugin/Makemodule.am and maint/build-fork).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_COLON_H
#define ADL_COLON_H

/* Local. The ':' behind a file system's name, NULL: `name` begins with none
 * (core/text/fsprefix.h). Another c is looked for as strchr does. */
char *adl_colon_strchr(const char *name, int c);

#endif
