/* library.h - what the plug-in and an MPI library say of themselves
 *
 * Both are loaded into this process, which has no MPI of its own. Each prints
 * to standard output and returns 0, or -1.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_LIBRARY_H
#define ROMIO_LUSTRE_LIBRARY_H

/* The plug-in's version and that of its ROMIO, one line. */
int library_print_plugin(const char *path);

/* The first of `n` MPI libraries that can be loaded: its version, and whether
 * the plug-in fits; one line each. */
int library_print_mpi(const char *plugin, char *const *paths, int n);

#endif
