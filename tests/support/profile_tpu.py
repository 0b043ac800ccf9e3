"""TPU-like device planes of a made profile.

What: one plane `/device:TPU:N` per device with the lines Steps, XLA Modules, XLA Ops (loops around
their bodies), Async XLA Ops (flights of copies and collectives) and XLA TraceMe. Why this way: the
constants of an op sit on its event metadata, its name is the whole instruction text and its display
name the short one.
What it does not do: SparseCore planes, chip counters, the host.
Source: README.md, "The XPlane format".
"""

import hashlib
from typing import List, Tuple

import profile_ops
import workload
from profile_plan import DeviceStep, Flight, Plan, Span, STEP_HEAD_PS, STEP_TAIL_PS
from profile_tracks import PlannedEvent, PlannedPlane, Track
from workload import Op, Program
from xplane_writer import (EventMetadata, Stat, field_bytes, field_varint, stat_blob, stat_double,
                           stat_int, stat_ref, stat_text, stat_uint)

FIRST_PLANE_ID, PLANE_ID_STRIDE = 2, 8
STEPS_ID, MODULES_ID, OPS_ID, ASYNC_ID, TRACEME_ID = 1, 2, 3, 4, 6
# The device clock runs behind the clock of the line by this much, in every made file.
DEVICE_CLOCK_LAG_PS = 43_017_250
# The module lies inside the step by this much at either end.
MODULE_INSET_PS = 500_000
# What the core waits for its inputs at the start of the step.
DEPENDENCY_PS = 1_200_000
# Producer/consumer type of a program launch.
LAUNCH_TYPE = 12
READ, WRITE, HBM = 1, 2, 1
FLIGHT_NAMES = {
    profile_ops.COLLECTIVE_DONE: "async-collective",
    profile_ops.COPY_DONE: "async-copy",
}
OP_ROLES = {
    profile_ops.COMPUTE: "compute", profile_ops.COPY: "compute",
    profile_ops.CONTAINER: "container", profile_ops.COLLECTIVE: "communication",
    profile_ops.COLLECTIVE_START: "communication", profile_ops.COLLECTIVE_DONE: "communication",
    profile_ops.COPY_START: "copy", profile_ops.COPY_DONE: "copy",
}


def tpu_planes(plan: Plan, host: str) -> List[PlannedPlane]:
    return [device_plane(plan, host, device) for device in range(plan.scenario.devices)]


def device_plane(plan: Plan, host: str, device: int) -> PlannedPlane:
    program = plan.program
    plane = PlannedPlane(f"/device:TPU:{device}", FIRST_PLANE_ID + PLANE_ID_STRIDE * device)
    plane.stats = device_stats(program)
    for op in program.walk():
        plane.metadata[op.label] = op_metadata(op, program, op.name)
        if op.row.role in FLIGHT_NAMES:
            start = next(other for other in program.walk() if other.row.pair == op.row.pair)
            plane.metadata[flight_key(op)] = op_metadata(start, program, FLIGHT_NAMES[op.row.role])
    steps = plan.device_steps[host][device]
    plane.tracks = [
        Track("Steps", STEPS_ID, 0, [step_event(step) for step in steps]),
        Track("XLA Modules", MODULES_ID, 0, [module_event(plan, step, device) for step in steps]),
        Track("XLA Ops", OPS_ID, 0,
              [op_event(span, step.number) for step in steps for span in step.spans]),
        Track("Async XLA Ops", ASYNC_ID, 0, async_events(steps)),
        Track("XLA TraceMe", TRACEME_ID, 0, [dependency_event(step) for step in steps]),
    ]
    return plane


def device_stats(program: Program) -> List[Stat]:
    device = program.device
    return [
        stat_text("device_type_string", program.device_type),
        stat_double("peak_teraflops_per_second", device.peak_tflops),
        stat_double("peak_hbm_bw_gigabytes_per_second", device.memory_gbps),
        stat_double("peak_vmem_rd_bw_gigabytes_per_second", 13 * device.memory_gbps),
        stat_double("peak_vmem_wr_bw_gigabytes_per_second", 9 * device.memory_gbps),
        stat_int("has_megacore", 0),
        stat_int("has_merged_vmem", 1),
    ]


