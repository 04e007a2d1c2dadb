# h5pympi.py - the parallel tests that Debian's python3-h5py-mpi brings along
# SPDX-License-Identifier: LicenseRef-romio-lustre
"""usage: h5pympi.py FILE

Every test has a file of its own, whose name begins with FILE. Rank 0 prints how
many passed; a test that fails ends the job.
"""
import sys
import types

from mpi4py import MPI


def of_marks(name):
    """pytest.mark.NAME, with or without arguments: changes nothing."""
    return lambda *args, **words: (
        args[0] if len(args) == 1 and callable(args[0]) else of_marks(name))


class Marks:
    def __getattr__(self, name):
        return of_marks(name)


def imitate_pytest():
    """As much of it as test_file.py asks for at its import."""
    pytest = types.ModuleType("pytest")
    pytest.mark = Marks()
    sys.modules["pytest"] = pytest


try:
    import pytest
except ImportError:
    imitate_pytest()
from h5py._debian_h5py_mpi.tests import test_file

tests = test_file.TestMPI()
names = [n for n in dir(tests) if n.startswith("test_")]
for name in names:
    getattr(tests, name)(sys.argv[1] + "." + name)
    MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 0:
    print("%d tests of h5py passed" % len(names))
