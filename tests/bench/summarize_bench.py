#!/usr/bin/env python3
"""`summarize` against `openssl dgst -sha256` of the same file: time as a ratio, and peak memory.

Runs alternate; medians are printed with the machine's name. Files are made once under $BUILD/bench.
Goals: at most 2.5 times openssl's time at 0.4 GB; at most 64 MB of memory with sorted lines at any
size, 128 MB with unsorted ones. SIZES="400 2000 4000" chooses the sizes (MB).
"""

import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
BINARY = os.environ.get("STEPLEDGER_BIN", str(BUILD / "stepledger"))
SIZES = [int(size) for size in os.environ.get("SIZES", "400 2000 4000").split()]
ROUNDS = {400: 7, 2000: 3}


def large_file(size, unsorted):
    """Makes a file of so many MB, once."""
    folder = BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"large-{size}{'-unsorted' if unsorted else ''}.xplane.pb"
    if not path.exists():
        subprocess.run([sys.executable, ROOT / "tests/support/make_large.py", "--size-mb",
                        str(size), "--output", path, *["--unsorted"] * unsorted],
                       check=True, stdout=subprocess.DEVNULL)
    return path


def measure(command):
    """Seconds and peak resident MB of one run."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}")
    return seconds, usage.ru_maxrss / 1000


def compare(size, unsorted):
    """One row of the table."""
    path = large_file(size, unsorted)
    ours = [BINARY, "summarize", "--xplane-file", str(path), "--breakdown-mode",
            "exclusive_global"]
    theirs = ["openssl", "dgst", "-sha256", str(path)]
    measure(theirs)
    rows = [(measure(ours), measure(theirs)) for _ in range(ROUNDS.get(size, 2))]
    seconds = statistics.median(row[0][0] for row in rows)
    hashing = statistics.median(row[1][0] for row in rows)
    ratio = statistics.median(row[0][0] / row[1][0] for row in rows)
    memory = max(row[0][1] for row in rows)
    kind = "unsorted" if unsorted else "sorted"
    print(f"{size:8d} {kind:9s} {seconds:12.2f} {hashing:10.2f} {ratio:8.2f} {memory:10.1f}",
          flush=True)


def processor():
    """The processor's name, with what matters to hashing."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    return f"{names[0] if names else platform.machine()}, {len(names)} cores, " \
           f"{'with' if ' sha_ni' in text else 'without'} SHA-NI"


def main():
    """Prints the table."""
    print(processor())
    print(f"{'MB':>8s} {'lines':9s} {'summarize s':>12s} {'openssl s':>10s} {'ratio':>8s} "
          f"{'peak MB':>10s}")
    for unsorted in (False, True):
        for size in SIZES:
            compare(size, unsorted)


if __name__ == "__main__":
    main()
