"""Tables that are made of what a whole profile tells: `stepledger table`.

What: the peaks of allocators and the parts of steps, from files whose every event is known and from
real ones beside which xprof stored its own figures ($STEPLEDGER_SHARED). Findings and explain have
a file of their own.
"""

import gzip
import json
import struct
import sys
import unittest

from table_test import SHARED, STORED, TableCase

import xplane_decoder
import xplane_writer
from gpu_job import Job


def allocation(name, *, heap, free, stack=0, peak=0, fragmentation=0.0, allocator="GPU_0_bfc"):
    """An event of an allocator, and what it says."""
    sizes = {"bytes_reserved": stack, "bytes_allocated": heap, "bytes_available": free,
             "peak_bytes_in_use": peak, "requested_bytes": 4, "allocation_bytes": 256}
    stats = [xplane_writer.stat_int(stat, size) for stat, size in sizes.items()]
    stats.append(xplane_writer.stat_double("fragmentation", fragmentation))
    named = (xplane_writer.stat_int("index_on_host", allocator) if isinstance(allocator, int) else
             xplane_writer.stat_ref("allocator_name", allocator))
    return name, stats + [named]


class Memory(TableCase):
    def write(self, name, events):
        """events: (line, ns, allocation)."""
        space = xplane_writer.Space(["worker-0"])
        plane = space.add_plane("/host:CPU", 1)
        lines = [plane.add_line(f"thread {i}", 10 + i, 1000) for i in range(2)]
        lines[0].add_event("something else", 0, 7, [xplane_writer.stat_int("bytes_allocated", 9)])
        for line, at, (event, stats) in events:
            lines[line].add_event(event, at * 1000, 0, stats)
        path = self.folder / name
        path.write_bytes(space.encode())
        return path

    def test_a_peak_is_where_stack_and_heap_are_most(self):
        path = self.write("peaks.xplane.pb", [
            (0, 50, allocation("MemoryDeallocation", heap=10, free=90, peak=120)),
            (0, 20, allocation("MemoryAllocation", heap=60, stack=5, free=35, peak=110,
                               fragmentation=.25)),
            (1, 30, allocation("MemoryAllocation", heap=50, stack=15, free=31, peak=115,
                               fragmentation=.5)),
            (1, 10, allocation("MemoryAllocation", heap=1, free=1, allocator=3)),
        ])
        document = self.table("memory", path)
        first, second = document["rows"]
        self.assertEqual(first, {
            "allocator": "GPU_0_bfc", "host": "worker-0", "peak_bytes_lifetime": 120,
            "peak_bytes_in_use": 65, "heap": 50, "stack": 15, "free": 31, "fragmentation": .5,
            "capacity": 96, "peak_time_us": .03, "allocations": 2, "deallocations": 1})
        self.assertEqual((second["allocator"], second["peak_bytes_in_use"]), ("3", 1))
        times = self.table("memory_timeline", path)["rows"]
        self.assertEqual([(row["allocator"], row["time_us"], row["activity"], row["heap"])
                          for row in times],
                         [("GPU_0_bfc", .02, "allocate", 60), ("GPU_0_bfc", .03, "allocate", 50),
                          ("GPU_0_bfc", .05, "free", 10), ("3", .01, "allocate", 1)])

    def test_what_lives_at_the_peak_is_told(self):
        def at(time, name, address, heap, size, op="op"):
            event, stats = allocation(name, heap=heap, free=1000 - heap)
            return (0, time, (event, stats + [
                xplane_writer.stat_uint("addr", address), xplane_writer.stat_text("tf_op", op),
                xplane_writer.stat_int("allocation_bytes", size),
                xplane_writer.stat_int("requested_bytes", size)]))
        path = self.write("live.xplane.pb", [
            at(10, "MemoryAllocation", 2**40, 140, 40), at(20, "MemoryAllocation", 2, 150, 10),
            at(30, "MemoryDeallocation", 2**40, 110, 40),
            at(40, "MemoryAllocation", 2**40, 310, 200), at(50, "MemoryAllocation", 3, 320, 10),
            at(60, "MemoryDeallocation", 2, 310, 10), at(70, "MemoryAllocation", 4, 315, 5)])
        rows = self.table("memory_timeline", path)["rows"]
        self.assertEqual([row["live_at_peak"] for row in rows],
                         [False, True, None, True, True, None, False])
        done = self.run_table("memory", path, "--format", "xprof")
        told, = json.loads(done.stdout)["memoryProfilePerAllocator"].values()
        self.assertEqual([list(one.values()) for one in told["activeAllocations"]],
                         [["1", "3", "-1"], ["1", "-1", "0"], ["2", "1", "-1"]])
        self.assertEqual([(one["allocationBytes"], one["tfOpName"])
                          for one in told["specialAllocations"]], [("100", "preallocated/unknown")])

    def test_what_an_event_does_not_say_is_not_zero(self):
        path = self.write("silent.xplane.pb", [
            (0, 5, ("MemoryAllocation", [xplane_writer.stat_text("allocator_name", "a")]))])
        document = self.table("memory", path)
        (row,) = document["rows"]
        self.assertLess({"peak_bytes_in_use", "capacity", "fragmentation", "free"},
                        {one["column"] for one in document["absent"]})
        self.assertEqual({column: row[column] for column in ("peak_bytes_in_use", "capacity",
                                                             "peak_bytes_lifetime", "free")},
                         dict.fromkeys(("peak_bytes_in_use", "capacity", "peak_bytes_lifetime",
                                        "free")))

    def test_a_profile_without_allocators_says_so(self):
        self.assertIn("MemoryAllocation", self.refused(65, "memory", self.folder / "gpu"))


