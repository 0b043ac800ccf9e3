#!/usr/bin/env python3
"""Makes an XPlane file of any size, TPU-like, for measuring speed and memory.

What: one step of the job of workload.py, encoded once and written again and again with advancing
offsets. Why this is fast enough in Python: a step begins at a multiple of 2^42 ps, so that the low
six groups of an offset's varint never change and only the step's own number has to be put between
constant pieces. What it does not do: noise, planted changes, small files (make_profile.py).
The truth beside the file holds counts and sums; every step has the same times.
"""

import argparse
import json
import os
import sys
from typing import BinaryIO, Dict, List, NamedTuple, Tuple

import profile_edits
import profile_plan
import profile_tpu
import workload
from profile_plan import Span
from xplane_writer import (EventMetadata, Line, Plane, encode_tag, encode_varint, field_bytes,
                           field_text, field_varint, stat_double, stat_int, stat_text)

# A step per 2^42 ps (4.4 s). Step numbers are two varint groups: 128 … 16383.
STEP_BITS, GROUP_BITS = 42, 7
FIRST_STEP, LAST_STEP = 128, 16383
# The part of that period which the device's step fills, in thousandths.
FILLED = 950
LAYERS = 400
# --unsorted writes runs of this many steps in reversed order.
REVERSED_RUN = 8
MB = 1_000_000


class Block(NamedTuple):
    """One step of a line: constant pieces, between which the step's two bytes go."""

    pieces: Tuple[bytes, ...]
    size: int

    def fill(self, step: int) -> bytes:
        return encode_varint(step).join(self.pieces)


class ScaledSpan(NamedTuple):
    label: str
    start_ps: int
    duration_ps: int
    self_ps: int


def spans_scale(spans: List[Span], begin_ps: int, end_ps: int) -> List[ScaledSpan]:
    """Spans of a step squeezed into its period. Ends are mapped, not lengths, so nesting stays."""
    room = (1 << STEP_BITS) * FILLED // 1000

    def place(time_ps: int) -> int:
        return (time_ps - begin_ps) * room // (end_ps - begin_ps)

    scaled: List[ScaledSpan] = []
    parents: List[int] = []
    for span in spans:
        start = place(span.start_ps)
        duration = place(span.start_ps + span.duration_ps) - start
        del parents[span.depth:]
        if parents:
            outer = scaled[parents[-1]]
            scaled[parents[-1]] = outer._replace(self_ps=outer.self_ps - duration)
        parents.append(len(scaled))
        scaled.append(ScaledSpan(span.op.label, start, duration, duration))
    return scaled


def offset_low(offset_ps: int) -> bytes:
    """The low groups of a varint whose high groups are a step number."""
    return bytes(offset_ps >> shift & 0x7F | 0x80 for shift in range(0, STEP_BITS, GROUP_BITS))


def block_build(plane: Plane, spans: List[ScaledSpan]) -> Block:
    """Events with offset, duration and the two device-time statistics that real files carry."""
    offset_id = plane.stat_metadata_id("device_offset_ps")
    duration_id = plane.stat_metadata_id("device_duration_ps")
    gap = b"\x00\x00"
    pieces: List[bytes] = []
    current = b""
    for span in spans:
        low = offset_low(span.start_ps)
        head = field_varint(1, plane.event_metadata_id(span.label)) + encode_tag(2, 0) + low
        middle = field_varint(3, span.duration_ps)
        stat = field_varint(1, offset_id) + encode_tag(3, 0) + low
        middle += encode_tag(4, 2) + encode_varint(len(stat + gap)) + stat
        tail = field_bytes(4, field_varint(1, duration_id) + field_varint(3, span.duration_ps))
        size = len(head + gap + middle + gap + tail)
        pieces += [current + encode_tag(4, 2) + encode_varint(size) + head, middle]
        current = tail
    pieces.append(current)
    return Block(tuple(pieces), sum(map(len, pieces)) + len(gap) * (len(pieces) - 1))


def step_order(steps: int, unsorted: bool) -> List[int]:
    numbers = list(range(FIRST_STEP, FIRST_STEP + steps))
    if not unsorted:
        return numbers
    runs = [numbers[at:at + REVERSED_RUN] for at in range(0, steps, REVERSED_RUN)]
    return [number for run in runs for number in reversed(run)]


