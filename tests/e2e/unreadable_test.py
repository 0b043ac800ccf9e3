"""Who may store profiles may store one that nobody can read: it is left out, with its name."""

import json
import pathlib
import sys
import time
import unittest

from cli_case import BINARY, SANITIZED, TIMEOUT_S
from server_case import ServerCase

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import peak_memory  # noqa: E402

SCOPE = ["--project", "p", "--workload", "w"]
HEADER = ("int8send(p.id)", "textsend(j.name)", "textsend(s.workload)", "textsend(s.device_type)",
          "int8send(s.device_count)", "int8send(s.host_count)", "textsend(s.topology)",
          "int8send(s.definition_version)", "int8send(p.project_id)", "int8send(p.series_id)",
          "textsend(p.run)", "p.trace_sha256", "textsend(p.schema_version)",
          "textsend(p.source_format)", "textsend(p.source_path)", "textsend(p.producer_version)",
          "textsend(p.breakdown_mode)", "timestamptz_send(p.recorded_at)",
          "textsend(p.recorded_by)")
FACT = ("int8send(f.profile_id)", "textsend(f.name)", "textsend(f.value)", "textsend(f.source)")
EVENT = ("int8send(v.id)", "int8send(v.profile_id)", "textsend(v.branch)",
         "textsend(v.commit_sha)", "textsend(v.label)", "timestamptz_send(v.recorded_at)",
         "textsend(v.recorded_by)")
SECTIONS = ("profile", "summary", "files", "hosts", "facts", "programs", "devices", "steps",
            "spans", "ops", "signatures", "measures")
LAST = "(SELECT max(id) FROM profiles)"


def row_bytes(cells):
    """The canonical bytes of a row, as SQL."""
    return f"int2send({len(cells)}::int2) || " + " || ".join(
        f"coalesce(int4send(length({cell})) || {cell}, int4send(-1))" for cell in cells)


def content_of(kind, names, rows):
    """The content hash of the last one of a kind, as SQL: section -> (how many rows, their bytes).
    """
    nul = "'\\x00'::bytea"
    out = f"'stepledger.content.v1'::bytea || {nul} || '{kind}'::bytea || {nul}"
    for name in names:
        count, content = rows.get(name, ("0", None))
        digest = f"sha256({content})" if content else "decode(repeat('00', 32), 'hex')"
        out += f" || '{name}'::bytea || {nul} || int8send({count}) || {digest}"
    return f"sha256({out})"


def content_of_profile(has_summary):
    facts = f"FROM profile_facts f WHERE f.profile_id = {LAST}"
    rows = {
        "profile": ("1", f"(SELECT {row_bytes(HEADER)} FROM profiles p JOIN projects j "
                    "ON j.id = p.project_id JOIN series s ON s.id = p.series_id "
                    f"WHERE p.id = {LAST})"),
        "facts": (f"(SELECT count(*) {facts})",
                  f"(SELECT string_agg({row_bytes(FACT)}, '' ORDER BY f.name COLLATE \"C\") "
                  f"{facts})"),
    }
    if has_summary:
        document = row_bytes(("int8send(m.profile_id)", "textsend(m.document)"))
        rows["summary"] = ("1", f"(SELECT {document} FROM summaries m "
                           f"WHERE m.profile_id = {LAST})")
    return content_of("profile", SECTIONS, rows)


def stored(document, branch, commit, content=None, more=""):
    """A profile with p2's facts, as a worker's role stores it with SQL; document None: none."""
    words = content_of("event", ("event",), {
        "event": ("1", f"(SELECT {row_bytes(EVENT)} FROM profile_events v "
                  "ORDER BY v.id DESC LIMIT 1)")})
    summary = "" if document is None else \
        f"INSERT INTO summaries (profile_id, document) VALUES ({LAST}, '{document}'); "
    return (
        "SET ROLE stepledger_ingest; BEGIN; "
        "INSERT INTO profiles (project_id, series_id, run, trace_sha256, schema_version, "
        "source_format, breakdown_mode) SELECT project_id, series_id, 'junk ' || random(), "
        "sha256(random()::text::bytea), schema_version, source_format, breakdown_mode "
        f"FROM profiles WHERE id = 2; {summary}"
        f"INSERT INTO profile_facts (profile_id, name, value, source) SELECT {LAST}, name, value, "
        "source FROM profile_facts WHERE profile_id = 2; INSERT INTO profile_events (profile_id, "
        f"branch, commit_sha) VALUES ({LAST}, '{branch}', '{commit}'); "
        f"{more}; "
        f"INSERT INTO measures (profile_id, measure, series_id, value) SELECT {LAST}, measure, "
        f"series_id, value FROM measures WHERE profile_id = 2 AND {content is not None}; "
        f"SELECT entry_append('profile', {LAST}, {content or content_of_profile(document)}, NULL); "
        f"SELECT entry_append('event', max(id), {words}, NULL) FROM profile_events; COMMIT")


