"""Bytes by the memory that they go through, as tables of ops tell them.

What: rates of HBM, CMEM and VMEM of ops whose metadata part their bytes, what bounds them then; all
bytes are HBM's where nothing parts them. What it does not do: bytes that the reader cannot
understand (ingest_memory_traffic_test.c).
"""

import unittest

import op_tables_test
import xplane_writer
from xplane_writer import (EventMetadata, field_bytes, field_varint, stat_blob, stat_double,
                           stat_int, stat_text)

GIB = 1 << 30
READ, WRITE = 1, 2
HBM, CMEM, VMEM = 1, 2, 3


def parted(*accesses):
    return b"".join(field_bytes(1, field_varint(1, operation) + field_varint(2, space) +
                                field_varint(3, size)) for operation, space, size in accesses)


def tpu_profile(parts, peaks=(), peaks_known=True):
    """An op of 1 µs with 2e8 operations and 1,000,000 bytes, twice; the peaks are 1e15 operations
    and 2e12 bytes a second, so that all bytes would bound it."""
    space = xplane_writer.Space(["t"])
    plane = space.add_plane("/device:TPU:0", 1)
    if peaks_known:
        plane.add_stat(stat_double("peak_teraflops_per_second", 1000))
        plane.add_stat(stat_double("peak_hbm_bw_gigabytes_per_second", 2000))
    for name, value in peaks:
        plane.add_stat(stat_double(f"peak_{name}_bw_gigabytes_per_second", value))
    stats = [stat_int("flops", 200_000_000), stat_int("bytes_accessed", 1_000_000),
             stat_text("hlo_category", "loop fusion")]
    if parts is not None:
        stats.append(stat_blob("memory_access_breakdown", parts))
    plane.add_event_metadata("f", EventMetadata("%fusion.1 = f32[8]{0} fusion(f32[8]{0} %p)",
                                                "fusion.1", stats=tuple(stats)))
    line = plane.add_line("XLA Ops", 1)
    for i in range(2):
        line.add_event("f", 2_000_000 * i, 1_000_000)
    return space.encode()


class Traffic(op_tables_test.ProgramCase):
    @unittest.skipUnless(op_tables_test.REAL_TPU.is_file(), "SKIPPED: no real profiles")
    def test_starts_and_ends_of_copies_have_no_bandwidth(self):
        for name in ("hlo_stats", "roofline", "framework_op_stats"):
            document = self.table(name, op_tables_test.REAL_TPU)
            told = [row["measured_memory_bw"] for row in document["rows"]]
            self.assertTrue(any(told), name)
            self.assertLess(max(value or 0 for value in told), 2000, name)  # GiB/s
            self.assertIn("copy-start", document["properties"]["bandwidth_absent"])

    @unittest.skipUnless(op_tables_test.REAL_TPU.is_file(), "SKIPPED: no real profiles")
    def test_what_moves_beside_others_is_of_no_group_s_bandwidth(self):
        """Only ends of copies have no phase; what a program's others move is all of its rate."""
        rows = {(row["grouping"], row["name"].split("(")[0]): row
                for row in self.table("op_profile", op_tables_test.REAL_TPU)["rows"]}
        none = rows["phase", "unattributed"]
        self.assertGreater(none["bytes_accessed"], 0)
        self.assertEqual((none["memory_bw"], none["hbm_utilization"]), (None, None))
        fusion, program = rows["category", "loop fusion"], rows["program", "jit_f"]
        self.assertAlmostEqual(program["memory_bw"] * program["total_self_time"],
                               fusion["memory_bw"] * fusion["total_self_time"], delta=1)

    def rows(self, table, parts, peaks=()):
        self.path.write_bytes(tpu_profile(parts, peaks))
        document = self.table(table, self.path)
        return document["rows"][-1], [gone["column"] for gone in document["absent"]]

    def test_only_what_goes_through_hbm_is_held_against_its_peak(self):
        parts = parted((READ, HBM, 60_000), (WRITE, HBM, 40_000), (READ, CMEM, 100_000),
                       (READ, VMEM, 500_000), (WRITE, VMEM, 300_000))
        row, absent = self.rows("roofline", parts)
        for column, size in (("measured_memory_bw", 1_000_000), ("hbm_bw", 100_000),
                             ("cmem_read_bw", 100_000), ("vmem_read_bw", 500_000),
                             ("vmem_write_bw", 300_000)):
            self.assertAlmostEqual(row[column], size / 1e-6 / GIB, 6, column)
        self.assertIn("cmem_write_bw", absent)
        self.assertAlmostEqual(row["max_mem_bw_utilization"], 0.05)
        self.assertAlmostEqual(row["compute_efficiency"], 0.2)
        self.assertEqual((row["bound_by"], row["operational_intensity"],
                          row["hbm_operational_intensity"]), ("Compute", 200, 2000))
        row, _ = self.rows("hlo_stats", parts)
        self.assertEqual(row["bound_by"], "Compute")
        self.assertAlmostEqual(row["hbm_bw"], 1e11 / GIB, 6)

    def test_a_memory_on_the_chip_may_bound_an_op(self):
        parts = parted((READ, HBM, 100_000), (READ, CMEM, 100_000), (READ, VMEM, 500_000),
                       (WRITE, VMEM, 300_000))
        for peaks, bound, share in (
                ((("cmem_rd", 0), ("vmem_rd", 1000), ("vmem_wr", 2000)), "VMEM Read", .5),
                ((("cmem_rd", 0), ("vmem_rd", 5000), ("vmem_wr", 400)), "VMEM Write", .75),
                ((("cmem_rd", 125), ("vmem_rd", 5000)), "CMEM Read", .8),
                ((("vmem_rd", 50_000), ("vmem_wr", 50_000)), "Compute", .05)):
            for table in ("roofline", "hlo_stats", "op_profile"):
                self.assertEqual(self.rows(table, parts, peaks)[0].get("bound_by", bound), bound)
            row, _ = self.rows("roofline", parts, peaks)
            self.assertAlmostEqual(row["max_mem_bw_utilization"], share)
            self.assertAlmostEqual(row["roofline_efficiency"], max(share, .2))
            self.assertAlmostEqual(row["optimal_flop_rate"], 200_000 / max(share, .2))

    def test_where_nothing_parts_them_all_bytes_are_hbms(self):
        for parts in (None, b"\x0a\xff\xff", parted((7, HBM, 5), (READ, 9, 5))):
            row, absent = self.rows("roofline", parts)
            self.assertEqual((row["bound_by"], row["hbm_bw"]), ("HBM", row["measured_memory_bw"]))
            self.assertAlmostEqual(row["max_mem_bw_utilization"], 0.5)
            self.assertIn("vmem_read_bw", absent)

    def test_a_share_of_a_peak_that_nobody_knows_lacks_the_peak_not_the_work(self):
        self.path.write_bytes(tpu_profile(None, peaks_known=False))
        for table in ("op_profile", "phases"):
            document = self.table(table, self.path)
            self.assertGreater(document["rows"][0]["bytes_accessed"], 0)
            reasons = {gone["column"]: gone["reason"] for gone in document["absent"]}
            for column in ("flops_utilization", "hbm_utilization"):
                self.assertIn("what the devices can do at most", reasons[column])


if __name__ == "__main__":
    unittest.main()
