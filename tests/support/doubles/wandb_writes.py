"""Writing operations of the W&B double: runs, artifacts step by step, aliases, alerts, run files.

What: one function per mutation; each takes the world, the views and the coerced input, refuses
with Refused, and returns the view of the payload. MUTATIONS is the table.
Why: an artifact passes through the states that README.md draws, and a step that comes too
early or does not match what came before is refused.
What it does not do: no multipart uploads, no artifact links.
Source: README.md, "W&B, writing".
"""

import json
import re

import wandb_manifest
from wandb_state import (COMMITTED, DELETED, PENDING, File, Refused, id_of, is_file_digest,
                         is_safe_path, need)
from wandb_storage import md5_base64

MANIFEST_NAME = "wandb_manifest.json"
RUN_STATES = ("running", "finished", "crashed", "failed", "killed", "preempting", "pending")
ENDED_STATES = ("finished", "crashed", "failed", "killed")
DIGEST = re.compile(r"[0-9a-f]{32}")
CLIENT_ID = re.compile(r"[a-z0-9]{128}")
TAG = re.compile(r"[-\w]+( +[-\w]+)*")
NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
ALIAS_HIGH, RUN_TAG_HIGH, METADATA_KEYS, ALERT_TITLE_HIGH = 128, 64, 100, 63
# Members of UpsertBucketInput that set a fact of the run under another name.
FACT_NAMES = {"groupName": "group", "sweep": "sweepName"}
FACTS = ("displayName", "description", "notes", "config", "commit", "host", "jobType", "state",
         "tags", "summaryMetrics", "groupName", "sweep")


def json_object(text, what):
    """The object in a JSONString."""
    value = json.loads(text)
    need(isinstance(value, dict), f"{what} is no JSON object")
    return value


def check_config(text):
    for name, item in json_object(text, "config").items():
        need(isinstance(item, dict) and "value" in item,
             f"config.{name} is not of the form {{\"value\": ...}}")


def check_run_tags(tags):
    need(all(1 <= len(tag) <= RUN_TAG_HIGH for tag in tags), f"a tag has 1 to {RUN_TAG_HIGH} "
                                                             "characters")
    need(len(set(tags)) == len(tags), "a tag occurs twice")


RUN_CHECKS = {
    "config": check_config,
    "summaryMetrics": lambda text: json_object(text, "summaryMetrics"),
    "tags": check_run_tags,
    "state": lambda state: need(state in RUN_STATES, f"state '{state}' is unknown"),
}


def run_of_upsert(world, data):
    """(run, whether it was made now)."""
    if "id" in data:
        run = world.run_by_id(data["id"])
        need(run, f"run with id {data['id']} not found")
        named = {"name": run.name, "modelName": run.project.name, "entityName": run.project.entity}
        for field, value in named.items():
            need(data.get(field, value) == value, f"{field} does not belong to run {run.name}")
        return run, False
    need(data.get("name"), "a run needs a name or an id")
    project = world.project_resolve(data.get("entityName"), data.get("modelName"))
    if data["name"] in project.deleted:
        place = f"{project.entity}/{project.name}/{data['name']}"
        raise Refused(f"run {place} was previously created and deleted; try a new run name",
                      400 if "old-server" in world.quirks else 409)
    known = project.runs.get(data["name"])
    return known or world.run_add(project, data["name"]), known is None


def upsert_bucket(world, views, data):
    nulls = sorted(name for name, value in data.items() if value is None)
    need(not nulls, f"{nulls} are null: leave out what does not change")
    for name, check in RUN_CHECKS.items():
        if name in data:
            check(data[name])
    run, is_new = run_of_upsert(world, data)
    need(not (run.is_live and "summaryMetrics" in data),
         f"run {run.name} is live: its own client would drop this summary")
    for name in FACTS:
        if name in data:
            run.facts[FACT_NAMES.get(name, name)] = data[name]
    return {"bucket": views.run(run), "inserted": is_new}


