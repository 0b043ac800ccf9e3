"""Traces in Chrome's JSON on the way of every profile: ingested, queued, judged, shown.

What: sample runs whose XPlane files were turned into traces, `ingest`, `queue` and `gate` of them,
and the real pair of one model before and after its kernels were exchanged. What it does not do:
the figures themselves (trace_test.py).
"""

import gzip
import json
import os
import pathlib
import sys
import unittest

from cli_case import ROOT
from judge_case import SCOPE, JudgeCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position
import trace_writer  # noqa: E402
import xplane_decoder  # noqa: E402

SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
PAIR = sorted((SHARED / "profiles/trace").glob("*tpu-qwen3*.trace.json.gz"))


class TraceGate(JudgeCase):
    @classmethod
    def trace(cls, name, *options):
        """A sample profile of which only the trace is left; returns its folder."""
        folder = pathlib.Path(cls.profile(name, "--kind", "tpu", *options))
        for xplane in list(folder.rglob("*.xplane.pb")):
            space = xplane_decoder.space_read(xplane.read_bytes())
            trace = xplane.with_name(xplane.name.replace(".xplane.pb", ".trace.json.gz"))
            trace.write_bytes(trace_writer.trace_of(space).encode())
            xplane.unlink()
        return folder

    def history(self, *scope):
        for seed in range(1, 7):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed:040x}",
                        "--run", f"main-{seed}", self.trace(f"main-{seed}", "--seed", str(seed)))

    def test_a_slower_op_is_found_and_an_unchanged_run_passes(self):
        self.history(*SCOPE)
        for code, status, options in ((0, "pass", ()), (1, "fail", ("--slow-op", "mlp=1.3"))):
            candidates = [self.trace(f"{status}-{seed}", "--seed", str(seed), *options)
                          for seed in (11, 12, 13)]
            verdict = self.gate(code, "--branch", status, "--commit", status[0] * 40, *candidates)
            self.assertEqual(verdict["status"], status)
        self.assertIn("op_regressed", self.codes(verdict))
        changed = self.trace("changed", "--seed", "14")
        [file] = changed.rglob("*.trace.json.gz")
        file.write_bytes(file.read_bytes()[:-6] + b"\0\1" + bytes(4))
        verdict = self.gate(0, "--branch", "changed", changed)
        [said] = [reason["text"] for reason in verdict["reasons"]
                  if reason["code"] == "profile_unproven"]
        self.assertIn("checksum is wrong or missing", said)
        self.assertNotIn("profile_truncated", self.codes(verdict))

    @classmethod
    def host_steps(cls, name, step_us, seed):
        """A trace of PyTorch's profiler that watched no device: steps of the host alone."""
        trace = trace_writer.Trace(schemaVersion=1)
        trace.process(1, "python", "CPU")
        time = 1e6
        for step in range(30):
            duration = step_us * (1 + 0.002 * ((7 * step + 3 * seed) % 11 - 5))
            trace.event((1, 1), f"ProfilerStep#{step}", time, duration, cat="user_annotation")
            trace.event((1, 1), "aten::mm", time + 1, duration / 2, cat="cpu_op")
            time += duration + 5
        path = cls.folder / f"{name}.pt.trace.json.gz"
        path.write_bytes(trace.encode())
        return path

    def test_steps_of_a_host_alone_are_judged(self):
        scope = ["--project", "cpu", "--workload", "w"]
        for seed in range(1, 9):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed:040x}",
                        "--run", f"main-{seed}",
                        self.host_steps(f"cpu-{seed}", 1000 * (1 + 0.001 * (seed % 3)), seed))
        for code, status, step_us in ((0, "pass", 1001), (1, "fail", 1300)):
            candidates = [self.host_steps(f"cpu-{status}-{seed}", step_us, seed)
                          for seed in (11, 12, 13)]
            result = self.expect(code, "gate", *scope, "--branch", status, "--commit",
                                 status[0] * 40, *candidates)
            type(self).verdicts += 1
            self.assertEqual(result.document["status"], status)

    @classmethod
    def torch(cls, path, step_us=1000.0, base_us=1.7e15, job=None, seed=0):
        """A trace of PyTorch's profiler on a GPU; job: rank and size, as it tells them."""
        root = {} if job is None else {"distributedInfo": {"rank": job[0], "world_size": job[1]}}
        trace = trace_writer.Trace(schemaVersion=1, baseTimeNanoseconds=0, deviceProperties=[
            {"id": 0, "name": "NVIDIA H100"}], **root)
        trace.process(1, "python", "CPU")
        trace.process(0, "python", "GPU 0")
        time = base_us
        for step in range(12):
            duration = step_us * (1 + 0.002 * ((7 * step + 3 * seed) % 11 - 5))
            trace.event((1, 1), f"ProfilerStep#{step}", time, duration, cat="user_annotation")
            trace.event((1, 1), "cudaLaunchKernel", time + 1, 3, {"correlation": step + 1},
                        "cuda_runtime")
            trace.event((0, 7), "gemm", time + 5, duration - 20, {"correlation": step + 1},
                        "kernel")
            time += duration + 5
        path = cls.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(trace.encode())
        return path

    def taken(self, workload, folder, *options, code=0):
        document = self.expect(code, "ingest", "--project", "sets", "--workload", workload,
                               *options, self.folder / folder).document
        return document["profiles"], document["notes"]

    def test_captures_of_one_process_are_one_run(self):
        minute, scope = 6e7, ["--project", "sets", "--workload", "handler"]
        for seed in range(1, 9):
            self.taken("handler", self.torch(f"main-{seed}/m.pt.trace.json.gz", seed=seed,
                                             base_us=1.6e15 + 60 * seed * minute).parent,
                       "--branch", "main", "--commit", f"{seed:040x}")
        for capture in range(5):
            for rank in range(2):
                self.torch(f"one/node_{11 + rank}.{1700 + capture}.pt.trace.json.gz",
                           1040 + 10 * rank, 1.7e15 + capture * minute, (rank, 2),
                           3 * rank + capture)
        rows, notes = self.taken("five", "one")
        self.assertEqual(([row["hosts"] for row in rows], notes),
                         ([["process_0", "process_1"]] * 5, []))
        self.assertEqual(len({row["run"] for row in rows}), 1)
        verdict = self.call("gate", *scope, "--branch", "new", "--commit", "e" * 40,
                            self.folder / "one").document
        type(self).verdicts += 1
        self.assertEqual(verdict["candidate"]["run_count"], 1)
        # Those that come later are of that run, too; another process of the folder is another.
        for name, run in (("node_11.1800", rows[0]["run"]), ("node_12.1801", rows[0]["run"]),
                          ("node_99.1802", None)):
            path = self.torch(f"one/{name}.pt.trace.json.gz", 1040,
                              1.7e15 + int(name[-4:]) * minute, None, 7)
            [row], _ = self.taken("five", path.relative_to(self.folder))
            self.assertEqual(row["run"], run or row["profile"])
        queue = ["--project", "sets", "--workload", "queue"]
        self.expect(0, "queue", "add", *queue, self.folder / "one")
        while self.call("work", "ingest", "--once").code == 0 and any(
                job["state"] == "waiting" for job in
                self.expect(0, "queue", "list").document["jobs"]):
            pass
        rows = self.expect(0, "list", "profiles", *queue).document["rows"]
        self.assertEqual((len(rows), len({row["run"] for row in rows})), (8, 2))

    def test_of_a_folder_what_is_no_profile_is_left_out_by_name(self):
        scope, hour = ["--project", "beside", "--workload", "w"], 3.6e9
        for seed in range(1, 9):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed:040x}",
                        self.torch(f"b-main-{seed}/n_1.{seed}.pt.trace.json.gz", seed=seed,
                                   base_us=1.6e15 + seed * hour))
        for seed in (11, 12, 13):
            self.torch(f"beside/n_{seed}.9.pt.trace.json.gz", seed=seed,
                       base_us=1.7e15 + seed * hour)
        folder = self.folder / "beside"
        (folder / "m_1.1.pt.trace.json.gz").write_bytes(b"")
        (folder / "m_2.2.pt.trace.json").write_text("<html></html>", encoding="ascii")
        asked = ["gate", *scope, "--branch", "new", "--commit", "e" * 40]
        verdict = self.expect(0, *asked, folder)
        type(self).verdicts += 1
        self.assertEqual((verdict.document["status"], verdict.document["candidate"]["run_count"]),
                         ("pass", 3))
        self.assertIn("; left out: 2 files that are no profile ('m_1.1.pt.trace.json.gz' first)",
                      verdict.document["candidate"]["why"])
        self.assertIn("event=profile_rejected", verdict.err)
        for refused in (["--strict-input", folder], [folder, folder / "m_2.2.pt.trace.json"]):
            self.assertIn("m_", self.expect(65, *asked, *refused).err)

    def ranks(self, run, seed, base_us, slow=None):
        """Four ranks that each write to a folder of their own, at times of their own."""
        for rank in range(4):
            self.torch(f"{run}/process_{rank}/n_{4 * seed + rank}.{int(base_us / 1e3) + 300 * rank}"
                       ".pt.trace.json.gz", 1200 if rank == slow else 1000,
                       base_us + 300 * rank, (rank, 4), seed)
        return self.folder / run

    def test_ranks_in_folders_of_their_own_are_judged_as_one(self):
        hour, scope = 3.6e9, ["--project", "ranks", "--workload", "w"]
        for seed in range(1, 9):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed:040x}",
                        self.ranks(f"r-main-{seed}", seed, 1.6e15 + seed * hour))
        for code, name, slow in ((0, "pass", None), (1, "fail", 2)):
            runs = [self.ranks(f"r-{name}-{seed}", seed, 1.7e15 + (seed + code * 9) * hour, slow)
                    for seed in (11, 12, 13)]
            verdict = self.expect(code, "gate", *scope, "--branch", name, "--commit",
                                  name[0] * 40, *runs).document
            type(self).verdicts += 1
            self.assertEqual((verdict["status"], verdict["candidate"]["run_count"]), (name, 3))
        said = self.expect(0, "show", f"v{self.verdicts}", "--format", "text").out
        self.assertRegex(said.replace("\n", " "), r"host process_2 +alone +is +slower: \+20\.")
        for code, name, slow in ((0, "even", None), (1, "odd", 1)):
            pairs = ["--project", "ranks", "--workload", name]
            for turn in range(6):
                for side, branch, late in (("b", "main", None), ("c", name, slow)):
                    start = 1.8e15 + (2 * turn + (side == "c") + 20 * code) * hour
                    self.expect(0, "ingest", *pairs, "--branch", branch, "--commit",
                                (side * 40), "--run", f"{side}{turn}", self.ranks(
                                    f"r-{name}-{side}{turn}", 30 + turn, start, late))
            verdict = self.expect(code, "gate", *pairs, "--branch", name, "--commit", "c" * 40,
                                  "--paired", *(f"c{turn}" for turn in range(6)),
                                  *(part for turn in range(6) for part in
                                    ("--baseline", f"b{turn}"))).document
            type(self).verdicts += 1
            self.assertEqual(verdict["status"], "fail" if code else "pass")

    def test_other_jobs_and_copies_are_no_hosts(self):
        self.torch("worlds/a.pt.trace.json.gz", job=(0, 2))
        self.torch("worlds/b.pt.trace.json.gz", 2000, job=(1, 8))
        rows, [note] = self.taken("worlds", "worlds")
        self.assertEqual([len(row["hosts"]) for row in rows], [0, 0])
        self.assertIn("they do not say of one job how many processes it has", note)
        self.torch("none/a.pt.trace.json.gz")
        self.torch("none/b.pt.trace.json.gz", 1500, seed=5)
        rows, [note] = self.taken("none", "none")
        self.assertEqual(len(rows), 2)
        self.assertIn("neither rank nor host is in both", note)
        for job in range(2):  # at once, of one size: which rank is of which job is not known
            for rank in range(2):
                self.torch(f"twice/{job}{rank}.pt.trace.json.gz", 1000 + 400 * job, 1.7e15,
                           (rank, 2), rank)
        rows, [note] = self.taken("twice", "twice")
        self.assertEqual([len(row["hosts"]) for row in rows], [0] * 4)
        self.assertIn("4 files are hosts of several captures, and nothing tells of which", note)
        whole = self.torch("copies/a.pt.trace.json.gz", job=(0, 1))
        text = gzip.decompress(whole.read_bytes())
        for name, data, words in (
                ("b.pt.trace.json.gz", whole.read_bytes()[:-40], "the beginning of"),
                ("c.pt.trace.json", text, "it holds the same capture as 'a.pt.trace.json.gz'"),
                ("d.pt.trace.json", text[:-300], "the beginning of")):
            (self.folder / "copies" / name).write_bytes(data)
            rows, _ = self.taken(f"copies-{name}", "copies")
            self.assertEqual([pathlib.Path(row["path"]).name for row in rows],
                             ["a.pt.trace.json.gz", name])
            self.assertEqual((rows[1]["status"], rows[1]["profile"]),
                             ("duplicate", rows[0]["profile"]))
            self.assertIn(words, rows[1]["notes"][0])
            said = self.expect(0, "show", rows[0]["profile"]).document["coverage"]["warnings"]
            self.assertIn(f"'{name}' was left aside", "\n".join(said))
            (self.folder / "copies" / name).rename(self.folder / name)
            [later], _ = self.taken(f"copies-{name}", name)
            self.assertEqual((later["status"], later["profile"]),
                             ("duplicate", rows[0]["profile"]))

    def torch_changed(self, name, change):
        """Such a trace with items that are changed one by one; None leaves an item out."""
        path = self.torch(f"{name}/a.pt.trace.json.gz")
        document = json.loads(gzip.decompress(path.read_bytes()))
        document["traceEvents"] = [item for item in map(change, document["traceEvents"]) if item]
        path.write_bytes(gzip.compress(json.dumps(document).encode()))
        return path

    def test_captures_that_nothing_marks_are_to_be_marked(self):
        scope, hour = ["--project", "unmarked", "--workload", "w"], 3.6e9

        def unmarked(seed):
            path = self.torch(f"unmarked-{seed}/a.pt.trace.json.gz", seed=seed,
                              base_us=1.7e15 + seed * hour)
            document = json.loads(gzip.decompress(path.read_bytes()))
            document["traceEvents"] = [item for item in document["traceEvents"]
                                       if "ProfilerStep" not in item["name"]]
            path.write_bytes(gzip.compress(json.dumps(document).encode()))
            return path

        for seed in range(1, 7):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed:040x}",
                        unmarked(seed))
        verdict = self.expect(0, "gate", *scope, "--branch", "new", "--commit", "d" * 40,
                              *(unmarked(seed) for seed in (11, 12, 13))).document
        type(self).verdicts += 1
        self.assertEqual(verdict["status"], "inconclusive")
        self.assertIn("for nothing marks them: mark them (JAX: ", verdict["reasons"][0]["text"])
        few = [reason["text"] for reason in verdict["reasons"]
               if reason["code"] == "steps_too_few"]
        self.assertEqual(len(few), 9)
        for text in few:
            self.assertRegex(text, r"has no steps, for nothing marks them: mark them "
                                   r"\(`stepledger help capture`\), and run it again\.$")

    def test_what_is_said_of_a_trace_is_what_was_seen(self):
        unlabelled = self.torch_changed("labels", lambda item: item if item["name"] !=
                                        "process_labels" else None)
        said = self.expect(0, "summarize", unlabelled).document
        words = "\n".join(said["coverage"]["warnings"]) + said["measured"]["input_wait_absent"]
        self.assertIn("Nothing says of which device 12 kernels and copies are", words)
        self.assertIn("no label says which", words)
        for false in ("recorded no device", "the host was not traced", "only host threads were "
                      "profiled, so"):
            self.assertNotIn(false, words)
        texts = self.torch_changed("texts", lambda item: {**item, "ts": str(item["ts"])}
                                   if "ts" in item else item)
        [row] = self.call("ingest", "--project", "sets", "--workload", "texts",
                          texts).document["rejected"]
        self.assertIn("holds no timeline events that can be read: 36 of ", row["error"])
        self.assertNotIn("killed", row["error"])
        self.assertNotIn("recorded no device", self.expect(0, "summarize", texts).out)
        refused = self.expect(65, "table", "kernels", texts).err
        self.assertIn("members of another type", refused)
        behind = self.torch("behind/a.pt.trace.json.gz")
        whole = self.expect(0, "table", "kernels", behind)
        self.assertNotIn("a.pt.trace.json.gz", whole.err)
        behind.write_bytes(behind.read_bytes() + b"something else")
        self.assertRegex(self.expect(0, "table", "kernels", behind).err,
                         "is followed by 14 bytes that are no gzip and were not read")
        os.mkfifo(self.folder / "behind/b.trace.json.gz")
        document = self.expect(65, "ingest", "--project", "sets", "--workload", "fifo",
                               behind.parent).document
        self.assertEqual(len(document["profiles"]), 1)
        [row] = document["rejected"]
        self.assertRegex(row["error"], "b.trace.json.gz' is not a regular file: it was not opened")

    def test_the_queue_takes_them_too(self):
        scope = ["--project", "q", "--workload", "w"]
        folder = self.trace("queued", "--seed", "21")
        self.expect(0, "queue", "add", *scope, folder)
        self.expect(0, "work", "ingest", "--once")
        self.assertIn(".trace.json.gz", self.expect(0, "show", "--project", "q", "p1").out)

    @unittest.skipUnless(len(PAIR) == 2, f"no real traces in '{SHARED}'; set STEPLEDGER_SHARED")
    def test_of_a_real_pair_the_faster_step_and_what_moved_are_named(self):
        scope = ["--project", "real", "--workload", "qwen3"]
        self.expect(0, "ingest", *scope, "--branch", "main", "--commit", "a" * 40, "--run", "1",
                    PAIR[0])
        result = self.expect(0, "gate", *scope, "--branch", "kernels", "--commit", "b" * 40,
                             "--run", "2", "--format", "text", PAIR[1])
        type(self).verdicts += 1
        for words in (r"Step time 66\.98 ms -> 65\.56 ms \(-2\.1 %\)",
                      r"category +convolution fusion +41\.99 ms +0\.00 ms +-41\.99 ms",
                      r"category +custom-call +17\.01 ms +45\.99 ms +\+28\.98 ms"):
            self.assertRegex(result.out, words)


if __name__ == "__main__":
    unittest.main()
