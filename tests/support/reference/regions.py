"""Hierarchical regions (section 12).

Written from the specification; it shares nothing with the program.
"""

import math

from .ops import device_op_rows
from .paths import SEPARATOR, path_of

REGION_ROWS = 500


def regions_summed(tracks):
    regions = {}
    for event, exclusive in device_op_rows(tracks):
        path = path_of(event)
        for depth in range(1, len(path) + 1):
            key = SEPARATOR.join(path[:depth])
            row = regions.setdefault(key, {"path": key, "depth": depth, "count": 0,
                                           "inclusive_duration": 0.0, "exclusive_duration": 0.0})
            row["count"] += 1
            row["inclusive_duration"] += exclusive
            if depth == len(path):
                row["exclusive_duration"] += exclusive
    return regions


def children_of(regions):
    children = {}
    for key in regions:
        if SEPARATOR in key:
            children.setdefault(key.rpartition(SEPARATOR)[0], []).append(regions[key])
    return children


def is_passage(row, children):
    """A region below the root that only hands its time on to one child."""
    if row["depth"] <= 1 or len(children) != 1:
        return False
    return math.isclose(row["inclusive_duration"], children[0]["inclusive_duration"],
                        rel_tol=1e-9, abs_tol=1e-6)


def regions_of(tracks, limit):
    regions = regions_summed(tracks)
    children = children_of(regions)
    rows = [row for key, row in regions.items() if not is_passage(row, children.get(key, []))]
    rows.sort(key=lambda row: (-row["inclusive_duration"], -row["exclusive_duration"],
                               row["path"]))
    return rows[:max(limit, REGION_ROWS)]
