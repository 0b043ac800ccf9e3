"""A small W&B client for the tests of the W&B double: documents, one call, a whole publish.

What: the GraphQL documents that README.md names in their smallest form, and the sequence of
writing with a hook before each step, so that a test can spoil one.
Why: a double is trusted when a client that was written from the same spec passes, and fails where
it departs from it.
What it does not do: it retries nothing. The product's own client shares no line with it.
"""

import base64
import hashlib
import json
import urllib.parse

from case import send
from wandb_state import artifact_digest

KEY = "0123456789abcdef0123456789abcdef01234567"
AUTHORIZED = {"Authorization": "Basic " + base64.b64encode(f"api:{KEY}".encode()).decode(),
              "Content-Type": "application/json"}


def md5_text(data):
    return base64.b64encode(hashlib.md5(data).digest()).decode()


def mutation(name, selection):
    """A document with the whole input as one variable."""
    field = name[0].lower() + name[1:]
    return f"mutation {name}($input: {name}Input!) {{ {field}(input: $input) {{ {selection} }} }}"


FILE_PAGE = "pageInfo { endCursor hasNextPage } edges { node { name directUrl } }"
ARTIFACT = """id versionIndex state digest size fileCount createdAt updatedAt metadata
    artifactType { name } artifactSequence { name project { name entity { name } } }
    aliases { alias artifactCollection { name } }"""
QUERIES = {
    "Viewer": "query Viewer { viewer { id entity username teams { edges { node { name } } } } }",
    "ServerFeatures": "query ServerFeatures { serverInfo { features { name isEnabled } } }",
    "Run": """query Run($project: String!, $entity: String!, $name: String!) {
        project(name: $project, entityName: $entity) { run(name: $name) {
            id name displayName state config summaryMetrics tags notes commit createdAt
            historyLineCount user { username } } } }""",
    "RunOutputArtifacts": """query RunOutputArtifacts($entity: String!, $project: String!,
            $run: String!, $cursor: String, $perPage: Int) {
        project(entityName: $entity, name: $project) { run(name: $run) {
            outputArtifacts(after: $cursor, first: $perPage) {
                pageInfo { endCursor hasNextPage } edges { node { %s } } } } } }""" % ARTIFACT,
    "ArtifactByName": """query ArtifactByName($entity: String!, $project: String!,
            $name: String!) {
        project(name: $project, entityName: $entity) {
            artifactCollectionMembership(name: $name) { versionIndex aliases { alias }
                artifactCollection { name project { name } } artifact { %s } } } }""" % ARTIFACT,
    "ArtifactByID": "query ArtifactByID($id: ID!) { artifact(id: $id) { %s } }" % ARTIFACT,
    "ArtifactCreatedBy": """query ArtifactCreatedBy($id: ID!) { artifact(id: $id) { createdBy {
        ... on Run { name project { name entity { name } } } } } }""",
    "ArtifactManifest": """query ArtifactManifest($id: ID!) {
        artifact(id: $id) { currentManifest { file { directUrl } } } }""",
    "ArtifactFiles": """query ArtifactFiles($id: ID!, $cursor: String, $perPage: Int) {
        artifact(id: $id) { files(after: $cursor, first: $perPage) { %s } } }""" % FILE_PAGE,
    "MembershipFiles": """query MembershipFiles($entity: String!, $project: String!,
            $collection: String!, $alias: String!, $cursor: String, $perPage: Int) {
        project(name: $project, entityName: $entity) { artifactCollection(name: $collection) {
            artifactMembership(aliasName: $alias) {
                files(after: $cursor, first: $perPage) { %s } } } } }""" % FILE_PAGE,
    "RunFiles": """query RunFiles($project: String!, $entity: String!, $name: String!,
            $fileCursor: String, $fileLimit: Int, $fileNames: [String], $pattern: String) {
        project(name: $project, entityName: $entity) { run(name: $name) {
            files(names: $fileNames, after: $fileCursor, first: $fileLimit, pattern: $pattern) {
                pageInfo { endCursor hasNextPage }
                edges { node { id name url(upload: false) directUrl sizeBytes md5 mimetype }
                        cursor } } } } }""",
    "UpsertBucket": mutation("UpsertBucket", """inserted bucket { id name displayName config
        historyLineCount project { name entity { name } } }"""),
    "CreateArtifact": mutation(
        "CreateArtifact", "artifact { id state artifactSequence { latestArtifact { id } } }"),
    "CreateArtifactManifest": """mutation CreateArtifactManifest(
            $input: CreateArtifactManifestInput!, $withUpload: Boolean!) {
        createArtifactManifest(input: $input) { artifactManifest { id file { id
            uploadUrl @include(if: $withUpload) uploadHeaders @include(if: $withUpload) } } } }""",
    "CreateArtifactFiles": mutation("CreateArtifactFiles", """files { edges { node { storagePath
        uploadUrl uploadHeaders artifact { id } } } }"""),
    "CommitArtifact": mutation("CommitArtifact", "artifact { id digest }"),
    "UseArtifact": mutation("UseArtifact", "artifact { id }"),
    "AddAliases": mutation("AddAliases", "success"),
    "DeleteAliases": mutation("DeleteAliases", "success"),
    "UpdateArtifact": mutation("UpdateArtifact", "artifact { id }"),
    "NotifyScriptableRunAlert": mutation("NotifyScriptableRunAlert", "success"),
    "CreateRunFiles": mutation("CreateRunFiles", "runID uploadHeaders files { name uploadUrl }"),
    "MarkRunFilesUploaded": mutation("MarkRunFilesUploaded", "success"),
}


