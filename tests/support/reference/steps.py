"""Step times, their statistics and the classes light and heavy (section 7).

Written from the specification; it shares nothing with the program.
"""

import collections
import math

from .timeline import step_number

SPLIT_STEPS, SPLIT_SPREAD, SPLIT_MEDIANS = 6, 1.25, 1.5
GROUP_STEPS, GROUP_FRACTION = 2, 0.1
ROUNDS, MOVE = 40, 1e-9
PERIOD_STEPS, PERIOD_DIFFERENCES, PERIOD_COUNT = 3, 2, 2
STATISTICS = (("mean", None), ("median", 0.5), ("p90", 0.9), ("min", 0.0), ("max", 1.0))


def device_steps(tracks):
    for track in tracks:
        if track.is_device and track.holds_steps:
            for event in track.events:
                yield step_number(event.name), event.duration


def host_steps(tracks):
    for track in tracks:
        if track.is_host:
            for event in track.events:
                if event.name == "train":
                    yield event.facts.step_num, event.duration


def step_values(tracks):
    """(number, µs), in the order of the numbers."""
    for source in (device_steps, host_steps):
        found = collections.defaultdict(list)
        for number, duration in source(tracks):
            if number is not None:
                found[number].append(duration)
        if found:
            return [(number, sum(found[number]) / len(found[number])) for number in sorted(found)]
    return []


def quantile(ordered, fraction):
    position = (len(ordered) - 1) * fraction
    lower = math.floor(position)
    upper = min(lower + 1, len(ordered) - 1)
    weight = position - lower
    return ordered[lower] * (1 - weight) + ordered[upper] * weight


def duration_stats(values):
    ordered = sorted(values)
    stats = {"count": len(ordered)}
    for name, fraction in STATISTICS:
        stats[name] = None
        if ordered:
            mean = fraction is None
            stats[name] = sum(values) / len(values) if mean else quantile(ordered, fraction)
    return stats


def two_means(values):
    """Labels 0 and 1 of a valid split, or None."""
    low, high = min(values), max(values)
    if len(values) < SPLIT_STEPS or low <= 0 or high / low < SPLIT_SPREAD:
        return None
    logs = [math.log(value) for value in values]
    centres, labels = (min(logs), max(logs)), [0] * len(logs)
    for _ in range(ROUNDS):
        before, centres_before = labels, centres
        labels = [0 if abs(v - centres[0]) <= abs(v - centres[1]) else 1 for v in logs]
        groups = [[v for v, label in zip(logs, labels) if label == side] for side in (0, 1)]
        if not all(groups):
            return None
        centres = tuple(sum(group) / len(group) for group in groups)
        moved = max(abs(new - old) for new, old in zip(centres, centres_before))
        if moved < MOVE and labels == before:
            break
    return labels


def light_and_heavy(steps):
    """The two groups of steps, or None."""
    labels = two_means([duration for _, duration in steps])
    if labels is None:
        return None
    groups = [[step for step, label in zip(steps, labels) if label == side] for side in (0, 1)]
    if any(len(group) < GROUP_STEPS or len(group) / len(steps) < GROUP_FRACTION
           for group in groups):
        return None
    light, heavy = sorted(groups, key=median_of)
    return (light, heavy) if median_of(heavy) / median_of(light) >= SPLIT_MEDIANS else None


def median_of(steps):
    return quantile(sorted(duration for _, duration in steps), 0.5)


def period_of(steps):
    numbers = [number for number, _ in steps]
    distances = [b - a for a, b in zip(numbers, numbers[1:]) if b - a > 1]
    if len(numbers) < PERIOD_STEPS or len(distances) < PERIOD_DIFFERENCES:
        return None
    distance, count = min(collections.Counter(distances).items(), key=lambda p: (-p[1], p[0]))
    return distance if count >= PERIOD_COUNT else None


def class_of(name, steps, steady_count, period=None):
    median = median_of(steps)
    number, duration = min(steps, key=lambda step: (abs(step[1] - median), step[0]))
    return {"name": name, "count": len(steps), "fraction_of_steady": len(steps) / steady_count,
            "duration_stats": duration_stats([value for _, value in steps]),
            "representative_step": number, "representative_duration": duration,
            "periodicity": period}


def classes_of(steady):
    if not steady:
        return []
    split = light_and_heavy(steady)
    if split is None:
        return [class_of("typical", steady, len(steady))]
    light, heavy = split
    return [class_of("light", light, len(steady)),
            class_of("heavy", heavy, len(steady), period_of(heavy))]


def step_time_of(tracks, warmup_steps):
    steps = step_values(tracks)
    steady = [step for step in steps if step[0] >= warmup_steps]
    return {"warmup_steps_ignored": warmup_steps,
            "all_steps": duration_stats([value for _, value in steps]),
            "steady_state_steps": duration_stats([value for _, value in steady]),
            "classes": classes_of(steady)}
