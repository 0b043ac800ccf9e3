"""`stepledger convert`: a profile as a trace for Perfetto, and that trace read back.

What: times to the picosecond, processes, threads and arguments; cuts by steps and by device are
exactly the events that are to be in; what cannot be converted or written, and that nothing half
written stays; real profiles ($STEPLEDGER_SHARED), converted and summarized, have the steps, devices
and ops of their sources. What it does not do: how the JSON looks in Perfetto itself.
"""

import collections
import concurrent.futures
import decimal
import gzip
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build/stepledger"))
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
REAL = [*sorted((SHARED / "profiles/xplane").glob("*.pb")),
        *sorted((SHARED / "profiles/trace").glob("*qwen3*.gz")),
        *sorted((SHARED / "profiles/trace").glob("*step_based*.gz")),
        *sorted((SHARED / "profiles/trace").glob("*resnet50*.gz")),
        *sorted((SHARED / "profiles/nsys").glob("*baseline*.sqlite"))]
LARGEST_BYTES = 2000000  # larger ones only take longer
LIBRARY = os.environ.get("STEPLEDGER_KILL_AT", "")
TIMEOUT_S = 120


def run(code, *arguments, **more):
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, timeout=TIMEOUT_S,
                          check=False, **more)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: {done.returncode}, {done.stderr.decode()}")
    return done.stdout if code == 0 else done.stderr.decode()


def convert(path, *options):
    return json.loads(gzip.decompress(run(0, "convert", path, "--to", "perfetto-json", *options)),
                      parse_float=decimal.Decimal)


def refused(code, path, *options, **more):
    return run(code, "convert", path, "--to", "perfetto-json", *options, **more)


