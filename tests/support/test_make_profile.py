"""Checks made profiles: the bytes say what the truth says, and planted changes act as promised.

What: reads the bytes back with xplane_decoder.py and recomputes counts, self times and interval
unions in the simplest way, from the definitions in ingest/README.md §3-§6. Why: the truth
comes from the plan, so agreement means that both are right or both wrong in the same way.
What it does not do: it does not run the product.
"""

import contextlib
import functools
import io
import os
import re
import tempfile
import unittest
from typing import Dict, List, Tuple

import make_large
import make_profile
import profile_noise
import profile_options
import xplane_decoder
from xplane_decoder import Event, Space

SMALL = ["--output", "unused", "--layers", "2", "--steps", "4", "--devices", "2"]
VARIANTS = (
    ["--kind", "tpu"],
    ["--kind", "gpu"],
    ["--kind", "tpu", "--epoch-timestamps", "--sparse-ids", "--field-order", "reversed"],
    ["--kind", "gpu", "--epoch-timestamps", "--field-order", "metadata-first"],
    ["--kind", "tpu", "--input-stall-us", "700", "--host-sleep-us", "300", "--aggregate-line"],
    ["--kind", "tpu", "--slow-op", "attention=1.35", "--renumber", "5", "--exposed-comm", "3"],
    ["--kind", "gpu", "--add-op", "all-gather-extra:50@mlp_fwd", "--drop-op", "^final_norm$",
     "--fuse", "lm_head_fwd,loss=0.9"],
    ["--kind", "gpu", "--batch", "2", "--sequence", "256", "--dtype", "f32"],
)
# Noise of seed 1, written down once: a C library or Python version that changes it is found.
PINNED_FACTORS = ["0x1.fda655126be44p-1", "0x1.fe77593d18b1bp-1",
                  "0x1.ff4007c982386p-1"]
PINNED_RUN_FACTOR = "0x1.01133134d9538p+0"
STALL = re.compile("wait|barrier|dependency-wait|donation holds|semaphore|acquire|idle|blocked|"
                   "sleep", re.IGNORECASE)
COMMUNICATION = re.compile(
    "all-reduce|all_gather|all-gather|reduce-scatter|all-to-all|alltoall|collective|permute|psum|"
    "send|recv|nccl|allgather|allreduce|reducescatter", re.IGNORECASE)


@functools.lru_cache(maxsize=None)
def make(*options: str) -> List[make_profile.Written]:
    """The files of a run, not written: later options win over SMALL's."""
    parsed = profile_options.parser_build().parse_args(SMALL + list(options))
    plan = make_profile.plan_of(parsed)
    return [make_profile.file_make(parsed, plan, host) for host in plan.scenario.hosts]


@functools.lru_cache(maxsize=None)
def decode(data: bytes) -> Space:
    return xplane_decoder.space_read(data)


def self_times(events: List[Event]) -> List[Tuple[str, int]]:
    """(name, self time) by the stack rule of §5."""
    rows, stack = [], []

    def pop() -> None:
        event, inner = stack.pop()
        rows.append((event.name, max(0, event.duration_ps - inner)))
        if stack:
            stack[-1][1] += event.duration_ps

    for event in sorted(events, key=lambda item: (item.start_ps, -item.duration_ps)):
        end = event.start_ps + event.duration_ps
        while stack and event.start_ps >= stack[-1][0].start_ps + stack[-1][0].duration_ps:
            pop()
        while stack and end > stack[-1][0].start_ps + stack[-1][0].duration_ps:
            pop()
        stack.append([event, 0])
    while stack:
        pop()
    return rows


def timed(events: List[Event]) -> List[Event]:
    return [event for event in events if event.duration_ps > 0 and not event.occurrences]


def is_op_line(name: str) -> bool:
    return name in ("XLA Ops", "Async XLA Ops") or name.startswith("Stream #")


def ops_decoded(space: Space) -> Dict[Tuple[str, str], List[int]]:
    """(line, name) -> [count, total, self] over all devices."""
    rows: Dict[Tuple[str, str], List[int]] = {}
    for plane in space.planes:
        for line in plane.lines:
            if plane.name.startswith("/device:") and is_op_line(line.name):
                events = timed(line.events)
                for event in events:
                    row = rows.setdefault((line.name, event.name), [0, 0, 0])
                    row[0] += 1
                    row[1] += event.duration_ps
                for name, own in self_times(events):
                    rows[line.name, name][2] += own
    return rows