PARTS = ("compute", "collectives", "device_to_device", "host_to_device", "device_to_host",
         "input_wait", "kernel_launch", "host_compute", "compile", "idle")


def one_step(job, number, base, *, slow=0):
    """Its parts are what Steps.PARTS_OF_A_STEP says; `slow` µs more on the last device."""
    job.annotate(number, base, base + 290)
    job.call("data_load", base, base + 40)
    job.launch("first", base + 40, base + 50, base + 60)
    job.call("data_load", base + 62, base + 80)
    job.call("backend_compile", base + 82, base + 92)
    job.call("numpy work", base + 94, base + 104)
    job.launch("fusion", base + 110, base + 114, base + 150)
    job.launch("nccl_all_reduce", base + 114, base + 140, base + 170, stream=1)
    job.launch("MemcpyH2D", base + 118, base + 165, base + 180, stream=0)
    job.launch("MemcpyD2D", base + 120, base + 180, base + 184, stream=0)
    job.launch("MemcpyD2H", base + 122, base + 184, base + 186, stream=0)
    job.launch("last", base + 124, base + 200, base + 250)
    if slow:
        job.launch("first", base + 126, base + 130, base + 140, device=1)
        job.launch("last", base + 128, base + 200, base + 250 + slow, device=1)


class Steps(TableCase):
    # From the first kernel to the end of the last, 50..250. Kernels overlap nccl for 10, which is
    # alone for 20, the last 5 of them beside a copy, which then is alone for 10.
    PARTS_OF_A_STEP = {
        "compute": 10 + 36 + 50, "collectives": 20, "device_to_device": 4, "host_to_device": 10,
        "device_to_host": 2, "input_wait": 18, "kernel_launch": 2, "host_compute": 10,
        "compile": 10, "idle": 2 + 2 + 2 + 6 + 2 + 14}

    def test_each_part_is_what_was_planted(self):
        job = Job()
        for number in range(2):
            one_step(job, 7 + number, 1000 * number)
        path = job.write(self.folder / "parts.xplane.pb")
        document = self.table("steps", path)
        self.assertEqual([(row["step"], row["scope"]) for row in document["rows"]],
                         [(7, "step"), (7, "device"), (8, "step"), (8, "device")])
        for row in document["rows"]:
            self.assertEqual({part: round(row[f"{part}_us"], 6) for part in PARTS},
                             self.PARTS_OF_A_STEP)
            self.assertEqual(row["step_time_us"], 200)
        overview = {row["part"]: row for row in self.table("overview", path)["rows"]}
        for part, length in {**self.PARTS_OF_A_STEP, "step": 200}.items():
            self.assertAlmostEqual(overview[part]["average_us"], length)
            self.assertAlmostEqual(overview[part]["share"], length / 200)
        # xprof: copies compute, and so does what overlaps them.
        self.assertAlmostEqual(overview["compute"]["xprof_average_us"], 96 + 15 + 4 + 2)
        self.assertAlmostEqual(overview["collectives"]["xprof_average_us"], 15)
        self.assertAlmostEqual(overview["host_compute"]["xprof_average_us"], 20)
        levels = self.table("input_pipeline", path)
        self.assertEqual(levels["rows"][0]["input_us"], 18 + 40)  # the next one's load
        self.assertEqual({name: levels["properties"][f"{name}_level"] for name in
                          ("input", "collectives", "kernel_launch", "all_other", "output")},
                         {"input": "moderate", "collectives": "moderate", "all_other": "moderate",
                          "kernel_launch": "no", "output": "no"})
        self.assertEqual(levels["properties"]["bottleneck"], "both")
        self.assertIn("5.8 %", levels["properties"]["input_statement"])

    def test_the_slow_device_is_the_step(self):
        job = Job(devices=2)
        for number in range(3):
            one_step(job, number, 1000 * number, slow=100)
        rows = self.table("steps", job.write(self.folder / "slow.xplane.pb"))["rows"]
        self.assertEqual([(row["scope"], row["device"], row["step_time_us"]) for row in rows[:3]],
                         [("step", "/device:GPU:1", 220), ("device", "/device:GPU:1", 220),
                          ("device", "/device:GPU:0", 200)])
        for row in rows:
            self.assertAlmostEqual(sum(row[f"{part}_us"] for part in PARTS), row["step_time_us"])

    def test_what_is_not_measured_is_no_zero(self):
        job = Job(traced=False)
        job.launch("kernel", 0, 100, 200)
        document = self.table("steps", job.write(self.folder / "untraced.xplane.pb"))
        (row,) = document["rows"]  # no steps: all that the device did
        self.assertEqual((row["step"], row["scope"], row["compute_us"]), (None, "device", 100))
        for part in ("input_wait", "kernel_launch", "host_compute", "compile"):
            self.assertIsNone(row[f"{part}_us"])
            self.assertIn("not traced", document["properties"][f"{part}_absent"])
        overview = self.table("overview", self.folder / "untraced.xplane.pb")
        absent = {row["part"]: row["absent"] for row in overview["rows"]}
        self.assertIn("not traced", absent["compile"])
        self.assertIsNone(absent["compute"])
        for name in ("kernel_launch_level", "input_level", "input_share", "bottleneck",
                     "device_idle_share", "step_time_us_average", "step_time_us_max"):
            self.assertIsNone(overview["properties"][name], name)
        self.assertIn("not traced", overview["properties"]["bottleneck_absent"])
        self.assertIn("no steps", overview["properties"]["step_time_us_absent"])
        (row,) = self.table("input_pipeline", self.folder / "untraced.xplane.pb")["rows"]
        self.assertEqual((row["input_us"], row["input_share"]), (None, None))

    def test_a_profile_of_nothing_says_so(self):
        path = self.folder / "nothing.xplane.pb"
        path.write_bytes(xplane_writer.Space().encode() or b"")
        space = xplane_writer.Space(["worker-0"])
        space.add_plane("/host:CPU", 1).add_line("thread", 1, 0).add_event("something", 0, 5)
        path.write_bytes(space.encode())
        self.assertIn("StepTraceAnnotation", self.refused(65, "overview", path))


