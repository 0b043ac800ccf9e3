#!/usr/bin/env python3
"""A strict stand-in for the W&B service: GraphQL, signed uploads and downloads, file_stream.

What: two ports. "main" is the API (/graphql, /files/.../file_stream, /artifactsV2 and /artifacts,
and relative storage URLs); "storage" is the other host at which signed URLs point.
Why: there is no open-source W&B server . This one is stricter than the real one:
what it accepts, the real one accepts, as far as README.md knows.
What it does not do: sweeps, reports, history queries, multipart uploads, login pages.
Source: README.md, "W&B"; it lists options, seeds, quirks and control commands, too.
"""

import base64
import re
import urllib.parse

import double
import shape
import wandb_seed
import wandb_stream
import wandb_writes
from exchange import Answer, Rejected, json_read
from graphql_check import (GraphQLWrong, Schema, Validator, check_known_variables, operation_pick,
                           variables_coerce)
from graphql_run import Runner
from graphql_text import Field, GraphQLSyntax, document_parse
from wandb_reads import Views
from wandb_schema import FEATURES, TYPES
from wandb_state import Refused, World
from wandb_storage import RELATIVE, Storage

KEY = re.compile(r"[A-Za-z0-9_-]{40,}")
GRAPHQL_BODY = shape.Record("query variables operationName", {
    "query": shape.Text(), "variables": shape.Map(shape.Anything()), "operationName": shape.Text(),
})
QUOTA = [("RateLimit-Remaining", "1000"), ("RateLimit-Reset", "60")]
TEST_KEY = "0123456789abcdef0123456789abcdef01234567"
STREAM = re.compile(r"/files/([^/]+)/([^/]+)/([^/]+)/file_stream")
STORED_V2 = re.compile(r"/artifactsV2/([^/]+)/([^/]+)/([^/]+)/([^/]+)/(?:([^/]+)/)?"
                       r"([^/]+)/([0-9a-f]{32})/([^/]+)")
WITH_ARTIFACT_ID = "ARTIFACT_V2_DOWNLOAD_HANDLER_SUPPORTS_ARTIFACT_ID"
STORED_V1 = re.compile(r"/artifacts/([^/]+)/([0-9a-f]{32})")


def errors(message, code=None):
    """The body of a failure as the service forms it."""
    item = {"message": message}
    if code:
        item["extensions"] = {"code": code}
    return {"errors": [item], "data": None}


def refuse(why, status=400, code=None):
    raise Rejected(why, Answer(status, errors(why, code)))