class Trace:
    """A trace by the names of its processes and threads."""

    def __init__(self, document):
        items = document["traceEvents"]
        self.processes = {item["pid"]: item["args"]["name"] for item in items
                          if item["ph"] == "M" and item["name"] == "process_name"}
        self.threads = {(item["pid"], item["tid"]): item["args"]["name"] for item in items
                        if item["ph"] == "M" and item["name"] == "thread_name"}
        self.events = [item for item in items if item["ph"] == "X"]

    def of(self, process, thread=None):
        return [event for event in self.events
                if self.processes[event["pid"]] == process
                and (thread is None or self.threads[event["pid"], event["tid"]] == thread)]

    def keys(self, events=None):
        """The events as they can be compared between traces."""
        return collections.Counter(
            (self.processes[event["pid"]], event["tid"], event["ts"], event["dur"], event["name"],
             json.dumps(event["args"], sort_keys=True, default=str))
            for event in (self.events if events is None else events))


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="stepledger-convert-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)

    def made(self, name, *options):
        """A small profile of two devices and a host, made once."""
        folder = self.folder / name
        if not folder.exists():
            subprocess.run([sys.executable, str(ROOT / "tests/support/make_profile.py"), "--output",
                            str(folder), "--devices", "2", "--layers", "2", "--steps", "12",
                            "--first-step", "20", "--layout", "flat", *options], check=True,
                           timeout=TIMEOUT_S, stdout=subprocess.DEVNULL)
        return sorted(folder.glob("*.pb"))

    def written(self, *items):
        path = self.folder / "made.trace.json"
        path.write_text("{\"traceEvents\":[" + ",".join(items) + "]}")
        return path

    # ---- what is in it ----

    def test_times_are_those_of_the_source_to_the_picosecond(self):
        times = [("0.000001", "0.000002"), ("1234567.891234", "9.5"), ("7", "0.000001"),
                 ("8999999999.999999", "123456.654321")]
        path = self.written(
            '{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}}',
            *(f'{{"ph":"X","pid":3,"tid":4,"name":"op","ts":{start},"dur":{duration}}}'
              for start, duration in times))
        got = [(event["ts"], event["dur"]) for event in Trace(convert(path)).events]
        self.assertEqual(sorted(got), sorted((decimal.Decimal(start), decimal.Decimal(duration))
                                             for start, duration in times))

    def test_clocks_since_1970_are_kept_exact_by_an_origin(self):
        path = self.written(*(
            f'{{"ph":"X","pid":3,"tid":4,"name":"op","ts":17000000000000{n}.0{n},"dur":0.000003}}'
            for n in (11, 12)))
        document = convert(path)
        origin_us = decimal.Decimal(document["baseTimeNanoseconds"]) / 1000
        self.assertEqual([origin_us + event["ts"] for event in Trace(document).events],
                         [decimal.Decimal("1700000000000011.011"),
                          decimal.Decimal("1700000000000012.012")])

    def test_processes_threads_steps_and_arguments(self):
        trace = Trace(convert(self.made("gpu", "--kind", "gpu")[0]))
        self.assertEqual(set(trace.processes.values()),
                         {"/device:GPU:0", "/device:GPU:1", "/host:CPU",
                          "Steps of /device:GPU:0", "Steps of /device:GPU:1"})
        steps = trace.of("Steps of /device:GPU:1", "Steps")
        self.assertEqual([step["name"] for step in steps], [str(n) for n in range(20, 32)])
        summary = json.loads(run(0, "summarize", self.made("gpu")[0]))
        self.assertEqual([float(step["dur"]) for step in steps],
                         [row["spans"][1]["duration_us"] for row in summary["steps"]["rows"]])
        kernels = [event for event in trace.of("/device:GPU:0") if "step" in event["args"]]
        self.assertEqual({event["args"]["step"] for event in kernels}, set(range(20, 32)))
        for name in ("hlo_op", "hlo_module", "correlation_id", "kernel_details"):
            self.assertTrue(any(name in event["args"] for event in kernels), name)
        annotations = [event["args"]["step_num"] for event in trace.of("/host:CPU")
                       if "step_num" in event["args"]]
        self.assertEqual(sorted(annotations), list(range(20, 32)))

    def test_a_device_with_a_line_of_its_steps_gets_no_other(self):
        trace = Trace(convert(self.made("tpu")[0]))
        self.assertFalse([name for name in trace.processes.values() if name.startswith("Steps of")])
        self.assertEqual(len(trace.of("/device:TPU:0", "Steps")), 12)

    def test_hosts_of_a_capture_are_told_apart(self):
        path = self.made("hosts", "--hosts", "2")[0].parent
        trace = Trace(convert(path))
        self.assertIn("/device:TPU:0 (host-0)", trace.processes.values())
        self.assertIn("/device:TPU:1 (host-1)", trace.processes.values())
        devices = [row["name"] for row in json.loads(run(0, "summarize", path))["devices"]]
        one = Trace(convert(path, "--device", devices[-1]))
        self.assertEqual(set(one.processes.values()), {"/device:TPU:1 (host-1)"})

    def test_what_lasts_no_time_is_counted(self):
        path = self.written('{"ph":"X","pid":3,"tid":4,"name":"op","ts":1,"dur":0}',
                            '{"ph":"X","pid":3,"tid":4,"name":"op","ts":1,"dur":2}')
        done = subprocess.run([BINARY, "convert", path, "--to", "perfetto-json"], check=True,
                              capture_output=True, timeout=TIMEOUT_S)
        self.assertIn("1 of 2 items of the trace are in no figure: 1 last no time",
                      done.stderr.decode())

    # ---- cuts ----

    def test_steps_are_exactly_the_events_that_lie_in_them(self):
        for kind in ("tpu", "gpu"):
            with self.subTest(kind=kind):
                path = self.made(kind, "--kind", kind)[0]
                whole, cut = Trace(convert(path)), Trace(convert(path, "--steps", "23:25"))
                chosen = range(23, 26)
                spans = {process: [(event["ts"], event["ts"] + event["dur"]) for event in
                                   whole.of(process if kind == "tpu" else "Steps of " + process,
                                            "Steps") if int(event["name"]) in chosen]
                         for process in (f"/device:{kind.upper()}:0", f"/device:{kind.upper()}:1")}
                spans["/host:CPU"] = sum(spans.values(), []) if kind == "tpu" else [
                    (event["ts"], event["ts"] + event["dur"]) for event in whole.of("/host:CPU")
                    if event["args"].get("step_num") in chosen]

                def is_in(event, trace=whole, spans=spans):
                    process = trace.processes[event["pid"]]
                    if process.startswith("Steps of") or "step" in event["args"]:
                        return event["args"]["step"] in chosen
                    is_op = trace.threads[event["pid"], event["tid"]].startswith(
                        ("XLA Ops", "Stream #"))
                    return not is_op and any(begin <= event["ts"] < end
                                             for begin, end in spans[process])
                expected = [event for event in whole.events if is_in(event)]
                self.assertEqual(cut.keys(), whole.keys(expected))
                self.assertLess(len(expected), len(whole.events) / 3)
                self.assertEqual({event["args"]["step"] for event in cut.events
                                  if "step" in event["args"]}, set(chosen))

    def test_cuts_of_all_steps_add_up(self):
        path = self.made("gpu", "--kind", "gpu")[0]
        ops = collections.Counter()
        for step in range(20, 32):
            ops += Trace(convert(path, "--steps", step, "--device", "/device:GPU:1")).keys()
        first, last = (Trace(convert(path, "--steps", cut, "--device", "/device:GPU:1")).keys()
                       for cut in (":25", "26:"))
        self.assertEqual(ops, first + last)

    def test_unknown_devices_and_steps_name_those_that_exist(self):
        path = self.made("tpu")[0]
        self.assertIn("has no device '/device:TPU:7'; did you mean '/device:TPU:",
                      refused(6, path, "--device", "/device:TPU:7"))
        self.assertIn("has no step 40; it has 12 steps from 20 to 31",
                      refused(6, path, "--steps", "25:40"))
        self.assertIn("has no step 3;", refused(6, path, "--steps", "3:25"))
        self.assertIn("no steps were found", refused(65, self.written(
            '{"ph":"X","pid":3,"tid":4,"name":"op","ts":1,"dur":2}'), "--steps", "1:2"))
        for steps in ("x", "1:2:3", ":", "5:4", ""):
            self.assertIn("option --steps", refused(2, path, "--steps", steps))

    # ---- what cannot be done ----

    def test_what_cannot_be_converted_says_why(self):
        path = self.written('{"ph":"i","pid":3,"tid":4,"name":"op","ts":1}',
                            '{"ph":"X","pid":3,"tid":4,"name":"op","ts":1,"dur":0}')
        self.assertIn("holds no event that lasts", refused(65, path))
        cut = self.folder / "cut.xplane.pb"
        cut.write_bytes(self.made("tpu")[0].read_bytes()[:-200])
        refused(65, cut, "--strict-input")
        refused(65, __file__)
        refused(6, self.folder / "none")
        self.assertIn("required", run(2, "convert", path))

    def test_an_output_is_whole_or_not_there(self):
        source = self.made("tpu")[0]
        output = self.folder / "out" / "trace.json.gz"
        output.parent.mkdir(exist_ok=True)
        output.write_text("before")
        files = len(list(output.parent.iterdir()))
        refused(75, source, "--output", "/dev/full")
        refused(6, source, "--output", output, "--steps", "99")
        self.assertEqual((output.read_text(), len(list(output.parent.iterdir()))),
                         ("before", files))
        refused(75, source, "--output", output, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual((output.read_text(), len(list(output.parent.iterdir()))),
                         ("before", files))

    @unittest.skipUnless(LIBRARY, "no STEPLEDGER_KILL_AT: make builds it")
    def test_a_killed_conversion_leaves_what_was_there(self):
        source = self.made("tpu")[0]
        output = self.folder / "killed" / "trace.json.gz"
        output.parent.mkdir()
        output.write_text("before")
        killed = subprocess.run(
            [BINARY, "convert", source, "--to", "perfetto-json", "--output", output],
            capture_output=True, timeout=TIMEOUT_S, check=False,
            env={**os.environ, "LD_PRELOAD": LIBRARY, "KILL_AT": "s1",
                 "ASAN_OPTIONS": "verify_asan_link_order=0"})
        self.assertEqual(killed.returncode, -9)
        self.assertEqual((output.read_text(), len(list(output.parent.iterdir()))), ("before", 2))
        self.assertEqual(run(0, "convert", source, "--to", "perfetto-json", "--output", output),
                         f"{output}\n".encode())
        self.assertEqual(output.read_bytes(), run(0, "convert", source, "--to", "perfetto-json"))
        self.assertEqual(len(list(output.parent.iterdir())), 1)  # what was left is gone

    def test_a_profile_is_not_written_over(self):
        path = self.written('{"ph":"X","pid":3,"tid":4,"name":"op","ts":1,"dur":2}')
        link = self.folder / "link.json"
        link.symlink_to(path)
        before = path.read_text()
        for output in (path, link):
            self.assertIn("is the profile that is read", refused(2, path, "--output", output))
            for command in (["summarize"], ["table", "ranges"], ["explain"]):
                self.assertIn("is the profile that is read",
                              run(2, *command, path, "--output", output))
        self.assertEqual(path.read_text(), before)

    # ---- back again ----

    def summary_of(self, path):
        return json.loads(run(0, "summarize", path))

    def round_trip(self, path):
        copy = self.folder / f"{path.name}.trace.json.gz"
        run(0, "convert", path, "--to", "perfetto-json", "--output", copy)
        source, back = self.summary_of(path), self.summary_of(copy)
        copy.unlink()
        return path, source, back

    def leave_out_what_lasts_no_time(self, source, back):
        """A device's own clock may be too coarse for an op, which counts, but not in a trace."""
        said = re.findall(r"(\d+) last no time", " ".join(back["coverage"]["warnings"]))
        counts = [sum(row["count"] for row in document["ops"])
                  for document in (source, back)]
        if counts[0] == counts[1]:
            return
        self.assertEqual(counts[0] - counts[1], int(said[0]))
        for document in (source, back):
            for device in document["devices"]:
                device.pop("op_count")
            for row in document["ops"]:
                for member in ("count", "steady_count", "bytes_accessed", "flops"):
                    row.pop(member)

    def check_back(self, path, source, back):
        """The same steps, devices, ops and totals, but for what the format does not carry."""
        for table in ("steps", "other_steps"):
            tables = [document[table] if table == "other_steps" else [document[table]]
                      for document in (source, back)]
            for ours, theirs in zip(*tables, strict=True):
                begins = [row["spans"][0]["start_us"] for row in ours["rows"][:1]]
                shift = sum(theirs["rows"][0]["spans"][0]["start_us"] - begin for begin in begins)
                for row in ours["rows"]:
                    for span in row["spans"]:
                        span["start_us"] = round(span["start_us"] + shift, 6)
                for kept in (ours, theirs):  # waits before a step are told by groups of events
                    kept.pop("input_wait_us", None)
                    for row in kept["rows"]:
                        row.pop("input_wait_us", None)
                self.assertEqual(ours, theirs)
        self.leave_out_what_lasts_no_time(source, back)
        for device in source["devices"] + back["devices"]:
            device.pop("host")
        self.assertEqual(source["devices"], back["devices"])
        self.assertEqual(source["environment"]["device_type"], back["environment"]["device_type"])
        self.assertEqual(source["ops"], back["ops"])
        # Members of version 1 are made of doubles, and of others: where one event ends and the next
        # begins may be a bit apart, which makes one of them part of the other.
        for member, share in (("total_duration", 0.01),):
            self.assertAlmostEqual(source["time_breakdown"][member], back["time_breakdown"][member],
                                   delta=share * source["time_breakdown"][member])
        for step in ("step_time",):
            for name, ours in (source[step] or {}).items():
                if isinstance(ours, float):
                    self.assertAlmostEqual(ours, back[step][name], delta=1e-5, msg=name)

    def test_made_profiles_come_back(self):
        for kind in ("tpu", "gpu"):
            with self.subTest(kind=kind):
                self.check_back(*self.round_trip(self.made(kind, "--kind", kind)[0]))

    @unittest.skipUnless(REAL, f"no real profiles below {SHARED}")
    def test_real_profiles_come_back(self):
        paths = [path for path in REAL if path.stat().st_size <= LARGEST_BYTES]
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for trip in pool.map(self.round_trip, paths):
                with self.subTest(path=trip[0].name):
                    self.check_back(*trip)


if __name__ == "__main__":
    unittest.main()
