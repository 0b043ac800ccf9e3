"""Checks that planted changes of a made profile do what they promise, and nothing else.

What: compares the truths of two runs that differ in one option, and the order of events where no
sum shows it. Why: the gate's tests rest on "this op is slower by just so much, and the step too".
What it does not do: that truth and bytes agree is shown by test_make_profile.py.
"""

import unittest
from typing import Dict, List

import profile_host
import workload
import xplane_decoder
from test_make_profile import decode, make


def truth(*options: str) -> Dict:
    return make(*options)[0].truth


def hlo_proto(batch: int) -> bytes:
    program = workload.program_build("tpu", workload.Model(batch=batch), "TPU v5e")
    workload.program_number(program, 0)
    program.program_id = 1
    return profile_host.hlo_proto(program)


def device_plane(*options: str) -> xplane_decoder.Plane:
    """The first device, read back from the bytes."""
    space = decode(make(*options)[0].data)
    return next(plane for plane in space.planes if plane.name.startswith("/device:"))


def step_times(document: Dict) -> List[int]:
    """Durations of all steps on all devices, in order."""
    return [device["duration_ps"] for row in document["steps"]
            for device in row["devices"].values()]


def members(document: Dict, name: str) -> List[int]:
    return [row[name] for row in document["steps"]]


def op_totals(document: Dict, key: str = "self_ps") -> Dict[str, int]:
    """Self time by the planned op, whatever it is called."""
    return {(row["line"], row["labels"][0]): row[key] for row in document["ops"]}


def differences(before: Dict, after: Dict) -> Dict:
    old, new = op_totals(before), op_totals(after)
    return {key: new.get(key, 0) - old.get(key, 0) for key in old.keys() | new.keys()
            if new.get(key, 0) != old.get(key, 0)}


