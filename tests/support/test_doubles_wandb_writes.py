"""Checks the writing half of the W&B double: the golden publish, and one refusal per rule."""

import pathlib
import sys
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "doubles"))

import wandb_client
from case import DoubleCase, send, send_raw
from wandb_client import AUTHORIZED, Publish, WandbClient
from wandb_state import artifact_digest

FILES = {"summary.json": b'{"schema_version":1}\n', "report.md": b"# Profile report\n"}


class WandbCase(DoubleCase):
    script = "wandb_server.py"

    def setUp(self):
        self.client = WandbClient(self.double.url())

    def publish(self, files=None, **spoil):
        """A publish into a collection of this test's own."""
        return Publish(self.client, self.id().rpartition(".")[2][:100],
                       FILES if files is None else files, **spoil)

    def refused(self, why, reply, status=200):
        entry = self.last()
        self.assertEqual(entry["verdict"], "rejected", f"accepted; expected: {why}")
        self.assertIn(why, entry["rejected"])
        self.assertEqual(reply.status, status, reply.text)

    def artifact(self, publish):
        found = [a for a in self.double.state()["artifacts"] if a["id"] == publish.artifact_id]
        return found[0]


class Digests(unittest.TestCase):
    def test_the_digest_follows_the_published_vectors(self):
        digests = {path: wandb_client.md5_text(data) for path, data in FILES.items()}
        self.assertEqual(digests, {"summary.json": "SlE+JsCoUj7daW804gAaLA==",
                                   "report.md": "NjuXjSEzB7bZly5nhUqjXQ=="})
        for entries, digest in (
                (digests, "d9a0ccd410cec549ea421425ced00e17"),
                ({"my_object.pb": "1234567890abcde"}, "8aec0d6978da8c2b0bf5662b3fd043a4"),
                ({"renamed.pb": "1234567890abcde"}, "bd85fe009dc9e408a5ed9b55c95f47b2"),
                ({}, "64e7c61456b10382e2f3b571ac24b659")):
            self.assertEqual(artifact_digest(entries), digest)


class Publishing(WandbCase):
    def test_the_whole_sequence_makes_a_version_that_can_be_read_back(self):
        publish, before = self.publish(), self.double.rejections()
        self.assertEqual(publish.prepare("gate"), 2)
        self.assertEqual(publish.commit().status, 200)
        self.assertEqual(publish.finish().status, 200)
        self.assertEqual(self.double.rejections(), before)
        artifact = self.client.data("ArtifactByID", id=publish.artifact_id)["artifact"]
        self.assertEqual((artifact["state"], artifact["versionIndex"], artifact["size"],
                          artifact["fileCount"], [a["alias"] for a in artifact["aliases"]]),
                         ("COMMITTED", 0, 38, 2, ["gate", "latest"]))
        run = self.client.data("Run", entity="acme", project="perf", name=publish.run)
        self.assertEqual(run["project"]["run"]["state"], "finished")

    def test_the_same_content_again_is_committed_at_once(self):
        first, second = self.publish(), self.publish()
        first.prepare()
        first.commit()
        reply = second.create("other")
        self.assertEqual(reply.json["data"]["createArtifact"]["artifact"]["state"], "COMMITTED")
        self.assertEqual(second.artifact_id, first.artifact_id)
        self.assertEqual(self.artifact(first)["aliases"], ["latest", "other"])

    def test_latest_stays_when_an_older_version_is_logged_again(self):
        first, second = self.publish(), self.publish({"summary.json": b"{}\n"})
        for item in (first, second):
            item.prepare()
            item.commit()
        first.create()
        self.assertEqual(self.artifact(first)["aliases"], [])
        self.assertEqual(self.artifact(second)["aliases"], ["latest"])

    def test_a_file_of_the_version_before_is_not_asked_for_again(self):
        first = self.publish()
        first.prepare()
        first.commit()
        second = self.publish({**FILES, "report.md": b"# New\n"})
        self.assertEqual(second.prepare(), 1)
        self.assertEqual(second.commit().status, 200)
        self.assertEqual(second.births["summary.json"], first.artifact_id)

    def test_a_retry_with_the_same_client_ids_goes_on_with_the_pending_artifact(self):
        first, second = self.publish(), self.publish()
        first.upsert()
        first.create()
        first.manifest()
        first.upload(first.announce())
        self.assertEqual(second.prepare(), 0)
        self.assertEqual((second.artifact_id, second.commit().status), (first.artifact_id, 200))

    def test_a_commit_that_lost_a_race_is_a_conflict_until_it_starts_again(self):
        first = self.publish()
        second = self.publish({**FILES, "third.txt": b"3"})
        first.prepare()
        second.prepare()
        first.commit()
        self.refused("was committed by v0 meanwhile", second.commit(), 409)
        second.prepare()
        self.assertEqual(second.commit().status, 200)

    def test_some_upload_urls_are_relative(self):
        publish = self.publish({f"f{n}": b"%d" % n for n in range(6)})
        publish.upsert()
        publish.create()
        publish.manifest()
        edges = publish.announce().json["data"]["createArtifactFiles"]["files"]["edges"]
        urls = [edge["node"]["uploadUrl"] for edge in edges]
        self.assertEqual(sum(url.startswith("/storage/") for url in urls), 2)

    def test_empty_artifacts_and_empty_files_are_fine(self):
        for files in ({}, {"empty": b""}):
            publish = self.publish(files)
            publish.upsert()
            publish.create()
            publish.manifest()
            if files:
                publish.upload(publish.announce())
            publish.upload_manifest()
            self.assertEqual(publish.commit().status, 200)


