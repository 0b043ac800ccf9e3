"""Protobuf messages as lists of fields, read as the protobuf specification says.

What: bytes → (field, wire type, value) in file order, and the rules for reading them: the last
scalar wins, a repeated single message is merged, a member of another wire type counts as unknown.
Written from the specification; it shares nothing with the program.
"""

import struct

VARINT, FIXED64, BYTES, GROUP, GROUP_END, FIXED32 = range(6)
WORD = 1 << 64
VARINT_BYTES = 10


class DecodeError(ValueError):
    """The file is no XSpace message."""


def varint_read(data, at):
    value = 0
    for index in range(VARINT_BYTES):
        if at + index >= len(data):
            raise DecodeError("a number is cut off")
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value % WORD, at + index + 1
    raise DecodeError("a number has more than ten bytes")


def bytes_read(data, at, size):
    if at + size > len(data):
        raise DecodeError("a member is cut off")
    return data[at:at + size], at + size


def group_skip(data, at, number):
    """A group is an unknown member here; returns where it ends."""
    while True:
        field, wire, _, at = field_read(data, at)
        if wire == GROUP_END:
            if field != number:
                raise DecodeError("a group ends with another number")
            return at


def field_read(data, at):
    tag, at = varint_read(data, at)
    field, wire = tag >> 3, tag & 7
    if field == 0:
        raise DecodeError("field number 0")
    if wire == VARINT:
        value, at = varint_read(data, at)
    elif wire in (FIXED64, FIXED32):
        value, at = bytes_read(data, at, 8 if wire == FIXED64 else 4)
    elif wire == BYTES:
        size, at = varint_read(data, at)
        value, at = bytes_read(data, at, size)
    elif wire == GROUP:
        value, at = None, group_skip(data, at, field)
    elif wire == GROUP_END:
        value = None
    else:
        raise DecodeError(f"wire type {wire}")
    return field, wire, value, at


class Message:
    """The fields of one message, in file order; one that is given in pieces is merged."""

    def __init__(self, *pieces):
        self.fields = []
        for piece in pieces:
            self.piece_add(piece)

    def piece_add(self, data):
        at = 0
        while at < len(data):
            field, wire, value, at = field_read(data, at)
            if wire == GROUP_END:
                raise DecodeError("a group ends that has not begun")
            self.fields.append((field, wire, value))

    def all(self, number, wire):
        return [value for field, kind, value in self.fields if (field, kind) == (number, wire)]

    def signed(self, number):
        values = self.all(number, VARINT)
        return to_signed(values[-1]) if values else 0

    def text(self, number):
        """Every occurrence must be UTF-8, also one that a later one replaces."""
        texts = self.texts(number)
        return texts[-1] if texts else ""

    def texts(self, number):
        return [to_text(value) for value in self.all(number, BYTES)]

    def numbers(self, number):
        """A repeated number: given one by one, or packed, or both."""
        found = []
        for value in self.all(number, BYTES):
            at = 0
            while at < len(value):
                item, at = varint_read(value, at)
                found.append(item)
        return found + self.all(number, VARINT)

    def last_member(self, members):
        """The member of a oneof that counts, as (field, value); `members`: field → wire type."""
        found = [(field, value) for field, wire, value in self.fields
                 if members.get(field) == wire]
        return found[-1] if found else None


def to_signed(value):
    return value - WORD if value >> 63 else value


def to_text(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError("a text is not UTF-8") from error


def to_double(value):
    return struct.unpack("<d", value)[0]
