"""Traces of a loop on one device as PyTorch's profiler and JAX leave them, with what goes wrong
about marks.

What: kernels and their launches of steps that are drawn, and annotations of which some are missing,
all have one number, or are cut with the rest of the capture. Why beside job_capture.py: there hosts
and devices are the subject; here how the host runs ahead, how long annotations last, and what of a
capture is there. What it does not do: several threads, streams or devices.
"""

import random
from typing import NamedTuple

import trace_writer

OPS = (("gemm_kernel_128x128", .5), ("elementwise_add", .2),
       ("ncclDevKernel_AllReduce_RING", .15), ("layernorm", .1))
CPU, GPU, STREAM = 1234, 0, 7
MARKS = ("all", "second", "third", "random", "one number", "none", "cut last", "cut first",
         "cut both")


class Loop(NamedTuple):
    """`dispatch`: "sync", as a kernel begins the next is launched; "burst", all of a step at once,
    when the device is done; "ahead", up to `ahead` steps before the device. `annotated`: the part
    of a step that its annotation lasts, 0 = until the device, or a host that runs ahead, is done.
    `correlated`: the part of the kernels whose launch is known; of the others the call was not
    recorded, or they do not say which it is. `program`: kernels are ops
    of one that they name, each of another name. `source`: "torch", "jax" (on a GPU), or "tpu",
    whose runs are those of programs, which `correlated` links with the calls of the host."""

    step_us: float
    steps: int
    kernels: int  # of each op in a step
    dispatch: str
    annotated: float
    gap_us: float
    correlated: float
    first: int
    ahead: int = 2
    program: bool = False
    source: str = "torch"


def draw_loop(draw: random.Random) -> Loop:
    dispatch = draw.choice(("sync", "ahead", "ahead", "burst"))
    source = draw.choice(("torch", "torch", "jax", "tpu"))
    return Loop(draw.choice((3000, 10000, 50000)), draw.choice((2, 3, 5, 8, 16, 24)),
                draw.choice((1, 4)), dispatch, draw.choice((0, 0, .05, .4)),
                draw.choice((0, 50, 500)), draw.choice((1, 1, .95, .7, 0)),
                draw.choice((0, 10, 500)), draw.choice((1, 1, 2, 3, 5, 8, 13, 30)),
                draw.random() < .5 or source == "tpu", source)


def device_us(loop: Loop) -> float:
    """Of a step's work, which ends a bit before the step does."""
    return loop.step_us * sum(share for _, share in OPS)


def unmarked(marks: str, steps: int, draw: random.Random) -> set:
    if marks in ("second", "third"):
        every = 2 if marks == "second" else 3
        return {step for step in range(steps) if step % every}
    if marks == "random":
        part = draw.choice((.15, .3, .5))
        return set([step for step in range(steps) if draw.random() < part][:max(steps - 3, 0)])
    return set(range(steps)) if marks == "none" else set()


def events_of(loop: Loop, marks: str, factor: float, draw: random.Random, begin: float) -> list:
    """(category, name, (pid, tid), start, duration, args), times in µs."""
    events, ends, without = [], [], unmarked(marks, loop.steps, draw)
    module = {"hlo_module": "jit_train"} if loop.program else {}
    ident_name = "correlation" if loop.source == "torch" else "correlation_id"
    launched = loop.correlated > 0 and loop.source != "tpu"
    host = device = begin
    run = factor * (1 + draw.gauss(0, .004))
    for step in range(loop.steps):
        length = loop.step_us * run * (1 + draw.gauss(0, .004))
        if loop.dispatch == "ahead":
            host = max(host, ends[step - loop.ahead] if step >= loop.ahead else host)
        elif step > 0:
            host = max(host, ends[-1]) + loop.gap_us
        annotated = host
        first = None
        for name, share in OPS:
            for kernel in range(loop.kernels):
                launch = max(host, device - 30) if loop.dispatch == "sync" else host
                ident = {ident_name: len(events) + 1} if launched else {}
                known = draw.random() < loop.correlated
                if launched and (known or draw.random() < .5):
                    events.append(("cuda_runtime", "cudaLaunchKernel", (CPU, CPU), launch, 2,
                                   ident))
                    ident = ident if known else {}
                start = max(device, launch + 10)
                first = start if first is None else first
                device = start + length * share / loop.kernels
                named = f"{name}.{kernel}" if loop.program else name
                more = {"device": 0, "stream": STREAM} if loop.source == "torch" else {}
                events.append(("kernel", named, (GPU, STREAM), start, device - start - 1,
                               {**ident, **module, **more}))
                if loop.source != "tpu":
                    host = launch + 3
        if loop.source == "tpu":
            run_id = {"run_id": str(step + 1)}
            events.append(("program", "jit_train(17)", (GPU, 1), first, device - 1 - first, run_id))
            if draw.random() < loop.correlated:
                events.append(("call", "DoEnqueueProgram", (CPU, CPU + 1), host + 4, 3, run_id))
            host += 12
        ends.append(device)
        until = host + 5 if loop.dispatch == "ahead" else device
        if loop.annotated > 0:
            until = annotated + max(20, loop.annotated * length)
        host = max(host, until + 2)
        number = loop.first + (0 if marks == "one number" else step)
        if step not in without:
            name, args = (f"ProfilerStep#{number}", {}) if loop.source == "torch" else (
                "train", {"step_num": str(number)})
            events.append(("user_annotation", name, (CPU, CPU), annotated, until - annotated, args))
    return events