class JunkCase(ServerCase):
    """Four profiles of a branch, and what somebody put beside them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls().ingest_main(4)

    def junk(self, *arguments):
        self.primary.sql(stored(*arguments))
        return "p" + self.primary.sql("SELECT max(id) FROM profiles")[0]

    def gate(self, code, *arguments):
        return self.expect(code, "gate", *SCOPE, "--branch", "topic", "--commit", "c" * 40,
                           *arguments)

    def expect_below(self, most_mb, code, *arguments):
        """A command that takes no more memory; what it said."""
        done, peak_kb = peak_memory.run([BINARY, *arguments], TIMEOUT_S, self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertLess(peak_kb, (most_mb << 10) * (4 if SANITIZED else 1))
        return done.stderr


class Unreadable(JunkCase):
    """One of them."""

    def test_is_left_out_with_its_name(self):
        first = self.profile("c1", "--kind", "tpu", "--seed", "9")
        before = self.gate(0, first).document
        for document in ("no JSON", "{}", None):
            self.junk(document, "main", "d" * 40)
        named = self.junk("[]", "topic", "c" * 40)
        self.expect(0, "verify")
        after = self.gate(0, self.profile("c2", "--kind", "tpu", "--seed", "10"))
        for side, ids in (("baseline", before["baseline"]["profile_ids"]), ("candidate", None)):
            told = after.document[side]
            self.assertIn("left out: ", told["why"])
            self.assertTrue(ids is None or told["profile_ids"] == ids, told)
            self.assertNotIn(named, told["profile_ids"])
        self.assertIn("3 profiles cannot be relied on (", after.document["baseline"]["why"])
        self.assertIn("event=profile_left_out", after.err)
        self.assertIn("was stored without a summary", after.err)
        # who asks for it by its name is told
        self.assertIn(f"`stepledger retract {named}`", self.gate(65, named).err)

    def test_one_whose_entry_has_another_hash_is_left_out(self):
        """No gate, trend, canary or export waits until somebody has retracted it."""
        candidate = self.profile("h1", "--kind", "tpu", "--seed", "9")
        before = self.gate(0, candidate).document
        good = self.primary.sql("SELECT document FROM summaries WHERE profile_id = 2")[0]
        document = good.replace("'", "''")
        on_main, other = (self.junk(document, "main", "e" * 40, "sha256('another')")
                          for _ in range(2))
        of_commit = self.junk(document, "topic", "c" * 40, "sha256('another')")
        after = self.gate(0, candidate)
        for side, ids in (("baseline", (on_main, other)), ("candidate", (of_commit,))):
            self.assertEqual(after.document[side]["profile_ids"], before[side]["profile_ids"])
            self.assertRegex(after.document[side]["why"], "left out: .* cannot be relied on")
            for name in ids:
                self.assertIn(f"event=profile_left_out profile={name} why=\"{name} is not what was "
                              "recorded", after.err)
        self.expect(0, "amend", "p2", "--commit", "e" * 40, "--reason", "it was built of that one")
        told = self.gate(0, "--merge-base", "e" * 40, candidate)
        self.assertEqual(told.document["baseline"]["profile_ids"], ["p2"])
        self.assertIn(f"{on_main} is not what was recorded", told.err)
        for code, *words in ((6, "canary", *SCOPE), (0, "trend", *SCOPE), (0, "export")):
            with self.subTest(words[0]):  # a canary wants more runs than there are
                self.assertIn(f"{on_main} is not what was recorded", self.expect(code, *words).err)
        self.assertIn(f"{on_main} is not what was recorded", self.gate(65, on_main).err)
        self.expect(1, "verify")

    def test_an_export_goes_on_without_it(self):
        junk = self.junk('{"schema_version": 5}', "main", "d" * 40)
        path = self.folder / "export.jsonl"
        told = self.expect(0, "export", "--output", path).err
        self.assertIn(f"event=profile_left_out profile={junk} why=", told)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        [line] = [line for line in lines if line.get("id") == junk]
        self.assertIsNone(line["document"])
        self.assertIn("'schema_version' must be", line["unreadable"])
        self.assertIn(f"{junk} is left out: ",
                      self.expect(0, "import", path).err)
        self.expect(0, "retract", junk, "--reason", "nobody knows what it is")

    def test_one_that_fills_the_memory_is_left_out(self):
        large = self.junk('{"a": [\' || repeat(\'[],\', 1500000) || \'1]}', "main", "d" * 40)
        told = self.gate(0, self.profile("f1", "--seed", "31"), "--max-memory-mb", "64")
        self.assertIn(f'event=profile_left_out profile={large} why="{large} needs more than half '
                      f"of max_memory_mb; `stepledger retract {large}` says", told.err)
        self.assertGreaterEqual(told.document["baseline"]["run_count"], 4)

    def test_too_many_facts_are_left_out(self):
        facts = ("INSERT INTO profile_facts (profile_id, name, value, source) SELECT "
                 f"{LAST}, 'large ' || n, repeat('x', %d), '' FROM generate_series(1, %d) n")
        for size, count in ((9000000, 4), (1, 20000)):
            fat = self.junk("{}", "main", "d" * 40, None, facts % (size, count))
            told = self.gate(0, self.profile("f2", "--seed", "41"), "--max-memory-mb", "64")
            self.assertIn(f"{fat} tells more facts than there is room for", told.err)
            self.assertGreaterEqual(told.document["baseline"]["run_count"], 1)

    def test_too_many_measures_are_left_out(self):
        """They are read of many profiles at once."""
        measures = (f"INSERT INTO measures (profile_id, measure, series_id, value) SELECT {LAST}, "
                    "1000 + n, (SELECT series_id FROM profiles WHERE id = 2), 1 "
                    "FROM generate_series(1, 200000) n")
        junk = self.junk("{}", "main", "d" * 40, "sha256('another')", measures)
        words = f"{junk} was stored with more than 1000 measures; `stepledger retract {junk}`"
        candidate = self.profile("f3", "--seed", "43")
        self.assertIn(words, self.gate(0, candidate).err)
        for code, *command in ((6, "canary", *SCOPE), (0, "trend", *SCOPE)):
            with self.subTest(command[0]):
                self.assertIn(words, self.expect_below(40, code, *command))
        self.expect(0, "retract", junk, "--reason", "it is none of ours")

    def test_a_document_beyond_the_memory_is_not_fetched(self):
        large = self.junk('{"a": "\' || repeat(\'x\', 60000000) || \'"}', "main", "d" * 40)
        for code, *words in ((0, "gate", "--branch", "topic", "--commit", "c" * 40,
                              self.profile("f4", "--seed", "47")), (6, "canary")):
            with self.subTest(words[0]):
                told = self.expect_below(60, code, *words, *SCOPE, "--max-memory-mb", "32")
                self.assertIn(f"{large} has a document of 60000009 bytes, more than max_memory_mb "
                              f"leaves to check it; `stepledger retract {large}` says", told)
        self.assertIn(f"the document of {large} has 60000009 bytes, more than the ",
                      self.expect(65, "show", large, "--max-memory-mb", "32").err)
        self.expect(0, "retract", large, "--reason", "it is none of ours")

    def test_what_was_judged_of_others_is_not_looked_into(self):
        """Verdicts that a judge's login stored before the server asked for JSON."""
        topic = ["--branch", "topic", "--commit", "b" * 40]
        paths = [self.profile(f"j{seed}", "--seed", str(seed)) for seed in (21, 22)]
        self.expect(0, "gate", *SCOPE, *topic, paths[0])
        for table in ("verdicts", "verdict_requests"):
            self.primary.sql(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {table}_document")
        self.primary.sql(
            "SET session_replication_role = replica; "
            "INSERT INTO verdicts (id, project_id, workload, status, document) "
            "SELECT 900 + n, project_id, workload, status, 'no JSON' FROM verdicts CROSS JOIN "
            "generate_series(1, 50) AS n WHERE id = 1; INSERT INTO verdict_requests "
            "SELECT 900 + n, policy, 'no JSON' FROM verdict_requests "
            "CROSS JOIN generate_series(1, 50) AS n WHERE verdict_id = 1; "
            "INSERT INTO verdict_inputs SELECT 900 + n, 'candidate', 0, 1 "
            "FROM generate_series(1, 50) AS n")
        self.expect(0, "gate", *SCOPE, *topic, paths[1])

    def test_the_junk_of_an_older_ledger_ends_nothing(self):
        """What was stored before the server refused it."""
        topic = ["--branch", "old", "--commit", "a" * 40]
        path = self.profile("o1", "--seed", "51")
        self.expect(0, "gate", *SCOPE, *topic, path)
        junk = ("{}", "[]", "no JSON", '{"candidate": {"step_median_us": "fast"}}')
        for table, name in (("verdicts", "document"), ("verdict_requests", "document"),
                            ("measures", "value")):
            self.primary.sql(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {table}_{name}")
        self.addCleanup(lambda: self.primary.sql(
            "SET session_replication_role = replica; DELETE FROM verdicts WHERE id > 700; "
            "DELETE FROM verdict_inputs WHERE verdict_id > 700; "
            "DELETE FROM verdict_requests WHERE verdict_id > 700"))
        for number, document in enumerate(junk):
            self.primary.sql(
                "SET session_replication_role = replica; "
                "INSERT INTO verdicts (id, project_id, workload, status, document) "
                f"SELECT 701 + {number}, project_id, workload, 'fail', '{document}' FROM verdicts "
                f"WHERE id = 1; INSERT INTO verdict_requests SELECT 701 + {number}, policy, "
                f"'{document}' FROM verdict_requests WHERE verdict_id = 1; "
                f"INSERT INTO verdict_inputs SELECT 701 + {number}, side, ordinal, profile_id "
                "FROM verdict_inputs WHERE verdict_id = 1")
        for profile, value in ((2, "NaN"), (3, "1e308"), (4, "-Infinity")):
            self.primary.sql("SET session_replication_role = replica; UPDATE measures SET value = "
                             f"'{value}' WHERE profile_id = {profile}")
        self.assertIn("p2 was stored with a measure that nobody can reckon with",
                      self.expect(0, "gate", *SCOPE, *topic, path).err)
        for noun in ("profiles", "runs", "verdicts", "changes", "alerts", "reports"):
            with self.subTest(noun):
                self.expect(0, "list", noun, "--project", "p")
        for view in ("runs", "measures", "verdicts", "alerts", "changes", "reports"):
            with self.subTest(view):
                self.primary.sql(f"SELECT * FROM data_{view}")
        for words in (("trend", *SCOPE), ("trend", *SCOPE, "--group-by", "op"), ("history", *SCOPE),
                      ("trend", *SCOPE, "--group-by", "measure"), ("status",),
                      ("report", "--project", "p", "--period", "week"), ("alert", "list")):
            with self.subTest(words=words):
                self.expect(0, *words)
        path = self.folder / "junk.jsonl"
        self.assertIn("event=verdict_left_out verdict=v703 why=",
                      self.expect(0, "export", "--output", path).err)
        self.assertIn("v701 is left out: ", self.expect(0, "import", path).err)


class Crowds(JunkCase):
    """So many that a ledger full of them slows what else is asked of it."""

    def test_many_large_ones_of_the_commit_are_left_out(self):
        """None of them alone fills the memory, and each can be read and compared."""
        names = ["--branch", "wide", "--commit", "b" * 40]
        self.expect(0, "ingest", *SCOPE, *names, self.profile("w1", "--kind", "tpu", "--seed", "8"))
        mine = "p" + self.primary.sql("SELECT max(id) FROM profiles")[0]
        document = self.expect(0, "summarize", "--profile-dir",
                               self.profile("w3", "--kind", "tpu", "--seed", "11")).document
        document["ops"][0]["name"] = "long name"
        document = json.dumps(document).replace("'", "''").replace(
            "long name", "' || repeat('x', 5000000) || '")
        large = [self.junk(document, "wide", "b" * 40) for _ in range(12)]
        told = self.expect(0, "gate", *SCOPE, *names, "--max-memory-mb", "64",
                           self.profile("w2", "--kind", "tpu", "--seed", "10"))
        ids = told.document["candidate"]["profile_ids"]
        left_out = [name for name in large if name not in ids]
        self.assertIn(mine, ids)
        self.assertGreater(len(left_out), 1)
        self.assertRegex(told.document["candidate"]["why"],
                         rf"; left out: {len(left_out)} profiles \(p\d+ first\) did not fit into "
                         "max_memory_mb beside the others")
        for name in left_out:
            self.assertIn(f"event=profile_left_out profile={name} why=\"beside the commit's other "
                          "runs it does not fit", told.err)

    def test_many_small_ones_take_no_others_place(self):
        """More than are judged of one commit, stored behind one that somebody measured: some that
        cannot be read, some that cannot be compared."""
        names = ["--branch", "crowd", "--commit", "9" * 40]
        self.expect(0, "ingest", *SCOPE, *names,
                    self.profile("q1", "--kind", "tpu", "--seed", "53"))
        mine = "p" + self.primary.sql("SELECT max(id) FROM profiles")[0]
        junk = stored("{}", "crowd", "9" * 40)
        other = junk.replace("source_format, breakdown_mode FROM",
                             "source_format, 'exclusive_global' FROM")
        for _ in range(30):
            self.primary.sql("; ".join([junk] * 4 + [other] * 5))
        path = self.profile("q2", "--kind", "tpu", "--seed", "54")
        told = self.expect(0, "gate", *SCOPE, *names, path).document["candidate"]
        self.assertEqual(len(told["profile_ids"]), 2)
        self.assertIn(mine, told["profile_ids"])
        self.assertTrue(told["why"].startswith("all comparable runs of commit 999999999999"))
        self.assertIn("left out: 120 profiles cannot be relied on (p", told["why"])

    def test_of_very_many_runs_the_newest_are_judged(self):
        """All of them can be compared."""
        names = ["--branch", "many", "--commit", "8" * 40]
        self.expect(0, "ingest", *SCOPE, *names,
                    self.profile("n1", "--kind", "tpu", "--seed", "51"))
        oldest = self.primary.sql("SELECT max(id) FROM profiles")[0]
        same = stored("' || (SELECT document FROM summaries WHERE profile_id = 2) || '", "many",
                      "8" * 40)
        for _ in range(8):
            self.primary.sql("; ".join([same] * 13))
        ids = [f"p{line}" for line in
               self.primary.sql(f"SELECT id FROM profiles WHERE id >= {oldest} ORDER BY id")]
        path = self.profile("n2", "--kind", "tpu", "--seed", "52")
        told = self.expect(0, "gate", *SCOPE, *names, path).document["candidate"]
        self.assertEqual(len(told["profile_ids"]), 101)
        self.assertEqual(set(ids[5:]) - set(told["profile_ids"]), set())
        self.assertTrue(told["why"].startswith("the newest comparable runs of commit 888888888888"))
        self.assertIn(f"; left out: 5 profiles of the commit ({ids[4]} and before), as no "
                      "more than the newest 100 that can be compared are judged", told["why"])


class InTrends(ServerCase):
    """What trends and reports pass over is told, and looked at once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls().ingest_main(4)

    def test_each_workload_of_a_report_tells_its_own(self):
        for workload in ("x", "y", "z"):
            self.expect(0, "ingest", "--project", "p", "--workload", workload, "--branch", "main",
                        *(self.profile(f"{workload}{seed}", "--kind", "tpu", "--seed", str(seed))
                          for seed in range(61, 65)))
        junk = []
        for first in self.primary.sql("SELECT min(p.id) FROM profiles p JOIN series s ON s.id = "
                                      "p.series_id GROUP BY s.workload ORDER BY s.workload"):
            for _ in range(3):
                text = stored("{}", "main", "d" * 40, "sha256('another')")
                self.primary.sql(text.replace("= 2 ", f"= {first} ").replace("= 2;", f"= {first};"))
                junk.append("p" + self.primary.sql("SELECT max(id) FROM profiles")[0])
        for words in (["report", "--project", "p", "--period", "week"],
                      ["trend", "--project", "p", "--group-by", "workload"]):
            told = self.expect(0, *words)
            left_out = [line for line in told.err.splitlines() if "event=profile_left_out" in line]
            for name in junk:
                with self.subTest(f"{words[0]} {name}"):
                    self.assertEqual(sum(f'why="{name} ' in line for line in left_out), 1)

    def test_a_breakdown_by_measure_looks_at_each_once(self):
        """A profile that is none is asked for again by no other measure: 60 of them took 9 s."""
        junk = stored("{}", "main", "d" * 40, "sha256('another')")
        self.primary.sql("; ".join([junk] * 60))
        took = []
        for words in (["trend"], ["trend", "--group-by", "measure"]):
            began = time.monotonic()
            told = self.expect(0, *words, *SCOPE)
            took.append(time.monotonic() - began)
            self.assertGreaterEqual(told.err.count("event=profile_left_out"), 60)
        self.assertLess(took[1], 5 * took[0] + 1)


if __name__ == "__main__":
    unittest.main()