def covered(groups: List[List[Event]], wanted: str) -> int:
    """Time during which the groups that are active spell `wanted`: 'x' active, '.' not, '?' any."""
    marks = []
    for index, events in enumerate(groups):
        for event in events:
            marks += [(event.start_ps, index, 1), (event.start_ps + event.duration_ps, index, -1)]
    active, total, before = [0] * len(groups), 0, 0
    for time, index, change in sorted(marks):
        state = zip(wanted, active)
        if all(mark == "?" or (mark == "x") == (count > 0) for mark, count in state):
            total += time - before
        active[index] += change
        before = time
    return total


def category(plane_name: str, event_name: str) -> str:
    """§5.1, by name alone."""
    if STALL.search(event_name):
        return "stall"
    if plane_name.startswith("/host:"):
        return "host"
    return "communication" if COMMUNICATION.search(event_name) else "compute"


class Agreement(unittest.TestCase):
    """Decoded bytes against the truth, for every variant."""

    def for_variants(self, check) -> None:
        for options in VARIANTS:
            with self.subTest(options=options):
                written = make(*options)[0]
                check(decode(written.data), written.truth)

    def test_counts_and_bounds_agree(self):
        def check(space: Space, truth: Dict) -> None:
            lines = [line for plane in space.planes for line in plane.lines]
            events = [event for line in lines for event in timed(line.events)]
            origin = min(line.timestamp_ns for line in lines)
            self.assertEqual(truth["overview"], {
                "num_processes": len(space.planes), "num_threads": len(lines),
                "num_events_total": sum(len(line.events) for line in lines),
                "num_complete_events": len(events), "origin_ns": origin,
                "start_ps": min(event.start_ps for event in events) - origin * 1000,
                "end_ps": max(e.start_ps + e.duration_ps for e in events) - origin * 1000})
            keys = {(plane.name, line.line_id) for plane in space.planes for line in plane.lines}
            self.assertEqual(len(keys), len(lines))

        self.for_variants(check)

    def test_ops_agree_to_the_picosecond(self):
        def check(space: Space, truth: Dict) -> None:
            planned = {(row["line"], row["name"]): [row["count"], row["total_ps"], row["self_ps"]]
                       for row in truth["ops"]}
            self.assertEqual(ops_decoded(space), planned)
            for row in truth["ops"]:
                for name in ("count", "total_ps", "self_ps"):
                    parts = sum(part[name] for part in row["devices"].values())
                    self.assertEqual(parts, row[name])

        self.for_variants(check)

    def test_lines_add_up_and_self_time_is_root_time(self):
        def check(space: Space, truth: Dict) -> None:
            planned = {(row["plane"], row["line"]): row for row in truth["lines"]}
            for plane in space.planes:
                for line in plane.lines:
                    row = planned[plane.name, line.name]
                    self.assertEqual(row["total_ps"],
                                     sum(event.duration_ps for event in timed(line.events)))
                    own = sum(own for _, own in self_times(timed(line.events)))
                    self.assertEqual(row["self_ps"], own)
                    if line.name != "Async XLA Ops":
                        self.assertEqual(own, covered([timed(line.events)], "x"))

        self.for_variants(check)

    def test_unions_per_device_agree(self):
        def check(space: Space, truth: Dict) -> None:
            for plane in space.planes:
                if plane.name.startswith("/device:"):
                    self.check_device(plane, truth["devices"][plane.name])

        self.for_variants(check)

    def check_device(self, plane: xplane_decoder.Plane, planned: Dict) -> None:
        ops = [event for line in plane.lines if is_op_line(line.name)
               and line.name != "Async XLA Ops" for event in timed(line.events)]
        everything = [event for line in plane.lines if is_op_line(line.name)
                      for event in timed(line.events)]
        compute = [event for event in ops if category(plane.name, event.name) == "compute"
                   and not re.match(r"while|copy-start|copy-done|Memcpy", event.name)]
        exchange = [event for event in everything
                    if category(plane.name, event.name) == "communication"]
        copies = [event for event in everything
                  if re.match(r"copy-start|copy-done|async-copy|Memcpy", event.name)]
        groups = [compute, exchange, copies]
        self.assertEqual(planned["busy_ps"], covered([ops], "x"))
        self.assertEqual(planned["compute_ps"], covered(groups, "x??"))
        self.assertEqual(planned["communication_ps"], covered(groups, "?x?"))
        self.assertEqual(planned["exposed_communication_ps"], covered(groups, ".x?"))
        self.assertEqual(planned["overlapped_communication_ps"], covered(groups, "xx?"))
        self.assertEqual(planned["copy_ps"], covered(groups, "??x"))
        self.assertEqual(planned["exposed_copy_ps"], covered(groups, "..x"))
        window = max(e.start_ps + e.duration_ps for e in ops) - min(e.start_ps for e in ops)
        self.assertEqual(planned["window_ps"], window)
        self.assertEqual(planned["idle_ps"], window - planned["busy_ps"])

    def test_breakdown_by_name_agrees_with_the_planned_roles(self):
        def check(space: Space, truth: Dict) -> None:
            totals = dict.fromkeys(("compute", "communication", "host", "stall", "other"), 0)
            for plane in space.planes:
                for line in plane.lines:
                    if line.name != "Steps":
                        for name, own in self_times(timed(line.events)):
                            totals[category(plane.name, name)] += own
            self.assertEqual(totals, truth["breakdown_per_track_ps"])

        self.for_variants(check)

    def test_steps_agree(self):
        def check(space: Space, truth: Dict) -> None:
            origin = truth["overview"]["origin_ns"] * 1000
            host = next(plane for plane in space.planes if plane.name == "/host:CPU")
            train = {event.stats["step_num"]: (event.start_ps - origin, event.duration_ps)
                     for line in host.lines for event in line.events if event.name == "train"}
            self.assertEqual(train, {row["number"]: (row["host_start_ps"], row["host_duration_ps"])
                                     for row in truth["steps"]})
            for plane in space.planes:
                for line in plane.lines:
                    if line.name == "Steps":
                        steps = {int(e.name): (e.start_ps - origin, e.duration_ps)
                                 for e in line.events}
                        planned = {row["number"]: row["devices"][plane.name]
                                   for row in truth["steps"]}
                        self.assertEqual(steps, {number: (row["start_ps"], row["duration_ps"])
                                                 for number, row in planned.items()})

        self.for_variants(check)

    def test_every_op_line_is_in_order_and_children_lie_within(self):
        def check(space: Space, truth: Dict) -> None:
            for plane in space.planes:
                for line in plane.lines:
                    keys = [(e.start_ps, -e.duration_ps) for e in timed(line.events)]
                    self.assertEqual(keys, sorted(keys), (plane.name, line.name))

        self.for_variants(check)

    def test_device_facts_agree(self):
        for kind, key in (("tpu", "device_type_string"), ("gpu", "gpu_device_name")):
            written = make("--kind", kind)[0]
            space = xplane_decoder.space_read(written.data)
            devices = [plane for plane in space.planes if plane.name.startswith("/device:")]
            self.assertEqual(len(devices), written.truth["device_count"])
            self.assertEqual({plane.stats[key] for plane in devices},
                             {written.truth["device_type"]})
            self.assertEqual(space.hostnames, [written.truth["host"]])


