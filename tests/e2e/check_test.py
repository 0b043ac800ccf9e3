#!/usr/bin/env python3
"""What `check` finds in the configuration itself, with no database at all."""

import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
TIMEOUT_S = 60


class Configuration(unittest.TestCase):
    """One file each."""

    def check(self, text, mode, word="holds a password"):
        with tempfile.TemporaryDirectory(prefix="stepledger-check-") as folder:
            path = pathlib.Path(folder) / "conf"
            path.write_text(text, encoding="utf-8")
            path.chmod(mode)
            run = subprocess.run([BINARY, "check", "--offline", "--config", path],
                                 capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(run.returncode, 1, run.stderr)  # the database is away
        self.assertNotIn("swordfish", run.stdout)
        return [line for line in run.stdout.splitlines() if word in line]

    def test_a_password_that_others_can_read_is_a_finding(self):
        for text in ("db = postgresql://u:swordfish@127.0.0.1:1/x\n",
                     "db = host=127.0.0.1 port=1\ndb_read = host=127.0.0.1 port=1 "
                     "password=swordfish\n"):
            for mode in (0o644, 0o640):
                found = self.check(text, mode)
                self.assertEqual(len(found), 1, found)
                self.assertIn("chmod 600", found[0])
            self.assertEqual(self.check(text, 0o600), [])
        self.assertEqual(self.check("db = postgresql://u@127.0.0.1:1/x\n", 0o644), [])

    def test_each_section_of_a_report_is_checked(self):
        away = "db = host=127.0.0.1 port=1\n"
        found = self.check(f"{away}[report w]\nproject = p\nat = 0 25 * * mon\n"
                           "[report n]\nproject = p\n", 0o600, "report '")
        said = "\n".join(found)
        self.assertRegex(said, r"conf:4: report 'w': at: the hour '25' is none: it takes 0 to 23")
        self.assertRegex(said, r"conf:6: report 'n' has no `at`")
        section = f"{away}[report w]\nproject = p\nat = 0 7 * * mon\npolicy = "
        [found] = self.check(section + "/nonexistent/none.policy\n", 0o600, "report 'w'")
        self.assertIn("cannot open '/nonexistent/none.policy': No such file", found)
        places = section.replace("policy", "repository")
        [found] = self.check(places + "/nope\n", 0o600, "report 'w'")
        self.assertIn("report 'w': repository: /nope is no clone of git", found)
        self.assertEqual(self.check(places + "https://github.com/a/b\n", 0o600, "report 'w'"), [])
        with tempfile.NamedTemporaryFile("w", suffix=".policy", encoding="utf-8") as policy:
            policy.write("policy_version = 1\nmin_effect = 3\n")
            policy.flush()
            found = self.check(f"{section}{policy.name}\n", 0o600, "report 'w'")
        self.assertRegex("\n".join(found), r"report 'w': \S*\.policy:2: ")

    def test_a_file_that_everybody_can_write_is_a_finding(self):
        for text in ("db = host=127.0.0.1 port=1\nproject = p\n",
                     "db = host=127.0.0.1 port=1\n[destination d]\nkind = slack\nurl = env:NONE\n"):
            [found] = self.check(text, 0o646, "everybody can write")
            self.assertIn("/conf: everybody can write to it (mode 0646): chmod o-w it", found)
            self.assertEqual(self.check(text, 0o664, "can write"), [])

    def test_what_nothing_reads_is_a_finding(self):
        text = ("db = host=127.0.0.1 port=1\n[wandb]\nentty = x\nentity = y\n[wadb]\nentity = z\n"
                "project = p\n[s3]\nregion = r\ntimeout_ms = 100\nnonsense = 1\n[destination]\n"
                "kind = slack\n[routes all]\nto = x\n")
        found = [line for line in self.check(text, 0o600, "conf:") if line.startswith("! ")]
        says = [(":3: [wandb]: unknown key 'entty'; did you mean 'entity'?",),
                (":6: ", "[wadb]; did you mean 'wandb'?"),
                (":11: [s3]: unknown key 'nonsense'",),
                ("a section [destination] lacks its name: [destination NAME]",),
                ("nothing reads a section [routes all]",)]
        self.assertEqual(len(found), len(says), found)
        for line, words in zip(found, says, strict=True):
            for word in words:
                self.assertIn(word, line)

    def metrics_findings(self, port):
        run = subprocess.run(
            [BINARY, "check", "--offline"], capture_output=True, text=True, timeout=TIMEOUT_S,
            check=False, env={**os.environ, "STEPLEDGER_METRICS_PORT": str(port),
                              "STEPLEDGER_DB": "host=127.0.0.1 port=1"})
        return [line for line in run.stdout.splitlines() if "serve metrics" in line]

    def test_a_port_for_metrics_that_another_has_is_a_finding(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            found = self.metrics_findings(port)
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"127.0.0.1:{port}", found[0])
            self.assertIn("Address already in use", found[0])
        self.assertEqual(self.metrics_findings(port), [])
        self.assertEqual(self.metrics_findings(0), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
