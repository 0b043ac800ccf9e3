"""Tables that are made of what a whole profile tells: `stepledger table`.

What: the peaks of allocators, from files whose every event is known and from real ones beside which
xprof stored its own figures ($STEPLEDGER_SHARED).
"""

import gzip
import json
import sys
import unittest

from table_test import SHARED, STORED, TableCase

import xplane_writer


def allocation(name, *, heap, free, stack=0, peak=0, fragmentation=0.0, allocator="GPU_0_bfc"):
    """An event of an allocator, and what it says."""
    sizes = {"bytes_reserved": stack, "bytes_allocated": heap, "bytes_available": free,
             "peak_bytes_in_use": peak, "requested_bytes": 4, "allocation_bytes": 256}
    stats = [xplane_writer.stat_int(stat, size) for stat, size in sizes.items()]
    stats.append(xplane_writer.stat_double("fragmentation", fragmentation))
    named = (xplane_writer.stat_int("index_on_host", allocator) if isinstance(allocator, int) else
             xplane_writer.stat_ref("allocator_name", allocator))
    return name, stats + [named]


class Memory(TableCase):
    def write(self, name, events):
        """events: (line, ns, allocation)."""
        space = xplane_writer.Space(["worker-0"])
        plane = space.add_plane("/host:CPU", 1)
        lines = [plane.add_line(f"thread {i}", 10 + i, 1000) for i in range(2)]
        lines[0].add_event("something else", 0, 7, [xplane_writer.stat_int("bytes_allocated", 9)])
        for line, at, (event, stats) in events:
            lines[line].add_event(event, at * 1000, 0, stats)
        path = self.folder / name
        path.write_bytes(space.encode())
        return path

    def test_a_peak_is_where_stack_and_heap_are_most(self):
        path = self.write("peaks.xplane.pb", [
            (0, 50, allocation("MemoryDeallocation", heap=10, free=90, peak=120)),
            (0, 20, allocation("MemoryAllocation", heap=60, stack=5, free=35, peak=110,
                               fragmentation=.25)),
            (1, 30, allocation("MemoryAllocation", heap=50, stack=15, free=31, peak=115,
                               fragmentation=.5)),
            (1, 10, allocation("MemoryAllocation", heap=1, free=1, allocator=3)),
        ])
        document = self.table("memory", path)
        first, second = document["rows"]
        self.assertEqual(first, {
            "allocator": "GPU_0_bfc", "host": "worker-0", "peak_bytes_lifetime": 120,
            "peak_bytes_in_use": 65, "heap": 50, "stack": 15, "free": 31, "fragmentation": .5,
            "capacity": 96, "peak_time_us": .03, "allocations": 2, "deallocations": 1})
        self.assertEqual((second["allocator"], second["peak_bytes_in_use"]), ("3", 1))
        times = self.table("memory_timeline", path)["rows"]
        self.assertEqual([(row["allocator"], row["time_us"], row["activity"], row["heap"])
                          for row in times],
                         [("GPU_0_bfc", .02, "allocate", 60), ("GPU_0_bfc", .03, "allocate", 50),
                          ("GPU_0_bfc", .05, "free", 10), ("3", .01, "allocate", 1)])

    def test_what_an_event_does_not_say_is_not_zero(self):
        path = self.write("silent.xplane.pb", [
            (0, 5, ("MemoryAllocation", [xplane_writer.stat_text("allocator_name", "a")]))])
        (row,) = self.table("memory", path)["rows"]
        self.assertEqual({column: row[column] for column in ("peak_bytes_in_use", "capacity",
                                                             "peak_bytes_lifetime", "free")},
                         dict.fromkeys(("peak_bytes_in_use", "capacity", "peak_bytes_lifetime",
                                        "free")))

    def test_a_profile_without_allocators_says_so(self):
        self.assertIn("MemoryAllocation", self.refused(65, "memory", self.folder / "gpu"))


@unittest.skipUnless(STORED.is_dir(), f"SKIPPED: no real tables in {STORED}")
class RealTables(TableCase):
    def captures(self, suffix):
        for stored in sorted(STORED.glob(f"*{suffix}")):
            capture = SHARED / "profiles/xplane" / (stored.name.removesuffix(suffix) + ".xplane.pb")
            if capture.exists():
                yield stored, capture

    def test_memory_equals_what_xprof_stored_beside_the_capture(self):
        compared = 0
        for stored, capture in self.captures(".memory_profile.json.gz"):
            with gzip.open(stored) as file:
                expected = json.load(file)["memoryProfilePerAllocator"]
            rows = {row["allocator"]: row for row in self.table("memory", capture)["rows"]}
            self.assertEqual(sorted(rows), sorted(expected))
            for allocator, profile in expected.items():
                row, summary = rows[allocator], profile["profileSummary"]
                peak = summary["peakStats"]
                self.assertEqual(
                    {"peak_bytes_lifetime": int(summary["peakBytesUsageLifetime"]),
                     "capacity": int(summary["memoryCapacity"]),
                     "peak_time_us": int(summary["peakStatsTimePs"]) / 1e6,
                     "stack": int(peak["stackReservedBytes"]),
                     "heap": int(peak["heapAllocatedBytes"]),
                     "free": int(peak["freeMemoryBytes"]),
                     "peak_bytes_in_use": int(peak["peakBytesInUse"])},
                    {column: row[column] for column in
                     ("peak_bytes_lifetime", "capacity", "peak_time_us", "stack", "heap", "free",
                      "peak_bytes_in_use")})
                self.assertAlmostEqual(row["fragmentation"], float(peak["fragmentation"]), 6)
                self.assertEqual(row["allocations"] + row["deallocations"],
                                 len(profile["memoryProfileSnapshots"]))
                compared += 1
        self.assertGreaterEqual(compared, 16)


if __name__ == "__main__":
    sys.exit(unittest.main())
