"""What the hosts of one training job leave behind: a capture of a few steps, a file per host.

What: a TPU or a GPU job of several hosts whose step times are drawn (run and step noise), with one
loss planted: a slow host, a slow device, all slow, one op slow. Why beside make_profile.py: the
table of captures needs thousands of files, so that each takes milliseconds; and it must share no
assumption with the generator that the other tests use.
How hosts differ: each has a clock of its own, starts its profiler a little later than the others
and counts its times from there, so that only epoch times (plane `Task Environment`), step numbers
and global chip numbers tell that files belong together.
What it does not do: HLO, memory, input pipelines. Same job, same bytes.
Format: XSpace of tensorflow.profiler; the field numbers stand beside the encoders.
"""

import math
import random
from typing import Dict, List, NamedTuple, Optional, Tuple

US, MS = 10**6, 10**9  # picoseconds
EPOCH_NS = 1_767_600_000 * 10**9  # the first job of all begins here

# (name, category, share of the device's time that is not the last collective's, path)
OPS = (
    ("copy.3", "copy", .02, "jit(train_step)/jvp(Model)/embed/copy"),
    ("gather_fusion.7", "loop fusion", .04, "jit(train_step)/jvp(Model)/embed/take"),
    ("fusion.attention_qkv", "convolution fusion", .14, "jit(train_step)/jvp(Model)/attn/qkv/dot"),
    ("softmax_fusion.2", "loop fusion", .06, "jit(train_step)/jvp(Model)/attn/softmax"),
    ("fusion.mlp_up", "convolution fusion", .20, "jit(train_step)/jvp(Model)/mlp/up/dot"),
    ("fusion.mlp_up_grad", "convolution fusion", .24,
     "jit(train_step)/transpose(jvp(Model))/mlp/up/dot"),
    ("fusion.attention_grad", "convolution fusion", .18,
     "jit(train_step)/transpose(jvp(Model))/attn/qkv/dot"),
    ("layer_norm_fusion.5", "loop fusion", .05, "jit(train_step)/jvp(Model)/norm/rsqrt"),
    ("adam_fusion.1", "loop fusion", .07, "jit(train_step)/optimizer/update"),
)
COLLECTIVE = ("all-reduce.11", "all-reduce", "jit(train_step)/transpose(jvp(Model))/psum")
COMPUTE_PS, COLLECTIVE_PS = 56 * MS, 4 * MS
CONVERT_PS, GAP_PS = 40 * US, 60 * US  # the small program before each step, and idle time
LAUNCH_PS = 250 * US  # from the start of the host's step to the first work on the device
STALL_PS = 15 * MS
OP_SD = .004  # of one op in one step, on one device


class Job(NamedTuple):
    """A job and what is planted in it. `first_step` None: nobody marked the steps. `coupled`: a
    step ends on all devices when the slowest is there; else each device goes its own way. Jobs
    follow each other every 90 minutes."""

    seed: int
    when: int = -1  # the how manieth job of all times it is; -1: as the seed says
    kind: str = "tpu"
    hosts: int = 3
    name: str = "worker-{}"  # of a host, by its rank; "" where the file names none
    devices: int = 2
    steps: int = 20
    first_step: Optional[int] = None
    calls_per_mark: int = 1  # of the program in one annotation of the host
    epoch_steps: int = 0  # their numbers count anew behind so many; 0 = they never do
    unmarked: Tuple[int, ...] = ()  # steps that no annotation holds, and that are other calls
    cut: float = 1.  # the part of the last step's time on a GPU that the capture holds
    annotated_us: int = 0  # how long annotations last; 0 = as long as their step
    correlated: bool = True  # kernels of a GPU tell which launch they are of
    epoch: bool = True
    device_lines: bool = True  # device_tracer_level 0 leaves the host's threads only
    coupled: bool = True
    run_sd: float = .01
    step_sd: float = .02
    warm_up: Tuple[float, ...] = ()  # how much longer the first steps are
    stalls: Tuple[int, ...] = ()  # steps behind which the devices wait for STALL_PS
    growth: float = 0.  # how much longer the last step is than the first
    slow_all: float = 1.
    slow_host: Tuple[int, float] = (-1, 1.)
    slow_device: Tuple[int, int, float] = (-1, -1, 1.)  # host, device of it, factor
    slow_op: Tuple[str, float] = ("", 1.)


