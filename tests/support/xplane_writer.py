"""Writer of XPlane files (protobuf wire format of the XSpace message).

What: a small protobuf encoder and the classes Space, Plane, Line and Stat, which turn planned
events into the bytes that a JAX profiler session leaves behind. Why: tests need profiles whose
every time is known beforehand; this encoder shares nothing with the reader under test, neither code
nor schema file.
What it does not do: it reads nothing, checks no meaning and knows no device. Same calls, same
bytes.
Source of the format: the protobuf encoding specification, and the XSpace message table (field
numbers, oneofs, maps) of README.md, "The XPlane format".
"""

import functools
import gzip
import struct
from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple

# Field numbers of XPlane in the order in which a canonical encoder emits them.
PLANE_FIELDS_CANONICAL = (1, 2, 3, 4, 5, 6)
# Orders that the format allows as well: a reader must not depend on metadata after or before lines.
PLANE_FIELD_ORDERS = {
    "canonical": PLANE_FIELDS_CANONICAL,
    "metadata-first": (1, 2, 5, 4, 6, 3),
    "reversed": (6, 5, 4, 3, 2, 1),
}

WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES = 0, 1, 2


@functools.lru_cache(maxsize=1 << 16)
def encode_varint(value: int) -> bytes:
    """Base-128 varint. A negative int64 is its 64-bit two's complement, thus ten bytes."""
    if not -(1 << 63) <= value < 1 << 64:
        raise ValueError(f"{value} does not fit in 64 bits")
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


@functools.lru_cache(maxsize=None)
def encode_tag(field: int, wire_type: int) -> bytes:
    return encode_varint(field << 3 | wire_type)


def field_varint(field: int, value: int) -> bytes:
    return encode_tag(field, WIRE_VARINT) + encode_varint(value)


def field_double(field: int, value: float) -> bytes:
    return encode_tag(field, WIRE_FIXED64) + struct.pack("<d", value)


def field_bytes(field: int, value: bytes) -> bytes:
    return encode_tag(field, WIRE_BYTES) + encode_varint(len(value)) + value


def field_text(field: int, value: str) -> bytes:
    return field_bytes(field, value.encode("utf-8"))


def optional_varint(field: int, value: int) -> bytes:
    """A proto3 scalar outside a oneof: zero is left out."""
    return field_varint(field, value) if value else b""


def optional_text(field: int, value: str) -> bytes:
    return field_text(field, value) if value else b""


class Stat(NamedTuple):
    """One statistic: its name, the member of the oneof that carries it, and the value."""

    name: str
    kind: str
    value: object


def stat_double(name: str, value: float) -> Stat:
    return Stat(name, "double", float(value))


def stat_uint(name: str, value: int) -> Stat:
    return Stat(name, "uint64", value)


def stat_int(name: str, value: int) -> Stat:
    return Stat(name, "int64", value)


def stat_text(name: str, value: str) -> Stat:
    return Stat(name, "str", value)


def stat_blob(name: str, value: bytes) -> Stat:
    return Stat(name, "bytes", value)


def stat_ref(name: str, value: str) -> Stat:
    """A string kept once: the value travels as the id of a stat metadata entry of that name."""
    return Stat(name, "ref", value)


def stat_compressed(name: str, value: str) -> Stat:
    """A string as gzip, as newer writers send long ones."""
    return Stat(name, "compressed", gzip.compress(value.encode("utf-8"), mtime=0))


# Kind of a statistic -> (field number, encoder). A oneof member is written even when it is zero.
STAT_ENCODERS = {
    "double": (2, field_double),
    "uint64": (3, field_varint),
    "int64": (4, field_varint),
    "str": (5, field_text),
    "bytes": (6, field_bytes),
    "ref": (7, field_varint),
    "compressed": (8, field_bytes),
}


class EventMetadata(NamedTuple):
    """Constants of an event type. `display_name` is what people see, `name` may be a whole text."""

    name: str
    display_name: str = ""
    stats: Tuple[Stat, ...] = ()
    child_names: Tuple[str, ...] = ()
    metadata: bytes = b""


class Line:
    """A line of a plane. Events are encoded as they are added, in the order of the calls."""

    def __init__(self, plane: "Plane", name: str, line_id: int, timestamp_ns: int):
        self.plane = plane
        self.name = name
        self.line_id = line_id
        self.timestamp_ns = timestamp_ns
        self.display_name = ""
        self.display_id = 0
        self.duration_ps = 0
        self._events = bytearray()

    def add_event(self, key: object, offset_ps: int, duration_ps: int,
                  stats: Sequence[Stat] = ()) -> None:
        """An event with a place in time. Offset zero is written: it is a oneof member."""
        self._append(key, field_varint(2, offset_ps) + self._tail(duration_ps, stats))

    def add_aggregate(self, key: object, num_occurrences: int, duration_ps: int,
                      stats: Sequence[Stat] = ()) -> None:
        """An aggregated event: a number of occurrences and their summed time, no place in time."""
        self._append(key, self._tail(duration_ps, stats) + field_varint(5, num_occurrences))

    def _tail(self, duration_ps: int, stats: Sequence[Stat]) -> bytes:
        encoded = [field_bytes(4, self.plane.encode_stat(stat)) for stat in stats]
        return optional_varint(3, duration_ps) + b"".join(encoded)

    def _append(self, key: object, rest: bytes) -> None:
        self._events += field_bytes(4, field_varint(1, self.plane.event_metadata_id(key)) + rest)

    def encode_head(self) -> bytes:
        """The fields before the events, in canonical order."""
        head = optional_varint(1, self.line_id) + optional_text(2, self.name)
        return head + optional_varint(3, self.timestamp_ns)

    def encode(self) -> bytes:
        tail = optional_varint(9, self.duration_ps) + optional_varint(10, self.display_id)
        tail += optional_text(11, self.display_name)
        return self.encode_head() + bytes(self._events) + tail


