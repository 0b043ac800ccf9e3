"""Planned planes, lines and events: what a made file holds, before it is encoded.

What: the meeting point between the plan of the run and its two products. The writer encodes these
tracks, the truth adds them up. Why: a truth that were made by decoding would repeat the reader's
mistakes.
What it does not do: it knows no device kind and no file layout.
All times are ps on the profile's clock, of which 0 is `timestamp_ns` 0 (or the epoch base).
"""

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Tuple

import xplane_writer
from xplane_writer import EventMetadata, Space, Stat

PS_PER_NS = 1000
# Roles of events -> time category of profile_summary.v1 (ingest/README.md §5.1).
# `step` marks a line that the breakdown leaves out.
ROLE_CATEGORY = {
    "compute": "compute", "container": "compute", "copy": "compute", "module": "compute",
    "communication": "communication", "stall": "stall", "host": "host", "step": None,
}
# Lines on which profile_summary.v1 looks for device ops (§3); streams are found by their prefix.
DEVICE_OP_LINES = ("XLA Ops", "Async XLA Ops")
STREAM_PREFIX = "Stream #"


class PlannedEvent(NamedTuple):
    """`key` names the metadata on the plane, `name` is what a reader shows, `label` the op."""

    key: object
    name: str
    start_ps: int
    duration_ps: int
    self_ps: int
    role: str
    stats: Tuple[Stat, ...] = ()
    label: str = ""
    step: int = -1


@dataclass
class Track:
    """A line. `aggregates` are events without a place in time: (key, occurrences, duration)."""

    name: str
    line_id: int
    timestamp_ns: int
    events: List[PlannedEvent] = field(default_factory=list)
    display_name: str = ""
    aggregates: List[Tuple[str, int, int]] = field(default_factory=list)

    @property
    def holds_device_ops(self) -> bool:
        return self.name in DEVICE_OP_LINES or self.name.startswith(STREAM_PREFIX)


@dataclass
class PlannedPlane:
    name: str
    plane_id: int = 0
    stats: List[Stat] = field(default_factory=list)
    metadata: Dict[object, EventMetadata] = field(default_factory=dict)
    metadata_ids: Dict[object, int] = field(default_factory=dict)
    tracks: List[Track] = field(default_factory=list)

    @property
    def is_device(self) -> bool:
        return self.name.startswith("/device:")


class Encoding(NamedTuple):
    """How the same content is laid out in bytes."""

    field_order: str = "canonical"
    sparse_ids: bool = False
    unsorted_line: bool = False
    warnings: Tuple[str, ...] = ()
    errors: Tuple[str, ...] = ()
    hostnames: Tuple[str, ...] = ()


def space_encode(planes: List[PlannedPlane], encoding: Encoding) -> bytes:
    space = Space(encoding.hostnames)
    space.warnings += encoding.warnings
    space.errors += encoding.errors
    for planned in planes:
        plane = space.add_plane(planned.name, planned.plane_id, encoding.sparse_ids)
        for stat in planned.stats:
            plane.add_stat(stat)
        for key, metadata in planned.metadata.items():
            plane.add_event_metadata(key, metadata, planned.metadata_ids.get(key))
        for track in planned.tracks:
            unsorted = encoding.unsorted_line and track is busiest_track(planes)
            track_encode(plane, track, unsorted)
    return space.encode(encoding.field_order)


def track_encode(plane: xplane_writer.Plane, track: Track, unsorted: bool) -> None:
    line = plane.add_line(track.name, track.line_id, track.timestamp_ns)
    line.display_name = track.display_name
    events = events_disorder(track.events) if unsorted else track.events
    base = track.timestamp_ns * PS_PER_NS
    for event in events:
        line.add_event(event.key, event.start_ps - base, event.duration_ps, event.stats)
    for key, occurrences, duration in track.aggregates:
        line.add_aggregate(key, occurrences, duration)


def busiest_track(planes: List[PlannedPlane]) -> Track:
    """The line that loses its order when asked to: that of the first device with most events."""
    device = next(plane for plane in planes if plane.is_device)
    return max(device.tracks, key=lambda track: len(track.events))


def events_disorder(events: List[PlannedEvent]) -> List[PlannedEvent]:
    """The second half first: what a writer with two buffers leaves behind."""
    half = len(events) // 2
    return events[half:] + events[:half]


def epoch_shift(planes: List[PlannedPlane], base_ns: int) -> None:
    """Moves all lines to an absolute time, as writers do that do not subtract the start."""
    for plane in planes:
        for track in plane.tracks:
            track.timestamp_ns += base_ns
            track.events = [event._replace(start_ps=event.start_ps + base_ns * PS_PER_NS)
                            for event in track.events]