class TopOps(TableCase):
    """The ops of most time and the bits of what computes, in `overview` and `top_ops`."""

    def tpu_of(self, ops):
        """A step that runs ops: (text, category, path, µs)."""
        space = xplane_writer.Space(["worker-0"])
        plane = space.add_plane("/device:TPU:0", 2)
        steps, line = plane.add_line("Steps", 1, 0), plane.add_line("XLA Ops", 2, 0)
        steps.add_event("0", 0, 1_000_000_000)
        begin = 0
        for text, category, path, length in ops:
            stats = [xplane_writer.stat_text("hlo_category", category)]
            if path:
                stats.append(xplane_writer.stat_text("tf_op", path))
            line.add_event(text, begin * 1_000_000, length * 1_000_000, stats)
            begin += length
        path = self.folder / "top.xplane.pb"
        path.write_bytes(space.encode())
        return path

    def test_ops_of_one_path_are_one_and_bits_are_those_of_arrays(self):
        path = self.tpu_of([
            ("%dot.1 = f32[8]{0} fusion(bf16[8]{0} %a), kind=kOutput", "convolution fusion",
             "jit(f)/dot_general:dot_general", 300),
            ("%dot.2 = f32[8]{0} fusion(bf16[8]{0} %a), kind=kOutput", "convolution fusion",
             "jit(f)/dot_general:dot_general", 100),
            ("%add.3 = f32[8]{0} fusion(f32[8]{0} %a), kind=kLoop", "loop fusion",
             "jit(f)/add:add", 200),
            ("%iota.4 = s32[8]{0} fusion(s32[8]{0} %a), kind=kLoop", "loop fusion",
             "jit(f)/iota_3", 100),
            ("all-reduce.5", "all-reduce", "", 100)])
        document = self.table("overview", path)
        ops = [row for row in document["rows"] if row["scope"] == "ops"]
        self.assertEqual([(row["part"], row["self_time_us"], row["share"], row["average_us"])
                          for row in ops],
                         [("jit(f)/dot_general", 400, .5, None), ("jit(f)/add", 200, .25, None),
                          ("all-reduce.5", 100, .125, None), ("jit(f)/iota_3", 100, .125, None)])
        told = document["properties"]
        self.assertAlmostEqual(told["compute_16bit_share"], 2 / 3)
        self.assertAlmostEqual(told["compute_32bit_share"], 1 / 3)
        self.assertAlmostEqual(told["compute_bits_told_share"], 6 / 7)
        top = self.table("top_ops", path)
        self.assertEqual([(row["operation"], row["category"], row["selfTimePercent"],
                           row["cumulativeTimePercent"]) for row in top["rows"]],
                         [("jit(f)/dot_general", "dot_general", .5, .5),
                          ("jit(f)/add", "add", .25, .75),
                          ("all-reduce.5", "Unknown", .125, .875),
                          ("jit(f)/iota_3", "iota", .125, 1)])
        self.assertAlmostEqual(top["properties"]["device_compute_16bit_percent"], 200 / 3)
        text = self.run_table("overview", path, "--format", "text").stdout
        for words in ("jit(f)/add", "400.0 µs", "compute_16bit_share", "66.7 %"):
            self.assertIn(words, text)

    def test_ten_are_told_and_kernels_by_their_names(self):
        job = Job()
        job.annotate(0, 0, 990)
        for i in range(12):
            job.launch(f"volta_{'hs'[i % 2]}gemm_{i:02}", 0, 10 + 50 * i, 30 + 51 * i)
        path = job.write(self.folder / "kernels.xplane.pb")
        document = self.table("overview", path)
        ops = [row["part"] for row in document["rows"] if row["scope"] == "ops"]
        self.assertEqual(ops, [f"volta_{'hs'[i % 2]}gemm_{i:02}" for i in range(11, 1, -1)])
        self.assertEqual([row["operation"] for row in self.table("top_ops", path)["rows"]], ops)
        half = sum(20 + i for i in range(0, 12, 2))
        self.assertAlmostEqual(document["properties"]["compute_16bit_share"],
                               half / sum(20 + i for i in range(12)))

    def test_what_no_op_tells_is_no_zero(self):
        path = self.tpu_of([("step_fusion", "loop fusion", "", 9)])
        told = self.table("overview", path)["properties"]
        self.assertIsNone(told["compute_16bit_share"])
        self.assertIn("types of its arrays", told["compute_bits_absent"])
        self.assertNotIn("device_compute_16bit_percent", self.table("top_ops", path)["properties"])


