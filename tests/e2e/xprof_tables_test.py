"""Tables that xprof made of a profile: `summarize --xprof-tables`, and such files by themselves.

What: what they tell of a profile that is gone, and in place of what beside one that is there, as
the reference merges them, and whether they are of that one; every form of them, as it is made here;
what is broken or of several hosts. Real ones are in xprof_real_test.py.
"""

import gzip
import json
import shutil
import subprocess
import sys
import unittest

import table_test
from table_test import BINARY

import xprof_writer as xprof
from gpu_job import Job

STEPS = [["0", 8, 1, .5, .25, 10], ["1", 8, 1, .5, .25, 10], ["2", 4, 1, 0, 0, 5],
         ["3", 8, 1, .5, .25, 10], ["4", 16, 1, .5, .25, 20]]
KERNELS = [["gemm_kernel", 4, 300.5], ["ncclDevKernel_AllReduce_Sum", 2, 100], ["add", 8, 99.5]]


class XprofCase(table_test.TableCase):
    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content)
        else:
            path.write_bytes(content)
        return path

    def exported(self, name):
        self.write(f"{name}/overview_page.json", xprof.overview_json(STEPS, {"x": "1"}))
        self.write(f"{name}/kernel_stats.json", xprof.kernels_json(KERNELS))
        self.write(f"{name}/notes.txt", "no table")
        return self.folder / name

    def run_summarize(self, *arguments):
        return subprocess.run([BINARY, "summarize", "--warmup-steps", "1", *map(str, arguments)],
                              capture_output=True, text=True, timeout=120, check=False)

    def run_command(self, *arguments):
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def summary(self, *arguments):
        done = self.run_summarize(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def fails(self, *arguments):
        done = self.run_summarize(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done.stderr


class Alone(XprofCase):
    def test_a_profile_that_is_gone_is_what_its_tables_tell(self):
        folder = self.exported("alone")
        document = self.summary("--xprof-tables", folder)
        self.assertEqual(document["source_format"], "xplane_pb_xprof_tables")
        steps = document["step_time"]
        self.assertEqual((steps["all_steps"]["count"], steps["all_steps"]["mean"]), (5, 11000))
        self.assertEqual((steps["steady_state_steps"]["count"],
                          steps["steady_state_steps"]["median"]), (4, 10000))
        self.assertEqual([(one["name"], one["count"], one["representative_step"],
                           one["periodicity"]) for one in steps["classes"]],
                         [("light", 3, 1, 1), ("heavy", 1, 4, None)])
        parts = document["time_breakdown"]
        self.assertEqual((parts["duration_basis"], parts["total_duration"]),
                         ("xprof_overview_step_time_us", 55000))
        self.assertEqual({part: parts[part]["total_duration"] for part in
                          ("compute", "communication", "host", "stall", "other")},
                         {"compute": 44000, "communication": 5000, "host": 2000, "stall": 1000,
                          "other": 3000})
        self.assertEqual([(op["name"], op["count"], op["exclusive_duration"], op["category"])
                          for op in document["hot_ops"]],
                         [("gemm_kernel", 4, 300.5, "compute"),
                          ("ncclDevKernel_AllReduce_Sum", 2, 100, "communication"),
                          ("add", 8, 99.5, "compute")])
        self.assertEqual([(op["collective"], op["count"], op["total_duration"])
                          for op in document["communication_ops"]], [("all-reduce", 2, 100)])
        overview = document["trace_overview"]
        self.assertEqual((overview["duration_basis"], overview["num_complete_events"],
                          overview["num_events_total"]), ("xprof_aggregate_tables", 3, 10))
        self.assertIn("xprof bottleneck: device.", overview["quality_warnings"])
        said = " ".join(document["coverage"]["warnings"])
        self.assertIn("kernel_stats.json, overview_page.json", said)
        self.assertIn("without the profile", said)
        self.assertEqual((document["steps"]["rows"], document["devices"]), ([], []))

    def test_tables_without_times_of_steps_explain_nothing(self):
        (self.exported("gone") / "overview_page.json").unlink()
        done = subprocess.run([BINARY, "explain", str(self.folder / "gone")], timeout=120,
                              capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr, r"made \(kernel_stats.json\), and none of them tells")

    def test_a_folder_of_tables_needs_no_option(self):
        folder = self.exported("plain")
        same = self.summary("--xprof-tables", folder)
        for arguments in ([folder], ["--profile-dir", folder]):
            other = self.summary(*arguments)
            self.assertEqual(other["hot_ops"], same["hot_ops"])
            self.assertEqual(other["step_time"], same["step_time"])

    def test_stored_tables_tell_the_same(self):
        self.write("stored/h.kernel_stats.pb", xprof.kernel_stats(
            [("gemm_kernel", 4, 300500, 70000, 80000), ("add", 8, 99500, 12000, 13000)]))
        self.write("stored/h.overview_page.pb", xprof.overview_page(
            [(7, {2: 10.0, 3: .25, 6: 8.0, 11: .5, 12: .125, 13: 1.0})]))
        document = self.summary(self.folder / "stored")
        self.assertEqual([op["total_duration"] for op in document["hot_ops"]], [300.5, 99.5])
        self.assertEqual(document["step_time"]["all_steps"]["max"], 10000)
        self.assertEqual(document["time_breakdown"]["host"]["total_duration"], 625)
        self.assertIn("xprof statement: It talks.",
                      document["trace_overview"]["quality_warnings"])
        (first, _) = self.table("kernels", self.folder / "stored")["rows"]
        self.assertEqual(
            {name: first[name] for name in ("kernel_name", "grid_dim", "registers_per_thread",
                                            "shmem_bytes", "occupancy_pct", "occurrences",
                                            "min_duration_us", "max_duration_us", "op_name")},
            {"kernel_name": "gemm_kernel", "grid_dim": "128,1,1", "registers_per_thread": 32,
             "shmem_bytes": 15, "occupancy_pct": 50, "occurrences": 4, "min_duration_us": 70,
             "max_duration_us": 80, "op_name": "jit(f)/dot"})
        (step,) = self.table("steps", self.folder / "stored")["rows"]
        self.assertEqual((step["step"], step["step_time_us"], step["input_us"], step["idle_us"]),
                         (7, 10000, 625, 250))

    def test_a_kernel_whose_launch_nobody_told_has_none(self):
        """Older versions of xprof store no registers, and 1,1,1 for what they do not know."""
        path = self.write("h.kernel_stats.pb",
                          xprof.kernel_stats([("gemm", 4, 300500, 70000, 80000)], launched=False))
        untold = {"grid_dim", "block_dim", "registers_per_thread", "shmem_bytes", "occupancy_pct"}
        document = self.table("kernels", path)
        self.assertEqual({one["column"] for one in document["absent"]}, untold)
        [row] = document["rows"]
        self.assertEqual({row[column] for column in untold}, {None})
        self.assertEqual((row["occurrences"], row["min_duration_us"]), (4, 70))
        # What a table in JSON has no column of is no 0, either.
        document = self.table("kernels", self.exported("plain"))
        self.assertLess(untold | {"min_duration_us", "max_duration_us"},
                        {one["column"] for one in document["absent"]})
        self.assertEqual([(row["occurrences"], row["avg_duration_us"], row["max_duration_us"])
                          for row in document["rows"]],
                         [(4, 75.125, None), (2, 50, None), (8, 12.4375, None)])

    def test_a_choice_of_snapshots_counts_no_allocations(self):
        """xprof keeps 1000 of them where there are more."""
        for count in (999, 1000):
            snapshots = [{"timeOffsetPs": str(1000 * at), "activityMetadata":
                          {"memoryActivity": "DEALLOCATION" if at % 3 == 0 else "ALLOCATION"},
                          "aggregationStats": {"heapAllocatedBytes": str(at)}}
                         for at in range(count)]
            document = self.table("memory", self.write("memory_profile.json", json.dumps(
                {"memoryProfilePerAllocator": {"0": {"sampledTimelineSnapshots": snapshots}}})))
            [row] = document["rows"]
            self.assertEqual(row["peak_bytes_in_use"], count - 1)
            self.assertEqual((row["allocations"], row["deallocations"]),
                             (666, 333) if count == 999 else (None, None))
            self.assertEqual([one["column"] for one in document["absent"]],
                             ["host"] + (["allocations", "deallocations"] if count > 999 else []))

    def test_ops_of_op_stats_are_those_of_tables_and_summary(self):
        ops = [{"name": "fusion.1", "self_ps": 6000000, "count": 3, "bytes": 1200, "flops": 2400.0,
                "program": 5, "path": "jit(step)/transpose(jvp(f))/dot_general:",
                "expression": "%fusion.1 = f32[8,8]{1,0} fusion(f32[8,8] %p0), kind=kLoop"},
               {"name": "copy.2", "self_ps": 2000000, "count": 1, "category": "data formatting"},
               {"name": "IDLE", "self_ps": 9000000, "count": 0, "category": "IDLE"}]
        path = self.write("a.op_stats_v2.pb", xprof.op_stats(
            ops, {5: "jit_step"}, xprof.kernel_stats([("k", 1, 9, 9, 9)])))
        rows = {(row["grouping"], row["name"]): row
                for row in self.table("op_profile", path)["rows"]}
        self.assertEqual(rows["category", "loop fusion"]["total_self_time"], 6)
        self.assertEqual(rows["category", "loop fusion"]["self_time_share"], .75)
        self.assertEqual(rows["program", "jit_step(5)"]["occurrences"], 3)
        self.assertEqual(rows["phase", "backward"]["flops"], 2400)
        self.assertNotIn(("category", "IDLE"), rows)
        document = self.table("roofline", path)
        self.assertEqual(document["properties"]["peak_flop_rate"], 989000)
        self.assertEqual(document["properties"]["device_count"], 2)
        for absent in ("busy_time_us", "idle_time_us", "mfu"):
            self.assertIsNone(document["properties"].get(absent), absent)
        self.assertEqual([row["total_time"] for row in document["rows"]], [None, 6, 2])
        summary = self.summary(path)
        self.assertEqual([(op["name"], op["self_us"], op["program"]) for op in summary["ops"]],
                         [("fusion.1", 6, "jit_step"), ("copy.2", 2, None)])
        self.assertEqual(summary["environment"]["device_type"], "Nvidia GPU (Hopper)")
        kept = self.write("kept.json", json.dumps(summary))
        self.assertEqual(len(self.table("hlo_stats", kept)["rows"]), 2)

    def test_ops_of_several_programs_that_share_a_name_are_told_apart(self):
        ops = [{"name": "fft.0", "self_ps": ps, "count": count, "program": program,
                "category": "fft", "path": f"jit({name})/jit(fft)/fft:"}
               for name, program, ps, count in (("f", 7, 5000000, 5), ("g", 8, 3000000, 3),
                                                ("g", 9, 1000000, 1), ("h", 2 ** 64 - 1, 70, 7))]
        path = self.write("apart.op_stats_v2.pb", xprof.op_stats(
            ops, {7: "jit_f", 8: "jit_g", 9: "jit_g", 2 ** 64 - 1: "jit_h"}))
        rows = self.table("hlo_stats", path)["rows"]
        self.assertEqual([(row["program"], row["program_id"], row["total_self_time"],
                           row["occurrences"]) for row in rows],
                         [("jit_f", "7", 5, 5), ("jit_g", "8", 3, 3), ("jit_g", "9", 1, 1),
                          ("jit_h", str(2 ** 64 - 1), .00007, 7)])
        profile = {row["name"]: row["total_self_time"]
                   for row in self.table("op_profile", path)["rows"]
                   if row["grouping"] == "program"}
        self.assertEqual(profile, {"jit_f(7)": 5, "jit_g(8)": 3, "jit_g(9)": 1,
                                   f"jit_h({2 ** 64 - 1})": .00007})
        summary = self.summary(path)
        self.assertEqual([(op["program"], op["self_us"], op["count"]) for op in summary["ops"]],
                         [("jit_f", 5, 5), ("jit_g", 4, 4), ("jit_h", .00007, 7)])
        self.assertEqual(len({op["signature"] for op in summary["ops"]}), 3)

    def test_steps_of_a_page_are_explained(self):
        path = self.write("steps/overview_page.json", xprof.overview_json(STEPS))
        told = json.loads(self.run_command("explain", path, "--format", "json").stdout)
        self.assertEqual((told["step_count"], told["step_us"]), (5, 11000))
        self.assertEqual({part["name"]: part["average_us"] for part in told["parts"]},
                         {"compute": 8800, "collectives": 1000, "input_wait": 400, "idle": 200})
        self.assertEqual(told["residual_us"], 600)  # which no column of this page tells
        self.assertEqual([told[name] for name in ("period_us", "device_count", "host_count")],
                         [None] * 3)  # which the page does not tell either
        said = self.run_command("explain", path, "--format", "text").stdout
        self.assertNotIn("host", said.splitlines()[0])
        self.assertNotIn("device", said.splitlines()[0])
        self.assertEqual([finding["finding"] for finding in told["findings"]], ["slow_steps"])
        said = " ".join(told["unseen"])
        for words in ("all there is of the profile", "kernel_launch: ", "host_to_device: xprof"):
            self.assertIn(words, said)
        overview = self.table("overview", path)
        self.assertIn("self_time_us", [one["column"] for one in overview["absent"]])
        self.assertIn("nothing tells an op", overview["properties"]["compute_bits_absent"])
        self.assertEqual(overview["properties"]["step_time_us_max"], 20000)
        self.assertEqual(overview["properties"]["collectives_level"], "moderate")
        pipeline = self.table("input_pipeline", path)
        self.assertEqual([row["input_us"] for row in pipeline["rows"]], [500, 500, 0, 500, 500])

    def test_a_page_tells_what_devices_wait_for(self):
        for name, parts, words in (("input", {11: 3.0}, "for input"),
                                   ("launches", {9: 3.0}, "for launches"),
                                   ("idle", {3: 3.0}, "nothing says for what"),
                                   ("busy", {}, None)):
            path = self.write(f"{name}/h.overview_page.pb", xprof.overview_page(
                [(number, {2: 10.0, 6: 10.0 - sum(parts.values()), **parts})
                 for number in range(4)]))
            rows = self.table("findings", path)["rows"]
            self.assertEqual([row["finding"] for row in rows], ["host_stall"] if words else [])
            told = json.loads(self.run_command("explain", path, "--format", "json").stdout)
            self.assertEqual([row["finding"] for row in told["findings"]],
                             [row["finding"] for row in rows])
            for row in rows:
                self.assertAlmostEqual(row["share"], .3)
                self.assertIn(words, row["evidence"])

    def test_what_tables_do_not_tell_is_said(self):
        folder = self.exported("silent")
        self.assertIn("op_stats", self.refused(65, "hlo_stats", folder))
        self.assertIn("memory_profile", self.refused(65, "memory", folder))
        self.assertIn("*.xplane.pb", self.refused(65, "phases", folder))
        path = self.write("tpu.overview_page.pb", xprof.overview_page(
            [(1, {2: 3.0})], kind="PerTpuStepDetails"))
        said = " ".join(self.summary(path)["coverage"]["warnings"])
        self.assertIn("breakdown that is not read", said)
        self.assertIn("No table tells the time of steps", said)

    def test_what_is_broken_or_of_several_hosts_fails(self):
        stats = xprof.kernel_stats([("gemm_kernel", 4, 300500, 70000, 80000)])
        for name, content, wanted in (
                ("cut.kernel_stats.pb", stats[:-1], "'{}': byte"),
                ("bad.json", "{\"cols\": [}", "{}"),
                ("bad.memory_profile.json.gz",
                 gzip.compress(b'{"memoryProfilePerAllocator": {}}' + b" " * 9999)[:-9],
                 "{}' is cut off")):
            path = self.write(name, content)
            self.assertIn(wanted.format(path), self.fails(path))
        for host in ("a", "b"):
            self.write(f"hosts/{host}.kernel_stats.pb", stats)
        self.assertIn("of different hosts", self.fails("--xprof-tables", self.folder / "hosts"))
        self.write("hosts/ALL_HOSTS.kernel_stats.pb", stats * 2)
        self.assertEqual(len(self.summary("--xprof-tables", self.folder / "hosts")["hot_ops"]), 2)
        (self.folder / "empty").mkdir()
        self.assertIn("holds no table", self.fails("--xprof-tables", self.folder / "empty"))
        self.assertIn("cannot search", self.fails("--xprof-tables", self.folder / "nowhere"))


class Beside(XprofCase):
    def test_tables_take_the_place_of_what_they_tell(self):
        folder = self.exported("beside")
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        plain, merged = self.summary(profile), self.summary(profile, "--xprof-tables", folder)
        alone = self.summary("--xprof-tables", folder)
        for member in ("step_time", "time_breakdown", "communication_ops"):
            self.assertEqual(merged[member], alone[member])
            self.assertNotEqual(plain[member], alone[member])
        for member in ("gap_before_ops", "hierarchical_regions", "steps", "devices", "ops",
                       "run_metadata", "trace_provenance"):
            self.assertEqual(merged[member], plain[member])
        names = [op["name"] for op in merged["hot_ops"]]
        self.assertEqual(len(names), len(set(names)))
        everything = self.summary(profile, "--xprof-tables", folder, "--hot-op-limit", "999")
        self.assertLessEqual({"gemm_kernel", "add"},
                             {op["name"] for op in everything["hot_ops"]})
        self.assertEqual(sorted(op["exclusive_duration"] for op in merged["hot_ops"])[::-1],
                         [op["exclusive_duration"] for op in merged["hot_ops"]])
        self.assertEqual(merged["trace_overview"]["duration_basis"],
                         plain["trace_overview"]["duration_basis"] + "+xprof_aggregate_tables")
        self.assertEqual(
            [said for said in merged["trace_overview"]["quality_warnings"]
             if said not in plain["trace_overview"]["quality_warnings"]],
            ["xprof bottleneck: device.",
             "Step timing was augmented from xprof overview aggregate tables.",
             "Kernel hotspot rows from xprof aggregate tables were merged into hot_ops.",
             "Collective timing was augmented from xprof kernel aggregate tables."])
        limited = self.summary(profile, "--xprof-tables", folder, "--hot-op-limit", "3")
        self.assertEqual(len(limited["hot_ops"]), 3)

    def test_tables_of_another_profile_are_not_put_in_without_a_word(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        own = self.summary(profile, "--hot-op-limit", "5")
        kernels = [[op["name"], op["count"], op["total_duration"]] for op in own["hot_ops"]]
        times = [step["max_us"] / 1e3 for step in own["steps"]["rows"]]
        other = "Give --xprof-tables the folder of the tables that were made of this profile."
        for name, count, kernel, step, wanted in (
                ("same", 0, 1, 1, []), ("slower", 0, 1.01, 1, ["kernels"]),
                ("longer", 0, 1, 1.02, ["steps"]), ("oftener", 1, 1, 1, ["kernels"]),
                ("both", 0, .9, .9, ["kernels", "steps"])):
            pages = {"kernel_stats.json": xprof.kernels_json(
                         [[op, often + count, us * kernel] for op, often, us in kernels]),
                     "overview_page.json": xprof.overview_json(
                         [[str(at), 0, 0, 0, 0, ms * step] for at, ms in enumerate(times)])}
            for page, content in pages.items():
                self.write(f"{name}/{page}", content)
            arguments = (profile, "--xprof-tables", self.folder / name)
            done = self.run_summarize(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = json.loads(done.stdout)["coverage"]["warnings"]
            doubts = [one for one in said if str(profile) in one]
            self.assertEqual([one.split()[1] for one in doubts], wanted, doubts)
            for doubt, page in zip(doubts, wanted):
                file = {"kernels": "kernel_stats", "steps": "overview_page"}[page] + ".json"
                self.assertIn(str(self.folder / name / file), doubt)
            self.assertEqual(any(other in one for one in said), bool(wanted))
            self.assertEqual("event=input_warning" in done.stderr, bool(wanted), done.stderr)
            if wanted:
                self.assertIn(other, self.fails(*arguments, "--strict-input"))
            else:
                self.assertEqual(self.run_summarize(*arguments, "--strict-input").returncode, 0)

    def test_tables_of_another_device_or_other_kernels_are_told(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        path = self.write("of-tpu/a.op_stats_v2.pb", xprof.op_stats(
            [{"name": "fusion.1", "self_ps": 6000000, "count": 3}], {},
            xprof.kernel_stats([("k", 1, 9, 9, 9)]), device_type="TPU v5e"))
        doubts = [one for one in self.summary(profile, "--xprof-tables",
                                              path.parent)["coverage"]["warnings"]
                  if str(profile) in one]
        self.assertIn("of a device 'TPU v5e'", doubts[0])
        self.assertIn("none of", doubts[1])
        self.assertEqual(len(doubts), 2)
        self.write("silent/hlo_stats.json", json.dumps(xprof.table(("hlo_op_name",), [["add"]])))
        empty = self.write("empty.xplane.pb", b"\x0a\x04\x12\x02/h")
        for folder, wanted in (("silent", 0), ("unsure", 1)):
            self.exported("unsure")
            summary = self.summary(empty, "--xprof-tables", self.folder / folder)
            self.assertEqual(sum("cannot be told" in one
                                 for one in summary["coverage"]["warnings"]), wanted, folder)

    def test_tables_that_are_made_here_are_read_as_xprofs_are(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        folder = self.folder / "made" / "here"
        merged = self.summary("--xplane-file", profile, "--xplane-output-dir", folder,
                              "--xplane-count-trace-events")
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["framework_op_stats.json", "hlo_stats.json",
                          "input_pipeline_analyzer.json", "kernel_stats.json",
                          "op_profile.json", "overview_page.json", "roofline_model.json"])
        again = self.summary(profile, "--xprof-tables", folder, "--strict-input")
        for member in ("step_time", "time_breakdown", "communication_ops", "hot_ops",
                       "semantic_families", "optimization_candidates"):
            self.assertEqual(merged[member], again[member], member)
        self.assertEqual(merged["time_breakdown"]["duration_basis"], "xprof_overview_step_time_us")
        plain = self.summary(profile)
        self.assertEqual(merged["step_time"]["all_steps"]["count"],
                         plain["step_time"]["all_steps"]["count"])
        top, page, *others = json.loads((folder / "overview_page.json").read_text())
        self.assertEqual([table["cols"][0]["id"] for table in others],
                         ["host_id", "tip_type", "severity"])
        self.assertEqual([column["id"] for column in top["cols"]][:4],
                         ["selfTimePercent", "cumulativeTimePercent", "category", "operation"])
        self.assertEqual(json.loads((folder / "input_pipeline_analyzer.json").read_text())[0], page)
        ids = [column["id"] for column in page["cols"]]
        for row in page["rows"]:
            cells = {name: cell["v"] for name, cell in zip(ids, row["c"])}
            parts = sum(value for name, value in cells.items()
                        if name not in ("stepnum", "stepTimeMs"))
            self.assertAlmostEqual(parts, cells["stepTimeMs"], 9)
        tpu = self.folder / "made" / "tpu"
        self.summary(next((self.folder / "tpu").rglob("*.xplane.pb")), "--xplane-output-dir", tpu)
        self.assertNotIn("overview_page.json", [path.name for path in tpu.iterdir()])
        done = self.run_summarize(profile, "--xplane-output-dir", folder, "--xprof-tables", folder)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_several_files_have_no_tables(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        shutil.copytree(self.folder / "gpu", self.folder / "two")
        (copy,) = (self.folder / "two").rglob("*.xplane.pb")
        shutil.copy(copy, copy.with_name("other.xplane.pb"))
        self.assertIn("2 files", self.fails(self.folder / "two", "--xprof-tables",
                                            self.exported("for-two")))
        self.assertEqual(self.summary(profile)["source_format"], "xplane_pb")


class RoundTrip(XprofCase):
    """Tables that are written in xprof's layout, and read where they are all that is left."""

    def same(self, name, own, folder):
        before, after = self.table(name, own), self.table(name, folder)
        self.assertEqual(len(before["rows"]), len(after["rows"]), name)
        for mine, theirs in zip(before["rows"], after["rows"]):
            for column, value in mine.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(theirs[column], value, 6, (name, column))
                elif (name, column) != ("memory", "host"):
                    self.assertEqual(theirs[column], value, (name, column))
        units = [{column["id"]: column["unit"] for column in one["columns"]}
                 for one in (before, after)]
        self.assertEqual(units[0], units[1], name)

    def test_tables_that_were_written_are_read_with_their_numbers_and_units(self):
        job = Job()
        for number in range(4):
            base = 1000 * number
            job.annotate(number, base, base + 900)
            job.launch("gemm", base, base + 5, base + 900)
            job.launch("MemcpyD2H", base + 4, base + 900, base + 950)
        made = job.write(self.folder / "made.xplane.pb")
        read = 0
        for profile in (made, *(next((self.folder / kind).rglob("*.xplane.pb"))
                                for kind in ("gpu", "tpu"))):
            for name in ("kernels", "hlo_stats", "framework_op_stats", "roofline", "top_ops",
                         "input_ops", "memory", "overview_page"):
                if self.run_table(name, profile).returncode == 65:
                    continue
                told = self.run_command("table", name, profile, "--format", "xprof").stdout
                path = self.write(f"trip/{profile.stem}/{name}/{name}.json", told)
                self.same(name, profile, path)
                read += 1
        self.assertGreaterEqual(read, 18)

    def test_a_page_of_ours_keeps_what_nothing_told(self):
        job = Job()
        for number in range(4):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            job.launch("gemm", 1000 * number, 1000 * number + 5, 1000 * number + 900)
        profile = job.write(self.folder / "untold.xplane.pb")
        page = self.run_command("table", "overview_page", profile, "--format", "xprof").stdout
        path = self.write("untold/overview_page.json", page)
        for name in ("overview", "input_pipeline"):
            told, own = [self.table(name, one) for one in (path, profile)]
            self.assertIn("no event tells that the host waits for input",
                          json.dumps(told["properties"]) + json.dumps(told["rows"]), name)
            self.assertEqual(told["properties"]["input_share"], own["properties"]["input_share"])
        parts = {row["part"]: row for row in self.table("overview", path)["rows"]}
        self.assertIsNone(parts["input_wait"]["average_us"])

    def test_answers_of_two_tables_have_both(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        own = self.table("framework_op_stats", profile)
        idle, plain = json.loads(self.run_command("table", "framework_op_stats", profile,
                                                  "--format", "xprof").stdout)
        ids = [column["id"] for column in plain["cols"]]
        with_idle, without = [[dict(zip(ids, (cell["v"] for cell in row["c"])))
                               for row in table["rows"]] for table in (idle, plain)]
        self.assertEqual(len(with_idle), len(without) + 1)
        [waiting] = [row for row in with_idle if row["operation"] == "IDLE"]
        self.assertEqual(waiting["total_self_time"], own["properties"]["idle_time_us"])
        whole = own["properties"]["idle_time_us"] + own["properties"]["self_time_us"]
        self.assertEqual([row["rank"] for row in with_idle],
                         list(range(1, len(with_idle) + 1)))
        times = [row["total_self_time"] for row in with_idle]
        self.assertEqual(times, sorted(times, reverse=True))
        for row in with_idle:
            self.assertAlmostEqual(row["device_total_self_time_percent"],
                                   row["total_self_time"] / whole)
        self.assertAlmostEqual(with_idle[-1]["device_cumulative_total_self_time_percent"], 1)
        roofline, doubts = json.loads(self.run_command("table", "roofline", profile,
                                                       "--format", "xprof").stdout)
        self.assertEqual(len(roofline["rows"]), len(self.table("roofline", profile)["rows"]))
        self.assertEqual([row["c"][1]["v"].split(":")[0] for row in doubts["rows"]],
                         [one["column"] for one in self.table("roofline", profile)["absent"]])


if __name__ == "__main__":
    sys.exit(unittest.main())
