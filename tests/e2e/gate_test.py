"""The way of the data through the binary: ingest, gate, show; verdicts and exit codes."""

import unittest

from cli_case import LedgerCase

SCOPE = ["--project", "p", "--workload", "w"]
BASELINE_RUNS = 8


class Gate(LedgerCase):
    """A ledger with a baseline; candidates of every kind."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        for run in range(1, BASELINE_RUNS + 1):
            case.ingest("--branch", "main", "--commit", f"{run:040x}", "--run", f"main-{run}",
                        cls.profile(f"main-{run}", "--kind", "tpu", "--seed", str(run)))

    def gate(self, code, name, *options, arguments=()):
        """Gates a candidate, insists on the exit code, returns the verdict document."""
        path = self.profile(name, "--kind", "tpu", *options)
        return self.expect(code, "gate", *SCOPE, "--branch", name, *arguments, path).document

    def test_passes_an_unchanged_candidate_whose_ops_were_renumbered(self):
        verdict = self.gate(0, "same", "--seed", "101", "--renumber", "7")
        self.assertIn(verdict["status"], ("pass", "inconclusive"))
        self.assertEqual(len(verdict["baseline"]["profile_ids"]), BASELINE_RUNS)

    def test_fails_a_slower_candidate_and_names_the_planted_op_first(self):
        verdict = self.gate(1, "slower", "--seed", "102", "--renumber", "9", "--slow-op",
                            "attention=1.6")
        self.assertEqual(verdict["status"], "fail")
        self.assertGreater(verdict["statistics"]["estimate_pct"], 3)
        self.assertEqual(verdict["ops"][0]["change"], "slower")
        self.assertIn("attention", verdict["ops"][0]["op_path"])
        shown = self.expect(0, "show", f"v{self.last_verdict()}", "--format", "text").out
        self.assertIn("FAIL", shown.splitlines()[0])

    def last_verdict(self):
        """The newest verdict's number: ids ascend."""
        number = 1
        while self.call("show", f"v{number + 1}").code == 0:
            number += 1
        return number

    def test_calls_other_hardware_incomparable_with_both_values(self):
        verdict = self.gate(5, "other-hardware", "--seed", "103", "--device-type", "TPU v4")
        rows = {row["field"]: row for row in verdict["mismatches"]}
        self.assertEqual(rows["device_type"]["candidate"], "TPU v4")
        self.assertNotEqual(rows["device_type"]["baseline"], "TPU v4")

    def test_calls_another_device_count_incomparable(self):
        verdict = self.gate(5, "more-devices", "--seed", "104", "--devices", "3")
        self.assertIn("device_count", [row["field"] for row in verdict["mismatches"]])

    def test_says_that_there_is_no_baseline(self):
        path = self.profile("same", "--kind", "tpu", "--seed", "101", "--renumber", "7")
        result = self.expect(6, "gate", "--project", "other", "--workload", "unknown", path)
        self.assertIn("no baseline", result.err)
        self.assertEqual(result.out, "")

    def test_takes_a_baseline_by_commit_and_run_and_refuses_an_unknown_one(self):
        by_run = self.gate(0, "same", "--seed", "101", "--renumber", "7",
                           arguments=["--baseline", "main-3", "--baseline", f"{4:040x}"])
        self.assertEqual(len(by_run["baseline"]["profile_ids"]), 2)
        path = self.profile("same")
        result = self.expect(6, "gate", *SCOPE, "--baseline", "no-such-run", path)
        self.assertIn("no-such-run", result.err)

    def test_names_the_same_trace_on_both_sides(self):
        path = self.profile("main-3")
        verdict = self.expect(5, "gate", *SCOPE, "--strict-provenance", "--baseline", "main-3",
                              path).document
        self.assertEqual(verdict["status"], "incomparable")

    def test_records_what_it_prints_but_for_its_number(self):
        result = self.expect(0, "gate", *SCOPE, "--branch", "same",
                             self.profile("same", "--kind", "tpu", "--seed", "101", "--renumber",
                                          "7"))
        name = f"v{self.last_verdict()}"
        self.assertEqual(result.document["id"], name)
        self.assertEqual(self.expect(0, "show", name).out,
                         result.out.replace(f'  "id": "{name}",\n', ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
