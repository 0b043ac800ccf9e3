"""What a reader has to know of profiles before believing a verdict is named, and decides where the
policy says so: old bytes under a new name, captures that are cut or too short, readability
settings, throttled devices, a single host; and the exit codes that a job can ask for.
"""

import pathlib
import shutil
import unittest

from judge_case import SCOPE, JudgeCase


class Doubts(JudgeCase):
    """Eight runs of main, and candidates that are not what they seem."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 8)

    def reason(self, verdict, code):
        """The text of the one reason of that code."""
        texts = [reason["text"] for reason in verdict["reasons"] if reason["code"] == code]
        self.assertEqual(len(texts), 1, verdict["reasons"])
        return texts[0]

    def test_names_old_bytes_under_a_new_name(self):
        copy = self.folder / "renamed"
        shutil.copytree(self.profile("main-3"), copy)
        new = ["--branch", "topic", "--commit", "d" * 40]
        verdict = self.gate(0, *new, copy)
        self.assertEqual((verdict["status"], self.codes(verdict)[0]), ("warn", "known_trace"))
        self.assertIn("as run main-3 of branch main, commit " + f"{3:040x}",
                      self.reason(verdict, "known_trace"))
        self.assertEqual(verdict["baseline"]["run_count"], 7)  # it is no baseline of itself
        # The verdict is of the commit that was asked about: its status waits there.
        self.assertEqual((verdict["candidate"]["branch"], verdict["candidate"]["commit"]),
                         ("topic", "d" * 40))
        listed = self.expect(0, "list", "verdicts", "--commit", "d" * 40).document["rows"]
        self.assertEqual([row["branch"] for row in listed], ["topic"])
        strict = self.gate(5, "--strict-provenance", *new, copy)
        self.assertEqual(self.codes(strict)[0], "known_trace")
        # a job that is tried again says what it said before
        again = ["--branch", "topic", "--commit", "e" * 40, self.profile("again", "--seed", "60")]
        for _ in range(2):
            self.assertNotIn("known_trace", self.codes(self.gate(0, *again)))

    def test_names_all_old_bytes_among_several(self):
        copies = []
        for number in (4, 5):
            copies.append(self.folder / f"renamed-{number}")
            shutil.copytree(self.profile(f"main-{number}"), copies[-1])
        fresh = self.profile("fresh", "--seed", "165")
        verdict = self.gate(0, "--branch", "topic", "--commit", "f" * 40, *copies, fresh)
        said = self.reason(verdict, "known_trace")
        self.assertIn("2 of 3 candidate profiles are in the ledger under another name", said)
        for number in (4, 5):
            self.assertIn(f"as run main-{number} of branch main, commit {number:040x}", said)

    def test_compares_by_steps_that_the_past_has_besides(self):
        path = self.profile("unmarked", "--seed", "166")
        for file in pathlib.Path(path).rglob("*.xplane.pb"):
            file.write_bytes(file.read_bytes().replace(b"\x05Steps", b"\x05Other"))
        verdict = self.gate(0, "--branch", "topic", "--commit", "ab" * 20, path)
        runs = verdict["baseline"]["run_count"]
        self.assertEqual(verdict["baseline"]["why"], f"all {runs} comparable runs of branch main")
        self.assertTrue([text for text in verdict["provenance_messages"]
                         if f"the candidate and {runs} of {runs} baseline profiles; the ops of "
                         in text], verdict["provenance_messages"])

    def test_names_captures_that_are_cut(self):
        whole = next(pathlib.Path(self.profile("cut", "--seed", "61")).rglob("*.xplane.pb"))
        whole.write_bytes(whole.read_bytes()[:-len(whole.read_bytes()) // 4])
        verdict = self.gate(0, whole)
        self.assertIn("is truncated", self.reason(verdict, "profile_truncated"))
        self.expect(65, "gate", *SCOPE, "--strict-input", whole.rename(self.folder / "c.xplane.pb"))

    def test_names_profiles_of_warm_up_steps_alone(self):
        path = self.profile("warm", "--seed", "62", "--first-step", "0", "--steps", "4")
        verdict = self.gate(0, "--warmup-steps", "5", path)
        self.assertEqual(verdict["status"], "inconclusive")
        self.assertIn("warm-up steps alone", self.reason(verdict, "warmup_only"))
        self.assertIn("run it again", self.reason(verdict, "steps_too_few"))
        self.assertEqual((verdict["ops_per"], verdict["groups"]), ("call", []))

    def test_takes_the_first_steps_of_a_job_where_nothing_says_that_they_are_warm_up(self):
        verdict = self.gate(0, self.profile("first", "--seed", "66", "--first-step", "0",
                                            "--steps", "4"))
        self.assertEqual((verdict["status"], verdict["candidate"]["step_count"]), ("pass", 4))

    def test_names_readability_settings(self):
        verdict = self.gate(0, "--meta", "xla_flags=--xla_gpu_enable_command_buffer=",
                            self.profile("readable", "--seed", "63"))
        self.assertIn("command buffers off", self.reason(verdict, "command_buffers_off"))

    def test_sends_throttled_runs_back(self):
        slow = self.profile("hot", "--seed", "64", "--slow-op", "attention=1.6")
        verdict = self.gate(0, "--meta", "throttled=sw_thermal_slowdown", slow)
        self.assertEqual(self.codes(verdict)[0], "rerun_needed")
        self.assertIn("(sw_thermal_slowdown): run it again",
                      self.reason(verdict, "device_throttled"))

    def test_waits_for_a_second_host_where_the_policy_asks(self):
        policy = self.folder / "two-hosts.policy"
        policy.write_text("policy_version = 1\nconfirm_hosts = 2\n")
        slow = ["--slow-op", "attention=1.6"]
        first = self.profile("on-a", "--seed", "65", "--host", "host-a", *slow)
        second = self.profile("on-b", "--seed", "66", "--host", "host-b", *slow)
        third = self.profile("on-c", "--seed", "67", "--host", "host-c")
        options = ["--policy", policy, "--branch", "topic"]
        alone = self.gate(0, *options, first)
        self.assertEqual((alone["status"], self.codes(alone)[0]),
                         ("inconclusive", "confirmation_needed"))
        both = self.gate(1, *options, first, second)
        self.assertEqual(self.codes(both)[0], "step_median_regressed")
        apart = self.gate(0, *options, first, third)
        self.assertEqual(apart["status"], "inconclusive")  # the two are too far apart to be sure

    def test_takes_runs_that_took_turns_for_pairs(self):
        before, after = [], []
        for turn in range(3):  # the machine gets slower while both sides run on it
            weather = ["--slow-op", f".={1 + 0.05 * turn}"]
            before += ["--baseline", self.profile(f"turn-a{turn}", "--seed", f"7{turn}", *weather)]
            after.append(self.profile(f"turn-b{turn}", "--seed", f"8{turn}", *weather))
        verdict = self.gate(0, "--paired", *before, *after)
        self.assertRegex(verdict["reasons"][0]["text"], "p = .* of 3 pairs")
        self.assertLess(abs(verdict["statistics"]["estimate_pct"]), 1)
        self.assertLess(verdict["statistics"]["run_sd_pct"], 1)
        apart = self.gate(0, *before, *after)
        self.assertGreater(apart["statistics"]["run_sd_pct"], 2)
        for said, arguments in (("needs --baseline", after), ("are no pairs", [*before, after[0]])):
            self.assertIn(said, self.expect(2, "gate", *SCOPE, "--paired", *arguments).err)

    def test_ends_with_the_code_that_was_asked_for(self):
        policy = self.folder / "warns.policy"
        policy.write_text("policy_version = 1\non_inconclusive = warn\n")
        short = self.profile("short", "--seed", "68", "--steps", "2", "--first-step", "10")
        self.assertEqual(self.gate(0, short)["status"], "inconclusive")
        self.gate(4, "--strict", short)
        self.assertEqual(self.gate(0, "--policy", policy, short)["status"], "warn")
        self.gate(3, "--warn-exit", "--policy", policy, short)
        self.gate(0, "--strict", "--policy", policy, short)


if __name__ == "__main__":
    unittest.main(verbosity=2)
