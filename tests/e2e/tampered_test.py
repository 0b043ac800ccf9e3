"""What the database's superuser changes is not read as if it had been recorded."""

import unittest

from server_case import ServerCase

SCOPE = ["--project", "p", "--workload", "w"]
OFF = "SET session_replication_role = replica; "
STEADY = """document = replace(document, '"median": ', '"median": 1')"""


# What it makes of roles, names and counters, what takes it back, and what is said.
AROUND = (
    ("ALTER ROLE stepledger_ingest SET role = stepledger_owner",
     "ALTER ROLE stepledger_ingest RESET role", "is set: role of stepledger_ingest"),
    ("GRANT stepledger_owner TO stepledger_ingest",
     "REVOKE stepledger_owner FROM stepledger_ingest",
     "of another role: stepledger_ingest of stepledger_owner"),
    ("CREATE ROLE worker_41 IN ROLE stepledger_compare, stepledger",
     "DROP ROLE worker_41", "of another role: worker_41 of stepledger"),
    ("ALTER ROLE stepledger_compare BYPASSRLS",
     "ALTER ROLE stepledger_compare NOBYPASSRLS",
     "only a superuser may: stepledger_compare"),
    ("GRANT SET ON PARAMETER session_replication_role TO stepledger_ingest",
     "REVOKE SET ON PARAMETER session_replication_role FROM stepledger_ingest",
     "set session_replication_role to stepledger_ingest"),
    ("GRANT CREATE ON SCHEMA stepledger TO stepledger_ingest",
     "REVOKE CREATE ON SCHEMA stepledger FROM stepledger_ingest",
     "create in the schema to stepledger_ingest"),
    ("CREATE OPERATOR stepledger.= (LEFTARG = bytea, RIGHTARG = bytea, "
     "FUNCTION = byteane)", "DROP OPERATOR stepledger.= (bytea, bytea)",
     "stands in its place: =(bytea, bytea)"),
    ("CREATE OR REPLACE FUNCTION pg_catalog.now() RETURNS timestamptz STABLE LANGUAGE sql "
     "AS 'SELECT clock_timestamp() - interval ''1 year'''",
     "CREATE OR REPLACE FUNCTION pg_catalog.now() RETURNS timestamptz STABLE STRICT "
     "PARALLEL SAFE LANGUAGE internal AS 'now'", "stands in its place: function now()"),
    ("CREATE OR REPLACE FUNCTION pg_catalog.sha256(bytea) RETURNS bytea IMMUTABLE STRICT "
     "LANGUAGE internal AS 'sha224_bytea'",
     "CREATE OR REPLACE FUNCTION pg_catalog.sha256(bytea) RETURNS bytea IMMUTABLE STRICT "
     "PARALLEL SAFE LANGUAGE internal AS 'sha256_bytea'",
     "stands in its place: function sha256(bytea)"),
    ("CREATE TABLE public.hidden PARTITION OF op_rows FOR VALUES FROM ('2001-01-01') "
     "TO ('2001-02-01')", "DROP TABLE public.hidden",
     "stands in its place: part of a table: public.hidden"),
    ("CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; "
     "CREATE FOREIGN TABLE stepledger.elsewhere (a int) SERVER s",
     "DROP FOREIGN DATA WRAPPER w CASCADE", "stands in its place: foreign table elsewhere"),
    ("GRANT UPDATE ON outbox TO PUBLIC", "REVOKE UPDATE ON outbox FROM PUBLIC",
     "that no role has by `migrate`: update on outbox to public"),
    ("GRANT UPDATE (state) ON queue TO stepledger_read",
     "REVOKE UPDATE (state) ON queue FROM stepledger_read",
     "that no role has by `migrate`: update on queue.state to stepledger_read"),
    ("GRANT EXECUTE ON FUNCTION entry_append(text, bigint, bytea, text) TO PUBLIC",
     "REVOKE EXECUTE ON FUNCTION entry_append(text, bigint, bytea, text) FROM PUBLIC",
     "that no role has by `migrate`: execute on entry_append to public"),
    ("SELECT setval('profiles_id_seq', 1)",
     "SELECT setval('profiles_id_seq', max(id)) FROM profiles",
     "the counter of profiles stands"),
    ("SELECT setval('verdicts_id_seq', 9223372036854775806)",
     "SELECT setval('verdicts_id_seq', max(id)) FROM verdicts",
     "the counter of verdicts stands"),
    ("ALTER SEQUENCE series_id_seq CYCLE", "ALTER SEQUENCE series_id_seq NO CYCLE",
     "does not count as `migrate` made it: series_id_seq"))