def steps_line(plane: Plane, numbers: List[int]) -> Line:
    line = plane.add_line("Steps", profile_tpu.STEPS_ID)
    for number in numbers:
        line.add_event(str(number), number << STEP_BITS, (1 << STEP_BITS) * FILLED // 1000)
    return line


def plane_build(program: workload.Program, device: int) -> Plane:
    plane = Plane(f"/device:TPU:{device}", profile_tpu.FIRST_PLANE_ID + device)
    for op in program.walk():
        plane.add_event_metadata(op.label, profile_tpu.op_metadata(op, program, op.name))
    plane.add_stat(stat_text("device_type_string", program.device_type))
    plane.add_stat(stat_double("peak_teraflops_per_second", program.device.peak_tflops))
    return plane


def device_write(stream: BinaryIO, plane: Plane, block: Block, order: List[int]) -> None:
    """A plane: head, Steps line, the repeated `XLA Ops` line, metadata. Lengths are known ahead."""
    head = plane.encode((1, 2)) + field_bytes(3, steps_line(plane, sorted(order)).encode())
    line_head = field_varint(1, profile_tpu.OPS_ID) + field_text(2, "XLA Ops")
    line_size = len(line_head) + block.size * len(order)
    head += encode_tag(3, 2) + encode_varint(line_size) + line_head
    tail = plane.encode((4, 5, 6))
    size = len(head) + block.size * len(order) + len(tail)
    stream.write(encode_tag(1, 2) + encode_varint(size) + head)
    for number in order:
        stream.write(block.fill(number))
    stream.write(tail)


def host_plane(numbers: List[int]) -> bytes:
    plane = Plane("/host:CPU")
    line = plane.add_line("main/4242", 4242)
    plane.add_event_metadata("train", EventMetadata("train"))
    for number in numbers:
        line.add_event("train", number << STEP_BITS, (1 << STEP_BITS) * (FILLED + 10) // 1000,
                       (stat_int("_r", 1), stat_int("step_num", number)))
    return field_bytes(1, plane.encode())


def ops_truth(program: workload.Program, spans: List[ScaledSpan],
              executions: int) -> List[Dict[str, object]]:
    rows: Dict[str, Dict[str, object]] = {}
    names = {op.label: op.name for op in program.walk()}
    for span in spans:
        row = rows.setdefault(span.label, {"name": names[span.label], "label": span.label,
                                           "count": 0, "total_ps": 0, "self_ps": 0})
        row["count"] += executions
        row["total_ps"] += span.duration_ps * executions
        row["self_ps"] += span.self_ps * executions
    return sorted(rows.values(), key=lambda row: (-row["self_ps"], row["name"]))


def large_write(path: str, size: int, devices: int, unsorted: bool) -> Dict[str, object]:
    """Writes a file of about `size` bytes; returns its truth."""
    program = workload.program_build("tpu", workload.Model(layers=LAYERS, shards=devices),
                                     workload.DEFAULT_DEVICE["tpu"])
    planted = profile_edits.edits_apply(program, profile_edits.Edits())
    plan = profile_plan.plan_build(program, profile_plan.Scenario(devices=1, steps=1), planted)
    step = plan.device_steps["host-0"][0][0]
    spans = spans_scale(step.spans, step.start_ps, step.end_ps)
    block = block_build(plane_build(program, 0), spans)
    steps = max(1, min(size // (block.size * devices), LAST_STEP - FIRST_STEP + 1))
    order = step_order(steps, unsorted)
    with open(path, "wb") as stream:
        for device in range(devices):
            plane = plane_build(program, device)
            device_write(stream, plane, block_build(plane, spans), order)
        stream.write(host_plane(sorted(order)))
        stream.write(field_text(4, "host-0"))
    return {
        "steps": steps, "first_step": FIRST_STEP, "devices": devices,
        "num_events_total": steps * (devices * (len(spans) + 1) + 1),
        "step_duration_ps": (1 << STEP_BITS) * FILLED // 1000,
        "step_period_ps": 1 << STEP_BITS,
        "ops": ops_truth(program, spans, steps * devices),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="make_large.py", description=__doc__.split("\n")[0])
    parser.add_argument("--output", required=True, metavar="FILE")
    parser.add_argument("--size-mb", required=True, type=int, metavar="N", help="10^6 bytes")
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--unsorted", action="store_true", help="steps in reversed runs of eight")
    options = parser.parse_args()
    if not 1 <= options.devices <= 64 or options.size_mb < 1:
        parser.error("--devices is 1 to 64, --size-mb at least 1")
    truth = large_write(options.output, options.size_mb * MB, options.devices, options.unsorted)
    with open(options.output + ".truth.json", "w", encoding="ascii") as stream:
        json.dump(truth, stream, sort_keys=True)
        stream.write("\n")
    print(f"{options.output}: {os.path.getsize(options.output)} bytes, "
          f"{truth['num_events_total']} events, {truth['steps']} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
