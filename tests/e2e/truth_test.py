"""Our members against the planned truth of made profiles, to the picosecond.

What: makes TPU-like and GPU-like profiles, several hosts and odd encodings among them, summarizes
them and compares steps, devices, ops and counts with the truth files, which come from the plan and
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

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
MAKE_PROFILE = pathlib.Path("tests/support/make_profile.py")
MAKE_LARGE = pathlib.Path("tests/support/make_large.py")
TIMEOUT_S = 120
ALL_OPS = "--hot-op-limit=100000"


def ps(microseconds):
    """Our documents hold µs with six decimals: exact picoseconds."""
    return round(microseconds * 1e6)


class Profile:
    """A made profile with its truth by host, and our summary of it."""

    def __init__(self, folder, make_options, *options):
        command = [sys.executable, str(MAKE_PROFILE), "--output", str(folder), "--layout", "flat",
                   "--steps", "8", "--layers", "3", *make_options]
        subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)
        truths = sorted(pathlib.Path(folder).glob("*.truth.json"))
        self.truth = {path.name.split(".")[0]: json.loads(path.read_text()) for path in truths}
        run = subprocess.run([BINARY, "summarize", "--profile-dir", str(folder), ALL_OPS,
                              "--warmup-steps=0", *options],
                             check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.summary = json.loads(run.stdout)

    def device_truths(self):
        """(our name of the device, its truth); names carry the host when there are several."""
        for host, truth in self.truth.items():
            for name, device in truth["devices"].items():
                yield (f"{host}{name}" if len(self.truth) > 1 else name), device


class TruthCase(unittest.TestCase):
    def make(self, *make_options, options=()):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            return Profile(folder, make_options, *options)

    def check_devices(self, profile):
        rows = {row["name"]: row for row in profile.summary["devices"]}
        truths = dict(profile.device_truths())
        self.assertEqual(set(rows), set(truths))
        for name, truth in truths.items():
            row = rows[name]
            self.assertEqual(ps(row["busy_us"]), truth["busy_ps"], name)
            self.assertEqual(ps(row["window_us"]), truth["window_ps"], name)
            self.assertEqual(ps(row["idle_us"]), truth["idle_ps"], name)
            self.assertEqual(ps(row["compute_us"]), truth["compute_ps"], name)
            self.assertEqual(ps(row["exposed_comm_us"]), truth["exposed_communication_ps"], name)
            self.assertEqual(ps(row["overlapped_comm_us"]), truth["overlapped_communication_ps"],
                             name)
            self.assertEqual(ps(row["exposed_copy_us"]), truth["exposed_copy_ps"], name)

    def check_steps(self, profile, method):
        steps, names = profile.summary["steps"], [d["name"] for d in profile.summary["devices"]]
        self.assertEqual(steps["method"], method)
        expected = {}
        for host, truth in profile.truth.items():
            for step in truth["steps"]:
                for device, item in step["devices"].items():
                    name = f"{host}{device}" if len(profile.truth) > 1 else device
                    expected.setdefault(step["number"], {})[name] = item
        self.assertEqual([row["number"] for row in steps["rows"]], sorted(expected))
        for row in steps["rows"]:
            truth = expected[row["number"]]
            spans = {names[span["device"]]: span for span in row["spans"]}
            self.assertEqual(set(spans), set(truth))
            for name, span in spans.items():
                self.assertEqual(ps(span["duration_us"]), truth[name]["duration_ps"], name)
            durations = [item["duration_ps"] for item in truth.values()]
            self.assertEqual(ps(row["max_us"]), max(durations))
            self.assertEqual(ps(row["mean_us"]), sum(durations) // len(durations))
            slowest = truth[names[row["slowest"]]]
            self.assertEqual(slowest["duration_ps"], max(durations))
            period = row["period_us"]
            self.assertEqual(period if period is None else ps(period), slowest["period_ps"])

    def check_ops(self, profile):
        """Rows join ops of one signature, so what a signature's ops add up to is compared."""
        expected = {}
        for truth in profile.truth.values():
            for op in truth["ops"]:
                key = (op["name"], op["line"] == "Async XLA Ops")
                row = expected.setdefault(key, [0, 0, 0])
                row[0] += op["count"]
                row[1] += op["total_ps"]
                row[2] += op["self_ps"]
        sums = [sum(row[i] for row in expected.values()) for i in range(2)]
        rows = profile.summary["ops"]
        self.assertEqual(sum(row["count"] for row in rows), sums[0])
        self.assertEqual(sum(ps(row["total_us"]) for row in rows), sums[1])
        synchronous = [row for row in rows if not row["asynchronous"]]
        self.assertEqual(sum(ps(row["self_us"]) for row in synchronous),
                         sum(row[2] for (_, flight), row in expected.items() if not flight))
        self.assertEqual(sum(row["steady_count"] for row in synchronous),
                         sum(row["count"] for row in synchronous))
        for row in synchronous:
            count, total, self_time = expected[row["name"], False]
            if row["count"] == count:
                self.assertEqual(ps(row["total_us"]), total, row["name"])
                self.assertEqual(ps(row["self_us"]), self_time, row["name"])
                self.assertEqual(ps(row["steady_self_us"]), self_time, row["name"])

    def check_signatures(self, profile):
        """Opcode, shapes, path and source of every instruction that has its own text."""
        truth = next(iter(profile.truth.values()))
        by_name = {op["name"]: op["signatures"][0] for op in truth["ops"]
                   if len(op["signatures"]) == 1 and op["line"] != "Async XLA Ops"}
        for row in profile.summary["ops"]:
            signature = by_name.get(row["name"])
            if row["asynchronous"] or signature is None:
                continue
            self.assertEqual((row["op_path"] or "").rstrip(":"), signature["path"])
            self.assertEqual(row["program"], truth["module"])
            if row["shape_signature"] is not None:
                self.assertEqual(row["opcode"], signature["opcode"])
                shapes = f"{signature['result']}({','.join(signature['operands'])})"
                self.assertEqual(row["shape_signature"], shapes.replace(" ", ""))
                self.assertEqual(row["flops"], float(signature["flops"] * row["count"]))

    def check_overview(self, profile):
        overview = profile.summary["trace_overview"]
        truths = [truth["overview"] for truth in profile.truth.values()]
        for name in ("num_processes", "num_threads", "num_events_total", "num_complete_events"):
            self.assertEqual(overview[name], sum(truth[name] for truth in truths), name)

    def check_hot_ops(self, profile):
        """Those of profile_summary.v1 are doubles, but near enough to the picosecond."""
        truth, = profile.truth.values()
        expected = {}
        for op in truth["ops"]:
            row = expected.setdefault(op["name"], [0, 0])
            row[0] += op["count"]
            row[1] += op["total_ps"]
        for row in profile.summary["hot_ops"]:
            count, total = expected.pop(row["name"])
            self.assertEqual(row["count"], count, row["name"])
            self.assertEqual(ps(row["total_duration"]), total, row["name"])
        self.assertEqual(expected, {})
        breakdown = profile.summary["time_breakdown"]
        for name, total in truth["breakdown_per_track_ps"].items():
            self.assertAlmostEqual(breakdown[name]["total_duration"] * 1e6, total,
                                   delta=1e-9 * total + 1)

    def check_environment(self, profile):
        environment = profile.summary["environment"]
        truths = list(profile.truth.values())
        self.assertEqual(environment["device_type"], truths[0]["device_type"])
        self.assertEqual(environment["device_count"], sum(t["device_count"] for t in truths))
        self.assertEqual(environment["hosts"], sorted(profile.truth))

    def check_all(self, profile, method):
        self.check_overview(profile)
        self.check_environment(profile)
        self.check_devices(profile)
        self.check_steps(profile, method)
        self.check_ops(profile)


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


