"""Traces in Chrome's JSON: the reference's figures, those of XPlane files, and careless writers.

What: `stepledger summarize` of traces, real ones in $STEPLEDGER_SHARED and made ones: members of
profile_summary.v1 must be equal to the stored documents to the last bit; of a sample profile that
is written in both forms steps, ops and devices must be equal; what a writer got wrong is counted.
What it does not do: speed (tests/bench), made-up bytes (tests/fuzz).
"""

import glob
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import trace_writer  # noqa: E402
import xplane_decoder  # noqa: E402
from folder_case import FolderCase  # noqa: E402

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
TRACES = SHARED / "profiles/trace"
NOT_COMPARED = {"generated_at_utc", "source_path"}
HOST, GPU = (1, 1), (0, 7)  # process and thread


def run_summarize(*arguments):
    return subprocess.run([BINARY, "summarize", *map(str, arguments)], capture_output=True,
                          text=True, timeout=120, check=False)


class TraceCase(FolderCase):
    def file(self, data, name="a.trace.json.gz"):
        return super().file(data, name)

    def summary(self, *arguments):
        run = run_summarize(*arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def summary_of(self, text, *options):
        data = text if isinstance(text, bytes) else text.encode()
        return self.summary(self.file(data, "a.trace.json"), *options)

    def refused(self, data, *words, name="a.trace.json.gz"):
        run = run_summarize(self.file(data, name))
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        for word in (name, *words):
            self.assertIn(word, run.stderr)

    def warned(self, summary, pattern):
        warnings = (summary["trace_overview"]["quality_warnings"]
                    + summary["coverage"]["warnings"])
        self.assertTrue(any(re.search(pattern, warning) for warning in warnings),
                        (pattern, warnings))


def strip(value, names):
    """Takes members of these names out, however deep they lie."""
    if isinstance(value, dict):
        for name in names:
            value.pop(name, None)
        value = list(value.values())
    for item in value if isinstance(value, list) else []:
        strip(item, names)


def busy_us(trace):
    """Time in which a GPU of a PyTorch trace works, by its number: the union of its intervals."""
    spans = {}
    for item in trace["traceEvents"]:
        if item.get("ph") == "X" and item.get("dur", 0) > 0 and \
                item.get("cat", "").lower() in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy",
                                                "memset"):
            spans.setdefault(item["args"]["device"], []).append(
                (item["ts"], item["ts"] + item["dur"]))
    busy = {}
    for device, intervals in spans.items():
        total, reach = 0.0, float("-inf")
        for begin, end in sorted(intervals):
            total += max(0.0, end - max(begin, reach))
            reach = max(reach, end)
        busy[device] = total
    return busy


@unittest.skipUnless(TRACES.is_dir(), f"no real traces in '{SHARED}'; set STEPLEDGER_SHARED")
class RealTraces(TraceCase):
    """Captured by others; read where they are. Methods are added below, one per trace."""

    def check_equal(self, path, golden):
        document = self.summary("--trace-file", path, "--warmup-steps", "0")
        for member, value in json.loads(golden.read_text()).items():
            if member not in NOT_COMPARED:
                self.assertEqual(json.dumps(document[member]), json.dumps(value), member)

    def check_partial(self, path):
        data = path.read_bytes()
        trace = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
        document = self.summary("--trace-file", path)
        overview = document["trace_overview"]
        self.assertEqual(overview["num_events_total"], len(trace["traceEvents"]))
        complete = [item for item in trace["traceEvents"]
                    if item.get("ph") == "X" and item.get("dur", 0) > 0]
        self.assertEqual(overview["num_complete_events"], len(complete) - 1)
        self.warned(document, "that is a text")
        self.warned(document, "items of the trace are in no figure: .*1 are the profiler's own")
        found = {int(device["name"].rsplit(":", 1)[1]): device["busy_us"]
                 for device in document["devices"]}
        wanted = busy_us(trace)
        self.assertEqual(found.keys(), wanted.keys())
        for device, busy in wanted.items():
            # Doubles of times since 1970 are exact to a quarter of a µs.
            self.assertAlmostEqual(found[device], busy, delta=0.001 * busy + 0.5)

    def test_a_trace_tells_of_devices_what_the_xplane_file_beside_it_tells(self):
        for trace in sorted(TRACES.glob("ecbme4040__*gpu-*.trace.json.gz")):
            xplane = SHARED / "profiles/xplane" / trace.name.replace(".trace.json.gz",
                                                                     ".xplane.pb")
            ours, theirs = self.summary(trace), self.summary(xplane)
            for member in ("devices", "steps"):
                for document in (ours, theirs):  # the one is without the capture's own clock …
                    strip(document[member], ("host", "start_us", "input_wait_us"))
                    # … and without the groups by which events of the host count
                self.assertEqual(ours[member], theirs[member])
            self.assertEqual({op["name"]: op["self_us"] for op in ours["ops"]},
                             {op["name"]: op["self_us"] for op in theirs["ops"]})