class CreateRules(WandbCase):
    def test_refuses_what_the_service_would(self):
        self.publish().upsert()
        many = "{%s}" % ",".join(f'"k{n}":1' for n in range(101))
        alias = lambda text: [{"artifactCollectionName": "c", "alias": text}]
        for why, changes in (
                ("is no artifact name", {"artifactCollectionName": "a/b"}),
                ("is no artifact name", {"artifactCollectionName": "x" * 129}),
                ("is no manifest digest", {"digest": "D9A0"}),
                ("'SHA' is no ArtifactDigestAlgorithm", {"digestAlgorithm": "SHA"}),
                ("enableDigestDeduplication", {"enableDigestDeduplication": False}),
                ("clientID is not 128", {"clientID": "short"}),
                ("equals sequenceClientID", {"clientID": "a" * 128, "sequenceClientID": "a" * 128}),
                ("no JSONString", {"metadata": '{"a": NaN}'}),
                ("no JSON object", {"metadata": "[]"}),
                ("more than 100 keys", {"metadata": many}),
                ("is no alias", {"aliases": alias("a:b"), "artifactCollectionName": "c"}),
                ("is no alias", {"aliases": alias("x" * 129), "artifactCollectionName": "c"}),
                ("is for collection c", {"aliases": alias("a")}),
                ("is no tag", {"tags": [{"tagName": "a,b"}]}),
                ("run acme/perf/nobody not found", {"runName": "nobody"}),
                ("field \"labels\" is not defined", {"labels": "{}"}),
                ("project acme/none not found", {"projectName": "none"})):
            with self.subTest(why):
                publish = self.publish(create=lambda data, changes=changes: {**data, **changes})
                reply = publish.create()
                self.refused(why, reply, 404 if "project acme" in why else 200)

    def test_a_collection_has_one_type(self):
        first = self.publish()
        first.prepare()
        first.commit()
        other = self.publish(create=lambda data: {**data, "artifactTypeName": "jax_profile"})
        self.refused("is of type profile_summary", other.create())

    def test_client_ids_belong_to_one_artifact(self):
        first = self.publish()
        first.upsert()
        first.create()
        other = self.publish(create=lambda data: {**data, "digest": "0" * 32})
        self.refused("was used for another artifact", other.create())


