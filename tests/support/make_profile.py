#!/usr/bin/env python3
"""Makes sample profiles of one training run: XPlane files, and the truth beside each.

What: the command line over workload.py, profile_edits.py, profile_plan.py and the plane builders.
Why: the demo and the tests need profiles with known times, with seeded noise and with changes
planted on purpose.
What it does not do: files of gigabytes (make_large.py), hand-made corner cases (use
xplane_writer.py).
Same options, same bytes, on every machine; no clock is read. README.md in this folder explains the
truth.
Exit codes: 0 written, 2 wrong usage.
"""

import argparse
import hashlib
import json
import os
import sys
from datetime import datetime, timedelta, timezone
from typing import Dict, List, NamedTuple, Optional

import profile_edits
import profile_gpu
import profile_host
import profile_options
import profile_plan
import profile_tpu
import profile_tracks
import profile_truth
import workload
from profile_tracks import Encoding, PlannedPlane

PS_PER_US = 10**6
# Runs are dated from here, by seed: one run every 97 minutes.
FIRST_RUN = datetime(2026, 1, 5, 6, 0, 0, tzinfo=timezone.utc)
RUN_EVERY = timedelta(minutes=97)
# A plan is held in memory, about 1 kB per event.
MAX_EVENTS = 1_000_000
# Base of the host's lines on TPU; on GPU all lines share profile_gpu.BASE_NS.
TPU_HOST_BASE_NS = 212_990


class Written(NamedTuple):
    """A made file: where, its bytes, its truth."""

    path: str
    data: bytes
    truth: Dict[str, object]


def model_of(options: argparse.Namespace, hosts: int) -> workload.Model:
    return workload.Model(layers=options.layers, batch=options.batch, sequence=options.sequence,
                          dtype=options.dtype, shards=options.devices * hosts)


def scenario_of(options: argparse.Namespace) -> profile_plan.Scenario:
    hosts = tuple(options.host) or tuple(f"host-{index}" for index in range(options.hosts))
    if len(set(hosts)) != len(hosts):
        raise profile_edits.EditError("the same --host was given twice")
    for name, _ in options.slow_host + options.host_clock:
        if name not in hosts:
            raise profile_edits.EditError(f"'{name}' is none of the hosts: {', '.join(hosts)}")
    for device, _ in options.slow_device:
        if not 0 <= device < options.devices:
            raise profile_edits.EditError(f"there is no device {device} of {options.devices}")
    same_named = ("seed", "devices", "steps", "first_step", "run_sd", "step_sd", "rho", "op_sd",
                  "warmup_slow")
    return profile_plan.Scenario(
        hosts=hosts, slow_hosts=tuple(options.slow_host), slow_devices=tuple(options.slow_device),
        input_stall_ps=options.input_stall_us * PS_PER_US,
        host_sleep_ps=options.host_sleep_us * PS_PER_US,
        **{name: getattr(options, name) for name in same_named})


def edits_of(options: argparse.Namespace) -> profile_edits.Edits:
    return profile_edits.Edits(
        slow=tuple(options.slow_op), add=tuple(options.add_op), drop=tuple(options.drop_op),
        fuse=tuple(options.fuse), exposed_comm=options.exposed_comm,
        same_program=options.same_program, renumber=options.renumber)


def plan_of(options: argparse.Namespace) -> profile_plan.Plan:
    scenario = scenario_of(options)
    device_type = options.device_type or workload.DEFAULT_DEVICE[options.kind]
    if workload.DEVICES[device_type].kind != options.kind:
        raise profile_edits.EditError(f"'{device_type}' is no {options.kind} device")
    program = workload.program_build(options.kind, model_of(options, len(scenario.hosts)),
                                     device_type)
    planted = profile_edits.edits_apply(program, edits_of(options))
    events = scenario.steps * scenario.devices * len(scenario.hosts)
    events *= sum(1 + op.trips * len(op.body) for op in program.ops)
    if events > MAX_EVENTS:
        raise profile_edits.EditError(f"{events} op events are too many to plan, at most "
                                      f"{MAX_EVENTS}; use make_large.py")
    return profile_plan.plan_build(program, scenario, planted)


