"""Random XPlane files, for asking two implementations the same questions.

What: a seed → the bytes of a small XSpace, with planes, lines, events and statistics of every kind
that the rules of the summary tell apart, valid as protobuf and mostly odd as a profile. Same seed,
same bytes. Used by the tests that compare the program with tests/support/reference.
What it does not do: broken bytes (tests/fuzz), realistic profiles (make_profile.py).
"""

import random as python_random

import random_words as words
import xplane_writer as xw

MOST_PLANES, MOST_LINES = 5, 6
SIZES = ((40, 14),) * 60 + ((60, 40), (15, 3), (900, 700))  # most events of a line, most kinds
TIMESTAMPS_NS = (0, 0, 0, 1, 1000, 5_000_000, 1_700_000_000_123_456_789, -1_000_000, 10**15 + 7)
UNITS_PS = (1, 10, 333, 1000, 10**6, 10**6, 250_000, 10**9)
STAT_NAMES = ("long_name", "tf_op", "name", "source", "source_file", "file_name", "run_id",
              "step_num", "step", "hlo_category", "flops", "")
NUMBERS = (0, 1, 2, 7, -3, 100, 2**40, -1, 2**63 - 1)
FLOATS = (0.0, 7.9, -2.5, 1e16, 3.0, 0.5, -0.0, 1e18)
NO_NUMBERS = (float("nan"), float("inf"), float("-inf"))
TEXTS = ("", "7", " 12 ", "x", "1_0", "+4", "-0", "\u0663", "1e3", "r-1", "3.0", "0x1", "run\u00e9")
STEP_LINES = ("periodic", "noisy", "bimodal", "growing", "equal", "few")


class Schema:
    """The stat metadata of one plane, names → ids, one of them without a name; and its words."""

    def __init__(self, random):
        self.random = random
        self.words = words.Words(random)
        self.ids = {}
        self.next_id = random.choice((1, 1, 100, 2**40))

    def id_of(self, name):
        if name not in self.ids:
            self.ids[name] = self.next_id
            self.next_id += self.random.choice((1, 1, 1, 5))
        return self.ids[name]

    def entries(self):
        for name, number in self.ids.items():
            text = xw.field_text(2, name) if name or self.random.random() < 0.5 else b""
            body = xw.field_varint(1, number) + text
            yield xw.field_bytes(5, xw.field_varint(1, number) + xw.field_bytes(2, body))


def value_bytes(random, schema, text):
    """A value of a random type; texts as strings, bytes and references alike."""
    kind = random.random()
    if text is not None and kind < 0.9:
        if kind < 0.5:
            return xw.field_text(5, text)
        if kind < 0.6:
            odd = b"\xff\xc3" if random.random() < 0.2 else b""
            return xw.field_bytes(6, text.encode() + odd)
        return xw.field_varint(7, schema.id_of(text))
    if kind < 0.2:
        return xw.field_double(2, random.choice(FLOATS if random.random() < 0.998 else NO_NUMBERS))
    if kind < 0.4:
        return xw.field_varint(3, abs(random.choice(NUMBERS)))
    if kind < 0.6:
        return xw.field_varint(4, random.choice(NUMBERS))
    if kind < 0.85:
        return xw.field_text(5, random.choice(TEXTS))
    if kind < 0.92:
        return xw.field_varint(7, random.choice((987654321, schema.id_of(random.choice(TEXTS)))))
    return b""


STAT_TEXTS = {"long_name": words.Words.long_name, "tf_op": words.Words.tf_op,
              "name": words.Words.tf_op, "source": words.Words.source,
              "source_file": words.Words.source, "file_name": words.Words.source}


def stat_bytes(random, schema, name):
    maker = STAT_TEXTS.get(name)
    value = value_bytes(random, schema, maker(schema.words) if maker else None)
    number = 777777 if random.random() < 0.01 else schema.id_of(name)
    parts = [xw.field_varint(1, number), value]
    if random.random() < 0.1:
        parts.reverse()
    return b"".join(parts)


def stats_bytes(random, schema, field, likely):
    """Statistics of an event or of its metadata, as members `field`."""
    if random.random() > likely:
        return b""
    names = random.choices(STAT_NAMES, k=random.randint(1, 4))
    return b"".join(xw.field_bytes(field, stat_bytes(random, schema, name)) for name in names)


class Kind:
    """One event metadata."""

    def __init__(self, random, schema, name, number):
        self.number = number
        display = random.random()
        body = xw.field_varint(1, number if random.random() < 0.9 else 5)
        if display < 0.6:
            body += xw.optional_text(2, name)
        elif display < 0.8:
            body += xw.optional_text(2, schema.words.long_name()) + xw.optional_text(4, name)
        else:
            body += xw.optional_text(2, name) + xw.optional_text(4, name)
        body += stats_bytes(random, schema, 5, 0.6)
        self.entry = xw.field_bytes(4, xw.field_varint(1, number) + xw.field_bytes(2, body))