class Program(unittest.TestCase):
    def test_a_slow_op_lengthens_the_step_by_just_its_own_time(self):
        for kind, line in (("tpu", "XLA Ops"), ("gpu", "Stream #20(Kernel,MemcpyH2D)")):
            before, after = truth("--kind", kind), truth("--kind", kind, "--slow-op", "mlp_bwd=1.5")
            extra = after["planted_extra_ps"]["mlp_bwd"]
            self.assertEqual(sum(step_times(after)) - sum(step_times(before)), extra)
            self.assertEqual(differences(before, after), {(line, "mlp_bwd"): extra})
            ratio = op_totals(after)[line, "mlp_bwd"] / op_totals(before)[line, "mlp_bwd"]
            self.assertAlmostEqual(ratio, 1.5, places=6)

    def test_the_planted_op_is_the_first_culprit_beside_another_seed_and_compilation(self):
        before = truth("--layers", "8", "--seed", "1")
        after = truth("--layers", "8", "--seed", "2", "--renumber", "9",
                      "--slow-op", "attention_bwd=1.6")
        moved = differences(before, after)
        largest = max((key for key in moved if key[0] == "XLA Ops"), key=lambda key: moved[key])
        self.assertEqual(largest, ("XLA Ops", "attention_bwd"))

    def test_the_demonstration_slow_down_is_four_to_six_percent_of_the_step(self):
        before = truth("--layers", "8")
        after = truth("--layers", "8", "--slow-op", "attention=1.35")
        self.assertEqual([item["labels"] for item in after["planted"]],
                         [["attention_fwd", "attention_recompute", "attention_bwd"]])
        ratio = sum(step_times(after)) / sum(step_times(before)) - 1
        self.assertTrue(0.04 < ratio < 0.06, ratio)

    def test_slower_code_changes_the_fingerprint_but_a_slower_machine_does_not(self):
        plain = truth()["program_id"]
        self.assertNotEqual(truth("--slow-op", "mlp_fwd=2")["program_id"], plain)
        for options in (("--slow-op", "mlp_fwd=2", "--same-program"), ("--slow-device", "1=2"),
                        ("--seed", "5"), ("--input-stall-us", "9")):
            self.assertEqual(truth(*options)["program_id"], plain, options)

    def test_other_shapes_are_another_program(self):
        """In what the proto holds, not in its id alone."""
        protos = [hlo_proto(batch) for batch in (8, 8, 16)]
        self.assertEqual(protos[0], protos[1])
        self.assertNotEqual(protos[0], protos[2])

    def test_a_recompile_renumbers_every_op_and_changes_nothing_else(self):
        before, after = truth(), truth("--renumber", "3")
        names = [{row["name"] for row in document["ops"]} for document in (before, after)]
        self.assertEqual(names[0] & names[1], {"async-copy", "async-collective"})
        self.assertEqual(op_totals(before), op_totals(after))
        self.assertEqual(step_times(before), step_times(after))
        self.assertNotEqual(before["program_id"], after["program_id"])
        signatures = [{item["label"]: {key: value for key, value in item.items()
                                       if key != "hlo_name"}
                       for row in document["ops"] for item in row["signatures"]}
                      for document in (before, after)]
        self.assertEqual(signatures[0], signatures[1])

    def test_exposed_communication_grows_and_hidden_communication_stays(self):
        for kind in ("tpu", "gpu"):
            before, after = truth("--kind", kind), truth("--kind", kind, "--exposed-comm", "4")
            extra = sum(after["planted_extra_ps"].values())
            self.assertEqual(sum(step_times(after)) - sum(step_times(before)), extra)
            grown = 0
            for name, device in before["devices"].items():
                other = after["devices"][name]
                grown += other["exposed_communication_ps"] - device["exposed_communication_ps"]
                self.assertEqual(other["overlapped_communication_ps"],
                                 device["overlapped_communication_ps"])
                self.assertEqual(other["compute_ps"], device["compute_ps"])
            self.assertEqual(grown, extra)

    def test_added_dropped_and_fused_ops_leave_all_others_as_they_were(self):
        before = truth()
        for options, gone, new in (
                (("--add-op", "copy_extra:40"), [], ["copy_extra"]),
                (("--drop-op", "^embedding_bwd$"), ["embedding_bwd"], []),
                (("--fuse", "lm_head_fwd,loss=0.5"), ["lm_head_fwd", "loss"],
                 ["lm_head_fwd_loss"])):
            after = truth(*options)
            moved = {label for line, label in differences(before, after)}
            self.assertEqual(moved, set(gone + new), options)
            old, labels = op_totals(before), op_totals(after)
            self.assertTrue(all(("XLA Ops", label) not in labels for label in gone), options)
            self.assertTrue(all(("XLA Ops", label) not in old for label in new), options)

    def test_a_fusion_takes_its_factor_of_the_time_of_both(self):
        quiet = ("--op-sd", "0", "--run-sd", "0", "--step-sd", "0")
        before = op_totals(truth(*quiet))
        after = op_totals(truth(*quiet, "--fuse", "lm_head_fwd,loss=0.5"))
        parts = before["XLA Ops", "lm_head_fwd"] + before["XLA Ops", "loss"]
        self.assertAlmostEqual(after["XLA Ops", "lm_head_fwd_loss"] / parts, 0.5, places=5)

    def test_an_added_op_stands_right_after_the_one_that_was_named(self):
        plane = device_plane("--add-op", "copy_extra:40@embedding_fwd")
        ops = sorted(next(line for line in plane.lines if line.name == "XLA Ops").events,
                     key=lambda event: event.start_ps)
        stems = [event.name.rpartition(".")[0] for event in ops]
        at = stems.index("copy_extra")
        self.assertIn("embedding/take", ops[at - 1].stats["tf_op"])
        self.assertEqual(stems[at + 1], "while")

    def test_an_added_op_takes_its_time_on_every_trip(self):
        after = truth("--add-op", "copy_extra:40@mlp_fwd", "--op-sd", "0", "--run-sd", "0",
                      "--step-sd", "0")
        row = next(row for row in after["ops"] if row["labels"] == ["copy_extra"])
        self.assertEqual(row["count"], 2 * 4 * 2)
        self.assertAlmostEqual(row["total_ps"] / row["count"], 40_000_000, delta=200_000)


