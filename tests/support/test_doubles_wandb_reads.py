"""Checks the reading half of the W&B double: GraphQL rules, credentials, queries, downloads."""

import base64
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "doubles"))

from case import DoubleCase, send
from graphql_check import Schema
from graphql_text import GraphQLSyntax, document_parse
from wandb_client import AUTHORIZED, KEY, QUERIES, WandbClient, md5_text
from wandb_schema import FEATURES, TYPES

PLACE = {"entity": "acme", "project": "perf"}
PROFILE = {"plugins/profile/1/host.xplane.pb": "bytes of a profile", "empty": ""}
SEED = {
    "runs": [
        {"project": "perf", "name": "r1", "tags": ["a"], "commit": "abc",
         "config": {"trainer": {"id": "t1", "log_dir": "gs://b/x"}, "git_commit": "abc"},
         "summary": {"device_kind": "TPU v4", "loss": 0.5},
         "files": {"config.yaml": "a: 1\n", "logs/x.txt": "x", "logs/y.txt": "y"}},
        {"project": "perf", "name": "odd", "config_text": '{"a": {"value": NaN}}'},
    ],
    "artifacts": [
        {"project": "perf", "name": "profiler", "type": "jax_profile", "run": "r1",
         "files": PROFILE, "aliases": ["best"], "metadata": {"step": 5}},
        {"project": "perf", "name": "profiler", "type": "jax_profile", "run": "odd",
         "files": {"a": "a"}, "updatedAt": "2026-01-05T06:00:00Z"},
        {"project": "perf", "name": "profiler", "type": "jax_profile", "run": "r1",
         "files": {"a": "b"}, "state": "PENDING"},
        {"project": "perf", "name": "damaged", "type": "jax_profile", "files": {
            "good": "good", "bad": "bad", "lost": "lost", "small": "small"},
         "served": {"bad": "other bytes"}, "lost": ["lost"], "without_size": ["small"],
         "entries": {"../../etc/x": {"digest": "1B2M2Y8AsgTpgAmY7PhCfg=="},
                     "far": {"digest": "etag", "ref": "gs://b/far"}}},
    ],
}


class ReadCase(DoubleCase):
    script = "wandb_server.py"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = WandbClient(cls.double.url())
        cls.ids = cls.double.control("seed", **SEED)["artifacts"]

    def refused(self, why, reply, status):
        entry = self.last()
        self.assertEqual(entry["verdict"], "rejected", f"accepted; expected: {why}")
        self.assertIn(why, entry["rejected"])
        self.assertEqual(reply.status, status, reply.text)

    def files(self, artifact_id):
        page = self.client.data("ArtifactFiles", id=artifact_id)["artifact"]["files"]
        return {edge["node"]["name"]: edge["node"]["directUrl"] for edge in page["edges"]}


class Language(unittest.TestCase):
    def test_every_document_of_the_client_is_read(self):
        for name, text in QUERIES.items():
            operations, fragments = document_parse(text)
            self.assertEqual([operation.name for operation in operations], [name])
            self.assertEqual(fragments, {})

    def test_refuses_what_is_no_graphql(self):
        for text in ("query {", "query { }", "query { a(b:) }", "query { a } x",
                     'query { a(b:"\n") }', "query ($a: ) { a }",
                     "{" * 40 + "a" + "}" * 40, "subscription { a }",
                     "query { a(b: 01) }", "query { a(b: 1, b: 2) }", "\x00"):
            with self.assertRaises(GraphQLSyntax, msg=text):
                document_parse(text)

    def test_reads_numbers_texts_lists_and_comments(self):
        operations, _ = document_parse(
            '# c\n{ x: a(i: -1, f: 1.5e3, s: "\\u00fc\\n", l: [1, [A]], o: {k: null}) @include(if: '
            'true) { b } }')
        field = operations[0].selections[0]
        self.assertEqual((field.key, field.name), ("x", "a"))
        self.assertEqual({k: v for k, v in field.arguments.items() if k != "l"},
                         {"i": -1, "f": 1500.0, "s": "ü\n", "o": {"k": None}})

    def test_every_type_that_the_schema_names_exists(self):
        schema = Schema(TYPES, FEATURES)
        for definition in schema.types.values():
            for member in definition.members if definition.kind == "union" else ():
                self.assertIsNotNone(schema.kind(member), member)
            for field in definition.fields.values():
                self.assertIsNotNone(schema.kind(field.type.leaf), field)


