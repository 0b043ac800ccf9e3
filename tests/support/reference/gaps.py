"""Gaps before device ops and the regions that they belong to (sections 11 and 13).

Written from the specification; it shares nothing with the program.
"""

import collections

from .names import canonical_name
from .paths import SEPARATOR, is_fallback, path_of

MARKERS = {"iota", "constant", "bitcast", "get-tuple-element", "parameter", "tuple", "after-all"}
MARKER_PREFIXES = ("copy-start", "copy-done")
LOOK_AHEAD = 8
GAP_ROWS = 500
CONTEXT_PARTS = 4


def is_marker(event):
    name = canonical_name(event.name).lower()
    return name in MARKERS or name.startswith(MARKER_PREFIXES)


def payload_of(events, index):
    marker = events[index]
    if not is_marker(marker):
        return marker
    chain_end = marker.end
    for candidate in events[index + 1:index + 1 + LOOK_AHEAD]:
        if candidate.start > chain_end:
            return marker
        chain_end = max(chain_end, candidate.end)
        if not is_marker(candidate):
            return candidate
    return marker


def gaps_found(tracks):
    """(duration, marker, payload) in track and event order."""
    for track in tracks:
        if track.holds_device_ops:
            events = sorted(track.events, key=lambda event: (event.start, event.end))
            running = None
            for index, event in enumerate(events):
                if running is not None and event.start > running:
                    yield event.start - running, event, payload_of(events, index)
                running = event.end if running is None else max(running, event.end)


class GapSum:
    """Gaps of one key."""

    def __init__(self):
        self.durations = []
        self.markers = collections.Counter()

    def add(self, duration, marker):
        self.durations.append(duration)
        self.markers[marker.name] += 1

    def document(self):
        total = sum(self.durations)
        return {"count": len(self.durations), "total_gap_duration": total,
                "avg_gap_duration": total / len(self.durations)}


def gap_rows(tracks, limit):
    sums = {}
    for duration, marker, payload in gaps_found(tracks):
        sums.setdefault(payload.name, GapSum()).add(duration, marker)
    rows = []
    for name, gap in sums.items():
        marker = min(gap.markers, key=lambda key: (-gap.markers[key], key))
        rows.append({**gap.document(), "max_gap_duration": max(gap.durations), "name": name,
                     "payload_op": name, "marker_op": marker})
    rows.sort(key=lambda row: (-row["total_gap_duration"], -row["max_gap_duration"], row["name"]))
    return rows[:max(limit, GAP_ROWS)]


def context_path(event):
    return path_of(event)[:CONTEXT_PARTS]


def preferred_paths(tracks):
    """Name of an op → its most frequent path that says more than the name."""
    counts = collections.defaultdict(collections.Counter)
    for track in tracks:
        if track.holds_device_ops:
            for event in track.events:
                path = context_path(event)
                if event.facts.tf_op and not is_fallback(path, event.name):
                    counts[event.name][SEPARATOR.join(path)] += 1
    return {name: min(paths, key=lambda path: (-paths[path], path))
            for name, paths in counts.items()}


def context_label(event, preferred):
    path = context_path(event)
    text = SEPARATOR.join(path)
    if is_fallback(path, event.name):
        text = preferred.get(event.name, text)
    if not canonical_name(event.name).lower().startswith("copy"):
        return text
    text = text.strip()
    if text == "" or text.lower() == "copy":
        return "copy"
    return text if text.startswith("copy(") else f"copy({text})"


def context_rows(tracks, limit):
    preferred = preferred_paths(tracks)
    sums = {}
    for duration, marker, payload in gaps_found(tracks):
        key = payload.name, context_label(payload, preferred)
        sums.setdefault(key, GapSum()).add(duration, marker)
    rows = [{**gap.document(), "op_name": name, "region_path": label}
            for (name, label), gap in sums.items()]
    rows.sort(key=lambda row: (-row["total_gap_duration"], row["op_name"], row["region_path"]))
    return rows[:max(limit, GAP_ROWS)]
