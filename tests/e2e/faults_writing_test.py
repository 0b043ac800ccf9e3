"""Commands that write to the ledger, under every fault."""

import unittest

from fault_case import FaultCase
from fault_table import WRITES


class Writing(FaultCase):
    """Each is done whole or not at all, and can be done again."""

    def test_each_fault_leaves_the_ledger_as_before_or_as_after(self):
        self.torture_all(WRITES)


if __name__ == "__main__":
    unittest.main()