class SeveralHosts(TruthCase):
    def test_two_hosts_are_one_profile(self):
        for kind, method in (("tpu", "steps_line"), ("gpu", "step_annotation")):
            profile = self.make("--kind", kind, "--host", "alpha", "--host", "beta",
                                "--devices", "2")
            self.check_all(profile, method)

    def test_the_slower_host_is_the_step_time(self):
        profile = self.make("--host", "alpha", "--host", "beta", "--devices", "2",
                            "--slow-host", "beta=1.05")
        self.check_all(profile, "steps_line")
        names = [device["name"] for device in profile.summary["devices"]]
        slowest = {names[row["slowest"]] for row in profile.summary["steps"]["rows"]}
        self.assertTrue(all(name.startswith("beta/") for name in slowest), slowest)
        facts = {fact["name"]: fact["value"] for fact in profile.summary["environment"]["facts"]}
        self.assertEqual(facts["straggler_host"], "beta")
        median = profile.summary["steps"]["steady_median_us"]
        self.assertAlmostEqual(float(facts["step_skew_us"]), median * 0.05 / 1.05,
                               delta=0.01 * median)
        self.assertIn("clock_offset_us/beta", facts)

    def test_every_report_names_the_slower_host(self):
        says = {"text": r"The slowest host is beta, \+5\.\d % against the fastest \(alpha\)",
                "html": r"The slowest host is beta, \+5\.\d % against the fastest \(alpha\)",
                "md": r"Slowest host: `beta`, `\+5\.\d\d%` against the fastest \(`alpha`\)"}
        for kind in ("tpu", "gpu"):
            profile = self.make("--kind", kind, "--host", "alpha", "--host", "beta", "--devices",
                                "2", "--slow-host", "beta=1.055")
            slow = {step["number"]: step["max_duration_ps"] for step in
                    profile.truth["beta"]["steps"]}
            self.assertEqual({row["number"]: ps(row["max_us"]) for row in
                              profile.summary["steps"]["rows"]}, slow)
            for form, sentence in says.items():
                self.assertRegex(self.report(profile, form), sentence)

    def test_a_report_of_one_host_has_no_hosts(self):
        profile = self.make()
        for form in ("text", "html", "md"):
            self.assertNotIn("lowest host", self.report(profile, form))

    def report(self, profile, form):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            path = pathlib.Path(folder) / "summary.json"
            path.write_text(json.dumps(profile.summary), encoding="utf-8")
            run = subprocess.run([BINARY, "report", "--summary", path, "--format", form],
                                 check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
        return run.stdout

    def test_ranks_of_one_container_are_kept_apart(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            first = Profile(folder, ("--host", "rank-0"))
            data = next(pathlib.Path(folder).glob("*.xplane.pb")).read_bytes()
            pathlib.Path(folder, "rank-1.xplane.pb").write_bytes(data)  # says rank-0, too
            run = subprocess.run([BINARY, "summarize", "--profile-dir", folder], check=True,
                                 capture_output=True, text=True, timeout=TIMEOUT_S)
        summary = json.loads(run.stdout)
        self.assertEqual(summary["environment"]["hosts"], ["rank-0", "rank-1"])
        names = [device["name"] for device in summary["devices"]]
        self.assertEqual(len(set(names)), 2 * len(first.summary["devices"]))


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
        for name in ("generated_at_utc", "source_path", "sources", "trace_provenance"):
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
