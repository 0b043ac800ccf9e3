"""Everything that a verdict needs lies in the ledger: a dump of it, restored elsewhere and without
a profile file left, makes every verdict again and verifies; what is stored is what `summarize`
prints."""

import hashlib
import json
import re
import shutil
import subprocess
import unittest

from server_case import ServerCase, postgres_server

SCOPE = ["--project", "p", "--workload", "w"]
FIRST_NAMES = {"steady_step_median": "step_median", "steady_step_p90": "step_p90",
               "op_time": "device_time", "step_idle": "idle_time",
               "device_idle_share": "idle_share",
               **{name: name for name in (
                   "exposed_communication_share", "overlapped_communication_share",
                   "exposed_copy_share", "device_skew", "communication_share", "stall_share")}}
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
        for role in ("stepledger LOGIN", "stepledger_owner LOGIN", "stepledger_ingest",
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

    @staticmethod
    def of_first_names(policy):
        """The same policy as the first version of the program wrote it."""
        sections = dict(re.findall(r"(?m)^\[measure (\w+)\]\n((?:\w+ = .*\n)*)", policy))
        kept = "".join(f"[measure {first}]\n{sections[name]}"
                       for name, first in FIRST_NAMES.items())
        start, end = policy.index("[measure "), policy.index("[provenance]")
        return policy[:start] + kept + policy[end:]

    def write_policy_again(self, verdict, change):
        """Makes the recorded verdict one of another text of its policy, whose hash it returns."""
        text = change("\n".join(self.primary.sql(
            f"SELECT p.document FROM policies p JOIN verdict_requests r ON r.policy = p.sha256"
            f" WHERE r.verdict_id = {verdict[1:]}")) + "\n")
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.primary.sql(
            "SET session_replication_role = replica;"
            f"INSERT INTO policies (sha256, document) VALUES ('\\x{digest}', $t${text}$t$);"
            f"UPDATE verdict_requests SET policy = '\\x{digest}' WHERE verdict_id = {verdict[1:]};"
            f"UPDATE verdicts SET policy_sha256 = '\\x{digest}', document = replace(document, "
            f"document::json ->> 'policy_sha256', '{digest}') WHERE id = {verdict[1:]}")
        return digest

    def test_a_fail_stands_by_a_policy_that_was_written_before_a_key_came(self):
        """What a program of before recorded names neither every number, measure nor fact of now;
        where these are at their defaults it is the same policy, and another effect is not."""
        scope = ["--project", "p", "--workload", "before"]
        for seed in range(61, 69):
            self.expect(0, "ingest", *scope, "--branch", "main", "--run", f"b{seed}", "--commit",
                        f"{seed}" * 20, self.profile(f"b{seed}", "--seed", str(seed)))

        def older(text):
            for line in ("device_slow_pct = .*", "driver_version = .*",
                         r"\[measure device_memory\]\n(\w+ = .*\n)*?required = .*"):
                text, count = re.subn(rf"(?m)^{line}\n", "", text)
                self.assertEqual(count, 1, line)
            return text

        def other(text):
            return text.replace("\nmin_effect_pct = 2", "\nmin_effect_pct = 1")

        for commit, change, stands in (
                ("d1" * 20, older, True), ("d2" * 20, other, False),
                ("d3" * 20, lambda text: text + "no_key_of_today = 1\n", False)):
            attempt = ["gate", *scope, "--branch", "topic", "--commit", commit,
                       self.profile(f"red{commit}", "--seed", f"7{commit[1]}",
                                    "--slow-op", ".=1.06")]
            self.assertEqual(self.call(*attempt).document["status"], "fail")
            red = "v" + self.primary.sql("SELECT max(id) FROM verdicts")[0]
            self.write_policy_again(red, change)
            retry = self.call(*attempt, "--baseline", "b61").document
            self.assertEqual(retry["candidate"]["earlier_failed"], [red] if stands else [])

    def test_a_verdict_by_the_first_policy_is_made_again(self):
        """Its words have other names today; its rules hold as they were."""
        path = self.profile("waits", "--seed", "31", "--input-stall-us", "9000")
        verdict = self.expect(0, "gate", *SCOPE, "--baseline", "r1", "--policy",
                              self.policy("[measure steady_step_period]", "action = info"),
                              path).document
        name = "v" + self.primary.sql("SELECT max(id) FROM verdicts")[0]
        digest = self.write_policy_again(name, self.of_first_names)
        again = self.expect(1, "gate", "--replay", name)
        self.assertIn("the ledger was changed", again.err)
        made = again.document
        self.assertEqual(made["policy_sha256"], digest)
        self.assertIn("device_idle_share_increased",  # once idle_share
                      [reason["code"] for reason in made["reasons"]])
        for member in ("status", "reasons", "rule_id", "statistics", "ops"):
            self.assertEqual(made[member], verdict[member])

    def policy(self, *lines):
        path = self.folder / "some.policy"
        path.write_text("\n".join(("policy_version = 1", *lines)) + "\n")
        return path

    def test_stores_what_summarize_prints(self):
        path = self.profile("printed", "--seed", "21")
        printed = self.expect(0, "summarize", "--profile-dir", path, environment=CLOCK).out
        stored = self.expect(0, "ingest", *SCOPE, path, environment=CLOCK).document["profiles"]
        name = stored[0]["profile"]
        shown = self.expect(0, "show", name).document
        self.assertEqual(shown.pop("ledger")["profile"], name)
        self.assertEqual(shown, json.loads(printed))
        rows = self.primary.sql(f"SELECT document FROM summaries WHERE profile_id = {name[1:]}")
        self.assertEqual("\n".join(rows) + "\n", printed)


if __name__ == "__main__":
    unittest.main()
