"""The judge on ops and on real profiles: who is to blame, and when nobody is."""

import os
import pathlib
import unittest

from judge_case import JudgeCase

SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED",
                                     pathlib.Path(__file__).resolve().parents[3] / "shared"))
REAL = SHARED / "profiles" / "xplane"
OTHERS = 370  # beside the 30 ops of the model


class FourHundredOps(JudgeCase):
    """One op of 400 is slowed so that the step takes 4 % longer, all of them renumbered."""

    MODEL = ["--devices", "1", *[part for i in range(OTHERS)
                                 for part in ("--add-op", f"extra_{i}:200")]]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs("main", 11, *cls.MODEL)

    def test_fails_and_names_the_slow_op_first(self):
        step = 160_000  # us, about; the op grows by 32 times its 200 us
        slow = ["--renumber", "77", "--slow-op", f"extra_123$={1 + 0.04 * step / 200}"]
        paths = [self.profile(f"slow-{run}", "--seed", str(100 + run), *self.MODEL, *slow)
                 for run in range(3)]
        verdict = self.gate(1, "--branch", "topic", "--commit", "c" * 40,
                            "--label", "nightly", *paths)
        self.assertEqual(verdict["status"], "fail")
        self.assertEqual((verdict["baseline"]["run_count"], verdict["candidate"]["run_count"]),
                         (11, 3))
        self.assertIn("extra_123", verdict["ops"][0]["op_path"])
        self.assertEqual(verdict["ops"][0]["change"], "slower")
        self.assertGreater(verdict["statistics"]["estimate_pct"], 3)
        self.assertLess(verdict["statistics"]["estimate_pct"], 5)
        slower = [op for op in verdict["ops"] if op["change"] == "slower"]
        self.assertEqual(len(slower), 1)
        balance = verdict["balance"]
        self.assertLess(abs(balance["residual_us"]), 0.02 * balance["step_delta_us"])
        self.assertEqual(balance["step_delta_us"], sum(
            balance[key] for key in ("ops_delta_us", "idle_delta_us", "residual_us")))
        categories = [group for group in verdict["groups"] if group["kind"] == "category"]
        self.assertEqual(categories[0]["name"], "loop fusion")


@unittest.skipUnless(REAL.is_dir(), f"SKIPPED: no real profiles at {REAL} (STEPLEDGER_SHARED)")
class RealPairs(JudgeCase):
    """Pairs of real profiles, one profiled step each or none."""

    KERAS = "ecbme4040__e4040-{}.xplane.pb"
    REPEATS = [["2022fall-assign2-yg2820__gpu-20221104-212612",
                "2022fall-assign2-yg2820__gpu-20221104-213656",
                "2022fall-assign2-yg2820__gpu-20221104-215724"],
               ["2023fall-assign2-hd2551__gpu-20231107-181859",
                "2023fall-assign2-hd2551__gpu-20231107-181933"],
               ["2023fall-assign2-hd2551__gpu-20231107-182427",
                "2023fall-assign2-hd2551__gpu-20231107-182502"]]

    def test_never_fails_repeats_of_one_program(self):
        blamed = 0
        for group in self.REPEATS:
            paths = [REAL / self.KERAS.format(name) for name in group]
            for before in paths:
                for after in paths:
                    if before == after:
                        continue
                    verdict = self.gate(0, "--warmup-steps", "0", "--baseline", before, after)
                    self.assertNotEqual(verdict["status"], "fail")
                    longer = (verdict["candidate"]["step_median_us"] >
                              1.5 * verdict["baseline"]["step_median_us"])
                    if longer:
                        self.assertIn("device_not_slower", self.codes(verdict))
                        blamed += 1
        self.assertGreaterEqual(blamed, 3)

    def test_does_not_compare_two_stacks_on_different_devices(self):
        old = REAL / "AMD-AGI__TraceLens__mi300x-jax_conv_minimal_legacy.xplane.pb"
        new = REAL / "AMD-AGI__TraceLens__mi300-jax_conv_minimal_08.xplane.pb"
        verdict = self.gate(5, "--baseline", old, new)
        self.assertEqual(verdict["status"], "incomparable")


if __name__ == "__main__":
    unittest.main(verbosity=2)
