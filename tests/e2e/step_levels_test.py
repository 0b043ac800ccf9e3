"""Levels, classes and statements of `table overview`: what keeps steps from being faster.

What: files whose every event is known. What it does not do: parts themselves are made_table_test's.
"""

import re
import sys
import unittest

from table_test import TableCase

import xplane_writer
from gpu_job import Job


class Levels(TableCase):
    def test_what_passes_between_steps_stands_beside_what_xprof_calls_the_bottleneck(self):
        job = Job()
        for number in range(5):  # 240 of 600 µs from step to step, as the first 2 of a step
            job.annotate(number, 600 * number, 600 * number + 300)
            job.launch("fusion", 600 * number, 600 * number + 2, 600 * number + 242)
            job.call("data_load", 600 * number + 100, 600 * number + 120)  # ahead: no wait
        told = self.table("overview", job.write(self.folder / "between.xplane.pb"))["properties"]
        self.assertEqual(told["bottleneck"], "device")
        self.assertIn("within steps", told["bottleneck_of"])
        self.assertAlmostEqual(told["device_idle_share"], .6)
        self.assertIn("60.0 % of the time from step to step the slowest device does nothing",
                      told["device_idle_statement"])

    def test_without_a_device_none_is_the_bottleneck(self):
        space = xplane_writer.Space(["worker-0"])
        thread = space.add_plane("/host:CPU", 1).add_line("python", 1, 0)
        for number in range(3):
            base = number * 1_000_000_000
            thread.add_event("train", base, 900_000_000,
                             [xplane_writer.stat_int("step_num", number),
                              xplane_writer.stat_int("_r", 1)])
            thread.add_event("IteratorGetNext", base, 1_000_000)
            thread.add_event("BufferFromHostBuffer", base + 1_000_000, 1_000_000)
            thread.add_event("matmul", base + 2_000_000, 898_000_000)
        path = self.folder / "host_alone.xplane.pb"
        path.write_bytes(space.encode())
        told = self.table("overview", path)["properties"]
        self.assertEqual((told["device_count"], told["input_level"]), (0, "no"))
        self.assertIsNone(told["bottleneck"])
        self.assertIn("no device", told["bottleneck_absent"])
        self.assertIsNone(told["device_idle_share"])

    def test_a_statement_says_what_its_share_is_of(self):
        """Every other step is short and idle most of the time: half of the steps, little time."""
        for name, ends, shown in (("uneven", (100, 1000), (.4, 80 / 1100)),
                                  ("even", (100, 100), (.8,))):
            job = Job()
            for number in range(12):
                base, end = 2000 * number, ends[number % 2]
                job.annotate(number, base, base + 1500)
                job.launch("first", base, base + 1, base + (11 if end == 100 else end - 9))
                job.launch("last", base + 2, base + end - 9, base + end + 1)
            document = self.table("overview", job.write(self.folder / f"{name}.xplane.pb"))
            (row,) = [row for row in document["rows"] if row["part"] == "idle"]
            statement = document["properties"]["all_other_statement"]
            told = [float(text) for text in re.findall(r"([0-9.]+) %", statement)]
            self.assertEqual(told, [round(100 * share, 1) for share in shown], statement)
            self.assertEqual(told[-1], round(100 * row["share"], 1))  # what stands beside it
            self.assertEqual(round(100 * document["properties"]["all_other_share"], 1), told[0])

    def tpu_levels(self, idle, collectives):
        """Of steps of a TPU whose host launches all the while."""
        space = xplane_writer.Space(["worker-0"])
        thread = space.add_plane("/host:CPU", 1).add_line("python", 10, 0)
        plane = space.add_plane("/device:TPU:0", 2)
        steps, ops = plane.add_line("Steps", 1, 0), plane.add_line("XLA Ops", 2, 0)
        for step in range(4):
            base = step * 1_000_000_000
            thread.add_event("PjitFunction(f)", base, 1_000_000_000)
            steps.add_event(str(step), base, 1_000_000_000)
            for name, category, begin, end in (("fusion.1", "loop fusion", idle, 1 - collectives),
                                               ("all-reduce.2", "all-reduce", 1 - collectives, 1)):
                ops.add_event(name, base + int(begin * 1e9), int((end - begin) * 1e9),
                              [xplane_writer.stat_text("hlo_category", category)])
        path = self.folder / "levels.xplane.pb"
        path.write_bytes(space.encode())
        told = self.table("overview", path)["properties"]
        self.assertIsNone(told["kernel_launch_level"])
        self.assertAlmostEqual(told["all_other_share"], idle)
        self.assertAlmostEqual(told["collectives_share"], collectives)
        return told["all_other_level"], told["collectives_level"]

    def test_tpus_have_levels_of_their_own(self):
        self.assertEqual(self.tpu_levels(.02, .05), ("no", "no"))
        self.assertEqual(self.tpu_levels(.04, .07), ("moderate", "moderate"))
        self.assertEqual(self.tpu_levels(.16, .16), ("high", "high"))


if __name__ == "__main__":
    sys.exit(unittest.main())
