"""What findings say of a host that its device waits for.

What: compiling, loading, saving and all else are told apart, and cost what the device waits.
"""

import json
import subprocess
import sys
import unittest

from table_test import BINARY

import xplane_writer
from findings_case import FindingsCase, busy, loads
from gpu_job import Job


def recompiles(job, base, number):
    if number not in (5, 6):
        busy(job, base)
        return
    job.launch("first", base, base + 5, base + 100)
    job.call("backend_compile", base + 100, base + 300)
    job.launch("fusion", base + 300, base + 300, base + 1000)


def compiles_beside(job, base, number):
    """The device is as busy as ever, 20 µs between two steps apart."""
    busy(job, base, until=985)
    if number == 3:
        beside(job, "backend_compile", base + 500, base + 3900)


def stalls_between(job, base, number):
    busy(job, base)


def loads_between(job, base, number):
    busy(job, base)
    job.call("data_load", base + 1010, base + 1390)


def loads_and_idles(job, base, number):
    """Nobody says what the device waits 400 µs for, after the 290 µs for its input."""
    job.launch("first", base, base + 5, base + 100)
    job.call("data_load", base + 105, base + 395)
    job.launch("fusion", base + 795, base + 800, base + 1000)


def fetches_between(job, base, number):
    """The loop holds all steps, its body all of each step: neither says what is waited for."""
    busy(job, base)
    if number == 0:
        beside(job, "loop", 0, 8 * 1400, ("python", 10))
    beside(job, "body", base, base + 1390, ("python", 10))
    job.call("np.asarray(jax.Array)", base + 1000, base + 1350)
    job.call("inner", base + 1001, base + 1350)


def saves(job, base, number):
    busy(job, base)
    if number in (3, 5):
        job.call("save_checkpoint", base + 1010, base + 1390)


def launches(job, base, number):
    for part in range(2):
        job.call("PjitFunction(f)", base + 500 * part, base + 500 * part + 100)
        job.launch("fusion", base + 500 * part + 95, base + 500 * part + 100,
                   base + 500 * part + 500)


def beside(job, name, begin, end, thread=("prefetch", 300)):
    """An event on another thread than the one that launches, or on another line of that one."""
    if not hasattr(job, "other"):
        job.other = job.host.add_line(*thread, 0)
    job.other.add_event(name, begin * 1_000_000, (end - begin) * 1_000_000)


def loads_beside(job, base, number):
    busy(job, base)
    beside(job, "data_load", base, base + 1390)


def logs(job, base, number):
    loads_beside(job, base, number)
    job.call("log_metrics", base + 1000, base + 1380)


def saves_beside_logging(job, base, number):
    busy(job, base)
    beside(job, "save_checkpoint", base, base + 1390)
    job.call("log_metrics", base + 1000, base + 1380)


def loads_in_ranges(job, base, number):
    busy(job, base)
    beside(job, "data_load", base + 1000, base + 1380, ("NVTX", 10))
    job.call("log_metrics", base + 1010, base + 1370)


