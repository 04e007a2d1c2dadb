# SPDX-License-Identifier: LicenseRef-romio-lustre
"""A stand-in for spack.package: takes what our recipe says and writes it down.

Directives that Spack does not have are errors here too (NameError), and so are
arguments that it does not take.
"""

__all__ = ["AutotoolsPackage", "Executable", "conflicts", "depends_on",
           "join_path", "license", "maintainers", "resource", "said", "variant",
           "version"]

said = {"version": [], "variant": [], "depends_on": [], "conflicts": [],
        "resource": [], "license": []}


def version(name, sha256=None, branch=None, tag=None, commit=None, url=None,
            preferred=False, deprecated=False):
    said["version"].append((name, {"sha256": sha256, "branch": branch}))


def variant(name, default=None, description="", values=None, multi=None,
            when=None):
    said["variant"].append((name, {"default": default,
                                   "description": description}))


def depends_on(spec, when=None, type=("build", "link"), patches=None):
    said["depends_on"].append((spec, when))


def conflicts(spec, when=None, msg=None):
    said["conflicts"].append((spec, when))


def resource(name, url, sha256, when=None, destination="", placement=None,
             expand=True):
    said["resource"].append((name, {"url": url, "sha256": sha256}))


def license(name, checked_by=None, when=None):
    said["license"].append(name)


def maintainers(*names):
    pass


def join_path(*parts):
    return "/".join(parts)


class Executable:
    def __init__(self, name):
        self.name = name

    def __call__(self, *args):
        pass


class AutotoolsPackage:
    pass
