#!/usr/bin/env python3
"""Which commit a profile belongs to, and who says so."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cli_case import LedgerCase  # noqa: E402

HEAD, MERGE, OTHER = "a" * 40, "b" * 40, "c" * 40
ASK = {"STEPLEDGER_ORIGIN_FROM_CI": "yes"}
SCOPE = ["--project", "p", "--workload", "w"]


class OriginTest(LedgerCase):
    def origin(self, name, *options, environment=None):
        """What `ingest` of a new profile says of its code."""
        result = self.expect(0, "ingest", *SCOPE, *options, self.profile(name, "--seed",
                             str(sum(name.encode()))), environment={**ASK, **(environment or {})})
        return result.document["origin"], result

    def github(self, event_name, event=None, **more):
        path = self.folder / "event.json"
        path.write_text(json.dumps(event or {}))
        return {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": event_name, "GITHUB_SHA": MERGE,
                "GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch",
                "GITHUB_EVENT_PATH": str(path), **more}

    def repository(self, name):
        folder = self.folder / name
        folder.mkdir()
        for words in (["init", "-q", "-b", "work"], ["config", "user.name", "n"],
                      ["config", "user.email", "n@example.org"]):
            subprocess.run(["git", "-C", str(folder), *words], check=True)
        (folder / "train.py").write_text("one\n")
        subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
        subprocess.run(["git", "-C", str(folder), "commit", "-q", "-m", "one"], check=True)
        commit = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], check=True,
                                capture_output=True, text=True).stdout.strip()
        return folder, commit

    def test_a_push_says_commit_and_branch(self):
        origin, _ = self.origin("push", environment=self.github("push"))
        self.assertEqual(origin, {"commit": {"value": MERGE, "source": "GITHUB_SHA"},
                                  "branch": {"value": "main", "source": "GITHUB_REF_NAME"},
                                  "conflicts": []})

    def test_a_pull_request_is_its_head_and_not_the_merge(self):
        event = {"pull_request": {"head": {"sha": HEAD, "ref": "faster"}}}
        origin, _ = self.origin("pull", environment=self.github(
            "pull_request", event, GITHUB_REF_NAME="7/merge", GITHUB_HEAD_REF="faster"))
        self.assertEqual(origin["commit"], {"value": HEAD, "source": "GITHUB_EVENT_PATH"})
        self.assertEqual(origin["branch"]["value"], "faster")

    def test_what_runs_beside_other_code_says_nothing_without_its_event(self):
        for event in ("pull_request", "workflow_run", "issue_comment"):
            with self.subTest(event=event):
                origin, _ = self.origin(event, environment=self.github(event))
                self.assertEqual(origin, {"conflicts": []})

    def test_other_systems(self):
        cases = {
            "gitlab": ({"GITLAB_CI": "true", "CI_COMMIT_SHA": MERGE, "CI_COMMIT_BRANCH": "x",
                        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD,
                        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "faster"}, HEAD, "faster"),
            "jenkins": ({"JENKINS_URL": "u", "GIT_COMMIT": HEAD, "GIT_BRANCH": "origin/main"},
                        HEAD, "main"),
            "buildkite": ({"BUILDKITE": "true", "BUILDKITE_COMMIT": "HEAD",
                           "BUILDKITE_BRANCH": "faster"}, None, "faster"),
            "azure": ({"TF_BUILD": "True", "BUILD_SOURCEVERSION": HEAD,
                       "BUILD_SOURCEBRANCH": "refs/heads/main"}, HEAD, "main"),
        }
        for name, (environment, commit, branch) in cases.items():
            with self.subTest(name):
                origin, _ = self.origin(name, environment=environment)
                self.assertEqual(origin.get("commit", {}).get("value"), commit)
                self.assertEqual(origin["branch"]["value"], branch)

    def test_an_option_decides_and_a_repository_disagrees_by_name(self):
        folder, commit = self.repository("disagrees")
        origin, result = self.origin("repo", "--repo", folder, environment=self.github("push"))
        self.assertEqual(origin["commit"], {"value": commit, "source": f"git of {folder}"})
        self.assertEqual(origin["dirty"]["value"], "no")
        self.assertEqual(len(origin["conflicts"]), 2)
        self.assertIn(f"GITHUB_SHA says {MERGE}", origin["conflicts"][0])
        self.assertIn("event=origin_conflict", result.err)
        origin, result = self.origin("option", "--repo", folder, "--commit", OTHER, "--branch", "b",
                                     environment=self.github("push"))
        self.assertEqual(origin["commit"], {"value": OTHER, "source": "option --commit"})
        self.assertEqual(origin["conflicts"], [])

    def test_a_changed_tree_is_dirty(self):
        folder, _ = self.repository("changed")
        (folder / "train.py").write_text("two\n")
        origin, _ = self.origin("dirty", "--repo", folder)
        self.assertEqual(origin["dirty"]["value"], "yes")

    def test_the_repository_around_is_never_asked(self):
        folder, _ = self.repository("around")
        result = self.expect(0, "ingest", *SCOPE, self.profile("around", "--seed", "77"),
                             cwd=folder)
        self.assertEqual(result.document["origin"], {"conflicts": []})

    def test_a_folder_without_git_is_refused(self):
        result = self.expect(65, "ingest", *SCOPE, "--repo", "/usr", self.profile("push"))
        self.assertIn("git knows no commit there", result.err)

    def test_what_is_implied_leaves_known_bytes_alone(self):
        profile = self.profile("known", "--seed", "501")
        self.expect(0, "ingest", *SCOPE, "--commit", OTHER, "--branch", "b", profile)
        again = self.expect(0, "ingest", *SCOPE, profile,
                            environment={**ASK, **self.github("push")})
        sha256 = again.document["profiles"][0]["trace_sha256"]
        self.assertEqual(again.document["profiles"][0]["status"], "duplicate")
        lines = [line for line in self.expect(0, "export").out.splitlines()
                 if sha256 in line]
        self.assertEqual([(OTHER in line, MERGE in line) for line in lines], [(True, False)])


if __name__ == "__main__":
    unittest.main()
