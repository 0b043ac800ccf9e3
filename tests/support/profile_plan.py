"""The plan of a run: when every op of every step begins and how long it takes, in picoseconds.

What: places the program's ops one after the other, on every device of every host, with seeded noise
and the machine's planted changes. Why: profile and truth are both made from this plan, so the truth
is known before any byte is written. What it does not do: lines, names and statistics
(profile_tpu.py, …).
Rules that tests rely on:
- a device runs its ops serially; a slower op moves all later ones and lengthens the step by just
  that;
- noise is keyed by seed, host, device, step and label: a planted change leaves all other ops as
  they were;
- devices of one step start together (but for a small skew) and the next step waits for the last of
  them.
"""

import random
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, NamedTuple, Tuple

import profile_noise
import profile_ops
from workload import Op, Program

# All in ps. The profile's clock starts at 0; the first step begins a little later.
FIRST_STEP_PS = 2_000_000_000
DISPATCH_PS = 80_000_000
READBACK_PS = 25_000_000
LOAD_PS = 30_000_000
LOOP_PS = 5_000_000
HOST_SKEW_PS = 3_000_000
DEVICE_SKEW_PS = 1_700_000
# Between two ops: a floor, and a uniform part on top.
GAP_FLOOR_PS, GAP_SPREAD_PS = 80_000, 80_000
# Loop bookkeeping: before each trip and after the last. It is the loop's own time.
TRIP_PS, LOOP_END_PS = 300_000, 200_000
# From the start of the step to the first op, and from the last op to its end.
STEP_HEAD_PS, STEP_TAIL_PS = 2_000_000, 1_000_000
WARMUP_FACTOR = 1.8
# Deviation of a device's own factor per step, next to what all devices share.
DEVICE_SD = 0.0005


@dataclass(frozen=True)
class Scenario:
    """Everything about the run that is not the program. Factors by host name, device (any host)."""

    seed: int = 1
    hosts: Tuple[str, ...] = ("host-0",)
    devices: int = 4
    steps: int = 20
    first_step: int = 100
    run_sd: float = 0.004
    step_sd: float = 0.006
    rho: float = 0.4
    op_sd: float = 0.003
    slow_hosts: Tuple[Tuple[str, Fraction], ...] = ()
    slow_devices: Tuple[Tuple[int, Fraction], ...] = ()
    input_stall_ps: int = 0
    host_sleep_ps: int = 0
    warmup_slow: int = 0


class Span(NamedTuple):
    """An op's execution. `self_ps` is the duration minus that of the direct children."""

    op: Op
    start_ps: int
    duration_ps: int
    self_ps: int
    depth: int


class Flight(NamedTuple):
    """An asynchronous transfer from the begin of its `*-start` to the end of its `*-done`."""

    op: Op
    done: Op
    start_ps: int
    duration_ps: int


@dataclass
class DeviceStep:
    number: int
    start_ps: int
    end_ps: int = 0
    spans: List[Span] = field(default_factory=list)
    flights: List[Flight] = field(default_factory=list)


class HostStep(NamedTuple):
    """The training loop on a host: the `train` annotation, then loading the next batch."""

    number: int
    train_start_ps: int
    dispatch_ps: int
    train_end_ps: int
    load_start_ps: int
    load_end_ps: int


@dataclass
class Plan:
    program: Program
    scenario: Scenario
    planted: List[Dict[str, object]]
    # [host][device] -> steps, and [host] -> steps.
    device_steps: Dict[str, List[List[DeviceStep]]] = field(default_factory=dict)
    host_steps: Dict[str, List[HostStep]] = field(default_factory=dict)
    # Label -> time that planted factors added, summed over all hosts, devices and steps.
    extra_ps: Dict[str, int] = field(default_factory=dict)