def add_traces():
    for path in sorted(TRACES.glob("*.json*")):
        golden = SHARED / "golden/summaries" / f"trace_{path.name}.json"

        def test(self, path=path, golden=golden):
            if golden.exists():
                self.check_equal(path, golden)
            else:
                self.check_partial(path)

        setattr(RealTraces, "test_" + re.sub(r"\W+", "_", path.name), test)


add_traces()


class BothForms(TraceCase):
    """One profile, written as an XPlane file and as a trace."""

    def check(self, *options):
        subprocess.run([sys.executable, "tests/support/make_profile.py", *options, "--layout",
                        "flat", "--output", self.folder, "--steps", "8"], check=True,
                       stdout=subprocess.DEVNULL)
        xplane = glob.glob(f"{self.folder}/*.xplane.pb")[0]
        space = xplane_decoder.space_read(pathlib.Path(xplane).read_bytes())
        theirs = self.summary(xplane)
        (self.folder / "apart").mkdir()
        ours = self.summary(self.file(trace_writer.trace_of(space).encode(),
                                      "apart/a.trace.json.gz"))
        for member in ("devices", "steps"):
            for document in (ours, theirs):  # a trace counts from its own begin
                strip(document[member], ("host", "start_us"))
            self.assertEqual(ours[member], theirs[member], member)
        self.assertEqual(len(ours["ops"]), len(theirs["ops"]))
        for left, right in zip(ours["ops"], theirs["ops"]):
            left["program"] = right["program"]  # a trace of a TPU does not tell
            self.assertEqual(left, right)
        self.assertGreater(len(ours["steps"]["rows"]), 5)

    def test_of_a_tpu(self):
        self.check("--kind", "tpu")

    def test_of_a_gpu(self):
        self.check("--kind", "gpu")


def torch_trace(**root):
    """Three steps of one stream with two kernels each, as PyTorch writes them."""
    trace = trace_writer.Trace(schemaVersion=1, displayTimeUnit="ms",
                               deviceProperties=[{"id": 0, "name": "NVIDIA A100"}], **root)
    for step in range(3):
        start = 1719853884000000.125 + 1000 * step
        trace.event(HOST, f"ProfilerStep#{step + 4}", start, 900, cat="user_annotation")
        trace.event(GPU, f"ProfilerStep#{step + 4}", start + 50, 700, cat="gpu_user_annotation")
        for kernel in range(2):
            number = 2 * step + kernel
            trace.event(HOST, "cudaLaunchKernel", start + 10 + kernel, 0.5,
                        {"correlation": number}, cat="cuda_runtime")
            trace.event(GPU, ("gemm", "softmax")[kernel], start + 100 + 300 * kernel, 250,
                        {"correlation": number, "stream": 7, "device": 0}, cat="kernel")
    trace.process(1, "python", "CPU")
    trace.process(0, "python", "GPU 0")
    trace.thread(0, 7, "stream 7 ")
    return trace


