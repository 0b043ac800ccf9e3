"""What `stepledger table findings` and `explain` say of a profile.

What: of profiles in which one thing was planted exactly that is found, of clean ones nothing; the
page adds up to the step, and says what it could not see.
"""

import json
import subprocess
import sys
import unittest

from table_test import BINARY

import xplane_writer
from findings_case import FindingsCase, busy, loads
from gpu_job import Job


def path_of(op):
    return [xplane_writer.stat_text("tf_op", op)]


def clean(job, base, number):
    busy(job, base)


def transfers(job, base, number):
    busy(job, base, until=900)
    job.launch("MemcpyH2D", base + 8, base + 900, base + 1000)


def copies(job, base, number):
    busy(job, base, until=800)
    job.launch("MemcpyD2D", base + 8, base + 800, base + 1000)


def copies_beside(job, base, number):
    busy(job, base)
    job.launch("MemcpyD2D", base + 8, base + 200, base + 900, stream=1)


def tiny_kernels(job, base, number):
    busy(job, base, until=550)
    for i in range(150):
        job.launch(f"add_{i % 3}", base + 8 + i, base + 550 + 3 * i, base + 553 + 3 * i)


def tiny_kernels_and_a_long_one(job, base, number):
    """All of them of one row: numbers of instructions do not tell ops apart."""
    job.launch("fusion", base, base + 5, base + 250)
    job.run("add_fusion", base + 6, base + 250, base + 550, kernel="add_fusion")
    for i in range(150):
        job.run(f"add_fusion.{i}", base + 8 + i, base + 550 + 3 * i, base + 553 + 3 * i,
                kernel=f"add_fusion_{i}")


def communicates(job, base, number):
    busy(job, base, until=800)
    job.launch("nccl_all_gather", base + 8, base + 800, base + 1000)


def computes_again(job, base, number):
    busy(job, base, until=800)
    job.launch("fusion_2", base + 8, base + 800, base + 1000, more=path_of(
        "jit(f)/transpose(jvp(g))/checkpoint/rematted_computation/dot_general"))


def transposes(job, base, number):
    busy(job, base, until=900)
    job.launch("transpose_3", base + 8, base + 900, base + 1000,
               more=[xplane_writer.stat_text("hlo_op", "transpose.3")])


def pads(job, base, number):
    busy(job, base, until=900)
    job.launch("pad_5", base + 8, base + 900, base + 1000,
               more=[xplane_writer.stat_text("hlo_op", "pad.5")])


def shuffles(job, base, number):
    busy(job, base, until=600)
    job.launch("gather_1", base + 8, base + 600, base + 900,
               more=[xplane_writer.stat_text("hlo_op", "gather.1")])
    job.launch("slice_2", base + 9, base + 900, base + 1000,
               more=[xplane_writer.stat_text("hlo_op", "dynamic-slice.2")])


def moves_data(job, base, number):
    busy(job, base, until=200)
    for name, begin, end in (("pad.5", 200, 400), ("transpose.3", 400, 600),
                             ("gather.1", 600, 1000)):
        job.launch(name.replace(".", "_"), base + 8, base + begin, base + end,
                   more=[xplane_writer.stat_text("hlo_op", name)])


def computes_again_beside(job, base, number):
    computes_again(job, base, number)
    job.launch("nccl_all_gather", base + 8, base + 5, base + 1000, stream=1)


def waits_for_copies(job, base, number):
    busy(job, base, until=700)
    job.launch("copy-done_4", base + 8, base + 700, base + 1000,
               more=[xplane_writer.stat_text("hlo_op", "copy-done.4")])


def copies_from_the_host(job, base, number):
    """Of the program, as a TPU's text tells it: what lies in memory space 5 is the host's."""
    here, there = "f32[8,128]{1,0:T(8,128)}", "f32[8,128]{1,0:T(8,128)S(5)}"
    text = f"%copy-done.4 = {here} copy-done(({here}, {there}, u32[]{{:S(2)}}) %copy-start.4)"
    busy(job, base, until=700)
    job.launch("copy-done.4", base + 8, base + 700, base + 1000,
               more=[xplane_writer.stat_text("long_name", text)])


def hides_names(job, base, number):
    busy(job, base, until=500)
    job.launch("kernel", base + 8, base + 500, base + 1000,
               more=[xplane_writer.stat_text("hlo_op", "command_buffer_1")])


def prints(job, base, number):
    busy(job, base, until=900)
    job.launch("callback", base + 8, base + 900, base + 1000,
               more=path_of("jit(f)/jvp(g)/debug_callback"))


