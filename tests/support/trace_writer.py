"""Writes traces in Chrome's JSON: the events of a sample profile as viewers get them, or made up.

What: `Trace` collects items and writes them as JAX, TensorFlow or PyTorch do; `trace_of` turns a
decoded XPlane file (xplane_decoder.py) into one, by the rules of the profilers' own converters:
times in µs with as many digits as they take, values of stats as texts, internal stats left out.
Why: tests need traces whose figures are known. What it does not do: read them.
"""

import gzip
import json
from typing import Dict, List, Optional, Tuple, Union

Id = Union[int, str]
# What the profilers' converters keep to themselves.
INTERNAL_STATS = {"_r", "_pt", "_p", "_ct", "_c", "symbol_id", "kernel_details"}


class Trace:
    """Items in order of their adding."""

    def __init__(self, **root: object):
        self.root: Dict[str, object] = root
        self.items: List[object] = []

    def process(self, pid: Id, name: str, labels: Optional[str] = None) -> None:
        self.items.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}})
        if labels is not None:
            self.items.append({"ph": "M", "pid": pid, "name": "process_labels",
                               "args": {"labels": labels}})

    def thread(self, pid: Id, tid: Id, name: str) -> None:
        self.items.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name",
                           "args": {"name": name}})

    def event(self, track: Tuple[Id, Id], name: str, start: float, duration: float,
              args: Optional[Dict[str, object]] = None, cat: Optional[str] = None) -> None:
        """A complete event; times in µs."""
        item = {"ph": "X", "pid": track[0], "tid": track[1], "ts": start, "dur": duration,
                "name": name}
        if cat is not None:
            item["cat"] = cat
        if args:
            item["args"] = args
        self.items.append(item)

    def text(self) -> str:
        return json.dumps({**self.root, "traceEvents": self.items}, separators=(",", ":"))

    def encode(self) -> bytes:
        return gzip.compress(self.text().encode(), mtime=0)


class Decimal(float):
    """A number of picoseconds that is written as µs without rounding."""

    def __new__(cls, ps: int):
        decimal = super().__new__(cls, ps / 10**6)
        decimal.text = f"{ps // 10**6}.{ps % 10**6:06d}"
        return decimal

    def __repr__(self) -> str:
        return self.text


def args_of(event) -> Dict[str, str]:
    args = {name: str(value) for name, value in event.stats.items()
            if name not in INTERNAL_STATS and not isinstance(value, bytes)}
    if event.full_name != event.name:
        args["long_name"] = event.full_name
    return args


def trace_of(space) -> Trace:
    """The planes of a decoded XPlane file with the events that last."""
    trace = Trace(displayTimeUnit="ns", metadata={"highres-ticks": True})
    base_ps = min((line.timestamp_ns for plane in space.planes for line in plane.lines
                   if line.events), default=0) * 1000
    planes = [(pid, plane) for pid, plane in enumerate(space.planes, 1) if plane.lines]
    for pid, plane in planes:
        trace.process(pid, plane.name)
        for line in plane.lines:
            trace.thread(pid, line.line_id, line.display_name or line.name)
    for pid, plane in planes:
        for line in plane.lines:
            for event in line.events:
                if event.duration_ps > 0 and event.occurrences == 0:
                    trace.event((pid, line.line_id), event.name,
                                Decimal(event.start_ps - base_ps), Decimal(event.duration_ps),
                                args_of(event))
    trace.items.append({})
    return trace
