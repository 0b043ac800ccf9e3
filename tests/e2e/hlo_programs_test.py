"""Compiled programs as tables of ops ask them: `stepledger table`.

What: programs in files of their own beside a profile, which of them count; groups of collectives;
what tables of several hosts say of these.
What it does not do: what an instruction costs (op_tables_test.py).
"""

import json
import pathlib
import sys
import tempfile
import unittest

import op_tables_test
import xplane_writer
from op_tables_test import Program, cost_program, gpu_profile, run, stat_text


class Programs(op_tables_test.ProgramCase):
    def test_programs_in_files_beside_the_profile_are_asked(self):
        whole = cost_program().encode()
        bare = gpu_profile([("k", "dot.1", 1000)], b"")
        other = Program("jit_g")
        other.add("main", "dot.1", "tanh", "f32[4]")
        for name, proto, joined in (
                ("jit_f(7).hlo_proto.pb", whole, 1),
                ("dump/module_0007.jit_f.sm_9.0_gpu_after_optimizations.hlo.pb", whole, 1),
                ("jit_f(8).hlo_proto.pb", whole, None),
                ("module_0007.jit_f.before_optimizations.hlo.pb", whole, None),
                ("module_0007.jit_g.after_optimizations.hlo.pb", other.encode(), None),
                ("module_0007.jit_f.after_optimizations.txt", b"HloModule jit_f", None)):
            with tempfile.TemporaryDirectory(prefix="stepledger-programs-") as folder:
                beside = pathlib.Path(folder) / name
                beside.parent.mkdir(exist_ok=True)
                beside.write_bytes(proto)
                (pathlib.Path(folder) / "h.xplane.pb").write_bytes(bare)
                facts = self.table("hlo_stats", folder)["properties"]
                notes = " ".join(json.loads(run("summarize", folder).stdout)["capture"]["notes"])
                named = self.table("hlo_stats", f"{folder}/h.xplane.pb")["properties"]
            self.assertEqual(named.get("joined_time_share"), joined if "/" not in name else None,
                             name)
            self.assertEqual(facts.get("joined_time_share"), joined, name)
            self.assertEqual(facts.get("programs_beside", 0), 0 if "jit_g" not in name and
                             joined is None else 1, name)
            self.assertEqual("before" not in name, beside.name in notes, name)

    def test_several_hosts_are_told_and_no_slow_device_is_averaged_away(self):
        folder = self.path.parent / "two_hosts"
        folder.mkdir()
        for host, times in (("a", (100, 300)), ("b", (100, 500))):
            space = xplane_writer.Space([host])
            line = space.add_plane("/device:GPU:0", 1).add_line("Stream #1(Kernel)", 1)
            for i in range(4):
                for at, (name, took) in enumerate(zip(("even", "uneven"), times)):
                    line.add_event(name, (2000 * i + 1000 * at) * 1000, took * 1000,
                                   [stat_text("kernel_details", "grid:1,1,1 block:32,1,1")])
            (folder / f"{host}.xplane.pb").write_bytes(space.encode())
        document = self.table("hlo_stats", folder)
        self.assertEqual((document["properties"]["host_count"],
                          document["properties"]["device_count"]), (2, 2))
        self.assertEqual({row["hlo_op_name"]: (row["occurrences"], row["device_skew"])
                          for row in document["rows"]}, {"even": (8, 0), "uneven": (8, 0.2)})
        one = self.table("hlo_stats", folder / "b.xplane.pb")
        self.assertNotIn("device_skew", one["rows"][0])
        self.assertIn("device_skew", [gone["column"] for gone in one["absent"]])
        self.assertEqual(self.table("kernels", folder)["properties"]["host_count"], 2)
        self.assertNotIn("host_count", self.table("kernels", folder / "b.xplane.pb")["properties"])

    def test_a_copy_of_a_file_is_no_other_host(self):
        folder = self.path.parent / "copied"
        folder.mkdir()
        data = gpu_profile([("k", "dot.1", 1000)], cost_program().encode())
        for name in ("a", "b", "c"):
            (folder / f"{name}.xplane.pb").write_bytes(data)
        (folder / "d.xplane.pb").write_bytes(gpu_profile([("k", "dot.1", 3000)], b""))
        for name, column, sums in (("hlo_stats", "total_self_time", .004),
                                   ("kernels", "total_duration_us", .004)):
            document = self.table(name, folder)
            self.assertEqual(document["properties"]["host_count"], 2, name)
            self.assertAlmostEqual(sum(row[column] for row in document["rows"]), sums)
        summary = json.loads(run("summarize", folder).stdout)
        self.assertEqual((len(summary["devices"]), len(summary["capture"]["hosts"])), (2, 2))
        said = " ".join(summary["coverage"]["warnings"])
        for name in ("b", "c"):
            self.assertIn(f"'{name}.xplane.pb' was left aside", said)
        (folder / "d.xplane.pb").unlink()
        self.assertNotIn("host_count", self.table("kernels", folder)["properties"])

    def test_memory_is_that_of_one_program(self):
        program = Program("jit_f")
        program.add("main", "p", "parameter", "f32[64,64]")
        for i in range(2000):
            program.add("main", f"dot.{i}", "dot", "f32[64,64]", ("p", "p"), contracting=(1,),
                        path=f"jit(f)/layer_{i}/dot_general", source=("net.py", i))
        proto = program.encode()
        space = b"".join(gpu_profile([("k", f"dot.{i}", 1000)], proto, program_id=i)
                         for i in range(60))
        self.path.write_bytes(space)
        facts = self.table("op_profile", self.path, "--max-memory-mb", "64")["properties"]
        self.assertEqual(facts["joined_time_share"], 1)

    def test_groups_of_collectives_are_those_of_the_program(self):
        program = Program("jit_f")
        program.add("main", "v", "parameter", "f32[256]")
        program.add("main", "all-reduce.1", "all-reduce", "f32[256]", ("v",), iota=(2, 4))
        program.add("main", "all-reduce.2", "all-reduce", "f32[256]", ("v",),
                    groups=((0, 1), (2, 3)))
        program.add("main", "reduce-scatter.3", "reduce-scatter", "f32[64]", ("v",),
                    groups=((0, 1, 2, 3),))
        self.path.write_bytes(gpu_profile(
            [("ncclDevKernel_AllReduce", "all-reduce.1", 1000),
             ("ncclDevKernel_AllReduce", "all-reduce.2", 500),
             ("ncclDevKernel_ReduceScatter", "reduce-scatter.3", 100)], program.encode()))
        rows = self.table("collectives", self.path)["rows"]
        self.assertEqual([(row["collective"], row["group_size"], row["group_count"])
                          for row in rows],
                         [("all-reduce", 4, 2), ("all-reduce", 2, 2), ("reduce-scatter", 4, 1)])
        for row, links in zip(rows, (1.5, 1, 3)):
            self.assertAlmostEqual(row["bus_bandwidth"], links * row["effective_bandwidth"])


if __name__ == "__main__":
    sys.exit(unittest.main())
