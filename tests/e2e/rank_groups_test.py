"""Processes of one machine that tell no rank: which of them are ranks of one job.

What: traces as PyTorch's handler names them, `<machine>_<pid>.<time>.pt.trace.json.gz`, all in
one folder, whose collectives name the group of processes (`Process Group Ranks`): joined as far as
group, steps and GPUs tell, counted as one run, and the slow one named. What it does not do: files
that tell ranks (trace_gate_test.py), the rule pair by pair (ingest_join_test.c).
"""

import sys
import unittest

from cli_case import ROOT
from judge_case import JudgeCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position
import trace_writer  # noqa: E402

RANKS, STEPS = 4, 12
WORLD = [list(range(RANKS))] * RANKS
HOUR = 3.6e9


class RankGroups(JudgeCase):
    @classmethod
    def rank(cls, path, rank, begin_us, work_us, **how):
        """One process: a step is a kernel, then a collective that ends with the slowest's work."""
        gpu = how.get("gpus", range(RANKS))[rank]
        trace = trace_writer.Trace(schemaVersion=1, baseTimeNanoseconds=0, deviceProperties=[
            {"id": id, "name": "NVIDIA H100"} for id in range(8)])
        trace.process(4000, "python", "CPU")
        trace.process(gpu, "python", f"GPU {gpu}")
        for step in range(STEPS):
            end = begin_us + (max(work_us) + 200) * (step + 1)
            time = end - max(work_us) - 195 + rank / 4
            if how.get("steps", True):
                trace.event((4000, 1), f"ProfilerStep#{step}", time, end - time - 1,
                            cat="user_annotation")
            trace.event((4000, 1), "cudaLaunchKernel", time + 1, 3, {"correlation": 2 * step + 1},
                        "cuda_runtime")
            trace.event((4000, 1), "cudaLaunchKernel", time + 5, 3, {"correlation": 2 * step + 2},
                        "cuda_runtime")
            trace.event((gpu, 7), "gemm", time + 10, work_us[rank], {"correlation": 2 * step + 1},
                        "kernel")
            groups = how.get("groups", [[group] for group in WORLD])[rank]
            trace.event((gpu, 20), "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
                        time + 11 + work_us[rank], end - time - 15 - work_us[rank],
                        {"correlation": 2 * step + 2, **how.get("args", lambda rank: {})(rank),
                         "Process Group Ranks": str(groups[step % len(groups)])}, "kernel")
        path.write_bytes(trace.encode())

    @classmethod
    def job(cls, folder, begin_us=1.7e15, slow=None, first_pid=4000, seed=0, **how):
        work = [1000.0 * (1 + 0.001 * ((5 * seed + 3) % 7)) * (1.2 if rank == slow else 1)
                for rank in range(RANKS)]
        path = cls.folder / folder
        path.mkdir(parents=True, exist_ok=True)
        for rank in how.pop("present", range(RANKS)):
            cls.rank(path / f"node_{first_pid + rank}.{int(begin_us / 1e3)}.pt.trace.json.gz", rank,
                     begin_us, work, **how)
        return path

    def taken(self, folder):
        document = self.expect(0, "ingest", "--project", "sets", "--workload", folder,
                               self.folder / folder).document
        return [row["hosts"] for row in document["profiles"]], document

    def names(self, first=4000, count=RANKS):
        return [f"node_{pid}" for pid in range(first, first + count)]

    def test_a_job_is_one_run_and_its_slow_rank_is_named(self):
        scope = ["--project", "groups", "--workload", "w"]
        for seed in range(1, 9):
            self.expect(0, "ingest", *scope, "--branch", "main", "--commit", f"{seed:040x}",
                        self.job(f"main-{seed}", 1.6e15 + seed * HOUR, seed=seed))
        for code, name, slow in ((0, "pass", None), (1, "fail", 2)):
            runs = [self.job(f"{name}-{seed}", 1.7e15 + (seed + code * 9) * HOUR, slow, seed=seed)
                    for seed in (11, 12, 13)]
            verdict = self.expect(code, "gate", *scope, "--branch", name, "--commit",
                                  name[0] * 40, *runs).document
            type(self).verdicts += 1
            self.assertEqual((verdict["status"], verdict["baseline"]["run_count"],
                              verdict["candidate"]["run_count"]), (name, 8, 3))
        self.assertIn("node_4002/device:GPU:2", verdict["slow_devices"])

    def test_files_of_one_group_that_run_the_same_steps_are_joined(self):
        for folder, how in (("plain", {}), ("gpu0", {"gpus": [0] * RANKS}),
                            ("no_steps", {"steps": False})):
            self.job(folder, **how)
            rows, document = self.taken(folder)
            self.assertEqual((rows, document["notes"]), ([self.names()], []), folder)
            self.assertIn("4 processes are one capture", str(document["profiles"][0]["notes"]))
        page = self.expect(0, "explain", "--format", "text", self.folder / "plain").out
        self.assertIn("4 devices of 4 processes", page)
        self.assertEqual(self.expect(0, "explain", self.folder / "plain").document["host_kind"],
                         "process")
        self.job("missing", present=(0, 1, 3))
        rows, document = self.taken("missing")
        self.assertEqual(rows, [["node_4000", "node_4001", "node_4003"]])
        self.assertEqual(document["profiles"][0]["missing_hosts"], ["1 of 4 processes"])
        said = self.expect(0, "show", document["profiles"][0]["profile"], "--format", "text").out
        self.assertIn("1 of 4 processes of this capture is missing", said)

    def test_groups_and_ranks_in_them_tell_ranks(self):
        crossed = [[[0, 1], [0, 2]], [[0, 1], [1, 3]], [[2, 3], [0, 2]], [[2, 3], [1, 3]]]
        for folder, how in (("crossed", {"groups": crossed}),
                            ("told", {"args": lambda rank: {"Rank": rank}})):
            rows, _ = self.taken(self.job(folder, **how).name)
            self.assertEqual(rows, [[f"process_{rank}" for rank in range(RANKS)]], folder)

    def test_what_stays_ambiguous_is_not_joined(self):
        """Two jobs of one machine that have the same groups: apart in time, their steps tell."""
        for folder, shift in (("apart", 9000.0), ("together", 600.0)):
            self.job(folder)
            self.job(folder, 1.7e15 + shift, first_pid=5000, gpus=range(4, 8))
        rows, document = self.taken("apart")
        self.assertEqual(rows, [self.names(), self.names(5000)])
        self.assertIn("are not joined: both are of host node at one time", document["notes"][0])
        rows, document = self.taken("together")
        self.assertEqual(rows, [[]] * 2 * RANKS)
        self.assertIn("8 files are hosts of several captures, and nothing tells of which",
                      document["notes"][0])
        self.assertIn("--capture KEY", document["notes"][0])
        self.job("same_gpu", steps=False, gpus=[0] * RANKS)
        self.assertEqual(len(self.taken("same_gpu")[0]), RANKS)


if __name__ == "__main__":
    unittest.main()
