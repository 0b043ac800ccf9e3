#!/usr/bin/env python3
"""Tables and `explain` against `summarize` of files of 200 MB and more, which hold many programs.

Runs alternate; medians of CPU and wall time are printed, and both peaks of memory. Goal: at most
1.3 times, by CPU, since other work stretches wall time. One file is make_large.py's
(a TPU) with a plane of HLO protos behind it, which nothing has to ask; of the other, a GPU's,
kernels of every program run, so that every proto is read. Both are made once under $BUILD/bench.
"""

import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import xplane_writer  # noqa: E402
from hlo_writer import Program  # noqa: E402
from xplane_writer import field_bytes, stat_blob, stat_int, stat_ref  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
BINARY = os.environ.get("STEPLEDGER_BIN", str(BUILD / "stepledger"))
EVENTS_MB, HLO_MB, ROUNDS, GOAL = 150, 80, 3, 1.3
KERNELS = 2_600_000
TABLES = ("op_profile", "hlo_stats", "roofline", "framework_op_stats", "phases", "top_ops", "steps",
          "overview", "input_pipeline", "findings")
OF_GPUS = ("kernels", "overview_page")


def proto():
    """A program of 2,000 instructions."""
    program = Program("jit_step")
    program.add("main", "p", "parameter", "f32[1024,1024]")
    for i in range(2000):
        program.add("main", f"dot.{i}", "dot", "f32[1024,1024]", ("p", "p"), contracting=(1,),
                    path=f"jit(step)/layer_{i}/dot_general", source=("net.py", i))
    return program.encode()


def metadata_plane(count):
    one = proto()
    plane = xplane_writer.Plane("/host:metadata", 99)
    for i in range(count or HLO_MB * 1_000_000 // len(one)):
        plane.add_event_metadata(i, xplane_writer.EventMetadata(
            f"jit_step({100000 + i})", stats=(stat_blob("Hlo Proto", one),)))
    return field_bytes(1, plane.encode())


def gpu_make(path):
    """Kernels of instructions of all programs in turn."""
    programs = HLO_MB * 1_000_000 // len(proto())
    space = xplane_writer.Space(["worker-0"])
    plane = space.add_plane("/device:GPU:0", 1)
    line = plane.add_line("Stream #1(Kernel)", 1)
    for i in range(KERNELS):
        program, dot = 100000 + i % programs, (i // programs) % 200
        line.add_event("gemm", 2000 * i, 1500, [
            stat_ref("kernel_details", "regs:8 grid:1,1,1 block:32,1,1"),
            stat_ref("hlo_op", f"dot.{dot}"), stat_ref("hlo_module", "jit_step"),
            stat_int("program_id", program), stat_int("correlation_id", i)])
    path.write_bytes(space.encode() + metadata_plane(programs))


def tpu_make(path):
    subprocess.run([sys.executable, ROOT / "tests/support/make_large.py", "--size-mb",
                    str(EVENTS_MB), "--output", path], check=True, stdout=subprocess.DEVNULL)
    with path.open("ab") as out:
        out.write(metadata_plane(0))


def file_make(name, make):
    """By a process of its own: what this one holds counts as the peak of those that it starts."""
    path = BUILD / "bench" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        maker = multiprocessing.Process(target=make, args=(path,))
        maker.start()
        maker.join()
        if maker.exitcode != 0:
            sys.exit(f"{path}: not made")
    return path


class Cost(typing.NamedTuple):
    wall_s: float
    cpu_s: float
    peak_mb: float


def cost_of(*arguments):
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.monotonic()
    process = os.posix_spawn(BINARY, [BINARY, *map(str, arguments)], os.environ,
                             file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{arguments}: failed")
    return Cost(time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3)


def compare(path, tables):
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB; goal {GOAL} of CPU time")
    cost_of("summarize", "--xplane-file", path)
    for asked in [*(("table", table) for table in tables), ("explain",)]:
        rows = [(cost_of(*asked, path), cost_of("summarize", "--xplane-file", path))
                for _ in range(ROUNDS)]
        wall, cpu = (statistics.median(ours[i] / whole[i] for ours, whole in rows)
                     for i in range(2))
        seconds = statistics.median(ours.cpu_s for ours, _ in rows)
        ours, whole = (max(row[i].peak_mb for row in rows) for i in range(2))
        print(f"{asked[-1]:18s} {seconds:6.2f} s CPU, {cpu:5.2f} times; wall {wall:5.2f} times; "
              f"{ours:4.0f} MB beside {whole:.0f}", flush=True)


def main():
    compare(file_make("programs.xplane.pb", tpu_make), TABLES)
    compare(file_make("kernels.xplane.pb", gpu_make), TABLES + OF_GPUS)


if __name__ == "__main__":
    main()