class Input(TableCase):
    def planted(self, name, calls):
        """Steps of which the device waits 200 of 1000 µs for input, and what is called then."""
        job = Job()
        for number in range(4):
            base = 1000 * number
            job.annotate(number, base, base + 990)
            job.launch("first", base, base + 5, base + 100)
            for call, begin, end in calls:
                job.call(call, base + begin, base + end)
            job.launch("fusion", base + 301, base + 305, base + 1000)
        return self.table("input_ops", job.write(self.folder / f"{name}.xplane.pb"))

    def test_stages_have_their_own_time(self):
        read = "Iterator::Model::Map::TFRecord"
        document = self.planted("stages", [
            ("data_load", 100, 300), ("Iterator::Model", 110, 290),
            ("Iterator::Model::Map", 120, 280), (read, 130, 230),
            ("Iterator::Prefetch::TFRecord", 232, 262)])
        rows = {row["opName"]: row for row in document["rows"]}
        own = {"data_load": 20, "Iterator::Model": 20, "Iterator::Model::Map": 30, read: 100,
               "Iterator::Prefetch::TFRecord": 30}
        kinds = ("Unknown", "Preprocessing", "Preprocessing", "Demanded file read",
                 "Advanced file read")
        self.assertEqual(set(rows), set(own))
        for (name, length), kind in zip(own.items(), kinds):
            row = rows[name]
            self.assertAlmostEqual(row["selfTimeInMs"], 4 * length / 1e3)
            self.assertAlmostEqual(row["selfTimeInPercent"], 100 * length / 180)  # as tf.data takes
            self.assertEqual((row["count"], row["category"]), (4, kind))
        self.assertAlmostEqual(rows["Iterator::Model"]["timeInMs"], .72)
        told = document["properties"]
        self.assertEqual([round(told[name]) for name in
                          ("demanded_file_read_us", "advanced_file_read_us", "preprocessing_us",
                           "unclassified_us", "enqueue_us")], [400, 120, 200, 80, 0])
        self.assertIn("read ahead", told["input_statement"])

    def test_the_statement_is_of_what_takes_the_time(self):
        for name, calls, word in (
                ("sends", [("data_load", 100, 300), ("BufferFromHost", 110, 290)], "on its way"),
                ("both", [("data_load", 100, 300), ("BufferFromHost", 110, 200)], "read ahead"),
                ("short", [("data_load", 100, 160), ("BufferFromHost", 110, 150)], None)):
            told = self.planted(name, calls)["properties"]["input_statement"]
            (self.assertIsNone(told) if word is None else self.assertIn(word, told))

    def test_who_names_no_stage_has_none(self):
        job = Job()
        job.annotate(0, 0, 900)
        job.launch("fusion", 0, 5, 900)
        job.call("IteratorGetNext", 905, 990)
        path = job.write(self.folder / "unnamed.xplane.pb")
        self.assertIn("data_load", self.refused(65, "input_ops", path))


