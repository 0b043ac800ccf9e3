"""Everything that a verdict needs lies in the ledger: a dump of it, restored elsewhere and without
a profile file left, makes every verdict again and verifies; what is stored is what `summarize`
prints."""

import json
import shutil
import subprocess
import unittest

from server_case import ServerCase, postgres_server

SCOPE = ["--project", "p", "--workload", "w"]
CLOCK = {"SOURCE_DATE_EPOCH": "1767225600"}


class Recompute(ServerCase):
    """Four runs of main; verdicts with and without a policy, on fast, slow and strange runs."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        for seed in ("1", "2", "3", "4"):
            case.ingest("--branch", "main", "--run", f"r{seed}", "--commit", seed * 40,
                        cls.profile(f"m{seed}", "--seed", seed))

    def elsewhere(self):
        """A dump of the ledger in a server of its own; returns how to reach it."""
        server = self.server("elsewhere")
        server.create()
        server.start()
        for role in ("stepledger LOGIN", "stepledger_owner LOGIN CREATEROLE", "stepledger_ingest",
                     "stepledger_compare", "stepledger_alert", "stepledger_read"):
            server.sql(f"CREATE ROLE {role}", "postgres")
        server.sql("CREATE DATABASE stepledger OWNER stepledger_owner", "postgres")
        folder = postgres_server.binaries()
        dump = subprocess.run([folder / "pg_dump", "-d", self.primary.conninfo("admin")],
                              check=True, capture_output=True, timeout=120).stdout
        subprocess.run([folder / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d",
                        server.conninfo("admin")], input=dump, check=True, capture_output=True,
                       timeout=120)
        return {"STEPLEDGER_DB": server.conninfo()}

    def test_a_dump_makes_every_verdict_again(self):
        policy = self.folder / "strict.policy"
        policy.write_text("policy_version = 1\nmin_effect_pct = 1\n")
        slow = ["--slow-op", "attention=1.6"]
        for arguments in (
                ("--branch", "topic", self.profile("same", "--seed", "9")),
                ("--branch", "topic", self.profile("slow", "--seed", "10", *slow)),
                ("--policy", policy, "--baseline", "r1", "--baseline", "r2", "p6"),
                ("--label", "other", self.profile("other", "--seed", "11", "--devices", "3"))):
            self.call("gate", *SCOPE, *arguments)
        self.expect(0, "rebaseline", "s1", "--after", "p4", "--reason", "new drivers")
        shutil.rmtree(self.folder / "profiles")
        policy.unlink()
        environment = self.elsewhere()
        statuses = set()
        for verdict in ("v1", "v2", "v3", "v4"):
            recorded = self.expect(0, "show", verdict).out
            statuses.add(json.loads(recorded)["status"])
            again = self.expect(0, "gate", "--replay", verdict, environment=environment).out
            self.assertEqual(again, recorded)
        self.assertTrue({"fail", "incomparable"} < statuses, statuses)
        self.assertIn("clean", self.expect(0, "verify", environment=environment).out)

    def test_stores_what_summarize_prints(self):
        path = self.profile("printed", "--seed", "21")
        printed = self.expect(0, "summarize", "--profile-dir", path, environment=CLOCK).out
        stored = self.expect(0, "ingest", *SCOPE, path, environment=CLOCK).document["profiles"]
        name = stored[0]["profile"]
        self.assertEqual(self.expect(0, "show", name).out, printed)
        rows = self.primary.sql(f"SELECT document FROM summaries WHERE profile_id = {name[1:]}")
        self.assertEqual("\n".join(rows) + "\n", printed)


if __name__ == "__main__":
    unittest.main()
