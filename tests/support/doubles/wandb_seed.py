"""What the W&B double holds before a client comes: runs, artifacts, and planted damage.

What: reads a JSON document {"runs": [...], "artifacts": [...]} (README.md) into the state.
Why: reading paths need something to read, and each way in which a server's data can be bad needs
a specimen: bytes that do not match their digest, paths that leave the folder, references, files
without a size, versions never committed, configs with NaN.
What it does not do: it makes no profiles; files come from texts or from a folder.
"""

import base64
import json
import pathlib

import shape
import wandb_manifest
from wandb_state import PENDING, File, artifact_digest, id_of, need
from wandb_storage import md5_base64

NAME = shape.Text(1000)
# The content of a file: a text, or base64 of bytes.
CONTENT = shape.Text(1 << 24, low=0)
RUN = shape.Record("project name", {
    "entity": NAME, "project": NAME, "name": NAME, "state": NAME, "displayName": NAME,
    "config": shape.Anything(), "summary": shape.Anything(), "tags": shape.List(NAME),
    "notes": NAME, "commit": NAME, "files": shape.Map(CONTENT),
    # These stand as they are in the answer, also when they are no JSON.
    "config_text": shape.Text(low=0), "summary_text": shape.Text(low=0),
})
ARTIFACT = shape.Record("project name type", {
    "entity": NAME, "project": NAME, "name": NAME, "type": NAME, "run": NAME,
    "aliases": shape.List(NAME), "metadata": shape.Map(shape.Anything()),
    "files": shape.Map(CONTENT), "files_base64": shape.Map(CONTENT), "folder": NAME,
    "updatedAt": NAME, "state": shape.Choice(PENDING), "region": NAME,
    "served": shape.Map(CONTENT), "lost": shape.List(NAME), "without_size": shape.List(NAME),
    "entries": shape.Map(shape.Map(shape.Anything())),
})
DOCUMENT = shape.Record("", {"runs": shape.List(RUN), "artifacts": shape.List(ARTIFACT)})


def contents_of(seed):
    """The bytes of an artifact's files by name."""
    found = {name: text.encode() for name, text in seed.get("files", {}).items()}
    found.update({name: base64.b64decode(text, validate=True)
                  for name, text in seed.get("files_base64", {}).items()})
    if "folder" in seed:
        folder = pathlib.Path(seed["folder"])
        need(folder.is_dir(), f"{folder} is no folder")
        found.update({path.relative_to(folder).as_posix(): path.read_bytes()
                      for path in sorted(folder.rglob("*")) if path.is_file()})
    return found


def config_text(config):
    return json.dumps({name: {"value": value, "desc": None} for name, value in config.items()})


def add_run(world, seed):
    project = world.project_resolve(seed.get("entity"), seed["project"])
    run = world.run_add(project, seed["name"])
    run.facts["state"] = seed.get("state", "finished")
    run.is_live = run.facts["state"] == "running"
    run.facts.update({name: seed[name] for name in ("displayName", "tags", "notes", "commit")
                      if name in seed})
    run.facts["config"] = seed.get("config_text", config_text(seed.get("config", {})))
    run.facts["summaryMetrics"] = seed.get("summary_text", json.dumps(seed.get("summary", {})))
    for name, text in seed.get("files", {}).items():
        data = text.encode()
        file = File(name, f"runs/{world.number()}", md5_base64(data), len(data))
        world.storage.objects[file.key] = data
        run.files[name] = file


def add_files(world, artifact, seed):
    """Stores the files; returns the entries of the manifest, with the planted damage."""
    entries = {}
    for name, data in contents_of(seed).items():
        md5 = md5_base64(data)
        file = File(name, f"artifacts/{artifact.number}/{len(entries)}/"
                    f"{wandb_manifest.hex_of(md5)}", md5, len(data), artifact)
        artifact.files[name] = file
        served = seed.get("served", {}).get(name)
        if name not in seed.get("lost", ()):
            world.storage.objects[file.key] = data if served is None else served.encode()
        entries[name] = {"digest": md5, "birthArtifactID": artifact.id, "size": len(data)}
        if name in seed.get("without_size", ()):
            del entries[name]["size"]
    for name, entry in seed.get("entries", {}).items():
        entries[name] = {**entries.get(name, {}), **entry}
        if "ref" in entry:
            artifact.references[name] = entry["ref"]
        elif name not in artifact.files:
            # A hostile name: the server lists it with a URL like any other.
            key = f"artifacts/{artifact.number}/{len(entries)}"
            artifact.files[name] = File(name, key, entry.get("digest"), entry.get("size"), artifact)
            world.storage.objects[key] = b""
    return entries


def add_artifact(world, seed):
    project = world.project_resolve(seed.get("entity"), seed["project"])
    collection = world.collection_need(project, seed["name"], seed["type"])
    artifact = world.artifact_add(collection, "")
    entries = add_files(world, artifact, seed)
    artifact.digest = artifact_digest({name: entry.get("digest", "")
                                       for name, entry in entries.items()})
    artifact.manifest_id = id_of("ArtifactManifest", artifact.number)
    artifact.manifest_key = f"manifests/{artifact.number}"
    artifact.region = seed.get("region")
    manifest = wandb_manifest.make(entries, artifact.region)
    world.storage.objects[artifact.manifest_key] = json.dumps(manifest).encode()
    artifact.facts["metadata"] = json.dumps(seed.get("metadata", {}))
    artifact.aliases, artifact.updated_at = seed.get("aliases", []), seed.get("updatedAt")
    if "run" in seed:
        artifact.run = project.runs.get(seed["run"])
        need(artifact.run, f"run {seed['run']} is not there; list runs first")
        artifact.run.outputs.append(artifact)
    if "state" not in seed:
        world.artifact_commit(artifact)
    return artifact


def plant(world, document):
    """Adds runs, then artifacts; returns the ids of the artifacts in order."""
    DOCUMENT.check(document)
    for seed in document.get("runs", ()):
        add_run(world, seed)
    return [add_artifact(world, seed).id for seed in document.get("artifacts", ())]
