"""Tables that xprof itself stored or exported, of $STEPLEDGER_SHARED.

What: they tell what the profiles beside them do; they are of those and of no others; what we write
equals them; each is read, or named.
"""

import collections
import gzip
import json
import pathlib
import sys
import unittest

from table_test import SHARED, STORED
from xprof_tables_test import XprofCase


@unittest.skipUnless(STORED.is_dir(), f"SKIPPED: no real tables in {STORED}")
class Real(XprofCase):
    def captures(self, tool):
        for stored in sorted(STORED.glob(f"*.{tool}")):
            capture = SHARED / "profiles/xplane" / (stored.name.removesuffix(tool) + "xplane.pb")
            if capture.exists():
                yield stored, capture

    def test_real_tables_are_of_their_profile_and_of_no_other(self):
        profiles = sorted(SHARED.glob("profiles/xplane/*2023fall*.xplane.pb"))
        told = {True: [], False: []}
        for stored, capture in self.captures("overview_page.pb"):
            for kind in ("overview_page.pb", "kernel_stats.pb"):
                page = stored.name.removesuffix("overview_page.pb") + kind
                folder = self.write(f"one/{page}/{page}", (STORED / page).read_bytes()).parent
                for profile in profiles:
                    done = self.run_summarize(profile, "--xprof-tables", folder, "--strict-input")
                    told[profile == capture].append(done.returncode)
        self.assertEqual((set(told[True]), set(told[False])), ({0}, {1}))
        self.assertEqual((len(told[True]), len(told[False])), (10, 70))

    def test_tables_tell_what_the_profile_itself_does(self):
        compared = 0
        for stored, capture in self.captures("kernel_stats.pb"):
            found, own = [{(row["kernel_name"], row["min_duration_us"], row["total_duration_us"])
                           for row in self.table("kernels", path)["rows"]}
                          for path in (stored, capture)]
            self.assertGreater(len(found & own), .9 * len(found), stored.name)
            compared += 1
        for stored, capture in self.captures("memory_profile.json.gz"):
            for name in ("memory", "memory_timeline"):
                found, own = [[{**row, "host": None, "fragmentation":
                                round(row["fragmentation"] or 0, 6)}
                               for row in self.table(name, path)["rows"]]
                              for path in (stored, capture)]
                self.assertEqual(len(found), len(own))
                if name == "memory":
                    self.assertEqual(found, own)
            compared += 1
        for stored, capture in self.captures("overview_page.pb"):
            found, own = [[(row["step_time_us"]) for row in self.table("steps", path)["rows"]]
                          for path in (stored, capture)]
            self.assertAlmostEqual(found[0], own[0], 2, stored.name)
            compared += 1
        self.assertGreaterEqual(compared, 24)

    @staticmethod
    def living(profile):
        """What lives at the peak by op and size, whatever types and shapes are alike."""
        counts = collections.Counter()
        for one in profile["activeAllocations"]:
            if int(one["specialIndex"]) >= 0:
                continue
            told = profile["memoryProfileSnapshots"][int(one["snapshotIndex"])]["activityMetadata"]
            counts[told["tfOpName"], told["allocationBytes"]] += int(one["numOccurrences"])
        return counts

    def test_what_is_written_of_memory_and_input_equals_what_xprof_stored(self):
        compared = 0
        for stored, capture in self.captures("memory_profile.json.gz"):
            folder = self.folder / "real" / stored.name
            self.summary(capture, "--xplane-output-dir", folder)
            path = folder / "memory_profile.json"
            with gzip.open(stored) as file:
                theirs = json.load(file)["memoryProfilePerAllocator"]
            ours = json.loads(path.read_text())["memoryProfilePerAllocator"]
            self.assertEqual(sorted(ours), sorted(theirs))
            for allocator, profile in ours.items():
                told = theirs[allocator]
                self.assertAlmostEqual(profile["profileSummary"]["peakStats"].pop("fragmentation"),
                                       told["profileSummary"]["peakStats"].pop("fragmentation"), 6)
                self.assertEqual(profile["profileSummary"], told["profileSummary"])
                self.assertEqual(self.living(profile), self.living(told))
                for mine, other in zip(profile["memoryProfileSnapshots"],
                                       told["memoryProfileSnapshots"], strict=True):
                    self.assertAlmostEqual(mine["aggregationStats"].pop("fragmentation"),
                                           other["aggregationStats"].pop("fragmentation"), 6)
                    self.assertEqual(mine["aggregationStats"], other["aggregationStats"])
                    self.assertEqual(mine["timeOffsetPs"], other["timeOffsetPs"])
                    self.assertEqual(mine["activityMetadata"].items() -
                                     other["activityMetadata"].items(), set())
            for name in ("memory", "memory_timeline"):
                found, own = [[{**row, "host": None} for row in self.table(name, one)["rows"]]
                              for one in (path, capture)]
                self.assertEqual(found, own)
            stages = json.loads((folder / "input_pipeline_analyzer.json").read_text())[-1]
            self.assertIn("selfTimeInMs", [column["id"] for column in stages["cols"]])
            compared += 1
        self.assertGreaterEqual(compared, 8)

    def test_the_overview_page_is_xprofs(self):
        compared = 0
        for stored, capture in self.captures("overview_page.pb"):
            (theirs,), (ours,), (page,) = [
                self.table(name, path)["rows"] for name, path in
                (("steps", stored), ("overview_page", capture), ("overview_page", stored))]
            for column, value in page.items():
                self.assertAlmostEqual(float(value), float(ours[column]), 5, stored.name)
            for name, column in (("step_time_us", "stepTimeMs"),
                                 ("compute_us", "deviceComputeTimeMs"),
                                 ("input_us", "infeedTimeMs"), ("idle_us", "otherTimeMs"),
                                 ("kernel_launch_us", "kernelLaunchTimeMs"),
                                 ("output_us", "outfeedTimeMs")):
                self.assertAlmostEqual(theirs[name], 1e3 * ours[column], 2,
                                       f"{stored.name}: {column}")
            compared += 1
        self.assertGreaterEqual(compared, 8)

    def test_an_overview_of_a_stored_page_is_that_of_its_profile_as_xprof_counts(self):
        compared = 0
        for stored, capture in self.captures("overview_page.pb"):
            theirs, ours = [self.table("overview", path) for path in (stored, capture)]
            parts = {row["part"]: row["xprof_average_us"] for row in ours["rows"]}
            parts["input_wait"] += parts.pop("host_to_device")
            for row in theirs["rows"]:
                if row["part"] == "host_to_device":
                    self.assertIn("input", row["absent"])
                    continue
                self.assertAlmostEqual(row["average_us"], parts[row["part"]], 2, stored.name)
            for name in ("bottleneck", "input_level", "output_level", "kernel_launch_level",
                         "all_other_level", "collectives_level", "step_count"):
                self.assertEqual(theirs["properties"][name], ours["properties"][name], name)
            for name in ("period_us_average", "between_steps_us_average", "input_wait_share",
                         "collectives_wait_us_average", "device_count"):
                self.assertIsNone(theirs["properties"].get(name), name)
            compared += 1
        self.assertGreaterEqual(compared, 8)

    def test_ops_of_op_stats_add_up(self):
        for stored, total in (("before", None), ("after", 148564.417)):
            path = STORED / f"jackmcarthur__lorrax__cohsex_test-{stored}.op_stats_v2.pb"
            rows = [row for row in self.table("hlo_stats", path)["rows"]
                    if row["hlo_op_name"] == "fft.0.0"]
            self.assertEqual([(row["program"], row["program_id"], row["occurrences"])
                              for row in rows], [("jit__extract_centroids", "41", 8),
                                                 ("jit__extract_rchunk_slice", "100", 7)])
            document = self.table("op_profile", path)
            for grouping in ("category", "program", "phase"):
                sums = sum(row["total_self_time"] for row in document["rows"]
                           if row["grouping"] == grouping)
                self.assertAlmostEqual(sums, document["properties"]["self_time_us"], 3)
            if total:
                self.assertAlmostEqual(document["properties"]["self_time_us"], total, 3)

    def test_tables_of_ops_are_shown_as_they_are(self):
        (path,) = STORED.glob("*framework_op_stats_device.json")
        rows = self.table("framework_op_stats", path)["rows"]
        self.assertEqual((len(rows), rows[0]["type"], rows[0]["total_self_time"]),
                         (500, "pallas_call", 453.05125))

    def test_every_real_table_is_read_or_named(self):
        for path in sorted(STORED.iterdir()):
            document = self.summary(path)
            told = (document["step_time"]["all_steps"]["count"] or document["hot_ops"] or
                    document["ops"] or "memory_profile" in path.name)
            said = " ".join(document["coverage"]["warnings"])
            self.assertTrue(told or "not read" in said or "No table tells" in said, path.name)
            self.assertIn(pathlib.Path(path).name, said)


if __name__ == "__main__":
    sys.exit(unittest.main())
