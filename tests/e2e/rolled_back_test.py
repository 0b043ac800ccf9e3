"""A checkpoint that is trusted must exist, and not be older than one that was seen here."""

import json
import subprocess
import unittest

from server_case import ServerCase

SCOPE = ["--project", "p", "--workload", "w"]


class RolledBack(ServerCase):
    """A ledger whose superuser is the attacker; what this machine has seen lies beside it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.key = cls.folder / "key.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(cls.key)],
                       check=True)
        cls.environment["STEPLEDGER_CHECKPOINT_KEY"] = str(cls.key)
        case.ingest(cls.profile("m1", "--kind", "tpu", "--seed", "1"))
        case.expect(0, "checkpoint", "--output", cls.folder / "c1.json")
        cls.trust = json.loads((cls.folder / "c1.json").read_text())["public_key"]
        cls.primary.sql("CREATE TABLE public.before_entries AS SELECT * FROM entries")

    def seen(self):
        return list((self.folder / "state" / "stepledger").glob("checkpoint-*.json"))

    def test_a_ledger_that_was_emptied_or_rolled_back(self):
        trusting = {"STEPLEDGER_CHECKPOINT_TRUST": self.trust}
        self.expect(0, "verify", environment=trusting)
        kept, = self.seen()
        self.assertEqual(json.loads(kept.read_text())["id"], "c1")
        found = self.call("check", environment=trusting).out
        self.assertRegex(found, r"last checkpoint    c1, 0\.\d h ago, signed")
        self.assertIn(f"its copy           {kept} (c1 of ", found)

        self.ingest(self.profile("m2", "--kind", "tpu", "--seed", "2"))
        self.expect(0, "checkpoint")
        self.assertEqual(json.loads(kept.read_text())["id"], "c2")
        self.expect(0, "verify", environment=trusting)
        self.primary.sql(
            "SET session_replication_role = replica; "
            "DELETE FROM entries e WHERE NOT EXISTS (SELECT FROM public.before_entries b WHERE "
            "(b.chain, b.position) = (e.chain, e.position)) AND e.kind <> 'checkpoint'; "
            "DELETE FROM entries e WHERE e.kind = 'checkpoint' AND e.subject_id > 1; "
            "DELETE FROM checkpoints WHERE id > 1; DELETE FROM tree_grown; "
            "DELETE FROM tree_ranges WHERE first_leaf >= "
            "(SELECT (document::jsonb->>'tree_size')::bigint FROM checkpoints WHERE id = 1); "
            + "".join(f"DELETE FROM {table} WHERE {column} > 1; "
                      for table, column in self.tables()))
        rolled = self.expect(1, "verify", environment=trusting).out
        self.assertIn("this machine has seen c2", rolled)
        self.assertIn("was rolled back", self.expect(1, "check", environment=trusting).out)

        self.ingest(self.profile("m3", "--kind", "tpu", "--seed", "3"))
        self.primary.sql("SELECT setval('checkpoints_id_seq', 7)")
        again = self.expect(0, "checkpoint")
        self.assertIn("event=checkpoint_not_kept", again.err)
        self.assertEqual(json.loads(kept.read_text())["id"], "c2")
        self.assertIn("checkpoint c2 saw", self.expect(1, "verify", environment=trusting).out)

        kept.unlink()
        self.expect(0, "verify", environment=trusting)
        kept.unlink()
        self.primary.sql("SET session_replication_role = replica; DELETE FROM checkpoints; "
                         "DELETE FROM tree_ranges; DELETE FROM entries WHERE kind = 'checkpoint'")
        none = self.expect(1, "verify", environment=trusting).out
        self.assertIn("has no checkpoint, and checkpoint_trust asks", none)
        self.assertIn("has no checkpoint", self.call("check", environment=trusting).out)
        self.expect(0, "verify")

    def tables(self):
        """What holds rows of profiles, and by which column."""
        for line in self.primary.sql(
                "SELECT table_name, min(column_name) FROM information_schema.columns "
                "JOIN pg_class c ON c.relname = table_name AND NOT c.relispartition "
                "AND c.relkind IN ('r', 'p') WHERE table_schema = 'stepledger' AND column_name IN "
                "('profile_id', 'introduced_by') GROUP BY 1"):
            yield line.split("|")
        yield "profiles", "id"

    def test_what_was_seen_can_be_read_and_changed_by_nobody_unseen(self):
        other = {"XDG_STATE_HOME": str(self.folder / "elsewhere")}
        folder = self.folder / "elsewhere" / "stepledger"
        self.call("verify", environment=other)
        for kept in folder.glob("*"):
            kept.write_text("{}")
            self.assertIn("schema_version", self.expect(1, "verify", environment=other).out)
        nowhere = {"XDG_STATE_HOME": "/proc/nowhere"}
        self.assertNotIn("Traceback", self.call("verify", environment=nowhere).err)


if __name__ == "__main__":
    unittest.main()
