"""Hosts of one capture that are missing in whole or in part: never silently.

What: two hosts of which one left no file, an empty or broken one, a copy of the other's, or fewer
steps, and what the summary, `explain` and `table` say of it. What it does not do: hosts that are
well (several_hosts_test.py), files that cannot be read at all (bad_profiles_test.py).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path("tests/support").resolve()))
import xplane_writer as xw  # noqa: E402  (a folder of scripts, not a package)
from gpu_job import Job  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
TIMEOUT_S = 120
US = 1_000_000
PHASES = ("forward", "backward", "recompute", "optimizer", "other", "unattributed")


def capture(host, steps=range(10, 16), step_us=100, every_us=200, base_ns=1000):
    """The bytes of a host whose one device runs one op in each step."""
    space = xw.Space([host])
    plane = space.add_plane("/device:TPU:0")
    marks, ops = (plane.add_line(name, number, base_ns) for number, name in
                  enumerate(("Steps", "XLA Ops"), 1))
    for step in steps:
        begin = step * every_us * US
        marks.add_event(str(step), begin, step_us * US)
        ops.add_event("dot.1", begin, (step_us - 10) * US)
    return space.encode()


class AmissHosts(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="stepledger-hosts-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.put("alpha.xplane.pb", capture("alpha"))

    def put(self, name, data):
        (self.folder / name).write_bytes(data)

    def run_summarize(self, *options):
        return subprocess.run([BINARY, "summarize", "--profile-dir", self.folder,
                               "--warmup-steps=0", *options], capture_output=True, text=True,
                              timeout=TIMEOUT_S, check=False)

    def check_said(self, *sentences, options=()):
        """Every sentence is a warning, and there are no others of hosts and steps."""
        run = self.run_summarize(*options)
        self.assertEqual(run.returncode, 0, run.stderr)
        summary = json.loads(run.stdout)
        said = [text for text in summary["coverage"]["warnings"]
                if "framework path" not in text and "collectives" not in text]
        self.assertEqual(len(said), len(sentences), said)
        for text, sentence in zip(said, sentences):
            self.assertIn(sentence, text)
        return summary

    def test_nothing_is_said_of_two_good_hosts(self):
        self.put("beta.xplane.pb", capture("beta", step_us=105))
        self.check_said()

    def test_an_empty_file_is_a_host_without_events(self):
        self.put("beta.xplane.pb", b"")
        self.check_said("Host 'beta' recorded no events: 'beta.xplane.pb' has 0 bytes")

    def test_a_host_without_devices_is_named(self):
        space = xw.Space(["beta"])
        space.add_plane("/host:CPU").add_line("main", 1, 1000).add_event("run", 0, US)
        self.put("beta.xplane.pb", space.encode())
        self.check_said("1 of 2 hosts have events, but no device with ops (the first: 'beta')")

    def test_a_compressed_host_was_not_read(self):
        self.put("beta.xplane.pb.gz", b"\x1f\x8b")
        self.put("alpha.xplane.pb.gz", b"\x1f\x8b")  # the same host, which is read
        self.put("alpha.trace.json.gz", b"\x1f\x8b")
        self.check_said("'beta.xplane.pb.gz' was not read")

    def test_a_link_that_leads_nowhere_is_refused(self):
        (self.folder / "beta.xplane.pb").symlink_to("nowhere")
        run = self.run_summarize()
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, r"beta\.xplane\.pb': No such file")

    def test_a_pipe_is_refused(self):
        os.mkfifo(self.folder / "beta.xplane.pb")
        run = self.run_summarize()
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, r"beta\.xplane\.pb' is not a regular file")

    def test_a_copy_of_another_host_is_none_and_told(self):
        self.put("beta.xplane.pb", capture("alpha"))
        summary = self.check_said("'beta.xplane.pb' was left aside, and what lies beside it was "
                                  "read: it is 'alpha.xplane.pb' again, byte for byte")
        self.assertEqual(len(summary["devices"]), 1)
        (self.folder / "beta.xplane.pb").unlink()
        whole = capture("alpha")
        for part in (.95, .5, .05):
            self.put("aardvark.xplane.pb", whole[:int(len(whole) * part)])
            self.check_said("'aardvark.xplane.pb' was left aside, and what lies beside it was "
                            "read: it is the beginning of 'alpha.xplane.pb', cut off, and no "
                            "other host")
        (self.folder / "aardvark.xplane.pb").unlink()
        self.put("beta.xplane.pb", capture("alpha", step_us=105))
        refused = self.run_summarize()
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("are not hosts of one: both are of host alpha", refused.stderr)
        self.check_said("1 files give a host name that another file has, too ('alpha')",
                        options=("--capture", "k"))

    def test_steps_that_a_host_does_not_have_are_counted(self):
        self.put("beta.xplane.pb", capture("beta", range(12, 18), 105))
        summary = self.check_said("4 of 8 steady steps are missing on some of 2 devices (the "
                                  "first: step 10 on 'beta/device:TPU:0')")
        spans = [len(row["spans"]) for row in summary["steps"]["rows"]]
        self.assertEqual(spans, [1, 1, 2, 2, 2, 2, 1, 1])

    def test_a_clock_that_is_years_off_costs_no_step(self):
        """More than 64 bits of picoseconds between the hosts."""
        day_ns = 86_400 * 10**9
        for days in (200, 20_000):
            self.put("beta.xplane.pb", capture("beta", step_us=105, base_ns=days * day_ns + 1000))
            summary = self.check_said()
            self.assertEqual(summary["steps"]["steady_median_us"], 105.0)
            facts = {fact["name"]: fact["value"] for fact in summary["environment"]["facts"]}
            self.assertEqual(facts["clock_offset_us/beta"], f"{days * day_ns // 1000}.000")
            self.assertEqual(facts["straggler_host"], "beta")

    def test_nobody_is_accused_when_all_are_equal(self):
        self.put("beta.xplane.pb", capture("beta"))
        names = [fact["name"] for fact in self.check_said()["environment"]["facts"]]
        self.assertIn("step_skew_us", names)
        self.assertNotIn("straggler_host", names)

    def run_on_folder(self, *command):
        return subprocess.run([BINARY, *command, self.folder, "--format", "json"],
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    def test_a_page_and_tables_are_those_of_the_files_that_can_be_read(self):
        good = {}
        job = Job(devices=1)
        for number in range(6):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            job.launch("gemm", 1000 * number, 1000 * number + 5, 1000 * number + 900)
        job.write(self.folder / "alpha.xplane.pb")
        commands = [("explain",), *(("table", name) for name in
                                    ("overview", "steps", "hlo_stats", "findings", "kernels"))]
        for command in commands:
            good[command] = json.loads(self.run_on_folder(*command).stdout)
        files = {"empty": (b"", "is empty"), "broken": (b"\x0f" * 400, "byte 1: "),
                 "no events": (xw.Space(["beta"]).encode(), "holds no timeline events"),
                 "first": (b"", "is empty")}
        for kind, (data, why) in files.items():
            name = "a.xplane.pb" if kind == "first" else "beta.xplane.pb"
            self.put(name, data)
            for command in commands:
                with self.subTest(kind, command=command):
                    run = self.run_on_folder(*command)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    told = json.loads(run.stdout)
                    if command == ("explain",):
                        left = [text for text in told["unseen"] if name in text]
                        told["unseen"].remove(left[0])
                    else:
                        left = [told["properties"].pop("input_left")]
                        self.assertIn(name, run.stderr)
                    self.assertIn(why, left[0])
                    self.assertEqual({**told, "profile": ""},
                                     {**good[command], "profile": ""})
                    if kind == "broken":
                        strict = self.run_on_folder(*command, "--strict-input")
                        self.assertEqual((strict.returncode, strict.stdout), (65, ""))
                        self.assertIn(name, strict.stderr)
            (self.folder / name).unlink()
        self.put("alpha.xplane.pb", b"")
        self.put("beta.xplane.pb", b"")
        for command in commands:
            run = self.run_on_folder(*command)
            self.assertEqual((run.returncode, run.stdout), (65, ""), command)
            self.assertIn("is empty", run.stderr)

    def test_a_host_without_steps_is_in_no_time_of_steps(self):
        """Or with steps of another kind, as a host has whose own plane was not recorded."""
        (self.folder / "alpha.xplane.pb").unlink()
        for kind, has_marks in (("none", True), ("launches", False)):
            with self.subTest(kind):
                for name, factor in (("alpha", 1), ("beta", 2), ("gamma", 1)):
                    job = Job(host=name, traced=has_marks or name != "beta")
                    for number in range(6):
                        begin = 3000 * number
                        if name != "beta" or not has_marks:
                            job.annotate(10 + number, begin, begin + 900 * factor)
                        job.run("dot.1", begin, begin + 5, begin + 900 * factor)
                    job.write(self.folder / f"{name}.xplane.pb")
                self.check_left_out(kind)

    def check_left_out(self, kind):
        told = json.loads(self.run_on_folder("explain").stdout)
        parts = {part["name"]: part["average_us"] for part in told["parts"]}
        self.assertEqual((told["step_count"], told["host_count"], told["left_host_count"]),
                         (6, 3, 1))
        self.assertAlmostEqual(told["step_us"], 895)
        self.assertAlmostEqual(parts["compute"], 895)
        self.assertAlmostEqual(sum(parts.get(name, 0) for name in PHASES), 895)
        self.assertEqual(told["step_method"], "step_annotation")
        self.assertEqual([one["finding"] for one in told["findings"] if one["share"]], [])
        sentence = "Steps of 1 of 3 hosts are not known and in no time here (the first: 'beta', "
        self.assertTrue(told["unseen"][0].startswith(sentence), told["unseen"])
        page = subprocess.run([BINARY, "explain", self.folder, "--format", "text"],
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        self.assertIn("3 hosts, without the steps of 1 host", page.stdout)
        for name in ("steps", "overview"):
            table = json.loads(self.run_on_folder("table", name).stdout)
            self.assertTrue(table["properties"]["steps_left"].startswith(sentence), kind)
            self.assertAlmostEqual(table["properties"]["step_time_us_max"], 895)
            self.assertEqual(table["properties"]["step_count"], 6)
            self.assertEqual({row.get("host") for row in table["rows"]} - {None},
                             {"alpha", "gamma"} if name == "steps" else set())
        findings = json.loads(self.run_on_folder("table", "findings").stdout)
        self.assertEqual([row["finding"] for row in findings["rows"] if row["share"]], [])
        summary = json.loads(self.run_summarize().stdout)
        self.assertEqual(summary["steps"]["steady_median_us"], 895)
        warnings = summary["coverage"]["warnings"]
        self.assertEqual([text for text in warnings if text.startswith("Steps of 1")],
                         [told["unseen"][0]])
        self.assertEqual(told["unseen"].count(told["unseen"][0]), 1)
        self.assertFalse([text for text in warnings if "missing on some" in text], warnings)
        document = self.folder / "left.summary.json"
        document.write_text(json.dumps(summary))
        for question in ("which host is slowest?", "what are the slowest steps?",
                         "how many steps are there?", "which device is slowest?"):
            answer = json.loads(subprocess.run([BINARY, "query", document, question], check=True,
                                               capture_output=True, timeout=TIMEOUT_S).stdout)
            self.assertEqual(answer.get("steps_left"), told["unseen"][0], question)
        document.unlink()

    def test_steps_that_overlap_are_counted(self):
        self.put("beta.xplane.pb", capture("beta", step_us=130, every_us=100))
        self.check_said("5 of 6 steps begin before the one before has ended")


if __name__ == "__main__":
    unittest.main()
