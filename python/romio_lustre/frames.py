# SPDX-License-Identifier: LicenseRef-romio-lustre
"""Reports, CSV files and lioprof's tables as pandas frames."""

import glob
import os
import re
import subprocess
import tempfile

DIRECTIONS = ("write", "read")


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("frames need pandas (Debian: python3-pandas); "
                          "romio_lustre.reports() does not") from None
    return pandas


def _about(report):
    return {"file": report["file"], "job": report["job"],
            "opened_ms": report["opened_ms"]}


def files_frame(reports):
    """A row for each file and direction: job, layout, all counters."""
    rows = []
    for r in reports:
        for d in DIRECTIONS:
            row = dict(_about(r), direction=d, ranks=r["ranks"],
                       nodes=r["nodes"], lock_mode=r["lock_mode"],
                       aggregators=len(r["aggregators"]),
                       seconds_open=(r["closed_ms"] - r["opened_ms"]) / 1000,
                       stripe_count=r["layout"]["stripe_count"],
                       stripe_size=r["layout"]["stripe_size"])
            row.update(r[d]["counters"])
            rows.append(row)
    return _pandas().DataFrame(rows)


def osts_frame(reports):
    """A row for each file, direction and OST: objects, bytes, calls."""
    rows = [dict(_about(r), direction=d, **ost)
            for r in reports for d in DIRECTIONS for ost in r[d]["osts"]]
    return _pandas().DataFrame(
        rows, columns=["file", "job", "opened_ms", "direction", "ost",
                       "objects", "bytes", "calls"])


def phases_frame(reports):
    """A row for each file, direction, group of ranks and phase, in seconds.

    Empty unless the program ran with MPICH_MPIIO_TIMERS=1 or a report.
    """
    rows = []
    for r in reports:
        for d in DIRECTIONS:
            for group, phases in r[d].get("phases", {}).items():
                for name, p in phases.items():
                    if isinstance(p, dict):
                        rows.append(dict(
                            _about(r), direction=d, ranks=group, phase=name,
                            min_s=p["min_ns"] / 1e9, max_s=p["max_ns"] / 1e9,
                            ave_s=p["ave_ns"] / 1e9, percent=p["percent"]))
    return _pandas().DataFrame(
        rows, columns=["file", "job", "opened_ms", "direction", "ranks",
                       "phase", "min_s", "max_s", "ave_s", "percent"])


def hints_frame(reports):
    """A row for each file and hint: value and source of the request, value in
    force and its origin."""
    rows = [dict(_about(r), **hint) for r in reports for hint in r["hints"]]
    return _pandas().DataFrame(
        rows, columns=["file", "job", "opened_ms", "name", "requested",
                       "requested_by", "effective", "origin"])


def csv_frame(prefix="cray_mpiio_stats"):
    """The CSV files PREFIX.RANK.csv of MPICH_MPIIO_STATS=2, with the rank.

    The column start is the start of the bin as a time (UTC).
    """
    pandas = _pandas()
    frames = []
    for name in glob.glob(glob.escape(os.fspath(prefix)) + ".*.csv"):
        rank = re.search(r"\.(\d+)\.csv$", name)
        if rank:
            frame = pandas.read_csv(name)
            frame.insert(0, "rank", int(rank.group(1)))
            frames.append(frame)
    if not frames:
        raise FileNotFoundError("no file %s.RANK.csv" % prefix)
    frame = pandas.concat(frames, ignore_index=True)
    frame["start"] = pandas.to_datetime(frame["start_ms"], unit="ms", utc=True)
    return frame.sort_values(["start_ms", "rank"], ignore_index=True)


def lioprof_frames(source, command="lioprof"):
    """lioprof's tables as a dict of frames, by the names of the tables.

    source: what lioprof analyze takes (a directory of logs), or a directory
    that "lioprof analyze --format csv -o" has written.
    """
    pandas = _pandas()
    source = os.fspath(source)
    with tempfile.TemporaryDirectory(prefix="romio-lustre.") as made:
        folder = source
        if not glob.glob(os.path.join(glob.escape(source), "*.csv")):
            done = subprocess.run(
                [command, "analyze", "-q", "--format", "csv", "-o", made,
                 source], stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode not in (0, 3):  # 3: some input was not usable
                raise RuntimeError("lioprof analyze %s: %s"
                                   % (source, done.stderr.strip()))
            folder = made
        return {os.path.basename(name)[:-4]: pandas.read_csv(name)
                for name in sorted(glob.glob(os.path.join(glob.escape(folder),
                                                          "*.csv")))}
