"""What findings say of a device that is near what it can do at most, or waits for other cores.

What: bounds hold where work and peaks are known, and not where something else may be the bound.
"""

import json
import subprocess
import sys
import unittest

from findings_case import BINARY, FindingsCase, loads
from gpu_job import Job

import xplane_writer
from xplane_writer import EventMetadata, stat_double, stat_int, stat_text

US = 1_000_000
PEAK_FLOPS, PEAK_BYTES = 1e15, 2e12  # a second


class Core:
    """Steps of 1000 µs on a core of a TPU, whose ops do so much of what it could in that time."""

    def __init__(self, peaks=True):
        self.space = xplane_writer.Space(["t"])
        self.plane = self.space.add_plane("/device:TPU:0", 1)
        if peaks:
            self.plane.add_stat(stat_double("peak_teraflops_per_second", PEAK_FLOPS / 1e12))
            self.plane.add_stat(stat_double("peak_hbm_bw_gigabytes_per_second", PEAK_BYTES / 1e9))
        self.modules = self.plane.add_line("XLA Modules", 1)
        self.ops = self.plane.add_line("XLA Ops", 2)
        self.count = 0

    def op(self, lasts, compute=None, memory=None, category="loop fusion", opcode="fusion"):
        """The next op of each step, with the share of the step's peaks that it does."""
        stats = [stat_text("hlo_category", category)]
        if compute is not None:
            stats.append(stat_int("flops", round(compute * PEAK_FLOPS * 1e-3)))
        if memory is not None:
            stats.append(stat_int("bytes_accessed", round(memory * PEAK_BYTES * 1e-3)))
        self.count += 1
        name = f"{opcode}.{self.count}"
        self.plane.add_event_metadata(name, EventMetadata(
            f"%{name} = bf16[8]{{0}} {opcode}(bf16[8]{{0}} %p)", name, stats=tuple(stats)))
        begin = getattr(self, "end", 0)
        self.end = begin + lasts
        for step in range(6):
            self.ops.add_event(name, (1000 * step + begin) * US, lasts * US)
        return self

    def sparse(self, lasts):
        plane = self.space.add_plane("/device:TPU:0 SparseCore 0", 9)
        line = plane.add_line("Sparse Core Ops", 1)
        for step in range(6):
            line.add_event("gather", 1000 * step * US, lasts * US)
        return self

    def write(self, path):
        for step in range(6):
            self.modules.add_event("jit_step(7)", 1000 * step * US, self.end * US)
        path.write_bytes(self.space.encode())
        return path


