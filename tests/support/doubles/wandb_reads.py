"""Reading operations of the W&B double: views of the state that graphql_run.py selects from.

What: one function per type of the schema that turns a held object into a dict of its fields;
fields that cost or that take arguments are functions.
Why: a query then gets exactly the fields that it asks for.
What it does not do: it changes nothing, but that asking for a URL issues a new signed one.
Source: README.md, "W&B, reading".
"""

import base64
import fnmatch

from wandb_schema import FEATURES
from wandb_state import COMMITTED, id_of, need

PAGE = 50  # items when a query does not say how many


class Views:
    """Views of one world; `page_cap` is the most items that a page holds, whatever is asked."""

    def __init__(self, world, page_cap, user):
        self.world, self.page_cap, self.user = world, page_cap, user

    def query(self, is_key_valid):
        """The root of queries; a key that is not valid sees no viewer."""
        features = [] if "old-server" in self.world.quirks else FEATURES
        listed = [{"name": name, "isEnabled": True} for name in features]
        return {
            "viewer": lambda: self.viewer() if is_key_valid else None,
            "serverInfo": {"features": listed},
            "project": self.project_by_name,
            "artifact": lambda id: self.artifact(self.world.artifact(id)),
        }

    def viewer(self):
        entities = self.world.entities
        teams = [{"node": {"id": id_of("Entity", n), "name": n}} for n in entities]
        return {"id": id_of("User", self.user), "entity": entities[0], "username": self.user,
                "email": f"{self.user}@example.invalid", "teams": {"edges": teams}}

    def page(self, items, view, after, first):
        """A page of a connection. Cursors are opaque: one that was not given out is an error."""
        start = 0
        if after:
            known = {cursor_of(number): number + 1 for number in range(len(items))}
            need(after in known, f"cursor '{after}' was never given out")
            start = known[after]
        need(first is None or first > 0, f"first is {first}")
        end = min(start + min(PAGE if first is None else first, self.page_cap), len(items))
        edges = [{"node": view(items[n]), "cursor": cursor_of(n)} for n in range(start, end)]
        info = {"hasNextPage": end < len(items), "endCursor": cursor_of(end - 1) if end else None}
        return {"edges": edges, "pageInfo": info, "totalCount": len(items)}

    def project_by_name(self, name=None, entityName=None):
        return self.project(self.world.project(entityName or self.world.entities[0], name))

    def project(self, project):
        if project is None:
            return None
        return {
            "id": project.id, "name": project.name, "entityName": project.entity,
            "entity": {"id": id_of("Entity", project.entity), "name": project.entity},
            "run": lambda name: self.run(project.runs.get(name)),
            "artifact": lambda name: self.artifact(self.version(project, name)),
            "artifactCollection": lambda name: self.collection(project.collections.get(name)),
            "artifactCollectionMembership":
                lambda name: self.membership(self.version(project, name)),
        }

    @staticmethod
    def version(project, name):
        """A version by `collection:alias`; the alias is `latest` when none is given."""
        collection, _, alias = name.partition(":")
        found = project.collections.get(collection)
        return found and found.find(alias or "latest")

    def run(self, run):
        if run is None:
            return None
        return {
            "__typename": "Run", "id": run.id, "name": run.name, **run.facts,
            "createdAt": run.created_at, "updatedAt": run.updated_at,
            "historyLineCount": sum(len(part.get("content", ())) for call in run.stream
                                    for name, part in call.get("files", {}).items()
                                    if name == "wandb-history.jsonl"),
            "user": self.viewer, "project": lambda: self.project(run.project),
            "outputArtifacts": lambda after, first:
                self.page(self.listed(run.outputs), self.artifact, after, first),
            "inputArtifacts": lambda after, first:
                self.page(self.listed(run.inputs), self.artifact, after, first),
            "files": lambda names, after, first, pattern:
                self.page(chosen(run.files.values(), names, pattern), self.file, after, first),
        }

    @staticmethod
    def listed(artifacts):
        """Newest first, so that a client which takes the first one it meets is found out."""
        return sorted(artifacts, key=lambda item: -item.number)

    def artifact(self, artifact):
        if artifact is None:
            return None
        collection, files = artifact.collection, list(artifact.files.values())
        return {
            "id": artifact.id, "versionIndex": artifact.index, "state": artifact.state,
            "digest": artifact.digest, "commitHash": artifact.digest,
            "size": sum(item.size or 0 for item in files),
            "fileCount": len(files) + len(artifact.references),
            "createdAt": artifact.created_at, "updatedAt": artifact.updated_at, **artifact.facts,
            "artifactType": {"id": id_of("ArtifactType", collection.type_name),
                             "name": collection.type_name},
            "artifactSequence": lambda: self.sequence(collection),
            "aliases": self.aliases(artifact),
            "tags": [{"id": id_of("Tag", tag), "name": tag} for tag in artifact.tags],
            "createdBy": lambda: self.run(artifact.run),
            "currentManifest": lambda: self.manifest(artifact),
            "files": lambda names, after, first:
                self.page(chosen(files, names, None), self.file, after, first),
        }

    def sequence(self, collection):
        return {"id": collection.id, "name": collection.name,
                "project": lambda: self.project(collection.project),
                "latestArtifact": lambda: self.artifact(collection.latest)}

    def aliases(self, artifact):
        return [{"id": id_of("ArtifactAlias", alias), "alias": alias,
                 "artifactCollection": lambda: self.collection(artifact.collection)}
                for alias in artifact.current_aliases()]

    def collection(self, collection):
        if collection is None:
            return None
        return {"id": collection.id, "name": collection.name,
                "project": lambda: self.project(collection.project),
                "artifactMembership": lambda aliasName:
                    self.membership(collection.find(aliasName))}

    def membership(self, artifact):
        if artifact is None:
            return None
        view = self.artifact(artifact)
        return {"id": id_of("Membership", artifact.id), "versionIndex": artifact.index,
                "aliases": view["aliases"], "artifact": view, "files": view["files"],
                "artifactCollection": lambda: self.collection(artifact.collection)}

    def manifest(self, artifact):
        if artifact.state != COMMITTED:
            return None
        file = {"id": artifact.manifest_id, "name": "wandb_manifest.json",
                "directUrl": lambda: self.world.storage.download(artifact.manifest_key)}
        return {"id": artifact.manifest_id, "digest": artifact.digest,
                "file": {**self.file_blank(), **file}}

    @staticmethod
    def file_blank():
        """Fields of files that most files do not have."""
        return {"url": None, "directUrl": None, "displayName": None, "sizeBytes": None,
                "md5": None, "mimetype": None, "storagePath": None, "uploadUrl": None,
                "uploadHeaders": [], "uploadMultipartUrls": None, "artifact": None}

    def file(self, file):
        storage = self.world.storage
        direct = None if "no-direct-urls" in self.world.quirks and file.artifact else (
            lambda: storage.download(file.key))
        return {**self.file_blank(), "id": id_of("File", file.key), "name": file.name,
                "displayName": file.name, "directUrl": direct,
                "url": lambda upload: storage.upload(file.key)[0] if upload
                else storage.download(file.key),
                "sizeBytes": file.size, "md5": file.md5, "mimetype": file.mimetype,
                "storagePath": file.key,
                "artifact": lambda: self.artifact(file.artifact)}


def cursor_of(number):
    return base64.b64encode(f"cursor:{number}".encode()).decode()


def chosen(files, names, pattern):
    """Visible files, by exact names and by a pattern with * when these are given."""
    return [file for file in files if file.is_visible
            and (not names or file.name in names)
            and (not pattern or fnmatch.fnmatchcase(file.name, pattern))]
