# SPDX-License-Identifier: LicenseRef-romio-lustre
"""The JSON reports (ROMIO_LUSTRE_REPORT): a line for each closed file."""

import glob
import json
import os

SCHEMA = "romio-lustre-report"
VERSION = 1


class ReportError(ValueError):
    """A file that is not a report; the text names the file and the line."""


def schema_path():
    """The installed JSON schema of the reports, or None if it is not there."""
    here = os.path.dirname(os.path.abspath(__file__))
    name = "%s-%d.schema.json" % (SCHEMA, VERSION)
    for folder in ("../../schema", "../../packaging/schema"):
        path = os.path.normpath(os.path.join(here, folder, name))
        if os.path.exists(path):
            return path
    return None


def _document(line, where):
    try:
        doc = json.loads(line)
    except ValueError as e:
        raise ReportError("%s: not JSON: %s" % (where, e)) from None
    if not isinstance(doc, dict) or doc.get("schema") != SCHEMA:
        raise ReportError("%s: not a report of romio-lustre" % where)
    if doc.get("version") != VERSION:
        raise ReportError("%s: version %r of the report; this module reads "
                          "version %d" % (where, doc.get("version"), VERSION))
    return doc


def reports(paths):
    """All reports in the files, as dicts, in the order of the files.

    paths: a file, a pattern such as "out/*.json", or a list of these. A
    pattern without a file is an empty list; a file that is missing is an error.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found = []
    for path in paths:
        path = os.fspath(path)
        is_pattern = any(c in path for c in "*?[") and not os.path.exists(path)
        for name in sorted(glob.glob(path)) if is_pattern else [path]:
            with open(name, encoding="utf-8") as f:
                for n, line in enumerate(f, 1):
                    if line.strip():
                        found.append(_document(line, "%s:%d" % (name, n)))
    return found