class Host(FindingsCase):
    """What the device waits for."""

    def test_recompilation_says_in_how_many_steps(self):
        found = self.planted(recompiles)
        self.assertEqual(list(found), ["recompilation"])
        self.assertEqual(found["recompilation"]["count"], 2)
        self.assertIn("2 of 8 steps", found["recompilation"]["evidence"])

    def test_what_is_compiled_for_warm_up_is_in_neither_number(self):
        found = self.found(self.compiling({0: 900, 4: 800}, None))
        self.assertEqual(found["recompilation"]["count"], 1)
        self.assertIn("compiled in 1 of 9 steady steps", found["recompilation"]["evidence"])
        unseen = self.explained(self.folder / "compiling_2_None.xplane.pb")["unseen"]
        self.assertTrue(any(text.startswith("1 of 9 steady steps has the host compiling in it")
                            for text in unseen), unseen)

    def test_compiling_beside_steps_costs_nothing(self):
        self.assertEqual(self.planted(compiles_beside), {})
        path = self.folder / "compiles_beside.xplane.pb"
        rows = [row for row in self.table("steps", path)["rows"] if row["scope"] == "step"]
        self.assertEqual([row["compile_between_us"] for row in rows], [0] * 7 + [None])
        explained = self.explained(path)
        self.assertEqual(explained["compile_wait_us"], 0)
        self.assertTrue(any("have the host compiling in them" in text
                            for text in explained["unseen"]), explained["unseen"])

    def test_a_buffer_of_a_device_that_is_copied_is_not_sent(self):
        for name, sent in (("PjRtStreamExecutorBuffer::CopyToDeviceHelper::async_copy", 0),
                           ("TfrtCpuBuffer::CopyToDevice", 390),
                           ("BufferFromHostBuffer", 390)):
            def copies(job, base, number, name=name):
                job.launch("first", base, base + 5, base + 100)
                beside(job, name, base + 105, base + 495)
                job.launch("fusion", base + 495, base + 500, base + 1000)
            with self.subTest(name):
                found = self.planted(copies)
                self.assertEqual("host_transfers" in found, sent > 0)
                parts = {row["part"]: row["average_us"] for row in self.table(
                    "overview", self.folder / "copies.xplane.pb")["rows"]}
                self.assertEqual(parts["host_to_device"], sent)

    def compiling(self, waits, marked_from):
        """Ten steps of 1000 µs on the device; before some the host compiles for waits[number] µs,
        and annotates the step `marked_from` µs before its device begins."""
        job = Job()
        begin = 0
        for number in range(10):
            wait = waits.get(number, 0)
            begin += wait + 20
            lead = max(wait, 0) + 10 if marked_from is None else marked_from
            job.annotate(number, begin - lead, begin + 900)
            if wait:
                job.call("backend_compile", begin - wait - 5, begin - 5)
            busy(job, begin)
            begin += 1000
        return job.write(self.folder / f"compiling_{len(waits)}_{marked_from}.xplane.pb")

    def test_compiling_between_the_steps_of_the_device_is_recompilation(self):
        for marked_from in (None, 5):  # in the annotation of the step, before it
            with self.subTest(marked_from):
                path = self.compiling({4: 800, 6: 700}, marked_from)
                found = self.found(path)
                self.assertEqual(list(found), ["recompilation"])
                whole = (9 * 1020 + 1500) / 9
                self.assertEqual(found["recompilation"]["count"], 2)
                self.assertAlmostEqual(found["recompilation"]["time_per_step_us"], 1500 / 9, 6)
                self.assertAlmostEqual(found["recompilation"]["share"], 1500 / 9 / whole, 6)
                self.assertIn("in 2 of 10 steps; the device waits for it 167 µs of the 1.19 ms "
                              "from a step to the next", found["recompilation"]["evidence"])
                rows = [row for row in self.table("steps", path)["rows"] if row["scope"] == "step"]
                self.assertEqual([row["compile_between_us"] for row in rows],
                                 [0, 0, 0, 800, 0, 700, 0, 0, 0, None])  # none follows
                overview = self.table("overview", path)["properties"]
                self.assertAlmostEqual(overview["compile_between_us_average"], 1500 / 9, 6)
                explained = self.explained(path)
                self.assertAlmostEqual(explained["compile_wait_us"], 1500 / 9, 6)
                text = self.explained_text(path)
                self.assertIn("The device waits until its host has compiled in 166.7 µs of them",
                              text)

    def test_first_steps_that_wait_for_compiling_are_warm_up(self):
        path = self.compiling({0: 4000, 1: 3000}, None)
        self.assertEqual(self.found(path), {})
        rows = [row for row in self.table("steps", path)["rows"] if row["scope"] == "step"]
        self.assertEqual([row["warmup"] for row in rows], ["compilation"] * 2 + [None] * 8)
        self.assertAlmostEqual(self.table("overview", path)["properties"]["period_us_average"],
                               1020)

    def test_what_the_device_does_between_steps_is_no_stall(self):
        space = xplane_writer.Space(["worker-0"])
        device = space.add_plane("/device:TPU:0", 2)
        modules, ops = (device.add_line(name, i + 1, 0)
                        for i, name in enumerate(("XLA Modules", "XLA Ops")))
        for number in range(4):
            for name, begin, end in (("train", 0, 1000), ("eval", 1010, 1990)):
                begin, length = (2000 * number + begin) * 1_000_000, (end - begin) * 1_000_000
                modules.add_event(f"jit_{name}({len(name)})", begin, length)
                ops.add_event(f"fusion.{name}", begin, length)
        path = self.folder / "evaluates.xplane.pb"
        path.write_bytes(space.encode())
        self.assertEqual(self.table("steps", path)["rows"][0]["step_time_us"], 1000)
        self.assertEqual(self.found(path), {})

    def test_a_stall_says_where_the_device_waits(self):
        for fill, period, words in ((stalls_between, 1400, "most of it between steps"),
                                    (loads, 1000, "most of it for input"),
                                    (loads_between, 1400, "most of it for input")):
            found = self.planted(fill, period)
            self.assertEqual(list(found), ["host_stall"])
            self.assertIn(words, found["host_stall"]["evidence"])
            self.assertEqual("load batches" in found["host_stall"]["remedy"], "input" in words)

    def test_a_stall_names_the_event_of_the_host_that_goes_on_meanwhile(self):
        found = self.planted(fetches_between, 1400)["host_stall"]
        self.assertRegex(found["evidence"],
                         r"; for 87.\d % of what it waits for neither input nor launches the host "
                         r"is in np.asarray\(jax.Array\)$")
        for fill in (stalls_between, loads_between):
            found = self.planted(fill, 1400)["host_stall"]
            self.assertNotIn("the host is in", found["evidence"])
        self.assertRegex(self.planted(stalls_between, 1400)["host_stall"]["evidence"],
                         r"most of it between steps \(40\d µs\)$")

    def test_what_nothing_tells_of_hides_no_input(self):
        found = self.planted(loads_and_idles)["host_stall"]
        self.assertRegex(found["evidence"], "most of it within steps, and nothing says for what "
                                            r"\(.* between steps\); 290 µs of it for input$")
        self.assertRegex(found["remedy"], "^load batches ahead .*; launch ahead: ")

    def test_a_host_that_says_nothing_of_its_work_is_known_by_its_launches(self):
        for launches, words in (
                (True, "no event of the thread that drives the device tells what it computes"),
                (False, "no thread of the host is known to drive the device")):
            job = Job()
            for number in range(8):
                job.annotate(number, 1000 * number, 1000 * number + 900)
                thread, job.thread = job.thread, job.thread if launches else None
                busy(job, 1000 * number)
                job.thread = thread
            path = job.write(self.folder / "quiet_host.xplane.pb")
            self.assertIn(f"host_compute: {words}", self.explained(path)["unseen"])

    def test_a_thread_that_is_ahead_holds_nothing_up(self):
        for fill, words, input_us in (
                (logs, "most of it for what the host computes", 13),
                (saves_beside_logging, "most of it for what the host computes", None),
                (loads_beside, "most of it for input", 393),  # nobody says what else it is
                (loads_in_ranges, "most of it for input", 380)):
            with self.subTest(fill.__name__):
                found = self.planted(fill, 1400)
                self.assertEqual(list(found), ["host_stall"])
                self.assertIn(words, found["host_stall"]["evidence"])
                overview = self.table("overview", self.folder / f"{fill.__name__}.xplane.pb")
                self.assertEqual(overview["properties"]["input_wait_between_us_average"], input_us)

    def test_what_a_device_waits_is_told_without_steps(self):
        for fill, period, words in ((loads, 1000, "for input"), (loads_between, 1400, "for input"),
                                    (launches, 1000, "for launches"),
                                    (stalls_between, 1000, None), (stalls_between, 1400, None)):
            with self.subTest(fill.__name__, period=period):
                job = Job()
                for number in range(8):
                    fill(job, period * number, number)
                found = self.found(job.write(self.folder / f"no_{fill.__name__}.xplane.pb"))
                self.assertEqual(list(found), ["host_stall"] if words else [])
                if words:
                    self.assertRegex(found["host_stall"]["evidence"],
                                     f"waits .* of the .* of the capture, most of it {words}")

    def test_what_is_told_without_steps_is_of_the_capture(self):
        job = Job()
        for base in range(0, 8000, 1000):
            job.launch("first", base, base + 5, base + 100)
            job.call("data_load", base + 105, base + 395)
            job.launch("fusion", base + 695, base + 700, base + 1000)
        path = job.write(self.folder / "waits_and_idles.xplane.pb")
        self.assertRegex(self.found(path)["host_stall"]["evidence"],
                         "waits 2.35 ms of the 8.00 ms of the capture, most of it for input; it is "
                         "idle for 2.4. ms more, of which nothing says for what$")
        said = self.run_table("findings", path, "--format", "text").stdout
        self.assertNotIn("step", said.split("host_stall")[0])
        job = Job()
        for base in range(0, 8000, 1000):
            busy(job, base, until=800)
            job.call("save_checkpoint", base + 805, base + 995)
        found = self.found(job.write(self.folder / "saves_without_steps.xplane.pb"))
        self.assertRegex(found["checkpoint_writes"]["evidence"],
                         "^the device waits 1.33 ms of the 7.79 ms of the capture while the host")
        self.assertIsNone(found["checkpoint_writes"]["count"])

    def test_a_host_without_a_device_waits_for_its_input(self):
        for loads, share in ((400, .4), (60, None)):
            job = Job(devices=0)
            for number in range(8):
                job.annotate(number, 1000 * number, 1000 * number + 1000)
                job.call("data_load", 1000 * number + 5, 1000 * number + 5 + loads)
                job.call("compute", 1000 * number + 500, 1000 * number + 900)
            path = job.write(self.folder / f"no_device_{loads}.xplane.pb")
            found = self.found(path)
            self.assertEqual(list(found), ["host_stall"] if share else [])
            if share:
                self.assertAlmostEqual(found["host_stall"]["share"], share)
                self.assertRegex(found["host_stall"]["evidence"], "the host, beside which .* no "
                                 "device, waits 400 µs of the 1.00 ms from a step to the next for")
                self.assertIn("load batches ahead", self.explained_text(path))

    def test_an_overview_says_what_its_level_does_not(self):
        """xprof takes copies of a device for compute; and without steps there is a capture."""
        for marked, whole in ((True, "step"), (False, "capture")):
            job = Job()
            for number in range(4):
                if marked:
                    job.annotate(number, 1000 * number, 1000 * number + 900)
                busy(job, 1000 * number, until=700)
                job.launch("MemcpyD2H", 1000 * number + 4, 1000 * number + 700,
                           1000 * number + 1000)
            overview = self.table("overview", job.write(self.folder / f"copies_{whole}.xplane.pb"))
            told = overview["properties"]
            self.assertEqual((told["output_level"], told["output_share"]), ("no", 0))
            self.assertRegex(told["output_statement"], f"^30.* % of the {whole} copies results to "
                             "the host .the level is by xprof's 0.0 %, which takes copies for")
            self.assertEqual({row["scope"] for row in overview["rows"]}, {whole, "ops"})
            self.assertIn(whole, [row["part"] for row in overview["rows"]])
            self.assertEqual(told["step_time_us_average"] is None, not marked)

    def test_the_tail_that_a_file_lacks_is_no_stall(self):
        job = Job()
        for number in range(8):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            for part in range(4):
                job.launch(f"fusion_{part}", 1000 * number + part, 1000 * number + 250 * part,
                           1000 * number + 250 * part + 250)
        path = job.write(self.folder / "tail.xplane.pb")
        self.assertEqual(self.found(path), {})
        content = path.read_bytes()
        for kept in range(len(content) - 400, len(content), 40):
            path.write_bytes(content[:kept])
            self.assertEqual(list(self.found(path)), ["dropped_events"], kept)

    def test_without_a_device_nothing_is_launched(self):
        job = Job(devices=0)
        for number in range(4):
            base = 1000 * number
            job.annotate(number, base, base + 1000)
            job.call("IteratorGetNext", base, base + 50)
            beside(job, "ExecutorState::Process", base + 50, base + 900, ("tf_Compute", 300))
            beside(job, "Conv2DBackpropFilter", base + 60, base + 890)
            job.call("TpuExecutor::BufferFromHost", base + 900, base + 940)
        path = job.write(self.folder / "no_device.xplane.pb")
        overview = self.table("overview", path)
        parts = {row["part"]: row for row in overview["rows"]}
        self.assertEqual(parts["host_compute"]["average_us"], 850)
        self.assertEqual(parts["host_compute"]["xprof_average_us"], 850)
        self.assertEqual(parts["input_wait"]["average_us"], 50)
        self.assertEqual(parts["kernel_launch"]["absent"], "no device tells what it did in steps")
        self.assertIsNone(overview["properties"]["kernel_launch_statement"])
        self.assertEqual({part["name"]: part["average_us"]
                          for part in self.explained(path)["parts"] if part["average_us"]},
                         {"input_wait": 50, "host_to_device": 40, "host_compute": 850, "idle": 60})
        self.assertAlmostEqual(overview["properties"]["input_share"], .09)

    def test_input_between_steps_is_one_number_everywhere(self):
        self.planted(loads_between, 1400)
        path = self.folder / "loads_between.xplane.pb"
        done = subprocess.run([BINARY, "summarize", "--xplane-file", str(path)],
                              capture_output=True, text=True, timeout=60, check=False)
        [share] = [figure["value"] for figure in json.loads(done.stdout)["figures"]
                   if figure["measure"] == "input_wait_share"]
        self.assertAlmostEqual(share, 380 / 1400, 2)
        overview = self.table("overview", path)["properties"]
        self.assertAlmostEqual(overview["input_share"], share)
        self.assertAlmostEqual(overview["input_wait_share"], share)
        self.assertEqual(overview["input_level"], "high")
        rows = self.table("input_pipeline", path)["rows"]
        self.assertAlmostEqual(rows[0]["input_share"], 380 / 1400, 2)
        self.assertAlmostEqual(sum(row["input_us"] for row in rows), 7 * 380)
        explained = self.explained(path)
        self.assertAlmostEqual(explained["input_wait_share"], share)
        self.assertAlmostEqual(explained["input_wait_us"], 380)
        self.assertEqual(explained["input_wait_us"], explained["input_wait_between_us"])
        text = self.explained_text(path)
        self.assertIn("The device waits for input in 380.0 µs of them", text)

    def test_a_checkpoint_that_steps_wait_for_is_no_other_stall(self):
        found = self.planted(saves, 1400)
        # of the seven steps that another one follows
        self.assertEqual(set(found), {"host_stall", "checkpoint_writes"})
        whole = 7 * 1400
        self.assertAlmostEqual(found["checkpoint_writes"]["share"], 760 / whole, 2)
        self.assertEqual(found["checkpoint_writes"]["count"], 2)
        self.assertIn("in 2 steps", found["checkpoint_writes"]["evidence"])
        self.assertAlmostEqual(found["host_stall"]["share"], (7 * 400 - 760) / whole, 2)

    def test_a_checkpoint_is_known_by_frames_of_python(self):
        job = Job()
        for number in range(8):
            base = 1000 * number + 700 * (number > 4)
            job.annotate(number, base, base + 900)
            busy(job, base)
        job.thread.add_event("$checkpoint_manager.py:1216 save", 5000 * 1_000_000,
                             690 * 1_000_000)
        found = self.found(job.write(self.folder / "frames.xplane.pb"))
        self.assertEqual(list(found), ["checkpoint_writes"])


if __name__ == "__main__":
    sys.exit(unittest.main())