def alias_names(collection_name, aliases):
    for item in aliases:
        need(item["artifactCollectionName"] == collection_name,
             f"alias {item['alias']} is for collection {item['artifactCollectionName']}")
        need(1 <= len(item["alias"]) <= ALIAS_HIGH and not set("/:") & set(item["alias"]),
             f"'{item['alias']}' is no alias")
    return [item["alias"] for item in aliases]


def tag_names(tags):
    for item in tags:
        need(TAG.fullmatch(item["tagName"]), f"'{item['tagName']}' is no tag")
    return [item["tagName"] for item in tags]


def check_metadata(text):
    if text is not None:
        need(len(json_object(text, "metadata")) <= METADATA_KEYS,
             f"metadata has more than {METADATA_KEYS} keys")


def check_create_artifact(data):
    name = data["artifactCollectionName"]
    need(NAME.fullmatch(name), f"'{name}' is no artifact name that the SDK can log to")
    need(DIGEST.fullmatch(data["digest"]), f"'{data['digest']}' is no manifest digest")
    need(data.get("enableDigestDeduplication") is True, "enableDigestDeduplication is not true")
    for field in ("clientID", "sequenceClientID"):
        need(CLIENT_ID.fullmatch(data.get(field) or ""), f"{field} is not 128 of [a-z0-9]")
    need(data["clientID"] != data["sequenceClientID"], "clientID equals sequenceClientID")
    check_metadata(data.get("metadata"))


def pending_again(world, collection, data):
    """The pending artifact that the same client made in an earlier attempt."""
    ids = (data["clientID"], data["sequenceClientID"])
    for artifact in world.artifacts:
        if artifact.client_ids and artifact.client_ids[0] == ids[0]:
            need(artifact.client_ids == ids and artifact.collection is collection
                 and artifact.digest == data["digest"],
                 "clientID was used for another artifact")
            if artifact.state != COMMITTED and "pending-not-reused" not in world.quirks:
                artifact.seen = list(collection.versions)  # a restart after a conflict
                return artifact
    return None


def create_artifact(world, views, data):
    check_create_artifact(data)
    project = world.project_need(data["entityName"], data["projectName"])
    aliases = alias_names(data["artifactCollectionName"], data.get("aliases") or [])
    tags = tag_names(data.get("tags") or [])
    run = None
    if data.get("runName") is not None:
        run = world.run_need(data["entityName"], data["projectName"], data["runName"])
    collection = world.collection_need(project, data["artifactCollectionName"],
                                       data["artifactTypeName"])
    match = next((v for v in collection.versions if v.digest == data["digest"]), None)
    artifact = match or pending_again(world, collection, data) or world.artifact_add(
        collection, data["digest"])
    if match:
        world.aliases_match(artifact, aliases)
    else:
        artifact.aliases, artifact.run = aliases, run
        artifact.client_ids = (data["clientID"], data["sequenceClientID"])
        artifact.tags = tags
        artifact.facts.update({name: data[name] for name in artifact.facts if name in data})
    if run and artifact not in run.outputs:
        run.outputs.append(artifact)
    return {"artifact": views.artifact(artifact)}


def check_base(world, artifact, base_id):
    base = world.artifact(base_id)
    need(base and base.state == COMMITTED and base.collection is artifact.collection,
         f"baseArtifactID {base_id} is no committed version of {artifact.collection.name}")


