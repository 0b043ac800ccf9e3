#!/usr/bin/env python3
"""`summarize` of an Nsight Systems export against a plain SELECT of the same columns by the sqlite3
shell: time as a ratio, and peak memory.

Runs alternate; medians are printed. Exports are made once under $BUILD/bench: one with steps marked
by NVTX ranges, one with the ranges of XLA around every launch. Goal for 1 M kernels: at most twice
the time of the shell. KERNELS="1000000" chooses the sizes.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys

from summarize_bench import BINARY, BUILD, ROOT, measure, processor

SIZES = [int(size) for size in os.environ.get("KERNELS", "1000000").split()]
KINDS = {"marked": ["--marks", "train"], "xla": ["--xla", "--many"]}
ROUNDS = 5
SCAN = """
SELECT start, end, deviceId, contextId, streamId, globalPid, correlationId, demangledName
 FROM CUPTI_ACTIVITY_KIND_KERNEL;
SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME;
SELECT start, end, globalTid, textId, text, eventType FROM NVTX_EVENTS;
"""


def large_export(kernels, kind):
    """Makes an export with so many kernels, once."""
    path = BUILD / "bench" / f"large-{kernels}-{kind}.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        part = pathlib.Path(f"{path}.part")
        part.unlink(missing_ok=True)
        subprocess.run([sys.executable, ROOT / "tests/support/make_export.py", "--kernels",
                        str(kernels), "--devices", "4", "--layers", "12", *KINDS[kind],
                        "--output", part], check=True)
        part.rename(path)
    return path


def main():
    """Prints the table."""
    if shutil.which("sqlite3") is None:
        sys.exit("the bench compares with the sqlite3 shell: apt-get install sqlite3")
    print(processor())
    print(f"{'kernels':>9s} {'':8s} {'summarize s':>12s} {'sqlite3 s':>10s} {'ratio':>8s} "
          f"{'peak MB':>10s}")
    for size in SIZES:
        for kind in KINDS:
            path = large_export(size, kind)
            ours = [BINARY, "summarize", str(path)]
            theirs = ["sqlite3", "-readonly", str(path), SCAN]
            measure(theirs)
            rows = [(measure(ours), measure(theirs)) for _ in range(ROUNDS)]
            print(f"{size:9d} {kind:8s} {statistics.median(row[0][0] for row in rows):12.2f} "
                  f"{statistics.median(row[1][0] for row in rows):10.2f} "
                  f"{statistics.median(row[0][0] / row[1][0] for row in rows):8.2f} "
                  f"{max(row[0].peak_mb for row in rows):10.1f}", flush=True)


if __name__ == "__main__":
    main()
