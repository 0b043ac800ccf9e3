"""Storing profiles through the binary: duplicates, bad input, kills, a dead database."""

import os
import pathlib
import random
import subprocess
import time
import unittest

from cli_case import ROOT, LedgerCase

SCOPE = ["--project", "p", "--workload", "w"]
KILLS = 12
MANGLED = "openxla__xprof__tpu_inference_2-utf8-mangled.xplane.pb"
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", ROOT.parent / "shared"))


class Ingest(LedgerCase):
    """One ledger; each test stores profiles of its own."""

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def rejected(self, code, path):
        """Ingests one bad path; returns the line that says why."""
        result = self.expect(code, "ingest", *SCOPE, path)
        rows = result.document["rejected"]
        self.assertEqual(len(rows), 1)
        self.assertEqual(result.document["profiles"], [])
        self.assertIn(pathlib.Path(path).name, rows[0]["error"])
        return rows[0]["error"]

    def test_gives_the_same_bytes_the_same_id(self):
        path = self.profile("twice", "--kind", "tpu", "--seed", "11")
        first, again = self.ingest(path)[0], self.ingest(path)[0]
        named = self.ingest("--label", "again", path)[0]  # the name is new, the bytes are not
        self.assertEqual([row["status"] for row in (first, again, named)],
                         ["stored", "duplicate", "named"])
        self.assertEqual({row["profile"] for row in (first, again, named)}, {first["profile"]})
        self.assertEqual(len(first["trace_sha256"]), 64)

    def test_gives_one_id_when_two_store_the_same_at_once(self):
        path = self.profile("race", "--kind", "gpu", "--seed", "12")
        runs = [self.start("ingest", *SCOPE, path) for _ in range(4)]
        outputs = [run.communicate(timeout=100) for run in runs]
        self.assertEqual([run.returncode for run in runs], [0] * 4, outputs)
        ids = {out.split('"profile": "')[1].split('"')[0] for out, _ in outputs}
        self.assertEqual(len(ids), 1)
        self.assertEqual(sum('"stored"' in out for out, _ in outputs), 1)

    def test_rejects_each_bad_file_and_goes_on(self):
        good = self.profile("good", "--kind", "tpu", "--seed", "13")
        bad = self.write("garbage.xplane.pb", b"\xff" * 1000)
        result = self.expect(65, "ingest", *SCOPE, bad, good)
        self.assertEqual(len(result.document["rejected"]), 1)
        self.assertEqual(len(result.document["profiles"]), 1)

    def test_rejects_what_is_no_profile(self):
        self.rejected(65, self.write("empty.xplane.pb", b""))
        self.rejected(65, self.write("text.xplane.pb", b"this is no profile at all\n" * 40))
        self.rejected(65, self.write("deep.xplane.pb", deep_message(10_000)))
        self.rejected(65, self.write("absurd.xplane.pb", b"\x0a" + b"\xff" * 8 + b"\x7f"))
        stored = self.write("h.kernel_stats.pb", bytes.fromhex("0a080a0467656d6d6801"))
        self.assertIn("made of a profile", self.rejected(65, stored))
        self.rejected(6, str(self.folder / "missing.xplane.pb"))
        nothing = self.folder / "nothing-here"
        nothing.mkdir(exist_ok=True)
        self.assertIn("xplane.pb", self.rejected(6, str(nothing)))

    def test_rejects_a_profile_that_was_mangled_as_text(self):
        mangled = SHARED / "profiles/xplane-corrupt" / MANGLED
        if not mangled.exists():
            self.skipTest(f"{mangled} is not there")
        self.rejected(65, str(mangled))

    def test_refuses_wrong_usage_with_a_suggestion(self):
        self.assertIn("--project", self.expect(2, "ingest", "--projet", "p", "x").err)
        self.assertIn("'ingest'", self.expect(2, "ingset").err)
        self.assertIn("--project", self.expect(2, "ingest", "x").err)
        self.assertIn("key=value", self.expect(2, "ingest", *SCOPE, "--meta", "x", "y").err)

    def test_says_that_the_database_is_away(self):
        path = self.profile("good", "--kind", "tpu", "--seed", "13")
        result = self.expect(69, "ingest", *SCOPE, "--db", "host=/nonexistent dbname=x", path)
        self.assertEqual(len(result.err.strip().splitlines()), 1)

    def test_says_that_standard_output_is_full(self):
        path = self.profile("good", "--kind", "tpu", "--seed", "13")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assertEqual(self.call("ingest", *SCOPE, path, stdout=full).code, 75)

    def test_stores_all_or_nothing_when_it_is_killed(self):
        chance = random.Random(5)
        survivors = 0
        for number in range(KILLS):
            path = self.profile(f"kill-{number}", "--kind", "tpu", "--seed", str(200 + number))
            run = self.start("ingest", *SCOPE, "--project", "kill", path)
            time.sleep(chance.uniform(0.0, 0.12))
            run.kill()
            run.communicate(timeout=100)
            done = self.expect(0, "ingest", *SCOPE, "--project", "kill", path)
            row = done.document["profiles"][0]
            survivors += row["status"] == "duplicate"
            whole = self.expect(0, "show", row["profile"]).document
            self.assertEqual(len(whole["steps"]["rows"]), 12)
        self.assertLess(survivors, KILLS, "no kill came before the commit: the test tests nothing")

    def test_starts_the_cluster_again_after_a_stop_and_after_a_kill(self):
        path = self.profile("good", "--kind", "tpu", "--seed", "13")
        self.ingest(path)
        self.expect(0, "db", "stop")
        self.assertIn("stopped", self.expect(0, "db", "status").out)
        self.assertEqual(self.ingest(path)[0]["status"], "duplicate")
        status = self.expect(0, "db", "status").out
        process = int(status.split("process")[1].split()[0])
        subprocess.run(["kill", "-9", str(process)], check=True)
        self.assertEqual(self.ingest(path)[0]["status"], "duplicate")


def deep_message(depth):
    """A plane in a plane in a plane: lengths from the inside out."""
    data = b""
    for _ in range(depth):
        size, head = len(data), b""
        while size >= 0x80:
            head += bytes([size & 0x7F | 0x80])
            size >>= 7
        data = b"\x0a" + head + bytes([size]) + data
    return data


if __name__ == "__main__":
    unittest.main(verbosity=2)
