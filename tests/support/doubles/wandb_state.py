"""What the W&B double holds: entities, projects, runs, collections, artifacts and their rules.

What: plain objects, lookups that fail the way the service fails, the digest of an artifact, and
the moves of versions and aliases.
Why: reading and writing operations (wandb_reads.py, wandb_writes.py) share one state.
What it does not do: it speaks neither HTTP nor GraphQL.
Source: README.md, "W&B, writing" and "W&B, digests", with their vectors.
"""

import base64
import hashlib
import json
import re
import time

PENDING, COMMITTED, DELETED = "PENDING", "COMMITTED", "DELETED"
LATEST = "latest"
DIGEST_HEADER = b"wandb-artifact-manifest-v1\n"
RUN_ID_FORBIDDEN = set(":;,#?/'")
DRIVE = re.compile(r"[A-Za-z]:")


class Refused(Exception):
    """An operation that the server does not perform: 200 with errors, unless `status` says
    otherwise."""

    def __init__(self, why, status=200, code=None):
        super().__init__(why)
        self.status, self.code = status, code


def need(condition, why):
    if not condition:
        raise Refused(why)


def id_of(kind, number):
    """Opaque ids, as the service has them."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def time_text():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def artifact_digest(entries):
    """Hex MD5 over `path:digest` lines in the byte order of the paths."""
    state = hashlib.md5(DIGEST_HEADER)
    for path in sorted(entries, key=lambda name: name.encode()):
        state.update(f"{path}:{entries[path]}\n".encode())
    return state.hexdigest()


def is_file_digest(text):
    """Whether a text is the base64 of 16 bytes."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return len(raw) == 16 and base64.b64encode(raw).decode() == text


def is_safe_path(name):
    """Relative, with slashes, nothing that leads out of a folder."""
    parts = name.split("/")
    return not ("\\" in name or "\0" in name or DRIVE.match(name)
                or any(part in ("", ".", "..") for part in parts))


class Run:
    """A run; `config` and `summary` are JSON texts, as the interface carries them."""

    def __init__(self, project, name, number):
        self.project, self.name, self.id = project, name, id_of("Run", number)
        self.facts = {"displayName": name, "state": "running", "config": "{}",
                      "summaryMetrics": "{}", "tags": [], "notes": None, "description": None,
                      "commit": None, "group": None, "host": None, "jobType": None,
                      "sweepName": None}
        self.created_at, self.updated_at = time_text(), time_text()
        self.files, self.outputs, self.inputs, self.alerts = {}, [], [], []
        self.stream, self.exit_code = [], None
        # Another process is writing this run: it would overwrite a summary of ours.
        self.is_live = False

    def show(self):
        return {"entity": self.project.entity, "project": self.project.name, "name": self.name,
                **self.facts, "config": json.loads(self.facts["config"]),
                "summaryMetrics": json.loads(self.facts["summaryMetrics"]),
                "exit_code": self.exit_code, "alerts": self.alerts, "stream": self.stream,
                "files": sorted(self.files), "inputs": [item.id for item in self.inputs],
                "outputs": [item.id for item in self.outputs]}


class File:
    """A file of a run or an entry of an artifact; the bytes are at `key` in the storage."""

    def __init__(self, name, key, md5, size, artifact=None):
        self.name, self.key, self.md5, self.size = name, key, md5, size
        self.artifact, self.mimetype, self.is_visible = artifact, None, True


class Collection:
    """A named sequence of versions of one type."""

    def __init__(self, project, name, type_name, number):
        self.project, self.name, self.type_name = project, name, type_name
        self.id, self.versions, self.aliases = id_of("ArtifactCollection", number), [], {}

    @property
    def latest(self):
        return self.versions[-1] if self.versions else None

    def find(self, alias):
        """A version by alias or by v<index>."""
        if alias in self.aliases:
            return self.aliases[alias]
        return next((item for item in self.versions if f"v{item.index}" == alias), None)


class Artifact:
    """One version, pending until its commit."""

    def __init__(self, collection, digest, number):
        self.collection, self.digest, self.number = collection, digest, number
        self.id, self.state, self.index = id_of("Artifact", number), PENDING, None
        self.facts = {"description": None, "metadata": "{}", "ttlDurationSeconds": None,
                      "historyStep": None}
        self.aliases, self.tags, self.run = [], [], None
        self.client_ids, self.seen = None, []  # `seen`: versions that existed when it was made
        self.manifest_id, self.manifest_key, self.manifest_md5 = None, None, None
        self.files, self.references = {}, {}
        self.region = None  # where the bytes lie, when not in the default place
        self.created_at, self.updated_at = time_text(), None

    @property
    def version(self):
        return None if self.index is None else f"v{self.index}"

    def current_aliases(self):
        return sorted(a for a, item in self.collection.aliases.items() if item is self)

    def show(self):
        collection = self.collection
        return {"id": self.id, "entity": collection.project.entity,
                "project": collection.project.name, "collection": collection.name,
                "type": collection.type_name, "version": self.version, "state": self.state,
                "digest": self.digest, "aliases": self.current_aliases(), "tags": self.tags,
                **self.facts, "metadata": json.loads(self.facts["metadata"] or "null"),
                "run": self.run and self.run.name, "references": self.references,
                "files": {name: {"md5": f.md5, "size": f.size} for name, f in self.files.items()}}