class HostFile(NamedTuple):
    host: str
    rank: int
    started_s: int  # by this host's clock: the name of the folder that a profiler makes
    data: bytes


def device_factor(job: Job, host: int, device: int) -> float:
    factor = job.slow_host[1] if host == job.slow_host[0] else 1.
    return factor * (job.slow_device[2] if (host, device) == job.slow_device[:2] else 1.)


def compute_factor(job: Job) -> float:
    """The slowest device's compute time over that of a job with nothing planted, all ops alike
    excepted."""
    name, factor = job.slow_op
    op = sum(share * (factor - 1) for op_name, _, share, _ in OPS if op_name == name)
    return (1 + op) * max(device_factor(job, h, d) for h in range(job.hosts)
                          for d in range(job.devices))


def planted_loss(job: Job) -> float:
    """By how much the step of this job is longer than without what is planted: .2 = 20 %."""
    collective = COLLECTIVE_PS if job.coupled else COLLECTIVE_PS * max(
        device_factor(job, h, d) for h in range(job.hosts) for d in range(job.devices))
    work = (COMPUTE_PS * compute_factor(job) + collective) * job.slow_all
    return work / (COMPUTE_PS + COLLECTIVE_PS) - 1


# --- wire format ---------------------------------------------------------------------------------
def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def text(field: int, value) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


class Plane:
    """XPlane: name 2, lines 3, event_metadata 4, stat_metadata 5, stats 6; the maps' keys are the
    ids in order of use."""

    def __init__(self, name: str):
        self.name, self.lines, self.own = name, [], []
        self.events: Dict[object, Tuple[int, bytes]] = {}
        self.stats: Dict[str, int] = {}

    def stat_id(self, name: str) -> int:
        return self.stats.setdefault(name, len(self.stats) + 1)

    def stat(self, name: str, value) -> bytes:
        """XStat: metadata_id 1, double 2, uint64 3, int64 4, str 5, bytes 6."""
        head = number(1, self.stat_id(name))
        if isinstance(value, int):
            return head + number(3, value)
        return head + text(5 if isinstance(value, str) else 6, value)

    def event(self, name: str, display: str = "", **stats) -> bytes:
        """The first field of an event of this type. XEventMetadata: id 1, name 2, display_name 4,
        stats 5."""
        if name not in self.events:
            body = number(1, len(self.events) + 1) + text(2, name)
            body += text(4, display) if display else b""
            body += b"".join(text(5, self.stat(key, value)) for key, value in stats.items())
            self.events[name] = (len(self.events) + 1, body)
        return number(1, self.events[name][0])

    def line(self, line_id: int, name: str, base_ns: int, events: List[bytes]) -> None:
        """XLine: id 1, name 2, timestamp_ns 3, events 4."""
        head = number(1, line_id) + text(2, name) + number(3, base_ns)
        self.lines.append(head + b"".join(events))

    def encode(self) -> bytes:
        out = [text(2, self.name)] + [text(3, line) for line in self.lines]
        out += [text(4, number(1, key) + text(2, body)) for key, body in self.events.values()]
        out += [text(5, number(1, key) + text(2, number(1, key) + text(2, name)))
                for name, key in self.stats.items()]
        return b"".join(out + [text(6, stat) for stat in self.own])


def event(head: bytes, offset_ps: int, duration_ps: int, stats: bytes = b"") -> bytes:
    """XEvent: metadata_id 1, offset_ps 2, duration_ps 3, stats 4."""
    body = head + b"\x10" + varint(offset_ps) + b"\x18" + varint(duration_ps) + stats
    return b"\x22" + varint(len(body)) + body


# --- times ---------------------------------------------------------------------------------------
class Times(NamedTuple):
    """Of one device, in ps since the job's first step: per step its start, the (start, end) of each
    op and of the collective."""

    starts: List[int]
    ends: List[int]
    ops: List[List[Tuple[int, int]]]