def planes_of(plan: profile_plan.Plan, host: str,
              clock: profile_host.Clock) -> List[PlannedPlane]:
    if plan.program.kind == "tpu":
        return profile_tpu.tpu_planes(plan, host) + profile_host.host_planes(plan, host, clock, {})
    devices = profile_gpu.gpu_planes(plan, host)
    launches = profile_gpu.launches(devices)
    return devices + profile_host.host_planes(plan, host, clock, launches)


def run_time(options: argparse.Namespace, host_index: int) -> datetime:
    skew = timedelta(seconds=options.directory_skew_s * host_index)
    return FIRST_RUN + RUN_EVERY * options.seed + skew


def file_path(options: argparse.Namespace, host: str, host_index: int) -> str:
    if options.layout == "flat":
        return os.path.join(options.output, f"{host}.xplane.pb")
    time = run_time(options, host_index).strftime("%Y_%m_%d_%H_%M_%S")
    return os.path.join(options.output, "plugins", "profile", time, f"{host}.xplane.pb")


def file_make(options: argparse.Namespace, plan: profile_plan.Plan, host: str) -> Written:
    """Plans the planes of one host, adds up the truth, encodes."""
    index = plan.scenario.hosts.index(host)
    ahead_ns = dict(options.host_clock).get(host, 0) * 1000
    start_ns = int(FIRST_RUN.timestamp() + RUN_EVERY.total_seconds() * options.seed) * 10**9
    base_ns = TPU_HOST_BASE_NS if plan.program.kind == "tpu" else profile_gpu.BASE_NS
    clock = profile_host.Clock(start_ns + ahead_ns, base_ns)
    planes = planes_of(plan, host, clock)
    if options.aggregate_line:
        planes[0].tracks.append(aggregate_track(planes[0]))
    truth = profile_truth.truth_build(plan, host, planes)
    truth["clock_ahead_ns"] = ahead_ns
    if options.epoch_timestamps:
        profile_tracks.epoch_shift(planes, clock.start_ns)
        truth["overview"]["origin_ns"] += clock.start_ns
    data = profile_tracks.space_encode(planes, Encoding(
        field_order=options.field_order, sparse_ids=options.sparse_ids,
        unsorted_line=options.unsorted_line, warnings=tuple(options.warning),
        errors=tuple(options.error), hostnames=(host,)))
    path = file_path(options, host, index)
    truth["file"] = os.path.basename(path)
    truth["trace_sha256"] = hashlib.sha256(data).hexdigest()
    return Written(path, data, truth)


def aggregate_track(plane: PlannedPlane) -> profile_tracks.Track:
    """Events that are sums: they have no place in time and no reader may give them one."""
    base = plane.tracks[0].timestamp_ns
    return profile_tracks.Track("Aggregated Ops", 77, base,
                                aggregates=[("copy.aggregate", 12, 345_678), ("empty", 1, 0)])


def file_write(written: Written) -> None:
    os.makedirs(os.path.dirname(written.path) or ".", exist_ok=True)
    with open(written.path, "wb") as stream:
        stream.write(written.data)
    truth_path = written.path[:-len(".xplane.pb")] + ".truth.json"
    with open(truth_path, "w", encoding="ascii", newline="\n") as stream:
        # json.dump would write piece by piece, in Python.
        stream.write(json.dumps(written.truth, sort_keys=True, separators=(",", ":")) + "\n")


def ops_list(plan: profile_plan.Plan) -> None:
    """The ops of the first step on the first device, with their share of the step."""
    step = plan.device_steps[plan.scenario.hosts[0]][0][0]
    totals: Dict[str, int] = {}
    for span in step.spans:
        totals[span.op.label] = totals.get(span.op.label, 0) + span.self_ps
    print(f"{'label':24} {'name':34} {'category':22} {'us/step':>12} {'share':>7}")
    for op in plan.program.walk():
        share = totals[op.label] / (step.end_ps - step.start_ps)
        print(f"{op.label:24} {op.name:34} {op.category:22} "
              f"{totals[op.label] / PS_PER_US:12.3f} {share:7.2%}")


def main(arguments: Optional[List[str]] = None) -> int:
    parser = profile_options.parser_build()
    options = parser.parse_args(arguments)
    if not options.output and not options.list_ops:
        parser.error("--output DIR is needed")
    try:
        plan = plan_of(options)
    except profile_edits.EditError as error:
        parser.error(str(error))
    if options.list_ops:
        ops_list(plan)
        return 0
    for host in plan.scenario.hosts:
        written = file_make(options, plan, host)
        file_write(written)
        print(written.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