class Machine(unittest.TestCase):
    def test_an_input_stall_moves_the_period_and_no_step(self):
        for kind in ("tpu", "gpu"):
            before = truth("--kind", kind)
            after = truth("--kind", kind, "--input-stall-us", "700")
            self.assertEqual(step_times(before), step_times(after))
            self.assertEqual(members(before, "host_duration_ps"),
                             members(after, "host_duration_ps"))
            for old, new in zip(before["steps"][:-1], after["steps"][:-1]):
                self.assertEqual(new["load_duration_ps"] - old["load_duration_ps"], 700_000_000)
                for name, device in old["devices"].items():
                    self.assertEqual(new["devices"][name]["period_ps"] - device["period_ps"],
                                     700_000_000)

    def test_the_stages_of_an_input_thread_follow_each_other_even_when_stalled(self):
        space = decode(make("--input-stall-us", "900000")[0].data)
        host = next(plane for plane in space.planes if plane.name == "/host:CPU")
        threads = [line for line in host.lines if line.name.startswith("prefetch/")]
        self.assertEqual(len(threads), 2)
        for line in threads:
            for before, after in zip(line.events, line.events[1:]):
                self.assertLessEqual(before.start_ps + before.duration_ps, after.start_ps)

    def test_a_sleeping_host_lengthens_the_annotation_and_no_device_step(self):
        before, after = truth("--kind", "gpu"), truth("--kind", "gpu", "--host-sleep-us", "300")
        self.assertEqual(step_times(before), step_times(after))
        grown = [new - old for old, new in zip(members(before, "host_duration_ps"),
                                               members(after, "host_duration_ps"))]
        self.assertEqual(set(grown), {300_000_000})
        self.assertEqual(after["breakdown_per_track_ps"]["stall"]
                         - before["breakdown_per_track_ps"]["stall"], 4 * (300_000_000 - 200_000))

    def test_one_slow_device_is_slow_alone_and_the_next_step_waits_for_it(self):
        before, after = truth(), truth("--slow-device", "1=1.2")
        for old, new in zip(before["steps"], after["steps"]):
            first, second = "/device:TPU:0", "/device:TPU:1"
            self.assertEqual(new["devices"][first]["duration_ps"],
                             old["devices"][first]["duration_ps"])
            ratio = (new["devices"][second]["duration_ps"] / old["devices"][second]["duration_ps"])
            self.assertAlmostEqual(ratio, 1.2, places=2)
            self.assertEqual(new["max_duration_ps"], new["devices"][second]["duration_ps"])
        periods = [row["devices"]["/device:TPU:0"]["period_ps"] for row in after["steps"][:-1]]
        self.assertTrue(all(period > row["max_duration_ps"]
                            for period, row in zip(periods, after["steps"])))

    def test_one_slow_host_is_slow_alone(self):
        options = ("--host", "a", "--host", "b")
        before, after = make(*options), make(*options, "--slow-host", "b=1.05")
        self.assertEqual(step_times(before[0].truth), step_times(after[0].truth))
        ratio = sum(step_times(after[1].truth)) / sum(step_times(before[1].truth))
        self.assertAlmostEqual(ratio, 1.05, places=3)

    def test_hosts_of_one_run_share_their_steps_and_their_times_differ(self):
        files = make("--host", "a", "--host", "b", "--host-clock", "b=1500", "--epoch-timestamps")
        numbers = [members(written.truth, "number") for written in files]
        self.assertEqual(numbers[0], numbers[1])
        self.assertNotEqual(step_times(files[0].truth), step_times(files[1].truth))
        origins = [written.truth["overview"]["origin_ns"] for written in files]
        self.assertEqual(origins[1] - origins[0], 1_500_000)

    def test_no_device_begins_a_step_before_all_hosts_have_dispatched_it(self):
        files = make("--host", "a", "--host", "b", "--slow-host", "b=1.1")
        for rows in zip(*(written.truth["steps"] for written in files)):
            begins = [device["start_ps"] for row in rows for device in row["devices"].values()]
            self.assertGreater(min(begins), max(row["host_start_ps"] for row in rows))

    def test_warm_up_steps_are_slow_and_come_first(self):
        times = members(truth("--warmup-slow", "2", "--first-step", "0"), "max_duration_ps")
        self.assertGreater(min(times[:2]), 1.6 * max(times[2:]))

    def test_a_bigger_batch_takes_longer_and_shows_in_the_shapes(self):
        before, after = truth(), truth("--batch", "16")
        self.assertGreater(sum(step_times(after)), 1.5 * sum(step_times(before)))
        shapes = [item["result"] for row in after["ops"] for item in row["signatures"]]
        self.assertTrue(any(shape.startswith("bf16[16,1024") for shape in shapes))


