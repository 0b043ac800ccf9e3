"""`db start`, `stop`, `backup`, `restore` under the failure of single calls of their own.

What: a ledger of two runs, a backup of its first. After each fault: a documented exit code, words
that say what failed, a ledger that holds what it held (or, restored, what the backup holds), an old
one that is still there, no part of a backup, and the same command then succeeds. What the programs
of PostgreSQL do inside is not seen: backup_killed_test.py ends those. Where not all faults are met
(`make torture`), a few are drawn, the same each time.
"""

import os
import random
import re
import shutil
import unittest

from backup_case import BackupCase
from cli_case import BINARY
from fault_case import CODES, FAULTS, HEALED, MESSAGE, SAID, TORTURE, fail_call

DRAWN = int(os.environ.get("FAULTS_DRAWN", "2"))


@unittest.skipUnless(fail_call.LIBRARY, "no STEPLEDGER_FAIL_CALL: make builds it (not with SAN)")
class ClusterFaults(BackupCase):
    """Each command of `db` that changes something."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.take(1)
        case.backup("one")
        case.take(2)
        case.backup("two")

    def under(self, fault, arguments):
        return fail_call.run([BINARY, *map(str, arguments)], self.folder / "counts", fault,
                             env=self.environment, cwd=self.folder)

    def faults_of(self, arguments):
        """(fault, what) of a whole run."""
        done, counted = self.under(None, arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = []
        for kind, what in FAULTS:
            name = kind.rstrip("+")
            if name == "memory":
                stacks = sorted({stack for _, stack in counted.places[name]})
                found += [(f"{kind.replace('memory', 'memory:1')}:{what}:{stack}", what)
                          for stack in stacks if kind == name]
            elif kind == name:
                found += [(f"{name}:{n}:{what}", what)
                          for n in range(1, counted.calls[name] + 1)]
        if TORTURE is not None and re.search(TORTURE, " ".join(map(str, arguments))):
            return found
        return random.Random(" ".join(map(str, arguments[:2]))).sample(found, DRAWN)

    @staticmethod
    def ending_wrong(what, done, counted):
        if what == "kill" or done.returncode in (0, fail_call.CRASHED_INSIDE) or \
                counted.in_libc():
            return []
        wrong = [] if done.returncode in CODES else [f"exit {done.returncode}"]
        if what in HEALED:
            wrong.append("it is no failure")
        elif not any(MESSAGE.match(line) for line in done.stderr.splitlines()):
            wrong.append("no message")
        elif SAID.get(what, "memory" if what == "ENOMEM" else "").lower() not in \
                done.stderr.lower():
            wrong.append(f"does not say {what}")
        return wrong

    def tried(self, arguments, begin, after):
        """Every fault of a command; begin() before each, after(done) says what is wrong."""
        begin()
        found, wrong = self.faults_of(arguments), []
        for fault, what in found:
            begin()
            done, counted = self.under(fault, arguments)
            if counted.failed == 0:
                continue
            complaints = self.ending_wrong(what, done, counted) + after(done)
            wrong += [f"{fault}: {text}: {done.returncode}: {done.stderr[-300:]}\n"
                      f"  at {counted.stack(BINARY)}" for text in complaints]
        if TORTURE is not None:
            print(f"{' '.join(map(str, arguments[:2]))}: {len(found)} faults, {len(wrong)} wrong")
        self.assertFalse(wrong, "\n".join(wrong))

    def test_start_starts_or_says_why(self):
        def after(done):
            found = [] if done.returncode != 0 or self.stored() == 2 else ["it is not there"]
            self.expect(0, "db", "start")
            return found
        self.tried(["db", "start"], lambda: self.expect(0, "db", "stop"), after)

    def test_stop_stops_or_says_why(self):
        def after(_):
            self.expect(0, "db", "stop")
            self.expect(0, "db", "start")
            return [] if self.stored() == 2 else ["it holds other runs"]
        self.tried(["db", "stop"], lambda: self.expect(0, "db", "start"), after)

    def test_a_backup_is_whole_or_not_there(self):
        target = self.backups / "tried"

        def begin():
            shutil.rmtree(target, ignore_errors=True)

        def after(done):
            whole = done.returncode == 0 or "is whole" in done.stderr
            found = [] if target.exists() == whole or done.returncode < 0 else \
                [f"the backup is {'' if target.exists() else 'not '}there"]
            self.expect(0, "db", "backup", self.backups / "next")
            shutil.rmtree(self.backups / "next")
            names = {path.name for path in self.backups.iterdir()} - {"one", "two", "tried"}
            return found + ([f"left behind: {names}"] if names else [])
        self.tried(["db", "backup", target], begin, after)

    def test_a_restore_leaves_the_old_ledger_or_the_new_one(self):
        def begin():
            if self.stored() != 2:
                self.expect(0, "db", "restore", "--replace", self.backups / "two")
            for old in self.home.glob("pg.old.*"):
                shutil.rmtree(old)

        def after(done):
            old, held = list(self.home.glob("pg.old.*")), self.stored()
            if done.returncode == 0:
                return [] if held == 1 and old else [f"restored, {held} runs, old one: {old}"]
            return [] if held == 2 or old else [f"{held} runs, and no old ledger"]
        self.tried(["db", "restore", "--replace", self.backups / "one"], begin, after)


if __name__ == "__main__":
    unittest.main()
