# mpi4pyfile.py - every method of mpi4py's MPI.File
# SPDX-License-Identifier: LicenseRef-romio-lustre
"""usage: mpi4pyfile.py FILE

Every rank compares the bytes it reads. Rank 0 prints how many methods were
called, and which ones MPI.File has that were not.
"""
import sys
from array import array

from mpi4py import MPI

N = 6000  # ints of a rank in one call
PIECES = 20

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
path = sys.argv[1]
called = set()


def expect(value, wanted, what):
    if value != wanted:
        print("rank %d: %s: %r, not %r" % (rank, what, value, wanted),
              file=sys.stderr)
        comm.Abort(1)


def make(name):
    called.add(name)
    return getattr(MPI.File, name)


class File:
    """An open file; `name` is called and remembered."""

    def __init__(self, amode):
        self.fh = make("Open")(comm, path, amode)
        self.seed = 0

    def __call__(self, name, *args):
        called.add(name)
        return getattr(self.fh, name)(*args)

    def fill(self, value=None):
        self.seed += 7
        self.out = array("i", [value] * N if value else
                         range(self.seed * 1000 + rank * N,
                               self.seed * 1000 + rank * N + N))
        self.back = array("i", [-1] * N)

    def counted(self, status, what):
        expect(status.Get_count(MPI.INT), N, what + " has transferred")

    def plain(self, name, buf, *where):
        status = MPI.Status()
        self(name, *where, buf, status)
        self.counted(status, name)

    def nonblocking(self, name, buf, *where):
        status = MPI.Status()
        self("I" + name.lower(), *where, buf).Wait(status)
        self.counted(status, name)

    def split(self, name, buf, *where):
        status = MPI.Status()
        self(name + "_begin", *where, buf)
        self(name + "_end", buf, status)
        self.counted(status, name)


def strided():
    """Pieces of all ranks in turn: the filetype of one rank."""
    piece = N // PIECES
    vector = MPI.INT.Create_vector(PIECES, piece, piece * ranks)
    tile = vector.Create_resized(0, 4 * N * ranks).Commit()
    vector.Free()
    return tile, 4 * piece * rank


def own_calls(f, at):
    """Explicit offsets and the rank's own file pointer; AT in the view."""
    for how, name in (
            (f.plain, "_at"), (f.plain, "_at_all"), (f.split, "_at_all"),
            (f.nonblocking, "_at"), (f.nonblocking, "_at_all"), (f.plain, ""),
            (f.plain, "_all"), (f.split, "_all"), (f.nonblocking, ""),
            (f.nonblocking, "_all")):
        f.fill()
        where = (at,) if "_at" in name else ()
        for word, buf in ("Write", f.out), ("Read", f.back):
            f("Seek", at)
            how(word + name, buf, *where)
        expect(f.back, f.out, name)


def shared_calls(f):
    for how, name in ((f.plain, "_shared"), (f.nonblocking, "_shared"),
                      (f.plain, "_ordered"), (f.split, "_ordered")):
        ordered = name == "_ordered"
        f.fill(None if ordered else rank + 1)
        for word, buf in ("Write", f.out), ("Read", f.back):
            comm.Barrier()
            f("Seek_shared", 0)
            how(word + name, buf)
        comm.Barrier()
        if ordered:
            expect(f.back, f.out, name)
            continue
        # any rank may read any rank's block: each is whole, all are there
        expect(set(f.back), {f.back[0]}, name + ": one block")
        expect(comm.allreduce(f.back[0]), ranks * (ranks + 1) // 2,
               name + ": all blocks")
    expect(f("Get_position_shared"), N * ranks, "Get_position_shared")
    comm.Barrier()


def properties(f):
    for name, size in ("Set_size", 12345), ("Preallocate", 100000), \
            ("Set_size", 0):
        f(name, size)
        comm.Barrier()
        expect(f("Get_size"), size, name)
        comm.Barrier()
    expect(f("Get_amode"), MPI.MODE_CREATE | MPI.MODE_RDWR, "Get_amode")
    group = f("Get_group")
    expect(group.size, ranks, "Get_group")
    group.Free()
    for flag in True, False:
        f("Set_atomicity", flag)
        expect(f("Get_atomicity"), flag, "Get_atomicity")
    expect(f("Get_type_extent", MPI.DOUBLE), 8, "Get_type_extent")
    info = f("Get_info")
    assert info.Get_nkeys() > 0
    f("Set_info", info)
    info.Free()


def positions(f):
    f("Set_view", 8, MPI.INT)
    expect(f("Get_view")[0], 8, "Get_view")
    f("Seek", 5)
    expect(f("Get_position"), 5, "Get_position")
    expect(f("Get_byte_offset", 5), 28, "Get_byte_offset")
    f("Set_view", 0, MPI.INT)
    comm.Barrier()


def failure():
    """An exception with the class of the error."""
    try:
        make("Open")(comm, path + ".missing", MPI.MODE_RDONLY)
        expect(1, 0, "a missing file was opened")
    except MPI.Exception as e:
        expect(e.Get_error_class(), MPI.ERR_NO_SUCH_FILE, "a missing file")


def handlers(f):
    handler = f("Get_errhandler")
    expect(handler, MPI.ERRORS_RETURN, "Get_errhandler")
    f("Set_errhandler", handler)
    handler.Free()
    f("Call_errhandler", MPI.ERR_IO)


def main():
    f = File(MPI.MODE_CREATE | MPI.MODE_RDWR)
    properties(f)
    positions(f)
    handlers(f)
    own_calls(f, rank * N)
    shared_calls(f)
    tile, disp = strided()
    f("Set_view", disp, MPI.INT, tile)
    own_calls(f, 0)
    own_calls(f, N)  # the next tile
    tile.Free()
    f("Sync")
    f("Close")
    failure()
    comm.Barrier()
    if rank == 0:
        make("Delete")(path)
        # amode, size, ...: properties; the others are MPI's calls
        all_names = {n for n in dir(MPI.File) if n[0].isupper()}
        print(len(called), "methods right, not called:",
              " ".join(sorted(all_names - called)) or "none")


main()
