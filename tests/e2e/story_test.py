"""The whole story: two runs in W&B become a bundle and a verdict; the verdict becomes an artifact,
a thread, a comment and a check; the fix ends the same alert in the same thread.
"""

import json
import pathlib
import unittest

from channel_case import COMMIT, OTHER_COMMIT, SECRETS, ChannelCase
from launch import Launch

KEY = "planted0key0000000000000000000000000000000f"
WANDB = """[wandb]
allow_addresses = 127.0.0.0/8
allow_http = yes
""".splitlines()


class Story(ChannelCase):
    """From the training job to the people and back."""

    def setUp(self):
        super().setUp()
        self.wandb = Launch("wandb_server.py", "--api-key", KEY)
        self.addCleanup(self.wandb.stop)
        SECRETS.append(KEY)
        self.addCleanup(SECRETS.remove, KEY)
        self.configure(*WANDB, *self.section("slack_api"), *self.section("github_comment"),
                       *self.section("github_check"), *self.record_section(self.wandb, KEY),
                       "[route people]", "to = slack_api, record",
                       "[route review]", "branch = pull/*", "to = github_comment, github_check",
                       verdict_url="https://ledger.example/verdicts/{verdict}")

    def versions(self):
        """What the outbox has published: (collection, version, aliases, files)."""
        return [(held["collection"], held["version"], sorted(held["aliases"]),
                 sorted(held["files"])) for held in self.wandb.state()["artifacts"]
                if held["type"] == "profile_summary" and held["state"] == "COMMITTED"]

    def wandb_run(self, name, *options):
        """A run that logged its profile as an artifact."""
        folder = pathlib.Path(self.profile(name, "--kind", "tpu", *options))
        for truth in folder.rglob("*.truth.json"):
            truth.unlink()
        self.wandb.control(
            "seed", runs=[{"entity": "acme", "project": "p", "name": name, "state": "finished",
                           "commit": COMMIT}],
            artifacts=[{"entity": "acme", "project": "p", "name": f"profiler-{name}",
                        "type": "jax_profile", "run": name, "folder": str(folder)}])

    def with_wandb(self, *arguments, code=0):
        result = self.call(*arguments, environment={
            "WANDB_BASE_URL": self.wandb.url(), "WANDB_API_KEY": KEY,
            "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")})
        self.said += [result.out, result.err]
        self.assertEqual(result.code, code, f"{arguments}\n{result.out}\n{result.err}")
        return result

    def test_from_two_runs_to_the_people_and_back(self):
        self.wandb_run("before", "--seed", "40")
        self.wandb_run("after", "--seed", "41", "--slow-op", "attention=2.5")
        bundle, downloads = self.folder / "bundle", self.folder / "downloads"
        self.with_wandb("bundle", "--before-run-target", "acme/p/before", "--after-run-target",
                        "acme/p/after", "--download-root", downloads, "--output-dir", bundle)
        track = json.loads((bundle / "track.json").read_text(encoding="utf-8"))
        self.assertEqual(track["assessment"]["status"], "fail")

        # What was downloaded goes into the ledger and before the gate.
        captures = [str(path.parent) for path in sorted(downloads.rglob("*.xplane.pb"))]
        self.assertEqual(len(captures), 2)
        before, after = sorted(captures, key=lambda path: "before" not in path)
        self.ingest("--branch", "main", "--run", "before", before)
        result = self.expect(1, "gate", "--project", "p", "--workload", "w", "--branch", "pull/7",
                             "--commit", COMMIT, "--run", "after", after)
        verdict = result.document
        self.assertEqual(verdict["status"], "fail")
        self.assertIn("attention", json.dumps(verdict["ops"][0]))

        # One turn of the worker: thread, comment, check run and artifact.
        self.work(delivered=4)
        files = ["profile_summary.json", "verdict.json"]
        self.assertEqual(self.versions(), [
            ("profile-summary-p-w", "v0", ["latest", "verdict-1"], files)])
        [run] = [run for run in self.wandb.state()["runs"] if run["alerts"]]
        self.assertTrue(run["alerts"][0]["title"].startswith("FAIL: p/w"), run["alerts"])
        self.assertEqual((run["exit_code"], run["jobType"]), (0, "profile-summary-publish"))
        self.assertIn("perf/", " ".join(run["summaryMetrics"]))
        [root] = self.doubles["chat"].state()["slack"]
        self.assertTrue(root["text"].startswith("FAIL: p/w: step time "))
        forge = self.doubles["forge"].state()["github"]
        self.assertEqual([run["conclusion"] for run in forge["check_runs"]], ["failure"])
        [comment] = forge["comments"]
        self.assertIn("FAIL: p/w", comment["body"])

        # The fix ends the same alert, in the same thread and comment, with a check of its own.
        self.good("fixed", 42, commit=OTHER_COMMIT)
        self.work(delivered=4)
        self.assertEqual([version[1] for version in self.versions()], ["v0", "v1"])
        root, reply = self.doubles["chat"].state()["slack"]
        self.assertTrue(root["text"].startswith("RESOLVED: p/w"))
        self.assertEqual((reply["thread_ts"], root["edits"]), (root["ts"], 1))
        forge = self.doubles["forge"].state()["github"]
        [same] = forge["comments"]
        self.assertEqual(same["id"], comment["id"])
        self.assertIn("RESOLVED: p/w", same["body"])
        self.assertEqual([run["conclusion"] for run in forge["check_runs"]],
                         ["failure", "success"])
        self.assert_accepted()
        self.assertEqual(self.wandb.rejections(), [])


if __name__ == "__main__":
    unittest.main()
