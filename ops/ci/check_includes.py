"""Include direction and one owner per library, as the architecture draws them.

Tests may include anything of ours and any library; no product file may include a test's.
"""

import os
import re

FLOOR = {"ops/runtime"}
DOCUMENTS = FLOOR | {"schema"}
# Each of its headers is a contract of its own.
DOCUMENTS_ROOM = "schema/documents"
MIDDLE = {"history", "ingest", "compare", "alerts", "ops/present"}
MAY_INCLUDE = {
    "ops/runtime": FLOOR,
    "schema": DOCUMENTS,
    "ops/net": DOCUMENTS | {"ops/net"},
    "ops/flow": DOCUMENTS | MIDDLE | {"ops/net", "ops/flow"},
    "ops/serve": DOCUMENTS | MIDDLE | {"ops/net", "ops/flow", "ops/serve"},
    "ops/cli": DOCUMENTS | MIDDLE | {"ops/net", "ops/flow", "ops/serve", "ops/cli"},
    **{folder: DOCUMENTS | {folder} for folder in MIDDLE},
    "alerts": DOCUMENTS | {"ops/net", "alerts"},
}
# The floor is closed: a new subject there is a change of architecture (text_number.c is text's).
FLOOR_FILES = {"err", "arena", "text", "log", "conf", "clock", "digest", "retry", "json", "file"}

# Header prefix, who alone may include it (a prefix of the path: "conf" covers conf_file.c); the
# first that fits counts.
LIBRARY_OWNERS = [
    ("libpq", "history/"),
    ("postgres_ext.h", "history/"),
    ("protobuf-c/", "ingest/"),
    ("isa-l", "ingest/"),
    ("igzip_lib.h", "ingest/"),
    ("sqlite3.h", "ingest/nsight/"),
    ("curl/", "ops/net/"),
    ("microhttpd.h", "ops/serve/"),
    ("zlib.h", "ops/present/"),
    ("librsvg/", "ops/present/picture/picture_png"),
    ("cairo.h", "ops/present/picture/picture_png"),
    ("fontconfig/", "ops/present/picture/picture_png"),
    ("openssl/x509_vfy.h", "ops/net/guard"),  # why a certificate is refused
    ("openssl/", "ops/runtime/digest"),
    ("ini.h", "ops/runtime/conf"),
    ("cmocka.h", "tests/"),
]
# Generated headers have no folder in their name.
GENERATED_OWNERS = [(".pb-c.h", "ingest/"), ("queries.h", "history/"),
                    ("migrations.h", "history/"), ("wandb_operations.h", "ops/net/wandb/")]
INCLUDE = r"(?m)^[ \t]*#[ \t]*include[ \t]*(.*)"


def floor_of(folder):
    """The floor that a folder is, or is a room of; "" for others (tests)."""
    while folder and folder not in MAY_INCLUDE:
        folder = folder.rpartition("/")[0]
    return folder


def owner_of(header):
    """Who alone may include the library's header; None: anybody."""
    return next((owner for prefix, owner in LIBRARY_OWNERS if header.startswith(prefix)), None)


def library_finding(path, header):
    owner = owner_of(header)
    return owner and not path.startswith(owner) and f"<{header}> belongs to {owner} alone"


def library_bearers(sources):
    """Headers of ours that bring a library which has an owner: they stay with that owner."""
    bearers = {}
    for source in sources:
        if not source.path.endswith(".h"):
            continue
        for line, _ in source.find_code(INCLUDE):
            header = source.lines[line - 1].partition("include")[2].strip()
            owner = header.startswith("<") and owner_of(header[1:].partition(">")[0])
            if owner:
                bearers[source.path] = header, owner
    return bearers


def own_finding(source, header, folders, bearers):
    library, owner = bearers.get(header, ("", ""))
    if not source.path.startswith(owner):
        return f'"{header}" brings {library}, which belongs to {owner} alone'
    for suffix, owner in GENERATED_OWNERS:
        if header.endswith(suffix) and "/" not in header:
            return None if source.path.startswith(owner) else f'"{header}" belongs to {owner} alone'
    target = header.rpartition("/")[0]
    if target and target not in folders:
        return f'"{header}": there is no folder {target}/ here'
    if not target:
        return f'"{header}": write the path from the repository root'
    if target not in (source.folder, floor_of(target), DOCUMENTS_ROOM):
        room = target.rpartition("/")[2]
        if header != f"{target}/{room}.h":
            return f'"{header}" stays in its room; its face is {target}/{room}.h'
    if floor_of(target) not in MAY_INCLUDE[floor_of(source.folder)]:
        return f"{source.folder}/ must not include {target}/ (architecture, section 2)"
    return None


def check(sources):
    folders = {source.folder for source in sources} - {""}
    bearers = library_bearers(sources)
    for source in sources:
        if source.folder in ("schema", DOCUMENTS_ROOM) and source.path.endswith(".sql"):
            yield source.path, 1, "migrations lie in schema/migrations/"
        if source.kind != "c" or not floor_of(source.folder):
            continue
        subject = re.split(r"[_.]", os.path.basename(source.path))[0]
        if source.folder == "ops/runtime" and subject not in FLOOR_FILES:
            yield source.path, 1, "ops/runtime is a closed list; this file belongs elsewhere"
        for line, _ in source.find_code(INCLUDE):
            header = source.lines[line - 1].partition("include")[2].strip()
            name, closing = header[1:], header[:1].replace("<", ">")
            name = name.partition(closing)[0] if closing else ""
            text = (own_finding(source, name, folders, bearers) if closing == '"'
                    else library_finding(source.path, name))
            if text:
                yield source.path, line, text