class StepPlanner:
    """Places the ops of one step of one device. `key` makes its noise its own."""

    def __init__(self, key: Tuple[object, ...], scale: float, op_sd: float, extra: Dict[str, int]):
        self.key = key
        self.scale = scale
        self.op_sd = op_sd
        self.extra = extra
        self.step = DeviceStep(0, 0)
        self._streams: Dict[str, random.Random] = {}
        self._starts: Dict[str, Span] = {}

    def place_step(self, number: int, start_ps: int, ops: List[Op]) -> DeviceStep:
        self.step = DeviceStep(number, start_ps)
        self.step.end_ps = self._place_sequence(ops, start_ps + STEP_HEAD_PS, 0) + STEP_TAIL_PS
        return self.step

    def _place_sequence(self, ops: List[Op], cursor: int, depth: int) -> int:
        for op in ops:
            stream = self._stream(op.label)
            cursor += GAP_FLOOR_PS + int(GAP_SPREAD_PS * stream.random())
            cursor = self._place_loop(op, cursor, depth) if op.body else (
                self._place_leaf(op, cursor, depth))
        return cursor

    def _place_loop(self, op: Op, start: int, depth: int) -> int:
        index = len(self.step.spans)
        self.step.spans.append(Span(op, start, 0, 0, depth))
        cursor = start
        for _ in range(op.trips):
            cursor = self._place_sequence(op.body, cursor + TRIP_PS, depth + 1)
        duration = cursor + LOOP_END_PS - start
        inner = sum(span.duration_ps for span in self.step.spans[index + 1:]
                    if span.depth == depth + 1)
        self.step.spans[index] = Span(op, start, duration, duration - inner, depth)
        return start + duration

    def _place_leaf(self, op: Op, start: int, depth: int) -> int:
        jitter = profile_noise.jitter_draw(self._stream(op.label), self.op_sd)
        plain = max(1, round(op.base_ps * self.scale * jitter))
        duration = max(1, plain * op.factor.numerator // op.factor.denominator)
        if op.factor != 1:
            self.extra[op.label] = self.extra.get(op.label, 0) + duration - plain
        span = Span(op, start, duration, duration, depth)
        self.step.spans.append(span)
        self._track_flight(span)
        return start + duration

    def _track_flight(self, span: Span) -> None:
        if span.op.row.role in (profile_ops.COLLECTIVE_START, profile_ops.COPY_START):
            self._starts[span.op.row.pair] = span
        if span.op.row.role in (profile_ops.COLLECTIVE_DONE, profile_ops.COPY_DONE):
            begin = self._starts.pop(span.op.row.pair)
            end = span.start_ps + span.duration_ps
            self.step.flights.append(
                Flight(begin.op, span.op, begin.start_ps, end - begin.start_ps))

    def _stream(self, label: str) -> random.Random:
        if label not in self._streams:
            self._streams[label] = profile_noise.stream_open(*self.key, label)
        return self._streams[label]


def plan_build(program: Program, scenario: Scenario, planted: List[Dict[str, object]]) -> Plan:
    plan = Plan(program, scenario, planted + machine_changes(scenario))
    plan.device_steps = {host: [[] for _ in range(scenario.devices)] for host in scenario.hosts}
    plan.host_steps = {host: [] for host in scenario.hosts}
    shared = profile_noise.step_factors(scenario.seed, scenario.steps, scenario.step_sd,
                                        scenario.rho)
    run = profile_noise.run_factor(scenario.seed, scenario.run_sd)
    train_start = {host: FIRST_STEP_PS for host in scenario.hosts}
    for index in range(scenario.steps):
        warm = WARMUP_FACTOR if index < scenario.warmup_slow else 1.0
        ready = {host: start + scenario.host_sleep_ps + DISPATCH_PS
                 for host, start in train_start.items()}
        begin = max(ready.values())
        for host in scenario.hosts:
            scale = run * shared[index] * warm * float(dict(scenario.slow_hosts).get(host, 1))
            end = plan_devices(plan, host, index, (begin, scale))
            train_start[host] = plan_host(plan, host, index, (train_start[host], end))
    return plan


def machine_changes(scenario: Scenario) -> List[Dict[str, object]]:
    """Records of the planted changes that are not in the program."""
    records = [{"kind": "slow_host", "host": host, "factor": float(factor)}
               for host, factor in scenario.slow_hosts]
    records += [{"kind": "slow_device", "device": device, "factor": float(factor)}
                for device, factor in scenario.slow_devices]
    amounts = (("input_stall", "ps_per_step", scenario.input_stall_ps),
               ("host_sleep", "ps_per_step", scenario.host_sleep_ps),
               ("warmup_slow", "steps", scenario.warmup_slow))
    return records + [{"kind": kind, unit: value} for kind, unit, value in amounts if value]


def plan_devices(plan: Plan, host: str, index: int, begin_scale: Tuple[int, float]) -> int:
    """Places step `index` on all devices of a host; returns when the last of them ends."""
    begin, scale = begin_scale
    scenario = plan.scenario
    ends = []
    for device, steps in enumerate(plan.device_steps[host]):
        key = (scenario.seed, "op", host, device, index)
        own = profile_noise.jitter_draw(profile_noise.stream_open(*key), DEVICE_SD)
        slow = float(dict(scenario.slow_devices).get(device, 1))
        planner = StepPlanner(key, scale * own * slow, scenario.op_sd, plan.extra_ps)
        start = begin + DEVICE_SKEW_PS * device + HOST_SKEW_PS * scenario.hosts.index(host)
        steps.append(planner.place_step(scenario.first_step + index, start, plan.program.ops))
        ends.append(steps[-1].end_ps)
    return max(ends)


def plan_host(plan: Plan, host: str, index: int, start_end: Tuple[int, int]) -> int:
    """The host's loop around a step; returns when its next `train` annotation begins."""
    train_start, device_end = start_end
    scenario = plan.scenario
    stream = profile_noise.stream_open(scenario.seed, "host", host, index)
    train_end = device_end + READBACK_PS
    load_start = train_end + LOOP_PS
    load_end = load_start + scenario.input_stall_ps
    load_end += round(LOAD_PS * profile_noise.jitter_draw(stream, 0.05))
    plan.host_steps[host].append(HostStep(
        scenario.first_step + index, train_start, train_start + scenario.host_sleep_ps, train_end,
        load_start, load_end))
    return load_end + LOOP_PS
