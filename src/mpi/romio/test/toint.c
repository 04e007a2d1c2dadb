/* toint.c - MPI_File_toint and MPI_File_fromint, with files open and not
 *
 * usage: toint FILE
 *
 * The MPI here may be older than the calls: they are the plug-in's.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>

__attribute__((weak)) int MPI_File_toint(MPI_File fh);
__attribute__((weak)) MPI_File MPI_File_fromint(int n);

static int failures;

static void expect(int ok, const char *what)
{
    if (!ok)
        printf("toint: %s\n", what);
    failures += !ok;
}

/* Two handles of one file: each its own number, the same in Fortran. */
static void check_two(MPI_File a, MPI_File b)
{
    int na = MPI_File_toint(a), nb = MPI_File_toint(b);

    expect(na > 0 && nb > 0 && na != nb, "two files have two numbers");
    expect(MPI_File_toint(a) == na, "a number stays");
    expect(MPI_File_fromint(na) == a, "a number finds its file");
    expect(MPI_File_fromint(nb) == b, "the other one too");
#ifndef MPI_H_ABI /* which leaves those of Fortran out */
    expect(MPI_File_c2f(a) == na, "Fortran's number is the same");
    expect(MPI_File_f2c(nb) == b, "and finds the same");
#endif
}

int main(int argc, char **argv)
{
    MPI_File a, b;

    MPI_Init(&argc, &argv);
    if (argc != 2 || !MPI_File_toint || !MPI_File_fromint) {
        fprintf(stderr, "usage: toint FILE, with the plug-in\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
#ifndef MPI_H_ABI /* there it has a number of its own */
    expect(MPI_File_toint(MPI_FILE_NULL) == 0, "no file is 0");
#endif
    expect(MPI_File_fromint(0) == MPI_FILE_NULL, "0 is no file");
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &a);
    MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &b);
    check_two(a, b);
    expect(MPI_File_fromint(999999) == MPI_FILE_NULL, "a number of no file");
    MPI_File_close(&b);
    MPI_File_close(&a);
    MPI_Finalize();
    return failures != 0;
}
