"""Profiles that cannot be read: one clear line, the right exit code, nothing on stdout.

What: files that are missing, empty, cut off, broken, of another kind or too large for the limits,
and folders without profiles, given to `stepledger summarize`, whose failures all exit 1 as the
reference's do. What it does not do: `ingest`, whose exit codes its own test checks.
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path("tests/support").resolve()))
from xplane_writer import Space  # noqa: E402  (a folder of scripts, not a package)

BINARY = os.environ.get("STEPLEDGER_BIN", "build/stepledger")
SHARED = pathlib.Path(os.environ.get("STEPLEDGER_SHARED", "../shared"))
MADE = pathlib.Path("tests/golden/made")
MANGLED = SHARED / "profiles/xplane-corrupt/openxla__xprof__tpu_inference_2-utf8-mangled.xplane.pb"


def summarize(*options):
    return subprocess.run([BINARY, "summarize", *map(str, options)], capture_output=True, text=True,
                          timeout=120, check=False)


class BadProfiles(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="stepledger-bad-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def check_refused(self, path, *words, options=()):
        run = summarize("--xplane-file", path, *options)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(run.stdout, "")
        lines = run.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, run.stderr)
        for word in (str(path), *words):
            self.assertIn(word, lines[0])

    def test_a_file_that_is_missing(self):
        self.check_refused(self.folder / "none.xplane.pb", "No such file")

    def test_a_folder_instead_of_a_file(self):
        self.check_refused(self.folder, "not a regular file")

    def test_a_pipe_that_nobody_writes_to(self):
        pipe = self.folder / "pipe.xplane.pb"
        os.mkfifo(pipe)
        for threads in (1, 2):
            self.check_refused(pipe, "not a regular file", options=("--threads", threads))

    def test_a_folder_without_profiles(self):
        run = summarize("--profile-dir", self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("*.xplane.pb", run.stderr)

    def test_an_operand_is_the_file_or_the_folder_that_it_names(self):
        made = MADE / "nesting.xplane.pb"
        self.file(made.name, made.read_bytes())
        sources = []
        for words in ([made], [self.folder], ["--xplane-file", made]):
            run = summarize(*words)
            self.assertEqual(run.returncode, 0, run.stderr)
            sources.append(json.loads(run.stdout)["sources"][0]["sha256"])
        self.assertEqual(len(set(sources)), 1)
        twice = summarize(made, "--profile-dir", self.folder)
        self.assertEqual(twice.returncode, 2)
        self.assertIn(f"'{made}' and an option that names a profile", twice.stderr)

    def test_an_empty_file_is_refused_and_says_what_to_do(self):
        for name in ("e.xplane.pb", "e.trace.json.gz", "e.trace.json", "e.sqlite", "e.prof"):
            self.check_refused(self.file(name, b""), "is empty (0 bytes)", "capture again")

    def test_what_looks_like_json_is_called_what_it_is(self):
        trace = b'{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}'
        mark = b"\xef\xbb\xbf"
        for text, words in ((b"null", "is JSON's null"), (b" null\n", "is JSON's null"),
                            (b"{}", "is an empty JSON object ({})"),
                            (b"[ ]\n", "is an empty JSON array ([])"),
                            (b'"text"', "is JSON, but one number, text"),
                            (b"12.5\n", "is JSON, but one number, text"),
                            (b"true", "is JSON, but one number, text"),
                            (b"[1, 2]", "is JSON and no trace"),
                            (b'{"traceEvents": null}', "traceEvents is no array"),
                            (b" \n", "nothing but blanks"), (b"some words", "is text"),
                            (b"<!DOCTYPE html><p>404", "is a web page")):
            for data in (text, mark + text, gzip.compress(text)):
                for name in ("a.json", "a.trace.json", "a.xplane.pb"):
                    self.check_refused(self.file(name, data), words)
        for coding in ("utf-16", "utf-16-le", "utf-16-be"):
            data = trace.decode().encode(coding)
            for name, packed in (("a.trace.json", data), ("a.trace.json.gz", gzip.compress(data))):
                self.check_refused(self.file(name, packed), "UTF-16", "iconv")
        self.check_refused(self.file("a.json.gz", gzip.compress(b"")), "holds nothing")
        run = summarize("--trace-file", self.file("b.trace.json", mark + trace))
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_files_of_another_kind(self):
        data = (MADE / "nesting.xplane.pb").read_bytes()
        self.check_refused(self.file("a.xplane.pb", gzip.compress(data)), "gzip")
        self.check_refused(self.file("b.xplane.pb", b'{"rows": []}'), "JSON")
        self.check_refused(self.file("c.xplane.pb", b"PK\x03\x04" + bytes(60)), "zip")
        pointer = b"version https://git-lfs.github.com/spec/v1\n"
        self.check_refused(self.file("d.xplane.pb", pointer), "Git LFS")

    def test_limits_are_named_with_the_option_that_raises_them(self):
        file = MADE / "nesting.xplane.pb"
        events = json.loads(summarize("--xplane-file", file).stdout)["trace_overview"]
        events = events["num_events_total"]
        for name, least in (("max-events", 1), ("max-lines", 1), ("max-planes", 1),
                            ("max-metadata", 1)):
            self.check_refused(file, f"{name.replace('-', '_')} = {least} ", f"--{name}",
                               options=(f"--{name}", least))
        run = summarize("--xplane-file", file, "--max-events", 1000 + events)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_limits_come_from_the_configuration_too(self):
        file = MADE / "nesting.xplane.pb"
        settings = self.file("config", b"max_lines = 1\n")
        self.check_refused(file, "max_lines = 1 ", options=("--config", settings))
        run = summarize("--xplane-file", file, "--config", settings, "--max-lines", 50)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_memory_budget_is_a_limit_like_others(self):
        space = Space()
        line = space.add_plane("/device:TPU:0").add_line("XLA Ops", 1)
        for i in range(60000):
            line.add_event(f"fusion.{i}" + "x" * 200, i * 100, 50)
        self.check_refused(self.file("many.xplane.pb", space.encode()), "max_memory_mb = 16 ",
                           "--max-memory-mb", options=("--max-memory-mb", 16))

    def test_a_file_that_was_handled_as_text(self):
        if not MANGLED.exists():
            self.skipTest(f"no '{MANGLED}'; set STEPLEDGER_SHARED")
        self.check_refused(MANGLED, "byte ", "U+FFFD", "binary mode")

    def test_a_file_that_is_cut_off(self):
        data = (MADE / "nesting.xplane.pb").read_bytes()
        path = self.file("cut.xplane.pb", data[:len(data) * 2 // 3])
        run = summarize("--xplane-file", path)
        self.assertEqual(run.returncode, 0, run.stderr)
        summary = json.loads(run.stdout)
        self.assertTrue(any("is cut off" in text
                            for text in summary["trace_overview"]["quality_warnings"]))
        self.assertGreater(summary["coverage"]["bytes_unread"], 0)
        self.check_refused(path, "is cut off", "hold nothing whole", options=["--strict-input"])
        self.assertNotIn("not an XPlane file",
                         summarize("--xplane-file", path, "--strict-input").stderr)
        self.check_refused(self.file("head.xplane.pb", data[:9]), "before its first event")

    def test_a_text_that_is_not_utf_8(self):
        space = Space()
        line = space.add_plane("/device:TPU:0").add_line("XLA Ops", 1)
        line.add_event("XNAME", 0, 5)
        data = space.encode().replace(b"XNAME", b"X\xffAME")
        self.check_refused(self.file("latin.xplane.pb", data), "UTF-8", "byte ")

    def test_times_at_the_ends_of_64_bits(self):
        space = Space()
        plane = space.add_plane("/device:TPU:0")
        for number, base in enumerate((-(1 << 63), 0, (1 << 63) - 1)):
            line = plane.add_line("XLA Ops", number + 1, timestamp_ns=base)
            for offset in (-(1 << 63), 0, (1 << 63) - 1):
                line.add_event(f"op.{number}", offset, (1 << 63) - 1)
        run = summarize("--xplane-file", self.file("far.xplane.pb", space.encode()))
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)
        coverage = document["coverage"]
        self.assertTrue(any("106 days" in text for text in coverage["warnings"]), coverage)
        self.assertGreater(coverage["events_out_of_range"], 0)
        self.assertEqual(coverage["events_out_of_range"] + sum(op["count"] for op in
                                                               document["ops"]), 9)

    def test_an_event_without_a_place_in_time_is_in_no_count_of_ours(self):
        far = 1 << 62
        space = Space()
        line = space.add_plane("/device:TPU:0").add_line("XLA Ops", 1, timestamp_ns=1000)
        for offset, duration in ((0, 5_000_000), (9_000_000, 5_000_000), (far, far + 5)):
            line.add_event("fusion.1", offset, duration)
        run = summarize("--xplane-file", self.file("far.xplane.pb", space.encode()))
        document = json.loads(run.stdout)
        self.assertEqual(document["hot_ops"][0]["count"], 3)  # the reference's doubles hold it
        self.assertEqual([(op["count"], op["total_us"]) for op in document["ops"]], [(2, 10.0)])
        self.assertEqual([(row["op_count"], row["busy_us"]) for row in document["devices"]],
                         [(2, 10.0)])
        self.assertEqual(document["coverage"]["events_out_of_range"], 1)

    def test_what_a_viewer_derived_counts_for_the_reference_only(self):
        space = Space()
        plane = space.add_plane("/device:GPU:0")
        for name, line_id in (("Stream #1", 1), ("XLA Ops", 0xDEADBEEF + 1)):
            line = plane.add_line(name, line_id, timestamp_ns=1000)
            line.add_event("fusion.1", 0, 5_000_000)
        run = summarize("--xplane-file", self.file("derived.xplane.pb", space.encode()))
        document = json.loads(run.stdout)
        self.assertEqual(document["hot_ops"][0]["count"], 2)
        self.assertEqual([(op["count"], op["total_us"]) for op in document["ops"]], [(1, 5.0)])
        self.assertEqual(document["devices"][0]["op_count"], 1)
        self.assertEqual(document["coverage"]["events_out_of_range"], 0)

    def test_one_broken_host_of_two_is_named(self):
        data = (MADE / "nesting.xplane.pb").read_bytes()
        self.file("a.xplane.pb", data)
        broken = self.file("b.xplane.pb", b"\x0f" + data)
        run = summarize("--profile-dir", self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn(str(broken), run.stderr)


if __name__ == "__main__":
    unittest.main()