class Transport(ReadCase):
    def test_a_key_of_the_wrong_form_is_refused_and_an_unknown_one_has_no_viewer(self):
        def basic(text):
            return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}
        call = lambda headers, name="Viewer": self.client.call(name, headers=headers)
        for why, headers in (("no base64", {"Authorization": "Basic !"}),
                             ("is Bearer", {"Authorization": "Bearer " + base64.b64encode(
                                 f"api:{KEY}".encode()).decode()}),
                             ("user 'ada'", basic(f"ada:{KEY}")), ("of the form", basic("api:x"))):
            self.refused(why, call(headers), 401)
        other = basic("api:" + "f" * 40)
        self.assertEqual(call(other).json, {"data": {"viewer": None}})
        reply = call(other, "ServerFeatures")
        self.refused("not known", reply, 401)
        self.assertEqual(reply.json["errors"][0]["extensions"]["code"], "PERMISSION_ERROR")
        plain = {name: value for name, value in AUTHORIZED.items() if name != "Authorization"}
        self.refused("no Authorization", send(self.double.url("/graphql"), "POST", {}, plain), 401)

    def test_accepts_a_key_with_a_prefix_in_its_form(self):
        key = base64.b64encode(("api:local-" + "e" * 40).encode()).decode()
        reply = self.client.call("Viewer", headers={"Authorization": f"Basic {key}"})
        self.assertEqual(reply.json, {"data": {"viewer": None}})

    def test_the_body_has_three_members_of_their_types(self):
        good = {"query": QUERIES["Viewer"], "variables": {}, "operationName": "Viewer"}
        url = self.double.url("/graphql")
        for why, body in (("operationName: this member is required",
                           {k: good[k] for k in ("query", "variables")}),
                          ("extensions: this member is unknown", {**good, "extensions": {}}),
                          ("variables: null", {**good, "variables": None}),
                          ("expected an object", []), ("no GraphQL request", b"query"),
                          ("operationName 'x'", {**good, "operationName": "x"})):
            self.refused(why, send(url, "POST", body, AUTHORIZED), 400)
        self.refused("Content-Type", send(url, "POST", good, {
            **AUTHORIZED, "Content-Type": "application/graphql"}), 400)
        self.refused("with GET", send(url, "GET", None, AUTHORIZED), 405)

    def test_refuses_documents_that_do_not_fit_the_schema(self):
        head = "query Q($n: String!) { project(name: $n) { "
        for why, text, variables in (
                ('Cannot query field "x" on type "Project"', head + "x } }", {"n": "a"}),
                ('Unknown argument "id"', head + 'run(id: "a") { id } } }', {"n": "a"}),
                ('needs the argument "name"', head + "run { id } } }", {"n": "a"}),
                ("must have a selection", head + "entity } }", {"n": "a"}),
                ("must have no selection", head + "name { x } } }", {"n": "a"}),
                ("which needs String", "query Q($n: Int!) { project(name: $n) { id } }", {"n": 1}),
                ("which needs String!",
                 "query Q($n: String) { project { run(name: $n) { id } } }", {"n": "a"}),
                ("is not declared", "query Q { project(name: $n) { id } }", {}),
                ("declared and not used", "query Q($n: String!) { viewer { id } }", {"n": "a"}),
                ("sent and not declared", head + "id } }", {"n": "a", "m": 1}),
                ("unknown input type", "query Q($n: Text) { project(name: $n) { id } }", {}),
                ("unknown directive", head + "id @defer } }", {"n": "a"}),
                ("two different ways",
                 head + 'a: run(name: "x") { id } a: run(name: "y") { id } } }', {"n": "a"}),
                ("unknown or contains itself", head + "...F } }", {"n": "a"}),
                ("defined and not used", head + "id } } fragment F on Run { id }", {"n": "a"}),
                ("cannot apply to Project", head + "... on Run { id } } }", {"n": "a"}),
                ("expected", "query Q {", {})):
            with self.subTest(why):
                self.refused(why, self.client.call("Q", text, **variables), 400)

    def test_inputs_may_stand_in_the_document_and_leave_out_what_is_not_sent(self):
        text = """mutation UpsertBucket($name: String, $notes: String, $tags: [String!]) {
            upsertBucket(input: {name: $name, modelName: "perf", notes: $notes, tags: $tags}) {
                bucket { name notes: notes tags ...Where } } }
            fragment Where on Run { __typename project { name } }"""
        reply = self.client.call("UpsertBucket", text, name="literal", tags=["a"])
        self.assertEqual(reply.json["data"]["upsertBucket"]["bucket"], {
            "name": "literal", "notes": None, "tags": ["a"], "__typename": "Run",
            "project": {"name": "perf"}})

    def test_refuses_inputs_in_the_document_that_do_not_fit(self):
        head = "mutation M { createArtifactManifest(input: "
        tail = ") { artifactManifest { id } } }"
        full = ('artifactID: "a", name: "n", digest: "", entityName: "e", projectName: "p", '
                'runName: "r", type: ')
        for why, text in (('field "x" is not defined', head + "{x: 1}" + tail),
                          ("artifactID of type", head + "{}" + tail),
                          ("is no ArtifactManifestType", head + "{" + full + '"FULL"}' + tail),
                          ("is no ArtifactManifestType", head + "{" + full + "HALF}" + tail),
                          ("expected an object", head + "5" + tail),
                          ("is required", head + "null" + tail),
                          ("cannot stand in a default", "query M($a: String = $b, $b: String) "
                           "{ project(name: $a, entityName: $b) { id } }")):
            with self.subTest(why):
                self.refused(why, self.client.call("M", text), 400)
        text = """mutation M($i: CommitArtifactInput!) {
            commitArtifact(input: $i) { artifact { id } } }"""
        for why, value in (("is required", {}), ("expected an object", "x")):
            self.refused(why, self.client.call("M", text, i=value), 200)

    def test_a_variable_that_is_missing_or_wrong_is_200_with_errors(self):
        for why, variables in (("was not sent", {"entity": "a", "project": "b"}),
                               ("is required", {"entity": "a", "project": "b", "name": None}),
                               ("is no String", {"entity": "a", "project": "b", "name": 1})):
            reply = self.client.call("Run", **variables)
            self.refused(why, reply, 200)
            self.assertIn(why, reply.json["errors"][0]["message"])

    def test_faults_pick_operations_by_their_name(self):
        self.double.faults({"fault": "status", "status": 409, "operation": "CommitArtifact"},
                           {"fault": "status", "status": 200, "operation": "viewer",
                            "body": '{"errors": ["busy"]}', "content_type": "application/json"})
        self.assertEqual(self.client.call("Viewer").json, {"errors": ["busy"]})
        commit = self.client.call("CommitArtifact", input={"artifactID": "x"})
        self.assertEqual((commit.status, self.last()["operation"]), (409, "CommitArtifact"))
        self.assertEqual(self.client.call("ServerFeatures").status, 200)


