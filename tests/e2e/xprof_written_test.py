"""Tables that are made here in xprof's own layout: `--xplane-output-dir`, `table --format xprof`.

What: op_profile as a tree that adds up, memory by allocator; both ways to have them; that a profile
is read once for all. What it does not do: what is read of such tables (xprof_tables_test.py).
"""

import json
import statistics
import subprocess
import sys
import unittest

from table_test import BINARY, SHARED
from xprof_tables_test import XprofCase


class Written(XprofCase):
    def tree(self, node):
        """A node's children add up to it, which goes down to the ops."""
        cut = len(node["children"]) == 100 < node["numChildren"]
        self.assertTrue(cut or node["numChildren"] == len(node["children"]))
        for name in ("rawTime", "rawFlops"):
            parts = sum(child["metrics"].get(name, 0) for child in node["children"])
            whole = node["metrics"].get(name, 0)
            self.assertLess(parts if cut else abs(parts - whole), whole * (cut or 1e-9) + 1)
        times = [child["metrics"]["rawTime"] for child in node["children"]
                 if child["name"] != "IDLE"]
        self.assertEqual(times, sorted(times, reverse=True))
        for child in node["children"]:
            if "children" in child:
                self.tree(child)
            else:
                self.assertTrue("xla" in child or child["name"] == "IDLE", child)

    def test_the_tree_of_ops_adds_up_to_what_devices_did(self):
        captures = [next((self.folder / kind).rglob("*.xplane.pb")) for kind in ("gpu", "tpu")]
        for capture in captures + sorted(SHARED.glob("profiles/xplane/*.xplane.pb")):
            folder = self.folder / "trees" / capture.name
            with self.subTest(capture.name):
                self.summary(capture, "--xplane-output-dir", folder)
                if capture.name.startswith("ecbme") and "__mac-" in capture.name:
                    self.assertFalse((folder / "op_profile.json").exists())  # nor any device
                    continue
                tree = json.loads((folder / "op_profile.json").read_text())
                document = self.table("op_profile", capture)
                busy, idle = (1e6 * document["properties"][name]
                              for name in ("self_time_us", "idle_time_us"))
                for name, root in tree.items():
                    if name == "deviceType":
                        continue
                    self.tree(root)
                    whole = busy if name.endswith("ExcludeIdle") else busy + idle
                    self.assertAlmostEqual(root["metrics"]["rawTime"] / whole, 1, 9)
                rows = {row["name"]: row for row in document["rows"]
                        if row["grouping"] == "category"}
                for node in tree["byCategoryExcludeIdle"]["children"]:
                    row = rows.pop(node["name"])
                    self.assertAlmostEqual(node["metrics"]["rawTime"],
                                           1e6 * row["total_self_time"], delta=1)
                    self.assertEqual(node["metrics"].get("rawFlops"), row.get("flops"))
                    self.assertEqual(node["metrics"].get("rawBytesAccessedArray"),
                                     row.get("bytes_accessed") and [row["bytes_accessed"]])
                self.assertEqual(rows, {})

    def test_tables_in_the_layout_of_xprof_are_those_that_are_written(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")
        real = sorted(SHARED.glob("profiles/xplane/ecbme4040*gpu*.xplane.pb"))[:1]
        for capture in [profile] + real:
            folder = self.folder / "layouts" / capture.name
            self.summary(capture, "--xplane-output-dir", folder)
            for name, tool in (("op_profile", "op_profile"), ("memory", "memory_profile")):
                written = folder / f"{tool}.json"
                if capture == profile and name == "memory":
                    self.assertFalse(written.exists())
                    continue
                shown = self.run_command("table", name, capture, "--format", "xprof").stdout
                self.assertEqual(json.loads(shown), json.loads(written.read_text()))
        self.assertIn("byProgram", json.loads(self.run_command(
            "table", "op_profile", profile, "--format", "xprof").stdout))
        done = subprocess.run([BINARY, "table", "op_profile", profile, "--format", "xprof",
                               "--limit", "3"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)

    def test_a_limit_leaves_the_rows_of_most_time_idle_or_not(self):
        capture = next((self.folder / "tpu").rglob("*.xplane.pb"))

        def rows(*options):
            return [table["rows"] for table in json.loads(self.run_command(
                "table", "framework_op_stats", capture, "--format", "xprof", *options).stdout)]
        whole = rows()
        place = [row["c"][3]["v"] for row in whole[0]].index("IDLE")
        for limit in (1, place, place + 1, place + 2, len(whole[1])):
            if 0 < limit < len(whole[1]):
                self.assertEqual(rows("--limit", limit), [whole[0][:limit], whole[1][:limit]])
        self.assertEqual(rows("--limit", len(whole[1])), whole)

    def test_the_overview_is_a_list_of_tables(self):
        capture = next((self.folder / "gpu").rglob("*.xplane.pb"))
        folder = self.folder / "page"
        self.summary(capture, "--xplane-output-dir", folder)
        written = json.loads((folder / "overview_page.json").read_text())
        for name in ("overview", "overview_page"):
            self.assertEqual(json.loads(self.run_command(
                "table", name, capture, "--format", "xprof").stdout), written)
        ops, steps, run, advice, diagnostics = written
        self.assertEqual([[column["id"] for column in table["cols"]][0] for table in written],
                         ["selfTimePercent", "stepnum", "host_id", "tip_type", "severity"])
        column = [one["id"] for one in steps["cols"]].index("stepTimeMs")
        times = [row["c"][column]["v"] for row in steps["rows"]]
        for name, value in (("average", statistics.mean(times)), ("minimum", min(times)),
                            ("maximum", max(times)),
                            ("standard_deviation", statistics.stdev(times))):
            self.assertAlmostEqual(float(steps["p"][f"steptime_ms_{name}"]), value, 9)
        self.assertEqual(run["p"]["host_count"], "1")
        overview = self.table("overview", capture)
        self.assertEqual(advice["p"]["all_other_bottleneck"],
                         overview["properties"]["all_other_level"])
        # Where a 0 among the steps is none that was measured, it is said.
        self.assertEqual([row["c"][1]["v"] for row in diagnostics["rows"]],
                         [f"{row['part']}: {row['absent']}" for row in overview["rows"]
                          if row["absent"]])
        self.assertTrue(diagnostics["rows"])
        # A profile without such steps has all but them.
        tpu = next((self.folder / "tpu").rglob("*.xplane.pb"))
        ids = [table["cols"][0]["id"] for table in json.loads(self.run_command(
            "table", "overview", tpu, "--format", "xprof").stdout)]
        self.assertEqual(ids, ["selfTimePercent", "host_id", "tip_type", "severity"])
        self.assertIn("no table 'memory'", self.refused(65, "memory_profile", tpu))

    def test_tables_go_by_the_names_of_xprofs_tools(self):
        capture = next((self.folder / "gpu").rglob("*.xplane.pb"))
        said = self.run_command("table", "--help").stdout
        for theirs, ours in (("kernel_stats", "kernels"), ("roofline_model", "roofline"),
                             ("input_pipeline_analyzer", "input_pipeline"),
                             ("tensorflow_stats", "framework_op_stats"),
                             ("smart_suggestion", "findings")):
            self.assertEqual(self.table(theirs, capture), self.table(ours, capture))
            self.assertIn(f"{theirs}: {ours}\n", said)
        stages = json.loads(self.run_command(
            "table", "input_pipeline_analyzer", capture, "--format", "xprof").stdout)
        self.assertEqual(stages[0]["cols"][0]["id"], "stepnum")

    def test_the_profile_is_read_once_for_all_tables(self):
        (profile,) = (self.folder / "gpu").rglob("*.xplane.pb")

        def bytes_read(*options):
            command = '"$@" > /dev/null; sed -n "s/rchar: //p" /proc/$$/io'
            done = subprocess.run(
                ["sh", "-c", command, "sh", BINARY, "summarize", profile, *options],
                capture_output=True, text=True, timeout=60, check=True)
            return int(done.stdout)

        plain = bytes_read()
        tables = bytes_read("--xplane-output-dir", self.folder / "once")
        self.assertLess(tables, 2.5 * plain)


if __name__ == "__main__":
    sys.exit(unittest.main())
