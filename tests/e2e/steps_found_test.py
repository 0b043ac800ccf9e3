"""Steps and warm-up of captures as people leave them: marked or not, with devices or without.

What: jobs of job_capture.py are summarized by the binary, and the steps are compared with what was
drawn; the real profiles, where they are, have the table of methods and steps below. Why apart from
the unit tests: what makes a step is spread over host threads, kernels and ids.
"""

import gzip
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build/stepledger"))
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", ROOT.parent / "shared"))

import gpu_job  # noqa: E402
import job_capture  # noqa: E402
import make_export  # noqa: E402
import marked_trace  # noqa: E402
import trace_writer  # noqa: E402
import xplane_decoder  # noqa: E402

US = 10**6  # picoseconds

# Real profiles: the method, the steps, and those left out as warm-up with their reasons.
REAL_STEPS = {
    "AMD-AGI__TraceLens__mi300-jax08_elementwise": ("program_launch", 5, {}),
    "AMD-AGI__TraceLens__mi300-jax08_gemm": ("program_launch", 3, {}),
    "AMD-AGI__TraceLens__mi300-jax_conv_minimal_08": ("program_launch", 5, {}),
    "AMD-AGI__TraceLens__mi300x-jax_conv_minimal_legacy": ("program_launch", 5, {}),
    "ecbme4040__e4040-2022fall-assign2-yg2820__gpu-20221104-212612": ("steps_line", 1, {}),
    "ecbme4040__e4040-2022fall-assign2-yg2820__gpu-20221104-213656": ("steps_line", 1, {}),
    "ecbme4040__e4040-2022fall-assign2-yg2820__gpu-20221104-215724": ("steps_line", 1, {}),
    "ecbme4040__e4040-2022fall-assign2-yg2820__mac-20221031-190908": ("host_call", 1, {}),
    "ecbme4040__e4040-2023fall-assign2-hd2551__gpu-20231107-181859": ("steps_line", 1, {}),
    "ecbme4040__e4040-2023fall-assign2-hd2551__gpu-20231107-181933": ("steps_line", 1, {}),
    "ecbme4040__e4040-2023fall-assign2-hd2551__gpu-20231107-182427": ("steps_line", 1, {}),
    "ecbme4040__e4040-2023fall-assign2-hd2551__gpu-20231107-182502": ("steps_line", 1, {}),
    "ecbme4040__e4040-2023fall-assign2-hd2551__gpu-20231107-184127": ("steps_line", 1, {}),
    "openxla__xprof__GPU-multi-worker-34.83.195.179_6003": ("steps_line", 1, {}),
    "openxla__xprof__tpu_inference_2-valid": ("module_run", 100, {}),
}


