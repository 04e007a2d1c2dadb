#!/bin/sh
# t0270-openmpi-applications - Debian's HDF5, netCDF-4, PnetCDF, h5py and PETSc
# SPDX-License-Identifier: LicenseRef-romio-lustre
# over Open MPI, unmodified, on the embedded Lustre
ADL_MPI=openmpi
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K || exit 1

# served NAME CMD...: it runs, and the driver has said so of its file
served() {
    name=$1
    shift
    ok "$name: runs on 4 ranks" env MPICH_MPIIO_STATS=1 ROMIO_LUSTRE_VERBOSE=1 \
        sh -c 'exec "$@"' sh "$@"
    out=$(cat "$TMP/.out")
    like "$out" "^romio-lustre [0-9]" "$name: through the plug-in"
    like "$out" "MPIIO write access patterns" "$name: and the driver wrote"
}

# run PROG ARG...: sim_run, as a command of its own
cat >"$TMP/run" <<END
#!/bin/sh
exec timeout -k 5 60 "$LUSTRE_SIM" run --root "$SIM" \
    "$BUILD/romio-lustre" run "$MPIEXEC" -n 4 "\$@" </dev/null
END
chmod +x "$TMP/run"

# ---- HDF5 ----
if pkg-config --exists hdf5-openmpi 2>/dev/null; then
    # shellcheck disable=SC2046 # lists of options
    ok "hdf5: compiles" "$MPICC" -o "$TMP/hdf5" "$here/hdf5_par.c" \
        $(pkg-config --cflags --libs hdf5-openmpi)
    served hdf5 "$TMP/run" "$TMP/hdf5" "$SIM/f.h5"
else
    skip 4 "no libhdf5-openmpi-dev"
fi

# ---- PnetCDF and netCDF-4 ----
cat >"$TMP/pnc.c" <<'END'
#include <mpi.h>
#include <pnetcdf.h>
#include <stdlib.h>
#ifndef N
#define N 20000
#endif
static void must(int err)
{
    if (err)
        MPI_Abort(MPI_COMM_WORLD, 3);
}
int main(int argc, char **argv)
{
    int rank, ranks, nc, dim, var, req[2], st[2];
    MPI_Offset at, n = N;
    static int a[N], b[N], c[N];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < N; i++)
        a[i] = b[i] = rank * N + i;
    must(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA,
                      MPI_INFO_NULL, &nc));
    must(ncmpi_def_dim(nc, "x", 2 * (MPI_Offset)N * ranks, &dim));
    must(ncmpi_def_var(nc, "v", NC_INT, 1, &dim, &var));
    must(ncmpi_enddef(nc));
    at = (MPI_Offset)rank * N;
    must(ncmpi_put_vara_int_all(nc, var, &at, &n, a));
    at += (MPI_Offset)N * ranks;
    must(ncmpi_iput_vara_int(nc, var, &at, &n, b, &req[0]));
    must(ncmpi_wait_all(nc, 1, req, st));
    must(ncmpi_close(nc));
    must(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &nc));
    at = (MPI_Offset)((rank + 1) % ranks) * N;
    for (int k = 0; k < 2; k++, at += (MPI_Offset)N * ranks) {
        must(ncmpi_get_vara_int_all(nc, var, &at, &n, c));
        for (int i = 0; i < N; i++)
            must(c[i] != (rank + 1) % ranks * N + i);
    }
    must(ncmpi_close(nc));
    return MPI_Finalize();
}
END
if [ -f /usr/include/pnetcdf.h ]; then
    ok "pnetcdf: compiles" "$MPICC" -o "$TMP/pnc" "$TMP/pnc.c" -lpnetcdf
    served pnetcdf "$TMP/run" "$TMP/pnc" "$SIM/f.nc"
else
    skip 4 "no libpnetcdf-dev"
fi

