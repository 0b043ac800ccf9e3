#!/usr/bin/env python3
"""Summaries to W&B: the whole sequence of a publication against the strict double, its faults, and
what a second attempt finds."""

import base64
import hashlib
import json
import os
import signal
import subprocess
import time
import unittest

from wandb_case import BINARY, KEY, Launch, WandbCase

METADATA = {
    "schema_version", "source_format", "source_path", "run_path", "run_id", "source_artifact_ref",
    "hardware_type", "mesh_or_topology", "git_sha", "config_hash", "step_median", "step_p90",
    "compute_share", "communication_share", "host_share", "stall_share", "top_pre_gap_op",
    "top_pre_gap_total", "num_hierarchical_regions", "num_gap_region_contexts", "generated_at_utc"}
OURS = {"steady_step_median_us": ("steps", "steady_median_us"),
        "steady_step_p90_us": ("steps", "steady_p90_us"),
        "steady_steps": ("steps", "steady_count")}
SHARES = {"device_busy_share": "busy_us", "device_compute_share": "compute_us",
          "exposed_communication_share": "exposed_comm_us",
          "overlapped_communication_share": "overlapped_comm_us"}
RESPONSE = {"status", "entity", "project", "artifact_name", "artifact_type", "aliases",
            "summary_path", "report_path"}