class Queries(ReadCase):
    def test_a_run_has_its_config_wrapped_in_values_and_json_in_texts(self):
        run = self.client.data("Run", **PLACE, name="r1")["project"]["run"]
        self.assertEqual(json.loads(run["config"])["git_commit"], {"value": "abc", "desc": None})
        self.assertEqual(json.loads(run["summaryMetrics"])["device_kind"], "TPU v4")
        self.assertEqual((run["state"], run["tags"], run["user"]), ("finished", ["a"],
                                                                    {"username": "ada"}))
        odd = self.client.data("Run", **PLACE, name="odd")["project"]["run"]
        self.assertIn("NaN", odd["config"])

    def test_what_is_not_there_is_null(self):
        self.assertEqual(self.client.data("Run", **PLACE, name="x"), {"project": {"run": None}})
        self.assertEqual(self.client.data("Run", entity="x", project="y", name="z"),
                         {"project": None})
        self.assertEqual(self.client.data("ArtifactByID", id="x"), {"artifact": None})

    def test_output_artifacts_come_in_pages_and_hold_pending_ones(self):
        found, cursor = [], None
        while True:
            data = self.client.data("RunOutputArtifacts", **PLACE, run="r1", cursor=cursor,
                                    perPage=1)["project"]["run"]["outputArtifacts"]
            found += [edge["node"] for edge in data["edges"]]
            cursor = data["pageInfo"]["endCursor"]
            if not data["pageInfo"]["hasNextPage"]:
                break
        self.assertEqual([(a["state"], a["versionIndex"], a["artifactType"]["name"])
                          for a in found], [("PENDING", None, "jax_profile"),
                                            ("COMMITTED", 0, "jax_profile")])
        self.assertIsNone(found[1]["updatedAt"])
        self.refused("was never given out", self.client.call(
            "RunOutputArtifacts", **PLACE, run="r1", cursor="x"), 200)

    def test_a_name_with_an_alias_finds_a_version_and_its_run(self):
        for name, index in (("profiler:best", 0), ("profiler:v0", 0), ("profiler:latest", 1),
                            ("profiler", 1)):
            found = self.client.data("ArtifactByName", **PLACE, name=name)["project"][
                "artifactCollectionMembership"]
            self.assertEqual(found["versionIndex"], index, name)
        run = self.client.data("ArtifactCreatedBy", id=self.ids[0])["artifact"]["createdBy"]
        self.assertEqual(run, {"name": "r1", "project": {"name": "perf",
                                                         "entity": {"name": "acme"}}})

    def test_run_files_are_chosen_by_name_and_by_pattern(self):
        def names(**variables):
            page = self.client.data("RunFiles", **PLACE, name="r1", **variables)
            return [edge["node"]["name"] for edge in page["project"]["run"]["files"]["edges"]]
        self.assertEqual(names(fileLimit=2), ["config.yaml", "logs/x.txt"])
        self.assertEqual(names(fileNames=["config.yaml", "none"]), ["config.yaml"])
        self.assertEqual(names(pattern="logs/*"), ["logs/x.txt", "logs/y.txt"])

    def test_aliases_are_added_and_deleted(self):
        alias = lambda name: [{"alias": name, "artifactCollectionName": "profiler", **{
            "entityName": "acme", "projectName": "perf"}}]
        for name, aliases in (("AddAliases", ["best", "gate"]), ("DeleteAliases", ["best"])):
            self.client.data(name, input={"artifactID": self.ids[0], "aliases": alias("gate")})
            found = self.client.data("ArtifactByID", id=self.ids[0])["artifact"]["aliases"]
            self.assertEqual([item["alias"] for item in found], aliases)

    def test_an_artifact_is_used_by_a_run_once_it_is_committed(self):
        use = lambda n: self.client.call("UseArtifact", input={
            "artifactID": self.ids[n], "entityName": "acme", "projectName": "perf",
            "runName": "r1", "artifactEntityName": "acme", "artifactProjectName": "perf"})
        self.assertEqual(use(0).status, 200)
        self.refused("is PENDING", use(2), 200)
        run = [r for r in self.double.state()["runs"] if r["name"] == "r1"][0]
        self.assertEqual(run["inputs"], [self.ids[0]])


