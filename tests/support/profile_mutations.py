"""Random changes of an XPlane file: of what it says, and of how the bytes say it.

What: bytes → a tree of members → bytes, with edits between: planes and lines dropped, renamed or
given twice, times scaled, names and texts replaced, events out of order; members repeated, split,
in another order, unknown or of another wire type. What comes out is well-formed protobuf, but for
random bytes in members that are messages. Same bytes and seed, same result.
What it does not do: cut-off files and lengths that lie (tests/fuzz).
"""

import random as python_random

import random_words as words
import xplane_writer as xw
from reference import wire

STAT = {}
EVENT = {4: STAT}
LINE = {4: EVENT}
EVENT_ENTRY = {2: {5: STAT}}
STAT_ENTRY = {2: {}}
PLANE = {3: LINE, 4: EVENT_ENTRY, 5: STAT_ENTRY, 6: STAT}
SPACE = {1: PLANE}

FACTORS = (0.001, 0.5, 0.97, 1.5, 3, 1000)
TIMESTAMPS_NS = (0, 1, 999, 10**9, 1_700_000_000_000_000_001)
NUMBERS = (0, 1, 2, 5, 127, 128, 300, 2**31, 2**63, 2**64 - 1, 2**64 - 9)
BLOBS = (b"", b"x", b"\x08\x01", b"\xc3\xa9", b"\x10\x02", b"a.1", b"\xff")
WORD = 1 << 64


def tree_read(data, schema):
    """[[field, wire type, value]], a message being such a list itself."""
    tree = []
    for field, kind, value in wire.Message(data).fields:
        below = schema.get(field) if kind == wire.BYTES else None
        tree.append([field, kind, value if below is None else tree_read(value, below)])
    return tree


def tree_write(tree, padded=None):
    """`padded`: a random.Random that now and then writes a number with more bytes than it needs."""
    parts = []
    for field, kind, value in tree:
        parts.append(xw.encode_tag(field, kind))
        if kind == wire.VARINT:
            parts.append(varint_padded(value, padded))
        elif kind in (wire.BYTES, wire.GROUP):
            body = tree_write(value, padded) if isinstance(value, list) else value or b""
            head = xw.encode_varint(len(body)) if kind == wire.BYTES else b""
            parts += [head, body]
            parts += [xw.encode_tag(field, wire.GROUP_END)] if kind == wire.GROUP else []
        else:
            parts.append(value)
    return b"".join(parts)


def varint_padded(value, random):
    text = xw.encode_varint(value)
    if random is None or random.random() > 0.02 or len(text) > 8:
        return text
    return text[:-1] + bytes([text[-1] | 0x80, 0x80, 0x00])


def members(tree, field):
    return [item for item in tree if item[0] == field and isinstance(item[2], list)]


def number_set(tree, field, value):
    tree[:] = [item for item in tree if item[0] != field]
    tree.append([field, wire.VARINT, value % WORD])


def text_set(tree, field, text):
    tree[:] = [item for item in tree if item[0] != field]
    tree.append([field, wire.BYTES, text.encode()])


def planes_change(random, space):
    planes = members(space, 1)
    for plane in planes:
        if random.random() < 0.15:
            text_set(plane[2], 2, random.choice(words.PLANE_NAMES))
    if planes and random.random() < 0.2:
        space.append(random.choice(planes))
    if len(planes) > 1 and random.random() < 0.3:
        space.remove(random.choice(planes))


def lines_change(random, plane):
    lines = members(plane, 3)
    for line in lines:
        if random.random() < 0.1:
            text_set(line[2], random.choice((2, 2, 11)), random.choice(words.LINE_NAMES))
        if random.random() < 0.05:
            number_set(line[2], 3, random.choice(TIMESTAMPS_NS))
        if random.random() < 0.05:
            number_set(line[2], 1, random.choice((0, 1, 2, -1)))
        if len(lines) > 1 and random.random() < 0.1:
            plane.remove(line)


def times_scale(random, line):
    factor = random.choice(FACTORS)
    for event in members(line, 4):
        for item in event[2]:
            if item[0] in (2, 3) and item[1] == wire.VARINT and item[2] < 1 << 62:
                item[2] = int(item[2] * factor) % (1 << 63)


def events_change(random, line):
    events = members(line, 4)
    if random.random() < 0.1:
        times_scale(random, line)
    if random.random() < 0.05 and len(events) > 1:
        kept = set(map(id, events[:random.randint(1, len(events))]))
        line[:] = [item for item in line if item[0] != 4 or id(item) in kept]
    if random.random() < 0.03:
        random.shuffle(line)
    for event in events:
        if random.random() < 0.01:
            number_set(event[2], 3, random.choice((0, 1, 1000, 10**6, 10**9)))


def names_change(random, plane):
    for entry in members(plane, 4):
        for item in members(entry[2], 2):
            if random.random() < 0.1:
                text_set(item[2], random.choice((2, 4)), words.Words(random).op_name())
            for stat in members(item[2], 5):
                if random.random() < 0.1:
                    stat_change(random, stat[2])
    for entry in members(plane, 5):
        for item in members(entry[2], 2):
            if random.random() < 0.02:
                text_set(item[2], 2, random.choice(("tf_op", "long_name", "source", "run_id",
                                                    "step_num", "name", "step", "file_name")))


def stat_change(random, stat):
    if any(item[0] == 5 for item in stat):
        some = words.Words(random)
        text_set(stat, 5, random.choice((some.tf_op, some.long_name))())


def meaning_change(random, space):
    """Another profile: planes, lines, times and names."""
    planes_change(random, space)
    for plane in members(space, 1):
        lines_change(random, plane[2])
        names_change(random, plane[2])
        for line in members(plane[2], 3):
            events_change(random, line[2])


def unknown_member(random):
    field, kind = random.randint(1, 14), random.choice((0, 0, 1, 2, 2, 3, 5))
    if kind == wire.VARINT:
        return [field, kind, random.choice(NUMBERS)]
    if kind == wire.BYTES:
        return [field, kind, random.choice(BLOBS)]
    if kind == wire.GROUP:
        return [field, kind, [[9, wire.VARINT, 5]]]
    return [field, kind, random.choice((b"\0", b"\x3f")) * (8 if kind == wire.FIXED64 else 4)]


def split_in_two(random, tree, index):
    """A message given in two pieces: merged where it is one member, two where it may repeat."""
    field, kind, value = tree[index]
    cut = random.randint(0, len(value))
    tree[index:index + 1] = [[field, kind, value[:cut]], [field, kind, value[cut:]]]


def bytes_change(random, tree, share):
    """Other bytes: `share` of the messages get a changed member."""
    for item in list(tree):
        if isinstance(item[2], list) and item[1] == wire.BYTES:
            bytes_change(random, item[2], share)
    if random.random() > share:
        return
    index = random.randrange(len(tree)) if tree else None
    form = random.random()
    if index is None or form < 0.3:
        tree.insert(random.randint(0, len(tree)), unknown_member(random))
    elif form < 0.5:
        tree.insert(random.randint(0, len(tree)), list(tree[index]))
    elif form < 0.7 and isinstance(tree[index][2], list):
        split_in_two(random, tree, index)
    elif form < 0.9:
        random.shuffle(tree)
    else:
        tree.pop(index)


def mutated(data, seed, bytes_share=0.0):
    """The file with random changes of its meaning and, of `bytes_share` of the messages, bytes."""
    random = python_random.Random(seed)
    space = tree_read(data, SPACE)
    meaning_change(random, space)
    if bytes_share:
        bytes_change(random, space, bytes_share)
    return tree_write(space, random if bytes_share else None)