class Transfers(unittest.TestCase):
    def test_a_tpu_flight_lasts_from_its_start_op_to_the_end_of_its_done_op(self):
        lines = {line.name: line.events for line in device_plane().lines}
        begins = {event.start_ps: event.name for event in lines["XLA Ops"]}
        ends = {(event.name, event.start_ps + event.duration_ps) for event in lines["XLA Ops"]}
        self.assertEqual(len(lines["Async XLA Ops"]), 3 * 4)
        for event in lines["Async XLA Ops"]:
            start_name = begins[event.start_ps].rpartition(".")[0]
            done_name = event.stats["hlo_op"].rpartition(".")[0]
            self.assertEqual(start_name.replace("-start", "-done"), done_name)
            self.assertIn((event.stats["hlo_op"], event.start_ps + event.duration_ps), ends)

    def test_gpu_compute_goes_on_right_after_the_communication_it_waited_for(self):
        lines = {line.name: line.events for line in device_plane("--kind", "gpu").lines}
        others = [event.start_ps for name, events in lines.items() for event in events
                  if event.duration_ps]
        for event in lines["Stream #24(Kernel)"]:
            end = event.start_ps + event.duration_ps
            after = min(start for start in others if start >= end)
            self.assertLess(after - end, 1_000_000, event.name)


class Clocks(unittest.TestCase):
    def test_the_device_clock_of_a_tpu_lags_by_the_same_time_everywhere(self):
        lags = set()
        for line in device_plane().lines:
            for event in line.events:
                if "device_offset_ps" in event.stats:
                    lags.add(event.start_ps - event.stats["device_offset_ps"])
                    self.assertEqual(event.stats["device_duration_ps"], event.duration_ps)
        self.assertEqual(lags, {43_017_250})


class Bytes(unittest.TestCase):
    def test_an_unsorted_line_holds_the_same_events_in_another_order(self):
        for kind, name in (("tpu", "XLA Ops"), ("gpu", "Stream #20(Kernel,MemcpyH2D)")):
            lines = []
            for options in (("--kind", kind), ("--kind", kind, "--unsorted-line")):
                device = device_plane(*options)
                lines.append(next(line for line in device.lines if line.name == name).events)
            starts = [[event.start_ps for event in line] for line in lines]
            self.assertEqual(starts[0], sorted(starts[0]))
            self.assertNotEqual(starts[1], starts[0])
            self.assertEqual(sorted(starts[1]), starts[0])

    def test_warnings_and_errors_are_carried(self):
        written = make("--warning", "events dropped", "--error", "collector failed")[0]
        space = decode(written.data)
        self.assertEqual((space.warnings, space.errors), (["events dropped"], ["collector failed"]))


if __name__ == "__main__":
    unittest.main()