class PublishCase(WandbCase):
    """Publications of one summary and what the double holds afterwards."""

    def setUp(self):
        super().setUp()
        self.summary = self.folder / "summary.json"
        self.report = self.folder / "report.md"
        self.expect_path("summarize", "--profile-dir", self.profiles["fast"], "--output",
                         self.summary)
        self.expect_path("report", "--summary", self.summary, "--output", self.report)
        self.base = ("publish", "--summary", self.summary, "--entity", "acme", "--project", "p")

    def expect_path(self, *arguments):
        code, _, err = self.call(*arguments)
        self.assertEqual(code, 0, err)

    def change(self, **run_metadata):
        """Another summary under the same name."""
        document = json.loads(self.summary.read_text())
        document["run_metadata"].update(run_metadata)
        document["generated_at_utc"] = f"2026-01-01T00:00:00.{time.time_ns() % 1000000:06d}Z"
        self.summary.write_text(json.dumps(document))

    def artifacts(self):
        return [a for a in self.wandb.state()["artifacts"] if a["type"] == "profile_summary"]

    def runs(self):
        return {run["name"]: run for run in self.wandb.state()["runs"]}

    def committed(self):
        return [a for a in self.artifacts() if a["state"] == "COMMITTED"]

    # ---- what is published ----

    def test_makes_a_version_with_documents_metadata_and_aliases(self):
        self.change(run_id="r1", run_path="acme/p/r1")
        answer = self.expect(0, *self.base, "--report", self.report, "--alias", "nightly")
        self.assertLess(RESPONSE, set(answer))
        self.assertEqual(answer["status"], "published")
        self.assertEqual(answer["artifact_version"], "v0")
        self.assertEqual(answer["outcome"], "new version (v0)")
        self.assertEqual(answer["artifact_name"], "profile-summary-r1")
        self.assertEqual(answer["aliases"], ["nightly"])
        [artifact] = self.artifacts()
        self.assertEqual(artifact["state"], "COMMITTED")
        self.assertEqual(artifact["aliases"], ["latest", "nightly"])
        self.assertEqual(set(artifact["metadata"]), METADATA | set(OURS) | set(SHARES))
        summary = json.loads(self.summary.read_text())
        for name, (record, member) in OURS.items():
            self.assertEqual(artifact["metadata"][name], summary[record][member], name)
        window = sum(device["window_us"] for device in summary["devices"])
        for name, member in SHARES.items():
            self.assertAlmostEqual(artifact["metadata"][name],
                                   sum(device[member] for device in summary["devices"]) / window)
        self.assertEqual(artifact["metadata"]["hardware_type"],
                         summary["environment"]["device_type"])
        self.assertEqual(artifact["metadata"]["step_median"],
                         summary["step_time"]["steady_state_steps"]["median"])
        self.assertEqual(artifact["metadata"]["compute_share"],
                         summary["time_breakdown"]["compute"]["share_of_total"])
        for path in (self.summary, self.report):
            md5 = base64.b64encode(hashlib.md5(path.read_bytes()).digest()).decode()
            self.assertEqual(artifact["files"][path.name],
                             {"md5": md5, "size": path.stat().st_size})
        [run] = self.runs().values()
        self.assertEqual(run["jobType"], "profile-summary-publish")
        self.assertEqual(run["displayName"], "publish-profile-summary-r1")
        self.assertEqual((run["state"], run["exit_code"]), ("finished", 0))
        self.assertEqual(run["summaryMetrics"]["perf/step_median"],
                         artifact["metadata"]["step_median"])

    def test_says_unchanged_for_content_that_is_there(self):
        first = self.expect(0, *self.base, "--artifact-name", "a")
        again = self.expect(0, *self.base, "--artifact-name", "a", "--alias", "again")
        self.assertEqual((first["outcome"], again["outcome"]),
                         ("new version (v0)", "unchanged (v0)"))
        self.assertEqual(again["artifact_version"], "v0")
        [artifact] = self.artifacts()
        self.assertEqual(artifact["aliases"], ["again", "latest"])
        self.assertEqual(len(self.runs()), 1)

    def test_names_a_summary_without_a_run_by_its_own_time(self):
        """Whenever it is published: so is it the same again, and what failed goes on."""
        self.change(run_id=None)
        document = json.loads(self.summary.read_text())
        document["generated_at_utc"] = "2026-02-03T04:05:06.000007Z"
        self.summary.write_text(json.dumps(document))
        answers = [self.expect(0, *self.base) for _ in range(2)]
        self.assertEqual([answer["artifact_name"] for answer in answers],
                         ["profile-summary-20260203-040506"] * 2)
        self.assertEqual(answers[1]["outcome"], "unchanged (v0)")

    def test_takes_the_next_id_at_once_when_its_run_was_deleted(self):
        """Its id is not free again: neither waiting nor another writer is the matter."""
        self.expected_rejections = ["previously created and deleted"]
        first = self.expect(0, *self.base, "--artifact-name", "a")
        for deleted in range(1, 3):
            self.wandb.control("delete-runs")
            calls = len(self.wandb.log())
            again = self.expect(0, *self.base, "--artifact-name", "a")
            asked = [entry for entry in self.wandb.log()[calls:]
                     if entry.get("operation") == "UpsertBucket"
                     and entry["status"] in (400, 409)]
            self.assertEqual(len(asked), deleted)
            self.assertNotEqual(again["run_path"], first["run_path"])
            self.assertEqual(again["outcome"], "unchanged (v0)")
            self.assertEqual(len(self.runs()), 1)
        self.change(git_sha="b")
        self.assertEqual(self.expect(0, *self.base, "--artifact-name", "a")["artifact_version"],
                         "v1")

    def test_says_so_when_all_its_ids_were_deleted(self):
        self.expected_rejections = ["previously created and deleted"]
        for _ in range(8):
            self.expect(0, *self.base, "--artifact-name", "a")
            self.wandb.control("delete-runs")
        why = self.expect(1, *self.base, "--artifact-name", "a")
        self.assertIn("were deleted", why)
        self.assertNotIn("another writer", why)

    def test_refuses_names_that_the_sdk_cannot_log_to(self):
        for name in ("a b", "a<b", "a|b", "ä", "a:b", "a/b", ""):
            why = self.expect(2, *self.base, "--artifact-name", name)
            self.assertIn("the artifact's name", why)
        self.assertEqual(self.wandb.log(), [])

    def test_makes_the_next_version_for_other_content_and_moves_latest_back(self):
        old = self.summary.read_text()
        self.expect(0, *self.base, "--artifact-name", "a")
        self.change(git_sha="b")
        self.assertEqual(self.expect(0, *self.base, "--artifact-name", "a")["artifact_version"],
                         "v1")
        self.summary.write_text(old)
        answer = self.expect(0, *self.base, "--artifact-name", "a")
        self.assertEqual(answer["outcome"], "unchanged (v0)")
        self.assertEqual([a["aliases"] for a in self.artifacts()], [["latest"], []])

    def test_sends_only_what_is_new(self):
        self.expect(0, *self.base, "--artifact-name", "a", "--report", self.report)
        puts = len(self.requests(method="PUT"))
        self.change(git_sha="b")
        self.expect(0, *self.base, "--artifact-name", "a", "--report", self.report)
        self.assertEqual(len(self.requests(method="PUT")) - puts, 2)  # summary and manifest
        first = self.artifacts()[0]["id"]
        bases = [json.loads(entry["body"])["variables"].get("baseArtifactID")
                 for entry in self.requests(operation="CreateArtifactManifest")]
        self.assertEqual(bases, [None, None, first, first])

    def test_shows_a_dry_run_without_a_network_or_a_key(self):
        answer = self.expect(0, *self.base, "--dry-run", "--artifact-name", "a",
                             WANDB_API_KEY=None)
        self.assertEqual(set(answer), RESPONSE | {"metadata"})
        self.assertEqual(answer["status"], "dry_run")
        self.assertEqual(answer["aliases"], ["latest"])
        self.assertEqual(set(answer["metadata"]), METADATA | set(OURS) | set(SHARES))
        self.assertEqual(self.wandb.log(), [])

    def test_takes_entity_and_project_as_the_service_spells_them(self):
        answer = self.expect(0, "publish", "--summary", self.summary, "--entity", "ACME",
                             WANDB_PROJECT="p")
        self.assertEqual((answer["entity"], answer["project"]), ("acme", "p"))
        answer = self.expect(0, "publish", "--summary", self.summary, "--artifact-name", "b")
        self.assertEqual((answer["entity"], answer["project"]), ("acme", "uncategorized"))

    def test_makes_names_fit(self):
        self.change(run_id="r" * 140)
        name = self.expect(0, *self.base)["artifact_name"]
        self.assertRegex(name, "^profile-summary-r+-[0-9a-f]{7}$")
        self.assertEqual(len(name), 128)
        self.change(run_id=None)
        self.assertRegex(self.expect(0, *self.base, "--dry-run")["artifact_name"],
                         r"^profile-summary-\d{8}-\d{6}$")

    def test_refuses_names_before_anything_is_sent(self):
        for option, value in (("--artifact-name", "a/b"), ("--artifact-name", "a" * 129),
                              ("--alias", "a:b"), ("--alias", "")):
            self.assertIn("must", self.expect(2, *self.base, option, value))
        other = self.folder / "sub"
        other.mkdir()
        (other / "summary.json").write_text("x")
        self.assertIn("two documents are called", self.expect(
            2, *self.base, "--report", other / "summary.json"))
        self.assertEqual(self.wandb.log(), [])

    # ---- beside the artifact ----

    def annotate(self, *more):
        self.change(run_id="r1", run_path="acme/p/r1", artifact_ref="acme/p/profiler:latest")
        return self.expect(0, *self.base, "--annotate-run", *more)

    def test_writes_metrics_and_tags_to_the_run_that_was_profiled(self):
        self.seed_run("r1", "fast", tags=["kept"], summary={"loss": 1.5, "perf/step_p90": 1})
        self.annotate("--run-tag", "slow", "--run-tag", "kept")
        run = self.runs()["r1"]
        self.assertEqual(run["tags"], ["kept", "slow"])
        self.assertEqual(run["summaryMetrics"]["loss"], 1.5)
        self.assertGreater(run["summaryMetrics"]["perf/step_p90"], 1)

    def test_keeps_numbers_that_strict_json_refuses(self):
        self.wandb.control("seed", runs=[{
            "entity": "acme", "project": "p", "name": "r1",
            "summary_text": '{"loss": NaN, "big": 12345678901234567890123}'}])
        self.annotate()
        metrics = self.runs()["r1"]["summaryMetrics"]
        self.assertEqual((metrics["loss"], metrics["big"]), ("NaN", 12345678901234567890123))

    def test_leaves_the_summary_of_a_live_run_alone(self):
        self.seed_run("r1", state="running", summary={"loss": 1})
        self.annotate("--run-tag", "slow")
        run = self.runs()["r1"]
        self.assertEqual((run["summaryMetrics"], run["tags"]), ({"loss": 1}, ["slow"]))
        self.assertIn("run acme/p/r1 is still running", self.said)

    def test_sends_an_alert_and_declares_where_the_profile_came_from(self):
        [profile] = self.seed_run("r1", "fast")
        self.annotate("--alert-title", "x" * 70, "--alert-text", "why", "--alert-level", "WARN")
        runs = self.runs()
        [alert] = runs.pop("r1")["alerts"]
        self.assertEqual(alert, {"title": "x" * 63, "text": "why", "severity": "WARN",
                                 "waitDuration": 60000})
        [own] = runs.values()
        self.assertEqual(own["inputs"], [profile])

    def test_warns_of_what_fails_beside_the_artifact(self):
        self.change(run_id="r1", run_path="acme/p/gone", artifact_ref="acme/p/gone:latest")
        answer = self.expect(0, *self.base, "--annotate-run", "--run-tag", "slow")
        self.assertEqual(answer["status"], "published")
        self.assertIn("run 'acme/p/gone' is not there", self.said)
        self.assertIn("artifact 'acme/p/gone:latest' is not there", self.said)

    # ---- a bad network ----

    def test_survives_every_fault_of_every_step(self):
        operations = ("UpsertBucket", "CreateArtifact", "CreateArtifactManifest",
                      "CreateArtifactFiles", "CommitArtifact", "ArtifactByID", "file_stream")
        for number, operation in enumerate(operations):
            self.change(git_sha=str(number))
            self.wandb.faults(
                {"fault": "status", "status": 503, "operation": operation, "nth": [1]},
                {"fault": "cut", "when": "after", "operation": operation, "nth": [2]},
                {"fault": "truncate", "operation": operation, "nth": [3]})
            answer = self.expect(0, *self.base, "--artifact-name", "a")
            self.assertEqual(answer["artifact_version"], f"v{number}", operation)
        self.assertEqual(len(self.committed()), len(operations))

    def test_takes_a_commit_whose_answer_was_lost_for_done(self):
        self.wandb.faults({"fault": "cut", "when": "after", "operation": "CommitArtifact"})
        self.assertIn("CommitArtifact", self.expect(1, *self.base, "--artifact-name", "a"))
        self.wandb.faults()
        answer = self.expect(0, *self.base, "--artifact-name", "a")
        self.assertEqual(answer["outcome"], "unchanged (v0)")
        self.assertEqual([run["exit_code"] for run in self.runs().values()], [0])

    def test_sends_again_what_storage_lost(self):
        self.expected_rejections = ["the signed URL was used before"]
        self.wandb.faults(
            {"fault": "status", "status": 500, "method": "PUT", "nth": [1]},
            {"fault": "cut", "when": "after", "method": "PUT", "nth": [2]},
            {"fault": "status", "status": 403, "path": "*/manifests/*", "nth": [1]})
        self.expect(0, *self.base, "--artifact-name", "a", "--report", self.report)
        self.assertEqual(len(self.committed()), 1)
        self.assertEqual(self.operations().count("CreateArtifact"), 1)

    def test_retries_an_upsert_that_conflicts_with_its_own_first_try(self):
        self.wandb.faults({"fault": "status", "status": 409, "operation": "UpsertBucket",
                           "nth": [1]})
        self.expect(0, *self.base)

    def test_begins_another_round_when_another_writer_was_faster(self):
        """More often than once for each of a few that publish the same at once."""
        self.wandb.faults({"fault": "status", "status": 409, "operation": "CommitArtifact",
                           "nth": [1, 2, 3, 4, 5]})
        self.expect(0, *self.base, "--artifact-name", "a")
        self.wandb.faults({"fault": "status", "status": 409, "operation": "CommitArtifact"})
        self.change(git_sha="b")
        self.assertIn("HTTP 409", self.expect(1, *self.base, "--artifact-name", "a"))

    def test_makes_one_version_when_many_publish_the_same(self):
        command = [BINARY, *map(str, self.base), "--artifact-name", "a", "--config",
                   str(self.config)]
        processes = [subprocess.Popen(command, env=self.environment(), stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) for _ in range(4)]
        for process in processes:
            out, err = process.communicate(timeout=60)
            self.said += out + err
            self.assertEqual(process.returncode, 0, err)
        self.expected_rejections = ["expected PENDING", "was used before", "commit before",
                                    "was committed by v0 meanwhile"]
        self.assertEqual(self.expect(0, *self.base, "--artifact-name", "a")["outcome"],
                         "unchanged (v0)")
        self.assertEqual(len(self.committed()), 1)

    def test_goes_on_after_being_killed_at_any_moment(self):
        command = [BINARY, *map(str, self.base), "--artifact-name", "a", "--config",
                   str(self.config)]
        for step in range(12):
            process = subprocess.Popen(command, env=self.environment(), cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.004 * step)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.expected_rejections = ["was used before", "no HTTP"]  # a request may be cut
        answer = self.expect(0, *self.base, "--artifact-name", "a")
        self.assertEqual(answer["artifact_version"], "v0")
        self.assertEqual(len(self.committed()), 1)

    def test_ends_the_run_as_failed_when_the_service_refuses(self):
        self.expected_rejections = ["collection a is of type model"]
        self.wandb.control("seed", artifacts=[{"entity": "acme", "project": "p", "name": "a",
                                               "type": "model", "files": {"x": "y"}}])
        why = self.expect(1, *self.base, "--artifact-name", "a")
        self.assertIn("collection a is of type model", why)
        self.assertEqual([run["exit_code"] for run in self.runs().values()], [1])

    def test_says_what_is_wrong_with_entity_or_key(self):
        self.expected_rejections = ["entity other not found", "the key is not known"]
        why = self.expect(1, *self.base, "--entity", "other")
        self.assertIn("HTTP 404: entity other not found", why)
        self.assertIn("entity 'other' from option --entity, project 'p' from option --project", why)
        self.assertIn("are host, entity and project the right ones?", why)
        self.assertIn("HTTP 401", self.expect(1, *self.base, WANDB_API_KEY="1" * 40))

    def test_says_what_was_answered_where_no_w_and_b_is(self):
        for body in ("", "[]", '{"data": null}', "<html>sign in</html>"):
            self.wandb.faults({"fault": "status", "status": 200, "body": body})
            why = self.expect(1, *self.base)
            self.assertIn("UpsertBucket: HTTP 200", why)
            self.assertIn("the answer is no GraphQL: is that a W&B server?", why)

    def test_gives_the_key_to_nobody_in_an_error(self):
        for body in (f"no entry for {KEY}", json.dumps({"errors": [f"bad key {KEY}"]}),
                     json.dumps({"error": f"https://x/y?sig={KEY}"}), f"<html>{KEY}</html>",
                     base64.b64encode(f"api:{KEY}".encode()).decode()):
            self.wandb.faults({"fault": "status", "status": 400, "body": body})
            self.expect(1, *self.base)
        self.assertNotIn(base64.b64encode(f"api:{KEY}".encode()).decode(), self.said)

    def test_keeps_the_key_out_of_the_process_list(self):
        self.wandb.faults({"fault": "hang"})
        process = subprocess.Popen([BINARY, *map(str, self.base), "--config", str(self.config)],
                                   env=self.environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not self.wandb.log() and time.monotonic() < until:
            time.sleep(0.02)
        self.assertIsNone(process.poll())
        with open(f"/proc/{process.pid}/cmdline", "rb") as file:
            self.assertNotIn(KEY.encode(), file.read())
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


class OldServerCase(PublishCase):
    """The same against a server that lists no features."""

    options = ("--quirk", "old-server", "--quirk", "pending-not-reused")


# What the server's age has to do with.
SAME = ("makes_a_version_with_documents_metadata_and_aliases", "sends_only_what_is_new",
        "says_unchanged_for_content_that_is_there", "survives_every_fault_of_every_step",
        "sends_an_alert_and_declares_where_the_profile_came_from",
        "makes_one_version_when_many_publish_the_same",
        "goes_on_after_being_killed_at_any_moment",
        "begins_another_round_when_another_writer_was_faster")
for name in dir(PublishCase):
    if name.startswith("test_") and name[len("test_"):] not in SAME:
        setattr(OldServerCase, name, None)


class TlsCase(WandbCase):
    """Over TLS, as in earnest: no http, the certificate checked."""

    options = ("--tls", "trusted")

    def setUp(self):
        super().setUp()
        self.trust = ("[wandb]\nallow_addresses = 127.0.0.0/8\nbase_ms = 1\nattempts = 2\n"
                      "ca_file = ")
        self.config.write_text(f"{self.trust}{self.wandb.ca_path}\n")

    def test_publishes_and_fetches_over_tls(self):
        self.seed_run("r1", "fast")
        summary = self.folder / "summary.json"
        code, _, err = self.call("summarize", "--run-target", "acme/p/r1", "--output", summary)
        self.assertEqual(code, 0, err)
        answer = self.expect(0, "publish", "--summary", summary, "--entity", "acme")
        self.assertEqual(answer["artifact_version"], "v0")

    def test_speaks_to_nobody_with_another_certificate(self):
        for kind in ("self-signed", "wrong-name", "expired"):
            with Launch("wandb_server.py", "--api-key", KEY, "--tls", kind) as server:
                self.config.write_text(f"{self.trust}{server.ca_path}\n")
                why = self.expect(1, "summarize", "--artifact", "acme/p/x",
                                  WANDB_BASE_URL=server.url())
                self.assertRegex(why, "(?i)ssl|certificate", kind)
                self.assertEqual([e for e in server.log() if "path" in e], [])


if __name__ == "__main__":
    unittest.main()
