"""Launches of programs as steps, where nobody marked any: what kernels that lack their label, other
programs and the ends of a capture make of them.

What: kernels of two GPUs are written by hand, summarized by the binary, and the steps compared with
what was written. Why apart from steps_found_test.py: those are whole jobs; here each case is one
that a collector leaves behind, kernel by kernel.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from typing import List, NamedTuple, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build/stepledger"))

import job_capture  # noqa: E402

US = 10**6  # picoseconds
PERIOD_US, LENGTH_US = 20000, 5980
# Of the program: op, start and length within a launch in µs; between two of them is nothing.
OPS = (("fusion.1", 0, 2000), ("fusion.2", 2010, 1980), ("all_reduce.3", 4000, 980),
       ("fusion.4", 5000, 470), ("fusion.5", 5500, 480))


class Kernel(NamedTuple):
    op: str
    start_us: float
    length_us: float
    program: Optional[str] = "jit_train_step"  # None: a kernel without a label
    launch: int = -1


def launches(count, ops=OPS, program="jit_train_step", period_us=PERIOD_US, first_us=1000):
    return [Kernel(op, first_us + launch * period_us + start, length, program, launch)
            for launch in range(count) for op, start, length in ops]


def lost(kernels, launch, *ops):
    """The same kernels; some of a launch without their label."""
    return [kernel._replace(program=None)
            if kernel.launch == launch and kernel.op in ops else kernel for kernel in kernels]


def capture(devices: List[List[Kernel]], ids=True, streams=1) -> bytes:
    """A file with the kernels of each device, which were launched in the order of the list."""
    planes, correlation = [], 100
    for device, kernels in enumerate(devices):
        plane = job_capture.Plane(f"/device:GPU:{device}")
        lines = [[] for _ in range(streams)]
        programs = sorted({kernel.program for kernel in kernels if kernel.program})
        for place, kernel in enumerate(kernels):
            correlation += 3
            stats = []
            if ids:
                stats.append(plane.stat("correlation_id", correlation))
            if kernel.program:
                stats += [plane.stat("hlo_module", kernel.program), plane.stat("hlo_op", kernel.op),
                          plane.stat("program_id", 12 + programs.index(kernel.program))]
            lines[place % streams].append((kernel.start_us, job_capture.event(
                plane.event(kernel.op.replace(".", "_")), round(kernel.start_us * US),
                round(kernel.length_us * US),
                b"".join(job_capture.text(4, stat) for stat in stats))))
        for stream, events in enumerate(lines):
            plane.line(7 + stream, f"Stream #{7 + stream}(Kernel)", 0,
                       [event for _, event in sorted(events)])
        planes.append(plane)
    return b"".join(job_capture.text(1, plane.encode()) for plane in planes)


class MadeLaunches(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "a.xplane.pb"

    def asked(self, command, devices, **how):
        self.path.write_bytes(capture(devices, **how))
        done = subprocess.run([BINARY, command, str(self.path)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def steps(self, devices, **how):
        found = self.asked("summarize", devices, **how)["steps"]
        self.assertEqual(found["method"], "program_launch")
        return found

    def spans(self, devices, **how):
        """By step its spans, (device, start in the capture, length) in µs."""
        found = self.steps(devices, **how)["rows"]
        self.assertEqual([row["number"] for row in found], list(range(len(found))))
        return [[(span["device"], span["start_us"], span["duration_us"]) for span in row["spans"]]
                for row in found]

    def lengths(self, devices, **how):
        return [[length for _, _, length in spans] for spans in self.spans(devices, **how)]

    def test_a_kernel_without_its_label_moves_no_step(self):
        whole = launches(10)
        for op, _, _ in OPS[1:-1]:
            for ids in (True, False):
                for launch in (0, 4, 9):
                    with self.subTest(op=op, launch=launch, ids=ids):
                        self.assertEqual(self.lengths([lost(whole, launch, op), whole], ids=ids),
                                         [[LENGTH_US, LENGTH_US]] * 10)
        # Where the first one or the last one is not known, the launch is what is known of it.
        for ids in (True, False):
            for ops, length in ((("fusion.1",), LENGTH_US - 2010), (("fusion.5",), 5470),
                                (("fusion.1", "fusion.2"), LENGTH_US - 4000),
                                (("fusion.4", "fusion.5"), 4980)):
                with self.subTest(ops=ops, ids=ids):
                    self.assertEqual(self.lengths([lost(whole, 4, *ops), whole], ids=ids),
                                     [[length if at == 4 else LENGTH_US, LENGTH_US]
                                      for at in range(10)])
        # The last one of a launch, and the first one of the next.
        both = lost(lost(whole, 4, "fusion.5"), 5, "fusion.1")
        self.assertEqual(self.lengths([both, whole])[3:7],
                         [[LENGTH_US] * 2, [5470, LENGTH_US], [LENGTH_US - 2010, LENGTH_US],
                          [LENGTH_US] * 2])

    def test_nothing_is_found_amiss_of_equal_devices(self):
        found = self.asked("explain", [lost(launches(10), 4, "fusion.2"), launches(10)])
        self.assertAlmostEqual(found["step_us"], LENGTH_US)
        self.assertEqual([row["finding"] for row in found["findings"]
                          if row["finding"] in ("slow_device", "slow_steps")], [])

    def test_a_device_without_a_launch_has_the_others_by_their_time(self):
        whole = launches(6)
        for missing in range(6):
            unnamed = lost(whole, missing, *[op for op, _, _ in OPS])
            for kernels in (unnamed, [kernel for kernel in whole if kernel.launch != missing]):
                for ids in (True, False):
                    with self.subTest(missing=missing, whole=len(kernels), ids=ids):
                        spans = self.spans([kernels, whole], ids=ids)
                        self.assertEqual(spans, [
                            [(device, 1000 + PERIOD_US * launch, LENGTH_US) for device in range(2)
                             if (device, launch) != (0, missing)] for launch in range(6)])

    def test_beside_annotations_launches_are_counted_by_their_steps(self):
        whole = launches(6)
        host = job_capture.Plane("/host:CPU")
        marks = [job_capture.event(host.event("train"), round((900 + PERIOD_US * at) * US),
                                   round(PERIOD_US * .99 * US),
                                   job_capture.text(4, host.stat("step_num", 3 + at)))
                 for at in range(6)]
        host.line(4711, "python", 0, marks)
        for missing in range(6):
            data = capture([lost(whole, missing, *[op for op, _, _ in OPS]), whole])
            self.path.write_bytes(data + job_capture.text(1, host.encode()))
            done = subprocess.run([BINARY, "summarize", str(self.path)], capture_output=True,
                                  text=True, check=True)
            [table] = [table for table in json.loads(done.stdout)["other_steps"]
                       if table["method"] == "program_launch"]
            self.assertEqual([(row["number"], [span["device"] for span in row["spans"]],
                               row["max_us"]) for row in table["rows"]],
                             [(at, [1] if at == missing else [0, 1], LENGTH_US)
                              for at in range(6)])

    def test_copies_between_launches_are_no_part_of_how_long_they_take(self):
        whole = launches(6)
        copies = [Kernel("__amd_rocclr_copyBuffer", 1000 + PERIOD_US * launch + at, 16, None)
                  for launch in range(6) for at in (-900, -400, 3985, 9000, 15000)]
        kernels = sorted(whole + copies, key=lambda kernel: kernel.start_us)
        for ids in (True, False):
            self.assertEqual(self.lengths([kernels, whole], ids=ids),
                             [[LENGTH_US, LENGTH_US]] * 6)

    def test_loops_in_a_program_begin_no_launch(self):
        # Ops of a loop run as often in each launch, or as the data has it; or the loop is all.
        for trips in ((3,) * 8, (1, 2, 2, 1, 3, 2, 1, 2), (4, 1, 1, 5, 1, 2, 2, 1),
                      (1, 1, 2, 1, 1)):
            kernels, lengths = [], []
            for launch, count in enumerate(trips):
                begin = 1000 + launch * PERIOD_US
                ops = [("fusion.1", 0)] + [(op, 1000 + 1000 * trip + at) for trip in range(count)
                                           for op, at in (("body.1", 0), ("body.2", 500))]
                ops.append(("fusion.2", 1000 + 1000 * count))
                kernels += [Kernel(op, begin + at, 400, launch=launch) for op, at in ops]
                lengths.append([1400 + 1000 * count] * 2)
            for ids in (True, False):
                with self.subTest(trips=trips, ids=ids):
                    self.assertEqual(self.lengths([kernels, kernels], ids=ids), lengths)
                    self.assertEqual(self.lengths([lost(kernels, 3, "body.1"), kernels], ids=ids),
                                     lengths)

    def test_a_launch_that_the_capture_cut_is_none(self):
        # Where it cut both ends of one launch it looks whole, with another op as the first.
        whole = launches(8)
        for ids in (True, False):
            for first in range(5):
                for last in set(range(5)) - {5 - first}:
                    kernels = whole[first:len(whole) - last]
                    with self.subTest(first=first, last=last, ids=ids):
                        self.assertEqual(self.lengths([kernels, kernels], ids=ids),
                                         [[LENGTH_US, LENGTH_US]] * (8 - (first > 0) - (last > 0)))

    def test_streams_side_by_side_begin_no_launch(self):
        # Each launch begins right behind the last one, of which kernels on another stream are left:
        # without ids those are of the launch that they begin in.
        ops = [(f"fusion.{at}", 100 * at + (250 if at % 3 == 2 else 0), 90) for at in range(12)]
        whole = launches(10, ops, period_us=1200)
        for ids, length in ((True, 1440), (False, 1140)):
            for missing in (None, "fusion.0", "fusion.3", "fusion.11"):
                with self.subTest(ids=ids, missing=missing):
                    found = self.lengths([lost(whole, 5, missing), whole], ids=ids, streams=3)
                    self.assertEqual(found[1:5] + found[6:9], [[length, length]] * 7)
                    self.assertEqual(len(found), 10)
                    self.assertLessEqual(length - found[5][0], 350)

    def test_the_step_is_the_program_that_repeats(self):
        def evaluations(count, first_us):
            return launches(count, (("fusion.9", 0, 500000),), "jit_eval", 10**6, first_us)

        def sums(count, length_us):
            return launches(count, (("reduce.7", 0, length_us),), "jit_sum", PERIOD_US / 4, 7000)

        train = launches(20)
        for others, program, count in (
                (evaluations(1, 10**6), "jit_train_step", 20),
                (evaluations(2, 10**6), "jit_train_step", 20),
                (evaluations(3, 10**6), "jit_eval", 3),  # it repeats, and takes most time
                (sums(80, 50), "jit_train_step", 20)):
            with self.subTest(program=program, others=len(others)):
                found = self.steps([train + others] * 2)
                self.assertEqual((found["program"], len(found["rows"])), (program, count))
        # Of a short capture small programs may repeat more often than the step.
        for steps, length_us, program in ((1, 50, "jit_train_step"), (2, 50, "jit_train_step"),
                                          (2, 1000, "jit_sum")):
            with self.subTest(steps=steps, length_us=length_us):
                found = self.steps([launches(steps) + sums(4 * steps, length_us)] * 2)
                self.assertEqual(found["program"], program)
        self.assertEqual(self.steps([launches(1)])["program"], "jit_train_step")

    def test_the_step_is_the_run_that_repeats(self):
        plane = job_capture.Plane("/device:TPU:0")
        runs = [("jit_train_step(12)", 1000 + PERIOD_US * at, LENGTH_US) for at in range(20)]
        runs.append(("jit_eval(13)", 500000, 800000))
        for line, heads in ((2, [plane.event(run[0]) for run in runs]),
                            (3, [plane.event("%fusion.1 = f32[8] fusion()")] * len(runs))):
            plane.line(line, ("XLA Modules", "XLA Ops")[line - 2], 0, [
                job_capture.event(head, begin * US, length * US)
                for head, (_, begin, length) in zip(heads, runs)])
        self.path.write_bytes(job_capture.text(1, plane.encode()))
        done = subprocess.run([BINARY, "summarize", str(self.path)], capture_output=True, text=True,
                              check=False)
        steps = json.loads(done.stdout)["steps"]
        self.assertEqual((steps["method"], steps["program"], len(steps["rows"])),
                         ("module_run", "jit_train_step", 20))


if __name__ == "__main__":
    unittest.main()