def create_artifact_manifest(world, views, data):
    artifact = world.artifact_need(data["artifactID"], PENDING, DELETED)
    project = artifact.collection.project
    need((data["entityName"], data["projectName"]) == (project.entity, project.name),
         f"the artifact belongs to {project.entity}/{project.name}")
    need(artifact.run is None or data["runName"] == artifact.run.name,
         f"runName is '{data['runName']}', which did not create the artifact")
    need(data["name"] == MANIFEST_NAME, f"name is '{data['name']}', expected {MANIFEST_NAME}")
    need(data.get("type") == "FULL", "type is not FULL")
    if data.get("baseArtifactID") is not None:
        check_base(world, artifact, data["baseArtifactID"])
    file = {**views.file_blank(), "name": MANIFEST_NAME}
    artifact.manifest_id = artifact.manifest_id or id_of("ArtifactManifest", world.number())
    if data["digest"]:
        need(is_file_digest(data["digest"]), f"digest '{data['digest']}' is no base64 MD5")
        artifact.manifest_key = f"manifests/{artifact.number}/{world.number()}"
        artifact.manifest_md5 = data["digest"]
        url, headers = world.storage.upload(artifact.manifest_key, data["digest"],
                                            "application/json")
        file.update(uploadUrl=url, uploadHeaders=headers, md5=data["digest"])
    file["id"] = id_of("File", artifact.manifest_id)
    return {"artifactManifest": {"id": artifact.manifest_id, "digest": data["digest"],
                                 "file": file}}


def file_known(artifact, name, md5):
    """The same file in the newest version that existed when the artifact was made."""
    base = artifact.seen[-1] if artifact.seen else None
    known = base and base.files.get(name)
    return known if known and known.md5 == md5 else None


def create_artifact_file(world, views, spec):
    artifact = world.artifact_need(spec["artifactID"], PENDING, DELETED)
    name, md5 = spec["name"], spec["md5"]
    need(spec.get("artifactManifestID") in (None, artifact.manifest_id),
         f"artifactManifestID {spec.get('artifactManifestID')} is not of this artifact")
    need(is_safe_path(name), f"'{name}' is no relative path")
    need(is_file_digest(md5), f"md5 '{md5}' of {name} is no base64 MD5")
    file = artifact.files.get(name) or file_known(artifact, name, md5)
    if file is None:
        key = f"artifacts/{artifact.number}/{wandb_manifest.hex_of(md5)}"
        file = File(name, key, md5, None, artifact)
    need(file.md5 == md5, f"{name} was announced with another md5")
    artifact.files[name] = file
    view = views.file(file)
    view["uploadUrl"], view["uploadHeaders"] = None, []
    if file.key not in world.storage.objects:
        url, headers = world.storage.upload(file.key, md5, spec.get("mimetype"))
        view["uploadUrl"], view["uploadHeaders"] = url, headers
    return view


def create_artifact_files(world, views, data):
    specs = data["artifactFiles"]
    need(specs, "artifactFiles is empty")
    need(data.get("storageLayout") == "V2", "storageLayout is not V2")
    edges = [{"node": create_artifact_file(world, views, spec), "cursor": None} for spec in specs]
    return {"files": {"edges": edges, "pageInfo": {"hasNextPage": False, "endCursor": None}}}


def commit_artifact(world, views, data):
    artifact = world.artifact_need(data["artifactID"], PENDING, DELETED, COMMITTED)
    if artifact.state != COMMITTED:
        wandb_manifest.check(world, artifact)
        world.artifact_commit(artifact)
    return {"artifact": views.artifact(artifact)}


def use_artifact(world, views, data):
    artifact = world.artifact_need(data["artifactID"], COMMITTED)
    run = world.run_need(data["entityName"], data["projectName"], data["runName"])
    project = artifact.collection.project
    named = (data.get("artifactEntityName", project.entity),
             data.get("artifactProjectName", project.name))
    need(named == (project.entity, project.name), f"the artifact is not of {'/'.join(named)}")
    if artifact not in run.inputs:
        run.inputs.append(artifact)
    return {"artifact": views.artifact(artifact)}


