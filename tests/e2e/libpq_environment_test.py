#!/usr/bin/env python3
"""The embedded ledger, where somebody has set libpq's variables for a server of their own.

What: each variable that decides how a client connects. Why: they held for the embedded server too;
commands waited for 90 s for one that ran beside them, and then told as the reason the last failure
in its log, of whenever that was.
"""

import subprocess
import unittest

from cli_case import BINARY, TIMEOUT_S, LedgerCase

OF_ANOTHER_SERVER = {
    "PGTARGETSESSIONATTRS": "standby", "PGCHANNELBINDING": "require", "PGSSLMODE": "verify-full",
    "PGHOSTADDR": "192.0.2.1", "PGREQUIREPEER": "nobody-of-that-name", "PGGSSENCMODE": "require",
    "PGSERVICE": "none-of-that-name", "PGHOST": "none.invalid", "PGPORT": "1", "PGUSER": "other",
    "PGDATABASE": "other", "PGOPTIONS": "-c default_transaction_read_only=on",
    "PGCLIENTENCODING": "LATIN1", "PGDATESTYLE": "German", "PGTZ": "Asia/Kolkata"}


class LibpqEnvironment(LedgerCase):
    """One ledger."""

    def test_variables_of_another_server_do_not_reach_it(self):
        self.expect(0, "ingest", "--project", "p", "--workload", "w", self.profile("one"))
        said = self.expect(0, "show", "p1").out
        for name, value in OF_ANOTHER_SERVER.items():
            with self.subTest(name):
                self.assertEqual(self.expect(0, "show", "p1", environment={name: value}).out, said)

    def test_it_is_made_and_backed_up_beside_all_of_them(self):
        data = self.folder / "beside"
        data.mkdir(mode=0o777)
        data.chmod(0o777)
        environment = {**OF_ANOTHER_SERVER, "XDG_DATA_HOME": str(data)}
        self.addCleanup(subprocess.run, [BINARY, "db", "stop"], timeout=TIMEOUT_S, check=True,
                        env={**self.environment, "XDG_DATA_HOME": str(data)}, capture_output=True)
        self.expect(0, "ingest", "--project", "p", "--workload", "w", self.profile("one"),
                    environment=environment)
        self.expect(0, "db", "backup", data / "backup", environment=environment)
        url = self.expect(0, "db", "url", environment=environment).out.strip()
        psql = subprocess.run(["psql", url, "-Atc", "SELECT count(*) FROM profiles"], check=False,
                              env={**self.environment, "PGHOSTADDR": "192.0.2.1"},
                              timeout=TIMEOUT_S, capture_output=True, text=True)
        self.assertEqual((psql.stdout, psql.stderr), ("1\n", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