class Torch(TraceCase):
    def check(self, document):
        self.assertEqual(document["steps"]["method"], "step_annotation")
        self.assertEqual([row["number"] for row in document["steps"]["rows"]], [4, 5, 6])
        self.assertEqual([device["busy_us"] for device in document["devices"]], [1500.0])
        self.assertEqual(document["environment"]["device_type"], "NVIDIA A100")
        self.assertEqual({op["name"]: op["count"] for op in document["ops"]},
                         {"gemm": 3, "softmax": 3})

    def test_steps_devices_and_kernels_are_found_whatever_they_are_called(self):
        self.check(self.summary(self.file(torch_trace().encode())))

    def test_annotations_on_a_stream_are_no_work(self):
        document = self.summary(self.file(torch_trace().encode()))
        self.assertNotIn("ProfilerStep", {op["name"] for op in document["hot_ops"]})

    def test_without_a_device_it_is_said_what_records_one(self):
        for root in (torch_trace(), trace_writer.Trace()):
            trace = torch_trace()
            trace.root = root.root
            trace.items = [item for item in trace.items if item.get("pid") == 1]
            trace.event(HOST, "aten::mm", 1719853884000000, 5, cat="cpu_op")
            path = self.file(trace.encode(), "cpu.pt.trace.json.gz")
            document = self.summary(path)
            self.warned(document, "PyTorch recorded no device: .*ProfilerActivity.CUDA")
            self.assertEqual(document["steps"]["method"], "host_annotation")
            self.assertEqual([row["number"] for row in document["steps"]["rows"]], [4, 5, 6])
            for name in ("kernels", "copies"):
                table = subprocess.run([BINARY, "table", name, path], capture_output=True,
                                       text=True, timeout=60, check=False)
                self.assertEqual((table.returncode, table.stdout), (65, ""))
                self.assertIn("ProfilerActivity.CUDA", table.stderr)
                self.assertNotIn("xplane", table.stderr)
        self.assertNotIn("recorded no device", json.dumps(self.summary(
            self.file(torch_trace().encode()))))

    def test_streams_may_be_named_by_texts_and_items_come_in_any_order(self):
        trace = torch_trace()
        trace.items.reverse()
        for item in trace.items:
            if item["pid"] == 0 and "tid" in item:
                item["tid"] = "stream 7"
        document = self.summary(self.file(trace.encode()))
        self.check(document)
        self.warned(document, "9 events have a process or thread that is a text")

    def test_a_process_may_have_the_number_of_a_gpu(self):
        told = set()
        for host in (4000, 0, 1, 7):
            trace = torch_trace()
            for gpu in range(8):  # as the profiler lists them, whichever the program sees
                trace.process(gpu, "python", f"GPU {gpu}")
            for item in trace.items:
                if item["name"] == "softmax" or item.get("args") == {"labels": "GPU 1"}:
                    item["pid"] = 1
                elif item["pid"] == 1:
                    item["pid"] = host
            document = self.summary(self.file(trace.encode()))
            told.add(json.dumps([document[name] for name in ("steps", "devices", "hot_ops")]))
        self.assertEqual((len(told), len(document["devices"])), (1, 2))

    def test_the_clock_and_the_rank_are_those_of_the_file(self):
        trace = torch_trace(distributedInfo={"backend": "nccl", "rank": 3, "world_size": 4},
                            host_name="node-3")
        host = self.summary(self.file(trace.encode()))["capture"]["hosts"][0]
        self.assertEqual((host["process"], host["process_count"], host["host"]), (3, 4, "node-3"))
        self.assertEqual(host["begin_ns"] // 10**9, 1719853884)


class Careless(TraceCase):
    """What writers get wrong, and what else lies in traces."""

    def test_a_comma_too_many_and_a_missing_end(self):
        event = '{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a",}'
        whole = self.summary_of(f'{{"traceEvents":[{event},{event},]}}')
        self.assertEqual(whole["trace_overview"]["num_complete_events"], 2)
        self.assertEqual(whole["trace_overview"]["quality_warnings"], [])
        cut = self.summary_of(f'{{"traceEvents":[{event},{event},{event[:20]}')
        self.assertEqual(cut["trace_overview"]["num_complete_events"], 2)
        self.warned(cut, "is cut off")
        self.warned(cut, "ends early: 21 bytes of its text hold nothing whole")
        self.assertEqual(cut["coverage"]["bytes_unread"], 21)
        bare = self.summary_of(f"[{event},{event}")
        self.assertEqual(bare["trace_overview"]["num_complete_events"], 2)
        self.warned(bare, "bare array")

    def test_a_file_that_is_cut_anywhere_is_read_as_far_as_it_goes_or_refused(self):
        data = torch_trace().encode()
        for length in range(20, len(data), 61):
            run = run_summarize(self.file(data[:length]))
            self.assertIn(run.returncode, (0, 1), run.stderr)
            if run.returncode == 0:
                self.warned(json.loads(run.stdout), "is cut off")

    def test_a_text_in_many_packed_pieces_is_one_text(self):
        text = torch_trace().text().encode()
        pieces = b"".join(gzip.compress(text[i:i + 3], mtime=0) for i in range(0, len(text), 3))
        Torch.check(self, self.summary(self.file(pieces)))

    def told(self, data, sentence, behind=None, unproven=None, name="a.trace.json.gz"):
        """All of the trace is read, what is odd is told and counted, and strict input refuses."""
        path = self.file(data, name)
        document = self.summary(path)
        Torch.check(self, document)
        self.warned(document, "^The trace " + sentence)
        coverage = document["coverage"]
        self.assertEqual((coverage.get("bytes_behind"), coverage.get("files_unproven")),
                         (behind, unproven))
        self.assertEqual(coverage["bytes_unread"], 0)
        self.assertTrue(any(name in text for text in coverage["warnings"]), coverage)
        self.assertNotIn("cut off", json.dumps(document))
        strict = run_summarize(path, "--strict-input")
        self.assertEqual((strict.returncode, strict.stdout), (1, ""))
        self.assertRegex(strict.stderr, f"{name}' {sentence}.*--strict-input")
        return path

    def test_what_was_changed_on_its_way_is_told(self):
        for place in (-6, -2):  # in the checksum, in the length
            data = bytearray(torch_trace().encode())
            data[place] ^= 1
            path = self.told(bytes(data), "is not what its gzip checksum is of", unproven=1)
            table = subprocess.run([BINARY, "table", "kernels", path], capture_output=True,
                                   text=True, timeout=60, check=False)
            self.assertEqual((table.returncode, table.stdout), (65, ""))
            self.assertIn("checksum", table.stderr)
        data = torch_trace().encode()
        for missing in (1, 4, 8):
            self.told(data[:-missing], "is whole, but the compressed data ends early", unproven=1)

    def test_what_follows_a_trace_is_told(self):
        packed, text = torch_trace().encode(), torch_trace().text().encode()
        for behind in (b"what is no gzip", bytes(512), b"\n"):
            self.told(packed + behind, f"is followed by {len(behind)} bytes that are no gzip",
                      len(behind))
        self.told(packed + b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\xff" * 40,
                  "is followed by compressed data that is broken", behind=50)
        second = "is followed by another JSON document, which begins at byte"
        self.told(packed + packed, second, len(text))
        for gap in (b"", b"\n\n"):
            self.told(text + gap + text, f"{second} {len(text + gap)} of", len(text),
                      name="b.trace.json")
        self.told(text + b" more", f"is followed by 4 bytes of text .* from byte {len(text) + 1}",
                  4, name="c.trace.json")
        quiet = run_summarize(self.file(text + b" \n\r\n", "d.trace.json"), "--strict-input")
        self.assertEqual(quiet.returncode, 0, quiet.stderr)

    def test_items_that_are_no_events_are_counted(self):
        trace = torch_trace()
        extra = [{"ph": phase, "pid": 1, "tid": 1, "ts": 1, "name": "x", "id": 1}
                 for phase in "stfiCBEbNnO"]
        extra += [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 0, "name": "none"},
                  {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
                  {"ph": "X", "pid": True, "tid": 1, "ts": 1, "dur": 5, "name": "odd"},
                  {"ph": "X", "tid": 1, "ts": 1, "dur": 5, "name": "nowhere"},
                  {"ph": "X", "pid": -1, "tid": 1, "ts": 1, "dur": 5, "name": "below"},
                  {"ph": "X", "pid": 1, "tid": 1, "ts": "soon", "dur": 5, "name": "odd"},
                  {"ph": "X", "pid": 1, "tid": 1, "ts": 1e300, "dur": 5, "name": "far"}, 7]
        trace.items += extra
        document = self.summary(self.file(trace.encode()))
        Torch.check(self, document)
        for pattern in ("19 of 42 items of the trace are in no figure", "3 mark flows",
                        "1 mark a moment", "1 are samples of count",
                        "4 are asynchronous", "3 last no time", "1 have no name",
                        "2 have no process or thread", "3 hold members of another type",
                        "1 lie too far"):
            self.warned(document, pattern)
        self.assertEqual(document["trace_overview"]["num_events_total"], len(trace.items))

    def test_events_without_a_time_are_counted_and_move_nothing(self):
        trace = torch_trace()
        without = {"ph": "X", "pid": 1, "tid": 1, "dur": 5, "name": "timeless"}
        halves = [{"ph": phase, "pid": 1, "tid": 1, "ts": None, "name": "x"} for phase in "BE"]
        trace.items = [without, {**without, "ts": None}, *trace.items, *halves]
        document = self.summary(self.file(trace.encode()))
        Torch.check(self, document)
        self.warned(document, "4 have no time")
        self.assertEqual([op for op in document["ops"] if op["name"] == "timeless"], [])

    def test_escapes_and_other_scripts_are_texts(self):
        name = 'f"\\\n\u00e9\u4f60\U0001f600'
        trace = trace_writer.Trace()
        trace.process(0, "/device:GPU:0")
        trace.thread(0, 7, "Stream #7")
        for text in (json.dumps(name), json.dumps(name, ensure_ascii=False)):
            trace.event(GPU, "NAME", 1, 5)
            made = trace.text().replace('"NAME"', text)
            document = self.summary_of(made.encode())
            self.assertEqual([op["name"] for op in document["hot_ops"]], [name])
            trace.items.pop()
        trace.event(GPU, "NAME", 1, 5)
        made = trace.text().replace('"NAME"', '"half \\ud83d pair"')
        self.assertEqual(self.summary_of(made)["hot_ops"][0]["name"], "half \ufffd pair")

    def test_a_nul_ends_no_name(self):
        trace = trace_writer.Trace()
        trace.process(0, "/device:GPU:0")
        trace.thread(0, 7, "Stream #7")
        trace.event(GPU, "NAME", 1, 5)
        for name in (b'"\\u0000a"', b'"\0a"', b'"\\\0\\u0000a"'):
            document = self.summary_of(trace.text().encode().replace(b'"NAME"', name))
            self.assertEqual(document["hot_ops"][0]["name"].lstrip("\\\ufffd"), "a")

    def test_numbers_are_those_that_were_written(self):
        times = ["1213162.7844720001", "0.1", "2e3", "123456789.123456789", "1E+2",
                 "1719853884123456.789", "900719925474099.3", "0.30000000000000004",
                 "4503599627370497.5"]
        items = [f'{{"ph":"X","pid":1,"tid":{i},"ts":{ts},"dur":0.7,"name":"a"}}'
                 for i, ts in enumerate(times)]
        for item, time in zip(items, times):
            document = self.summary_of(f'{{"traceEvents":[{item}]}}')
            start = document["trace_overview"]["profile_start_ts"]
            self.assertEqual(start, float(time))
            self.assertEqual(document["trace_overview"]["profile_end_ts"], float(time) + 0.7)

    def test_an_item_larger_than_any_window_is_stepped_over(self):
        trace = torch_trace()
        trace.items.insert(2, {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": "huge",
                               "args": {"stack": "}]\"" * 2000000}})
        document = self.summary(self.file(trace.encode()))
        Torch.check(self, document)
        self.warned(document, "1 are larger than can be read")

    def test_text_of_many_windows_is_read_item_by_item(self):
        path = self.folder / "large.trace.json.gz"
        subprocess.run([sys.executable, "tests/support/make_large_trace.py", "--size-mb", "3",
                        "--output", path], check=True)
        trace = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        document = self.summary(path)
        complete = [item for item in trace if item.get("ph") == "X"]
        self.assertEqual(document["trace_overview"]["num_events_total"], len(trace))
        self.assertEqual(document["trace_overview"]["num_complete_events"], len(complete))
        totals = {}
        for item in complete:
            if item["pid"] != 701:
                totals[item["name"]] = totals.get(item["name"], 0) + item["dur"]
        for op in document["hot_ops"]:
            self.assertAlmostEqual(op["total_duration"], totals[op["name"]], places=3)

    def test_other_files_are_told_apart(self):
        self.refused(b'{"a": 1}', "no trace", name="a.trace.json")
        self.refused(b'{"traceEvents": 3}', "traceEvents", name="a.trace.json")
        self.refused(gzip.compress(b'{"traceEvents":[{"ph":"X","pid":1')[:-9], "cut off")
        self.refused(b"\x1f\x8b\x08\x00nonsense", "gzip")


class Directories(TraceCase):
    """Which file is read where several tell of one capture."""

    def setUp(self):
        super().setUp()
        self.trace = torch_trace().encode()

    def read_from(self, *names):
        for name in names:
            self.file(gzip.decompress(self.trace) if name.endswith(".json") else self.trace, name)
        document = self.summary("--profile-dir", self.folder)
        aside = [re.search("'(.*?)' was left aside", note)[1]
                 for note in document["capture"]["notes"] if "left aside" in note]
        return os.path.relpath(document["source_path"], self.folder), sorted(aside)

    def test_the_trace_of_the_job_is_read_first(self):
        self.assertEqual(self.read_from("t/h.trace.json.gz", "t/perfetto_trace.json.gz",
                                        "t/h.trace.json"),
                         ("t/perfetto_trace.json.gz", ["h.trace.json", "h.trace.json.gz"]))

    def test_then_the_packed_one(self):
        self.assertEqual(self.read_from("t/h.trace.json.gz", "t/h.trace.json"),
                         ("t/h.trace.json.gz", ["h.trace.json"]))

    def test_then_any(self):
        self.assertEqual(self.read_from("t/deep/h.pt.trace.json"), ("t/deep/h.pt.trace.json", []))

    def test_an_xplane_file_is_preferred(self):
        made = sorted(pathlib.Path("tests/golden/made").glob("*.xplane.pb"))[0]
        self.file(made.read_bytes(), "run/plugins/profile/t/h.xplane.pb")
        found = self.read_from("run/perfetto_trace.json.gz",
                               "run/plugins/profile/t/h.trace.json.gz")
        self.assertEqual(found, ("run/plugins/profile/t/h.xplane.pb",
                                 ["h.trace.json.gz", "perfetto_trace.json.gz"]))

    def test_of_a_broken_xplane_file_the_trace_beside_it_is_read(self):
        self.file(b"\xff" * 500, "t/h.xplane.pb")
        found = self.read_from("t/h.trace.json.gz")
        self.assertEqual(found, ("t/h.trace.json.gz", []))
        document = self.summary("--profile-dir", self.folder)
        self.warned(document, "'h.xplane.pb' was not read")
        run = run_summarize("--profile-dir", self.folder, "--strict-input")
        self.assertEqual(run.returncode, 1)
        self.assertIn("h.xplane.pb", run.stderr)

    def test_a_name_says_nothing_where_the_content_does(self):
        document = self.summary("--trace-file", self.file(self.trace, "odd.name"))
        self.assertEqual(document["source_format"], "perfetto_trace_json")


if __name__ == "__main__":
    unittest.main()
