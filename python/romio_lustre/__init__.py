# SPDX-License-Identifier: LicenseRef-romio-lustre
"""Read what romio-lustre and lioprof write.

    import romio_lustre as rl

    reports = rl.reports("out/*.json")      # ROMIO_LUSTRE_REPORT, as dicts
    rl.files_frame(reports)                 # a row for each file and direction
    rl.osts_frame(reports)                  # bytes and calls of each OST
    rl.phases_frame(reports)                # where the time of calls went
    rl.hints_frame(reports)                 # every hint: asked for, in force
    rl.csv_frame("cray_mpiio_stats")        # MPICH_MPIIO_STATS=2, over time
    rl.lioprof_frames("run1")               # lioprof's tables, by name

reports() needs nothing but Python. The functions that end in _frame or _frames
return pandas frames and need pandas.
"""

from .frames import (csv_frame, files_frame, hints_frame, lioprof_frames,
                     osts_frame, phases_frame)
from .report import ReportError, SCHEMA, VERSION, reports, schema_path

__all__ = ["ReportError", "SCHEMA", "VERSION", "csv_frame", "files_frame",
           "hints_frame", "lioprof_frames", "osts_frame", "phases_frame",
           "reports", "schema_path"]