class ManifestRules(WandbCase):
    def ready(self, **spoil):
        publish = self.publish(**spoil)
        publish.upsert()
        publish.create()
        return publish

    def test_refuses_a_wrong_name_type_place_or_digest(self):
        for why, changes in (("expected wandb_manifest.json", {"name": "manifest.json"}),
                             ("type is not FULL", {"type": "PATCH"}),
                             ("belongs to acme/perf", {"projectName": "other"}),
                             ("did not create the artifact", {"runName": "other"}),
                             ("is no base64 MD5", {"digest": "d41d8cd98f00b204e9800998ecf8427e"}),
                             ("no committed version", {"baseArtifactID": "QXJ0aWZhY3Q6OTk="}),
                             ("artifact x not found", {"artifactID": "x"})):
            with self.subTest(why):
                publish = self.ready(manifest=lambda data, changes=changes: {**data, **changes})
                self.refused(why, publish.manifest())

    def test_refuses_files_of_a_wrong_form(self):
        for why, changes in (("is no relative path", {"name": "../a"}),
                             ("is no relative path", {"name": "/a"}),
                             ("is no relative path", {"name": "a\\b"}),
                             ("is no base64 MD5", {"md5": "4a513e26c0a8523edd696f34e2001a2c"}),
                             ("is not of this artifact", {"artifactManifestID": "x"})):
            with self.subTest(why):
                change = lambda data, changes=changes: {
                    **data, "artifactFiles": [{**data["artifactFiles"][0], **changes}]}
                publish = self.ready(announce=change)
                publish.manifest()
                self.refused(why, publish.announce())
        publish = self.ready(announce=lambda data: {**data, "storageLayout": "V1"})
        self.refused("is not V2", publish.announce())

    def test_refuses_a_commit_that_comes_too_early(self):
        publish = self.ready()
        self.refused("before the manifest was declared", publish.commit())
        publish.manifest()
        edges = publish.announce().json["data"]["createArtifactFiles"]["files"]["edges"]
        publish.births = {path: edge["node"]["artifact"]["id"]
                          for path, edge in zip(FILES, edges)}
        publish.upload_manifest()
        self.refused("before report.md was uploaded", publish.commit())
        publish.manifest(wandb_client.md5_text(b"{}"))
        self.refused("before the manifest was uploaded", publish.commit())

    def test_refuses_a_manifest_that_does_not_match_what_was_stored(self):
        def entry(**changes):
            def change(document):
                document["contents"]["report.md"].update(changes)
                return document
            return change

        def without(document):
            del document["contents"]["report.md"]
            return document

        def beside(document):
            document["contents"]["../x"] = {"digest": "a"}
            return document
        for why, change in (
                ("version: 2", lambda document: {**document, "version": 2}),
                ("storagePolicy", lambda document: {**document, "storagePolicy": "v0"}),
                ("local_path: this member is unknown", entry(local_path="/tmp/x")),
                ("digest of report.md", entry(digest="1B2M2Y8AsgTpgAmY7PhCfg==")),
                ("birthArtifactID of report.md", entry(birthArtifactID="x")),
                ("size of report.md", entry(size=1)),
                ("does not list: ['report.md']", without), ("is no relative path", beside)):
            with self.subTest(why):
                publish = self.publish(document=change)
                publish.prepare()
                self.refused(why, publish.commit())

    def test_refuses_a_digest_that_was_not_that_of_the_files(self):
        publish = self.publish(create=lambda data: {**data, "digest": "0" * 32})
        publish.prepare()
        self.refused("CreateArtifact said 0000", publish.commit())


