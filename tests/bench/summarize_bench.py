#!/usr/bin/env python3
"""`summarize` against `openssl dgst -sha256` of the same file: time as a ratio, and peak memory.

Runs alternate; medians are printed with the machine's name. Files are made once under $BUILD/bench:
by our own generator, and where $STEPLEDGER_SHARED/bench/gen_xplane.c is there by that one, which
was written by others (many ops, stats that nobody asks for, 1, 2 and 8 devices). Goals: at most 2.5
times openssl's time with lines in order and 4.0 times with others, 4.5 times its processor time,
48 MB of memory at any size. SIZES="400 2000 4000" chooses the sizes (MB).
"""

import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
BINARY = os.environ.get("STEPLEDGER_BIN", str(BUILD / "stepledger"))
SIZES = [int(size) for size in os.environ.get("SIZES", "400 2000 4000").split()]
ROUNDS = {400: 7, 2000: 3}
FOREIGN = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", ROOT.parent / "shared")) / \
    "bench/gen_xplane.c"
FOREIGN_DEVICES = (1, 2, 8)


def folder():
    """Where files are made, once."""
    made = BUILD / "bench"
    made.mkdir(parents=True, exist_ok=True)
    return made


def own_file(size, unsorted):
    """Makes a file of so many MB by our own generator."""
    path = folder() / f"large-{size}{'-unsorted' if unsorted else ''}.xplane.pb"
    if not path.exists():
        subprocess.run([sys.executable, ROOT / "tests/support/make_large.py", "--size-mb",
                        str(size), "--output", path, *["--unsorted"] * unsorted],
                       check=True, stdout=subprocess.DEVNULL)
    return path


def foreign_file(size, unsorted, devices):
    """The same by the foreign one."""
    program = folder() / "gen_xplane"
    path = folder() / f"foreign-{size}-{devices}{'-unsorted' if unsorted else ''}.xplane.pb"
    if not program.exists():
        subprocess.run(["cc", "-O2", "-w", "-o", program, FOREIGN, "-lm"], check=True)
    if not path.exists():
        sorting = {} if unsorted else {"SORTED": "1"}
        subprocess.run([program, path, str(size * 1_000_000), str(devices)], check=True,
                       env={**os.environ, **sorting}, stderr=subprocess.DEVNULL)
    return path


class Run(NamedTuple):
    """What one run took: of the clock, of the processor, and resident at most."""

    seconds: float
    processor_s: float
    peak_mb: float


def measure(command):
    """Runs it once."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def compare(size, path, kind):
    """One row of the table."""
    ours = [BINARY, "summarize", "--xplane-file", str(path), "--breakdown-mode",
            "exclusive_global"]
    theirs = ["openssl", "dgst", "-sha256", str(path)]
    measure(theirs)
    rows = [(measure(ours), measure(theirs)) for _ in range(ROUNDS.get(size, 2))]
    seconds, hashing = (statistics.median(row[i][0] for row in rows) for i in (0, 1))
    ratio, work = (statistics.median(row[0][i] / row[1][i] for row in rows) for i in (0, 1))
    memory = max(row[0].peak_mb for row in rows)
    size_mb = path.stat().st_size / 1e6
    print(f"{size_mb:8.0f} {kind:20s} {seconds:12.2f} {hashing:10.2f} {ratio:8.2f} {work:10.2f} "
          f"{memory:10.1f}", flush=True)


def processor():
    """The processor's name, with what matters to hashing."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.split(":")[1].strip() for line in text.splitlines() if "model name" in line]
    return f"{names[0] if names else platform.machine()}, {len(names)} cores, " \
           f"{'with' if ' sha_ni' in text else 'without'} SHA-NI"


def main():
    """Prints the table."""
    print(processor())
    print(f"{'MB':>8s} {'lines':20s} {'summarize s':>12s} {'openssl s':>10s} {'ratio':>8s} "
          f"{'processor':>10s} {'peak MB':>10s}")
    for unsorted in (False, True):
        kind = "unsorted" if unsorted else "sorted"
        for size in SIZES:
            compare(size, own_file(size, unsorted), kind)
    if not FOREIGN.exists():
        print(f"no '{FOREIGN}': without files of a generator that others wrote")
        return
    for unsorted in (False, True):
        kind = "unsorted" if unsorted else "sorted"
        for size in SIZES:
            for devices in FOREIGN_DEVICES:
                path = foreign_file(size, unsorted, devices)
                compare(size, path, f"{kind}, foreign, {devices}")
                path.unlink()  # tens of GB otherwise


if __name__ == "__main__":
    main()
