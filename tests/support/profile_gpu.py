"""GPU-like device planes of a made profile.

What: one plane `/device:GPU:N` per device with a compute stream, a stream of NCCL kernels, one of
copies to the host, and a counter line. Why this way: on GPU an event is a kernel with its
statistics on the event; there is no Steps line, loops leave no event, waits for communication are
gaps of the compute stream, and the instruction is known by name only (its category stands in the
HLO proto of /host:metadata).
What it does not do: CUDA graphs, derived lines, several modules.
Source: README.md, "The XPlane format".
"""

from typing import Dict, Iterator, List, Tuple

import profile_ops
import workload
from profile_plan import DeviceStep, Plan
from profile_tracks import PlannedEvent, PlannedPlane, Track
from workload import Op, Program
from xplane_writer import Stat, stat_double, stat_int, stat_ref, stat_text, stat_uint

# Lines of one collector share their base.
BASE_NS = 911_061
COMPUTE_STREAM, NCCL_STREAM, COPY_OUT_STREAM, COUNTERS_ID = 20, 24, 22, 99
COMPUTE_LINE = "Stream #20(Kernel,MemcpyH2D)"
# From the begin of `*-start` to the begin of the collective's kernel.
NCCL_LAUNCH_PS = 2_000_000
# Copies at the edges of a step: (offset from the edge, duration), within its head and tail.
TOKENS_IN_PS = (200_000, 1_400_000)
LOSS_OUT_PS = (100_000, 800_000)
BYTES_PER_TOKEN = 4
# Kernel prefix -> registers, static and dynamic shared memory, grid, block, occupancy.
KERNEL_SHAPES = (
    ("nccl", (96, 0, 82240, "24,1,1", 544, "25")),
    ("nvjet", (168, 0, 213248, "132,1,1", 384, "18.75")),
    ("cudnn", (184, 0, 164864, "64,16,8", 384, "18.75")),
    ("input", (40, 1056, 0, "8192,1,1", 256, "75")),
    ("", (32, 0, 0, "16384,1,1", 128, "100")),
)
KERNEL_DETAILS = ("regs:{} static_shared:{} dynamic_shared:{} grid:{} block:{},1,1 occ_pct:{}")
SYNCHRONOUS = (profile_ops.COMPUTE, profile_ops.COPY)


class Correlation:
    """Numbers kernels in the order of their launches, once per file."""

    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last


def gpu_planes(plan: Plan, host: str) -> List[PlannedPlane]:
    correlation = Correlation()
    return [device_plane(plan, host, device, correlation)
            for device in range(plan.scenario.devices)]


def device_plane(plan: Plan, host: str, device: int, correlation: Correlation) -> PlannedPlane:
    plane = PlannedPlane(f"/device:GPU:{device}", device)
    plane.stats = device_stats(plan.program)
    compute, nccl, copies, counters = [], [], [], []
    for step in plan.device_steps[host][device]:
        compute.append(copy_event("MemcpyH2D", step, correlation, plan.program))
        compute += kernel_events(plan.program, step, correlation)
        nccl += collective_events(plan.program, step, correlation)
        copies.append(copy_event("MemcpyD2H", step, correlation, plan.program))
        counters.append(counter_event(step, device))
    plane.tracks = [
        Track(COMPUTE_LINE, COMPUTE_STREAM, BASE_NS, compute),
        Track(f"Stream #{NCCL_STREAM}(Kernel)", NCCL_STREAM, BASE_NS, nccl),
        Track(f"Stream #{COPY_OUT_STREAM}(MemcpyD2H)", COPY_OUT_STREAM, BASE_NS, copies),
        Track("_counters_", COUNTERS_ID, BASE_NS, counters),
    ]
    return plane


def device_stats(program: Program) -> List[Stat]:
    device = program.device
    major, minor = device.compute_capability
    return [
        stat_text("device_vendor", "Nvidia"),
        stat_text("gpu_device_name", program.device_type),
        stat_int("clock_rate", device.clock_khz),
        stat_int("core_count", device.cores),
        stat_uint("memory_bandwidth", int(device.memory_gbps * 10**9)),
        stat_uint("memory_size", device.memory_bytes),
        stat_int("compute_cap_major", major),
        stat_int("compute_cap_minor", minor),
        stat_uint("cuda_version", 12080),
    ]


