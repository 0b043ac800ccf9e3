"""A small decoder of XPlane files, for the tests of the sample writer only.

What: bytes → planes, lines and events as plain tuples. Why: the truth comes from the plan, so a
test has to read the bytes back to show that they say the same. What it does not do: speed, hostile
input, repair; the product's reader is ingest/, and this shares nothing with it or with the encoder.
Source of the format: the protobuf encoding specification and README.md,
"The XPlane format".
"""

import gzip
import struct
from typing import Dict, Iterator, List, NamedTuple, Tuple

ORDINARY_STATS = {3: lambda value: value, 4: lambda value: signed(value),
                  5: lambda value: value.decode(), 6: lambda value: value,
                  8: lambda value: gzip.decompress(value).decode(),
                  2: lambda value: struct.unpack("<d", value)[0]}
REF_STAT = 7


class Event(NamedTuple):
    name: str
    start_ps: int
    duration_ps: int
    stats: Dict[str, object]
    full_name: str
    occurrences: int


class Line(NamedTuple):
    line_id: int
    name: str
    timestamp_ns: int
    events: List[Event]
    display_name: str


class Plane(NamedTuple):
    name: str
    stats: Dict[str, object]
    lines: List[Line]
    metadata_names: List[str]


class Space(NamedTuple):
    planes: List[Plane]
    errors: List[str]
    warnings: List[str]
    hostnames: List[str]


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def varint_read(data: bytes, at: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields_read(data: bytes) -> Iterator[Tuple[int, object]]:
    """(field number, integer or bytes) in file order."""
    at = 0
    while at < len(data):
        tag, at = varint_read(data, at)
        if tag & 7 == 0:
            value, at = varint_read(data, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else varint_read(data, at)
            if at + size > len(data):
                raise ValueError(f"field {tag >> 3} is cut off")
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def message_read(data: bytes) -> Dict[int, List]:
    message: Dict[int, List] = {}
    for field, value in fields_read(data):
        message.setdefault(field, []).append(value)
    return message


def first(message: Dict[int, List], field: int, default: object) -> object:
    return message.get(field, [default])[0]


def map_read(entries: List[bytes]) -> Dict[int, Dict[int, List]]:
    found = {}
    for entry in map(message_read, entries):
        found[first(entry, 1, 0)] = message_read(first(entry, 2, b""))
    return found


def stats_read(entries: List[bytes], names: Dict[int, str]) -> Dict[str, object]:
    stats = {}
    for entry in map(message_read, entries):
        name = names[first(entry, 1, 0)]
        field = next(number for number in entry if number != 1)
        value = entry[field][0]
        stats[name] = names[value] if field == REF_STAT else ORDINARY_STATS[field](value)
    return stats


def plane_read(data: bytes) -> Plane:
    message = message_read(data)
    names = {key: first(item, 2, b"").decode()
             for key, item in map_read(message.get(5, [])).items()}
    metadata = map_read(message.get(4, []))
    lines = [line_read(item, metadata, names) for item in message.get(3, [])]
    return Plane(first(message, 2, b"").decode(), stats_read(message.get(6, []), names), lines,
                 [first(item, 2, b"").decode() for item in metadata.values()])


def line_read(data: bytes, metadata: Dict, names: Dict[int, str]) -> Line:
    message = message_read(data)
    base_ns = first(message, 3, 0)
    events = [event_read(item, base_ns, metadata, names) for item in message.get(4, [])]
    return Line(signed(first(message, 1, 0)), first(message, 2, b"").decode(), base_ns, events,
                first(message, 11, b"").decode())


def event_read(data: bytes, base_ns: int, metadata: Dict, names: Dict[int, str]) -> Event:
    message = message_read(data)
    kind = metadata[first(message, 1, 0)]
    stats = {**stats_read(kind.get(5, []), names), **stats_read(message.get(4, []), names)}
    full_name = first(kind, 2, b"").decode()
    shown = first(kind, 4, b"").decode() or full_name
    start = base_ns * 1000 + first(message, 2, 0)
    return Event(shown, start, first(message, 3, 0), stats, full_name, first(message, 5, 0))


def space_read(data: bytes) -> Space:
    message = message_read(data)
    texts = [[item.decode() for item in message.get(field, [])] for field in (2, 3, 4)]
    return Space([plane_read(item) for item in message.get(1, [])], *texts)