class Roof(FindingsCase):
    """The last op ends with the last step, so that shares of steps are of all the time."""

    def rules(self, core):
        return self.found(core.write(self.folder / "core.xplane.pb"))

    def test_what_bounds_the_device_is_told(self):
        found = self.rules(Core().op(600, .72, .1).op(400, .08, .2))
        self.assertEqual(list(found), ["compute_bound"])
        self.assertEqual(found["compute_bound"]["evidence"],
                         "from the first op to the last the device does 80.0 % of the operations "
                         "that it could do, and moves 30.0 % of the bytes that its memory could")
        self.assertIsNone(found["compute_bound"]["share"])
        found = self.rules(Core().op(600, .1, .55).op(400, .2, .2))
        self.assertEqual(list(found), ["memory_bound"])
        found = self.rules(Core().op(1000, .3, .2).sparse(250))
        self.assertEqual(list(found), ["sparse_core_bound"])
        self.assertIn("a SparseCore is at work in 25.0 % of that time on average",
                      found["sparse_core_bound"]["evidence"])

    def test_what_may_be_otherwise_is_not(self):
        for core in (Core().op(1000, .6, .3),           # near neither
                     Core().op(1000, .8, .6),           # near both
                     Core(peaks=False).op(1000, .8, .3),
                     Core().op(1000, 1.2, .3),          # that cannot be
                     Core().op(500, .2, .75).op(500, None, .02, "custom-call", "custom-call"),
                     # which a profile of a TPU says to do nothing
                     Core().op(500, .2, .75).op(500, 0, 0, "custom-call", "custom-call"),
                     Core().op(600, .75, .2).op(400),   # may move anything
                     Core().op(1000, .3, .2).sparse(90),
                     Core().op(1000, .3, .7).sparse(250)):
            self.assertEqual(self.rules(core), {})

    def test_work_that_nobody_tells_makes_a_figure_a_lower_bound(self):
        """Profiles of TPUs say 0 operations of kernels of one's own (Pallas)."""
        for own, compute, share in ((0, 0, None), (300, 0, .3), (300, .1, None), (600, 0, .6)):
            core = Core().op(1000 - own, .4, .3)
            if own:
                core.op(own, compute, 0 if compute == 0 else .1, "custom-call", "custom-call")
            path = core.write(self.folder / "pallas.xplane.pb")
            document = self.table("roofline", path)
            told = document["properties"]
            self.assertAlmostEqual(told.get("work_untold_share") or 0, share or 0)
            if own > 500:
                self.assertIn("do not tell their operations", told["mfu_absent"])
                continue
            self.assertAlmostEqual(told["mfu"], .4 + compute)
            self.assertEqual(told["mfu_of"].startswith("at least: "), share is not None)

    def test_zero_of_a_custom_call_is_nothing_told(self):
        core = Core().op(300, .2, .1)
        core.op(100, 0, 0, "custom-call", "custom-call").op(50, .1, 0, "custom-call", "custom-call")
        path = core.write(self.folder / "calls.xplane.pb")
        rates = ("model_flop_rate", "measured_memory_bw", "hbm_bw", "operational_intensity")
        told = {row["hlo_op_name"]: row for row in self.table("hlo_stats", path)["rows"]}
        for column in (*rates, "normalized_flop_rate", "flops", "bytes_accessed"):
            self.assertIsNone(told["custom-call.2"][column], column)
        self.assertGreater(told["custom-call.3"]["normalized_flop_rate"], 0)
        self.assertIsNone(told["custom-call.3"]["measured_memory_bw"])
        by_name = {row["operation"]: row for row in self.table("roofline", path)["rows"]}
        for column in (*rates, "measured_flop_rate", "compute_efficiency", "roofline_efficiency"):
            self.assertIsNone(by_name["custom-call.2"][column], column)
        self.assertGreater(by_name["Program"]["compute_efficiency"], .3)
        document = self.table("op_profile", path)
        rows = {(row["grouping"], row["name"]): row for row in document["rows"]}
        calls = rows["category", "custom-call"]
        for column in ("flop_rate", "memory_bw", "flops_utilization", "hbm_utilization"):
            self.assertIsNone(calls[column], column)  # 100 of 150 µs
        self.assertAlmostEqual(calls["work_untold_share"], 100 / 150)
        whole = rows["phase", "unattributed"]  # at least that
        self.assertAlmostEqual(whole["flops_utilization"], .3 / .45, places=5)
        self.assertAlmostEqual(whole["work_untold_share"], 100 / 450)
        told = document["properties"]
        self.assertAlmostEqual(told["work_untold_share"], 100 / 450)
        self.assertAlmostEqual(told["bytes_untold_share"], 150 / 450)
        self.assertIn("at least what is told", told["untold_of"])
        said = self.run_table("op_profile", path, "--format", "text").stdout
        self.assertRegex(said, "custom-call .* 66.7 %\n")
        self.assertNotRegex(said, "custom-call .* 0.0 %")

    def test_numbers_for_people_have_units(self):
        path = Core().op(1000, .4, .3).write(self.folder / "units.xplane.pb")
        said = self.run_table("roofline", path, "--format", "text").stdout
        for words in ("peak_flop_rate +1e[+]06 GFLOP/s", "peak_hbm_bw +1863 GiB/s",
                      "hbm_ridge_point +500 flop/byte"):
            self.assertRegex(said, words)
        said = self.run_table("op_profile", path, "--format", "text").stdout
        self.assertRegex(said, "loop fusion .* 3.4 GiB")  # 6 steps of .6e9 bytes
        job = Job()
        for number in range(4):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            loads(job, 1000 * number, number)
        said = self.run_table("input_ops", job.write(self.folder / "stages.xplane.pb"),
                              "--format", "text").stdout
        self.assertRegex(said, "data_load +4 +1.560 ms ")

    def test_communication_within_a_loop_is_told_beside_the_level(self):
        """xprof takes all that a loop of a TPU holds for compute."""
        path = self.folder / "looped"
        subprocess.run([sys.executable, "tests/support/make_profile.py", "--output", str(path),
                        "--layout", "flat", "--kind", "tpu", "--devices", "2", "--slow-op",
                        "reduce-scatter=12"], check=True, capture_output=True, timeout=120)
        for table in ("overview", "input_pipeline"):
            told = self.table(table, path)["properties"]
            self.assertEqual(told["collectives_level"], "no")
            self.assertLess(told["collectives_share"], .002)
            self.assertRegex(told["collectives_statement"], "^22.* % of the step is communication "
                             "that nothing hides .the level is by xprof's 0.1 %, which takes what "
                             "a loop holds for compute")
        share, = [row["share"] for row in self.table("overview", path)["rows"]
                  if row["part"] == "collectives"]
        self.assertAlmostEqual(share, .223, places=2)

    def test_a_share_of_the_peak_that_is_not_known_has_one_reason(self):
        for core, words in ((Core(peaks=False).op(1000, .4, .3), "nothing is known of what"),
                            (Core().op(1000), "no op tells its work")):
            absent = {one["column"]: one["reason"] for one in self.table(
                "roofline", core.write(self.folder / "peaks.xplane.pb"))["absent"]}
            for column in ("roofline_efficiency", "compute_efficiency"):
                self.assertTrue(absent[column].startswith(words), absent)

    def test_peaks_that_are_stated_count_in_findings(self):
        path = Core(peaks=False).op(1000, .8, .3).write(self.folder / "stated.xplane.pb")
        stated = self.folder / "peaks.conf"
        stated.write_text(f"tflops = {PEAK_FLOPS / 1e12}\nhbm_gb_per_s = {PEAK_BYTES / 1e9}\n")
        self.assertEqual(self.found(path), {})
        rows = self.table("findings", path, "--peaks", stated)["rows"]
        self.assertEqual([row["finding"] for row in rows], ["compute_bound"])
        done = subprocess.run([BINARY, "explain", path, "--peaks", stated], capture_output=True,
                              text=True, timeout=120, check=True)
        self.assertEqual([row["finding"] for row in json.loads(done.stdout)["findings"]],
                         ["compute_bound"])

    def test_products_in_32_bits_are_told_where_nothing_tells_flops(self):
        def kernels(*names):
            def fill(job, base, number):
                for at, name in zip(range(5, 1005, 100), names):
                    job.launch(name, base + at // 100, base + at, base + at + 100)
            fill.__name__ = "products"
            return self.planted(fill, 1005)
        wide, narrow = "volta_sgemm_128x64_nn", "ampere_fp16_s16816gemm_fp16_128x64_nn"
        adds, silent = "void add_kernel<float>(float*)", "fusion"
        found = kernels(*[wide] * 3, *[adds] * 7)
        self.assertEqual(list(found), ["wide_precision"])
        self.assertEqual(found["wide_precision"]["op_name"], wide)
        self.assertIn("without an array of 16 bits or less take 29.9 % of the 1.00 ms from a step "
                      "to the next, and of what computes 0.0 % has one",
                      found["wide_precision"]["evidence"])
        path = self.folder / "products.xplane.pb"
        self.assertNotIn("wide_precision", self.table("findings", path)["properties"]
                         ["unlooked_for"])
        for names in ([wide] + [adds] * 9, [wide] * 9 + [narrow], [narrow] * 10, [adds] * 10):
            self.assertEqual(kernels(*names), {})
        self.assertEqual(kernels(*[wide] * 4, *[silent] * 6), {})
        self.assertIn("wide_precision was not looked for", self.table("findings", path)
                      ["properties"]["unlooked_for"])

    def test_waiting_for_other_cores_is_told(self):
        found = self.rules(Core().op(850, .3, .3).op(150, 0, 0, "barrier-cores", "barrier-cores"))
        self.assertEqual(list(found), ["barrier_cores"])
        self.assertEqual(found["barrier_cores"]["op_name"], "barrier-cores.2")
        self.assertIn("waiting at barriers for other cores takes 15.0 % of the 1.00 ms",
                      found["barrier_cores"]["evidence"])
        self.assertEqual(self.rules(Core().op(950, .3, .3)
                                    .op(50, 0, 0, "barrier-cores", "barrier-cores")), {})


if __name__ == "__main__":
    sys.exit(unittest.main())
