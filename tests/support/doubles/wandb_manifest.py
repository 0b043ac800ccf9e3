"""The manifest of an artifact, and what is checked before a commit.

What: the shape of the JSON, the files that it lists against those that were uploaded, the digest
over all of them, and the conflict with a version that was committed meanwhile.
Why: a manifest that does not match what was stored is listed but cannot be downloaded
(wandb/wandb#1238); here it is refused.
What it does not do: entries of incremental manifests.
Source: README.md, "W&B, writing" and "W&B, digests".
"""

import base64

import shape
from exchange import json_read
from wandb_state import Refused, artifact_digest, is_safe_path, need
from wandb_storage import md5_base64

# local_path and skip_cache are left out on purpose: the first tells where our files lie.
ENTRY = shape.Record("digest", {
    "digest": shape.Text(1000), "birthArtifactID": shape.Text(200), "size": shape.Whole(0),
    "ref": shape.Text(4000), "extra": shape.Map(shape.Anything()),
})
SHAPE = shape.Record("version storagePolicy storagePolicyConfig contents", {
    "version": shape.Choice(1), "storagePolicy": shape.Choice("wandb-storage-policy-v1"),
    "storagePolicyConfig": shape.Record("storageLayout", {"storageLayout": shape.Choice("V2")}),
    "contents": shape.Map(ENTRY),
})


def hex_of(md5):
    """The hex form of a base64 digest."""
    return base64.b64decode(md5).hex()


def make(entries, region=None):
    """The manifest document of entries {name: {digest, birthArtifactID, size, ...}}."""
    place = {} if region is None else {"storageRegion": region}
    return {"version": 1, "storagePolicy": "wandb-storage-policy-v1",
            "storagePolicyConfig": {"storageLayout": "V2", **place}, "contents": entries}


def read(world, artifact):
    need(artifact.manifest_md5, "commit before the manifest was declared with its digest")
    data = world.storage.objects.get(artifact.manifest_key)
    need(data is not None, "commit before the manifest was uploaded")
    try:
        document = json_read(data)
        SHAPE.check(document)
    except (ValueError, shape.Wrong) as error:
        raise Refused(f"the manifest is wrong: {error}") from error
    return document["contents"]


def check_entry(world, artifact, name, entry):
    need(is_safe_path(name), f"the manifest lists '{name}', which is no relative path")
    if "ref" in entry:
        artifact.references[name] = entry["ref"]
        return
    file = artifact.files.get(name)
    need(file, f"the manifest lists {name}, which CreateArtifactFiles was not asked for")
    need(file.key in world.storage.objects, f"commit before {name} was uploaded")
    need(entry["digest"] == file.md5, f"the manifest's digest of {name} is {entry['digest']}, "
                                      f"the file's is {file.md5}")
    need(entry.get("birthArtifactID") == file.artifact.id,
         f"birthArtifactID of {name} is {entry.get('birthArtifactID')}, not {file.artifact.id}")
    size = len(world.storage.objects[file.key])
    need(entry.get("size", size) == size, f"the manifest's size of {name} is {entry.get('size')}, "
                                          f"the file has {size} bytes")
    file.size = size


def check_conflict(artifact, contents):
    """Another version that came meanwhile holds a file that this one claims as born here."""
    for version in artifact.collection.versions:
        if version in artifact.seen:
            continue
        for name, entry in contents.items():
            other = version.files.get(name)
            if (other and other.artifact is not artifact and other.md5 == entry["digest"]
                    and entry.get("birthArtifactID") == artifact.id):
                raise Refused(f"{name} was committed by {version.version} meanwhile", 409)


def check(world, artifact):
    """Raises Refused when the artifact may not be committed; fills in sizes and references."""
    contents = read(world, artifact)
    for name, entry in contents.items():
        check_entry(world, artifact, name, entry)
    missing = sorted(set(artifact.files) - set(contents))
    need(not missing, f"files were uploaded that the manifest does not list: {missing}")
    digest = artifact_digest({name: entry["digest"] for name, entry in contents.items()})
    need(digest == artifact.digest, f"the digest of the manifest's entries is {digest}, "
                                    f"CreateArtifact said {artifact.digest}")
    check_conflict(artifact, contents)