class StorageRules(WandbCase):
    def ticket(self, files=None):
        publish = self.publish(files or {"f": b"bytes", "g": b"more"})
        publish.upsert()
        publish.create()
        publish.manifest()
        edges = publish.announce().json["data"]["createArtifactFiles"]["files"]["edges"]
        return next((edge["node"]["uploadUrl"], edge["node"]["uploadHeaders"], data)
                    for edge, data in zip(edges, publish.files.values())
                    if edge["node"]["uploadUrl"].startswith("http"))

    def test_refuses_credentials_and_headers_that_were_not_signed(self):
        url, headers, data = self.ticket()
        for why, more in (("an Authorization header", ["Authorization: Basic YXBpOmtleQ=="]),
                          ("the signed ones", ["x-amz-acl: public-read"]),
                          ("the signed ones", ["Content-Type: text/plain"])):
            self.refused(why, self.client.put(url, headers + more, data), 403)
        self.refused("the signed ones", self.client.put(url, headers[:1], data), 403)

    def test_refuses_other_bytes_a_changed_url_and_a_second_use(self):
        url, headers, data = self.ticket()
        self.refused("the MD5 of the bytes", self.client.put(url, headers, b"x"), 400)
        self.refused("was changed", self.client.put(url + "&a=1", headers, data), 403)
        self.refused("signed for PUT", send(url, "GET"), 403)
        self.assertEqual(self.client.put(url, headers, data).status, 200)
        self.refused("was used before", self.client.put(url, headers, data), 403)

    def test_refuses_uploads_without_a_length_and_urls_that_have_expired(self):
        url, headers, data = self.ticket()
        chunked = {**dict(line.split(": ") for line in headers), "Transfer-Encoding": "chunked"}
        parts, pairs = urllib.parse.urlsplit(url), "".join(f"{line}\r\n" for line in headers)
        send_raw(parts.port, f"PUT {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
                             f"{pairs}Connection: close\r\n\r\n".encode())
        self.assertIn("no Content-Length", self.last()["rejected"])
        self.refused("is chunked", send(url, "PUT", b"5\r\nbytes\r\n0\r\n\r\n", chunked), 501)
        self.double.control("expire-urls")
        self.refused("has expired", self.client.put(url, headers, data), 403)


class RunRules(WandbCase):
    def upsert(self, **data):
        return self.client.call("UpsertBucket", input=data)

    def test_resolves_case_and_the_default_entity_once(self):
        self.upsert(name="r1", modelName="Perf2")
        bucket = self.upsert(name="r1", modelName="PERF2", entityName="ACME").json["data"][
            "upsertBucket"]
        self.assertEqual((bucket["inserted"], bucket["bucket"]["project"]),
                         (False, {"name": "Perf2", "entity": {"name": "acme"}}))

    def test_writes_summary_and_tags_by_the_storage_id(self):
        run = self.upsert(name="r2", modelName="perf").json["data"]["upsertBucket"]["bucket"]
        self.upsert(id=run["id"], summaryMetrics='{"perf/step": 1}', tags=["a", "b"])
        shown = [r for r in self.double.state()["runs"] if r["name"] == "r2"][0]
        self.assertEqual((shown["summaryMetrics"], shown["tags"]),
                         ({"perf/step": 1}, ["a", "b"]))

    def test_refuses_what_the_service_would(self):
        for why, data in (
                ("is no run id", {"name": "a:b"}), ("is no run id", {"name": " a"}),
                ("needs a name or an id", {}), ("with id x not found", {"id": "x"}),
                ("1 to 64 characters", {"name": "r", "tags": ["x" * 65]}),
                ("occurs twice", {"name": "r", "tags": ["a", "a"]}),
                ("are null", {"name": "r", "notes": None}),
                ("state 'done'", {"name": "r", "state": "done"}),
                ("config.lr", {"name": "r", "config": '{"lr": 1}'}),
                ("no JSONString", {"name": "r", "summaryMetrics": '{"a": Infinity}'}),
                ("field \"job\" is not defined", {"name": "r", "job": "x"})):
            with self.subTest(why):
                self.refused(why, self.upsert(**data))
        self.refused("entity other not found", self.upsert(name="r", entityName="other"), 404)

    def test_a_live_run_keeps_its_summary(self):
        self.double.control("seed", runs=[{"project": "perf", "name": "live", "state": "running"}])
        self.refused("is live", self.upsert(name="live", modelName="perf", summaryMetrics="{}"))

    def test_alerts_have_a_title_of_fewer_than_64_characters(self):
        self.upsert(name="r3", modelName="perf")
        alert = {"entityName": "acme", "projectName": "perf", "runName": "r3", "title": "x" * 63,
                 "text": "t", "severity": "WARN", "waitDuration": 60_000}
        call = lambda **changes: self.client.call("NotifyScriptableRunAlert",
                                                  input={**alert, **changes})
        self.assertEqual(call().status, 200)
        for why, changes in (("64 characters", {"title": "x" * 64}), ("is empty", {"text": ""}),
                             ("no AlertSeverity", {"severity": "FATAL"}),
                             ("no Duration", {"waitDuration": "60s"})):
            self.refused(why, call(**changes))

    def test_run_files_appear_when_they_were_uploaded_and_marked(self):
        self.upsert(name="r4", modelName="perf")
        place = {"entityName": "acme", "projectName": "perf", "runName": "r4"}
        made = self.client.data("CreateRunFiles", input={**place, "files": ["a/b.txt"]})
        made = made["createRunFiles"]
        marked = {**place, "files": ["a/b.txt"]}
        self.refused("was not uploaded", self.client.call("MarkRunFilesUploaded", input=marked))
        self.client.put(made["files"][0]["uploadUrl"], made["uploadHeaders"], b"text")
        self.assertEqual(self.client.call("MarkRunFilesUploaded", input=marked).status, 200)
        self.refused("no relative path", self.client.call(
            "CreateRunFiles", input={**place, "files": ["../x"]}))