class WandbService(double.Service):
    """The service; one world per process."""

    listeners = ("main", "storage")
    quirks = {
        "old-server": "no features; CreateArtifact says DELETED where newer ones say PENDING",
        "no-direct-urls": "files of artifacts have no directUrl: the authenticated GET is needed",
        "pending-not-reused": "the same clientID makes another pending artifact",
        "latest-moves-on-match": "`latest` moves to a version that was logged again",
    }

    def __init__(self, options):
        super().__init__(options)
        self.key = options.api_key
        storage = Storage(lambda: self.url("storage"), options.relative_every)
        self.world = World(options.entity or ["acme"], storage, self.chosen)
        self.views = Views(self.world, options.page_cap, "ada")
        self.schema = Schema(TYPES, () if "old-server" in self.chosen else FEATURES)
        self.routes = [
            (re.compile(r"/graphql"), self.answer_graphql),
            (STREAM, self.answer_stream),
            (STORED_V2, self.answer_stored_v2),
            (STORED_V1, self.answer_stored_v1),
        ]

    def destination(self, request):
        """A limit on the API says nothing of the storage host."""
        return request.listener

    def operations(self, request):
        """The operation's name and the names of its root fields."""
        if request.path != "/graphql":
            return ("file_stream",) if STREAM.fullmatch(request.path) else ()
        try:
            body = json_read(request.body)
            operations, _ = document_parse(body["query"])
            names = [body.get("operationName") or ""]
            names += [item.name for operation in operations for item in operation.selections
                      if isinstance(item, Field)]
        except (ValueError, TypeError, KeyError, GraphQLSyntax):
            return ()
        request.cache["log"] = {"operation": names[0]}
        return tuple(names)

    def refusal(self, _request, status, wait_s):
        headers = [] if wait_s is None else [("Retry-After", f"{wait_s:.2f}")]
        return Answer(status, errors("refused"), QUOTA + headers)

    def answer(self, request):
        if request.listener == "storage" or request.path.startswith(RELATIVE + "/"):
            return self.world.storage.answer(request)
        for pattern, handler in self.routes:
            match = pattern.fullmatch(request.path)
            if match:
                parts = [part and urllib.parse.unquote(part) for part in match.groups()]
                return handler(request, *parts)
        return refuse(f"there is no {request.path}", 404)

    def has_valid_key(self, request):
        """Checks the form of the credentials; whether the key is the right one."""
        header = request.header("authorization")
        if header is None:
            refuse("no Authorization header", 401)
        scheme, _, text = header.partition(" ")
        try:
            user, _, key = base64.b64decode(text, validate=True).decode().partition(":")
        except ValueError:
            refuse("the Authorization header is no base64", 401)
        if scheme != "Basic" or user != "api":
            refuse(f"Authorization is {scheme} of user '{user}', expected Basic of user 'api'", 401)
        if not KEY.fullmatch(key.partition("-")[2] or key):
            refuse("the key is not of the form of keys", 401)
        return key == self.key

    def need_key(self, request):
        if not self.has_valid_key(request):
            refuse("the key is not known", 401, "PERMISSION_ERROR")

    def graphql_body(self, request):
        if request.method != "POST":
            refuse(f"GraphQL with {request.method}", 405)
        if request.media_type != "application/json":
            refuse(f"Content-Type is '{request.header('content-type')}'")
        try:
            body = json_read(request.body)
            GRAPHQL_BODY.check(body)
            return body
        except (ValueError, shape.Wrong) as error:
            return refuse(f"no GraphQL request: {error}")

    def answer_graphql(self, request):
        is_key_valid = self.has_valid_key(request)
        body = self.graphql_body(request)
        try:
            operations, fragments = document_parse(body["query"])
            operation = operation_pick(operations, body["operationName"])
            Validator(self.schema, operation, fragments).check()
            check_known_variables(operation, body["variables"])
        except (GraphQLSyntax, GraphQLWrong) as error:
            refuse(str(error))
        roots = {getattr(item, "name", None) for item in operation.selections}
        if not is_key_valid and roots != {"viewer"}:
            refuse("the key is not known", 401, "PERMISSION_ERROR")
        try:
            variables = variables_coerce(self.schema, operation, body["variables"])
            runner = Runner(self.schema, fragments, variables)
            data = self.run_operation(runner, operation, is_key_valid)
        except GraphQLWrong as error:
            refuse(str(error), 200)
        except Refused as error:
            refuse(str(error), error.status, error.code)
        return Answer(200, {"data": data}, QUOTA)

    def run_operation(self, runner, operation, is_key_valid):
        if operation.kind == "query":
            return runner.select("Query", operation.selections, self.views.query(is_key_valid))

        def performer(perform):
            return lambda input: perform(self.world, self.views, input)
        view = {name: performer(perform) for name, perform in wandb_writes.MUTATIONS.items()}
        return runner.select("Mutation", operation.selections, view)

    def answer_stream(self, request, *place):
        self.need_key(request)
        return wandb_stream.answer(self.world, request, place)

    def answer_stored_v2(self, request, *parts):
        """The authenticated way to a file when it has no URL (§3.9)."""
        region, entity, project, collection, artifact_id, birth_id, digest, name = parts
        self.need_key(request)
        if (artifact_id is not None) != (WITH_ARTIFACT_ID in self.schema.features):
            refuse("this server has no such way to a file", 404)
        birth = self.world.artifact(birth_id)
        if birth and region != (birth.region or "default"):
            refuse(f"there is no such artifact in region {region}", 404)
        place = birth and (birth.collection.project.entity, birth.collection.project.name,
                           birth.collection.name)
        if place != (entity, project, collection) or artifact_id and not self.world.artifact(
                artifact_id):
            refuse("there is no such artifact", 404)
        return self.stored(digest, [birth], name)

    def answer_stored_v1(self, request, entity, digest):
        self.need_key(request)
        return self.stored(digest, [item for item in self.world.artifacts
                                    if item.collection.project.entity == entity], None)

    def stored(self, digest, artifacts, base_name):
        for artifact in artifacts:
            for file in artifact.files.values():
                data = self.world.storage.objects.get(file.key)
                fits = base_name in (None, file.name.rpartition("/")[2])
                if data is not None and fits and file.key.endswith(digest):
                    return Answer(200, data, content_type="application/octet-stream")
        return refuse(f"there is no file with MD5 {digest}", 404)

    def state(self):
        return self.world.show()

    def control(self, name, document):
        """seed: see wandb_seed.py; expire-urls: every signed URL given out so far ends;
        delete-runs: somebody deletes all runs that are there."""
        if name == "seed":
            try:
                return {"artifacts": wandb_seed.plant(self.world, document)}
            except Refused as refused:
                raise ValueError(str(refused)) from refused
        if name == "expire-urls":
            return self.world.storage.expire()
        if name == "delete-runs":
            gone = [(project, run) for project in self.world.projects.values()
                    for run in project.runs]
            for project, run in gone:
                self.world.run_delete(project, run)
            return {"runs": [run for _, run in gone]}
        return super().control(name, document)


def add_options(parser):
    parser.add_argument("--api-key", default=TEST_KEY, metavar="KEY",
                        help="the one key that is known; at least 40 characters")
    parser.add_argument("--entity", action="append", metavar="NAME",
                        help="an entity that the key may use; the first is the default (acme)")
    parser.add_argument("--page-cap", type=int, default=1000, metavar="N",
                        help="the most items in one page, whatever the query asks for")
    parser.add_argument("--relative-every", type=int, default=3, metavar="N",
                        help="every n-th upload URL is relative to the API; 0 for none")


if __name__ == "__main__":
    double.main(WandbService, __doc__, add_options)
