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


if __name__ == "__main__":
    sys.exit(unittest.main())
