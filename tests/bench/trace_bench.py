#!/usr/bin/env python3
"""`summarize` of a packed trace against `gzip -dc` of it: time as a ratio, and peak memory.

Runs alternate; medians are printed. Files are made once under $BUILD/bench. Goals, at each size:
no more time than gzip takes, at most 32 MB of memory. SIZES="300 1000" chooses (MB of JSON).
"""

import os
import pathlib
import statistics
import subprocess
import sys

from summarize_bench import BINARY, BUILD, ROOT, measure, processor

SIZES = [int(size) for size in os.environ.get("SIZES", "300 1000").split()]
ROUNDS = 5


def large_trace(size):
    """Makes a file whose text has so many MB, once."""
    path = BUILD / "bench" / f"large-{size}.trace.json.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        part = pathlib.Path(f"{path}.part")
        subprocess.run([sys.executable, ROOT / "tests/support/make_large_trace.py", "--size-mb",
                        str(size), "--output", part], check=True)
        part.rename(path)
    return path


def main():
    """Prints the table."""
    print(processor())
    print(f"{'MB':>8s} {'summarize s':>12s} {'gzip -dc s':>11s} {'ratio':>8s} {'peak MB':>10s}")
    for size in SIZES:
        path = str(large_trace(size))
        ours, theirs = [BINARY, "summarize", "--trace-file", path], ["gzip", "-dc", path]
        measure(theirs)
        rows = [(measure(ours), measure(theirs)) for _ in range(ROUNDS)]
        print(f"{size:8d} {statistics.median(row[0][0] for row in rows):12.2f} "
              f"{statistics.median(row[1][0] for row in rows):11.2f} "
              f"{statistics.median(row[0][0] / row[1][0] for row in rows):8.2f} "
              f"{max(row[0].peak_mb for row in rows):10.1f}", flush=True)


if __name__ == "__main__":
    main()