def cut(events: list, first: float, last: float) -> list:
    """What a capture from first to last has of them: annotations as far as they go, and of all
    else what begins and ends in it."""
    kept = []
    for category, name, track, start, duration, args in events:
        end = start + duration
        if category == "user_annotation":
            start, end = max(start, first), min(end, last)
        if start >= first and end <= last and end > start:
            kept.append((category, name, track, start, end - start, args))
    return kept


def capture(loop: Loop, marks: str, factor: float, draw: random.Random, begin: float) -> bytes:
    """The file of one capture, which begins at that many µs since 1970."""
    events = events_of(loop, marks, factor, draw, begin)
    first, last = (min(e[3] for e in events), max(e[3] + e[4] for e in events))
    part = draw.uniform(.2, .8)
    if marks in ("cut first", "cut both"):
        first += part * loop.step_us * factor
    if marks in ("cut last", "cut both"):
        last -= (1 - part) * loop.step_us * factor
    trace = begin_trace(loop)
    for category, name, track, start, duration, args in cut(events, first, last):
        trace.event(track, name, round(start, 3), round(duration, 3), args,
                    category if loop.source == "torch" else None)
    return trace.encode()


def begin_trace(loop: Loop) -> trace_writer.Trace:
    """The processes and threads."""
    if loop.source == "torch":
        trace = trace_writer.Trace(schemaVersion=1,
                                   deviceProperties=[{"id": 0, "name": "NVIDIA H100"}])
        trace.process(GPU, "python", "GPU 0")
        trace.process(CPU, "python", "CPU")
        trace.thread(GPU, STREAM, "stream 7")
        trace.thread(CPU, CPU, "thread 1234 (python)")
        return trace
    trace = trace_writer.Trace(displayTimeUnit="ns", metadata={"highres-ticks": True})
    trace.process(GPU, f"/device:{'TPU' if loop.source == 'tpu' else 'GPU'}:0")
    trace.process(CPU, "/host:CPU")
    trace.thread(GPU, 1, "XLA Modules")
    trace.thread(GPU, STREAM, "XLA Ops" if loop.source == "tpu" else "Stream #7(Kernel)")
    trace.thread(CPU, CPU, "python3")
    trace.thread(CPU, CPU + 1, "tf_xla_enqueue")
    return trace


def runs_ahead(step_us: float, steps: int, ahead: int) -> bytes:
    """The trace of a TPU whose host, at most so many steps ahead, annotates as it dispatches."""
    trace = trace_writer.Trace(displayTimeUnit="ns", metadata={"highres-ticks": True})
    trace.process(GPU + 1, "/device:TPU:0")
    trace.thread(GPU + 1, 1, "XLA Modules")
    trace.thread(GPU + 1, 2, "XLA Ops")
    trace.process(CPU, "/host:CPU")
    trace.thread(CPU, CPU, "python3")
    host, device, ends = 0, 0, []
    for step in range(steps):
        host = max(host, ends[step - ahead] + 5 if step >= ahead else host)
        trace.event((CPU, CPU), "train", host, 300, {"step_num": str(step)})
        begin = max(device, host + 200)
        trace.event((GPU + 1, 1), "jit_train(17)", begin, step_us, {"run_id": str(step + 1)})
        device = begin + 1
        for name, share in OPS:
            trace.event((GPU + 1, 2), name, device, step_us * share - 2, {"hlo_category": "fusion"})
            device += step_us * share
        ends.append(device)
        host += 310
    return trace.encode()