class StreamRules(WandbCase):
    def stream(self, call, headers=None, run="s1"):
        return send(self.double.url(f"/files/acme/perf/{run}/file_stream"), "POST", call,
                    {**AUTHORIZED, **(headers or {})})

    def test_accepts_a_heartbeat_lines_and_the_end(self):
        self.client.data("UpsertBucket", input={"name": "s1", "modelName": "perf"})
        lines = {"files": {"wandb-history.jsonl": {"offset": 0, "content": ['{"a":1}']}}}
        for call in ({}, lines, {"complete": True, "exitcode": 1}):
            self.assertEqual(self.stream(call).status, 200)
        run = [r for r in self.double.state()["runs"] if r["name"] == "s1"][0]
        self.assertEqual((run["state"], run["exit_code"]), ("failed", 1))
        self.assertEqual(self.stream({"complete": True, "exitcode": 1}).status, 200)
        self.refused("ended with 1 before", self.stream({"complete": True, "exitcode": 0}), 400)

    def test_refuses_what_the_service_would(self):
        self.client.data("UpsertBucket", input={"name": "s2", "modelName": "perf"})
        line = lambda *content: {"files": {"output.log": {"offset": 0, "content": list(content)}}}
        for why, call, status in (
                ("unknown here", {"done": True}, 400),
                ("expected one of", {"files": {"x.log": {"offset": 0, "content": []}}}, 400),
                ("more than one line", line("a\nb"), 400),
                ("bytes, at most 10485760", line("x" * (11 << 20)), 413),
                ("without exitcode", {"complete": True}, 400),
                ("was not uploaded", {"uploaded": ["a"]}, 404)):
            with self.subTest(why):
                self.refused(why, self.stream(call, run="s2"), status)
        self.refused("no Authorization", send(
            self.double.url("/files/acme/perf/s2/file_stream"), "POST", {},
            {"Content-Type": "application/json"}), 401)
        other = {"Authorization": AUTHORIZED["Authorization"][:-4] + "ZmY="}
        self.refused("the key is not known", self.stream({}, other), 401)
        self.refused("Content-Type", self.stream({}, {"Content-Type": "text/plain"}), 400)
        self.refused("called with GET", send(self.double.url("/files/acme/perf/s2/file_stream"),
                                             "GET", None, AUTHORIZED), 405)
        self.refused("run acme/perf/none not found", self.stream({}, run="none"), 404)
        self.refused("FILESTREAM_GZIP", self.stream(
            b"x", {"Content-Encoding": "gzip"}, "s2"), 400)


if __name__ == "__main__":
    unittest.main()