def draw_times(job: Job, draw: random.Random) -> Dict[Tuple[int, int], Times]:
    places = [(h, d) for h in range(job.hosts) for d in range(job.devices)]
    times = {place: Times([], [], []) for place in places}
    clock = dict.fromkeys(places, 0)
    run = math.exp(draw.gauss(0, job.run_sd)) * job.slow_all
    for step in range(job.steps):
        pace = run * math.exp(draw.gauss(0, job.step_sd))
        pace *= job.warm_up[step] if step < len(job.warm_up) else 1
        pace *= 1 + job.growth * step / max(job.steps - 1, 1)
        collective, done = int(COLLECTIVE_PS * pace), {}
        for place in places:
            own = pace * device_factor(job, *place)
            now, spans = clock[place] + LAUNCH_PS + CONVERT_PS + GAP_PS, []
            for name, _, share, _ in OPS:
                slow = job.slow_op[1] if name == job.slow_op[0] else 1.
                took = int(COMPUTE_PS * share * slow * own * (1 + draw.gauss(0, OP_SD)))
                spans.append((now, now + took))
                now += took
            done[place] = now
            times[place].starts.append(clock[place])
            times[place].ops.append(spans)
        for place in places:
            wait = max(done.values()) - done[place] if job.coupled else 0
            share = 1 if job.coupled else device_factor(job, *place)
            end = done[place] + wait + int(collective * share)
            times[place].ops[-1].append((done[place], end))
            times[place].ends.append(end)
            clock[place] = end + GAP_PS + (STALL_PS if step in job.stalls else 0)
    return times


# --- planes --------------------------------------------------------------------------------------
def tpu_plane(job: Job, device: int, chip: int, times: Times, base: int) -> Plane:
    plane = Plane(f"/device:TPU:{device}")
    plane.own = [plane.stat("device_type_string", "TPU v5p"),
                 # core_details: device_ordinal 2, local_chip_id 4, global_chip_id 5, core id 6
                 plane.stat("core_details", number(2, device) + number(4, device) +
                            number(5, chip) + number(6, chip))]
    program = 7_031_118_236_151_220_001
    step_module = plane.event(f"jit_train_step({program})")
    convert_module = plane.event("jit_convert_element_type(2433868464432466958)")
    ops = [plane.event(f"%{name} = bf16[8,2048,4096] fusion()", name, hlo_category=category,
                       program_id=program, symbol_id=index + 1, tf_op=path + ":",
                       flops=10**9, bytes_accessed=10**7)
           for index, (name, category, path) in enumerate(
               [(n, c, p) for n, c, _, p in OPS] + [COLLECTIVE])]
    convert = plane.event("%convert.1 = f32[] convert()", "convert.1",
                          hlo_category="convert", program_id=2433868464432466958, symbol_id=1)
    modules, lines, steps = [], [], []
    for index, spans in enumerate(times.ops):
        begin, first, end = times.starts[index] + LAUNCH_PS, spans[0][0], times.ends[index]
        modules.append(event(convert_module, base + begin, CONVERT_PS))
        modules.append(event(step_module, base + first, end - first))
        lines.append(event(convert, base + begin, CONVERT_PS))
        lines += [event(op, base + s, e - s) for op, (s, e) in zip(ops, spans)]
        if job.first_step is not None:
            head = plane.event(str(job.first_step + index))
            steps.append(event(head, base + begin, end - begin,
                               text(4, plane.stat("group_id", index))))
    if steps:
        plane.line(1, "Steps", 0, steps)
    plane.line(2, "XLA Modules", 0, modules)
    plane.line(3, "XLA Ops", 0, lines)
    return plane


def gpu_plane(job: Job, device: int, times: Times, base: int) -> Plane:
    """Kernels on one stream; what launched them is told by correlation ids only."""
    plane = Plane(f"/device:GPU:{device}")
    plane.own = [plane.stat("device_vendor", "Nvidia"), plane.stat("clock_rate", 1_980_000),
                 plane.stat("core_count", 132), plane.stat("memory_bandwidth", 3352 * 10**9),
                 plane.stat("compute_cap_major", 9), plane.stat("compute_cap_minor", 0),
                 plane.stat("memory_size", 85 * 10**9)]
    kernels, names = [], [(n, p) for n, _, _, p in OPS] + [(COLLECTIVE[0], COLLECTIVE[2])]
    heads = []
    for name, path in names:
        kernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" if name == COLLECTIVE[0] else \
            name.replace(".", "_")
        constant = text(4, plane.stat("hlo_module", "jit_train_step"))
        constant += text(4, plane.stat("hlo_op", name)) + text(4, plane.stat("program_id", 12))
        constant += text(4, plane.stat("tf_op", "XlaModule:")) + text(4, plane.stat("name", path))
        heads.append((plane.event(kernel), constant))
    convert = (plane.event("wrapped_convert"),
               text(4, plane.stat("hlo_module", "jit_convert_element_type")) +
               text(4, plane.stat("hlo_op", "wrapped_convert")) +
               text(4, plane.stat("program_id", 3)))
    key = number(1, plane.stat_id("correlation_id"))
    for index, spans in enumerate(times.ops):
        begin = times.starts[index] + LAUNCH_PS
        todo = [(convert, (begin, begin + CONVERT_PS))] + list(zip(heads, spans))
        last = begin + job.cut * (times.ends[index] - begin)
        for at, ((head, constant), (start, end)) in enumerate(todo):
            if index + 1 == len(times.ops) and end > last:
                break
            ident = correlation(device, index, at)
            stats = text(4, key + number(3, ident)) if job.correlated else b""
            kernels.append(event(head, base + start, end - start, stats + constant))
    plane.line(7, "Stream #7(Kernel)", 0, kernels)
    return plane