# ---- tiny files: as many requests to the servers as by OMPIO ----
cat >"$TMP/tiny.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, ranks, to = 0;
    char byte[1024] = "";
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_write_at_all(fh, 1024 * rank, byte, 1024, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
    to = (rank + 1) % ranks;
    MPI_File_read_at_all(fh, 1024 * to, byte, 1024, MPI_BYTE,
                         MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    return MPI_Finalize();
}
END
# requests NODES WITH PROG ARG...: locks, read and write RPCs, with what the
# clients still held back; 4 ranks on their nodes, started by command WITH
requests() {
    nodes=$1
    with=$2
    shift 2
    rm -f "$SIM/tiny"
    "$LUSTRE_SIM" drop "$SIM" && "$LUSTRE_SIM" reset "$SIM"
    # shellcheck disable=SC2086 # a command
    MPIR_CVAR_NUM_CLIQUES=$nodes ROMIO_LUSTRE_VERBOSE=1 limited \
        "$LUSTRE_SIM" run --root "$SIM" $with "$MPIEXEC" -n 4 \
        -genv OMPI_MCA_io ompio "$here/onnode.sh" "$nodes" "$@" "$SIM/tiny" </dev/null >/dev/null 2>"$TMP/requests.err" ||
        diag_file "$TMP/requests.err"
    "$LUSTRE_SIM" drop "$SIM"
    "$LUSTRE_SIM" stats "$SIM" | sed -n '/^total:/p' | tr ' ' '\n' |
        grep -E '^(enqueue|write_rpc|read_rpc)=' | tr '\n' ' '
}
# more OURS THEIRS: the counts of OURS that are above those of THEIRS
more() {
    # shellcheck disable=SC2086 # lists
    printf '%s\n' $2 and $1 | awk -F = '
        $1 == "and" { ours = 1; next }
        !ours { theirs[$1] = $2; next }
        $2 + 0 > theirs[$1] + 0 { print $1, $2, "above", theirs[$1] + 0 }'
}
ok "tiny: compiles" "$MPICC" -o "$TMP/tiny" "$TMP/tiny.c"
[ ! -f "$TMP/pnc.c" ] || [ ! -f /usr/include/pnetcdf.h ] ||
    ok "tiny PnetCDF: compiles" "$MPICC" -DN=100 -o "$TMP/tinync" "$TMP/pnc.c" \
        -lpnetcdf
for prog in tiny tinync; do
    [ -x "$TMP/$prog" ] || { skip 8 "no libpnetcdf-dev"; continue; }
    for nodes in 1 4; do
        theirs=$(requests $nodes "" "$TMP/$prog")
        like "$theirs" "enqueue=[1-9].*write_rpc=[1-9]" "$prog: OMPIO is counted"
        ours=$(requests $nodes "$BUILD/romio-lustre run" "$TMP/$prog")
        like "$(cat "$TMP/requests.err")" "^romio-lustre [0-9]" \
            "$prog: and the plug-in"
        like "$ours" "write_rpc=[1-9]" "$prog: it has written"
        is "$(more "$ours" "$theirs")" "" \
            "$prog, nodes: $nodes: no more requests than with OMPIO"
    done
done

cat >"$TMP/nc4.c" <<'END'
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
enum { N = 20000 };
static void must(int err)
{
    if (err)
        MPI_Abort(MPI_COMM_WORLD, 3);
}
int main(int argc, char **argv)
{
    int rank, ranks, nc, dim, var;
    size_t at, n = N;
    static int a[N], c[N];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < N; i++)
        a[i] = rank * N + i;
    must(nc_create_par(argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &nc));
    must(nc_def_dim(nc, "x", (size_t)N * ranks, &dim));
    must(nc_def_var(nc, "v", NC_INT, 1, &dim, &var));
    must(nc_enddef(nc));
    must(nc_var_par_access(nc, var, NC_COLLECTIVE));
    at = (size_t)rank * N;
    must(nc_put_vara_int(nc, var, &at, &n, a));
    must(nc_close(nc));
    must(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    must(nc_var_par_access(nc, var, NC_COLLECTIVE));
    must(nc_get_vara_int(nc, var, &at, &n, c));
    for (int i = 0; i < N; i++)
        must(c[i] != a[i]);
    must(nc_close(nc));
    return MPI_Finalize();
}
END
if pkg-config --exists netcdf-mpi 2>/dev/null; then
    # shellcheck disable=SC2046 # lists of options
    ok "netcdf: compiles" "$MPICC" -o "$TMP/nc4" "$TMP/nc4.c" \
        -I"$(pkg-config --variable=includedir netcdf-mpi)" \
        -I"$(pkg-config --variable=libdir netcdf-mpi)/netcdf/mpi/include" \
        $(pkg-config --cflags --libs netcdf-mpi)
    served netcdf "$TMP/run" "$TMP/nc4" "$SIM/f.nc4"
else
    skip 4 "no libnetcdf-mpi-dev"
fi

# ---- Python: h5py with mpi4py ----
cat >"$TMP/par.py" <<'END'
import sys
from mpi4py import MPI
import h5py
import numpy as np

comm = MPI.COMM_WORLD
n = 20000
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as f:
    d = f.create_dataset("x", (comm.size * n,), dtype="f8")
    with d.collective:
        d[comm.rank * n:(comm.rank + 1) * n] = np.arange(n) + comm.rank * n
comm.barrier()
with h5py.File(sys.argv[1], "r", driver="mpio", comm=comm) as f:
    k = (comm.rank + 1) % comm.size
    with f["x"].collective:
        got = f["x"][k * n:(k + 1) * n]
fh = MPI.File.Open(comm, sys.argv[1] + ".raw",
                   MPI.MODE_CREATE | MPI.MODE_RDWR)
fh.Write_at_all(comm.rank * 8 * n, got)
back = np.empty(n)
fh.Iread_at_all(comm.rank * 8 * n, back).Wait()
fh.Close()
assert (got == np.arange(n) + k * n).all() and (back == got).all()
END
# Debian's h5py takes its parallel half where a launcher has started it.
if /usr/bin/python3 -c 'import mpi4py, h5py._debian_h5py_mpi' >/dev/null 2>&1 ||
    [ -d /usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi ]; then
    served h5py "$TMP/run" /usr/bin/python3 "$TMP/par.py" "$SIM/py.h5"
else
    skip 3 "no python3-h5py-mpi, or no python3-mpi4py"
fi

# ---- PETSc: its binary viewer by MPI-IO, from Python ----
cat >"$TMP/petsc.py" <<'END'
import sys
import petsc4py
petsc4py.init([])
from petsc4py import PETSc

comm = PETSc.COMM_WORLD
n = 20000
vec = PETSc.Vec().createMPI((n, n * comm.size), comm=comm)
first, last = vec.getOwnershipRange()
vec.setArray([float(i) for i in range(first, last)])
viewer = PETSc.Viewer().createMPIIO(sys.argv[1], "w", comm=comm)
vec.view(viewer)
viewer.destroy()
viewer = PETSc.Viewer().createMPIIO(sys.argv[1], "r", comm=comm)
back = PETSc.Vec().create(comm=comm)
back.load(viewer)
viewer.destroy()
assert back.equal(vec) and back.getSize() == n * comm.size
END
petsc=$(find /usr/lib/petscdir -path '*-real/*/petsc4py/__init__.py' 2>/dev/null |
    head -n 1)
if [ -n "$petsc" ]; then
    served petsc env PYTHONPATH="${petsc%/petsc4py/*}" "$TMP/run" \
        /usr/bin/python3 "$TMP/petsc.py" "$SIM/petsc.bin"
else
    skip 3 "no python3-petsc4py-real"
fi
tap_done
