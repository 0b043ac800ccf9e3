"""Collectives that one opcode for whatever is asynchronous starts and ends: `async-done`.

What: they are communication of their kind, as if they were called by it, whether the text of an op
or its program tells. What it does not do: ops that are called by their kind (op_tables_test.py).
"""

import json
import re
import sys
import unittest

from op_tables_test import OpTablesCase, gpu_profile, run

from folder_case import MadeCase
from hlo_writer import Program
from profile_mutations import members, tree_read, tree_write


class WrappedCollectives(MadeCase, OpTablesCase):
    def test_what_ends_asynchronously_is_of_the_collective_that_its_start_names(self):
        """The same capture, as compilers write it that have one opcode for all that is in flight:
        neither opcode, category nor name says collective, its operand alone does."""
        plain = next((self.folder / "tpu").rglob("*.xplane.pb"))
        space = tree_read(plain.read_bytes(), {1: {4: {2: {}}, 5: {2: {}}}})
        for plane in members(space, 1):
            for item in (item for kind in (4, 5) for held in members(plane[2], kind)
                         for named in members(held[2], 2) for item in named[2]):
                if item[0] in (2, 4) and isinstance(item[2], bytes):
                    named = re.sub(rb"^(%?)all-(reduce|gather)-done", rb"\1async-done",
                                   item[2])
                    named = re.sub(rb" all-(reduce|gather)-done(.*)%.*\)",
                                   rb" async-done\2%all-\1-start.1)", named)
                    item[2] = re.sub(rb" all-(reduce|gather)-start\(", rb" async-start(",
                                     named)
        wrapped = self.folder / "wrapped.xplane.pb"
        wrapped.write_bytes(tree_write(space))
        self.assertIn(b" async-done(", wrapped.read_bytes())
        before, after = (self.table("collectives", path)["rows"] for path in (plain, wrapped))
        self.assertEqual(before, after)
        before, after = (json.loads(run("summarize", path).stdout) for path in (plain, wrapped))
        self.assertEqual(before["devices"], after["devices"])

    def test_what_a_program_starts_asynchronously_is_what_it_calls(self):
        program = Program("jit_f")
        program.add("scatters", "p", "parameter", "f32[64]")
        program.add("scatters", "rs", "reduce-scatter", "f32[32]", ["p"], groups=[[0, 1], [2, 3]])
        program.add("slices", "q", "parameter", "f32[64]")
        program.add("slices", "sl", "slice", "f32[32]", ["q"])
        program.add("main", "x", "parameter", "f32[64]")
        program.add("main", "go.1", "async-start", "f32[64] f32[32]", ["x"], ["scatters"])
        program.add("main", "on.1", "async-done", "f32[32]", ["go.1"])
        program.add("main", "go.2", "async-start", "f32[64] f32[32]", ["x"], ["slices"])
        path = self.folder / "called.xplane.pb"
        path.write_bytes(gpu_profile([("one", "go.1", 700), ("two", "go.2", 300),
                                      ("three", "on.1", 500)], program.encode()))
        (row,) = self.table("collectives", path)["rows"]
        self.assertEqual((row["collective"], row["group_size"], row["group_count"]),
                         ("reduce-scatter", 2, 2))
        self.assertEqual({row["hlo_op_name"]: row["category"] for row in
                          self.table("hlo_stats", path)["rows"]},
                         {"go.1": "reduce-scatter-start", "go.2": "async-start",
                          "on.1": "reduce-scatter-done"})


if __name__ == "__main__":
    sys.exit(unittest.main())