def summarize(path, *options):
    command = [BINARY, "summarize", "--xplane-file", str(path), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def left_out(steps):
    return {row["number"]: row["warmup_reason"] for row in steps["rows"] if row["warmup"]}


class MadeCaptures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def summary(self, *options, **job):
        files = job_capture.host_files(job_capture.Job(**{"seed": 7, "hosts": 1, **job}))
        path = pathlib.Path(self.folder.name) / "a.xplane.pb"
        path.write_bytes(files[0].data)
        return summarize(path, *options)

    def test_finds_the_steps_of_every_recipe(self):
        for kind, first, lines, method, others in (
                ("tpu", None, True, "module_run", []),
                ("tpu", 5, True, "steps_line", ["module_run", "host_annotation"]),
                ("gpu", None, True, "program_launch", []),
                ("gpu", 0, True, "step_annotation", ["program_launch", "host_annotation"]),
                ("gpu", 3, False, "host_annotation", ["host_call"]),
                ("gpu", None, False, "host_call", [])):
            for steps in (1, 2, 5, 20):
                with self.subTest(kind=kind, first=first, lines=lines, steps=steps):
                    found = self.summary(kind=kind, first_step=first, device_lines=lines,
                                         steps=steps)
                    table = found["steps"]
                    self.assertEqual((table["method"], len(table["rows"]), table["steady_count"]),
                                     (method, steps, steps))
                    self.assertEqual([t["method"] for t in found["other_steps"]], others)
                    self.assertEqual(table["program"], {
                        "module_run": "jit_train_step", "program_launch": "jit_train_step",
                        "host_call": "PjitFunction(train_step)"}.get(method))
                    for other in found["other_steps"]:
                        self.assertEqual(other["steady_count"], steps)
                    numbers = [row["number"] for row in table["rows"]]
                    self.assertEqual(numbers[0], first or 0)
                    wanted = job_capture.COMPUTE_PS + job_capture.COLLECTIVE_PS
                    self.assertAlmostEqual(table["steady_median_us"] * US / wanted, 1, delta=.1)

    def test_launches_beside_marks_are_those_that_unmarked_files_have(self):
        marked = self.summary(kind="gpu", first_step=3, steps=6, warm_up=(3.,))
        bare = self.summary(kind="gpu", first_step=None, steps=6, warm_up=(3.,))
        launches = marked["other_steps"][0]
        self.assertEqual(bare["steps"]["method"], "program_launch")
        self.assertEqual(launches["rows"], bare["steps"]["rows"])
        self.assertEqual(launches["program"], bare["steps"]["program"])
        self.assertEqual(left_out(launches), {0: "apart"})
        # What lies between two launches is of a step, and of no launch.
        self.assertLess(launches["steady_median_us"], marked["steps"]["steady_median_us"])

    def test_steps_that_launch_twice_are_no_launches(self):
        found = self.summary(kind="gpu", first_step=0, steps=10, calls_per_mark=2)
        self.assertEqual(len(found["steps"]["rows"]), 5)
        self.assertEqual([t["method"] for t in found["other_steps"]], ["host_annotation"])

    def test_work_that_no_annotation_holds_is_of_no_step(self):
        # An evaluation between steps, and one behind the last of them, every other step and single
        # ones: in files whose kernels name their launches, and in those where only the time tells.
        for unmarked, count in (((8, 9, 10, 11, 17, 18, 19), 13), (tuple(range(1, 20)), 1),
                                ((1, 2, 3, 4, 5, 6, 8, 9, 10, 11), 10),
                                (tuple(range(1, 20, 2)), 10), ((1, 3, 6, 9, 10, 12, 14, 15), 12),
                                (tuple(i for i in range(20) if i % 5), 4)):
            for correlated in (True, False):
                with self.subTest(unmarked=unmarked, correlated=correlated):
                    found = self.summary(kind="gpu", first_step=0, steps=20, unmarked=unmarked,
                                         correlated=correlated)
                    lengths = [row["max_us"] * US for row in found["steps"]["rows"]]
                    self.assertEqual(len(lengths), count)
                    wanted = job_capture.COMPUTE_PS + job_capture.COLLECTIVE_PS
                    for length in lengths:
                        self.assertAlmostEqual(length / wanted, 1, delta=.15)
                    ops = len(unmarked) * 2 * (len(job_capture.OPS) + 2)
                    told = re.search(r"([0-9]+) ops of devices \(.* are of no step",
                                     "\n".join(found["coverage"]["warnings"]))
                    # By their start the first small kernels are of the step that just ended.
                    self.assertAlmostEqual(int(told[1]), ops, delta=0 if correlated else 40)

    def test_steps_without_a_mark_are_counted_by_the_numbers_of_the_others(self):
        told = " no annotation, by the numbers of those that have one"
        for unmarked, count in (((3, 8, 9), "3 steps have"), ((3,), "1 step has"),
                                (tuple(range(1, 20, 2)), "9 steps have"), ((18, 19), None)):
            # Annotations that hold all launches of their steps, and those that hold a few.
            for annotated_us in (0, 30):
                if annotated_us > 0 and len(unmarked) > 5:
                    continue  # where all numbers are as far apart only the lengths tell
                with self.subTest(unmarked=unmarked, annotated_us=annotated_us):
                    found = self.summary(kind="gpu", first_step=0, steps=20, unmarked=unmarked,
                                         annotated_us=annotated_us)
                    whole = self.summary(kind="gpu", first_step=0, steps=20)
                    spans = {row["number"]: row["spans"] for row in whole["steps"]["rows"]}
                    self.assertEqual(
                        {row["number"]: row["spans"] for row in found["steps"]["rows"]},
                        {number: own for number, own in spans.items() if number not in unmarked})
                    warnings = [w for w in found["coverage"]["warnings"] if told in w]
                    self.assertEqual([w.split(told)[0] for w in warnings],
                                     [count] if count else [])
                    self.assertEqual(found["coverage"].get("steps_unmarked"),
                                     int(count.split()[0]) if count else None)
                    self.assertEqual(found["coverage"]["ops_apart"],
                                     len(unmarked) * 2 * (len(job_capture.OPS) + 2))
                    work = sum(op["self_us"] for op in found["ops"])
                    self.assertAlmostEqual(found["coverage"]["ops_apart_us"] / work,
                                           len(unmarked) / 20, delta=.02)
                    # From step to step the ones without a mark count as well.
                    periods = {row["number"]: row["period_us"] for row in whole["steps"]["rows"]}
                    numbers = [row["number"] for row in found["steps"]["rows"]] + [None]
                    for row, after in zip(found["steps"]["rows"], numbers[1:]):
                        if after is None:
                            self.assertIsNone(row["period_us"])
                        else:
                            between = [periods[n] for n in range(row["number"], after)]
                            self.assertAlmostEqual(row["period_us"], sum(between) / len(between),
                                                   delta=1)

    def test_work_from_before_the_capture_is_of_no_step(self):
        # The host runs two steps ahead: kernels of steps that began before the capture run in it.
        loop = marked_trace.Loop(step_us=10000, steps=6, kernels=4, dispatch="ahead", annotated=0,
                                 gap_us=0, correlated=True, first=10)
        path = pathlib.Path(self.folder.name) / "a.pt.trace.json.gz"
        for seed in range(4):
            path.write_bytes(marked_trace.capture(loop, "cut first", 1, random.Random(seed), 1e15))
            rows = summarize(path)["steps"]["rows"]
            self.assertGreater(len(rows), 1)
            for row in rows:
                self.assertAlmostEqual(row["max_us"] / loop.step_us, 1, delta=.1)

    def test_numbers_that_come_back_are_of_other_steps(self):
        whole = self.summary(kind="gpu", first_step=7, steps=20)
        for epoch_steps, counted_on in ((1, 19), (6, 14)):
            found = self.summary(kind="gpu", first_step=7, steps=20, epoch_steps=epoch_steps)
            for table in ("steps", "ops", "devices"):
                self.assertEqual(found[table], whole[table])
            [told] = [w for w in found["coverage"]["warnings"] if "come back" in w]
            self.assertIn(f"{counted_on} annotations are counted on", told)

    def test_traces_tell_the_same_steps(self):
        job = {"kind": "gpu", "first_step": 0, "steps": 12, "unmarked": (5, 6, 9, 10, 11)}
        found = self.summary(**job)
        trace = pathlib.Path(self.folder.name) / "a.trace.json.gz"
        space = xplane_decoder.space_read(
            (pathlib.Path(self.folder.name) / "a.xplane.pb").read_bytes())
        trace.write_bytes(trace_writer.trace_of(space).encode())
        lengths = [[row["max_us"] for row in summary["steps"]["rows"]]
                   for summary in (found, summarize(trace))]
        self.assertEqual(len(lengths[0]), 7)
        self.assertEqual(*lengths)

    def test_the_last_call_ends_where_calls_usually_do(self):
        for unmarked in ((10, 11), (11,)):
            found = self.summary(kind="gpu", first_step=None, device_lines=False, steps=12,
                                 unmarked=unmarked)
            lengths = [row["max_us"] * US for row in found["steps"]["rows"]]
            self.assertEqual((found["steps"]["method"], len(lengths)),
                             ("host_call", 12 - len(unmarked)))
            self.assertLess(lengths[-1], 1.15 * max(lengths[:-1]))

    def test_work_behind_annotations_is_of_them_where_that_is_usual(self):
        # The loop waits behind its annotations, or launches there.
        whole = self.summary(kind="gpu", first_step=0, steps=20)
        for unmarked in ((), (18, 19)):
            found = self.summary(kind="gpu", first_step=0, steps=20, annotated_us=30,
                                 unmarked=unmarked)
            self.assertEqual(found["steps"]["rows"][:17], whole["steps"]["rows"][:17])
            self.assertEqual([row["spans"] for row in found["steps"]["rows"]],
                             [row["spans"] for row in whole["steps"]["rows"]][:20 - len(unmarked)])

    def test_says_that_ops_are_unknown_without_device_lines(self):
        found = self.summary(kind="gpu", first_step=3, device_lines=False)
        self.assertEqual((found["ops"], found["devices"]), ([], []))
        self.assertTrue([w for w in found["coverage"]["warnings"] if "is not known" in w])

    def test_ops_of_launches_are_those_of_the_program_and_of_steady_steps(self):
        marked = self.summary(kind="gpu", first_step=0)
        bare = self.summary(kind="gpu", first_step=None)

        def per_step(found):
            spans = found["steps"]["steady_spans"]
            return {op["signature"]: (op["steady_count"] / spans, op["steady_self_us"] / spans)
                    for op in found["ops"]}
        own, other = per_step(bare), per_step(marked)
        for signature, (count, length) in other.items():
            if "wrapped_convert" in signature:
                self.assertEqual(own[signature], (0, 0))  # another program's
            else:
                self.assertAlmostEqual(own[signature][0], count)
                self.assertAlmostEqual(own[signature][1], length)

    def test_fixed_numbers_are_about_numbers_that_the_file_holds(self):
        fixed = ("--warmup-steps", "5")
        marked = self.summary(*fixed, kind="gpu", first_step=3, steps=6)
        self.assertEqual(left_out(marked["steps"]), {3: "number", 4: "number"})
        self.assertIn("Left out as warm-up: steps 3 to 4 (numbered below 5).",
                      marked["coverage"]["warnings"])
        for kind in ("tpu", "gpu"):
            bare = self.summary(*fixed, kind=kind, first_step=None, steps=6)
            self.assertEqual(left_out(bare["steps"]), {})
        self.assertEqual(bare["producer"]["warmup_fixed"], True)
        self.assertEqual(self.summary()["producer"]["warmup_fixed"], False)


    def test_annotations_of_a_host_that_runs_ahead_bound_nothing(self):
        told = "Annotations bound no steps here: the host ran ahead"
        path = pathlib.Path(self.folder.name) / "a.trace.json.gz"
        for ahead, steps, source in itertools.product(
                (2, 30), (1, 2, 3, 20), ("runs", "launches", "correlated", None)):
            if source == "runs":
                path.write_bytes(marked_trace.runs_ahead(9000, steps, ahead))
            else:
                loop = marked_trace.Loop(9000, steps, 4, "ahead", 0, 0, source == "correlated", 0,
                                         ahead, source == "launches")
                path.write_bytes(marked_trace.capture(loop, "all", 1, random.Random(7), 0))
            with self.subTest(ahead=ahead, steps=steps, source=source):
                found = summarize(path)
                notes = [w for w in found["coverage"]["warnings"] if told in w]
                table = found["steps"]
                self.assertEqual((table["method"], len(table["rows"]), len(notes)), {
                    "runs": ("module_run", steps, 1), "launches": ("program_launch", steps, 1),
                    "correlated": ("step_annotation", steps, 0), None: ("none", 0, 1)}[source])
                for row in table["rows"]:
                    self.assertLess(abs(row["max_us"] / 9000 - 1), .06)
                if source != "correlated":
                    self.assertEqual(found["other_steps"], [])

    def test_kernels_without_their_launch_are_of_the_steps_around_them(self):
        # Of a host that runs ahead, by their start they would be of steps far behind.
        path = pathlib.Path(self.folder.name) / "a.pt.trace.json.gz"
        for ahead, kernels, annotated in itertools.product((2, 8, 30), (1, 4), (0, .05)):
            loop = marked_trace.Loop(9000, 24, kernels, "ahead", annotated, 0, .8, 0, ahead)
            path.write_bytes(marked_trace.capture(loop, "all", 1, random.Random(7), 0))
            with self.subTest(ahead=ahead, kernels=kernels, annotated=annotated):
                rows = summarize(path)["steps"]["rows"]
                self.assertEqual(len(rows), 24)
                mean = sum(row["max_us"] for row in rows) / len(rows)
                self.assertAlmostEqual(mean / marked_trace.device_us(loop), 1, delta=.03)

    def marked(self, loop, marks, seed):
        path = pathlib.Path(self.folder.name) / "a.pt.trace.json.gz"
        path.write_bytes(marked_trace.capture(loop, marks, 1, random.Random(seed), 0))
        return summarize(path)

    def test_where_too_many_launches_are_unknown_annotations_bound_nothing(self):
        for ahead, kernels, seed in itertools.product((2, 8), (1, 4), range(3)):
            loop = marked_trace.Loop(9000, 5, kernels, "ahead", 0, 0, .5, 0, ahead)
            with self.subTest(ahead=ahead, kernels=kernels, seed=seed):
                found = self.marked(loop, "all", seed)
                self.assertEqual((found["steps"]["method"], found["other_steps"]), ("none", []))
                self.assertTrue(any("Annotations bound no steps here" in text
                                    for text in found["coverage"]["warnings"]))
                # Of a loop that waits, what begins in a step is of that.
                rows = self.marked(loop._replace(dispatch="sync"), "all", seed)["steps"]["rows"]
                self.assertEqual(len(rows), 5)
                for row in rows:
                    self.assertLess(abs(row["max_us"] / 9000 - 1), .06)

    def test_what_runs_amid_work_of_no_step_is_of_none(self):
        for ahead, marks, steps, known, seed in (
                (13, "random", 41, .8, 7), (30, "random", 41, .8, 3), (30, "random", 41, .8, 7),
                (13, "cut both", 16, .95, 4), (13, "cut first", 16, .95, 5)):
            loop = marked_trace.Loop(3000, steps, 4, "ahead", 0, 0, known, 0, ahead)
            with self.subTest(ahead=ahead, marks=marks, seed=seed):
                rows = self.marked(loop, marks, seed)["steps"]["rows"]
                self.assertTrue(rows)
                for row in rows:
                    self.assertLess(row["max_us"], 1.6 * 3000)

    def test_annotations_that_end_long_before_the_work_are_no_other_steps(self):
        for dispatch, annotated, others in (("ahead", .05, []), ("burst", .05, []),
                                            ("sync", 0, ["host_annotation"]),
                                            ("burst", 0, ["host_annotation"])):
            loop = marked_trace.Loop(9000, 5, 4, dispatch, annotated, 0, 1, 0, 2)
            with self.subTest(dispatch=dispatch, annotated=annotated):
                found = self.marked(loop, "all", 1)
                self.assertEqual(found["steps"]["method"], "step_annotation")
                self.assertEqual([table["method"] for table in found["other_steps"]], others)

    def test_warnings_of_one_thing_speak_of_one(self):
        loop = marked_trace.Loop(9000, 3, 1, "ahead", 0, 0, 1, 0, 2)
        path = pathlib.Path(self.folder.name) / "a.pt.trace.json.gz"
        path.write_bytes(marked_trace.capture(loop, "all", 1, random.Random(7), 0))
        told = summarize(path)["coverage"]["warnings"]
        self.assertIn("1 line was not in timeline order and was sorted.", told)

    def test_ids_out_of_order_hide_no_step(self):
        loop = marked_trace.Loop(9000, 8, 4, "ahead", 0, 0, 1, 0, 2)
        path = pathlib.Path(self.folder.name) / "a.pt.trace.json.gz"
        whole = json.loads(gzip.decompress(
            marked_trace.capture(loop, "all", 1, random.Random(7), 0)))
        path.write_text(json.dumps(whole))
        rows = summarize(path)["steps"]["rows"]
        self.assertEqual(len(rows), 8)
        for correlation in (0, 10**6):
            calls = [{**event, "name": "cudaStreamSynchronize", "ts": event["ts"] + 1, "dur": 1,
                      "cat": "cuda_runtime", "args": {"correlation": correlation}}
                     for event in whole["traceEvents"] if "ProfilerStep" in event["name"]]
            path.write_text(json.dumps({**whole, "traceEvents": whole["traceEvents"] + calls}))
            with self.subTest(correlation=correlation):
                self.assertEqual(summarize(path)["steps"]["rows"], rows)

    def test_a_kernel_is_of_the_step_of_its_own_launch_whatever_the_order_of_ids(self):
        def rows(ids):
            job = gpu_job.Job()
            for number in range(12):
                base = 1000 * number  # the device is 450 µs behind
                job.annotate(number, base, base + 900)
                for kernel in range(6):
                    job.correlation = ids[6 * number + kernel] - 1
                    begin = base + 450 + 160 * kernel
                    job.launch(f"kernel_{kernel}", base + 10 * kernel + 1, begin, begin + 160)
            return summarize(job.write(pathlib.Path(self.folder.name) / "a.xplane.pb"))["steps"]
        ordered = list(range(1, 73))
        swapped = ordered[:5] + [41] + ordered[6:40] + [6] + ordered[41:]
        steps = rows(ordered)["rows"]
        self.assertEqual({row["max_us"] for row in steps}, {960})
        for ids in (swapped, ordered[::-1], random.Random(7).sample(ordered, 72)):
            self.assertEqual(rows(ids)["rows"], steps)

    def test_processes_of_one_export_have_annotations_of_their_own(self):
        # One host marks 30 ms after the other; both are ahead, and kernels from before run first.
        path = pathlib.Path(self.folder.name) / "a.sqlite"
        export = make_export.Export(str(path))
        call, kernel = export.text("cudaLaunchKernel"), export.text("gemm")
        for process in range(2):
            pid = (100 + process) << 24 | 1 << 48
            for step in range(-2, 6):
                host = 10**6 * (100 + 30 * process + step)
                start = 10**6 * (100 + 30 * process + 10 * step + 20)
                if step >= 0:
                    export.add("NVTX_EVENTS", host, host + 50000, 59, None, None, None, None,
                               pid | 1, None, export.text(f"step {step}"), 0)
                for part in range(2):
                    ident = 10 + 2 * step + part
                    if step >= 0:
                        export.add("CUPTI_ACTIVITY_KIND_RUNTIME", host + 1000 * (part + 1),
                                   host + 1000 * (part + 1) + 500, 0, pid | 1, ident, call, 0, None)
                    begin = start + 5 * 10**6 * part
                    export.add("CUPTI_ACTIVITY_KIND_KERNEL", begin, begin + 4900000, process, 1,
                               None, 7, ident, pid, kernel, kernel, None, None, None, 64,
                               *[1] * 6, 0, 0, 0, 0, ident, None, None, None)
        export.close()
        found = summarize(path)
        self.assertEqual(len(found["steps"]["rows"]), 6)
        for row in found["steps"]["rows"]:
            self.assertEqual([span["duration_us"] for span in row["spans"]], [9900, 9900])
        self.assertEqual(found["coverage"]["ops_apart"], 8)

    def test_launches_of_a_host_that_runs_ahead_tell_steps_without_annotation(self):
        path = pathlib.Path(self.folder.name) / "a.pt.trace.json.gz"
        for ahead, marks, annotated in itertools.product((1, 2, 30), ("second", "third"), (0, .4)):
            loop = marked_trace.Loop(9000, 20, 4, "ahead", annotated, 0, True, 0, ahead)
            path.write_bytes(marked_trace.capture(loop, marks, 1, random.Random(7), 0))
            with self.subTest(ahead=ahead, marks=marks, annotated=annotated):
                found = summarize(path)
                every = 2 if marks == "second" else 3
                rows = found["steps"]["rows"]
                self.assertEqual([row["number"] for row in rows], list(range(0, 20, every)))
                self.assertEqual(found["coverage"]["steps_unmarked"],
                                 rows[-1]["number"] + 1 - len(rows))
                for row in rows:
                    self.assertLess(abs(row["max_us"] / 9000 - 1), .06)

    def test_a_last_step_that_the_capture_cut_is_told_and_left_out(self):
        told = "The capture ended before its last step did"
        wanted = job_capture.COMPUTE_PS + job_capture.COLLECTIVE_PS
        for steps in (2, 3, 10, 30):
            with self.subTest(steps=steps):
                job = {"kind": "gpu", "first_step": 0, "steps": steps}
                found = self.summary(**job, cut=.5)
                self.assertTrue([w for w in found["coverage"]["warnings"] if told in w])
                # Of long captures the ops of the last step are in the sums.
                last = {} if steps > 16 else {steps - 1: "cut"}
                self.assertEqual(left_out(found["steps"]), last)
                self.assertAlmostEqual(found["steps"]["steady_median_us"] * US / wanted, 1,
                                       delta=.1)
                self.assertEqual(left_out(found["other_steps"][0]), last)
                whole = self.summary(**job)
                self.assertEqual(left_out(whole["steps"]), {})
                self.assertEqual([w for w in whole["coverage"]["warnings"] if told in w], [])
                bare = self.summary(**{**job, "first_step": None}, cut=.5)["steps"]
                self.assertEqual((len(bare["rows"]), left_out(bare)), (steps - 1, {}))


class WarmUp(unittest.TestCase):
    def test_leaves_out_slow_first_steps_and_what_their_ops_took(self):
        for kind in ("tpu", "gpu"):
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, str(ROOT / "tests/support/make_profile.py"),
                                "--kind", kind, "--output", folder, "--steps", "10",
                                "--warmup-slow", "2", "--devices", "2", "--first-step", "100"],
                               check=True, capture_output=True)
                path = next(pathlib.Path(folder).rglob("*.xplane.pb"))
                found, fixed = summarize(path), summarize(path, "--warmup-steps", "102")
                self.assertEqual(left_out(found["steps"]), {100: "apart", 101: "apart"})
                self.assertEqual(left_out(fixed["steps"]), {100: "number", 101: "number"})
                for member in ("ops", "devices"):
                    self.assertEqual(found[member], fixed[member])
                self.assertEqual(found["coverage"]["steady_idle_us_per_step"],
                                 fixed["coverage"]["steady_idle_us_per_step"])


@unittest.skipUnless((SHARED / "profiles/xplane").is_dir(), "no real profiles here")
class RealProfiles(unittest.TestCase):
    def test_finds_steps_in_each_profile(self):
        for name, (method, count, warm) in REAL_STEPS.items():
            with self.subTest(name=name):
                steps = summarize(SHARED / f"profiles/xplane/{name}.xplane.pb")["steps"]
                self.assertEqual((steps["method"], len(steps["rows"]), left_out(steps)),
                                 (method, count, warm))

    def test_knows_each_file_of_the_folder(self):
        names = {path.name[:-len(".xplane.pb")]
                 for path in (SHARED / "profiles/xplane").glob("*.xplane.pb")}
        self.assertEqual(names, set(REAL_STEPS))


if __name__ == "__main__":
    unittest.main()
