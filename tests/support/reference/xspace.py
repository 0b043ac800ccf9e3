"""XSpace message → planes, lines and events as they stand in the file (section 3, the format).

What: the table of members, map entries, statistics with their names. No rule of the summary is
applied here. Written from the specification; it shares nothing with the program.
"""

from typing import Dict, List, NamedTuple, Optional

from .wire import BYTES, FIXED64, VARINT, Message, to_double, to_signed, to_text

REF = 7
STAT_MEMBERS = {2: FIXED64, 3: VARINT, 4: VARINT, 5: BYTES, 6: BYTES, REF: VARINT}
STAT_VALUES = {2: to_double, 3: int, 4: to_signed, 5: to_text,
               6: lambda value: value.decode("utf-8", "replace"), REF: int}
EVENT_PLACE = {2: VARINT, 5: VARINT}
OFFSET = 2


class Stat(NamedTuple):
    metadata_id: int
    member: Optional[int]
    value: object


class EventMetadata(NamedTuple):
    name: str
    display_name: str
    stats: List[Stat]


class Event(NamedTuple):
    metadata_id: int
    offset_ps: Optional[int]
    duration_ps: int
    stats: List[Stat]


class Line(NamedTuple):
    line_id: int
    name: str
    display_name: str
    timestamp_ns: int
    events: List[Event]


class Plane(NamedTuple):
    name: str
    lines: List[Line]
    event_metadata: Dict[int, EventMetadata]
    stat_names: Dict[int, str]


class Space(NamedTuple):
    planes: List[Plane]
    errors: List[str]
    warnings: List[str]


def stat_read(data):
    message = Message(data)
    message.texts(5)  # each must be UTF-8
    found = message.last_member(STAT_MEMBERS)
    member, value = found or (None, None)
    return Stat(message.signed(1), member, STAT_VALUES[member](value) if found else None)


def stats_read(message, number):
    return [stat_read(item) for item in message.all(number, BYTES)]


def map_read(message, number, value_read):
    """Keyed by the entry's key; the last of a repeated key wins."""
    entries = [Message(item) for item in message.all(number, BYTES)]
    return {entry.signed(1): value_read(Message(*entry.all(2, BYTES))) for entry in entries}


def event_metadata_read(message):
    message.numbers(6)  # children are not used, but must be numbers
    return EventMetadata(message.text(2), message.text(4), stats_read(message, 5))


def stat_name_read(message):
    message.text(3)
    return message.text(2)


def event_read(data):
    message = Message(data)
    place = message.last_member(EVENT_PLACE)
    offset = to_signed(place[1]) if place and place[0] == OFFSET else None
    return Event(message.signed(1), offset, message.signed(3), stats_read(message, 4))


def line_read(data):
    message = Message(data)
    return Line(message.signed(1), message.text(2), message.text(11), message.signed(3),
                [event_read(item) for item in message.all(4, BYTES)])


def plane_read(data):
    message = Message(data)
    stats_read(message, 6)
    return Plane(message.text(2), [line_read(item) for item in message.all(3, BYTES)],
                 map_read(message, 4, event_metadata_read), map_read(message, 5, stat_name_read))


def space_read(data):
    message = Message(data)
    message.texts(4)
    return Space([plane_read(item) for item in message.all(1, BYTES)], message.texts(2),
                 message.texts(3))