def warms_up(job, base, number):
    busy(job, base)
    if number < 3:
        job.call("backend_compile", base + 100, base + 300)


def steps_that_keep(kept, allocator="GPU_0_bfc"):
    """Each step takes 20 MiB and gives back all of it but what it keeps: kept(number), in MiB."""
    held = 100.0

    def fill(job, base, number):
        nonlocal held
        busy(job, base)
        for at, more, frees in ((10, 12, False), (20, 8, False), (500, -20 + kept(number), True)):
            held += more
            job.allocate(base + at, int(held * (1 << 20)), allocator, frees)

    fill.__name__ = f"keeps_{allocator}_{'_'.join(str(kept(i)) for i in range(8))}"
    return fill


class Findings(FindingsCase):
    """Exactly what was planted is found, and nothing in what is clean."""

    def test_clean_profiles_have_none(self):
        for fill in (clean, copies_beside):
            self.assertEqual(self.planted(fill), {})
        for kind in ("gpu", "tpu"):
            self.assertEqual(self.found(self.folder / kind), {})

    def test_each_planted_one_alone_is_found(self):
        for fill, rule, op, share in (
                (transfers, "host_transfers", "MemcpyH2D", .1),
                (copies, "device_copies", "MemcpyD2D", .2),
                (tiny_kernels, "tiny_kernels", "add_0", .45),
                (communicates, "exposed_communication", None, .2),
                (computes_again, "rematerialisation", "fusion_2", .2),
                (transposes, "layout_copies", "transpose_3", .1),
                (pads, "padding", "pad_5", .1),
                (shuffles, "data_shuffling", "gather_1", .4),
                (waits_for_copies, "copy_waits", "copy-done_4", .3),
                (copies_from_the_host, "copy_waits", "copy-done.4", .3),
                (hides_names, "hidden_names", "kernel", .5),
                (prints, "debug_prints", "callback", .1)):
            with self.subTest(rule=rule):
                found = self.planted(fill)
                self.assertEqual(list(found), [rule])
                self.assertEqual(found[rule]["op_name"], op)
                self.assertAlmostEqual(found[rule]["share"], share, 2)
                self.assertAlmostEqual(found[rule]["time_per_step_us"], 1000 * share, -1)

    def test_a_copy_from_the_host_is_none_on_the_device(self):
        self.planted(copies_from_the_host)
        path = self.folder / "copies_from_the_host.xplane.pb"
        rows = self.table("steps", path)["rows"]
        for row in rows:
            self.assertAlmostEqual(row["host_to_device_us"], 300, 1)
            self.assertEqual((row["device_to_device_us"], row["device_to_host_us"]), (0, 0))

    def test_kernels_are_tiny_each_by_itself(self):
        found = self.planted(tiny_kernels_and_a_long_one)["tiny_kernels"]
        self.assertEqual(found["count"], 150)
        self.assertAlmostEqual(found["time_per_step_us"], 450)
        self.assertIn("150 of 152 kernels", found["evidence"])

    def test_shares_are_of_the_time_from_a_step_to_the_next(self):
        for fill, period in ((computes_again, 1000), (computes_again, 1200),
                             (computes_again_beside, 1000)):
            with self.subTest(fill.__name__, period=period):
                found = self.planted(fill, period)["rematerialisation"]
                self.assertAlmostEqual(found["time_per_step_us"], 200)
                self.assertAlmostEqual(found["share"], 200 / period, 2)
                self.assertIn(f"takes {100 * found['share']:.1f} % of the ", found["evidence"])
                self.assertIn(" from a step to the next", found["evidence"])
        path = self.folder / "computes_again_beside.xplane.pb"
        document = self.table("findings", path)
        for row in document["rows"]:
            self.assertAlmostEqual(row["share"], row["time_per_step_us"]
                                   / document["properties"]["period_us_average"])
        explained = self.explained(path)
        self.assertEqual([finding["share"] for finding in explained["findings"]],
                         [row["share"] for row in document["rows"]])
        # far from the next step little of it is worth speaking of
        self.assertEqual(list(self.planted(transposes, 2400)), ["host_stall"])

    def test_an_op_that_moves_data_counts_once(self):
        found = self.planted(moves_data)
        self.assertEqual({rule: (row["op_name"], round(row["time_per_step_us"]))
                          for rule, row in found.items()},
                         {"layout_copies": ("transpose_3", 200), "padding": ("pad_5", 200),
                          "data_shuffling": ("gather_1", 400)})

    def test_memory_that_grows_with_the_steps_is_a_leak(self):
        for kept in (1, 4, .3):
            found = self.planted(steps_that_keep(lambda _, kept=kept: kept))
            self.assertEqual(list(found), ["memory_leak"])
            self.assertEqual(found["memory_leak"]["count"], 8)
            self.assertIsNone(found["memory_leak"]["share"])
        found = self.planted(steps_that_keep(lambda _: 4))
        self.assertIn("of GPU_0_bfc grows from step to step: over 8 of them from 104.0 MiB to "
                      "132.0 MiB, 4.0 MiB a step", found["memory_leak"]["evidence"])
        self.assertEqual(list(self.planted(steps_that_keep(lambda number: 4 * (number != 3)))),
                         ["memory_leak"])

    def test_a_leak_may_begin_late_and_be_of_the_host(self):
        for steps, grow in ((12, 9), (8, 5)):
            found = self.planted(steps_that_keep(lambda number: 4 * (number >= 4)), steps=steps)
            self.assertEqual(list(found), ["memory_leak"])
            self.assertEqual(found["memory_leak"]["count"], grow)
            self.assertIn(f"grows from step to step, but for the first 3: over {grow} of them "
                          f"from 100.0 MiB to", found["memory_leak"]["evidence"])
        for kept in (lambda number: 9 * (number in (0, 5)) + 4 * (number >= 8),
                     lambda number: 4 * (number >= 6 and number % 6 != 0)):
            self.assertEqual(list(self.planted(steps_that_keep(kept), steps=20)), ["memory_leak"])
        for allocator in ("cpu_bfc", "GPU_host_bfc"):
            (row,) = self.planted(steps_that_keep(lambda _: 4, allocator)).values()
            self.assertEqual(row["finding"], "memory_leak")
            self.assertIn(f"of the host's memory ({allocator}) grows", row["evidence"])
            self.assertIn("batches", row["remedy"])

    def test_memory_that_comes_and_goes_is_no_leak(self):
        for kept, allocator in ((lambda _: 0, "GPU_0_bfc"),
                                (lambda _: .05, "GPU_0_bfc"),  # .4 % of it in all
                                (lambda number: 9 * (number < 3), "GPU_0_bfc"),
                                (lambda number: 9 * (number == 5), "GPU_0_bfc"),
                                (lambda number: (-1) ** number, "GPU_0_bfc"),
                                (lambda number: 4 if number < 7 else -20, "GPU_0_bfc"),
                                (lambda number: 4 * (number >= 5), "GPU_0_bfc"),  # three alone
                                (lambda number: 4 if number % 7 != 1 else -20, "GPU_0_bfc")):
            fill = steps_that_keep(kept, allocator)
            with self.subTest(fill.__name__):
                self.assertEqual(self.planted(fill), {})
        self.assertEqual(self.planted(steps_that_keep(lambda _: 4), steps=3), {})

    def lasting(self, name, lengths, gaps=None):
        """Steps of so many µs on the device, each 20 µs, or its gap, behind the one before."""
        job, begin = Job(), 0
        for number, length in enumerate(lengths):
            job.annotate(number, begin - 10, begin + length)
            busy(job, begin, until=length)
            begin += length + (gaps or {}).get(number, 20)
        return job.write(self.folder / f"{name}.xplane.pb")

    def test_few_steps_that_take_much_longer_are_told(self):
        path = self.lasting("outlier", [1000, 1010, 6000, 1000, 1000, 1020])
        found = self.found(path)
        self.assertEqual(list(found), ["slow_steps"])
        row = found["slow_steps"]
        self.assertIn("step 2 takes 6.02 ms, the middle one of 6 1.02 ms: 833 µs of the average "
                      "is that; most of it because the device computes longer", row["evidence"])
        self.assertEqual(row["count"], 1)
        self.assertAlmostEqual(row["time_per_step_us"], (6015 - 1020) / 6, -1)
        overview = self.table("overview", path)["properties"]
        self.assertAlmostEqual(overview["step_time_us_median"], 1000)
        self.assertAlmostEqual(self.explained(path)["step_median_us"], 1000)
        self.assertIn("1.833 ms on average, median 1.000 ms, of 6 steady steps",
                      self.explained_text(path))
        # what the device waits in them is no other finding
        path = self.lasting("gap", [1000] * 10, {4: 3000, 7: 3010})
        self.assertEqual(list(self.found(path)), ["slow_steps"])
        row = self.found(path)["slow_steps"]
        self.assertIn("2 of 10 steps (4, 7) take on average 4.00 ms", row["evidence"])
        self.assertIn("nothing says for what the device waits", row["evidence"])
        self.assertAlmostEqual(row["share"], .355, 3)
        found = self.found(self.lasting("both", [1000] * 10, {
            number: 3000 if number == 4 else 300 for number in range(10)}))
        self.assertEqual(set(found), {"slow_steps", "host_stall"})
        self.assertAlmostEqual(found["host_stall"]["time_per_step_us"], 300, -1)
        self.assertIn("from a step to the next, slow steps apart, most of it between steps",
                      found["host_stall"]["evidence"])
        # more than a fifth, less than half as long again, far from the middle as most of them are
        for lengths in ([1000] * 6 + [2000] * 2, [1000] * 7 + [1400],
                        [600, 800, 1000, 1200, 1400, 1600, 700, 2100]):
            self.assertEqual(self.found(self.lasting("alike", lengths)), {})
        self.assertNotIn("median", self.explained_text(self.lasting("even", [1000] * 8)))

    def test_a_capture_that_began_too_early_or_lost_events(self):
        self.assertIn("capture_in_warmup", self.planted(warms_up, steps=6))
        job = Job()
        job.annotate(0, 0, 900)
        busy(job, 0)
        job.space.warnings.append("Dropped 12 events: buffer full")
        self.assertEqual(list(self.found(job.write(self.folder / "dropped.xplane.pb"))),
                         ["dropped_events"])

    def test_a_file_that_was_cut_is_to_be_copied_again(self):
        job = Job()
        for number in range(4):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            busy(job, 1000 * number)
        job.space.warnings.append("Dropped 12 events: buffer full")
        path = job.write(self.folder / "whole.xplane.pb")
        path.write_bytes(path.read_bytes()[:-5])
        found = self.found(path)
        self.assertEqual(list(found), ["dropped_events"])
        row = found["dropped_events"]
        self.assertRegex(row["evidence"],
                         "^'whole.xplane.pb' ends early: [0-9]+ bytes hold nothing whole and were "
                         "not read$")
        self.assertTrue(row["remedy"].startswith("copy the file again"), row)
        self.assertIn(row["evidence"] + ". copy the file",
                      " ".join(self.explained_text(path).split()))
        self.tables_say(path, row["evidence"] + ".")
        # a summary of it keeps its ops
        done = subprocess.run([BINARY, "summarize", "--xplane-file", str(path)],
                              capture_output=True, text=True, timeout=60, check=True)
        summary = self.folder / "cut.json"
        summary.write_text(done.stdout)
        self.assertIn("ends early", self.table("hlo_stats", summary)["properties"]["input_cut"])

    def test_what_a_cut_file_lacks_is_no_fault_of_the_recording(self):
        job = Job()
        job.annotate(0, 0, 900)
        busy(job, 0)
        job.host.lines.clear()
        job.space.warnings.append("x" * 50)
        path = job.write(self.folder / "half.xplane.pb")
        path.write_bytes(path.read_bytes()[:-5])
        unseen = json.loads(self.run_command("explain", path, "--format", "json").stdout)["unseen"]
        self.assertIn("input_wait: the file was cut off, and what is left holds no event of the "
                      "host: copy it again", unseen)
        self.assertNotIn("host_tracer_level", " ".join(unseen))
        job = Job(devices=0)
        job.call("run", 0, 100)
        job.space.warnings.append("x" * 50)
        path.write_bytes(job.write(path).read_bytes()[:-5])
        for command in (("explain",), ("table", "steps"), ("table", "findings")):
            done = self.run_command(*command, path)
            self.assertEqual((done.returncode, done.stdout), (65, ""), done.stderr)
            self.assertRegex(done.stderr, "was cut off, and what is left has neither steps nor ops "
                                          "of a device: 'half.xplane.pb' ends early: ")

    def run_command(self, *arguments):
        return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                              timeout=60, check=False)

    def tables_say(self, path, words):
        """In every format, where rows alone have no place for it beside the table."""
        for name in ("overview", "steps", "hlo_stats", "op_profile", "input_pipeline", "findings",
                     "kernels"):
            self.assertEqual(self.table(name, path)["properties"]["input_cut"], words, name)
            for form in ("text", "csv", "xprof"):
                done = subprocess.run([BINARY, "table", name, str(path), "--format", form],
                                      capture_output=True, text=True, timeout=60, check=True)
                self.assertIn(words, done.stderr, (name, form))
                has_place = form != "csv" and (name, form) != ("op_profile", "xprof")
                self.assertEqual("input_cut" in done.stdout, has_place, (name, form))
        self.assertNotIn("input_cut", self.table("steps", self.folder / "gpu")["properties"])


