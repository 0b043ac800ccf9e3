#!/usr/bin/env python3
"""Tables of ops against `summarize` of one file of 200 MB and more, which holds many programs.

Runs alternate; medians are printed. Goal: at most 1.3 times. The file is make_large.py's with a
plane of HLO protos behind it, as large as SIZE_HLO says; it is made once under $BUILD/bench.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import xplane_writer  # noqa: E402
from hlo_writer import Program  # noqa: E402
from xplane_writer import field_bytes, stat_blob  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
BINARY = os.environ.get("STEPLEDGER_BIN", str(BUILD / "stepledger"))
EVENTS_MB, HLO_MB, ROUNDS, GOAL = 150, 80, 3, 1.3
TABLES = ("op_profile", "hlo_stats", "roofline", "collectives")


def proto():
    """A program of 2,000 instructions."""
    program = Program("jit_step")
    program.add("main", "p", "parameter", "f32[1024,1024]")
    for i in range(2000):
        program.add("main", f"dot.{i}", "dot", "f32[1024,1024]", ("p", "p"), contracting=(1,),
                    path=f"jit(step)/layer_{i}/dot_general", source=("net.py", i))
    return program.encode()


def file_make():
    folder = BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "programs.xplane.pb"
    if path.exists():
        return path
    subprocess.run([sys.executable, ROOT / "tests/support/make_large.py", "--size-mb",
                    str(EVENTS_MB), "--output", path], check=True, stdout=subprocess.DEVNULL)
    one = proto()
    plane = xplane_writer.Plane("/host:metadata", 99)
    for i in range(HLO_MB * 1_000_000 // len(one)):
        plane.add_event_metadata(i, xplane_writer.EventMetadata(
            f"jit_step({100000 + i})", stats=(stat_blob("Hlo Proto", one),)))
    with path.open("ab") as out:
        out.write(field_bytes(1, plane.encode()))
    return path


def seconds(*arguments):
    start = time.monotonic()
    subprocess.run([BINARY, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    path = file_make()
    print(f"{path.stat().st_size / 1e6:.0f} MB; goal {GOAL}")
    seconds("summarize", "--xplane-file", path)
    for table in TABLES:
        rows = [(seconds("table", table, path), seconds("summarize", "--xplane-file", path))
                for _ in range(ROUNDS)]
        ratio = statistics.median(ours / whole for ours, whole in rows)
        print(f"{table:16s} {statistics.median(ours for ours, _ in rows):8.2f} s "
              f"{ratio:6.2f}", flush=True)


if __name__ == "__main__":
    main()
