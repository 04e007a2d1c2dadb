# mpifile.py - every MPI_File call of an MPICH, from Python
# SPDX-License-Identifier: LicenseRef-romio-lustre
"""usage: mpifile.py LIBMPI FILE

Loads MPI as Python's modules do: without RTLD_GLOBAL. A name is looked up as a
module's names are: in what was preloaded, then in LIBMPI. The constants are
those that all MPIs of the MPICH ABI share. Every rank compares the bytes it
reads; rank 0 prints how many calls were made, and which ones LIBMPI has that
were not.
"""
import ctypes
import subprocess
import sys

COMM_WORLD, INFO_NULL = 0x44000000, 0x1C000000
INT, BYTE, DOUBLE = 0x4C000405, 0x4C00010D, 0x4C00080B
SUM, ERRORS_RETURN = 0x58000003, 0x54000001
CREATE, RDONLY, RDWR = 1, 2, 8
SEEK_SET, SEEK_CUR = 600, 602
CLASS_IO, CLASS_NO_SUCH_FILE = 32, 37
N, PIECES = 300, 10  # ints of a rank in one call, and pieces of its view

preloaded = ctypes.CDLL(None)
libmpi = ctypes.CDLL(sys.argv[1])
path = sys.argv[2].encode()
called = set()
Offset = ctypes.c_longlong


def raw(name):
    called.add(name)
    return getattr(preloaded if hasattr(preloaded, name) else libmpi, name)


def mpi(name, *args):
    rc = raw("MPI_" + name)(*args)
    if rc != 0:
        text, n = ctypes.create_string_buffer(2048), ctypes.c_int()
        libmpi.MPI_Error_string(rc, text, ctypes.byref(n))
        sys.exit("MPI_%s: %s" % (name, text.value.decode()))


def got(name, kind, *args):
    """What a call gives back in its last argument."""
    out = kind()
    mpi(name, *args, ctypes.byref(out))
    return out.value


def error_class(rc):
    out = ctypes.c_int()
    libmpi.MPI_Error_class(rc, ctypes.byref(out))
    return out.value


mpi("Init", None, None)
rank = got("Comm_rank", ctypes.c_int, COMM_WORLD)
ranks = got("Comm_size", ctypes.c_int, COMM_WORLD)


def expect(value, wanted, what):
    if value != wanted:
        sys.exit("rank %d: %s: %r, not %r" % (rank, what, value, wanted))


def barrier():
    mpi("Barrier", COMM_WORLD)


class File:
    """An open file; its methods make one call each and look at its status."""

    def __init__(self, amode):
        self.fh = ctypes.c_void_p()
        mpi("File_open", COMM_WORLD, path, amode, INFO_NULL,
            ctypes.byref(self.fh))
        self.seed = 0
        self.out = (ctypes.c_int * N)()
        self.back = (ctypes.c_int * N)()
        self.status = ctypes.create_string_buffer(64)

    def __call__(self, name, *args):
        mpi("File_" + name, self.fh, *args)

    def ask(self, name, kind, *args):
        return got("File_" + name, kind, self.fh, *args)

    def counted(self, what):
        n = got("Get_count", ctypes.c_int, self.status, INT)
        expect(n, N, what + " has transferred")

    def plain(self, name, c, buf, *where):
        count = Offset(N) if c else N
        self(name + c, *where, buf, count, INT, self.status)
        self.counted(name)

    def nonblocking(self, name, c, buf, *where):
        count = Offset(N) if c else N
        request = ctypes.c_int()
        self("i" + name + c, *where, buf, count, INT, ctypes.byref(request))
        mpi("Wait", ctypes.byref(request), self.status)
        self.counted("i" + name)

    def split(self, name, c, buf, *where):
        count = Offset(N) if c else N
        self(name + "_begin" + c, *where, buf, count, INT)
        self(name + "_end", buf, self.status)
        self.counted(name + "_end")

    def fill(self, value=None):
        self.seed += 7
        for i in range(N):
            self.out[i] = value or self.seed * 1000003 + rank * N + i
            self.back[i] = -1

    def same(self, what):
        expect(list(self.back), list(self.out), what + ": what was read")

    def view(self, filetype, disp=0):
        self("set_view", Offset(disp), INT, filetype, b"native", INFO_NULL)


def strided():
    """Pieces of all ranks in turn: the filetype of one rank."""
    piece = N // PIECES
    vector = got("Type_vector", ctypes.c_int, PIECES, piece, piece * ranks, INT)
    tile = ctypes.c_int()
    mpi("Type_create_resized", vector, ctypes.c_long(0),
        ctypes.c_long(4 * N * ranks), ctypes.byref(tile))
    mpi("Type_commit", ctypes.byref(tile))
    mpi("Type_free", ctypes.byref(ctypes.c_int(vector)))
    return tile.value, 4 * piece * rank


def own_calls(f, c, at):
    """Explicit offsets and the rank's own file pointer; AT in the view."""
    for how, name in (
            (f.plain, "{}_at"), (f.plain, "{}_at_all"),
            (f.split, "{}_at_all"), (f.nonblocking, "{}_at"),
            (f.nonblocking, "{}_at_all"), (f.plain, "{}"), (f.plain, "{}_all"),
            (f.split, "{}_all"), (f.nonblocking, "{}"),
            (f.nonblocking, "{}_all")):
        f.fill()
        where = (Offset(at),) if "_at" in name else ()
        for word, buf in ("write", f.out), ("read", f.back):
            f("seek", Offset(at), SEEK_SET)
            how(name.format(word), c, buf, *where)
        f.same(name + c)


