"""What a compiled program holds of a device's memory at its peak, by its buffer assignment.

What: a planted assignment, counted by hand. What it does not do: what programs say of ops
(op_tables_test.py).
"""

import json
import unittest

import op_tables_test
from op_tables_test import cost_program, gpu_profile, run


class ProgramMemory(op_tables_test.ProgramCase):
    def test_the_peak_of_a_program_is_what_it_holds_at_once(self):
        """Allocations that stay, and of the heap what is live together, shared memory once;
        of other memories nothing."""
        alloc, free, share = 0, 1, 2
        program = cost_program()
        program.hold(
            {1: (100, "dot.1"), 2: (40, "gemm.2"), 3: (30, "conv.3"), 4: (30, "add.5"),
             5: (50, "tanh.6"), 6: (7, "slice.7"), 7: (1000, "while.8"), 8: (9, "dot.1"),
             9: (4, "gemm.2"), 10: (60, "add.5")},
            [(100, [1], {5: 1}), (500, [], {8: 1}), (1000, [7], {3: 1}), (7, [6], {7: 1}),
             (300, [2, 3, 5], {}), (9, [8], {12: 1}), (60, [9, 10], {})],
            [(4, [(alloc, 2, 0), (alloc, 3, 0), (share, 4, 3), (free, 3, 0), (free, 2, 0),
                  (alloc, 5, 0), (free, 4, 0), (free, 5, 0)]),
             (1, [(alloc, 8, 0), (free, 8, 0)])])
        self.path.write_bytes(gpu_profile([("k", "dot.1", 1000)], program.encode()))
        document = self.table("program_memory", self.path)
        self.assertEqual([(row["kind"], row["instruction"], row["bytes"])
                          for row in document["rows"]],
                         [("parameter", "dot.1", 100), ("temporary", "add.5", 60),
                          ("temporary", "tanh.6", 50),
                          ("temporary", "conv.3", 30), ("constant", "dot.1", 9),
                          ("output", "slice.7", 7)])
        facts = document["properties"]
        self.assertEqual((facts["peak_bytes"], facts["allocated_bytes"], facts["program"]),
                         (256, 476, "jit_f"))
        self.assertEqual(document["rows"][0]["shapes"], "f32[8,32]")
        summary = json.loads(run("summarize", "--xplane-file", self.path).stdout)
        [figure] = [figure for figure in summary["figures"]
                    if figure["measure"] == "program_memory"]
        self.assertEqual(figure["value"], 256)
        for broken in (program.encode()[:-3] + b"\xff\xff\xff", cost_program().encode()):
            self.path.write_bytes(gpu_profile([("k", "dot.1", 1000)], broken))
            done = run("table", "program_memory", self.path)
            self.assertEqual((done.returncode, done.stdout), (65, ""))
            self.assertIn("buffer assignment", done.stderr)
            self.assertEqual(run("summarize", "--xplane-file", self.path).returncode, 0)


if __name__ == "__main__":
    unittest.main()
