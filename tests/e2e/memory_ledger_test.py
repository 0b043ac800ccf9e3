"""Device memory profiles in the ledger: stored, found again, compared, gated, exported, by workers.

What: the measure device_memory and the lines behind it, of profiles that were ingested with a
memory profile beside them, before it or after it, and alone. What it does not do: the format
(memory_test.py).
"""

import gzip
import json
import pathlib
import shutil
import sys
import unittest

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

import pprof_writer  # noqa: E402
from pprof_writer import Allocation  # noqa: E402
from trace_writer import trace_of  # noqa: E402
from xplane_decoder import space_read  # noqa: E402

SCOPE = ["--project", "p", "--workload", "w"]
MIB = 1 << 20
LAYER = (("/job/model.py", "layer", 12),)


def memory(layer_mib):
    """Two devices with parameters, and what a layer keeps."""
    return gzip.compress(pprof_writer.memory_profile(
        [Allocation(4, 1000 * MIB, f"TPU_{device}(process=0)", "buffer") for device in (0, 1)]
        + [Allocation(2, layer_mib * MIB, f"TPU_{device}(process=0)", "buffer", LAYER)
           for device in (0, 1)]
        + [Allocation(3, -1, "", "executable")]), mtime=0)


class MemoryInTheLedger(LedgerCase):
    maxDiff = 3000

    def made(self, name, seed, layer_mib=None, *options):
        """A capture, with a memory profile beside it where layer_mib says how much is in use."""
        folder = pathlib.Path(self.profile(name, "--kind", "tpu", "--seed", str(seed), *options))
        if layer_mib is not None:
            (folder / "memory.prof").write_bytes(memory(layer_mib))
        return folder

    def gate(self, code, commit, *arguments):
        return self.expect(code, "gate", *SCOPE, "--commit", commit * 40, "--branch", "topic",
                           *arguments).document

    def measure(self, verdict):
        [row] = [row for row in verdict["measures"] if row["name"] == "device_memory"]
        return row

    def test_growth_is_told_with_its_line(self):
        self.ingest("--branch", "main", *(self.made(f"m{seed}", seed, 200 + seed % 2)
                                          for seed in range(1, 9)))
        same = self.gate(0, "a", self.made("same", 40, 201), self.made("same2", 41, 200))
        self.assertEqual((same["status"], self.measure(same)["status"]), ("pass", "ok"))
        grown = self.gate(0, "b", self.made("grown", 50, 500), self.made("grown2", 51, 500))
        self.assertEqual((grown["status"], self.measure(grown)["status"]), ("warn", "warn"))
        [reason] = [reason["text"] for reason in grown["reasons"]
                    if reason["code"] == "device_memory_increased"]
        self.assertIn("from 1.2 GiB to 1.5 GiB", reason)
        self.assertIn("What grew most there since the newest past run is of /job/model.py:12, "
                      "layer (+", reason)
        policy = self.folder / "memory.policy"
        section = "policy_version = 1\n[measure device_memory]\n"
        policy.write_text(section + "limit_pct = 5\naction = fail\n")
        failed = self.gate(1, "b", "--policy", policy, self.made("grown", 50, 500),
                           self.made("grown2", 51, 500))
        self.assertEqual(self.measure(failed)["status"], "fail")
        policy.write_text(section + "action = info\n")
        quiet = self.gate(0, "d", "--policy", policy, self.made("same3", 42, 900),
                          self.made("same4", 43, 900))
        self.assertEqual((quiet["status"], self.measure(quiet)["status"]), ("pass", "ok"))
        self.assertIn("device_memory", self.expect(0, "help", "policy").out)
        trend = self.expect(0, "trend", *SCOPE, "--branch", "main", "--measure", "device_memory",
                            "--format", "text").out
        self.assertIn("1.2 GiB", trend)

    def test_it_is_kept_with_its_profile(self):
        folder = self.made("kept", 60, 300)
        scope = ["--project", "p", "--workload", "kept"]
        [row] = self.expect(0, "ingest", *scope, folder).document["profiles"]
        self.assertIn("Memory in use is that of 'memory.prof'.", row["notes"])
        name = row["profile"]
        table = self.expect(0, "table", "allocations", name).document
        self.assertEqual(table["properties"]["bytes"], 2 * 1300 * MIB)
        self.assertEqual(table["properties"]["unknown_count"], 3)
        self.assertIn("records no launch", self.call("table", "kernels", name).err)
        (folder / "memory.prof").unlink()
        [again] = self.expect(0, "ingest", *scope, folder).document["profiles"]
        self.assertEqual((again["profile"], again["status"]), (name, "duplicate"))
        other = self.folder / "other.prof"
        other.write_bytes(memory(400))
        [more] = self.expect(0, "ingest", *scope, "--memory-profile", other,
                             folder).document["profiles"]
        self.assertEqual(more["supersedes"], name)
        compared = self.expect(0, "compare", name, more["profile"]).document["memory"]
        self.assertEqual([(row["source"], row["function"], row["delta_bytes"])
                          for row in compared["allocations"]],
                         [("/job/model.py:12", "layer", 2 * 100 * MIB)])
        self.assertEqual(self.expect(0, "verify").code, 0)
        two = self.call("ingest", *scope, "--memory-profile", other, folder, folder)
        self.assertEqual(two.code, 2, two.err)
        self.assertIn("of one capture", two.err)

    def test_beside_a_trace_of_a_known_capture_it_joins_that_capture(self):
        [xplane] = self.made("known", 70).rglob("*.xplane.pb")
        text = trace_of(space_read(xplane.read_bytes())).text().encode()
        for number, options in enumerate(([], ["--memory-profile"], ["queue"])):
            with self.subTest(options):
                scope = ["--project", "joins", "--workload", f"w{number}"]
                [first] = self.expect(0, "ingest", *scope, xplane).document["profiles"]
                folder = self.folder / f"joins-{number}"
                folder.mkdir()
                trace = folder / "x.trace.json.gz"
                trace.write_bytes(gzip.compress(text, mtime=0))
                beside = (folder if options != ["--memory-profile"] else self.folder) / "m.prof"
                beside.write_bytes(memory(300))
                if options == ["queue"]:
                    self.expect(0, "queue", "add", *scope, folder)
                    self.expect(0, "work", "ingest", "--once")
                    [row] = self.expect(0, "list", "profiles", *scope).document["rows"]
                else:
                    extra = [*options, beside] if options else []
                    [row] = self.expect(0, "ingest", *scope, *extra, folder).document["profiles"]
                    self.assertEqual((row["supersedes"], row["run"], row["status"]),
                                     (first["profile"], first["run"], "stored"))
                    self.assertEqual(row["notes"], ["Memory in use is that of 'm.prof'."])
                    [again] = self.expect(0, "ingest", *scope, *extra, folder).document["profiles"]
                    self.assertEqual((again["profile"], again["status"]),
                                     (row["profile"], "duplicate"))
                table = self.expect(0, "table", "allocations", row["profile"]).document
                self.assertEqual(table["properties"]["bytes"], 2 * 1300 * MIB)
                shown = self.expect(0, "show", row["profile"]).document
                self.assertEqual(shown["source_format"], "xplane_pb")
                [again] = self.expect(0, "ingest", *scope, xplane).document["profiles"]
                self.assertEqual(again["profile"], row["profile"])
        self.expect(0, "verify")

    def test_a_summary_file_keeps_it_too(self):
        folder = self.made("filed", 61, 300)
        path = self.folder / "filed.json"
        self.expect(0, "summarize", folder, "--output", path)
        self.assertEqual(self.expect(0, "table", "allocations", path).document["rows"],
                         json.loads(path.read_text())["memory"]["allocations"])

    def test_alone_it_is_a_profile(self):
        folder = self.folder / "alone"
        folder.mkdir()
        for name, size in (("a.prof", 100), ("b.prof", 120)):
            (folder / name).write_bytes(memory(size))
        rows = self.expect(0, "ingest", "--project", "p", "--workload", "alone", "--run", "r1",
                           folder).document["profiles"]
        self.assertEqual([row["status"] for row in rows], ["stored", "stored"])
        compared = self.expect(0, "compare", folder / "a.prof", rows[1]["profile"]).document
        self.assertEqual(compared["memory"]["delta_bytes"], 2 * 20 * MIB)

    def test_it_goes_with_an_export(self):
        folder = self.made("moved", 62, 300)
        scope = ["--project", "moved", "--workload", "w"]
        [row] = self.expect(0, "ingest", *scope, folder).document["profiles"]
        lines = self.folder / "moved.jsonl"
        self.expect(0, "export", "--output", lines)
        second = self.second("second")
        self.expect(0, "import", lines, environment=second)
        [other] = self.expect(0, "list", "profiles", "--project", "moved",
                              environment=second).document["rows"]
        self.assertEqual(
            self.expect(0, "table", "allocations", other["profile"],
                        environment=second).document["rows"],
            self.expect(0, "table", "allocations", row["profile"]).document["rows"])
        self.expect(0, "verify", environment=second)

    def test_a_worker_takes_it_along(self):
        for option in ([], ["--bytes"]):
            folder = self.made("queued" + "".join(option), 63 + len(option), 300)
            copy = self.folder / f"queue{len(option)}"
            shutil.copytree(folder, copy)
            workload = f"q{len(option)}"
            self.expect(0, "queue", "add", "--project", "p", "--workload", workload, *option, copy)
            self.expect(0, "work", "ingest", "--once")
            [row] = self.expect(0, "list", "profiles", "--project", "p", "--workload",
                                workload).document["rows"]
            shown = self.expect(0, "show", row["profile"], "--format", "json").document
            table = self.expect(0, "table", "allocations", row["profile"]).document
            self.assertEqual(table["properties"]["bytes"], 2 * 1300 * MIB)
            self.assertIn("memory.prof", json.dumps(shown))


if __name__ == "__main__":
    unittest.main()
