"""Commands that read the ledger, under every fault."""

import unittest

import fault_table
from fault_case import TORTURE, FaultCase, Row
from fault_table import READS


class Reading(FaultCase):
    """They change nothing but a file of output."""

    def test_each_fault_is_told_and_changes_nothing(self):
        self.torture_all(READS)

    def test_every_command_stands_in_the_table(self):
        rows = [row for name in ("FILES", "READS", "WRITES", "SERVICE")
                for row in getattr(fault_table, name)]
        tried = {row.arguments[0] for row in rows}
        overview = self.expect(0, "help").out.partition("`stepledger COMMAND")[0]
        commands = {line.split()[0] for line in overview.splitlines() if line.startswith("  ")}
        self.assertEqual(commands - tried, set())
        self.assertEqual(tried - commands, {"help"})

    def test_a_ledger_that_was_rolled_back_is_clean_under_no_fault(self):
        """What this machine has seen is read, or verify fails: it does not go on without."""
        self.restore()
        self.addCleanup(self.restore)
        self.expect(0, "amend", "p1", "--branch", "old", "--reason", "tried")
        self.expect(0, "checkpoint")
        self.expect(0, "verify")
        self.primary.sql("DROP DATABASE stepledger WITH (FORCE)", "postgres")
        self.primary.sql("CREATE DATABASE stepledger TEMPLATE seed OWNER stepledger_owner",
                         "postgres")
        row = Row(["verify"], code=1)
        _, counted = self.under(row, None)
        faults = [f"{kind}:{n}:{what}" for kind, what in (("open", "EMFILE"), ("read", "EIO"))
                  for n in range(1, counted.calls[kind] + 1)]
        stacks = sorted({stack for _, stack in counted.places["memory"]})
        faults += [f"memory:1:ENOMEM:{stack}" for stack in stacks[::30 if TORTURE is None else 1]]
        for fault in faults:
            with self.subTest(fault):
                self.assertNotEqual(self.under(row, fault)[0].returncode, 0)


if __name__ == "__main__":
    unittest.main()
