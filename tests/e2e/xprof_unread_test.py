"""What is said of xprof's tables that are not read, or that are not of one profile.

What: a table that is asked for is not told to be nowhere where its file is there and not read.
"""

import json
import sys
import unittest

from xprof_tables_test import XprofCase

import xprof_writer as xprof


class Unread(XprofCase):
    def refused(self, *arguments):
        done = self.run_table(*arguments)
        self.assertEqual((done.returncode, done.stdout), (65, ""), done.stderr)
        return done.stderr

    def test_a_file_that_is_not_read_is_named(self):
        folder = self.folder / "unread"
        folder.mkdir()
        tree = folder / "op_profile.json"
        tree.write_text(json.dumps({"byProgram": {"name": "root"}, "deviceType": "GPU"}))
        for table, words in (("hlo_stats", "hlo_stats and op_stats have it"),
                             ("memory", "memory_profile has events of allocators"),
                             ("steps", "overview_page and input_pipeline have it")):
            self.assertRegex(self.refused(table, tree),
                             f"of xprof's tables {words}, and '.*' holds none that is read. "
                             "'.*op_profile.json' is a table of xprof that is not read\n$")
        self.assertRegex(self.refused("op_profile", tree), "for this one give the .*. "
                         "'.*op_profile.json' is a table of xprof that is not read\n$")
        (folder / "kernel_stats.pb").write_bytes(xprof.kernel_stats([("k", 1, 9, 9, 9)]))
        said = self.refused("hlo_stats", folder)
        self.assertIn("holds none that is read", said)
        (folder / "op_profile.json").unlink()
        self.assertRegex(self.refused("hlo_stats", folder), "holds none\n$")

    def test_tables_of_two_profiles_are_not_put_together(self):
        folder = self.folder / "two"
        folder.mkdir()
        kernels = xprof.kernel_stats([("k", 1, 9, 9, 9)])
        (folder / "a.kernel_stats.pb").write_bytes(kernels)
        (folder / "b.overview_page.pb").write_bytes(
            xprof.overview_page([(1, {2: 1.0, 6: 1.0})]))
        self.assertRegex(self.refused("steps", folder), "'.*/a.kernel_stats.pb' and "
                         "'.*/b.overview_page.pb' are of different hosts or captures: give")
        (folder / "b.overview_page.pb").rename(folder / "a.overview_page.pb")
        self.assertEqual(len(self.table("steps", folder)["rows"]), 1)
        (folder / "a.overview_page.pb").rename(folder / "ALL_HOSTS.overview_page.pb")
        self.assertEqual(len(self.table("kernels", folder)["rows"]), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
