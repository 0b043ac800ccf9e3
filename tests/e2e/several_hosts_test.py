"""Several hosts of one run: kept apart, aligned, the slow one named.

What: made profiles of two hosts against their planned truth, their reports, and what becomes of a
host that is cut off or calls itself like another.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from truth_case import ALL_OPS, BINARY, TIMEOUT_S, Profile, TruthCase, ps

sys.path.insert(0, str(pathlib.Path("tests/support").resolve()))
import xplane_writer as xw  # noqa: E402  (a folder of scripts, not a package)

# A field that no reader knows: the same events in other bytes, for a copy is no host.
NO_COPY = b"\x9a\x06\x01x"


class SeveralHosts(TruthCase):
    def test_two_hosts_are_one_profile(self):
        for kind, method in (("tpu", "steps_line"), ("gpu", "step_annotation")):
            profile = self.make("--kind", kind, "--host", "alpha", "--host", "beta",
                                "--devices", "2")
            self.check_all(profile, method)

    def test_the_rank_of_a_folder_that_several_hosts_lie_in_is_none_of_theirs(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            for layout in ("flat", "levanter"):
                given = f"{folder}/{layout}/rank7"
                subprocess.run([sys.executable, "tests/support/make_profile.py", "--output", given,
                                "--layout", layout, "--host", "alpha", "--host", "beta"],
                               check=True, capture_output=True, timeout=TIMEOUT_S)
                run = subprocess.run([BINARY, "summarize", given], capture_output=True, text=True,
                                     timeout=TIMEOUT_S)
                self.assertEqual(run.returncode, 0, run.stderr)
                hosts = json.loads(run.stdout)["capture"]["hosts"]
                self.assertEqual([(host["host"], host["process"]) for host in hosts],
                                 [("alpha", None), ("beta", None)])
                for path in pathlib.Path(given).rglob("beta.xplane.pb"):
                    path.unlink()  # then it is the rank of the only one
                run = subprocess.run([BINARY, "summarize", given], capture_output=True, text=True,
                                     timeout=TIMEOUT_S)
                self.assertEqual(json.loads(run.stdout)["capture"]["hosts"][0]["process"], 7)

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

    def test_a_step_is_warm_up_for_the_reason_of_the_host_that_says_so(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            for host, slow in (("alpha", "0"), ("beta", "2")):
                subprocess.run([sys.executable, "tests/support/make_profile.py", "--output",
                                f"{folder}/{host}", "--layout", "flat", "--host", host, "--seed",
                                "5", "--warmup-slow", slow], check=True, capture_output=True,
                               timeout=TIMEOUT_S)
                file = pathlib.Path(folder, host, f"{host}.xplane.pb")
                file.rename(pathlib.Path(folder, file.name))
            rows = {}
            for name in ("alpha.xplane.pb", "beta.xplane.pb", ""):
                option = "--xplane-file" if name else "--profile-dir"
                run = subprocess.run([BINARY, "summarize", option, f"{folder}/{name}"],
                                     check=True, capture_output=True, text=True,
                                     timeout=TIMEOUT_S)
                rows[name[:1]] = [(row["number"], row["warmup"], row["warmup_reason"])
                                  for row in json.loads(run.stdout)["steps"]["rows"]]
        self.assertFalse(any(row[1] for row in rows["a"]))
        self.assertEqual([row[1:] for row in rows["b"] if row[1]], [(True, "apart")] * 2)
        self.assertEqual(rows[""], rows["b"])

    def test_every_report_names_the_slower_host(self):
        says = {"text": r"beta is the slowest of 2 hosts, \+5\.\d % against alpha",
                "html": r"beta is the slowest of 2 hosts, \+5\.\d % against alpha",
                "md": r"Slowest host: `beta`, `\+5\.\d\d%` against the fastest \(`alpha`\)"}
        for kind in ("tpu", "gpu"):
            profile = self.make("--kind", kind, "--host", "alpha", "--host", "beta", "--devices",
                                "2", "--slow-host", "beta=1.055")
            slow = {step["number"]: step["max_duration_ps"] for step in
                    profile.truth["beta"]["steps"]}
            self.assertEqual({row["number"]: ps(row["max_us"]) for row in
                              profile.summary["steps"]["rows"]}, slow)
            for form, sentence in says.items():
                self.assertRegex(self.report(profile.summary, form), sentence)
            for host in ("alpha", "beta"):  # a name that is cut tells no hosts apart
                self.assertRegex(self.report(profile.summary, "text"),
                                 rf"\n  {host}/{kind.upper()}:1 ")

    def test_more_hosts_than_a_shell_allows_open_files(self):
        soft, hosts = 64, 100
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            for host in range(hosts):
                space = xw.Space([f"host-{host}"])
                line = space.add_plane("/device:TPU:0").add_line("XLA Ops", 1, 1000)
                line.add_event("dot.1", 0, 1_000_000)
                pathlib.Path(folder, f"{host}.xplane.pb").write_bytes(space.encode())
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            command = ["prlimit", f"--nofile={soft}:{'' if hard < 0 else hard}", BINARY,
                       "summarize", "--profile-dir", folder]
            run = subprocess.run(command, check=True, capture_output=True, text=True,
                                 timeout=TIMEOUT_S)
        self.assertEqual(json.loads(run.stdout)["environment"]["host_count"], hosts)

    def test_runs_of_a_program_that_both_hosts_hold_count_once(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            for host in ("alpha", "beta"):
                space = xw.Space([host])
                line = space.add_plane("/device:TPU:0").add_line("XLA Modules", 1, 1000)
                for run in range(3):
                    line.add_event("jit_step(77)", run * 1_000_000, 900_000)
                held = space.add_plane("/host:metadata")
                proto = xw.stat_blob("Hlo Proto", xw.field_bytes(1, xw.field_text(1, "jit_step")))
                held.add_event_metadata("p", xw.EventMetadata("jit_step(77)", stats=(proto,)))
                held.add_event_metadata("m", xw.EventMetadata("SYMBOL_MAP:12"))
                pathlib.Path(folder, f"{host}.xplane.pb").write_bytes(space.encode())
            run = subprocess.run([BINARY, "summarize", "--profile-dir", folder], check=True,
                                 capture_output=True, text=True, timeout=TIMEOUT_S)
        programs = json.loads(run.stdout)["environment"]["programs"]
        self.assertEqual([(row["name"], row["run_count"]) for row in programs], [("jit_step", 6)])
        self.assertIsNotNone(programs[0]["fingerprint"])

    def test_a_report_of_one_host_has_no_hosts(self):
        profile = self.make()
        for form in ("text", "html", "md"):
            self.assertNotIn("lowest host", self.report(profile.summary, form))

    def test_no_host_of_equal_ones_is_called_the_slowest(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            Profile(folder, ("--host", "rank-0"))
            data = next(pathlib.Path(folder).glob("*.xplane.pb")).read_bytes()
            pathlib.Path(folder, "rank-1.xplane.pb").write_bytes(data + NO_COPY)
            run = subprocess.run([BINARY, "summarize", "--profile-dir", folder], check=True,
                                 capture_output=True, text=True, timeout=TIMEOUT_S)
        for form in ("text", "html", "md"):
            report = self.report(json.loads(run.stdout), form)
            self.assertIn("No host is slower than another", report)
            self.assertNotIn("lowest host", report.replace("until its slowest", ""))

    def report(self, summary, form):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            path = pathlib.Path(folder) / "summary.json"
            path.write_text(json.dumps(summary), encoding="utf-8")
            run = subprocess.run([BINARY, "report", "--summary", path, "--format", form],
                                 check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
        return run.stdout

    def test_a_host_that_is_cut_off_is_named_and_the_other_is_whole(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            whole = Profile(folder, ("--host", "alpha", "--host", "beta", "--devices", "2"))
            beta = pathlib.Path(folder, "beta.xplane.pb")
            beta.write_bytes(beta.read_bytes()[:-1000])
            command = [BINARY, "summarize", "--profile-dir", folder, ALL_OPS, "--warmup-steps=0"]
            run = subprocess.run(command, check=True, capture_output=True, text=True,
                                 timeout=TIMEOUT_S)
            strict = subprocess.run([*command, "--strict-input"], check=False,
                                    capture_output=True, text=True, timeout=TIMEOUT_S)
        summary = json.loads(run.stdout)
        cut = [text for text in summary["coverage"]["warnings"] if "ends early" in text]
        self.assertEqual(len(cut), 1, summary["coverage"])
        self.assertIn("'beta.xplane.pb'", cut[0])
        alpha = [[row for row in document["devices"] if row["host"] == "alpha"]
                 for document in (whole.summary, summary)]
        self.assertEqual(alpha[0], alpha[1])
        self.assertEqual((strict.returncode, strict.stdout), (1, ""))
        self.assertIn("beta.xplane.pb", strict.stderr)

    def put_two(self, folder, beta_seed):
        for host, seed in (("alpha", 5), ("beta", beta_seed)):  # a seed begins at its time
            Profile(f"{folder}/{host}", ("--kind", "gpu", "--host", host, "--epoch-timestamps",
                                         "--seed", str(seed)))
            file = pathlib.Path(folder, host, f"{host}.xplane.pb")
            file.rename(pathlib.Path(folder, file.name))

    def test_two_captures_of_one_folder_are_taken_for_one_only_where_that_is_said(self):
        commands = (("summarize", "--profile-dir", None), ("explain", None),
                    ("table", "overview", None), ("table", "kernels", None),
                    ("convert", None, "--to", "perfetto-json"))
        for seed, says in ((5, "their times overlap and their step numbers agree"), (4, None)):
            with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
                self.put_two(folder, seed)
                for command in commands:
                    named = [BINARY, *(folder if word is None else word for word in command)]
                    runs = [subprocess.run([*named, *options], check=False, capture_output=True,
                                           timeout=TIMEOUT_S)
                            for options in ((), ("--capture", "k"))]
                    with self.subTest(seed=seed, command=command):
                        self.check_taken(runs, says, command[0] == "summarize")

    def check_taken(self, runs, says, are_summaries):
        """Of a command on a folder, and of the same with --capture; says None: two captures."""
        self.assertEqual(runs[1].returncode, 0, runs[1].stderr)
        told = [(runs[1], "they were given one capture key")]
        if says is None:
            self.assertIn(runs[0].returncode, (1, 65))
            self.assertEqual(runs[0].stdout, b"")
            self.assertRegex(runs[0].stderr.decode(),
                             r"more than one capture: '\S+/alpha.xplane.pb' and "
                             r"'\S+/beta.xplane.pb' are not hosts of one: their times do not "
                             r"overlap. Give one of them by name, .*--capture KEY")
        else:
            self.assertEqual(runs[0].returncode, 0, runs[0].stderr)
            told.append((runs[0], says))
        for run, why in told if are_summaries else ():
            self.assertIn(f"2 hosts are one capture: {why}.",
                          json.loads(run.stdout)["capture"]["notes"])

    def test_ranks_of_one_container_are_kept_apart(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-truth-") as folder:
            first = Profile(folder, ("--host", "rank-0"))
            data = next(pathlib.Path(folder).glob("*.xplane.pb")).read_bytes()
            other = pathlib.Path(folder, "rank-1.xplane.pb")
            other.write_bytes(data + NO_COPY)  # says rank-0, too
            run = subprocess.run([BINARY, "summarize", "--profile-dir", folder], check=True,
                                 capture_output=True, text=True, timeout=TIMEOUT_S)
        summary = json.loads(run.stdout)
        self.assertEqual(summary["environment"]["hosts"], ["rank-0", "rank-1"])
        names = [device["name"] for device in summary["devices"]]
        self.assertEqual(len(set(names)), 2 * len(first.summary["devices"]))


if __name__ == "__main__":
    unittest.main()