def stored_details(stored):
    """Of an overview_page.pb: the breakdown of each step by field, and the judgement."""
    details, analysis = [], {}
    page = dict_of(stored.read_bytes())
    for number, value in xplane_decoder.fields_read(page[2]):
        if number == 4:
            details.append(dict_of(dict_of(value)[2]))
        if number == 7:
            for inner, text in xplane_decoder.fields_read(value):
                if inner == 2 and b"BottleneckAnalysis" in text:
                    analysis = dict_of(dict_of(text)[2])
    return details, analysis


def dict_of(message):
    return dict(xplane_decoder.fields_read(message))


def double_of(value):
    """A double as fields_read hands over what is not a varint."""
    return value if isinstance(value, float) else struct.unpack("<d", value)[0]


@unittest.skipUnless(STORED.is_dir(), f"SKIPPED: no real tables in {STORED}")
class RealTables(TableCase):
    def captures(self, suffix):
        for stored in sorted(STORED.glob(f"*{suffix}")):
            capture = SHARED / "profiles/xplane" / (stored.name.removesuffix(suffix) + ".xplane.pb")
            if capture.exists():
                yield stored, capture

    def test_memory_equals_what_xprof_stored_beside_the_capture(self):
        compared = 0
        for stored, capture in self.captures(".memory_profile.json.gz"):
            with gzip.open(stored) as file:
                expected = json.load(file)["memoryProfilePerAllocator"]
            rows = {row["allocator"]: row for row in self.table("memory", capture)["rows"]}
            self.assertEqual(sorted(rows), sorted(expected))
            for allocator, profile in expected.items():
                row, summary = rows[allocator], profile["profileSummary"]
                peak = summary["peakStats"]
                self.assertEqual(
                    {"peak_bytes_lifetime": int(summary["peakBytesUsageLifetime"]),
                     "capacity": int(summary["memoryCapacity"]),
                     "peak_time_us": int(summary["peakStatsTimePs"]) / 1e6,
                     "stack": int(peak["stackReservedBytes"]),
                     "heap": int(peak["heapAllocatedBytes"]),
                     "free": int(peak["freeMemoryBytes"]),
                     "peak_bytes_in_use": int(peak["peakBytesInUse"])},
                    {column: row[column] for column in
                     ("peak_bytes_lifetime", "capacity", "peak_time_us", "stack", "heap", "free",
                      "peak_bytes_in_use")})
                self.assertAlmostEqual(row["fragmentation"], float(peak["fragmentation"]), 6)
                self.assertEqual(row["allocations"] + row["deallocations"],
                                 len(profile["memoryProfileSnapshots"]))
                compared += 1
        self.assertGreaterEqual(compared, 16)

    def test_input_stages_equal_what_xprof_stored_beside_the_capture(self):
        compared = 0
        for stored, capture in self.captures(".input_pipeline.pb"):
            theirs, whole = {}, {}
            for number, value in xplane_decoder.fields_read(stored.read_bytes()):
                if number == 6:
                    op = dict_of(value)
                    theirs[op[1].decode()] = (op[2], op[7].decode(), *[
                        round(double_of(op[field]), 6) for field in (3, 5, 4, 6)])
                elif number == 5:
                    whole = dict_of(value)
            document = self.table("input_ops", capture)
            ours = {row["opName"]: (row["count"], row["category"], round(row["timeInMs"], 6),
                                    *[round(row[column], 6) for column in
                                      ("selfTimeInMs", "timeInPercent", "selfTimeInPercent")])
                    for row in document["rows"] if row["opName"].startswith("Iterator::")}
            self.assertEqual(ours, theirs, stored.name)
            self.assertAlmostEqual(document["properties"]["preprocessing_us"],
                                   double_of(whole[3]), 3)
            compared += 1
        self.assertGreaterEqual(compared, 3)

    def test_top_ops_equal_what_xprof_stored_beside_the_capture(self):
        compared = 0
        for stored, capture in self.captures(".overview_page.pb"):
            page = list(xplane_decoder.fields_read(dict_of(stored.read_bytes())[3]))
            theirs = [dict_of(value) for number, value in page if number == 4]
            whole = {number: value for number, value in page if number != 4}
            document = self.table("top_ops", capture)
            for row, op in zip(document["rows"], theirs, strict=True):
                self.assertEqual((row["operation"], row["category"]),
                                 (op[1].decode(), op[2].decode()), stored.name)
                self.assertAlmostEqual(row["selfTimePercent"], double_of(op[3]), 12)
                self.assertAlmostEqual(row["cumulativeTimePercent"], double_of(op[4]), 12)
            for field, name in ((9, "16bit"), (10, "32bit")):  # 0 is left out
                self.assertEqual(document["properties"][f"device_compute_{name}_percent"],
                                 double_of(whole[field]) if field in whole else 0)
            compared += 1
        self.assertGreaterEqual(compared, 8)

    def test_steps_equal_what_xprof_stored_beside_the_capture(self):
        fields = {3: ("idle",), 5: ("device_to_host",), 6: ("compute",), 7: ("device_to_device",),
                  8: ("host_compute",), 9: ("kernel_launch",), 11: ("input_wait",),
                  12: ("host_to_device",), 13: ("collectives",)}
        compared = 0
        for stored, capture in self.captures(".overview_page.pb"):
            (details,), analysis = stored_details(stored)
            document = self.table("overview", capture)
            rows = {row["part"]: row["xprof_average_us"] for row in document["rows"]}
            self.assertAlmostEqual(rows["step"], 1e3 * double_of(details[2]), 3, stored.name)
            for field, parts in fields.items():
                expected = 1e3 * double_of(details[field]) if field in details else 0
                self.assertAlmostEqual(sum(rows[part] for part in parts), expected, 3,
                                       f"{stored.name}: {parts}")
            told = document["properties"]
            self.assertEqual((told["bottleneck"], told["kernel_launch_level"],
                              told["output_level"]),
                             tuple(analysis[i].decode() for i in (1, 3, 11)), stored.name)
            # xprof says no of the rest where it has blamed the rest for waiting for input.
            if b"POTENTIALLY" not in analysis[2]:
                self.assertEqual(told["all_other_level"], analysis[5].decode(), stored.name)
            for field, share in {7: "input_share", 9: "xprof_idle_share",
                                 10: "xprof_compute_share"}.items():
                self.assertAlmostEqual(told[share], double_of(analysis[field]) / 100, 9)
            compared += 1
        self.assertGreaterEqual(compared, 8)


if __name__ == "__main__":
    sys.exit(unittest.main())
