"""What devices can do at most, and what ops reach of it: `stepledger table roofline|hlo_stats`.

What: products whose name a profile does not tell are told by cores and memory, or not at all; a
rate above its peak is said to be none. What it does not do: rates and own time (op_tables_test.py).
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import trace_writer  # noqa: E402
import xplane_writer  # noqa: E402
from folder_case import FolderCase  # noqa: E402
from hlo_writer import Program  # noqa: E402
from json_schema import check_document  # noqa: E402
from xplane_writer import stat_blob, stat_int, stat_text  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
BYTES = 3 * 4 * 256  # of a run of the one op


def gpu(capability, vendor, **facts):
    """A kernel of 1 us behind one of 0.5 ns, both of the same work."""
    space = xplane_writer.Space()
    device = space.add_plane("/device:GPU:0", 1)
    device.add_stat(stat_text("device_vendor", vendor))
    device.add_stat(stat_int("compute_cap_major", capability[0]))
    device.add_stat(stat_int("compute_cap_minor", capability[1]))
    for name, value in facts.items():
        device.add_stat(stat_int(name, value))
    line = device.add_line("Stream #1(Kernel)", 1)
    program = Program("jit_f")
    program.add("main", "v", "parameter", "f32[256]")
    for at, instruction, duration in ((0, "add.1", 500), (1000, "add.2", 1000000)):
        program.add("main", instruction, "add", "f32[256]", ("v", "v"))
        line.add_event("kernel", at, duration, [
            stat_text("kernel_details", "regs:8 grid:1,1,1 block:32,1,1"),
            stat_text("hlo_op", instruction), stat_text("hlo_module", "jit_f"),
            stat_int("program_id", 7)])
    metadata = space.add_plane("/host:metadata", 2)
    metadata.add_event_metadata("f", xplane_writer.EventMetadata(
        "jit_f(7)", stats=(stat_blob("Hlo Proto", program.encode()),)))
    return space.encode()


class Peaks(FolderCase):
    def roofline(self, data, *options):
        done = subprocess.run([BINARY, "table", "roofline", self.file(data, "gpu.xplane.pb"),
                               *options], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        check_document(document, "table")
        return {row["operation"]: row for row in document["rows"]}, document["properties"]

    def test_a_product_without_a_name_is_told_by_its_cores_and_memory(self):
        _, h100 = self.roofline(gpu((9, 0), "Nvidia", core_count=132, clock_rate=1980000,
                                    memory_size=84929347584, memory_bandwidth=3352 * 10**9))
        self.assertEqual((h100["peak_flop_rate"], h100["peak_flop_rate_source"]),
                         (989e3, "the data sheet of H100, told by 132 cores and 80 GB"))
        self.assertEqual(h100["peak_hbm_bw_source"], "plane_stat")

    def test_what_has_cores_of_its_own_is_no_b200(self):
        _, rtx = self.roofline(gpu((12, 0), "Nvidia", core_count=188, clock_rate=2617000,
                                   memory_size=102000000000, memory_bandwidth=1792 * 10**9))
        self.assertEqual(rtx["device_type"], "Nvidia GPU (Blackwell RTX)")
        self.assertNotIn("peak_flop_rate", rtx)
        self.assertIn("devices can do at most", rtx["mfu_absent"])

    def test_what_amd_tells_of_its_memory_gives_way_to_what_is_published(self):
        facts = {"core_count": 304, "clock_rate": 2100000, "memory_bandwidth": 2662400000000}
        rows, told = self.roofline(gpu((9, 4), "AMD", memory_size=206141652992, **facts))
        self.assertAlmostEqual(told["peak_hbm_bw"] * 2**30, 5300e9)
        self.assertEqual(told["peak_hbm_bw_source"],
                         "the data sheet of MI300X, told by 304 cores and 192 GB")
        self.assertAlmostEqual(rows["add.2"]["max_mem_bw_utilization"], BYTES * 1e6 / 5300e9)

    def test_a_rate_above_its_peak_is_said_to_be_none(self):
        data = gpu((9, 0), "Nvidia", core_count=132, clock_rate=1980000,
                   memory_size=84929347584, memory_bandwidth=3352 * 10**9)
        rows, facts = self.roofline(data)
        self.assertGreater(rows["add.1"]["max_mem_bw_utilization"], 1)
        self.assertLess(rows["add.2"]["max_mem_bw_utilization"], 1)
        self.assertEqual(facts["ops_above_peak_hbm_bw"], 1)
        self.assertIn("more than 100 % cannot be", facts["ops_above_peak_hbm_bw_why"])
        self.assertNotIn("ops_above_peak_flop_rate", facts)
        low = self.folder / "low.conf"
        low.write_text("tflops = 0.001\nhbm_gb_per_s = 100000\n")
        _, facts = self.roofline(data, "--peaks", low)
        self.assertEqual(facts["ops_above_peak_flop_rate"], 1)
        self.assertNotIn("ops_above_peak_hbm_bw", facts)
        self.assertIn("bf16", facts["ops_above_peak_flop_rate_why"])

    def test_who_says_more_of_a_device_than_the_trace_does_not_contradict_it(self):
        trace = trace_writer.Trace()
        trace.process(3, "/device:TPU:0")
        trace.thread(3, 1, "XLA Ops")
        trace.event((3, 1), "fusion.1", 0, 100, {"model_flops": "1000", "hlo_category": "fusion"})
        path = self.file(trace.encode(), "perfetto_trace.json.gz")
        self.assertEqual(self.summarized(path)["device_type"], "TPU")
        told = self.summarized(path, "--meta", "device_type=TPU v6e")
        self.assertEqual(told["device_type"], "TPU v6e")
        self.assertEqual([fact["value"] for fact in told["facts"]
                          if fact["name"] == "device_type"], ["TPU v6e"])
        for other in ("GPU", "TPUs", "T"):
            done = subprocess.run([BINARY, "summarize", str(path), "--meta",
                                   f"device_type={other}"], capture_output=True, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("contradicts the profile, which says 'TPU'", done.stderr)

    def summarized(self, path, *options):
        done = subprocess.run([BINARY, "summarize", str(path), *options], capture_output=True,
                              text=True, timeout=120, check=True)
        return json.loads(done.stdout)["environment"]


if __name__ == "__main__":
    unittest.main()
