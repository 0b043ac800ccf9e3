"""Captures as people leave them, through the gate: a covering selection of the table in
tests/support/capture_table.py, a case per cell. `make accuracy T=captures` asks all of it.

Cells and cases that are known not to hold stand in KNOWN with the reason and are skipped by name.
"""

import sys
import unittest

from cli_case import BINARY, ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

import capture_table  # noqa: E402  (the path is set above)
import job_capture  # noqa: E402
from job_capture import Job  # noqa: E402

# Part of a cell's or a case's name: why it does not hold yet.
KNOWN = {}


def known(name):
    return next((why for part, why in KNOWN.items() if part in name), None)


class Captures(LedgerCase):
    """One ledger, one baseline per number of steps and recipe."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        table = capture_table.Table(BINARY, cls.environment, cls.folder, own_trees=False)
        cells = [cell for cell in capture_table.covering_cells() if not known(str(cell))]
        cls.found = {str(cell): (faults, answer)
                     for cell, faults, answer in capture_table.run_cells(table, cells)}

    def hold(self, cell):
        faults, answer = self.found[str(cell)]
        self.assertEqual(faults, [], f"{cell}\n{answer and (answer.headline, answer.command)}")


def case_of(cell):
    def case(self):
        if known(str(cell)):
            self.skipTest(known(str(cell)))
        self.hold(cell)
    return case


for number, planned in enumerate(capture_table.covering_cells()):
    setattr(Captures, f"test_{number:02}_{str(planned).replace('/', '_')}", case_of(planned))


class Joining(LedgerCase):
    """Which files are one capture, and which captures one run: asked of what the gate counts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.number = 0

    def setUp(self):
        if known(self.id()):
            self.skipTest(known(self.id()))

    def lay(self, job, place):
        """Writes the hosts of a job where place(file) says; returns the folder of this case."""
        folder = self.folder / self.id().rpartition(".")[2]
        for file in job_capture.host_files(job):
            capture_table.write(folder / place(file) / f"{file.host}.xplane.pb", file.data)
        return folder

    def counts(self, *operands, options=()):
        """(runs, profiles, devices) of a candidate."""
        type(self).number += 1
        scope = ["--project", "join", "--workload", f"w{self.number}"]
        base = self.lay(Job(900 + self.number, first_step=5), lambda _: "base") / "base"
        self.expect(0, "ingest", *scope, "--branch", "main", "--run", "base", base)
        result = self.call("gate", *scope, "--branch", "change", "--commit", "c0ffee", *options,
                           *operands)
        self.assertTrue(result.out, result.err)
        candidate = result.document["candidate"]
        shown = self.expect(0, "show", candidate["profile_ids"][-1]).document
        return (candidate["run_count"], len(candidate["profile_ids"]),
                shown["environment"]["device_count"])

    @staticmethod
    def session(file):
        return f"plugins/profile/{capture_table.stamp(file.started_s + 3 * file.rank)}"

    def test_hosts_named_one_by_one_are_one_capture(self):
        folder = self.lay(Job(1, first_step=5), lambda file: f"copy/{file.rank}")
        self.assertEqual(self.counts(*sorted(folder.glob("copy/*/*.pb"), reverse=True)), (1, 1, 6))

    def test_two_captures_of_a_job_are_two_samples_of_one_run(self):
        for seed, first_step in ((2, 5), (3, 105)):
            folder = self.lay(Job(seed, first_step=first_step),
                              lambda file: f"job/profiler/{self.session(file)}")
        self.assertEqual(self.counts(folder / "job"), (1, 2, 6))

    def test_two_jobs_in_one_flat_folder_are_two_runs(self):
        for seed in (4, 5):
            folder = self.lay(Job(seed, first_step=5), lambda file: "flat")
            for path in (folder / "flat").glob("worker*"):
                path.rename(path.with_name(f"job-{seed}-{path.name}"))
        self.assertEqual(self.counts(folder / "flat"), (2, 2, 6))

    def test_without_epoch_times_a_job_directory_joins(self):
        folder = self.lay(Job(6, first_step=5, epoch=False),
                          lambda file: f"job/profiler/process_{file.rank}/{self.session(file)}")
        self.assertEqual(self.counts(folder / "job"), (1, 1, 6))

    def test_without_epoch_times_a_run_joins_loose_files(self):
        folder = self.lay(Job(7, first_step=5, epoch=False), lambda file: "flat")
        self.assertEqual(self.counts(folder / "flat", options=["--run", "r"]), (1, 1, 6))

    def test_processes_that_name_no_host_are_told_apart_by_rank(self):
        folder = self.lay(Job(9, first_step=5, name=""),
                          lambda file: f"job/profiler/process_{file.rank}/{self.session(file)}")
        self.assertEqual(self.counts(folder / "job"), (1, 1, 6))

    def test_replicas_that_run_at_once_are_runs_of_their_own(self):
        """Three jobs of one host each, started together: the same chip numbers, other hosts."""
        for replica in range(3):
            folder = self.lay(Job(11 + replica, when=11, first_step=5, hosts=1, devices=6,
                                  name=f"machine-{replica}"),
                              lambda file: f"{file.host}/{self.session(file)}")
        self.assertEqual(self.counts(*sorted(folder.glob("machine-*"))), (3, 3, 6))

    def test_a_host_that_comes_late_completes_the_capture(self):
        folder = self.lay(Job(8, first_step=5), lambda file: f"{file.rank}/{self.session(file)}")
        scope = ["--project", "join", "--workload", f"w{self.number + 1}", "--branch", "change",
                 "--commit", "c0ffee", "--run", "r"]
        for rank in (2, 0):
            self.expect(0, "ingest", *scope, folder / str(rank))
        self.assertEqual(self.counts(folder / "1", options=["--run", "r"]), (1, 1, 6))


