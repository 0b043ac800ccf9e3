"""Hot ops, semantic families and communication ops (sections 8, 9 and 10).

Written from the specification; it shares nothing with the program.
"""

import collections

from . import names
from .exclusive import exclusive_walk

FAMILY_ROWS = 50


def device_op_rows(tracks):
    """(event, exclusive duration) of every device op, in track and event order."""
    for track in tracks:
        if track.holds_device_ops:
            exclusive = dict(exclusive_walk(track.events))
            for index, event in enumerate(track.events):
                yield event, exclusive[index]


def top_of(counter):
    """Highest count; the first inserted of equal ones. None of an empty one."""
    return max(counter, key=counter.get) if counter else None


class Op:
    """The sums of all events of one name."""

    def __init__(self, name):
        self.name = name
        self.family = names.family_of(name)
        self.count = 0
        self.total = self.exclusive = 0.0
        self.shapes, self.sources, self.paths = (collections.Counter() for _ in range(3))
        self.proxies = []

    def add(self, event, exclusive):
        self.count += 1
        self.total += event.duration
        self.exclusive += exclusive
        shape = names.shape_signature(event.facts.long_name)
        for counter, value in ((self.shapes, shape), (self.sources, event.facts.source),
                               (self.paths, event.facts.tf_op)):
            if value:
                counter[value] += 1
        proxy = names.flop_proxy(self.family, shape)
        if proxy is not None:
            self.proxies.append(proxy)

    def document(self):
        proxies = self.proxies
        return {"name": self.name, "canonical_name": names.canonical_name(self.name),
                "category": names.op_category(self.name), "count": self.count,
                "total_duration": self.total, "exclusive_duration": self.exclusive,
                "avg_duration": self.total / self.count, "shape_signature": top_of(self.shapes),
                "source_file": top_of(self.sources), "tf_op_path": top_of(self.paths),
                "flop_proxy_per_invocation": sum(proxies) / len(proxies) if proxies else None}


def hot_ops_of(tracks, limit):
    ops = {}
    for event, exclusive in device_op_rows(tracks):
        ops.setdefault(event.name, Op(event.name)).add(event, exclusive)
    rows = [op.document() for op in ops.values()]
    rows.sort(key=lambda row: (-row["exclusive_duration"], -row["total_duration"], row["name"]))
    return rows[:limit]


class Family:
    """The sums of the hot ops of one family."""

    def __init__(self, op):
        self.example = op["name"]
        self.count = 0
        self.total = self.exclusive = 0.0
        self.proxy = None
        self.shapes = collections.Counter()

    def add(self, op):
        self.count += op["count"]
        self.total += op["total_duration"]
        self.exclusive += op["exclusive_duration"]
        if op["shape_signature"]:
            self.shapes[op["shape_signature"]] += op["count"]
        if op["flop_proxy_per_invocation"] is not None and op["count"] > 0:
            proxy = op["flop_proxy_per_invocation"] * op["count"]
            self.proxy = (self.proxy or 0.0) + proxy

    def document(self, name, denominator):
        return {"family": name, "count": self.count, "total_duration": self.total,
                "exclusive_duration": self.exclusive,
                "share_of_total": self.exclusive / denominator if denominator > 0 else 0.0,
                "avg_duration": self.total / self.count if self.count else 0.0,
                "avg_exclusive_duration": self.exclusive / self.count if self.count else 0.0,
                "example_op": self.example, "dominant_shape_signature": top_of(self.shapes),
                "flop_proxy_total": self.proxy,
                "time_per_flop_proxy": self.exclusive / self.proxy if (self.proxy or 0) > 0
                else None}


def families_of(hot_ops, total_duration, limit):
    families = {}
    for op in hot_ops:
        families.setdefault(names.family_of(op["name"]), Family(op)).add(op)
    hot = sum(op["exclusive_duration"] for op in hot_ops)
    denominator = max(total_duration, hot)
    rows = [family.document(name, denominator) for name, family in families.items()]
    rows.sort(key=lambda row: (-row["exclusive_duration"], row["family"]))
    return rows[:max(limit, FAMILY_ROWS)]


def communication_of(tracks):
    kinds = {}
    for event, exclusive in device_op_rows(tracks):
        if names.is_communication(event.name):
            row = kinds.setdefault(names.collective_kind(event.name), [0, 0.0])
            row[0] += 1
            row[1] += exclusive
    rows = [{"collective": kind, "count": count, "total_duration": total,
             "avg_duration": total / count} for kind, (count, total) in kinds.items()]
    return sorted(rows, key=lambda row: (-row["total_duration"], row["collective"]))
