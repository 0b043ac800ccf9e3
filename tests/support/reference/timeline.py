"""Planes and lines → tracks of complete events (section 3, the rules).

What: which events count, their names, times and the facts taken from statistics, in doubles as the
specification orders the operations. Lines in disorder are sorted, where the reference fails.
Written from the specification; it shares nothing with the program.
"""

from typing import List, NamedTuple, Optional

from .xspace import REF

SOURCE_KEYS = ("source", "source_file", "file_name")
STEP_KEYS = ("step_num", "step")
OP_THREADS = ("XLA Ops", "Async XLA Ops")
STREAM_PREFIX = "Stream #"
STEP_LIMIT = 1 << 63
STEPS_THREAD = "Steps"


class Facts(NamedTuple):
    """What the statistics of an event say."""

    long_name: Optional[str]
    tf_op: Optional[str]
    source: Optional[str]
    run_id: Optional[str]
    step_num: Optional[int]


class Event(NamedTuple):
    name: str
    start: float
    duration: float
    end: float
    facts: Facts


class Track(NamedTuple):
    pid: int
    tid: int
    process: str
    thread: str
    events: List[Event]
    sorted_here: bool

    @property
    def is_device(self):
        return self.process.startswith("/device:")

    @property
    def is_host(self):
        return self.process.startswith("/host:")

    @property
    def holds_steps(self):
        return self.thread == STEPS_THREAD

    @property
    def holds_device_ops(self):
        named = self.thread in OP_THREADS or self.thread.startswith(STREAM_PREFIX)
        return self.is_device and named

    def is_detailed(self, mode):
        every_line = mode == "exclusive_global" and not self.holds_steps
        return self.holds_device_ops or (self.is_device and every_line)


def stat_values(stats, names):
    """name → value; a statistic without a name or a value says nothing."""
    values = {}
    for stat in stats:
        name = names.get(stat.metadata_id)
        if name and stat.member is not None:
            known = stat.member != REF
            values[name] = stat.value if known else names.get(stat.value, str(stat.value))
    return values


def text_of(values, key):
    value = values.get(key)
    return value if isinstance(value, str) and value else None


def run_id_of(values):
    value = values.get("run_id")
    if isinstance(value, str):
        return value or None
    return None if value is None else str(int(value))


def step_number(value):
    """An integer, a truncated float, a text read as one, or None.

    The reference has steps of any size; a ledger keeps 64 bits, and beyond them stepledger sees
    none: the one rule here that is not the specification's.
    """
    try:
        number = int(value)
    except ValueError:
        if isinstance(value, str):
            return None
        raise
    return number if -STEP_LIMIT <= number < STEP_LIMIT else None


def step_of(values):
    for key in STEP_KEYS:
        number = step_number(values[key]) if key in values else None
        if number is not None:
            return number
    return None


def tf_op_of(values):
    tf_op = text_of(values, "tf_op")
    if tf_op is not None and tf_op.strip().rstrip(":") == "XlaModule":
        return text_of(values, "name") or tf_op
    return tf_op


def facts_of(values, name, full_name):
    long_name = text_of(values, "long_name")
    if long_name is None and full_name != name:
        long_name = full_name or None
    sources = [text_of(values, key) for key in SOURCE_KEYS]
    return Facts(long_name, tf_op_of(values), next(filter(None, sources), None),
                 run_id_of(values), step_of(values))


class PlaneNames:
    """Names and facts of the event metadata of one plane."""

    def __init__(self, plane):
        self.stat_names = plane.stat_names
        self.metadata = {}
        for key, item in plane.event_metadata.items():
            name = item.display_name or item.name
            if name:
                values = stat_values(item.stats, plane.stat_names)
                self.metadata[key] = (name, item.name, values, facts_of(values, name, item.name))

    def event_kept(self, event, timestamp_ns):
        """The event with its facts, or None when it does not count."""
        found = self.metadata.get(event.metadata_id)
        if found is None or event.offset_ps is None or event.duration_ps <= 0:
            return None
        name, full_name, values, facts = found
        if event.stats:
            own = stat_values(event.stats, self.stat_names)
            facts = facts_of({**values, **own}, name, full_name)
        start = float(timestamp_ns) / 1000.0 + float(event.offset_ps) / 1e6
        duration = float(event.duration_ps) / 1e6
        return Event(name, start, duration, start + duration, facts)


def timeline_key(event):
    return event.start, -event.end


def line_track(line, index, names, process, pid):
    kept = [names.event_kept(event, line.timestamp_ns) for event in line.events]
    kept = [event for event in kept if event is not None]
    ordered = sorted(kept, key=timeline_key)
    keys = [timeline_key(event) for event in kept]
    return Track(pid, line.line_id or index + 1, process,
                 line.display_name or line.name or f"xline:{index}", ordered,
                 any(later < earlier for earlier, later in zip(keys, keys[1:])))


def tracks_of(space):
    """Every line as a track, in plane then line order."""
    tracks = []
    for plane_index, plane in enumerate(space.planes):
        process = plane.name or f"xplane:{plane_index}"
        names = PlaneNames(plane)
        tracks += [line_track(line, index, names, process, plane_index + 1)
                   for index, line in enumerate(plane.lines)]
    return tracks