def kernel_name(op: Op) -> str:
    """XLA names its own kernels after the instruction; libraries bring theirs."""
    return op.row.kernel or op.name.replace(".", "_").replace("-", "_")


def kernel_stats(op: Op, program: Program, correlation: Correlation) -> Tuple[Stat, ...]:
    name = kernel_name(op)
    shape = next(shape for prefix, shape in KERNEL_SHAPES if name.startswith(prefix))
    return (
        stat_uint("correlation_id", correlation.next()),
        stat_ref("kernel_details", KERNEL_DETAILS.format(*shape)),
        # The op's path travels in `name` when `tf_op` only says that XLA made the kernel.
        stat_ref("tf_op", "XlaModule:"),
        stat_ref("name", op.row.path),
        stat_ref("hlo_op", op.name),
        stat_ref("hlo_module", workload.MODULE),
        stat_int("program_id", program.program_id),
    )


def kernel_event(op: Op, times: Tuple[int, int], role: str, stats: Tuple[Stat, ...],
                 step: int) -> PlannedEvent:
    name = kernel_name(op)
    return PlannedEvent(name, name, times[0], times[1], times[1], role, stats, op.label, step)


def kernel_events(program: Program, step: DeviceStep,
                  correlation: Correlation) -> Iterator[PlannedEvent]:
    for span in step.spans:
        if not span.op.body and span.op.row.role in SYNCHRONOUS:
            yield kernel_event(span.op, (span.start_ps, span.duration_ps), "compute",
                               kernel_stats(span.op, program, correlation), step.number)


def collective_events(program: Program, step: DeviceStep,
                      correlation: Correlation) -> List[PlannedEvent]:
    """NCCL kernels: synchronous ones fill a gap of the compute stream, flights run beside it."""
    spans = [(span.op, span.start_ps, span.duration_ps) for span in step.spans
             if span.op.row.role == profile_ops.COLLECTIVE]
    spans += [(flight.op, flight.start_ps + NCCL_LAUNCH_PS, flight.duration_ps - NCCL_LAUNCH_PS)
              for flight in step.flights]
    return [kernel_event(op, (start, duration), "communication",
                         kernel_stats(op, program, correlation), step.number)
            for op, start, duration in sorted(spans, key=lambda item: item[1])]


def copy_event(name: str, step: DeviceStep, correlation: Correlation,
               program: Program) -> PlannedEvent:
    """The batch's tokens at the begin of the step, the loss at its end."""
    model = program.model
    if name == "MemcpyH2D":
        start, duration = step.start_ps + TOKENS_IN_PS[0], TOKENS_IN_PS[1]
        size = model.batch * model.sequence * BYTES_PER_TOKEN
        details = f"kind_src:host kind_dst:device size:{size}"
    else:
        duration = LOSS_OUT_PS[1]
        start = step.end_ps - LOSS_OUT_PS[0] - duration
        details = "kind_src:device kind_dst:host size:4"
    stats = (stat_uint("correlation_id", correlation.next()),
             stat_ref("memcpy_details", f"{details} dest:0 async:1"))
    return PlannedEvent(name, name, start, duration, duration, "copy", stats, name, step.number)


def counter_event(step: DeviceStep, device: int) -> PlannedEvent:
    """Power draw: an instant without duration, which no sum may count."""
    watts = 600.0 + (step.number * 7 + device * 13) % 50
    return PlannedEvent("gpu_power_watts", "gpu_power_watts", step.start_ps, 0, 0, "compute",
                        (stat_double("gpu_power_watts", watts),), step=step.number)


def launches(planes: List[PlannedPlane]) -> Dict[int, List[Tuple[int, int]]]:
    """Device -> [(step, correlation id)] of everything that the host launched, in launch order."""
    found: Dict[int, List[Tuple[int, int]]] = {}
    for device, plane in enumerate(planes):
        pairs = [(event.step, stat.value) for track in plane.tracks for event in track.events
                 for stat in event.stats if stat.name == "correlation_id"]
        found[device] = sorted(pairs)
    return found