class WandbClient:
    """Speaks to one double. `base_url` is that of the API."""

    def __init__(self, base_url):
        self.base_url = base_url

    def call(self, operation, /, query=None, headers=None, **variables):
        body = {"query": query or QUERIES[operation], "variables": variables,
                "operationName": operation}
        return send(self.base_url + "/graphql", "POST", body, {**AUTHORIZED, **(headers or {})})

    def data(self, operation, /, **variables):
        """The data of a call that has to work."""
        reply = self.call(operation, **variables)
        if reply.status != 200 or reply.json.get("errors"):
            raise AssertionError(f"{operation}: {reply.status} {reply.text}")
        return reply.json["data"]

    def put(self, url, headers, data):
        """An upload with the headers exactly as they were given out."""
        pairs = (line.partition(":") for line in headers)
        return send(urllib.parse.urljoin(self.base_url, url), "PUT", data,
                    {name.strip(): value.strip() for name, _, value in pairs})


class Publish:
    """A publish of files, step by step; `spoil` maps a step to a function that changes what it
    sends."""

    def __init__(self, client, name, files, **spoil):
        self.client, self.name, self.files, self.spoil = client, name, files, spoil
        self.place = {"entityName": "acme", "projectName": "perf"}
        self.digests = {path: md5_text(data) for path, data in files.items()}
        self.run, self.seed = "pp" + hashlib.md5(name.encode()).hexdigest()[:14], name
        self.births, self.artifact_id, self.manifest_id = {}, None, None

    def changed(self, step, value):
        return self.spoil.get(step, lambda same: same)(value)

    def client_id(self, kind):
        return (hashlib.sha512(f"{kind}{self.seed}{self.digests}".encode()).hexdigest())

    def upsert(self):
        data = {"name": self.run, "modelName": "perf", "entityName": "acme",
                "jobType": "profile-summary-publish", "displayName": f"publish-{self.name}"}
        return self.client.call("UpsertBucket", input=self.changed("upsert", data))

    def create(self, *aliases):
        data = {**self.place, "artifactTypeName": "profile_summary",
                "artifactCollectionName": self.name, "runName": self.run,
                "digest": artifact_digest(self.digests), "digestAlgorithm": "MANIFEST_MD5",
                "aliases": [{"artifactCollectionName": self.name, "alias": alias}
                            for alias in (*aliases, "latest")],
                "metadata": json.dumps({"step_median": 1.5}), "enableDigestDeduplication": True,
                "clientID": self.client_id("a"), "sequenceClientID": self.client_id("b")}
        reply = self.client.call("CreateArtifact", input=self.changed("create", data))
        created = (reply.json.get("data") or {}).get("createArtifact")
        self.artifact_id = created and created["artifact"]["id"]
        return reply

    def manifest(self, digest=""):
        data = {"artifactID": self.artifact_id, "name": "wandb_manifest.json", "digest": digest,
                **self.place, "runName": self.run, "type": "FULL"}
        reply = self.client.call("CreateArtifactManifest", withUpload=bool(digest),
                                 input=self.changed("manifest", data))
        made = (reply.json.get("data") or {}).get("createArtifactManifest")
        self.manifest_id = made and made["artifactManifest"]["id"]
        return reply

    def announce(self):
        specs = [{"artifactID": self.artifact_id, "artifactManifestID": self.manifest_id,
                  "name": path, "md5": digest} for path, digest in self.digests.items()]
        data = {"artifactFiles": specs, "storageLayout": "V2"}
        return self.client.call("CreateArtifactFiles", input=self.changed("announce", data))

    def upload(self, reply):
        """PUTs the files that the server lacks; returns how many."""
        edges = reply.json["data"]["createArtifactFiles"]["files"]["edges"]
        sent = 0
        for (path, data), edge in zip(self.files.items(), edges):
            node = edge["node"]
            self.births[path] = node["artifact"]["id"]
            if node["uploadUrl"]:
                put = self.client.put(node["uploadUrl"], node["uploadHeaders"], data)
                if put.status != 200:
                    raise AssertionError(put.text)
                sent += 1
        return sent

    def manifest_document(self):
        contents = {path: {"digest": self.digests[path], "birthArtifactID": self.births[path],
                           "size": len(self.files[path])} for path in sorted(self.files)}
        return self.changed("document", {
            "version": 1, "storagePolicy": "wandb-storage-policy-v1",
            "storagePolicyConfig": {"storageLayout": "V2"}, "contents": contents})

    def upload_manifest(self):
        data = json.dumps(self.manifest_document()).encode()
        file = self.manifest(md5_text(data)).json["data"]["createArtifactManifest"][
            "artifactManifest"]["file"]
        return self.client.put(file["uploadUrl"], file["uploadHeaders"], data)

    def commit(self):
        return self.client.call("CommitArtifact", input={"artifactID": self.artifact_id})

    def prepare(self, *aliases):
        """Everything up to the commit; returns the number of files uploaded."""
        self.upsert()
        self.create(*aliases)
        self.manifest()
        sent = self.upload(self.announce())
        self.upload_manifest()
        return sent

    def finish(self, exit_code=0):
        return send(f"{self.client.base_url}/files/acme/perf/{self.run}/file_stream", "POST",
                    {"complete": True, "exitcode": exit_code}, AUTHORIZED)
