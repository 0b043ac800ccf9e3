"""Host planes of a made profile: training loop, input threads, launches, HLO proto, environment.

What: `/host:CPU` with the `train` step annotations that a reader finds GPU steps by,
`/host:metadata` with a small HLO proto, and `Task Environment`. Why this way: input stalls lie
outside `train`, a sleep of the host inside it, so that a reader can tell them apart. What it does
not do: memory events, Python tracing.
Source: README.md, "The XPlane format"; field numbers of xla.HloProto as in ingest/README.md.
"""

from typing import Dict, List, NamedTuple, Tuple

import profile_tpu
import workload
from profile_plan import HostStep, Plan
from profile_tracks import PlannedEvent, PlannedPlane, Track
from workload import Op, Program
from xplane_writer import (EventMetadata, field_bytes, field_text, field_varint, stat_blob,
                           stat_int, stat_uint)

# xla.PrimitiveType of the elements that shapes are made of, and of tuples.
ELEMENT_TYPES = {"pred": 1, "s8": 2, "s32": 4, "u8": 6, "u32": 8, "f32": 11, "bf16": 16}
TUPLE_TYPE = 13
MAIN_THREAD, FIRST_INPUT_THREAD, FIRST_DISPATCH_THREAD = 4242, 5001, 6001
INPUT_THREADS = 2
# Inside `train`: when the jitted function is called after the dispatch begins, and for how long.
CALL_PS = (2_000_000, 66_000_000)
EXECUTE_PS = (4_000_000, 58_000_000)
LAUNCH_PS, LAUNCH_STRIDE_PS = 500_000, 700_000
SLEEP_MARGIN_PS = 200_000
# Stages of an input thread: name, begin and length in thousandths of the `train` annotation.
INPUT_STAGES = (("read_shard", 50, 150), ("tokenize", 260, 250), ("collate", 560, 50))
STALLED_STAGE = "read_shard"
INPUT_STAGGER = 30


class Clock(NamedTuple):
    """Wall clock of the session in ns since 1970, and the base of the host's lines."""

    start_ns: int
    base_ns: int


class Node(NamedTuple):
    """A host event before its self time is known."""

    name: str
    start_ps: int
    end_ps: int
    stats: Tuple = ()
    children: Tuple["Node", ...] = ()
    role: str = "host"


def host_planes(plan: Plan, host: str, clock: Clock,
                launches: Dict[int, List[Tuple[int, int]]]) -> List[PlannedPlane]:
    """`launches`: per device the launches of a GPU profile; empty for TPU."""
    cpu = PlannedPlane("/host:CPU")
    steps = plan.host_steps[host]
    cpu.tracks = [thread_track(f"main/{MAIN_THREAD}", MAIN_THREAD, clock, main_nodes(steps))]
    for index in range(INPUT_THREADS):
        thread = FIRST_INPUT_THREAD + index
        nodes = [node for step in steps for node in input_nodes(plan, step, index)]
        cpu.tracks.append(thread_track(f"prefetch/{thread}", thread, clock, nodes))
    for device in range(plan.scenario.devices):
        thread = FIRST_DISPATCH_THREAD + device
        nodes = launch_nodes(steps, device, launches[device]) if launches else (
            dispatch_nodes(plan, steps, device))
        name = "Host Threads" if launches else "pjrt-tpu-tasks"
        cpu.tracks.append(thread_track(f"{name}/{thread}", thread, clock, nodes))
    return [metadata_plane(plan.program), cpu, environment_plane(plan, host, clock)]


def thread_track(name: str, thread: int, clock: Clock, nodes: List[Node]) -> Track:
    events = [event for node in nodes for event in node_events(node)]
    return Track(name, thread, clock.base_ns, events, display_name=name)


def node_events(node: Node) -> List[PlannedEvent]:
    """The event and its children; self time is what the children leave."""
    duration = node.end_ps - node.start_ps
    inner = sum(child.end_ps - child.start_ps for child in node.children)
    events = [PlannedEvent(node.name, node.name, node.start_ps, duration, duration - inner,
                           node.role, node.stats)]
    for child in node.children:
        events += node_events(child)
    return events


def main_nodes(steps: List[HostStep]) -> List[Node]:
    return [node for step in steps for node in (train_node(step), load_node(step))]


def train_node(step: HostStep) -> Node:
    call = step.dispatch_ps + CALL_PS[0]
    run = step.dispatch_ps + EXECUTE_PS[0]
    execute = Node("PjRtLoadedExecutable::Execute", run, run + EXECUTE_PS[1])
    children = [
        Node("PjitFunction(train_step)", call, call + CALL_PS[1], (), (execute,)),
        Node("$trainer.py:418 loss_item", call + CALL_PS[1], step.train_end_ps - LAUNCH_PS),
    ]
    if step.dispatch_ps > step.train_start_ps + SLEEP_MARGIN_PS:
        children.insert(0, Node("$<built-in> time.sleep", step.train_start_ps + SLEEP_MARGIN_PS,
                                step.dispatch_ps, role="stall"))
    stats = (stat_int("_r", 1), stat_int("step_num", step.number))
    return Node("train", step.train_start_ps, step.train_end_ps, stats, tuple(children))