class Determinism(unittest.TestCase):
    def test_same_seed_same_bytes_and_another_seed_others(self):
        for kind in ("tpu", "gpu"):
            once = make("--kind", kind)[0]
            make.cache_clear()
            again = make("--kind", kind)[0]
            self.assertEqual(once, again)
            self.assertNotEqual(once.data, make("--kind", kind, "--seed", "2")[0].data)

    def test_noise_is_the_same_on_every_machine(self):
        factors = [factor.hex() for factor in profile_noise.step_factors(1, 3, 0.006, 0.4)]
        self.assertEqual(factors, PINNED_FACTORS)
        self.assertEqual(profile_noise.run_factor(1, 0.004).hex(), PINNED_RUN_FACTOR)

    def test_noise_has_the_deviation_and_the_autocorrelation_asked_for(self):
        logs = [factor - 1 for factor in profile_noise.step_factors(3, 20000, 0.006, 0.4)]
        mean = sum(logs) / len(logs)
        centred = [value - mean for value in logs]
        variance = sum(value * value for value in centred) / len(centred)
        lagged = sum(a * b for a, b in zip(centred, centred[1:])) / len(centred)
        self.assertAlmostEqual(variance ** 0.5, 0.006, delta=0.0003)
        self.assertAlmostEqual(lagged / variance, 0.4, delta=0.03)

    def test_the_default_tpu_file_is_small(self):
        options = ["--layers", "8", "--steps", "20", "--devices", "4"]
        written = make(*options)[0]
        self.assertLess(len(written.data), 700_000)
        ops = [row for row in written.truth["lines"] if row["line"] == "XLA Ops"]
        self.assertEqual({row["events"] for row in ops}, {2000})


