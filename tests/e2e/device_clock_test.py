"""A device's own clock: profiles of TPUs whose shown times jump against it.

What: steps and ops are what the device says they took, wherever what wrote the profile put them;
the summary says that the clocks differ; the real capture that does so ($STEPLEDGER_SHARED). What it
does not do: clocks that agree (the golden profiles), captures without the device's times.
"""

import json
import statistics
import sys
import unittest

from op_tables_test import REAL_TPU, OpTablesCase, run

from folder_case import MadeCase
from profile_mutations import SPACE, members, number_set, tree_read, tree_write
from reference import wire

ELSEWHERE = 4000  # a stat that nobody asks for

# How far the shown times lie behind the device's, in ps, from one share of the capture to the next.
LAGS = (0, 7_000_000_000, 1_000_000_000, 250_000_000, 9_000_000_000)


def number(tree, field):
    return next((value for item, _, value in tree if item == field), 0)


class Shown:
    """Times of a device as they are shown: never backwards, so that a smaller lag holds them."""

    def __init__(self, begin, end):
        self.begin, self.part = begin, (end - begin) // len(LAGS) + 1

    def __call__(self, time):
        index = min(max((time - self.begin) // self.part, 0), len(LAGS) - 1)
        held = [self.begin + i * self.part - 1 + LAGS[i - 1] for i in range(1, index + 1)]
        return max([time + LAGS[index]] + held)


def spans(line):
    base = number(line, 3) * 1000
    for event in members(line, 4):
        start = base + number(event[2], 2)
        yield event[2], base, start, start + number(event[2], 3)


def is_device(plane):
    return next(value for item, _, value in plane if item == 2).startswith(b"/device:TPU:")


def shown_again(data):
    """The profile with the times of its devices moved, what they tell of themselves as it was, and
    with texts and references beside that."""
    space = tree_read(data, SPACE)
    for plane in members(space, 1):
        if not is_device(plane[2]):
            continue
        told = [span for line in members(plane[2], 3) for span in spans(line[2])]
        shown = Shown(min(start for _, _, start, _ in told), max(end for *_, end in told))
        for event, base, start, end in told:
            number_set(event, 2, shown(start) - base)
            number_set(event, 3, shown(end) - shown(start))
            event.append([4, wire.BYTES, [[1, wire.VARINT, ELSEWHERE], [7, wire.VARINT, 1]]])
            event.append([4, wire.BYTES, [[1, wire.VARINT, ELSEWHERE], [5, wire.BYTES, b"words"]]])
    return tree_write(space)


class DeviceClocks(MadeCase, OpTablesCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = next((cls.folder / "tpu").rglob("*.xplane.pb"))
        cls.moved = cls.folder / "moved.xplane.pb"
        cls.moved.write_bytes(shown_again(cls.plain.read_bytes()))

    def same(self, name, *columns):
        plain, moved = (self.table(name, path)["rows"] for path in (self.plain, self.moved))
        self.assertEqual(len(plain), len(moved), name)
        for before, after in zip(plain, moved):
            for column in columns:
                if isinstance(before[column], float):
                    self.assertAlmostEqual(before[column], after[column], 2, (name, column, before))
                else:
                    self.assertEqual(before[column], after[column], (name, column, before))

    def test_shown_times_do_jump(self):
        longest = 0
        for plain, moved in zip(*(
                [end - start for plane in members(tree_read(path.read_bytes(), SPACE), 1)
                 for line in members(plane[2], 3) for _, _, start, end in spans(line[2])]
                for path in (self.plain, self.moved))):
            longest = max(longest, abs(plain - moved))
        self.assertGreater(longest, 4_000_000_000)

    def test_ops_take_what_the_device_says(self):
        self.same("hlo_stats", "hlo_op_name", "occurrences", "total_time", "total_self_time",
                  "measured_memory_bw", "normalized_flop_rate", "device_skew")
        self.same("collectives", "collective", "occurrences", "exposed_time", "flight_time")

    def test_steps_take_what_the_device_says(self):
        self.same("steps", "step", "scope", "device", "step_time_us", "compute_us")
        self.same("findings", "finding", "share")

    def test_a_trace_to_look_at_shows_what_the_device_says(self):
        trace = self.folder / "moved.json.gz"
        run("convert", self.moved, "--to", "perfetto-json", "--output", trace)
        source, back = (json.loads(run("summarize", path).stdout) for path in (self.moved, trace))
        self.assertEqual(*([[span["duration_us"] for span in row["spans"]]
                            for row in summary["steps"]["rows"]] for summary in (source, back)))
        self.assertEqual(source["ops"], back["ops"])

    def test_the_summary_says_that_the_clocks_differ(self):
        said = []
        for path in (self.plain, self.moved):
            summary = json.loads(run("summarize", "--xplane-file", path).stdout)
            said.append([note for note in summary["coverage"]["warnings"] if "clocks" in note])
        self.assertEqual(said[0], [])
        self.assertEqual(len(said[1]), 1)
        self.assertIn("(2 devices, by up to 9.000 ms on", said[1][0])


@unittest.skipUnless(REAL_TPU.exists(), f"SKIPPED: no real profiles in {REAL_TPU.parent}")
class RealDeviceClock(OpTablesCase):
    """Decoded by hand: device_offset_ps and device_duration_ps of 100 steps on four cores."""

    def test_ops_and_steps_are_by_the_device_s_clock(self):
        rows = {row["hlo_op_name"]: row for row in self.table("hlo_stats", REAL_TPU)["rows"]}
        for name, seconds in (("copy-done.2", 77.64), ("copy-done.4", 77.77),
                              ("copy-done.5", 72.95), ("broadcast_add_fusion.1", 3.26)):
            self.assertEqual(rows[name]["occurrences"], 400, name)
            self.assertAlmostEqual(rows[name]["total_time"] / 1e6, seconds, 2, name)
        times = [row["step_time_us"] / 1e3 for row in self.table("steps", REAL_TPU)["rows"]
                 if row["scope"] == "step"]
        self.assertEqual(len(times), 100)
        self.assertAlmostEqual(statistics.mean(times), 784.27, 2)
        self.assertLess(statistics.stdev(times), 0.11)


if __name__ == "__main__":
    sys.exit(unittest.main())