def correlation(device: int, step: int, at: int) -> int:
    return 1000 + (step * 8 + device) * 16 + at


def host_plane(job: Job, times: List[Times], base: int) -> Plane:
    """The thread that runs the loop: the step's annotation where it is marked, python's own frames,
    and on a GPU the launches with their correlation ids."""
    plane, events = Plane("/host:CPU"), []
    frame = plane.event("$train.py:88 train_step")
    dispatch = plane.event("PjitFunction(train_step)")
    block = plane.event("$array.py:401 block_until_ready")
    for index, begin in enumerate(times[0].starts):
        end = max(t.ends[index] for t in times) + GAP_PS // 2
        if (job.first_step is not None and index % job.calls_per_mark == 0 and
                index not in job.unmarked):
            mark = index // job.calls_per_mark
            number_of = job.first_step + (mark % job.epoch_steps if job.epoch_steps else mark)
            stats = text(4, plane.stat("_r", 1))
            stats += text(4, plane.stat("step_num", number_of))
            stats += text(4, plane.stat("group_id", mark))
            events.append(event(plane.event("train"), base + begin,
                                job.annotated_us * US or end - begin, stats))
        events.append(event(frame, base + begin + US, end - begin - 2 * US))
        call = plane.event("PjitFunction(evaluate)") if index in job.unmarked else dispatch
        events.append(event(call, base + begin + 2 * US, 200 * US))
        if job.kind == "gpu":
            launch = plane.event("cuLaunchKernelEx")
            for device in range(job.devices):
                for at in range(len(OPS) + 2):
                    stats = text(4, plane.stat("correlation_id", correlation(device, index, at)))
                    stats += text(4, plane.stat("device_id", device))
                    offset = begin + (4 + 4 * (device * (len(OPS) + 2) + at)) * US
                    events.append(event(launch, base + offset, 3 * US, stats))
        events.append(event(block, base + begin + 210 * US, end - begin - 215 * US))
    plane.line(4711, "python", 0, events)
    return plane


def host_files(job: Job) -> List[HostFile]:
    """The files of one run, in the order of the ranks."""
    draw = random.Random(f"{job.seed}/{job.kind}/{job.steps}")
    times, files = draw_times(job, draw), []
    place = job.seed % 20_000 if job.when < 0 else job.when
    began_ns = EPOCH_NS + place * 5_400 * 10**9 + draw.randrange(10**9)
    for rank in range(job.hosts):
        skew_ns = draw.randrange(-15_000_000, 15_000_000)  # of this host's clock
        lead_ns = draw.randrange(40_000_000, 160_000_000)  # its profiler was on before step one
        started_ns = began_ns + skew_ns - lead_ns
        base = lead_ns * 1000
        own = [times[rank, device] for device in range(job.devices)]
        planes = []
        for device, its in enumerate(own if job.device_lines else []):
            planes.append(tpu_plane(job, device, rank * job.devices + device, its, base)
                          if job.kind == "tpu" else gpu_plane(job, device, its, base))
        planes.append(host_plane(job, own, base))
        environment = Plane("Task Environment")
        if job.epoch:
            stop_ns = started_ns + lead_ns + max(t.ends[-1] for t in own) // 1000 + 30_000_000
            environment.own = [environment.stat("profile_start_time", started_ns),
                               environment.stat("profile_stop_time", stop_ns)]
        host = job.name.format(rank)
        data = b"".join(text(1, plane.encode()) for plane in planes + [environment])
        data += text(4, host) if host else b""
        files.append(HostFile(host or "localhost", rank, started_ns // 10**9, data))
    return files