class TamperedCase(ServerCase):
    """A superuser at work."""

    def changed(self, table, change, command, said, code=65):
        """The command after one change, which is then taken back."""
        self.primary.sql(f"{OFF}"
                         f"CREATE TABLE public.kept_{table} AS SELECT * FROM {table}; {change}")
        try:
            result = self.expect(code, *command)
        finally:
            columns = self.primary.sql(
                "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute "
                f"WHERE attrelid = '{table}'::regclass AND attnum > 0 AND attgenerated = ''")[0]
            self.primary.sql(f"{OFF} DELETE FROM {table}; INSERT INTO {table} ({columns}) "
                             f"OVERRIDING SYSTEM VALUE SELECT {columns} FROM public.kept_{table}; "
                             f"DROP TABLE public.kept_{table}")
        self.assertIn(said, result.err)


class Tampered(TamperedCase):
    """Four profiles of a branch, a verdict, and a candidate that is as fast."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.ingest_main(3)
        cls.candidate = cls.profile("c", "--kind", "tpu", "--seed", "9")
        case.expect(0, "gate", *SCOPE, "--branch", "topic", cls.candidate)

    def test_readers_refuse_what_was_changed(self):
        """What was asked for by name is refused; of a branch's past it is left out, by name."""
        gate = ("gate", *SCOPE, "--branch", "topic", "p4")
        trend = ("trend", *SCOPE, "--measure", "step_median", "--branch", "main")
        for table, change, command, said in (
                ("summaries", f"UPDATE summaries SET {STEADY} WHERE profile_id = 2", gate,
                 "p2 is not what was recorded (summary)"),
                ("summaries", f"UPDATE summaries SET {STEADY} WHERE profile_id = 4", gate,
                 "p4 is not what was recorded (summary)"),
                ("summaries", f"UPDATE summaries SET {STEADY} WHERE profile_id = 2",
                 ("show", "p2"), "p2 is not what was recorded (summary)"),
                ("verdicts", "UPDATE verdicts SET document = document || ' '",
                 ("show", "v1"), "v1 is not what was recorded (content)"),
                ("verdicts", "UPDATE verdicts SET status = 'fail'",
                 ("show", "v1"), "v1 is not what was recorded (content)"),
                ("measures", "UPDATE measures SET value = value * 1.1 WHERE profile_id = 1",
                 trend, "p1 is not what was recorded (measures)"),
                ("measures", "UPDATE measures SET value = value * 1.1 WHERE profile_id = 1",
                 gate, "p1 is not what was recorded (measures)"),
                ("profile_steps", "UPDATE profile_steps SET max_ps = max_ps + 1 "
                 "WHERE profile_id = 2 AND number > 0", gate,
                 "p2 is not what was recorded (steps)"),
                ("profile_steps", "DELETE FROM profile_steps WHERE profile_id = 2",
                 gate, "p2 is not what was recorded (steps)"),
                ("profile_facts", "UPDATE profile_facts SET value = 'x' WHERE profile_id = 3",
                 gate, "p3 is not what was recorded (facts)"),
                ("profile_hosts", "DELETE FROM profile_hosts WHERE profile_id = 3",
                 gate, "p3 is not what was recorded (hosts)"),
                ("profiles", "UPDATE profiles SET run = 'p1' WHERE id = 2",
                 gate, "p2 is not what was recorded (profile)"),
                ("entries", "DELETE FROM entries WHERE kind = 'profile' AND subject_id = 2",
                 ("show", "p2"), "p2 has no entry on a chain")):
            with self.subTest(change=change, command=command[0]):
                is_named = command[0] == "show" or "p4" in said
                self.changed(table, change, command, said, 65 if is_named else 0)
        self.expect(0, *gate)
        self.expect(0, "verify")

    def test_a_ledger_that_does_not_fit_together_passes_nothing(self):
        """Rows that wait for a profile to come are no outage, whatever --on-error says."""
        put = "INSERT INTO summaries (profile_id, document) SELECT generate_series(5, 9), '{}'"
        new = self.profile("d", "--kind", "tpu", "--seed", "77")
        gate = ("gate", *SCOPE, "--branch", "topic", "--on-error", "pass", new)
        self.changed("summaries", put, gate, "somebody put a row where this one belongs", code=70)
        self.expect(0, *gate)

    def test_the_cache_of_digests_is_not_believed(self):
        """Whatever stands in it: what was recorded is read, what was changed is not."""
        show = ("show", "p2")
        for change in ("DELETE FROM content_sections",
                       "UPDATE content_sections SET sections = "
                       "set_byte(sections, 50, 255 - get_byte(sections, 50))",
                       "UPDATE content_sections SET sections = ''"):
            with self.subTest(change=change):
                self.changed("content_sections", change, show, "", 0)
                both = f"{change}; UPDATE summaries SET {STEADY} WHERE profile_id = 2"
                self.primary.sql("CREATE TABLE public.kept AS SELECT * FROM summaries")
                self.changed("content_sections", both, show,
                             "p2 is not what was recorded (content)")
                self.primary.sql(f"{OFF} DELETE FROM summaries; INSERT INTO summaries "
                                 "SELECT * FROM public.kept; DROP TABLE public.kept")
        self.expect(0, *show)

    def test_verify_names_what_was_changed_in_the_schema(self):
        """It makes no hash wrong; what is read and written later would be."""
        clock = "UPDATE entries SET recorded_at = recorded_at + interval '5 years' " \
                "WHERE chain = 's1' AND position = 2"
        for change, undo, said in (
                ("ALTER TABLE measures ENABLE ROW LEVEL SECURITY",
                 "ALTER TABLE measures DISABLE ROW LEVEL SECURITY", "row-level security is on"),
                ("CREATE POLICY p ON profiles USING (id > 1)", "DROP POLICY p ON profiles",
                 "policy of row-level security: profiles.p"),
                ("CREATE RULE r AS ON INSERT TO findings DO INSTEAD NOTHING",
                 "DROP RULE r ON findings", "rewrites statements: findings.r"),
                ("ALTER TABLE verdicts DISABLE TRIGGER ledger_refuse_row",
                 "ALTER TABLE verdicts ENABLE TRIGGER ledger_refuse_row",
                 "switched off: verdicts.ledger_refuse_row"),
                ("DROP TRIGGER ledger_refuse_row ON measures",
                 "CREATE TRIGGER ledger_refuse_row BEFORE UPDATE OR DELETE ON measures "
                 "FOR EACH ROW EXECUTE FUNCTION ledger_refuse()", "are missing: measures"),
                ("CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql "
                 "AS $$BEGIN RETURN NEW; END$$", None,
                 "function ledger_refuse() is not what `migrate` made it"),
                ("CREATE FUNCTION rescale() RETURNS trigger LANGUAGE plpgsql "
                 "AS $$BEGIN NEW.value := 1; RETURN NEW; END$$; "
                 "CREATE TRIGGER rescale BEFORE INSERT ON measures "
                 "FOR EACH ROW EXECUTE FUNCTION rescale()",
                 "DROP FUNCTION rescale CASCADE",
                 "trigger rescale is none of the ledger's"),
                ("ALTER ROLE stepledger SET session_replication_role = replica",
                 "ALTER ROLE stepledger RESET session_replication_role",
                 "is set: session_replication_role of stepledger"),
                (f"{OFF} {clock}", f"{OFF} {clock.replace('+', '-')}",
                 "s before the entry that it follows"), *AROUND):
            kept = self.primary.sql("SELECT pg_get_functiondef('ledger_refuse'::regproc)")
            undo = undo or "\n".join(kept)
            with self.subTest(change=change):
                self.primary.sql(change)
                try:
                    self.assertIn(said, self.expect(1, "verify").out)
                finally:
                    self.primary.sql(undo)
        self.expect(0, "verify")


