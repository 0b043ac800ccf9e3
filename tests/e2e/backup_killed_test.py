"""`db backup` and `db restore`, killed at their stages: a ledger works afterwards, the same command
completes, and nothing is left over. EVERY_STAGE: at each of them (`make soak T=backup`)."""

import os
import shutil
import unittest

from backup_case import BackupCase

LIBRARY = os.environ.get("STEPLEDGER_KILL_AT", "")
EVERY = "EVERY_STAGE" in os.environ


def chosen(stages, letters):
    """What to be killed at, "r3" the third r: of each kind the first, of `letters` all."""
    places = [f"{letter}{stages[:at + 1].count(letter)}" for at, letter in enumerate(stages)]
    return [place for place in places
            if EVERY or place[0] in letters or place[1:] == "1"]


@unittest.skipUnless(LIBRARY, "no STEPLEDGER_KILL_AT: make builds it")
class BackupKilled(BackupCase):
    """kill -9, for real, before a call that changes what others see."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = shutil.copy(LIBRARY, cls.folder)  # where the cluster's user can read it
        cls().take(1)

    def test_a_backup_is_whole_or_not_there(self):
        stages = self.stages(self.library, "db", "backup", self.backups / "whole")
        target = self.backups / "killed"
        killed = 0
        for stage in chosen(stages, "rw"):
            killed += self.run_killed(self.library, stage, "db", "backup", target)
            self.assert_none_runs_below([self.backups])
            if target.exists():
                self.expect(0, "db", "restore", "--replace", target)
                shutil.rmtree(target)
        self.assertGreater(killed, 5)
        self.expect(0, "db", "backup", self.backups / "other")
        self.assertEqual(sorted(path.name for path in self.backups.iterdir()), ["other", "whole"])
        self.assertEqual(self.stored(), 1)

    def test_a_restore_leaves_the_old_ledger_or_the_new_one(self):
        source = self.backup("source")
        restore = ["db", "restore", "--replace", source]
        stages = self.stages(self.library, *restore)
        killed = 0
        for stage in chosen(stages, "ry"):
            died = self.run_killed(self.library, stage, *restore)
            self.assert_none_runs_below(self.home.glob("pg.new.*"))
            self.assertEqual(self.stored(), 1, f"stage {stage}")
            # How often a child is waited for and a server that starts is asked is up to them.
            self.assertTrue(died or stage[0] in "wnv", stage)
            killed += died
        self.assertGreater(killed, 8)
        self.expect(0, *restore)
        self.expect(0, "verify")
        names = {path.name.split(".")[1] for path in self.home.glob("pg.*")}
        self.assertLessEqual(names, {"lock", "old"})


if __name__ == "__main__":
    unittest.main()
