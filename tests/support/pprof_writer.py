"""Writer and reader of device memory profiles (pprof), for tests.

What: a profile of planned allocations as `jax.profiler.save_device_memory_profile` writes it, and a
plain count of any such file. Why: both share nothing with the reader under test. What it does not
do: other pprof profiles, speed.
Source of the format: profile.proto; its numbers stand in ingest/memory/pprof.c and are written here
a second time on purpose.
"""

import collections
import gzip
from typing import Dict, List, NamedTuple, Sequence, Tuple

from xplane_decoder import fields_read, signed, varint_read
from xplane_writer import encode_varint, field_bytes, field_text, optional_varint

JAX = "/usr/lib/python3.11/site-packages/jax/_src/"


class Allocation(NamedTuple):
    """One sample. `stack` is innermost first: (file, function, line)."""

    count: int
    size: int
    device: str
    kind: str
    stack: Sequence[Tuple[str, str, int]] = ((JAX + "dispatch.py", "apply_primitive", 88),
                                             ("/job/train.py", "step", 41))


class Builder:
    def __init__(self):
        self.strings = {"": 0}
        self.functions, self.locations = {}, {}

    def text(self, value: str) -> int:
        return self.strings.setdefault(value, len(self.strings))

    def location(self, frame: Tuple[str, str, int]) -> int:
        self.functions.setdefault(frame[:2], len(self.functions) + 1)
        return self.locations.setdefault(frame, len(self.locations) + 1)

    def sample(self, one: Allocation) -> bytes:
        ids = b"".join(encode_varint(self.location(frame)) for frame in one.stack)
        values = encode_varint(one.count) + encode_varint(one.size)
        body = field_bytes(1, ids) + field_bytes(2, values)
        for key, value in (("kind", one.kind), ("device", one.device)):
            if value:
                body += field_bytes(3, optional_varint(1, self.text(key))
                                    + optional_varint(2, self.text(value)))
        return field_bytes(2, body)


def memory_profile(allocations: Sequence[Allocation], types=(("allocations", "count"),
                                                             ("space", "bytes"))) -> bytes:
    """The profile, not compressed; texts come last, as JAX writes them."""
    builder = Builder()
    head = b"".join(field_bytes(1, optional_varint(1, builder.text(kind))
                                + optional_varint(2, builder.text(unit))) for kind, unit in types)
    samples = b"".join(builder.sample(one) for one in allocations)
    locations = b"".join(
        field_bytes(4, optional_varint(1, number) + field_bytes(
            4, optional_varint(1, builder.functions[frame[:2]]) + optional_varint(2, frame[2])))
        for frame, number in builder.locations.items())
    functions = b"".join(
        field_bytes(5, optional_varint(1, number) + optional_varint(2, builder.text(function))
                    + optional_varint(4, builder.text(file)))
        for (file, function), number in builder.functions.items())
    return head + samples + locations + functions + b"".join(
        field_text(6, text) for text in builder.strings)


def numbers(value: object) -> List[int]:
    """A repeated number, packed or not."""
    if isinstance(value, int):
        return [signed(value)]
    found, at = [], 0
    while at < len(value):
        number, at = varint_read(value, at)
        found.append(signed(number))
    return found


def count(data: bytes) -> Dict[Tuple[str, str], List[int]]:
    """(device, kind) to [bytes, allocations, of unknown size] of a whole file."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    fields = list(fields_read(data))
    texts = [value.decode() for number, value in fields if number == 6]
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for number, value in fields:
        if number != 2:
            continue
        parts = list(fields_read(value))
        how_many, size = [one for field, part in parts if field == 2 for one in numbers(part)]
        labels = {"device": "", "kind": ""}
        for field, part in parts:
            if field == 3:
                label = dict(fields_read(part))
                labels[texts[label[1]]] = texts[label.get(2, 0)]
        row = sums[labels["device"], labels["kind"]]
        row[0] += max(size, 0)
        row[1] += how_many
        row[2] += how_many if size < 0 else 0
    return dict(sums)