class Plane:
    """A plane with its interned event and stat metadata.

    Metadata ids are 1, 2, 3 … by default; `sparse_ids` spreads them over 61 bits, as real files do.
    """

    def __init__(self, name: str, plane_id: int = 0, sparse_ids: bool = False):
        self.name = name
        self.plane_id = plane_id
        self.sparse_ids = sparse_ids
        self.lines: List[Line] = []
        self._stats: List[Stat] = []
        self._stat_ids = {}
        self._stat_bytes = {}
        self._event_ids = {}
        self._event_metadata = {}

    def add_line(self, name: str, line_id: int, timestamp_ns: int = 0) -> Line:
        line = Line(self, name, line_id, timestamp_ns)
        self.lines.append(line)
        return line

    def add_stat(self, stat: Stat) -> None:
        self._stats.append(stat)

    def add_event_metadata(self, key: object, metadata: EventMetadata,
                           metadata_id: Optional[int] = None) -> int:
        """Declares the metadata of `key`, once; later calls with the same key change nothing."""
        if key not in self._event_ids:
            self._event_ids[key] = metadata_id or self._spread(len(self._event_ids) + 1)
            self._event_metadata[key] = metadata
        return self._event_ids[key]

    def event_metadata_id(self, key: object) -> int:
        """The id of `key`; a text that was not declared becomes metadata with that name."""
        if key not in self._event_ids:
            self.add_event_metadata(key, EventMetadata(name=str(key)))
        return self._event_ids[key]

    def stat_metadata_id(self, name: str) -> int:
        if name not in self._stat_ids:
            self._stat_ids[name] = self._spread(len(self._stat_ids) + 1)
        return self._stat_ids[name]

    def encode_stat(self, stat: Stat) -> bytes:
        """An XStat. Encoded once per distinct statistic, since most of them repeat."""
        if stat not in self._stat_bytes:
            number, encoder = STAT_ENCODERS[stat.kind]
            value = self.stat_metadata_id(stat.value) if stat.kind == "ref" else stat.value
            body = field_varint(1, self.stat_metadata_id(stat.name)) + encoder(number, value)
            self._stat_bytes[stat] = body
        return self._stat_bytes[stat]

    def encode(self, fields: Sequence[int] = PLANE_FIELDS_CANONICAL) -> bytes:
        """The plane's fields in the given order. Stat metadata is built last, emitted anywhere."""
        parts = {
            1: optional_varint(1, self.plane_id),
            2: optional_text(2, self.name),
            3: b"".join(field_bytes(3, line.encode()) for line in self.lines),
            4: b"".join(self._encode_event_metadata()),
            6: b"".join(field_bytes(6, self.encode_stat(stat)) for stat in self._stats),
        }
        parts[5] = b"".join(self._encode_stat_metadata())
        return b"".join(parts[field] for field in fields)

    def _spread(self, index: int) -> int:
        # An odd multiplier is a bijection modulo a power of two, so that ids stay distinct.
        return index * 0x9E3779B97F4A7C15 % (1 << 61) if self.sparse_ids else index

    def _encode_event_metadata(self) -> Iterable[bytes]:
        for key, item in list(self._event_metadata.items()):
            number = self._event_ids[key]
            body = field_varint(1, number) + optional_text(2, item.name)
            body += field_bytes(3, item.metadata) if item.metadata else b""
            body += optional_text(4, item.display_name)
            body += b"".join(field_bytes(5, self.encode_stat(stat)) for stat in item.stats)
            # Packed, as proto3 packs repeated numbers by default.
            children = b"".join(encode_varint(self._event_ids[name]) for name in item.child_names)
            body += field_bytes(6, children) if children else b""
            yield field_bytes(4, field_varint(1, number) + field_bytes(2, body))

    def _encode_stat_metadata(self) -> Iterable[bytes]:
        for name, number in self._stat_ids.items():
            body = field_varint(1, number) + optional_text(2, name)
            yield field_bytes(5, field_varint(1, number) + field_bytes(2, body))


class Space:
    """A whole file: planes, then errors, warnings and host names."""

    def __init__(self, hostnames: Sequence[str] = ()):
        self.planes: List[Plane] = []
        self.errors: List[str] = []
        self.warnings: List[str] = []
        self.hostnames: List[str] = list(hostnames)

    def add_plane(self, name: str, plane_id: int = 0, sparse_ids: bool = False) -> Plane:
        plane = Plane(name, plane_id, sparse_ids)
        self.planes.append(plane)
        return plane

    def encode(self, field_order: str = "canonical") -> bytes:
        """`field_order` is a key of PLANE_FIELD_ORDERS."""
        fields = PLANE_FIELD_ORDERS[field_order]
        parts = [field_bytes(1, plane.encode(fields)) for plane in self.planes]
        parts += [field_text(2, text) for text in self.errors]
        parts += [field_text(3, text) for text in self.warnings]
        parts += [field_text(4, text) for text in self.hostnames]
        return b"".join(parts)