class PlaneMaker:
    """One random plane."""

    def __init__(self, random, name):
        self.random = random
        self.name = name
        self.schema = Schema(random)
        self.kinds = []
        self.unit_ps = random.choice(UNITS_PS)
        self.timestamp_ns = random.choice(TIMESTAMPS_NS)
        self.sorted_share = random.choice((1.0, 1.0, 0.8))
        self.event_stats = random.choice((0.0, 0.2, 0.7))
        self.next_id = random.choice((1, 1, -4, 2**50))
        self.most_events, most_kinds = random.choice(SIZES)
        for _ in range(random.randint(1, most_kinds)):
            self.kind_of(self.schema.words.op_name())

    def kind_of(self, name):
        kind = Kind(self.random, self.schema, name, self.next_id)
        self.next_id += 1
        self.kinds.append(kind)
        return kind

    def event(self, kind, start, duration, step=None):
        random = self.random
        number = 999_999 if random.random() < 0.005 else kind.number
        place = xw.field_varint(2, start)
        if random.random() < 0.01:
            place = random.choice((b"", xw.field_varint(5, 3)))
        body = xw.field_varint(1, number) + place + xw.optional_varint(3, duration)
        body += stats_bytes(random, self.schema, 4, self.event_stats)
        if step is not None:
            body += xw.field_bytes(4, xw.field_varint(1, self.schema.id_of("step_num"))
                                   + xw.field_varint(4, step))
        return xw.field_bytes(4, body)

    def spans(self):
        """(start, duration) of a line's events, in ps."""
        random, unit = self.random, self.unit_ps
        spans = []
        at = random.choice((0, 0, 0, 10**12))
        depth_ends = []
        for _ in range(random.randint(0, self.most_events)):
            at += unit * random.choice((0, 0, 0, 1, 1, 2, 5))
            depth_ends = [end for end in depth_ends if end > at]
            room = depth_ends[-1] - at if depth_ends else unit * 40
            form = random.random()
            if form < 0.75:
                duration = max(0, min(room, unit * random.choice((1, 1, 2, 3, 8, 20))))
            else:
                duration = unit * random.choice((0, 1, 2, 7, 30, 1200))
            spans.append((at, duration))
            depth_ends.append(at + duration)
            if random.random() < 0.5:
                at += duration
        ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
        return ordered if random.random() < self.sorted_share else spans

    def op_events(self):
        return b"".join(self.event(self.random.choice(self.kinds), start, duration)
                        for start, duration in self.spans())

    def step_events(self, host):
        random, events, at = self.random, [], 0
        train = self.kind_of("train") if host else None
        number = random.choice((0, 0, 1, 3, 100, -4))
        for index, duration in enumerate(step_durations(random)):
            number += 1 if random.random() < 0.9 else random.choice((0, 2, 5))
            duration *= self.unit_ps
            kind = train or self.kind_of(self.schema.words.step_name(number))
            events.append(self.event(kind, at, duration, number if host else None))
            at += duration + self.unit_ps * random.choice((0, 1, 4))
        return b"".join(events)

    def line(self, index):
        random = self.random
        name = random.choice(words.LINE_NAMES)
        display = random.choice(words.LINE_NAMES) if random.random() < 0.1 else ""
        host_steps = self.name.startswith("/host:") and random.random() < 0.4
        counted = (display or name) == "Steps" or host_steps
        events = self.step_events(host_steps) if counted else self.op_events()
        drift = random.choice((0, 0, 1, 17))
        body = xw.optional_varint(1, random.choice((0, 1, 2, index + 1, index + 7, -9, 2**62)))
        body += xw.optional_text(2, name) + xw.optional_varint(3, self.timestamp_ns + drift)
        body += events + xw.optional_text(11, display)
        return xw.field_bytes(3, body)

    def encode(self):
        lines = [self.line(index) for index in range(self.random.randint(0, MOST_LINES))]
        metadata = [kind.entry for kind in self.kinds]
        parts = [xw.optional_text(2, self.name), b"".join(lines), b"".join(metadata),
                 b"".join(self.schema.entries())]
        if self.random.random() < 0.3:
            self.random.shuffle(parts)
        return b"".join(parts)


def step_durations(random):
    """Durations in units: what the rules of the step classes tell apart."""
    form = random.choice(STEP_LINES)
    count = random.choice((4, 6, 7, 10, 12, 24, 40)) if form != "few" else random.randint(0, 5)
    base = random.choice((10, 100, 1000))
    period, heavy = random.choice((2, 3, 4, 5, 10)), random.choice((1.2, 1.25, 1.5, 1.6, 3, 20))
    if form == "periodic":
        return [int(base * (heavy if index % period == 0 else 1)) for index in range(count)]
    if form == "bimodal":
        return [int(base * random.choice((1, 1, 1, heavy)) * random.uniform(0.95, 1.05))
                for _ in range(count)]
    if form == "growing":
        return [int(base * 1.3 ** index) + 1 for index in range(min(count, 24))]
    spread = {"noisy": 0.4, "equal": 0.0, "few": 0.5}[form]
    return [max(1, int(base * random.uniform(1 - spread, 1 + spread))) for _ in range(count)]


def random_profile(seed):
    """The bytes of the XSpace of this seed."""
    random = python_random.Random(seed)
    planes = [PlaneMaker(random, random.choice(words.PLANE_NAMES))
              for _ in range(random.randint(0 if seed % 20 == 0 else 1, MOST_PLANES))]
    data = b"".join(xw.field_bytes(1, plane.encode()) for plane in planes)
    for field, text in ((2, "an error"), (3, "a warning\u00e9"), (4, "host-a")):
        if random.random() < 0.1:
            data += xw.field_text(field, text)
    return data