class CommandLine(unittest.TestCase):
    def run_main(self, *options: str) -> Tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = make_profile.main(list(options))
            except SystemExit as stop:
                code = stop.code
        return code, out.getvalue(), err.getvalue()

    def test_writes_a_file_and_its_truth_per_host_in_either_layout(self):
        small = SMALL[2:] + ["--host", "a", "--host", "b", "--directory-skew-s", "2"]
        for layout, names in (
                ("levanter", ["plugins/profile/2026_01_05_07_37_00/a",
                              "plugins/profile/2026_01_05_07_37_02/b"]),
                ("flat", ["a", "b"])):
            with tempfile.TemporaryDirectory() as folder:
                code, out, _ = self.run_main("--output", folder, "--layout", layout, *small)
                self.assertEqual(code, 0)
                paths = [os.path.join(folder, name + ".xplane.pb") for name in names]
                self.assertEqual(out.splitlines(), paths)
                for name in names:
                    self.assertTrue(os.path.exists(os.path.join(folder, name + ".truth.json")))

    def test_wrong_usage_exits_2_and_says_why(self):
        for options, text in (
                ([], "--output DIR is needed"),
                (["--slow-op", "nothing_like_it=2"], "no op matches 'nothing_like_it'"),
                (["--slow-op", "mlp_fwd=fast"], "--slow-op"),
                (["--add-op", "x:5@nowhere"], "no op has the label 'nowhere'"),
                (["--fuse", "qkv_fwd,mlp_fwd"], "does not follow"),
                (["--drop-op", "grad_allreduce_start"], "half of an asynchronous pair"),
                (["--slow-host", "c=2"], "none of the hosts"),
                (["--slow-device", "9=2"], "no device 9"),
                (["--device-type", "TPU v5e", "--kind", "gpu"], "is no gpu device"),
                (["--steps", "0"], "not between"),
                (["--steps", "99999"], "use make_large.py"),
                (["--slow-op", "=2"], "the pattern is empty"),
                (["--slow-op", "[=2"], "is no PATTERN=FACTOR"),
                (["--drop-op", "("], "is no PATTERN"),
                (["--drop-op", "fwd$"], "is the last op of its loop"),
                (["--slow-device", "0=1/0"], "is no N=FACTOR"),
                (["--host", "../a"], "is no host name"),
                (["--seeds", "3"], "unrecognized")):
            given = options + (["--output", "unused"] if options else [])
            code, _, err = self.run_main(*given)
            self.assertEqual(code, 2, options)
            self.assertIn(text, err)

    def test_lists_the_ops_with_their_shares(self):
        code, out, _ = self.run_main("--list-ops")
        self.assertEqual(code, 0)
        shares = [float(line.split()[-1][:-1]) for line in out.splitlines()[1:]]
        self.assertAlmostEqual(sum(shares), 100, delta=0.2)
        self.assertIn("attention_bwd", out)


class Large(unittest.TestCase):
    def test_a_large_file_says_what_its_truth_says(self):
        for unsorted in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "large.xplane.pb")
                truth = make_large.large_write(path, 3_000_000, 1, unsorted)
                with open(path, "rb") as stream:
                    space = xplane_decoder.space_read(stream.read())
            events = [event for plane in space.planes for line in plane.lines
                      for event in line.events]
            self.assertEqual(len(events), truth["num_events_total"])
            planned = {("XLA Ops", row["name"]): [row["count"], row["total_ps"], row["self_ps"]]
                       for row in truth["ops"]}
            self.assertEqual(ops_decoded(space), planned)
            starts = [event.start_ps for event in space.planes[0].lines[1].events]
            self.assertEqual(starts != sorted(starts), unsorted)


if __name__ == "__main__":
    unittest.main()
