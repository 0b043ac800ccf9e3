"""Commands that need no database, under every fault."""

import unittest

from fault_case import FaultCase
from fault_table import FILES


class Files(FaultCase):
    """They read files and write files."""

    @classmethod
    def seed_more(cls, case):
        case.expect(0, "verify", "--proof", "p1", "--output", cls.seed / "p1.json")

    def test_each_fault_is_told_and_leaves_nothing_torn(self):
        self.torture_all(FILES)


if __name__ == "__main__":
    unittest.main()
