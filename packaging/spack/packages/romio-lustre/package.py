# SPDX-License-Identifier: LicenseRef-romio-lustre
"""Spack package of romio-lustre: spack repo add packaging/spack"""

from spack.package import *

try:  # Spack 1.0 and later: the base classes are no longer in spack.package
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass


class RomioLustre(AutotoolsPackage):
    """MPI-IO driver for Lustre: a ROMIO with an ad_lustre of its own, preloaded
    or linked in front of an MPI with MPICH's ABI, with an embedded Lustre for
    tests, a profiler and benchmarks."""

    # maint/recipes --url puts the place of the releases here
    homepage = "https://romio-lustre.invalid/"
    url = "https://romio-lustre.invalid/romio-lustre-0.2.0.tar.xz"
    git = "https://romio-lustre.invalid/romio-lustre.git"

    license("LicenseRef-romio-lustre")

    version("main", branch="main")
    # maint/recipes adds the release here

    variant("plugin", default=True,
            description="Build the plug-in; without it only the tools")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("autoconf", type="build", when="@main")
    depends_on("automake", type="build", when="@main")
    depends_on("zlib-api")
    depends_on("mpich@4.0:", when="+plugin")
    depends_on("xz", type="build", when="+plugin")

    # The plug-in has a ROMIO of its own, compiled from MPICH's sources.
    resource(
        name="mpich-source",
        url="https://romio-lustre.invalid/mpich_4.0.2.orig.tar.xz",
        sha256="b27039f964afeb6b8a3e009c56b441cbe368c26d6d6476ad3bb7190996875860",
        expand=False,
        placement="mpich-source",
        when="+plugin",
    )

    def autoreconf(self, spec, prefix):
        Executable("./autogen.sh")()

    def configure_args(self):
        spec = self.spec
        if spec.satisfies("~plugin"):
            return ["--with-mpich-source=no"]
        source = join_path(self.stage.source_path, "mpich-source",
                           "mpich_4.0.2.orig.tar.xz")
        return ["--with-mpich-source=" + source, "--without-openmpi",
                "MPICC=" + spec["mpi"].mpicc]

    def setup_run_environment(self, env):
        env.set("ROMIO_LUSTRE_ROOT", self.prefix)
        env.prepend_path("PYTHONPATH",
                         join_path(self.prefix.share, "romio-lustre", "python"))
