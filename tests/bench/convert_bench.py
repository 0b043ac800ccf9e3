#!/usr/bin/env python3
"""`convert` against `gzip -c` of the same JSON: time as a ratio, sizes, and peak memory.

Of a packed trace and of an XPlane file; runs alternate, medians are printed. Of the JSON that comes
of a large file gzip compresses the first part, and its time is taken for all by the bytes. Goals:
no more time than gzip takes, at most 64 MB of memory. SIZES="300 1000" chooses the sizes (MB).
"""

import os
import statistics
import subprocess

from summarize_bench import BINARY, BUILD, own_file, measure, processor
from trace_bench import large_trace

SIZES = [int(size) for size in os.environ.get("SIZES", "300 1000").split()]
ROUNDS = 3
PART_BYTES = 300000000


def compare(kind, path):
    """One row of the table."""
    output, part = BUILD / "bench" / "converted.json.gz", BUILD / "bench" / "converted.json"
    ours = [BINARY, "convert", str(path), "--to", "perfetto-json", "--output", str(output)]
    measure(ours)
    whole = int(subprocess.run(f"gzip -dc {output} | wc -c", shell=True, check=True,
                               capture_output=True).stdout)
    with open(part, "wb") as file:
        subprocess.run(f"gzip -dc {output} | head -c {PART_BYTES}", shell=True, check=True,
                       stdout=file)
    share = whole / part.stat().st_size
    rows = [(measure(ours), measure(["gzip", "-c", str(part)])) for _ in range(ROUNDS)]
    seconds = statistics.median(row[0][0] for row in rows)
    packing = share * statistics.median(row[1][0] for row in rows)
    print(f"{kind:12s} {path.stat().st_size / 1e6:8.0f} {whole / 1e6:9.0f} "
          f"{output.stat().st_size / 1e6:9.1f} {seconds:10.2f} {packing:10.2f} "
          f"{seconds / packing:8.2f} {max(row[0].peak_mb for row in rows):10.1f}", flush=True)
    output.unlink()
    part.unlink()


def main():
    """Prints the table."""
    print(processor())
    print(f"{'source':12s} {'MB':>8s} {'JSON MB':>9s} {'packed MB':>9s} {'convert s':>10s} "
          f"{'gzip -c s':>10s} {'ratio':>8s} {'peak MB':>10s}")
    for size in SIZES:
        compare("trace", large_trace(size))
        compare("xplane", own_file(size, False))


if __name__ == "__main__":
    main()