class Words(TamperedCase):
    """What was said of four profiles of a branch, and of the cost of a change."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.ingest_main(4)
        slow = cls.profile("c", "--kind", "tpu", "--seed", "9", "--slow-op", "attention=3")
        cls.gate = ("gate", *SCOPE, "--branch", "topic", "--commit", "c" * 40, slow)
        case.expect(1, *cls.gate)
        case.expect(0, "accept", "v1", "--reason", "agreed")
        case.expect(0, "rebaseline", "s1", "--after", "p1", "--reason", "a new level")
        case.expect(0, "retract", "p2", "--reason", "a noisy host")
        case.expect(0, *cls.gate)

    def test_words_put_in_or_changed_decide_nothing(self):
        trend = ("trend", *SCOPE, "--measure", "step_median", "--branch", "main")
        junk = "UPDATE entries SET content_sha256 = sha256('x') WHERE kind = "
        for table, change, said, commands in (
                ("amendments", "UPDATE amendments SET reason = 'another'",
                 "m1, a word about p2, is not what was recorded (content)",
                 (self.gate, trend, ("show", "p2"))),
                ("entries", f"{junk} 'amendment'", "m1, a word about p2, is not what was recorded",
                 (self.gate,)),
                ("entries", "DELETE FROM entries WHERE kind = 'amendment'",
                 "m1, a word about p2, has no entry on a chain", (trend,)),
                ("origins", "INSERT INTO origins VALUES ('amendment', 1, now(), 'somebody')",
                 "m1, a word about p2, is not what was recorded", (self.gate,)),
                ("profile_events", "UPDATE profile_events SET label = 'main' WHERE id = 4",
                 "e4, a word about p4, is not what was recorded", (("show", "p4"),)),
                ("entries", f"{junk} 'event' AND subject_id = 4",
                 "e4, a word about p4, is not what was recorded", (self.gate, trend)),
                ("acceptances", "UPDATE acceptances SET reason = 'another'",
                 "a1 is not what was recorded (content)", (self.gate,)),
                ("entries", f"{junk} 'rebaseline'", "r1 is not what was recorded (content)",
                 (self.gate, trend))):
            for command in commands:
                with self.subTest(change=change, command=command[0]):
                    self.changed(table, change, command, said)
        self.expect(0, *self.gate)
        self.expect(0, "verify")

    def test_words_said_anew_hold(self):
        """The owner's correction with a hash of nothing stops the gate until people speak."""
        self.primary.sql(
            "SET ROLE stepledger_owner; INSERT INTO amendments (profile_id, ordinal, action, "
            "reason, series_id, run, branch_after, commit_after, label_after, retracted) "
            "SELECT id, 1, 'retract', 'hidden', series_id, run, 0, 0, 0, true FROM profiles "
            "WHERE id = 3; SELECT entry_append('amendment', max(id), sha256('x'), NULL) "
            "FROM amendments")
        refused = self.expect(65, *self.gate).err
        self.assertIn("m2, a word about p3, is not what was recorded", refused)
        self.assertIn("`retract --undo`", refused)
        self.expect(0, "retract", "p3", "--undo", "--reason", "nobody meant it")
        self.expect(0, *self.gate)
        self.assertIn("m2", self.expect(1, "verify").out)


if __name__ == "__main__":
    unittest.main()
