"""Our members against the planned truth of made profiles, to the picosecond.

What: makes TPU-like and GPU-like profiles, odd encodings among them, summarizes them
and compares steps, devices, ops and counts with the truth files, which come from the plan and
not from any reader. Why apart from the golden tests: the reference has none of these members.
What it does not do: members of profile_summary.v1 with epoch timestamps, whose doubles are coarser
than the truth by design.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path("tests/support").resolve()))
from xplane_writer import (Space, encode_varint, field_bytes,  # noqa: E402  (scripts)
                           stat_int, stat_uint)

from truth_case import ALL_OPS, BINARY, TIMEOUT_S, TruthCase, ps  # noqa: E402

MAKE_LARGE = pathlib.Path("tests/support/make_large.py")


class OneHost(TruthCase):
    def test_a_tpu_profile(self):
        profile = self.make()
        self.check_all(profile, "steps_line")
        self.check_signatures(profile)
        self.check_hot_ops(profile)
        self.assertEqual(profile.summary["coverage"]["warnings"], [])

    def test_a_gpu_profile(self):
        profile = self.make("--kind", "gpu")
        self.check_all(profile, "step_annotation")
        self.check_signatures(profile)
        self.check_hot_ops(profile)

    def test_the_global_breakdown_leaves_our_members_as_they_are(self):
        options = ("--breakdown-mode", "exclusive_global")
        self.check_all(self.make(options=options), "steps_line")
        self.check_all(self.make("--kind", "gpu", options=options), "step_annotation")

    def test_epoch_timestamps_whose_doubles_are_a_quarter_of_a_microsecond_apart(self):
        profile = self.make("--epoch-timestamps")
        self.check_devices(profile)
        self.check_steps(profile, "steps_line")
        self.check_ops(profile)
        profile = self.make("--kind", "gpu", "--epoch-timestamps")
        self.check_devices(profile)
        self.check_steps(profile, "step_annotation")
        self.check_ops(profile)

    def test_a_line_in_disorder_is_sorted_and_named(self):
        for kind, method in (("tpu", "steps_line"), ("gpu", "step_annotation")):
            profile = self.make("--kind", kind, "--unsorted-line")
            self.check_all(profile, method)
            self.check_hot_ops(profile)
            self.assertEqual(profile.summary["coverage"]["unsorted_lines"], 1)
            warnings = profile.summary["trace_overview"]["quality_warnings"]
            self.assertRegex(warnings[0], r"^Events on trace track \(\d+, \d+\) were not in "
                                          r"timeline order; they were sorted\.$")

    def test_fields_in_any_order_and_scattered_ids(self):
        plain = self.make().summary
        for options in (("--field-order", "reversed"), ("--field-order", "metadata-first"),
                        ("--sparse-ids",)):
            profile = self.make(*options)
            self.check_all(profile, "steps_line")
            self.assertEqual(profile.summary["hot_ops"], plain["hot_ops"])
            self.assertEqual(profile.summary["ops"], plain["ops"])

    def test_a_recompile_keeps_every_signature(self):
        signatures = [{row["signature"]: row["count"] for row in self.make(*options).summary["ops"]}
                      for options in ((), ("--renumber", "7"))]
        self.assertEqual(signatures[0], signatures[1])

    def test_warm_up_steps_are_left_out_of_steady_figures(self):
        profile = self.make("--first-step", "0", options=("--warmup-steps", "3"))
        steps = profile.summary["steps"]
        self.assertEqual([row["warmup"] for row in steps["rows"]], [True] * 3 + [False] * 5)
        self.assertEqual(steps["steady_count"], 5)
        truth, = profile.truth.values()
        durations = sorted(step["max_duration_ps"] for step in truth["steps"][3:])
        self.assertEqual(ps(steps["steady_median_us"]), durations[2])

    def test_idle_time_in_steady_steps(self):
        profile = self.make()
        truth, = profile.truth.values()
        idle = [device["duration_ps"] - device["busy_ps"]
                for step in truth["steps"] for device in step["devices"].values()]
        mean = sum(idle) / 1e6 / len(idle)
        self.assertAlmostEqual(profile.summary["coverage"]["steady_idle_us_per_step"], mean, 9)


class Programs(TruthCase):
    def programs(self, *options):
        return self.make(*options).summary["environment"]["programs"]

    def test_a_recompile_keeps_the_fingerprint_and_other_code_changes_it(self):
        for kind in ("tpu", "gpu"):
            plain, = self.programs("--kind", kind)
            again, = self.programs("--kind", kind, "--renumber", "3", "--seed", "5")
            other, = self.programs("--kind", kind, "--slow-op", "mlp_fwd=1.5")
            self.assertEqual(plain["name"], "jit_train_step")
            self.assertRegex(plain["fingerprint"], "^[0-9a-f]{64}$")
            self.assertEqual(plain["fingerprint"], again["fingerprint"])
            self.assertNotEqual(plain["fingerprint"], other["fingerprint"])


class AsynchronousDispatch(unittest.TestCase):
    """The host runs ahead: all launches are done before the device begins the second step."""

    STEPS, KERNELS, KERNEL_PS = 4, 5, 1_000_000

    def profile(self):
        space = Space(["ahead"])
        host = space.add_plane("/host:CPU").add_line("main", 1)
        stream = space.add_plane("/device:GPU:0").add_line("Stream #7(Kernel)", 7)
        correlation = 0
        for step in range(self.STEPS):
            begin = step * 10_000
            host.add_event("train", begin, 9_000, [stat_int("_r", 1), stat_int("step_num", step)])
            for kernel in range(self.KERNELS):
                correlation += 3  # other calls take numbers, too
                stats = [stat_uint("correlation_id", correlation)]
                host.add_event("cuLaunchKernel", begin + 100 * (kernel + 1), 50, stats)
                at = 50_000 + (step * self.KERNELS + kernel) * (self.KERNEL_PS + 10)
                stream.add_event("gemm", at, self.KERNEL_PS, stats)
        return space.encode()

    def test_kernels_belong_to_the_step_that_launched_them(self):
        with tempfile.NamedTemporaryFile(suffix=".xplane.pb") as file:
            file.write(self.profile())
            file.flush()
            run = subprocess.run([BINARY, "summarize", "--xplane-file", file.name,
                                  "--warmup-steps=0"],
                                 check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
        steps = json.loads(run.stdout)["steps"]
        self.assertEqual(steps["method"], "step_annotation")
        self.assertEqual([row["number"] for row in steps["rows"]], list(range(self.STEPS)))
        length = self.KERNELS * (self.KERNEL_PS + 10) - 10
        for step, row in enumerate(steps["rows"]):
            span, = row["spans"]
            self.assertEqual(ps(span["start_us"]), 50_000 + step * (length + 10))
            self.assertEqual(ps(span["duration_us"]), length)


class ManyEvents(unittest.TestCase):
    """Above a million events planes are read side by side, and disorder is found on the way."""

    OPTIONS = ("--warmup-steps=0", "--breakdown-mode", "exclusive_global", ALL_OPS)

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="stepledger-truth-")
        cls.addClassCleanup(cls.holder.cleanup)

    def large(self, name, *options):
        path = pathlib.Path(self.holder.name, f"{name}.xplane.pb")
        if not path.exists():
            subprocess.run([sys.executable, str(MAKE_LARGE), "--output", str(path), "--size-mb",
                            "60", *options], check=True, capture_output=True, timeout=TIMEOUT_S)
        return path

    def summarize(self, path, threads):
        environment = {**os.environ, "STEPLEDGER_THREADS": threads, "SOURCE_DATE_EPOCH": "1"}
        run = subprocess.run([BINARY, "summarize", "--xplane-file", str(path), *self.OPTIONS],
                             check=True, capture_output=True, text=True, timeout=TIMEOUT_S,
                             env=environment)
        return run.stdout

    def check(self, path, summary):
        truth = json.loads(pathlib.Path(f"{path}.truth.json").read_text())
        overview = summary["trace_overview"]
        self.assertEqual(overview["num_events_total"], truth["num_events_total"])
        steps = summary["steps"]
        self.assertEqual(len(steps["rows"]), truth["steps"])
        for row in steps["rows"]:
            self.assertEqual(len(row["spans"]), truth["devices"])
            for span in row["spans"]:
                self.assertEqual(ps(span["duration_us"]), truth["step_duration_ps"])
        expected = {op["name"]: op for op in truth["ops"]}
        for row in summary["hot_ops"]:
            if row["name"] in expected and not row["name"].startswith("async"):
                self.assertAlmostEqual(row["exclusive_duration"] * 1e6,
                                       expected[row["name"]]["self_ps"],
                                       delta=1e-9 * expected[row["name"]]["self_ps"])
        for row in summary["ops"]:
            if not row["asynchronous"]:
                op = expected.pop(row["name"])
                self.assertEqual((row["count"], ps(row["total_us"]), ps(row["self_us"])),
                                 (op["count"], op["total_ps"], op["self_ps"]))
        self.assertEqual(expected, {})

    def test_lines_in_order(self):
        path = self.large("sorted")
        self.check(path, json.loads(self.summarize(path, "2")))

    def test_lines_in_disorder(self):
        path = self.large("unsorted", "--unsorted")
        summary = json.loads(self.summarize(path, "2"))
        self.check(path, summary)
        self.assertEqual(summary["coverage"]["unsorted_lines"], 4)
        ordered = json.loads(self.summarize(self.large("sorted"), "2"))
        for name in ("hot_ops", "gap_before_ops", "gap_region_contexts", "hierarchical_regions",
                     "time_breakdown", "devices", "steps", "ops"):
            self.assertEqual(summary[name], ordered[name], name)

    def test_the_number_of_threads_does_not_change_a_byte(self):
        for path in (self.large("sorted"), self.large("unsorted", "--unsorted")):
            texts = {self.summarize(path, threads) for threads in ("1", "2", "7")}
            self.assertEqual(len(texts), 1)


class LongLines(unittest.TestCase):
    """In large files the index steps over long lines; what follows their events still counts."""

    EVENTS, FILLER_BYTES = 90_000, 130 << 20

    def space(self, name, display_name):
        space = Space(["long"])
        plane = space.add_plane("/device:TPU:0")
        line = plane.add_line(name, 3, timestamp_ns=1000)
        line.display_name = display_name
        for index in range(self.EVENTS):
            line.add_event(f"op.{index % 7}", index * 1_000_000 + index % 3, 900_000 + index % 11)
        return space.encode()

    def summarize(self, data, filler):
        with tempfile.NamedTemporaryFile(suffix=".xplane.pb") as file:
            file.write(data)
            if filler:  # an unknown field of zeros, which takes no room on the disk
                file.write(field_bytes(15, b"")[:1] + encode_varint(self.FILLER_BYTES))
                file.truncate(file.tell() + self.FILLER_BYTES)
            file.flush()
            run = subprocess.run([BINARY, "summarize", "--xplane-file", file.name,
                                  "--breakdown-mode", "exclusive_global"],
                                 check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
        summary = json.loads(run.stdout)
        for name in ("generated_at_utc", "source_path", "sources", "trace_provenance",
                     "capture"):
            del summary[name]
        del summary["coverage"]["bytes_read"]
        return summary

    def assert_near(self, one, two, place=""):
        """Sums of large files are made in another order: equal but for the last digits."""
        self.assertIs(type(one), type(two), place)
        if isinstance(one, dict):
            self.assertEqual(set(one), set(two), place)
            for name, value in one.items():
                self.assert_near(value, two[name], f"{place}.{name}")
        elif isinstance(one, list):
            self.assertEqual(len(one), len(two), place)
            for index, pair in enumerate(zip(one, two)):
                self.assert_near(*pair, f"{place}[{index}]")
        elif isinstance(one, float):
            self.assertAlmostEqual(one, two, delta=1e-9 * abs(one), msg=place)
        else:
            self.assertEqual(one, two, place)

    def test_a_long_line_is_read_as_in_a_small_file(self):
        data = self.space("XLA Ops", "")
        self.assert_near(self.summarize(data, False), self.summarize(data, True))

    def test_a_name_behind_the_events_of_a_long_line_counts(self):
        data = self.space("unnamed", "XLA Ops")
        small, large = self.summarize(data, False), self.summarize(data, True)
        self.assertEqual(len(large["hot_ops"]), 7)
        self.assert_near(small, large)


if __name__ == "__main__":
    unittest.main()