def shared_calls(f, c):
    for how, name in ((f.plain, "{}_shared"), (f.nonblocking, "{}_shared"),
                      (f.plain, "{}_ordered"), (f.split, "{}_ordered")):
        ordered = "ordered" in name
        f.fill(None if ordered else rank + 1)
        for word, buf in ("write", f.out), ("read", f.back):
            barrier()
            f("seek_shared", Offset(0), SEEK_SET)
            how(name.format(word), c, buf)
        barrier()
        if ordered:
            f.same(name + c)
            continue
        # any rank may read any rank's block: each is whole, all are there
        first, total = ctypes.c_int(f.back[0]), ctypes.c_int()
        expect(set(f.back), {f.back[0]}, name + c + ": one block")
        mpi("Allreduce", ctypes.byref(first), ctypes.byref(total), 1, INT, SUM,
            COMM_WORLD)
        expect(total.value, ranks * (ranks + 1) // 2, name + c + ": all blocks")


def properties(f):
    for name, size in ("set_size", 12345), ("preallocate", 100000), \
            ("set_size", 0):
        f(name, Offset(size))
        barrier()
        expect(f.ask("get_size", Offset), size, name)
        barrier()
    expect(f.ask("get_amode", ctypes.c_int), CREATE | RDWR, "get_amode")
    group = f.ask("get_group", ctypes.c_int)
    expect(got("Group_size", ctypes.c_int, group), ranks, "get_group")
    mpi("Group_free", ctypes.byref(ctypes.c_int(group)))
    for flag in 1, 0:
        f("set_atomicity", flag)
        expect(f.ask("get_atomicity", ctypes.c_int), flag, "set_atomicity")
    info = f.ask("get_info", ctypes.c_int)
    assert got("Info_get_nkeys", ctypes.c_int, info) > 0
    f("set_info", info)
    mpi("Info_free", ctypes.byref(ctypes.c_int(info)))
    for c, kind in ("", ctypes.c_long), ("_c", Offset):
        expect(f.ask("get_type_extent" + c, kind, DOUBLE), 8, "extent" + c)
    number = raw("MPI_File_c2f")(f.fh)
    back = raw("MPI_File_f2c")
    back.restype = ctypes.c_void_p
    expect(back(number), f.fh.value, "f2c of c2f")


HANDLER = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p),
                           ctypes.POINTER(ctypes.c_int))


def handlers(f):
    expect(f.ask("get_errhandler", ctypes.c_int), ERRORS_RETURN, "the handler")
    heard = []
    keep = HANDLER(lambda _, code: heard.append(error_class(code[0])))
    made = got("File_create_errhandler", ctypes.c_int, keep)
    f("set_errhandler", made)
    f("call_errhandler", CLASS_IO)
    f("set_errhandler", ERRORS_RETURN)
    expect(heard, [CLASS_IO], "what the handler heard")


def positions(f):
    f.view(INT, 8)
    f("seek", Offset(5), SEEK_SET)
    f("seek", Offset(rank), SEEK_CUR)
    expect(f.ask("get_position", Offset), 5 + rank, "get_position")
    expect(f.ask("get_byte_offset", Offset, Offset(3)), 20, "get_byte_offset")
    f("seek_shared", Offset(11), SEEK_SET)
    expect(f.ask("get_position_shared", Offset), 11, "get_position_shared")
    disp, kinds = Offset(), (ctypes.c_int * 2)()
    name = ctypes.create_string_buffer(128)
    f("get_view", ctypes.byref(disp), kinds, ctypes.byref(kinds, 4), name)
    expect((disp.value, list(kinds), name.value), (8, [INT, INT], b"native"),
           "get_view")
    barrier()


def missing():
    names = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]],
                           stdout=subprocess.PIPE, check=True)
    has = {line.split()[-1].decode() for line in names.stdout.splitlines()}
    return sorted(n for n in has if n.startswith("MPI_File_")
                  and n not in called)


def main():
    f = File(CREATE | RDWR)
    properties(f)
    handlers(f)
    positions(f)
    for c in "", "_c":
        f.view(INT)
        own_calls(f, c, rank * N)
        shared_calls(f, c)
        tile, disp = strided()
        f.view(tile, disp)
        own_calls(f, c, 0)
        mpi("Type_free", ctypes.byref(ctypes.c_int(tile)))
    f("sync")
    mpi("File_close", ctypes.byref(f.fh))
    expect(f.fh.value, None, "the file after close")
    barrier()
    if rank == 0:
        mpi("File_delete", path, INFO_NULL)
    barrier()
    fh = ctypes.c_void_p()
    rc = raw("MPI_File_open")(COMM_WORLD, path, RDONLY, INFO_NULL,
                              ctypes.byref(fh))
    expect(error_class(rc), CLASS_NO_SUCH_FILE, "open of no file")
    if rank == 0:
        n = len([name for name in called if name.startswith("MPI_File_")])
        print("%d calls right, not called: %s" %
              (n, " ".join(missing()) or "none"))
    mpi("Finalize")


main()
