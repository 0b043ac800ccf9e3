"""The truth beside a made profile: what a correct reader must find, to the picosecond.

What: adds up the planned tracks and writes a JSON document. Why: it is computed from the plan and
never by decoding, so that it is independent of every reader. What it does not do: statistics and
rounding; times are integers in ps on the profile's clock, whose 0 is the smallest `timestamp_ns` of
the file's lines.
README.md in this folder explains every member.
"""

from typing import Dict, Iterable, List, Tuple

import workload
from profile_plan import Plan
from profile_tracks import PS_PER_NS, ROLE_CATEGORY, PlannedEvent, PlannedPlane, Track

TRUTH_VERSION = 1
CATEGORIES = ("compute", "communication", "host", "stall", "other")
Interval = Tuple[int, int]


def union_of(intervals: Iterable[Interval]) -> List[Interval]:
    """Disjoint ascending intervals covering the same time; empty ones vanish."""
    merged: List[Interval] = []
    for start, end in sorted(item for item in intervals if item[1] > item[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def length_of(intervals: Iterable[Interval]) -> int:
    return sum(end - start for start, end in intervals)


def overlap_of(a: List[Interval], b: List[Interval]) -> int:
    """Time covered by both, for two disjoint ascending lists."""
    total, i, j = 0, 0, 0
    while i < len(a) and j < len(b):
        total += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return total


def intervals_of(events: Iterable[PlannedEvent], *roles: str) -> List[Interval]:
    return union_of((event.start_ps, event.start_ps + event.duration_ps) for event in events
                    if event.role in roles)


def truth_build(plan: Plan, host: str, planes: List[PlannedPlane]) -> Dict[str, object]:
    """`planes` are the file's planes, in file order, before any shift to epoch time."""
    program, scenario = plan.program, plan.scenario
    origin = min(track.timestamp_ns for plane in planes for track in plane.tracks) * PS_PER_NS
    devices = [plane for plane in planes if plane.is_device]
    return {
        "truth_version": TRUTH_VERSION,
        "kind": program.kind,
        "host": host,
        "hosts": list(scenario.hosts),
        "seed": scenario.seed,
        "device_type": program.device_type,
        "device_count": scenario.devices,
        "peak_tflops": program.device.peak_tflops,
        "peak_memory_gbps": program.device.memory_gbps,
        "model": {"layers": program.model.layers, "batch": program.model.batch,
                  "sequence": program.model.sequence, "dtype": program.model.dtype},
        "module": workload.MODULE,
        "program_id": program.program_id,
        "planted": plan.planted,
        "planted_extra_ps": dict(sorted(plan.extra_ps.items())),
        "overview": overview_build(planes, origin),
        "steps": steps_build(plan, host, devices, origin),
        "devices": {plane.name: device_build(plane) for plane in devices},
        "lines": [line_build(plane, track) for plane in planes for track in plane.tracks],
        "ops": ops_build(program, devices),
        "breakdown_per_track_ps": breakdown_build(planes),
    }


def overview_build(planes: List[PlannedPlane], origin: int) -> Dict[str, object]:
    tracks = [track for plane in planes for track in plane.tracks]
    timed = [event for track in tracks for event in track.events if event.duration_ps > 0]
    return {
        "num_processes": len(planes),
        "num_threads": len(tracks),
        "num_events_total": sum(len(track.events) + len(track.aggregates) for track in tracks),
        "num_complete_events": len(timed),
        "origin_ns": origin // PS_PER_NS,
        "start_ps": min(event.start_ps for event in timed) - origin,
        "end_ps": max(event.start_ps + event.duration_ps for event in timed) - origin,
    }


def steps_build(plan: Plan, host: str, devices: List[PlannedPlane],
                origin: int) -> List[Dict[str, object]]:
    """One entry per step: the host's `train` annotation, and begin and length on each device."""
    rows = []
    per_device = {plane.name: device_steps(plane) for plane in devices}
    periods = {name: step_periods(steps) for name, steps in per_device.items()}
    for step in plan.host_steps[host]:
        entry: Dict[str, object] = {
            "number": step.number,
            "host_start_ps": step.train_start_ps - origin,
            "host_duration_ps": step.train_end_ps - step.train_start_ps,
            "load_duration_ps": step.load_end_ps - step.load_start_ps,
            "devices": {},
        }
        for name, steps in per_device.items():
            start, end, busy = steps[step.number]
            entry["devices"][name] = {
                "start_ps": start - origin, "duration_ps": end - start, "busy_ps": busy,
                "period_ps": periods[name][step.number],
            }
        durations = [item["duration_ps"] for item in entry["devices"].values()]
        entry["max_duration_ps"] = max(durations)
        entry["sum_duration_ps"] = sum(durations)
        rows.append(entry)
    return rows


def device_steps(plane: PlannedPlane) -> Dict[int, Tuple[int, int, int]]:
    """Step number -> (begin, end, busy), by the Steps line, or all device events without one."""
    marks: Dict[int, List[PlannedEvent]] = {}
    for track in plane.tracks:
        if track.name == "Steps" or not any(item.name == "Steps" for item in plane.tracks):
            for event in track.events:
                marks.setdefault(event.step, []).append(event)
    busy: Dict[int, List[PlannedEvent]] = {}
    for event in device_ops(plane):
        busy.setdefault(event.step, []).append(event)
    return {number: (min(event.start_ps for event in events if event.duration_ps),
                     max(event.start_ps + event.duration_ps for event in events),
                     length_of(busy_of(busy.get(number, []))))
            for number, events in marks.items()}


def step_periods(steps: Dict[int, Tuple[int, int, int]]) -> Dict[int, object]:
    """Begin of the next step minus begin of this one; none for the last."""
    numbers = sorted(steps)
    after = dict(zip(numbers, numbers[1:]))
    return {number: steps[after[number]][0] - steps[number][0] if number in after else None
            for number in numbers}


def device_ops(plane: PlannedPlane) -> List[PlannedEvent]:
    """Events that occupy the device: `XLA Ops`, or all streams. Flights occupy nothing."""
    return [event for track in plane.tracks
            if track.holds_device_ops and track.name != "Async XLA Ops" for event in track.events]


def busy_of(events: Iterable[PlannedEvent]) -> List[Interval]:
    return intervals_of(events, "compute", "container", "communication", "copy")


def device_build(plane: PlannedPlane) -> Dict[str, object]:
    """Interval unions of one device over the whole profile, never counted twice."""
    ops = device_ops(plane)
    flights = [event for track in plane.tracks if track.name == "Async XLA Ops"
               for event in track.events]
    busy = busy_of(ops)
    compute = intervals_of(ops, "compute")
    communication = intervals_of(ops + flights, "communication")
    copies = intervals_of(ops + flights, "copy")
    hidden = union_of(compute + communication)
    window = busy[-1][1] - busy[0][0] if busy else 0
    overlapped = overlap_of(communication, compute)
    return {
        "busy_ps": length_of(busy),
        "window_ps": window,
        "idle_ps": window - length_of(busy),
        "compute_ps": length_of(compute),
        "communication_ps": length_of(communication),
        "exposed_communication_ps": length_of(communication) - overlapped,
        "overlapped_communication_ps": overlapped,
        "copy_ps": length_of(copies),
        "exposed_copy_ps": length_of(copies) - overlap_of(copies, hidden),
        "gaps": {track.name: gaps_build(track) for track in plane.tracks if track.holds_device_ops},
    }


def gaps_build(track: Track) -> Dict[str, Dict[str, int]]:
    """Event name -> gaps before it: time between the latest end so far and its begin."""
    gaps: Dict[str, Dict[str, int]] = {}
    latest = None
    for event in track.events:
        end = event.start_ps + event.duration_ps
        if latest is not None and event.start_ps > latest:
            row = gaps.setdefault(event.name, {"count": 0, "total_ps": 0, "max_ps": 0})
            row["count"] += 1
            row["total_ps"] += event.start_ps - latest
            row["max_ps"] = max(row["max_ps"], event.start_ps - latest)
        latest = end if latest is None else max(latest, end)
    return gaps


def line_build(plane: PlannedPlane, track: Track) -> Dict[str, object]:
    return {
        "plane": plane.name, "line": track.name, "events": len(track.events),
        "total_ps": sum(event.duration_ps for event in track.events),
        "self_ps": sum(event.self_ps for event in track.events),
    }


def ops_build(program: workload.Program, devices: List[PlannedPlane]) -> List[Dict[str, object]]:
    """Device ops by exact event name and line, summed over devices and per device."""
    signatures = {op.label: dict(workload.op_signature(op), hlo_name=op.name, flops=op.flops,
                                 bytes_accessed=op.bytes_accessed) for op in program.walk()}
    rows: Dict[Tuple[str, str], Dict[str, object]] = {}
    for plane in devices:
        for track in plane.tracks:
            if track.holds_device_ops:
                for event in track.events:
                    op_add(rows, plane.name, track.name, event)
    for row in rows.values():
        row["signatures"] = [signatures[label] for label in row["labels"] if label in signatures]
    return sorted(rows.values(), key=lambda row: (-row["self_ps"], row["name"], row["line"]))


def op_add(rows: Dict, plane_name: str, line: str, event: PlannedEvent) -> None:
    row = rows.setdefault((line, event.name), {
        "name": event.name, "line": line, "labels": [], "role": event.role, "count": 0,
        "total_ps": 0, "self_ps": 0, "devices": {}})
    if event.label not in row["labels"]:
        row["labels"].append(event.label)
    own = row["devices"].setdefault(plane_name, {"count": 0, "total_ps": 0, "self_ps": 0})
    for part in (row, own):
        part["count"] += 1
        part["total_ps"] += event.duration_ps
        part["self_ps"] += event.self_ps


def breakdown_build(planes: List[PlannedPlane]) -> Dict[str, int]:
    """Self times over all lines but Steps, by category (v1, exclusive_per_track)."""
    totals = dict.fromkeys(CATEGORIES, 0)
    for plane in planes:
        for track in plane.tracks:
            for event in track.events:
                category = ROLE_CATEGORY[event.role]
                if category:
                    totals[category] += event.self_ps
    return totals
