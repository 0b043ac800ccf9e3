#!/usr/bin/env python3
"""Which commit a profile belongs to, and who says so."""

import hashlib
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
        """And its branch is its number: comments go there, and a fork's `main` is not ours."""
        pull = {"number": 7, "head": {"sha": HEAD, "ref": "main"}}
        run = {"head_sha": HEAD, "head_branch": "main", "pull_requests": [{"number": 8}]}
        for name, event, branch in (
                ("pull_request", {"number": 7, "pull_request": pull}, "pull/7"),
                ("pull_request_target", {"number": 7, "pull_request": pull}, "pull/7"),
                ("workflow_run", {"workflow_run": run}, "pull/8"),
                ("workflow_run", {"workflow_run": {**run, "pull_requests": []}}, "main")):
            with self.subTest(name, branch=branch):
                origin, _ = self.origin("pull", environment=self.github(
                    name, event, GITHUB_REF_NAME="7/merge", GITHUB_HEAD_REF="main"))
                self.assertEqual(origin["commit"],
                                 {"value": HEAD, "source": "GITHUB_EVENT_PATH"})
                self.assertEqual(origin["branch"]["value"], branch)

    def test_what_runs_beside_other_code_says_nothing_without_its_event(self):
        for event in ("pull_request", "workflow_run", "issue_comment"):
            with self.subTest(event=event):
                origin, _ = self.origin(event, environment=self.github(event))
                self.assertEqual(origin, {"conflicts": []})

    def test_an_event_that_cannot_be_read_is_said(self):
        path, zeros = self.folder / "event.json", ",".join(["0"] * 2_000_000)
        for text, why in ((f'{{"commits": [{zeros}]}}', "the limit max_memory_mb = 33 is used up"),
                          (" " * (17 << 20), "is larger than the limit"),
                          ("{", "is not valid JSON"), (None, "No such file")):
            with self.subTest(why):
                environment = {**self.github("pull_request"), "STEPLEDGER_MAX_MEMORY_MB": "33"}
                path.write_text(text) if text is not None else path.unlink()
                origin, result = self.origin("unread", environment=environment)
                self.assertEqual(origin, {"conflicts": []})
                self.assertIn("event=input_warning", result.err)
                self.assertIn("no commit and no branch come from GITHUB_EVENT_PATH", result.err)
                self.assertIn(why, result.err)

    def test_other_systems(self):
        cases = {
            "gitlab": ({"GITLAB_CI": "true", "CI_COMMIT_SHA": MERGE, "CI_COMMIT_BRANCH": "x",
                        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD,
                        "CI_MERGE_REQUEST_IID": "5",
                        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "faster"}, HEAD, "mr/5"),
            "gitlab-branch": ({"GITLAB_CI": "true", "CI_COMMIT_SHA": HEAD,
                               "CI_COMMIT_BRANCH": "faster"}, HEAD, "faster"),
            "jenkins": ({"JENKINS_URL": "u", "GIT_COMMIT": HEAD, "GIT_BRANCH": "origin/main"},
                        HEAD, "main"),
            "buildkite": ({"BUILDKITE": "true", "BUILDKITE_COMMIT": "HEAD",
                           "BUILDKITE_PULL_REQUEST": "false",
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

    def test_a_commit_that_moves_is_refused(self):
        path = self.profile("moves", "--seed", "71")
        for name in ("HEAD", "HEAD~1", "@", "main^", "refs/heads/main", "two words", "0",
                     40 * "0"):
            for command in ("ingest", "gate"):
                result = self.expect(2, command, "--project", "p", "--workload", "w",
                                     "--commit", name, path)
                self.assertIn(f"option --commit: '{name}' names no commit that stays", result.err)

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

    def test_what_ci_works_on_is_not_pooled_with_what_was_named(self):
        scope = ["--project", "p", "--workload", "pool"]
        ids = {}
        for number, (branch, commit) in enumerate((("main", "1" * 40), ("old", OTHER),
                                                   ("new", HEAD), ("new", HEAD))):
            ids.setdefault(branch, []).append(self.expect(
                0, "ingest", *scope, "--branch", branch, "--commit", commit,
                self.profile(f"pool-{number}", "--seed", str(520 + number))
            ).document["profiles"][0]["profile"])
        event = {"pull_request": {"head": {"sha": HEAD, "ref": "new"}}}
        pull = {**ASK, **self.github("pull_request", event)}
        for named, wanted in ((ids["old"], ids["old"]), (ids["new"][:1], ids["new"])):
            verdict = self.expect(0, "gate", *scope, *named, environment=pull).document
            self.assertEqual(verdict["candidate"]["profile_ids"], wanted)

    def test_a_commit_of_git_pools_nothing_and_one_that_ci_says_beside_the_job_does(self):
        folder, commit = self.repository("beside")
        scope = ["--project", "p", "--workload", "beside"]
        self.expect(0, "ingest", *scope, "--branch", "main", self.profile("beside-0"))

        def judged(number, *environment):
            capture = self.folder / f"beside-{number}.json"
            capture.write_text(self.expect(0, "capture-env", "--repo", folder,
                                           environment={**ASK, **dict(environment)}).out)
            verdict = self.expect(0, "gate", *scope, "--branch", "work", "--env-file", capture,
                                  self.profile(f"beside-{number}", "--seed", str(530 + number)))
            return verdict.document["candidate"]

        beside = tuple(self.github("push", GITHUB_REF_NAME="work", GITHUB_SHA=commit).items())
        for number, environment, count in ((1, (), 1), (2, (), 1), (3, beside, 3)):
            with self.subTest(number=number):
                side = judged(number, *environment)
                self.assertEqual((side["commit"], side["run_count"]), (commit, count))

    def test_nothing_runs_that_a_repository_names(self):
        """Its configuration came with the folder: file system monitor, hooks, filters, submodules
        and what fetches missing objects are programs of who made it."""
        folder, commit = self.repository("hostile")
        ran = self.folder / "ran"
        script = self.folder / "run.sh"
        script.write_text(f"#!/bin/sh\necho \"$@\" >> {ran}\ncat\n")
        script.chmod(0o755)
        git = ["git", "-C", str(folder)]
        inner, _ = self.repository("hostile/inner")
        subprocess.run([*git, "add", "inner"], check=True, capture_output=True)
        subprocess.run([*git, "commit", "-q", "-m", "two"], check=True, capture_output=True)
        commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True,
                                text=True).stdout.strip()
        for key, value in (("core.fsmonitor", script), ("log.showSignature", "true"),
                           ("gpg.program", script), ("remote.o.promisor", "true"),
                           ("remote.o.url", f"ext::{script}"), ("protocol.ext.allow", "always"),
                           ("extensions.partialClone", "o")):
            subprocess.run([*git, "config", key, str(value)], check=True)
        hook = folder / ".git" / "hooks" / "post-index-change"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script.read_text())
        hook.chmod(0o755)
        subprocess.run(["git", "-C", str(inner), "config", "core.fsmonitor", script], check=True)
        (inner / "train.py").write_text("two\n")
        facts = {fact["name"]: fact["value"] for fact in self.expect(
            0, "capture-env", "--repo", folder).document["facts"]}
        self.assertEqual([facts.get("git_commit"), facts.get("git_dirty")], [commit, "no"])
        self.assertFalse(ran.exists(), ran.exists() and ran.read_text())

        subprocess.run([*git, "config", "filter.x.clean", str(script)], check=True)
        (folder / ".gitattributes").write_text("* filter=x\n")
        (folder / "train.py").write_text("two\n")
        result = self.expect(0, "capture-env", "--repo", folder)
        facts = {fact["name"]: fact["value"] for fact in result.document["facts"]}
        self.assertEqual([facts.get("git_commit"), facts.get("git_dirty")], [commit, None])
        self.assertIn("has filters, which are programs", result.err)
        self.assertFalse(ran.exists(), ran.exists() and ran.read_text())
        subprocess.run([*git, "status"], check=False, capture_output=True)
        self.assertTrue(ran.exists(), "it runs where nobody takes care")

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


class CollectedTest(LedgerCase):
    """Facts that stand beside a job get into the ledger, each with its source."""

    def capture(self, name, environment, *options):
        """What `capture-env` writes on a host of that environment."""
        path = self.folder / name
        path.write_text(self.expect(0, "capture-env", *options, environment=environment).out)
        return path

    def summary_of(self, profile):
        return self.expect(0, "show", profile["profile"]).document

    def facts(self, summary):
        return {fact["name"]: (fact["value"], fact["source"])
                for fact in summary["environment"]["facts"]}

    def test_a_secret_is_never_kept(self):
        path = self.capture("secret.json", {"JAX_API_TOKEN": "hunter2", "WANDB_API_KEY": "hunter2",
                                            "XLA_FLAGS": "--xla_a=1", "NCCL_SECRET": "hunter2"})
        text = path.read_text()
        self.assertNotIn("hunter2", text)
        self.assertEqual(json.loads(text)["left_out"], ["JAX_API_TOKEN", "NCCL_SECRET"])
        self.assertIn("--xla_a=1", text)

    def test_facts_of_a_host_and_a_configuration_are_stored(self):
        config = self.folder / "train.yaml"
        config.write_text("batch: 512\n")
        path = self.capture("one.json", {"LIBTPU_INIT_ARGS": "--xla_tpu_b=2"}, "--repo", "/")
        rows = self.ingest("--env-file", path, "--config-file", config,
                           self.profile("facts", "--seed", "301"))
        facts = self.facts(self.summary_of(rows[0]))
        value, source = facts["libtpu_init_args"]
        self.assertEqual(value, "--xla_tpu_b=2")
        self.assertRegex(source, r"^LIBTPU_INIT_ARGS of \S+ \(.*one.json\)$")
        self.assertEqual(facts["config_hash"],
                         (hashlib.sha256(config.read_bytes()).hexdigest(), str(config)))

    def test_hosts_and_the_profile_disagree_by_name(self):
        first = self.capture("h1.json", {"NCCL_ALGO": "Ring", "XLA_FLAGS": "--z"})
        second = self.capture("h2.json", {"NCCL_ALGO": "Tree", "XLA_FLAGS": "--z"})
        rows = self.ingest("--env-file", first, "--env-file", second, "--meta", "xla_flags=--y",
                           self.profile("disagree", "--seed", "302"))
        summary = self.summary_of(rows[0])
        said = [line for line in summary["coverage"]["warnings"] if "the first is kept" in line]
        self.assertTrue(any(line.startswith("nccl_algo: 'Ring'") and "'Tree'" in line
                            for line in said), said)
        self.assertTrue(any(line.startswith("xla_flags: '--y' by option, '--z'")
                            for line in said), said)
        self.assertEqual(self.facts(summary)["xla_flags"][0], "--y")

    def test_flags_in_another_order_are_the_same(self):
        first = self.capture("o1.json", {"XLA_FLAGS": "--a=1 --b=2"})
        second = self.capture("o2.json", {"XLA_FLAGS": " --b=2  --a=1"})
        rows = self.ingest("--env-file", first, "--env-file", second,
                           self.profile("order", "--seed", "303"))
        warnings = self.summary_of(rows[0])["coverage"]["warnings"]
        self.assertFalse([line for line in warnings if line.startswith("xla_flags")])

    def test_the_environment_around_counts_only_when_asked(self):
        flags = {"XLA_FLAGS": "--of-the-runner"}
        for options, wanted in (([], False), (["--env", "here"], True)):
            with self.subTest(options=options):
                result = self.expect(0, "ingest", *SCOPE, *options,
                                     self.profile(f"here{wanted}", "--seed", str(310 + wanted)),
                                     environment=flags)
                facts = self.facts(self.summary_of(result.document["profiles"][0]))
                self.assertEqual(facts.get("xla_flags", ("", ""))[0] == "--of-the-runner", wanted)

    def test_a_job_of_the_queue_keeps_them(self):
        path = self.capture("queue.json", {"XLA_FLAGS": "--q"})
        self.expect(0, "queue", "add", *SCOPE, "--env-file", path, "--run", "queued",
                    self.profile("queued", "--seed", "320"))
        self.expect(0, "work", "ingest", "--once")
        rows = self.ingest("--env-file", path, self.profile("queued"))
        self.assertEqual(rows[0]["run"], "queued")
        self.assertEqual(self.facts(self.summary_of(rows[0]))["xla_flags"][0], "--q")

    def test_sides_with_other_flags_are_told_apart(self):
        scope = ["--project", "p", "--workload", "flags"]
        before = self.capture("before.json", {"LIBTPU_INIT_ARGS": "--xla_tpu_c=1"}, "--repo", "/")
        after = self.capture("after.json", {"LIBTPU_INIT_ARGS": "--xla_tpu_c=2"}, "--repo", "/")
        self.expect(0, "ingest", *scope, "--branch", "main", "--env-file", before,
                    self.profile("flags-1", "--seed", "331"))
        verdict = self.expect(0, "gate", *scope, "--env-file", after,
                              self.profile("flags-2", "--seed", "332")).document
        self.assertIn({"field": "libtpu_init_args", "baseline": "--xla_tpu_c=1",
                       "candidate": "--xla_tpu_c=2", "action": "warn"}, verdict["mismatches"])

    def test_what_a_scheduler_calls_the_job_is_its_run(self):
        cases = (({"SLURM_JOB_ID": "71", "SLURM_RESTART_COUNT": "0"}, "slurm-71"),
                 ({"SLURM_JOB_ID": "71", "SLURM_RESTART_COUNT": "2"}, "slurm-71-restart-2"),
                 ({"PBS_JOBID": "8.head", "WANDB_RUN_ID": "x1"}, "pbs-8.head"),
                 ({"WANDB_RUN_ID": "x1"}, "wandb-x1"))
        for number, (environment, run) in enumerate(cases):
            path = self.capture(f"job-{number}.json", environment)
            first, second = (self.ingest("--env-file", path, self.profile(
                f"job-{number}-{capture}", "--seed", str(540 + 2 * number + capture)))[0]
                for capture in range(2))
            self.assertEqual((first["run"], second["run"]), (run, run))
        own, = self.ingest("--env-file", path, "--run", "mine", self.profile("job-own", "--seed",
                                                                              "560"))
        self.assertEqual(own["run"], "mine")
        other = self.capture("job-other.json", {"WANDB_RUN_ID": "x2"})
        result = self.expect(0, "ingest", *SCOPE, "--env-file", path, "--env-file", other,
                             self.profile("job-two", "--seed", "561"))
        row, = result.document["profiles"]
        self.assertEqual(row["run"], row["profile"])
        self.assertIn("give --run", result.err)

    def test_a_broken_file_is_refused(self):
        path = self.folder / "broken.json"
        path.write_text('{"schema_version": "capture_env.v2", "captured_at_utc": "", "host": "",'
                        ' "facts": [], "left_out": []}')
        result = self.expect(65, "ingest", *SCOPE, "--env-file", path, self.profile("facts"))
        self.assertIn("capture_env.v2", result.err)


if __name__ == "__main__":
    unittest.main()