class UnevenSteps(LedgerCase):
    """What no median of steps shows, through files and ledger."""

    verdicts = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        for seed in range(8):
            case.expect(0, "ingest", *case.named("main", f"m{seed}"), case.lay(seed))

    @staticmethod
    def named(branch, run):
        return ["--project", "uneven", "--workload", "w", "--branch", branch, "--run", run]

    def lay(self, seed, **more):
        job = Job(300 + seed, hosts=1, steps=10, first_step=5, step_sd=.01, **more)
        folder = self.folder / f"job-{seed}"
        for file in job_capture.host_files(job):
            capture_table.write(folder / f"{file.host}.xplane.pb", file.data)
        return folder

    def judged(self, code, first, count, *options, **more):
        """The verdict on runs of one label."""
        label = f"of-{first}"
        type(self).verdicts += 1
        for seed in range(first, first + count):
            self.expect(0, "ingest", *self.named("topic", f"t{seed}"), "--label", label,
                        self.lay(seed, **more))
        return self.expect(code, "gate", "--project", "uneven", "--workload", "w", *options, label)

    def test_stalls_in_three_of_ten_steps_fail(self):
        verdict = self.judged(1, 20, 3, stalls=(2, 5, 7)).document
        first = verdict["reasons"][0]
        self.assertEqual((first["code"], verdict["rule_id"]), ("steps_slow", "run_statistics"))
        self.assertRegex(first["text"], r": 9 of 30 steps are slow, 0 of 80 of "
                                        r"the baseline, .* in 3 of 3 runs \(t20, t21, t22\); .*; "
                                        r"between steps the devices wait for input, host or "
                                        r"dispatch\.$")
        row = next(row for row in verdict["measures"] if row["name"] == "steady_step_mean")
        self.assertEqual(row["status"], "fail")
        for form in ("text", "md", "html", "github", "junit"):
            shown = self.expect(0, "show", f"v{self.verdicts}", "--format", form).out
            self.assertIn("Mean time from step to step", " ".join(shown.split()), form)
        asked = self.expect(0, "query", f"v{self.verdicts}", "why is it slower").out
        self.assertIn("9 of 30 steps are slow", asked)

    def test_a_loss_that_grows_within_the_capture_fails(self):
        verdict = self.judged(1, 30, 1, growth=.3).document
        codes = [reason["code"] for reason in verdict["reasons"]]
        self.assertEqual(codes[0], "steps_regressed_throughout")
        self.assertIn("steps_drift", codes)

    def test_steps_as_before_say_nothing(self):
        verdict = self.judged(0, 40, 3).document
        self.assertNotIn("steps_slow", [reason["code"] for reason in verdict["reasons"]])


class WarmUp(LedgerCase):
    """Which steps are left out is read from the data, not from their numbers."""

    def steady(self, **more):
        """(steps judged, of how many) in a capture of these."""
        name = self.id().rpartition(".")[2]
        job = Job(50, hosts=1, **more)
        folder = self.folder / name
        for file in job_capture.host_files(job):
            capture_table.write(folder / f"{file.host}.xplane.pb", file.data)
        stored = self.expect(0, "ingest", "--project", "warm", "--workload", name,
                             folder).document["profiles"]
        shown = self.expect(0, "show", stored[0]["profile"]).document["steps"]
        rows = shown["rows"] if isinstance(shown, dict) else shown
        return sum(1 for row in rows if not row["warmup"]), len(rows)

    def test_two_slow_steps_are_left_out(self):
        self.assertEqual(self.steady(steps=12, first_step=0, warm_up=(4, 1.5)), (10, 12))

    def test_the_first_of_maxtexts_five_is_left_out(self):
        self.assertEqual(self.steady(steps=5, first_step=1, warm_up=(2,)), (4, 5))

    def test_the_first_of_ten_unmarked_calls_is_left_out(self):
        self.assertEqual(self.steady(kind="gpu", steps=10, warm_up=(3,)), (9, 10))

    def test_nothing_is_left_out_where_all_are_alike(self):
        for steps, first_step, kind in ((5, 1, "tpu"), (2, 3, "gpu"), (1, 0, "tpu"),
                                        (20, None, "gpu"), (10, None, "tpu")):
            with self.subTest(steps=steps, first_step=first_step, kind=kind):
                self.assertEqual(self.steady(steps=steps, first_step=first_step, kind=kind),
                                 (steps, steps))

    def test_without_device_lines_the_hosts_steps_count(self):
        self.assertEqual(self.steady(kind="gpu", steps=2, first_step=3, device_lines=False),
                         (2, 2))


if __name__ == "__main__":
    unittest.main()
