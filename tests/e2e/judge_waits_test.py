"""What makes a step late besides its ops: input that keeps the devices waiting is blamed on the
change, one device or host that is slow alone is not."""

import unittest

from judge_case import JudgeCase


class Waits(JudgeCase):
    """Seven runs of main on two hosts, and candidates of the same program."""

    HOSTS = ("--hosts", "2", "--devices", "1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 7, *cls.HOSTS)

    def judged(self, code, name, *options, policy=()):
        path = self.profile(name, "--seed", "90", *self.HOSTS, *options)
        if policy:
            file = self.folder / f"{name}.policy"
            file.write_text("\n".join(("policy_version = 1", *policy)) + "\n")
            policy = ("--policy", file)
        verdict = self.gate(code, "--branch", "topic", *policy, path)
        self.assertIn("same_program", self.codes(verdict))
        return verdict

    def test_fails_for_input_that_keeps_devices_waiting(self):
        """A loss of 4 % that is in no step, and below the limit of idle time."""
        stall = ("--input-stall-us", "3500")
        verdict = self.judged(1, "stalled", *stall)
        self.assertEqual(self.codes(verdict)[:2],
                         ["step_period_regressed", "step_median_equivalent"])
        self.assertNotIn("device_idle_share_increased", self.codes(verdict))
        measures = {measure["name"]: measure for measure in verdict["measures"]}
        self.assertEqual(measures["steady_step_period"]["status"], "fail")
        self.assertAlmostEqual(measures["steady_step_period"]["delta"], 3500, delta=900)
        lenient = self.judged(0, "stalled", *stall,
                              policy=("[measure steady_step_period]", "action = warn"))
        self.assertEqual((lenient["status"], self.codes(lenient)[0]),
                         ("warn", "step_period_suspected"))

    def test_does_not_fail_for_a_host_that_is_slow_alone(self):
        verdict = self.judged(0, "slow-host", "--slow-host", "host-1=1.07")
        self.assertEqual((verdict["status"], verdict["rule_id"]), ("warn", "same_program"))
        self.assertIn("devices_differ", self.codes(verdict))
        self.assertIn("1 of 2 devices is slower", verdict["slow_devices"])
        text = self.expect(0, "gate", "--replay", f"v{self.verdicts}", "--format", "text").out
        headline = " ".join(text.partition("Why")[0].split())
        self.assertIn("host host-1 alone is slower", headline)
        self.assertIn("both sides ran one compiled program (A/A), so it is not the change",
                      headline)

    def test_fails_for_code_that_is_slower_on_all_hosts(self):
        verdict = self.gate(1, "--branch", "topic", self.profile(
            "slow-op", "--seed", "91", *self.HOSTS, "--slow-op", "mlp=1.2"))
        self.assertNotIn("same_program", self.codes(verdict))
        self.assertNotIn("devices_differ", self.codes(verdict))


if __name__ == "__main__":
    unittest.main(verbosity=2)