def op_metadata(op: Op, program: Program, display_name: str) -> EventMetadata:
    stats = [
        stat_text("hlo_category", op.category),
        stat_uint("program_id", program.program_id),
        stat_uint("symbol_id", op.symbol),
        stat_int("flops", op.flops),
        stat_int("model_flops", op.flops),
        stat_int("bytes_accessed", op.bytes_accessed),
        stat_int("raw_bytes_accessed", op.bytes_accessed),
        stat_blob("memory_access_breakdown", memory_breakdown(op)),
        stat_text("shape_with_layout", workload.shape_layout(op.result, program.kind)),
    ]
    if op.row.path:
        stats.append(stat_text("tf_op", op.row.path + ":"))
    if op.row.source:
        stats.append(stat_text("source", op.row.source))
    return EventMetadata(op.text, display_name, tuple(stats))


def memory_breakdown(op: Op) -> bytes:
    """Bytes read and written, as the message {1: repeated {1: operation, 2: space, 3: bytes}}."""
    if op.body:
        return b""
    written = workload.shape_bytes(op.result)
    amounts = ((READ, op.bytes_accessed - written), (WRITE, written))
    return b"".join(
        field_bytes(1, field_varint(1, kind) + field_varint(2, HBM) + field_varint(3, size))
        for kind, size in amounts)


def device_time(start_ps: int, duration_ps: int) -> Tuple[Stat, Stat]:
    return (stat_uint("device_offset_ps", start_ps - DEVICE_CLOCK_LAG_PS),
            stat_uint("device_duration_ps", duration_ps))


def step_event(step: DeviceStep) -> PlannedEvent:
    duration = step.end_ps - step.start_ps
    busy = sum(span.duration_ps for span in step.spans if span.depth == 0)
    stats = device_time(step.start_ps, duration)
    stats += (stat_uint("step_idle_time_ps", duration - busy),)
    name = str(step.number)
    return PlannedEvent(name, name, step.start_ps, duration, duration, "step", stats,
                        step=step.number)


def launch_id(plan: Plan, number: int, device: int) -> int:
    """The flow from the host's launch to the module: any 64 bits, thus often a negative int64."""
    text = f"{plan.scenario.seed}/{number}/{device}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big", signed=True)


def module_event(plan: Plan, step: DeviceStep, device: int) -> PlannedEvent:
    name = f"{workload.MODULE}({plan.program.program_id})"
    start = step.start_ps + MODULE_INSET_PS
    duration = step.end_ps - MODULE_INSET_PS - start
    stats = (stat_uint("run_id", 1000 + step.number), stat_int("replica_id", 0),
             stat_uint("queue_id", 0), stat_uint("core_type", 0), stat_int("_ct", LAUNCH_TYPE),
             stat_int("_c", launch_id(plan, step.number, device)))
    return PlannedEvent(name, name, start, duration, duration, "module", stats, step=step.number)


def op_event(span: Span, step: int) -> PlannedEvent:
    return PlannedEvent(span.op.label, span.op.name, span.start_ps, span.duration_ps, span.self_ps,
                        OP_ROLES[span.op.row.role], device_time(span.start_ps, span.duration_ps),
                        span.op.label, step)


def flight_key(done: Op) -> str:
    return f"flight/{done.row.pair}"


def async_events(steps: List[DeviceStep]) -> List[PlannedEvent]:
    """Flights by begin. They may overlap partly, so none is the child of another: self = total."""
    flow = 616_000_000
    events = []
    for step in steps:
        for flight in sorted(step.flights, key=lambda item: (item.start_ps, -item.duration_ps)):
            flow += 1
            events.append(async_event(flight, flow, step.number))
    return events


def async_event(flight: Flight, flow: int, step: int) -> PlannedEvent:
    role = "copy" if flight.done.row.role == profile_ops.COPY_DONE else "communication"
    stats = (stat_ref("hlo_op", flight.done.name), stat_int("_a", 1), stat_uint("flow", flow))
    return PlannedEvent(flight_key(flight.done), FLIGHT_NAMES[flight.done.row.role],
                        flight.start_ps, flight.duration_ps, flight.duration_ps, role, stats,
                        flight_key(flight.done), step)


def dependency_event(step: DeviceStep) -> PlannedEvent:
    assert DEPENDENCY_PS < STEP_HEAD_PS and MODULE_INSET_PS < STEP_TAIL_PS
    return PlannedEvent("dependency-wait", "dependency-wait", step.start_ps, DEPENDENCY_PS,
                        DEPENDENCY_PS, "stall", step=step.number)
