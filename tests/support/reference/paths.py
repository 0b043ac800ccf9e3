"""The region path of an event (section 12).

Written from the specification; it shares nothing with the program.
"""

import re

from .names import canonical_name

WRAPPERS = ("jit", "jvp", "transpose", "vmap", "pjit", "named_call", "remat", "checkpoint")
WRAPPED = re.compile(r"(%s)\((.*)\)" % "|".join(WRAPPERS))
DONATED = "dynamic_donated"
NO_REGION = {"xla", "xla_ops", "xla_modules", "xla_traceme", "xla_trace_me", "pallas_call",
             "shard_map", "call", "execute", "launch", "tpu_launch"}
NO_REGION_PREFIX = ("pjrt", "xla_", "tpu_", "stream_executor")
NO_REGION_WORDS = ("launch", "execute", "thunk", "runtime")
SEPARATOR = "=>"
NAME_SEPARATORS = (SEPARATOR, "::")


def part_trimmed(part):
    return part.strip().strip(":")


def part_normalised(part):
    """A part of a tf_op without its wrappers; empty when nothing is left."""
    part = part_trimmed(part)
    match = WRAPPED.fullmatch(part)
    while match:
        part = match[2].strip()
        match = WRAPPED.fullmatch(part)
    if part in WRAPPERS:
        return ""
    part = part_trimmed(part)
    if part.startswith(DONATED):
        _, dot, rest = part.partition(".")
        part = rest if dot and rest else part
    return part


def is_region(part):
    plain = re.sub(r"[^a-z0-9_]+", "_", part.lower().strip()).strip("_")
    return not (plain == "" or plain in NO_REGION or plain.startswith(NO_REGION_PREFIX)
                or any(word in plain for word in NO_REGION_WORDS))


def tf_op_path(tf_op):
    parts = [part_normalised(part) for part in (tf_op or "").split("/") if part.strip()]
    return [part for part in parts if part and is_region(part)]


def name_path(name):
    for separator in NAME_SEPARATORS:
        if separator in name:
            parts = [part.strip() for part in name.split(separator)]
            return [part for part in parts if part and is_region(part)]
    return []


def path_of(event):
    return (tf_op_path(event.facts.tf_op) or name_path(event.name)
            or [canonical_name(event.name)])


def is_fallback(path, name):
    return path == [canonical_name(name)]
