"""Device memory profiles alone, judged: a verdict by what is in use, and by nothing else.

What: `ingest` and `gate` of memory.prof files without a capture, against others of their kind and
against captures. What it does not do: memory beside a capture (memory_ledger_test.py), the format
(memory_test.py).
"""

import gzip
import pathlib
import shutil
import sys
import unittest

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

import pprof_writer  # noqa: E402
from pprof_writer import Allocation  # noqa: E402

MIB = 1 << 20
LAYER = (("/job/model.py", "layer", 12),)


def memory(layer_mib, other_mib=1000):
    return gzip.compress(pprof_writer.memory_profile(
        [Allocation(4, other_mib * MIB, f"cuda:{device}", "buffer") for device in (0, 1)]
        + [Allocation(2, layer_mib * MIB, f"cuda:{device}", "buffer", LAYER)
           for device in (0, 1)]), mtime=0)


class MemoryAlone(LedgerCase):
    maxDiff = 3000

    def saved(self, name, *sizes):
        path = self.folder / name / "memory.prof"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(memory(*sizes))
        return path.parent

    def past(self, workload, count=3):
        for i in range(count):
            self.expect(0, "ingest", "--project", "p", "--workload", workload, "--branch", "main",
                        "--commit", f"{i + 1:07d}", self.saved(f"{workload}{i}", 200 + i))

    def gate(self, code, workload, commit, *arguments):
        return self.expect(code, "gate", "--project", "p", "--workload", workload, "--commit",
                           commit * 7, "--branch", "topic", *arguments).document

    def codes(self, verdict):
        return [reason["code"] for reason in verdict["reasons"]]

    def test_it_is_judged_by_what_is_in_use(self):
        self.past("alone")
        same = self.gate(0, "alone", "a", self.saved("same", 205))
        self.assertEqual((same["status"], same["rule_id"], self.codes(same)[0]),
                         ("pass", "measure_limits", "memory_judged"))
        self.assertNotIn("steps", " ".join(reason["text"] for reason in same["reasons"]))
        grown = self.gate(0, "alone", "b", self.saved("grown", 600))
        self.assertEqual((grown["status"], self.codes(grown)[0]),
                         ("warn", "device_memory_increased"))
        # The growth of the fullest device, as the measure is: not that of both.
        self.assertIn("(bytes in use on the fullest device, by its memory profile) rose from "
                      "1.2 GiB to 1.6 GiB", grown["reasons"][0]["text"])
        self.assertIn("What grew most there since the newest past run is of /job/model.py:12, "
                      "layer (+398.0 MiB).", grown["reasons"][0]["text"])
        policy = self.folder / "memory.policy"
        policy.write_text("policy_version = 1\n[measure device_memory]\naction = fail\n")
        failed = self.gate(1, "alone", "c", "--policy", policy, self.saved("more", 700))
        self.assertEqual((failed["status"], failed["rule_id"]), ("fail", "measure_limits"))
        again = self.gate(1, "alone", "c", "--policy", policy, self.saved("more2", 701))
        [name] = again["candidate"]["earlier_failed"]
        replayed = self.call("gate", "--replay", name).document
        self.assertEqual(replayed["evidence_sha256"], failed["evidence_sha256"])
        policy.write_text("policy_version = 1\n[measure device_memory]\naction = info\n")
        silent = self.gate(0, "alone", "d", "--policy", policy, self.saved("silent", 900))
        self.assertEqual((silent["status"], self.codes(silent)[0]),
                         ("inconclusive", "memory_unknown"))
        self.expect(0, "verify")

    def test_the_same_bytes_are_no_change(self):
        self.past("bytes")
        copy = self.folder / "copy"
        shutil.copytree(self.folder / "bytes1", copy)
        self.assertEqual(self.gate(0, "bytes", "e", copy)["status"], "pass")

    def test_captures_are_no_past_of_it_nor_it_of_them(self):
        for seed in (1, 2):
            self.expect(0, "ingest", "--project", "p", "--workload", "mixed", "--branch", "main",
                        self.profile(f"capture{seed}", "--kind", "tpu", "--seed", str(seed)))
        alone = self.saved("mixed", 300)
        first = self.gate(0, "mixed", "a", alone)
        self.assertEqual((first["status"], self.codes(first)[0]),
                         ("inconclusive", "memory_unknown"))
        self.expect(0, "ingest", "--project", "p", "--workload", "mixed", "--branch", "main",
                    self.saved("mixed2", 301))
        capture = pathlib.Path(self.profile("capture3", "--kind", "tpu", "--seed", "3"))
        timed = self.gate(0, "mixed", "b", capture)
        self.assertEqual(timed["baseline"]["run_count"], 2)
        self.assertIn("it tells no times", timed["baseline"]["why"])
        both = self.gate(0, "mixed", "c", capture, self.saved("mixed3", 305))
        self.assertIn("memory_alone", self.codes(both))
        again = self.gate(0, "mixed", "d", self.saved("mixed4", 302))
        self.assertEqual((again["status"], again["baseline"]["run_count"]), ("pass", 1))

    def test_it_is_named_beside_a_capture(self):
        for seed in (11, 12):
            self.expect(0, "ingest", "--project", "p", "--workload", "named", "--branch", "main",
                        "--memory-profile", self.saved(f"named{seed}", 200 + seed) / "memory.prof",
                        self.profile(f"captured{seed}", "--kind", "gpu", "--seed", str(seed)))
        capture = self.profile("captured13", "--kind", "gpu", "--seed", "13")
        grown = self.saved("named13", 600) / "memory.prof"
        verdict = self.gate(0, "named", "a", "--memory-profile", grown, "--baseline", self.profile(
            "captured14", "--kind", "gpu", "--seed", "14"), capture)
        [row] = [row for row in verdict["measures"] if row["name"] == "device_memory"]
        self.assertEqual((row["status"], row["before"], row["after"]),
                         ("unknown", None, 1600 * MIB))
        verdict = self.gate(0, "named", "b", "--memory-profile", grown, capture)
        self.assertIn("device_memory_increased", self.codes(verdict))
        several = self.call("gate", "--project", "p", "--workload", "named", "--memory-profile",
                            grown, "--matrix", grown)
        self.assertEqual(several.code, 2, several.err)

    def test_it_is_shown(self):
        path = self.saved("shown", 300) / "memory.prof"
        [row] = self.expect(0, "ingest", "--project", "p", "--workload", "shown",
                            path).document["profiles"]
        shown = self.expect(0, "show", row["profile"], "--format", "text").out
        self.assertIn("PROFILE  device memory: 2.5 GiB in use, 1.3 GiB of it on cuda:0", shown)
        self.assertRegex(shown, r"/job/model.py:12 +layer +cuda:1 +buffer +300.0 MiB")

    def test_two_files_are_compared_by_line(self):
        before, after = self.saved("before", 200), self.saved("after", 500)
        memory_delta = self.expect(0, "compare", before / "memory.prof",
                                   after / "memory.prof").document["memory"]
        self.assertEqual([(row["source"], row["delta_bytes"])
                          for row in memory_delta["allocations"]],
                         [("/job/model.py:12", 2 * 300 * MIB)])


if __name__ == "__main__":
    unittest.main()
