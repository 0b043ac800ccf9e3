"""A made profile beside its planned truth, and every comparison of the two.

What: makes profiles with tests/support/make_profile.py, summarizes them, and compares steps,
devices, ops and counts with the truth files, which come from the plan and not from any reader.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
MAKE_PROFILE = pathlib.Path("tests/support/make_profile.py")
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