def update_artifact(world, views, data):
    artifact = world.artifact_need(data["artifactID"], COMMITTED)
    check_metadata(data.get("metadata"))
    artifact.facts.update({name: data[name] for name in artifact.facts if name in data})
    gone = tag_names(data.get("tagsToDelete") or [])
    kept = [tag for tag in artifact.tags if tag not in gone]
    artifact.tags = list(dict.fromkeys(kept + tag_names(data.get("tagsToAdd") or [])))
    if data.get("aliases") is not None:
        for alias in artifact.current_aliases():
            del artifact.collection.aliases[alias]
        for alias in alias_names(artifact.collection.name, data["aliases"]):
            artifact.collection.aliases[alias] = artifact
    artifact.updated_at = artifact.created_at
    return {"artifact": views.artifact(artifact)}


def check_alias_place(artifact, aliases):
    project = artifact.collection.project
    for item in aliases:
        place = (item.get("entityName", project.entity), item.get("projectName", project.name))
        need(place == (project.entity, project.name), f"{'/'.join(map(str, place))} is not the "
                                                      "artifact's project")


def add_aliases(world, _views, data):
    artifact = world.artifact_need(data["artifactID"], COMMITTED)
    check_alias_place(artifact, data["aliases"])
    for alias in alias_names(artifact.collection.name, data["aliases"]):
        artifact.collection.aliases[alias] = artifact
    return {"success": True}


def delete_aliases(world, _views, data):
    artifact = world.artifact_need(data["artifactID"], COMMITTED)
    check_alias_place(artifact, data["aliases"])
    for alias in alias_names(artifact.collection.name, data["aliases"]):
        need(artifact.collection.aliases.get(alias) is artifact, f"{alias} is no alias of it")
        del artifact.collection.aliases[alias]
    return {"success": True}


def notify_alert(world, _views, data):
    run = world.run_need(data["entityName"], data["projectName"], data["runName"])
    need(1 <= len(data["title"]) <= ALERT_TITLE_HIGH,
         f"the title has {len(data['title'])} characters, at most {ALERT_TITLE_HIGH}")
    need(data["text"], "the text is empty")
    need((data.get("waitDuration") or 0) >= 0, "waitDuration is negative")
    run.alerts.append({"title": data["title"], "text": data["text"],
                       "severity": data.get("severity") or "INFO",
                       "waitDuration": data.get("waitDuration")})
    return {"success": True}


def create_run_files(world, views, data):
    run = world.run_need(data["entityName"], data["projectName"], data["runName"])
    files = []
    for name in data["files"]:
        need(is_safe_path(name), f"'{name}' is no relative path")
        file = File(name, f"runs/{id_of('File', world.number())}", None, None)
        file.is_visible, run.files[name] = False, file
        url, _ = world.storage.upload(file.key)
        files.append({**views.file(file), "uploadUrl": url})
    return {"runID": run.id, "uploadHeaders": ["Content-Type: application/octet-stream"],
            "files": files}


def mark_uploaded(world, run, names):
    """Run files appear once their bytes are there and the client has said so."""
    for name in names:
        file = run.files.get(name)
        data = file and world.storage.objects.get(file.key)
        if data is None:
            raise Refused(f"run file '{name}' was not uploaded")
        file.size, file.is_visible = len(data), True
        file.md5 = md5_base64(data)


def mark_run_files_uploaded(world, _views, data):
    run = world.run_need(data["entityName"], data["projectName"], data["runName"])
    mark_uploaded(world, run, data["files"])
    return {"success": True}


MUTATIONS = {
    "upsertBucket": upsert_bucket,
    "createArtifact": create_artifact,
    "createArtifactManifest": create_artifact_manifest,
    "createArtifactFiles": create_artifact_files,
    "commitArtifact": commit_artifact,
    "useArtifact": use_artifact,
    "updateArtifact": update_artifact,
    "addAliases": add_aliases,
    "deleteAliases": delete_aliases,
    "notifyScriptableRunAlert": notify_alert,
    "createRunFiles": create_run_files,
    "markRunFilesUploaded": mark_run_files_uploaded,
}
