"""Exclusive durations per track and the breakdown in both modes (sections 5 and 6).

Written from the specification; it shares nothing with the program.
"""

from .names import CATEGORIES, event_category

BASIS = {"exclusive_per_track": "exclusive_duration_per_track",
         "exclusive_global": "exclusive_duration_global_timeline"}


def exclusive_walk(events):
    """(index, exclusive duration) of every event, in the order in which they leave the stack."""
    stack, left = [], []  # entries of the stack: [index, time of children]

    def pop():
        index, children = stack.pop()
        left.append((index, max(0.0, events[index].duration - children)))
        if stack:
            stack[-1][1] += events[index].duration

    for index, event in enumerate(events):
        while stack and event.start >= events[stack[-1][0]].end:
            pop()
        while stack and event.end > events[stack[-1][0]].end:
            pop()
        stack.append([index, 0.0])
    while stack:
        pop()
    return left


def track_totals(track):
    totals = dict.fromkeys(CATEGORIES, 0.0)
    for index, exclusive in exclusive_walk(track.events):
        totals[event_category(track.events[index].name, track)] += exclusive
    return totals


def per_track_totals(tracks):
    totals = dict.fromkeys(CATEGORIES, 0.0)
    for track in tracks:
        if not track.holds_steps:
            for category, value in track_totals(track).items():
                totals[category] += value
    return totals, sum(totals.values())


def device_intervals(tracks):
    """category → intervals of all device lines but Steps."""
    found = {"compute": [], "communication": []}
    for track in tracks:
        if track.is_device and not track.holds_steps:
            for event in track.events:
                category = event_category(event.name, track)
                if category in found:
                    found[category].append((event.start, event.end))
    return found


def sweep_points(intervals, window):
    points = []
    for category, spans in intervals.items():
        for start, end in spans:
            start, end = max(start, window[0]), min(end, window[1])
            if end > start:
                points += [(start, 1, category), (end, -1, category)]
    return sorted(points)


def global_totals(tracks):
    totals = dict.fromkeys(CATEGORIES, 0.0)
    intervals = device_intervals(tracks)
    if not intervals["compute"]:
        return totals, 0.0
    window = (min(start for start, _ in intervals["compute"]),
              max(end for _, end in intervals["compute"]))
    if window[1] <= window[0]:
        return totals, 0.0
    active = {"compute": 0, "communication": 0}
    before = window[0]
    for time, change, category in sweep_points(intervals, window):
        totals[active_category(active)] += time - before
        active[category] += change
        before = time
    totals["stall"] += window[1] - before
    return totals, window[1] - window[0]


def active_category(active):
    if active["communication"]:
        return "communication"
    return "compute" if active["compute"] else "stall"


def breakdown_of(tracks, mode):
    measure = per_track_totals if mode == "exclusive_per_track" else global_totals
    totals, total = measure(tracks)
    document = {"duration_basis": BASIS[mode], "total_duration": total}
    for category, value in totals.items():
        document[category] = {"total_duration": value,
                              "share_of_total": value / total if total > 0 else 0.0}
    return document