def load_node(step: HostStep) -> Node:
    inner = Node("$loader.py:88 __next__", step.load_start_ps + LAUNCH_PS,
                 step.load_end_ps - LAUNCH_PS)
    return Node("load_batch", step.load_start_ps, step.load_end_ps, (), (inner,))


def input_nodes(plan: Plan, step: HostStep, thread: int) -> List[Node]:
    """Reading, tokenizing, collating. An input stall is a longer read, which moves the rest."""
    length = step.train_end_ps - step.train_start_ps
    moved, nodes = 0, []
    for name, begin, share in INPUT_STAGES:
        slow = plan.scenario.input_stall_ps if name == STALLED_STAGE else 0
        start = step.train_start_ps + length * (begin + INPUT_STAGGER * thread) // 1000 + moved
        nodes.append(Node(name, start, start + length * share // 1000 + slow))
        moved += slow
    return nodes


def dispatch_nodes(plan: Plan, steps: List[HostStep], device: int) -> List[Node]:
    """One launch per step: the producer of the flow that the device's module consumes."""
    nodes = []
    for step in steps:
        start = step.dispatch_ps + EXECUTE_PS[0] + EXECUTE_PS[1] // 8 * (device % 4)
        stats = (stat_int("_pt", profile_tpu.LAUNCH_TYPE),
                 stat_int("_p", profile_tpu.launch_id(plan, step.number, device)),
                 stat_uint("device_ordinal", device))
        nodes.append(Node("tpu::System::Execute", start, start + EXECUTE_PS[1] // 8, stats))
    return nodes


def launch_nodes(steps: List[HostStep], device: int,
                 launches: List[Tuple[int, int]]) -> List[Node]:
    """A driver call per kernel, well before the kernel begins."""
    begin = {step.number: step.dispatch_ps + EXECUTE_PS[0] for step in steps}
    nodes = []
    for number, correlation in launches:
        start = begin[number]
        begin[number] += LAUNCH_STRIDE_PS
        stats = (stat_uint("correlation_id", correlation), stat_uint("device_id", device))
        nodes.append(Node("cuLaunchKernelEx", start, start + LAUNCH_PS, stats))
    return nodes


def environment_plane(plan: Plan, host: str, clock: Clock) -> PlannedPlane:
    plane = PlannedPlane("Task Environment")
    last = plan.host_steps[host][-1].load_end_ps if plan.host_steps[host] else 0
    plane.stats = [stat_uint("profile_start_time", clock.start_ns),
                   stat_uint("profile_stop_time", clock.start_ns + last // 1000 + 1_000_000)]
    return plane


def metadata_plane(program: Program) -> PlannedPlane:
    plane = PlannedPlane("/host:metadata")
    key = f"{workload.MODULE}({program.program_id})"
    plane.metadata[key] = EventMetadata(key, stats=(stat_blob("Hlo Proto", hlo_proto(program)),))
    plane.metadata_ids[key] = program.program_id
    return plane


def hlo_proto(program: Program) -> bytes:
    """HloProto {1: module}: computations with names, opcodes, shapes, op names, sources."""
    computations = [computation_encode("main", 1, program.ops)]
    loops = [op for op in program.walk() if op.body]
    computations += [computation_encode(f"region_0.{op.number}", index, op.body)
                     for index, op in enumerate(loops, start=2)]
    module = field_text(1, workload.MODULE) + field_text(2, "main")
    module += b"".join(field_bytes(3, item) for item in computations)
    module += field_varint(5, program.program_id) + field_varint(6, 1)
    return field_bytes(1, module)


def computation_encode(name: str, number: int, ops: List[Op]) -> bytes:
    body = field_text(1, name) + b"".join(field_bytes(2, instruction_encode(op)) for op in ops)
    return body + field_varint(5, number) + field_varint(6, ops[-1].symbol if ops else 0)


def shape_encode(text: str) -> bytes:
    """ShapeProto of an array, or of the tuple that several are."""
    arrays = [field_varint(2, ELEMENT_TYPES[element]) + b"".join(
        field_varint(3, int(dimension)) for dimension in filter(None, dimensions.split(",")))
              for element, dimensions in workload.SHAPE.findall(text)]
    if len(arrays) == 1:
        return arrays[0]
    return field_varint(2, TUPLE_TYPE) + b"".join(field_bytes(4, item) for item in arrays)


def instruction_encode(op: Op) -> bytes:
    primitive = op.row.path.rpartition("/")[2]
    source_file, _, line = op.row.source.partition(":")
    metadata = field_text(1, primitive) + field_text(2, op.row.path)
    if line:
        metadata += field_text(3, source_file) + field_varint(4, int(line))
    body = field_text(1, op.name) + field_text(2, op.opcode)
    body += field_bytes(3, shape_encode(op.result)) + field_bytes(7, metadata)
    if op.code_changed:
        body += field_text(43, f'{{"schedule":"{op.label}-{op.factor}"}}')
    return body + field_varint(35, op.symbol)
