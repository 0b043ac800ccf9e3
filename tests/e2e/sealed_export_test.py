"""What leaves the ledger is sealed: an export that was changed or cut off is not imported."""

import hashlib
import json
import subprocess
import unittest

from cli_case import BINARY, LedgerCase
from queue_case import Hold

SCOPE = ["--project", "p", "--workload", "w"]


def sealed_again(lines):
    """What somebody without the key can do: the manifest of changed lines, made anew."""
    parts = []
    for line in lines[:-1]:
        kind = json.loads(line)["type"]
        if not parts or parts[-1][0] != kind:
            parts.append((kind, []))
        parts[-1][1].append(line)
    end = json.loads(lines[-1])
    end["parts"] = [{"type": kind, "lines": len(held),
                     "sha256": hashlib.sha256("".join(held).encode()).hexdigest()}
                    for kind, held in parts]
    return [*lines[:-1], json.dumps(end) + "\n"]


class SealedExport(LedgerCase):
    """A ledger with three profiles and a failing verdict; one that takes nothing of bad files."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.ingest_main(3)
        case.expect(1, "gate", *SCOPE, "--branch", "slow", "--baseline", "p1", "--baseline", "p2",
                    "--baseline", "p3", cls.profile("slow", "--kind", "tpu", "--seed", "9",
                                                    "--slow-op", "attention=1.9"))
        cls.key = cls.folder / "key.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(cls.key)],
                       check=True)
        case.expect(0, "export", "--output", cls.folder / "plain.jsonl")
        case.expect(0, "export", "--output", cls.folder / "signed.jsonl",
                    environment={"STEPLEDGER_CHECKPOINT_KEY": str(cls.key)})
        cls.plain, cls.signed = ((cls.folder / f"{name}.jsonl").read_text().splitlines(True)
                                 for name in ("plain", "signed"))
        cls.other = {**cls.environment, "XDG_DATA_HOME": str(cls.folder / "other")}
        (cls.folder / "other").mkdir()
        (cls.folder / "other").chmod(0o777)
        cls.trust = {"STEPLEDGER_CHECKPOINT_TRUST": json.loads(cls.signed[-1])["public_key"]}

    @classmethod
    def tearDownClass(cls):
        cls().call("db", "stop", environment=cls.other)
        super().tearDownClass()

    def refused(self, lines, said, environment=None):
        """Exit 65 that says so, and nothing of the file is in the ledger."""
        file = self.folder / "file.jsonl"
        file.write_text("".join(lines))
        environment = {**self.other, **(environment or {})}
        result = self.expect(65, "import", file, environment=environment)
        self.assertIn(said, result.err)
        listed = self.expect(0, "list", "profiles", "--format", "json", environment=self.other)
        self.assertEqual(listed.document["rows"], [])

    def test_says_what_is_in_it(self):
        end = json.loads(self.plain[-1])
        self.assertEqual([(part["type"], part["lines"]) for part in end["parts"]],
                         [("export", 1), ("series", 1), ("profile", 4), ("verdict", 1),
                          ("alert_move", 1)])
        self.assertEqual(json.loads(sealed_again(self.plain)[-1]), end)
        self.assertIsNone(end["signature"])
        self.assertIsNotNone(json.loads(self.signed[-1])["signature"])

    def test_refuses_one_that_is_cut_off(self):
        whole = "".join(self.plain)
        for bytes_left in (len(whole) // 3, len(whole) - len(self.plain[-1]), len(whole) - 3):
            self.refused([whole[:bytes_left]], "is cut off")
        self.refused(self.plain[:1], "is cut off")
        for line in range(1, len(self.plain) - 1):
            self.refused(self.plain[:line] + self.plain[line + 1:],
                         "taken out or put in. Nothing of it was imported")
        self.refused(self.plain[1:], "its first lines are missing")

    def test_refuses_one_that_was_changed(self):
        at = next(i for i, line in enumerate(self.plain) if '"type": "verdict"' in line)
        self.assertIn('"status": "fail"', self.plain[at])
        passed = self.plain[at].replace('"status": "fail"', '"status": "pass"')
        changed = [*self.plain[:at], passed, *self.plain[at + 1:]]
        self.refused(changed, f"lines {at + 1} to {at + 1} (verdict) are not what was exported")
        header = self.plain[0].replace("true", "false")
        self.refused([header, *self.plain[1:]], "lines 1 to 1 (export)")
        twice = [*self.plain[:3], self.plain[2], *self.plain[3:]]
        self.refused(twice, "not what was exported")
        swapped = [*self.plain[:2], self.plain[3], self.plain[2], *self.plain[4:]]
        self.refused(swapped, "lines 3 to 6 (profile)")
        self.refused([*self.plain, self.plain[2]], "is cut off")
        self.refused([*self.plain[:-1], self.plain[-2], self.plain[-1]], "does not name")

    def test_a_manifest_made_anew_has_no_signature(self):
        at = next(i for i, line in enumerate(self.signed) if '"type": "verdict"' in line)
        passed = self.signed[at].replace('"status": "fail"', '"status": "pass"')
        again = sealed_again([*self.signed[:at], passed, *self.signed[at + 1:]])
        self.refused(again, "it was changed")
        end = {**json.loads(again[-1]), "signature": None, "public_key": None}
        self.refused([*again[:-1], json.dumps(end)], "is not signed", self.trust)
        self.refused(self.plain, "is not signed", self.trust)
        self.refused(self.signed, "is signed by key",
                     {"STEPLEDGER_CHECKPOINT_TRUST": "A" * 43 + "="})
        del end["parts"]
        self.refused([*again[:-1], json.dumps(end)], "has no manifest")

    def test_a_part_cannot_stand_for_the_ones_before_it(self):
        """What is signed has a line for each part: a type of two lines would make one of two."""
        end = json.loads(self.signed[-1])
        first, second = end["parts"][:2]
        end["parts"][:2] = [{**second, "type": f"{first['type']} {first['lines']} "
                                               f"{first['sha256']}\n{second['type']}"}]
        self.refused([*self.signed[1:-1], json.dumps(end)], "its first lines are missing")
        end["parts"].insert(0, {**first, "lines": 0})
        self.refused([*self.signed[:-1], json.dumps(end)], "parts of no export")

    def test_takes_what_is_whole_and_what_is_asked_for(self):
        taking, file = self.second("taking"), self.folder / "left.jsonl"
        file.write_text("".join(self.plain[:4]))
        said = self.expect(0, "import", "--unsealed", file, environment=taking)
        self.assertEqual(said.document["profiles"], 2)
        self.assertIn("is cut off", said.err)
        self.assertIn("taken as it is", said.err)
        self.assertNotIn("imported", said.err)
        said = self.expect(0, "import", self.folder / "signed.jsonl",
                           environment={**taking, **self.trust})
        self.assertEqual((said.document["profiles"], said.document["verdicts"]), (2, 1))
        self.assertEqual(said.err, "")
        self.expect(0, "verify", environment=taking)

    def changed_meanwhile(self, number, change):
        """An import that has checked its file, and waits to store line 3 while it is changed."""
        taking, file = self.second(f"meanwhile-{number}"), self.folder / "meanwhile.jsonl"
        file.write_text("".join(self.plain))
        self.expect(0, "ingest", *SCOPE, self.profile("m1"), environment=taking)
        url = self.expect(0, "db", "url", environment=taking).out.strip()
        with Hold(url, "p", "w") as hold:
            job = subprocess.Popen([BINARY, "import", str(file)], text=True,
                                   env={**self.environment, **taking}, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
            while not hold.waits_for_it():
                self.assertIsNone(job.poll())
            with file.open("r+") as handle:
                change(handle)
        said = job.communicate(timeout=60)[1]
        self.assertEqual(job.returncode, 65, said)
        self.assertIn("somebody is changing it", said)
        listed = self.expect(0, "list", "verdicts", "--format", "json", environment=taking)
        self.assertEqual(listed.document["rows"], [])
        self.expect(0, "import", self.folder / "plain.jsonl", environment=taking)
        self.expect(0, "verify", environment=taking)

    def test_a_file_that_changes_while_it_is_stored_is_not_stored(self):
        before = len("".join(self.plain[:6]))
        passed = self.plain[6].replace('"status": "fail"', '"status": "pass"')
        self.assertNotEqual(passed, self.plain[6])

        def lie(handle):
            handle.seek(before)
            handle.write(passed)

        def cut(handle):
            handle.truncate(before)

        self.changed_meanwhile(1, lie)
        self.changed_meanwhile(2, cut)

    def test_a_pipe_cannot_be_read_twice(self):
        done = subprocess.run(["sh", "-c", f"echo | {BINARY} import /dev/stdin"],
                              env=self.other, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 65)
        self.assertIn("write it to a file first", done.stderr)


if __name__ == "__main__":
    unittest.main()