class Project:
    """A project of an entity."""

    def __init__(self, entity, name, number):
        self.entity, self.name, self.id = entity, name, id_of("Project", number)
        self.runs, self.collections = {}, {}
        self.deleted = set()  # ids of runs that are gone: they are never free again


class World:
    """All of it. Names are exact everywhere but in upsert."""

    def __init__(self, entities, storage, quirks):
        self.entities, self.storage, self.quirks = list(entities), storage, quirks
        self.projects, self.artifacts, self.made = {}, [], 0

    def number(self):
        self.made += 1
        return self.made

    def project(self, entity, name):
        """None when it is not there or not ours to see: the service does not tell which."""
        return self.projects.get((entity, name))

    def project_resolve(self, entity, name):
        """As upsert does: the default entity, any case, made when it is new."""
        entity = entity or self.entities[0]
        known = {item.lower(): item for item in self.entities}
        if entity.lower() not in known:
            raise Refused(f"entity {entity} not found", 404, "PERMISSION_ERROR")
        entity, name = known[entity.lower()], name or "uncategorized"
        for (owner, other), project in self.projects.items():
            if owner == entity and other.lower() == name.lower():
                return project
        self.projects[entity, name] = Project(entity, name, self.number())
        return self.projects[entity, name]

    def project_need(self, entity, name):
        project = self.project(entity, name)
        if project is None:
            raise Refused(f"project {entity}/{name} not found during the operation", 404)
        return project

    def run_need(self, entity, project, name):
        run = self.project_need(entity, project).runs.get(name)
        need(run, f"run {entity}/{project}/{name} not found")
        return run

    def run_add(self, project, name):
        need(name and name == name.strip() and not RUN_ID_FORBIDDEN & set(name),
             f"'{name}' is no run id")
        project.runs[name] = Run(project, name, self.number())
        return project.runs[name]

    def run_delete(self, project, name):
        """What a person does in the browser; artifacts stay."""
        project.deleted.add(name)
        del project.runs[name]

    def run_by_id(self, run_id):
        runs = (run for project in self.projects.values() for run in project.runs.values())
        return next((run for run in runs if run.id == run_id), None)

    def artifact(self, artifact_id):
        return next((item for item in self.artifacts if item.id == artifact_id), None)

    def artifact_need(self, artifact_id, *states):
        artifact = self.artifact(artifact_id)
        need(artifact, f"artifact {artifact_id} not found")
        need(artifact.state in states, f"artifact {artifact_id} is {artifact.state}, "
                                       f"expected {' or '.join(states)}")
        return artifact

    def collection_need(self, project, name, type_name):
        collection = project.collections.get(name)
        if collection is None:
            collection = Collection(project, name, type_name, self.number())
            project.collections[name] = collection
        need(collection.type_name == type_name,
             f"collection {name} is of type {collection.type_name}, not {type_name}")
        return collection

    def artifact_add(self, collection, digest):
        artifact = Artifact(collection, digest, self.number())
        artifact.seen = list(collection.versions)
        if "old-server" in self.quirks:
            artifact.state = DELETED
        self.artifacts.append(artifact)
        return artifact

    def artifact_commit(self, artifact):
        """The version exists from here on; aliases move to it, `latest` among them."""
        collection = artifact.collection
        artifact.index, artifact.state = len(collection.versions), COMMITTED
        collection.versions.append(artifact)
        for alias in (*artifact.aliases, LATEST):
            collection.aliases[alias] = artifact

    def aliases_match(self, artifact, aliases):
        """A committed version was logged again. `latest` stays where it is unless the quirk says
        otherwise: what the service does is not known."""
        for alias in aliases:
            if alias != LATEST or "latest-moves-on-match" in self.quirks:
                artifact.collection.aliases[alias] = artifact

    def show(self):
        return {"runs": [run.show() for project in self.projects.values()
                         for run in project.runs.values()],
                "artifacts": [artifact.show() for artifact in self.artifacts]}
