"""The commands around the ledger's integrity: log, checkpoint, verify, export, import, check."""

import json
import subprocess
import unittest

from cli_case import LedgerCase

SCOPE = ["--project", "p", "--workload", "w"]
TRACK = {"recorded_at_utc": "2026-01-01T00:00:00Z", "label": None,
         "assessment": {"status": "warn", "failures": [], "warnings": ["slow"]}}


class Integrity(LedgerCase):
    """A ledger with two profiles, one of them ingested twice, and a verdict."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        for seed in ("1", "2", "3"):
            case.ingest("--branch", "main", "--run", f"r{seed}",
                        cls.profile(f"m{seed}", "--kind", "tpu", "--seed", seed))
        case.ingest("--label", "again", cls.profile("m1"))
        case.call("gate", *SCOPE, "--branch", "topic",
                  cls.profile("c", "--kind", "tpu", "--seed", "9"))

    def test_logs_entries_newest_first(self):
        entries = self.expect(0, "log", "--format", "json").document["entries"]
        self.assertTrue({"profile", "event", "verdict"} <= {e["kind"] for e in entries})
        chain = [e["position"] for e in entries if e["chain"] == "s1"]
        self.assertEqual(chain, sorted(chain, reverse=True))
        self.expect(6, "log", "--series", "s99")
        self.expect(2, "log", "--last", "0")

    def key(self, name):
        path = self.folder / name
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)],
                       check=True)
        return path

    def test_signs_the_checkpoints_of_the_scheduler(self):
        other = self.second("scheduled")
        self.expect(0, "ingest", *SCOPE, self.profile("m1"), environment=other)
        self.expect(0, "checkpoint", environment=other)
        signing = {**other, "STEPLEDGER_CHECKPOINT_KEY": str(self.key("scheduler.pem"))}
        self.expect(0, "work", "schedule", "--once", environment=signing)
        document = self.expect(0, "checkpoint", environment=other).document
        self.assertEqual(document["id"], "c2")
        trust = {**other, "STEPLEDGER_CHECKPOINT_TRUST": document["public_key"]}
        self.expect(0, "verify", environment=trust)
        self.assertEqual(
            self.expect(0, "migrate", environment=other).document["chained"], 0)

    def test_asks_a_trusted_signature_of_the_last_checkpoint(self):
        other = self.second("unsigned")
        self.expect(0, "ingest", *SCOPE, self.profile("m1"), environment=other)
        self.expect(0, "checkpoint", environment=other)
        trust = {**other, "STEPLEDGER_CHECKPOINT_TRUST": "A" * 43 + "="}
        self.assertIn("not signed", self.expect(1, "verify", environment=trust).out)

    def test_verifies_against_a_signed_checkpoint(self):
        key, kept = self.key("key.pem"), self.folder / "kept.json"
        environment = {"STEPLEDGER_CHECKPOINT_KEY": str(key)}
        self.expect(0, "checkpoint", "--output", kept, environment=environment)
        document = json.loads(kept.read_text())
        self.assertEqual(document["schema_version"], "checkpoint.v1")
        self.assertIn("clean", self.expect(0, "verify", "--against", kept).out)
        trust = {"STEPLEDGER_CHECKPOINT_TRUST": document["public_key"]}
        self.expect(0, "verify", "--against", kept, environment=trust)
        other = {"STEPLEDGER_CHECKPOINT_TRUST": "A" * 43 + "="}
        self.expect(65, "verify", "--against", kept, environment=other)
        self.expect(0, "verify", environment=trust)
        self.assertIn("signed by key", self.expect(1, "verify", environment=other).out)
        self.changed_checkpoints_are_refused(document)

    def changed_checkpoints_are_refused(self, document):
        """Any change of a signed document."""
        bad = self.folder / "bad.json"
        for change in ({"id": "c9"}, {"recorded_at_utc": "2020"}, {"root_sha256": "0" * 64},
                       {"heads": document["heads"][1:]}, {"signature": "AAAA"},
                       {"schema_version": "checkpoint.v2"}):
            bad.write_text(json.dumps({**document, **change}))
            self.expect(65, "verify", "--against", bad)
        bad.write_text(json.dumps({**document, "heads": [
            {**head, "position": head["position"] + 5} for head in document["heads"]]}))
        self.expect(65, "verify", "--against", bad)

    def test_exports_and_imports_the_same_documents(self):
        first, again = self.folder / "first.jsonl", self.folder / "again.jsonl"
        history = self.folder / "history.jsonl"
        history.write_text(json.dumps(TRACK) + "\n" + '{"recorded_at')
        said = self.expect(0, "import", *SCOPE, history)
        self.assertIn("torn", said.err)
        self.assertEqual(said.document["tracks"], 1)
        self.decide()
        self.expect(0, "export", "--output", first)
        environment = self.second("other")
        done = self.expect(0, "import", first, environment=environment).document
        self.assertEqual((done["profiles"], done["verdicts"], done["tracks"]), (6, 3, 1))
        lines = [json.loads(line) for line in first.read_text().splitlines()]
        for count in ("profiles", "verdicts", "decisions", "deliveries", "tracks"):
            self.assertEqual(done[count], lines[-1][count], count)
        self.assertEqual(done["left_out"], 0)
        self.assertGreaterEqual(done["deliveries"], 1)
        self.assertEqual([line["action"] for line in lines if line["type"] == "alert_move"],
                         ["regress", "acknowledge", "silence", "reopen", "regress", "accept"])
        self.expect(0, "export", "--output", again, environment=environment)
        self.assertEqual(first.read_text(), again.read_text())
        for entry in ("p1", "p4", "v1"):
            self.assertEqual(self.expect(0, "show", entry).out,
                             self.expect(0, "show", entry, environment=environment).out)
        self.expect(0, "verify", environment=environment)
        alerts = ("list", "alerts", "--status", "all", "--format", "json")
        self.assertIn("moved_at_utc", self.expect(0, *alerts).out)
        self.assertEqual(self.expect(0, *alerts).out,
                         self.expect(0, *alerts, environment=environment).out)
        known = self.expect(0, "import", first, environment=environment).document
        self.assertEqual((known["profiles"], known["verdicts"], known["tracks"]), (0, 0, 0))
        self.assertEqual((known["decisions"], known["deliveries"]), (0, 0))
        self.expect(0, "export", "--output", again, environment=environment)
        self.assertEqual(first.read_text(), again.read_text())
        self.import_what_an_older_program_exported(lines)

    def import_what_an_older_program_exported(self, lines):
        """It said neither when and by whom decisions were made, nor the hosts of captures."""
        older = self.folder / "older.jsonl"
        for line in lines:
            line.pop("hosts", None)
            if line["type"] in ("acceptance", "alert_move", "rebaseline", "change_point", "track"):
                del line["recorded_at_utc"]
            if line["type"] in ("rebaseline", "change_point", "track"):
                del line["by"]
            if line["type"] == "rebaseline" and line["after"] is not None:
                del line["of"]
            if line["type"] == "end":
                del line["parts"]
        older.write_text("\n".join(map(json.dumps, lines)) + "\n")
        environment = self.second("older")
        refused = self.expect(65, "import", older, environment=environment)
        self.assertIn("has no manifest", refused.err)
        done = self.expect(0, "import", "--unsealed", older, environment=environment)
        self.assertIn("has no manifest", done.err)
        done = done.document
        for count in ("profiles", "verdicts", "decisions"):
            self.assertEqual(done[count], lines[-1][count], count)
        self.expect(0, "verify", environment=environment)

    def test_keeps_the_export_of_before_when_it_fails(self):
        kept = self.folder / "kept.jsonl"
        self.expect(0, "export", "--output", kept)
        before = kept.read_bytes()
        self.expect(69, "export", "--output", kept, "--db", "host=/nonexistent")
        self.assertEqual(kept.read_bytes(), before)
        self.expect(65, "export", "--output", self.folder)
        self.expect(75, "export", "--output", "/dev/full")
        self.expect(6, "export", "--output", self.folder / "none" / "x.jsonl")
        self.expect(0, "export", "--output", kept)
        self.assertEqual([path.name for path in self.folder.glob("kept.*")], ["kept.jsonl"])

    def test_a_decision_without_a_reason_is_refused(self):
        path = self.folder / "unreasoned.jsonl"
        for line in ({"type": "acceptance", "verdict": "v1", "change_key": "k", "reason": ""},
                     {"type": "rebaseline", "after": "p1", "reason": " "}):
            path.write_text(json.dumps(line) + "\n")
            refused = self.expect(65, "import", "--unsealed", path)
            self.assertIn("unreasoned.jsonl:1: it has no reason", refused.err)

    def decide(self):
        """A change that is taken, a new level, and one that was confirmed, taken back, confirmed
        again in the same words."""
        self.gate_slow("12")
        for word in (["acknowledge"], ["silence", "--for", "3600"], ["reopen"]):
            self.expect(0, "alert", word[0], "v2", *word[1:], "--reason", "we know")
        self.gate_slow("13")
        self.expect(0, "accept", "v2", "--reason", "it pays")
        self.expect(0, "accept", "v2", "--reason", "it pays")
        self.expect(0, "rebaseline", "s1", "--after", "p1", "--reason", "drivers")
        self.expect(0, "rebaseline", "s1", "--withdraw", "--reason", "other ones")
        for more in ((), ("--withdraw",), ()):
            self.expect(0, "rebaseline", "s1", "--at", "p3", "--reason", "compiler", *more)

    def gate_slow(self, seed):
        """A verdict of one alert, whose message nobody takes."""
        config = self.folder / "hook.conf"
        config.write_text("notify = hook\n[destination hook]\nkind = webhook\n"
                          "url = http://127.0.0.1:1/\nallow_http = yes\n"
                          "allow_addresses = 127.0.0.0/8\n")
        self.expect(1, "gate", *SCOPE, "--branch", "slow", "--baseline", "r1", "--baseline", "r2",
                    "--baseline", "r3", "--config", config,
                    self.profile(f"slow{seed}", "--kind", "tpu", "--seed", seed, "--slow-op",
                                 "attention=1.9"))
        self.call("work", "alert", "--once", "--config", config)

    def test_says_what_it_cannot_import(self):
        bad = self.folder / "bad.jsonl"
        for text, code in (('{"type": "profile", "id": "p1"}\n', 65), ('{"a": 1}\n', 65),
                           ("nonsense\n{}\n", 65), ('{"type": "export"}\n', 65)):
            bad.write_text(text)
            result = self.expect(code, "import", "--unsealed", *SCOPE, bad)
            self.assertIn("bad.jsonl:1", result.err)
        self.say_what_is_wrong_with_lines(bad)
        bad.write_text(json.dumps(TRACK) + "\n")
        self.assertIn("--project", self.expect(2, "import", bad).err)
        self.expect(6, "import", self.folder / "nowhere.jsonl")

    def say_what_is_wrong_with_lines(self, bad):
        """Lines of an export that no export has; nothing of them is stored."""
        receipt = {"type": "delivery", "message": 1, "destination": "d", "dedupe_key": "k",
                   "verdict": None, "attempt": 1, "outcome": "done", "http_status": 200,
                   "reason": None, "remote_ref": None, "recorded_at_utc": "2026-01-01T00:00:00Z"}
        move = {"type": "alert_move", "project": "p", "workload": "w", "branch": "b",
                "verdict": "v1", "from": None, "to": "open", "action": "regress",
                "good_count": 0, "reason": None, "by": None, "until_utc": None}
        lines = [{**receipt, member: value} for member, value in (
            ("outcome", "lost"), ("recorded_at_utc", "2026-13-01"), ("attempt", 2 ** 31),
            ("message", -1), ("verdict", "v1"), ("dedupe_key", None))]
        lines += [move, {**move, "verdict": None}, {"type": "profile", "id": "p0"}]
        for line in lines:
            bad.write_text('{"type": "export", "schema_version": "export.v1"}\n' +
                           json.dumps(line) + "\n")
            self.assertIn("bad.jsonl:2", self.expect(65, "import", "--unsealed", bad).err)

    def test_reads_a_history_from_the_ledger_as_from_a_file(self):
        history = self.folder / "tracks.jsonl"
        history.write_text(json.dumps(TRACK) + "\n")
        scope = ["--project", "q", "--workload", "w"]
        self.expect(0, "import", *scope, history)
        from_file = self.expect(0, "history", "--history", history).document
        from_ledger = self.expect(0, "history", *scope).document
        del from_file["history_path"], from_ledger["history_path"]
        self.assertEqual(from_file, from_ledger)

    def test_checks_the_configuration_and_the_database(self):
        found = self.call("check", environment={"STEPLEDGER_WORKERS": "3"})
        self.assertRegex(found.out, r"workers +3 +environment STEPLEDGER_WORKERS")
        self.assertRegex(found.out, r"synchronous_commit on")
        away = self.expect(1, "check", "--db", "host=/nonexistent dbname=x")
        self.assertIn("! cannot reach the database", away.out)

    def test_finds_what_changed(self):
        report = self.expect(0, "verify", "--format", "json").document
        self.assertTrue(report["clean"])
        self.assertGreater(report["entry_count"], 6)


if __name__ == "__main__":
    unittest.main()