class Downloads(ReadCase):
    def test_the_manifest_and_the_files_fit_their_digests(self):
        url = self.client.data("ArtifactManifest", id=self.ids[0])["artifact"]["currentManifest"][
            "file"]["directUrl"]
        manifest = send(url, "GET").json
        files = self.files(self.ids[0])
        self.assertEqual(set(manifest["contents"]), set(PROFILE))
        for name, entry in manifest["contents"].items():
            data = send(files[name], "GET").body
            self.assertEqual((md5_text(data), len(data)), (entry["digest"], entry["size"]))

    def test_files_are_listed_by_membership_in_pages(self):
        page = self.client.data("MembershipFiles", **PLACE, collection="profiler", alias="v0",
                                perPage=1)
        files = page["project"]["artifactCollection"]["artifactMembership"]["files"]
        self.assertEqual((len(files["edges"]), files["pageInfo"]["hasNextPage"]), (1, True))

    def test_a_download_resumes_where_it_stopped(self):
        url = self.files(self.ids[0])["plugins/profile/1/host.xplane.pb"]
        reply = send(url, "GET", headers={"Range": "bytes=9-"})
        self.assertEqual((reply.status, reply.text, reply.headers["Content-Range"]),
                         (206, "a profile", "bytes 9-17/18"))
        self.refused("Range is", send(url, "GET", headers={"Range": "bytes=18-"}), 416)

    def test_refuses_credentials_changes_and_old_urls(self):
        url = self.files(self.ids[0])["empty"]
        self.refused("Authorization", send(url, "GET", headers=AUTHORIZED), 403)
        self.refused("was changed", send(url.replace("Signature=", "Signature=0"), "GET"), 403)
        self.double.control("expire-urls")
        self.refused("has expired", send(url, "GET"), 403)
        self.assertEqual(send(self.files(self.ids[0])["empty"], "GET").status, 200)

    def test_planted_damage_is_served(self):
        files = self.files(self.ids[3])
        self.assertEqual(send(files["bad"], "GET").text, "other bytes")
        self.refused("is gone", send(files["lost"], "GET"), 404)
        self.assertIn("../../etc/x", files)
        url = self.client.data("ArtifactManifest", id=self.ids[3])["artifact"]["currentManifest"][
            "file"]["directUrl"]
        contents = send(url, "GET").json["contents"]
        self.assertEqual((contents["far"]["ref"], "size" in contents["small"],
                          "far" in files), ("gs://b/far", False, False))

    def test_the_authenticated_way_serves_by_digest(self):
        name, text = "plugins/profile/1/host.xplane.pb", b"bytes of a profile"
        digest = base64.b64decode(md5_text(text)).hex()
        birth = self.ids[0].replace("=", "%3D")
        path = f"/artifactsV2/default/acme/perf/profiler/{birth}/{birth}/{digest}/host.xplane.pb"
        self.assertIn(name, self.files(self.ids[0]))
        self.assertEqual(send(self.double.url(path), "GET", None, AUTHORIZED).body, text)
        v1 = self.double.url(f"/artifacts/acme/{digest}")
        self.assertEqual(send(v1, "GET", None, AUTHORIZED).body, text)
        self.refused("no Authorization", send(v1, "GET"), 401)
        self.refused("no file with MD5", send(self.double.url(
            path.replace("host.xplane.pb", "x")), "GET", None, AUTHORIZED), 404)
        self.refused("no such artifact", send(self.double.url(
            path.replace("/acme/", "/other/")), "GET", None, AUTHORIZED), 404)
        for wrong in (path.replace(f"/{birth}/{birth}/", f"/{birth}/"),
                      path.replace("/default/", "/eu/")):
            self.refused("there is no such artifact in region eu" if "/eu/" in wrong
                         else "no such way to a file",
                         send(self.double.url(wrong), "GET", None, AUTHORIZED), 404)
        self.refused("there is no /x", send(self.double.url("/x"), "GET", None, AUTHORIZED), 404)


class OldServer(ReadCase):
    arguments = ("--quirk", "old-server", "--quirk", "no-direct-urls", "--page-cap", "1")

    def test_lacks_features_fields_and_urls(self):
        self.assertEqual(self.client.data("ServerFeatures")["serverInfo"]["features"], [])
        self.refused('Cannot query field "artifactCollectionMembership"', self.client.call(
            "ArtifactByName", **PLACE, name="profiler:v0"), 400)
        text = """query Old($project: String!, $name: String!) {
            project(name: $project) { artifact(name: $name) { id versionIndex } } }"""
        old = self.client.data("Old", query=text, project="perf", name="profiler:best")
        self.assertEqual(old["project"]["artifact"]["versionIndex"], 0)
        self.assertEqual(list(self.files(self.ids[0]).values()), [None])


if __name__ == "__main__":
    unittest.main()