class Explain(FindingsCase):
    def explain(self, path, *arguments):
        return subprocess.run([BINARY, "explain", str(path), *arguments], capture_output=True,
                              text=True, timeout=120, check=False)

    def test_its_leaves_are_the_step(self):
        job = Job()
        for number in range(4):
            job.annotate(number, 1000 * number, 1000 * number + 900)
            loads(job, 1000 * number, number)
        for path in (self.folder / "gpu", self.folder / "tpu",
                     job.write(self.folder / "explained.xplane.pb")):
            document = self.explained(path)
            parents = {part["parent"] for part in document["parts"]}
            leaves = [part["average_us"] for part in document["parts"]
                      if part["name"] not in parents]
            self.assertIn("compute", parents)
            self.assertAlmostEqual(sum(leaves) + document["residual_us"], document["step_us"], 6)
            self.assertAlmostEqual(document["residual_us"], 0, 6)
            self.assertGreater(len(leaves), 8)
        parts = {part["name"]: part["average_us"] for part in document["parts"]}
        self.assertEqual((parts["compute"], parts["input_wait"]), (595, 390))
        self.assertEqual([finding["finding"] for finding in document["findings"]], ["host_stall"])

    def test_what_lies_between_steps_is_of_the_steps_that_others_follow(self):
        job = Job()
        for number in range(6):
            job.annotate(number, 1000 * number, 1000 * number + (900 if number < 5 else 3000))
            job.launch("fusion", 1000 * number, 1000 * number + 5,
                       1000 * number + (505 if number < 5 else 2505))
        path = job.write(self.folder / "followed.xplane.pb")
        document = self.explained(path)
        overview = self.table("overview", path)["properties"]
        self.assertEqual((document["period_us"], document["between_us"]), (1000, 500))
        self.assertEqual(overview["between_steps_us_average"], 500)
        self.assertIn("1.000 ms pass on average, of which 500.0 µs lie between steps",
                      " ".join(self.explained_text(path).split()))

    def test_it_says_what_to_do_and_what_it_could_not_see(self):
        job = Job(traced=False)
        for number in range(4):
            job.launch("kernel", 0, 1000 * number, 1000 * number + 500)
        path = job.write(self.folder / "blind.xplane.pb")
        document = self.explained(path)
        self.assertEqual((document["step_method"], document["step_count"]), ("none", 0))
        self.assertTrue(any("not traced" in text for text in document["unseen"]))
        text = self.explain(path, "--format", "text").stdout
        self.assertTrue(text.startswith("CAPTURE"), text)
        self.assertIn("StepTraceAnnotation", text)
        markdown = self.explain(self.folder / "gpu", "--format", "md").stdout
        self.assertIn("Could not be seen", markdown)
        self.assertIn("No rule of", markdown)

    def test_phases_are_those_that_launches_say_where_ops_say_none(self):
        job = Job()
        for number in range(6):
            base = 1000 * number
            job.annotate(number, base, base + 900)
            for i, op in enumerate(("net/layer:Conv2D", "Adam/Adam/update:Mul", None)):
                job.launch("kernel", base + 10 * i, base + 100 + 200 * i, base + 300 + 200 * i,
                           more=[xplane_writer.stat_text("annotation", f"outer::{op}")]
                           if op else [])
        document = self.explained(job.write(self.folder / "annotated.xplane.pb"))
        parts = {part["name"]: part["average_us"] for part in document["parts"]}
        self.assertEqual([parts[name] for name in ("other", "optimizer", "unattributed")],
                         [200, 200, 200])
        self.assertTrue(any(text.startswith("100.0 % of device time has no framework path of its "
                                            "own") and " for 66.7 % of it" in text
                            for text in document["unseen"]), document["unseen"])

    def test_nothing_to_explain_is_refused(self):
        path = self.folder / "empty.xplane.pb"
        space = xplane_writer.Space(["worker-0"])
        space.add_plane("/host:CPU", 1).add_line("thread", 1, 0).add_event("something", 0, 5)
        path.write_bytes(space.encode())
        done = self.explain(path)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertRegex(done.stderr, "no explanation: .* has neither ops of a device nor steps: "
                                      "record longer, and mark them .JAX: ")


if __name__ == "__main__":
    sys.exit(unittest.main())
