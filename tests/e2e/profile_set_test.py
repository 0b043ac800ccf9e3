"""A profile is a set: what of a directory is read, in which form, and what is said of the rest.

What: XPlane before traces of the same capture, also when they come later; the trace beside a broken
XPlane file; memory profiles and tables that lie by them; all of it by `ingest` and by the queue's
workers. What it does not do: the formats.
"""

import gzip
import pathlib
import shutil
import sqlite3
import sys
import unittest

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

import pprof_writer  # noqa: E402
from profile_mutations import SPACE, tree_read, tree_write  # noqa: E402
from trace_writer import trace_of  # noqa: E402
from xplane_decoder import space_read  # noqa: E402

EXPORT = ROOT / "tests/corpus/nsight/whole.sqlite"


class ProfileSet(LedgerCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = pathlib.Path(cls.profile("made", "--kind", "tpu", "--seed", "5"))
        [cls.xplane] = made.rglob("*.xplane.pb")
        cls.trace = gzip.compress(trace_of(space_read(cls.xplane.read_bytes())).text().encode(),
                                  mtime=0)

    def session(self, job, host="h"):
        folder = self.folder / job / "plugins/profile/2026_01_02_03_04_05"
        folder.mkdir(parents=True, exist_ok=True)
        return folder, folder / f"{host}.xplane.pb", folder / f"{host}.trace.json.gz"

    def take(self, workload, *arguments):
        return self.expect(0, "ingest", "--project", "p", "--workload", workload,
                           *arguments).document["profiles"]

    def test_xplane_takes_the_place_of_its_trace_when_it_comes_later(self):
        _, xplane, trace = self.session("later")
        trace.write_bytes(self.trace)
        [first] = self.take("later", self.folder / "later")
        shutil.copy(self.xplane, xplane)
        [second] = self.take("later", self.folder / "later")
        self.assertNotEqual(first["profile"], second["profile"])
        self.assertEqual(first["run"], second["run"])
        rows = self.expect(0, "list", "profiles", "--project", "p", "--workload",
                           "later").document["rows"]
        self.assertEqual([row["profile"] for row in rows], [second["profile"]])
        [again] = self.take("later", self.folder / "later")
        self.assertEqual((again["profile"], again["status"]), (second["profile"], "duplicate"))
        self.expect(0, "verify")

    def counted(self, workload):
        rows = self.expect(0, "list", "profiles", "--project", "p", "--workload",
                           workload).document["rows"]
        return [row["profile"] for row in rows]

    def test_a_trace_adds_nothing_to_its_xplane(self):
        folder, xplane, trace = self.session("after")
        whole = folder / "perfetto_trace.json.gz"
        shutil.copy(self.xplane, xplane)
        trace.write_bytes(self.trace)
        whole.write_bytes(gzip.compress(gzip.decompress(self.trace), 1, mtime=1))
        elsewhere = self.folder / "copy.trace.json.gz"
        elsewhere.write_bytes(gzip.compress(gzip.decompress(self.trace), 1, mtime=2))
        [first] = self.take("after", xplane)
        for path in (trace, whole, elsewhere):
            with self.subTest(path.name):
                [row] = self.take("after", path)
                self.assertEqual((row["profile"], row["run"], row["status"]),
                                 (first["profile"], first["run"], "duplicate"))
                self.assertEqual(row["notes"], [f"The same capture as {first['profile']}, from its "
                                                "XPlane file; nothing to add."])
        text = gzip.decompress(self.trace)
        trace.write_bytes(gzip.compress(text[:len(text) // 2]))  # its collector kept no more
        [cut] = self.take("after", trace)
        self.assertEqual(cut["profile"], first["profile"])
        [named] = self.take("after", "--commit", "c" * 40, elsewhere)
        self.assertEqual((named["profile"], named["status"]), (first["profile"], "named"))
        rows = self.take("both", trace, xplane, whole)
        self.assertEqual({row["profile"] for row in rows}, set(self.counted("both")))
        self.assertEqual(self.counted("after"), [first["profile"]])
        self.assertEqual(len(self.counted("both")), 1)
        row, _ = self.queued("after", trace)
        self.assertEqual((row["state"], row["profile"], row["duplicate"]),
                         ("done", first["profile"], True))
        self.expect(0, "verify")

    def test_an_xplane_file_takes_the_place_of_a_trace_that_lay_elsewhere(self):
        trace = self.folder / "before.trace.json.gz"
        trace.write_bytes(gzip.compress(gzip.decompress(self.trace), 1, mtime=3))
        [first] = self.take("moved", "--commit", "a" * 40, trace)
        [other] = self.take("moved", "--commit", "b" * 40, self.profile(
            "other", "--kind", "tpu", "--seed", "6"))
        [second] = self.take("moved", self.xplane)
        self.assertEqual(second["run"], first["run"])
        self.assertEqual(set(self.counted("moved")), {second["profile"], other["profile"]})
        [again] = self.take("moved", trace)
        self.assertEqual(again["profile"], second["profile"])

    def test_hosts_alone_are_one_capture_in_both_forms(self):
        tree = tree_read(self.xplane.read_bytes(), SPACE)
        tree = [item for item in tree if item[0] != 1 or not next(
            value for field, _, value in item[2] if field == 2).startswith(b"/device:")]
        xplane = self.folder / "alone/x/cpu.xplane.pb"
        trace = self.folder / "alone/t/cpu.trace.json.gz"
        for path in (xplane, trace):
            path.parent.mkdir(parents=True)
        xplane.write_bytes(tree_write(tree))
        trace.write_bytes(gzip.compress(
            trace_of(space_read(xplane.read_bytes())).text().encode(), mtime=0))
        [first] = self.take("alone", xplane)
        [row] = self.take("alone", trace)
        self.assertEqual((row["profile"], row["status"]), (first["profile"], "duplicate"))
        [first] = self.take("alone-later", trace)
        [second] = self.take("alone-later", xplane)
        self.assertEqual(second["run"], first["run"])
        self.assertEqual(self.counted("alone-later"), [second["profile"]])
        [other] = self.take("alone-later", self.profile("devices", "--kind", "tpu", "--seed", "5",
                                                        "--steps", "30"))
        self.assertEqual(set(self.counted("alone-later")), {second["profile"], other["profile"]})

    def test_a_retracted_capture_does_not_come_back_as_its_trace(self):
        trace = self.folder / "gone.trace.json.gz"
        trace.write_bytes(gzip.compress(gzip.decompress(self.trace), 1, mtime=4))
        [row] = self.take("gone", self.xplane)
        self.expect(0, "retract", row["profile"], "--reason", "a throttled machine")
        result = self.call("ingest", "--project", "p", "--workload", "gone", trace)
        self.assertEqual(result.code, 65)
        [rejected] = result.document["rejected"]
        self.assertIn(f"the capture of {row['profile']}, in another form, which was retracted "
                      "(a throttled machine)", rejected["error"])

    def test_the_trace_of_another_host_is_a_host(self):
        folder, _, trace = self.session("hosts")
        trace.write_bytes(self.trace)
        self.take("hosts", trace)
        shutil.copy(self.xplane, folder / "other.xplane.pb")
        [both] = self.take("hosts", folder / "other.xplane.pb")
        self.assertIn("2 hosts are one capture", "\n".join(both["notes"]))

    def test_of_a_broken_xplane_file_the_trace_is_taken(self):
        _, xplane, trace = self.session("broken")
        xplane.write_bytes(b"\xff" * 500)
        trace.write_bytes(self.trace)
        result = self.expect(0, "ingest", "--project", "p", "--workload", "broken",
                             self.folder / "broken")
        [row] = result.document["profiles"]
        self.assertIn("'h.xplane.pb' was not read, but the trace beside it", result.err)
        shown = self.expect(0, "show", row["profile"], "--format", "json").document
        self.assertIn("perfetto_trace_json", str(shown))
        gated = self.call("gate", "--project", "p", "--workload", "broken", "--baseline",
                          row["profile"], self.folder / "broken")
        self.assertNotIn("not an XPlane file or a broken one\n", gated.out)
        self.assertIn(gated.code, (0, 5), gated.err)
        strict = self.call("ingest", "--project", "p", "--workload", "strict", "--strict-input",
                           self.folder / "broken")
        self.assertEqual(strict.code, 65)
        self.assertIn("h.xplane.pb", strict.err)

    def queued(self, workload, *arguments):
        """What a worker makes of the one job that the arguments are; its row, and what it said."""
        [job] = self.expect(0, "queue", "add", "--project", "p", "--workload", workload,
                            *arguments).document["jobs"]
        worked = self.call("work", "ingest", "--once")
        rows = self.expect(0, "queue", "list").document["jobs"]
        return next(row for row in rows if row["job"] == job["job"]), worked.err

    def notes_of(self, profile):
        document = self.expect(0, "show", profile).document
        return document["capture"]["notes"] + document["coverage"]["warnings"], document

    def test_a_worker_takes_the_same_of_a_directory_in_the_same_words(self):
        folder, xplane, trace = self.session("queue")
        xplane.write_bytes(b"\xff" * 500)
        trace.write_bytes(self.trace)
        (folder / "h.overview_page.pb").write_bytes(b"\x12\x02\x08\x01")
        (folder / "other.xplane.pb.zst").write_bytes(b"\x28\xb5\x2f\xfd")
        (self.folder / "queue" / "memory.prof").write_bytes(gzip.compress(
            pprof_writer.memory_profile([pprof_writer.Allocation(1, 5, "TPU_0", "buffer")])))
        [by_hand] = self.take("by-hand", self.folder / "queue")
        words, document = self.notes_of(by_hand["profile"])
        self.assertIn("'h.xplane.pb' was not read, but the trace beside it", "\n".join(words))
        for workload, options in (("paths", []), ("bytes", ["--bytes"])):
            with self.subTest(workload):
                row, said = self.queued(workload, *options, self.folder / "queue")
                self.assertEqual(row["state"], "done", row)
                self.assertIn("h.xplane.pb", said)
                theirs, other = self.notes_of(row["profile"])
                self.assertEqual(theirs, words)
                self.assertEqual(other["sources"], document["sources"])
                self.assertEqual(other["memory"], document["memory"])
        row, _ = self.queued("strictly", "--strict-input", self.folder / "queue")
        self.assertEqual((row["state"], row["failure_kind"]), ("aside", "input"))

    def other(self, seed):
        """The XPlane file of another job, and its trace."""
        [xplane] = pathlib.Path(self.profile(f"other-{seed}", "--kind", "tpu", "--seed",
                                             seed)).rglob("*.xplane.pb")
        text = trace_of(space_read(xplane.read_bytes())).text().encode()
        return xplane.read_bytes(), gzip.compress(text, mtime=0)

    def folder_of(self, name, **files):
        """A folder with such files."""
        for path, data in files.items():
            file = self.folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        return self.folder / name

    def test_what_lies_by_another_job_is_a_capture_of_its_own(self):
        xplane, trace = self.other(15)
        names = {"a.xplane.pb": self.xplane.read_bytes(), "a.trace.json.gz": self.trace}
        for number, path in enumerate(("b.trace.json.gz", "below/b.trace.json.gz", "trace.json.gz",
                                       "b.sqlite")):
            data = trace
            if path.endswith(".sqlite"):
                data = EXPORT.read_bytes()
            with self.subTest(path):
                folder = self.folder_of(f"jobs-{number}", **names, **{path: data})
                rows = self.take(f"jobs-{number}", folder)
                self.assertEqual({pathlib.Path(row["path"]).name for row in rows},
                                 {"a.xplane.pb", pathlib.Path(path).name})
                self.assertIn("'a.trace.json.gz' was left aside", str(rows))
                one = self.expect(0, "summarize", folder)
                self.assertEqual(one.document["sources"][0]["path"], str(folder / "a.xplane.pb"))
                self.assertIn(f"{path} why=\"another capture", one.err)
        self.folder_of("jobs-0", **{"b.xplane.pb": xplane})
        rows = self.take("jobs-0", self.folder / "jobs-0")
        self.assertEqual({pathlib.Path(row["path"]).name for row in rows},
                         {"a.xplane.pb", "b.xplane.pb"})
        folder, ours, _ = self.session("export")
        shutil.copy(self.xplane, ours)
        shutil.copy(EXPORT, folder.parents[2] / "b.sqlite")
        done = self.expect(0, "ingest", "--project", "p", "--workload", "export",
                           self.folder / "export")
        self.assertEqual(len(done.document["profiles"]), 1)
        self.assertIn("'b.sqlite' was left aside: of a job with XPlane files no export", done.err)

    def export_of(self, *dropped):
        """The bytes of an export without these tables."""
        path = self.folder / "made.sqlite"
        shutil.copy(EXPORT, path)
        with sqlite3.connect(path) as base:
            for table in dropped:
                base.execute(f"DROP TABLE IF EXISTS {table}")
        return path.read_bytes()

    def test_an_export_beside_a_trace_is_taken_for_what_it_holds(self):
        idle = self.export_of(*(f"CUPTI_ACTIVITY_KIND_{kind}" for kind in
                                ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")), "NVTX_EVENTS")
        for number, (data, why) in enumerate((
                (EXPORT.read_bytes(), None),
                (idle, "it holds neither steps nor work of a device"),
                (EXPORT.read_bytes()[:5000], "a broken SQLite database"),
                (b"SQLite format 3\0" + bytes(50), "a broken SQLite database"))):
            with self.subTest(why=why, bytes=len(data)):
                name = f"beside-{number}"
                folder = self.folder_of(name, **{"a.sqlite": data, "w.trace.json.gz": self.trace})
                rows = self.take(name, folder)
                told = {pathlib.Path(row["path"]).name: row for row in rows}
                self.assertEqual(set(told), {"w.trace.json.gz"} | ({"a.sqlite"} if why is None
                                                                   else set()))
                words, _ = self.notes_of(told["w.trace.json.gz"]["profile"])
                left = [text for text in words if "a.sqlite" in text]
                self.assertEqual(len(left), int(why is not None), words)
                self.assertTrue(why is None or "'a.sqlite' was left aside, and what lies beside it "
                                "was read: " in left[0] and why in left[0], left)
                row, _ = self.queued(f"queued-{name}", folder)
                self.assertEqual((row["state"], row["failure"]), ("done", None))
                self.assertEqual(len(self.counted(f"queued-{name}")), len(rows))
        (folder / "w.trace.json.gz").write_bytes(b"")
        told = self.call("ingest", "--project", "p", "--workload", "none-sound", folder)
        self.assertEqual((told.code, len(told.document["rejected"])), (65, 2))
        (folder / "w.trace.json.gz").write_bytes(self.trace)
        self.assertEqual(self.call("ingest", "--project", "p", "--workload", "strict-set",
                                   "--strict-input", folder).code, 65)

    def test_the_trace_of_a_host_without_an_xplane_file_is_that_host(self):
        folder, xplane, _ = self.session("lacks")
        shutil.copy(self.xplane, xplane)
        (folder / "g.trace.json.gz").write_bytes(self.other(16)[1])
        [row] = self.take("lacks", self.folder / "lacks")
        self.assertIn("2 hosts are one capture", str(row["notes"]))

    def test_traces_are_found_by_what_is_in_them(self):
        _, trace = self.other(17)
        other = {"notes.json": b'{"a": 1}', "table.json": b'{"cols": [], "rows": []}'}
        for number, name in enumerate(("A.TRACE.JSON.GZ", "trace.json", "rank0.json.gz",
                                       "B.JSON", "c.Json.gz")):
            data = trace if name.lower().endswith("gz") else gzip.decompress(trace)
            folder = self.folder_of(f"named-{number}", **other, **{name: data})
            [row] = self.take(f"named-{number}", folder)
            self.assertEqual(pathlib.Path(row["path"]).name, name)
        upper = self.folder_of("upper", **{"H.XPLANE.PB": self.xplane.read_bytes()})
        [row] = self.take("upper", upper)
        self.assertEqual(pathlib.Path(row["path"]).name, "H.XPLANE.PB")
        empty = self.folder_of("none", **{"readme.txt": b"some words"})
        refused = self.call("ingest", "--project", "p", "--workload", "none", empty)
        self.assertEqual(refused.code, 6)
        self.assertIn("*.trace.json", refused.document["rejected"][0]["error"])
        self.assertIn("for a trace in those named *.json and *.json.gz",
                      refused.document["rejected"][0]["error"])

    def test_an_xplane_file_that_holds_nothing_gives_way_to_its_trace(self):
        for number, data in enumerate((b"", bytes(1000), b"\x22\x04host", b"\xff" * 99)):
            with self.subTest(data[:8]):
                _, xplane, trace = self.session(f"nothing-{number}")
                xplane.write_bytes(data)
                trace.write_bytes(self.trace)
                folder = self.folder / f"nothing-{number}"
                [row] = self.take(f"nothing-{number}", folder)
                self.assertEqual(pathlib.Path(row["path"]).name, trace.name)
                words, _ = self.notes_of(row["profile"])
                self.assertIn("'h.xplane.pb' was not read, but the trace beside it", str(words))
                self.assertNotIn("left aside", str(words))
                one = self.expect(0, "summarize", folder)
                self.assertIn("h.xplane.pb", one.err)
                for broken in (b"", b'{"traceEvents": []}'):
                    trace.write_bytes(broken)
                    said = self.call("summarize", folder)
                    self.assertEqual((said.code, said.out), (1, ""))
                    told = self.call("ingest", "--project", "p", "--workload", "n", folder)
                    self.assertEqual(told.code, 65)
                    for text in (said.err, told.document["rejected"][0]["error"]):
                        self.assertRegex(text, "h.xplane.pb' ?.*; the trace beside it cannot be "
                                               "read either: '.*h.trace.json.gz'")

    def test_a_trace_is_left_aside_for_its_own_host(self):
        folder = self.folder_of("own", **{"w.trace.json.gz": self.other(23)[1],
                                          "h.xplane.pb": self.xplane.read_bytes(),
                                          "h.trace.json.gz": self.trace})
        rows = self.take("own", folder)
        told = {pathlib.Path(row["path"]).name: str(row["notes"]) for row in rows}
        self.assertEqual(set(told), {"h.xplane.pb", "w.trace.json.gz"})
        self.assertIn("'h.trace.json.gz' was left aside: the XPlane file", told["h.xplane.pb"])
        self.assertNotIn("left aside", told["w.trace.json.gz"])

    def test_of_several_hosts_each_has_its_own_trace(self):
        folder, xplane, _ = self.session("hosts-of")
        shutil.copy(self.xplane, xplane)
        (folder / "g.xplane.pb").write_bytes(b"\xff" * 99)
        (folder / "g.trace.json.gz").write_bytes(self.other(18)[1])
        one = self.expect(0, "summarize", self.folder / "hosts-of")
        self.assertIn("'g.xplane.pb' was not read, but the trace",
                      str(one.document["coverage"]["warnings"]))
        self.assertEqual(len(one.document["sources"]), 2)
        self.assertNotIn("left aside", str(one.document["capture"]["notes"]))

    def test_a_bad_file_of_a_loose_folder_holds_no_job(self):
        one, other = self.other(19)[0], self.other(20)[0]
        folder = self.folder_of("loose", **{"a.xplane.pb": one, "b.xplane.pb": b"\xff" * 99,
                                            "c.xplane.pb": other, "d.xplane.pb": b"",
                                            "e.xplane.pb": b"\x22\x04host"})
        told = self.call("ingest", "--project", "p", "--workload", "by-hand-loose", folder)
        self.assertEqual(told.code, 65)
        self.assertEqual(len(told.document["profiles"]), 2)
        shutil.copy(folder / "d.xplane.pb", self.folder_of("empties", **{
            "a.xplane.pb": one}) / "b.xplane.pb")
        shutil.copy(folder / "d.xplane.pb", self.folder / "empties" / "c.xplane.pb")
        empties = self.call("ingest", "--project", "p", "--workload", "empties",
                            self.folder / "empties").document["rejected"]
        self.assertEqual([pathlib.Path(row["path"]).name for row in empties],
                         ["b.xplane.pb", "c.xplane.pb"])
        self.assertIn("is empty (0 bytes)", empties[1]["error"])
        for workload, options in (("loose", []), ("loose-bytes", ["--bytes"])):
            row, said = self.queued(workload, *options, folder)
            self.assertEqual((row["state"], row["failure_kind"]), ("done", "input"), row)
            self.assertRegex(row["failure"], r"b\.xplane\.pb'.*and 2 more of its files")
            self.assertIn("b.xplane.pb", said)
            self.assertEqual(len(self.counted(workload)), 2)
        for name in ("a", "c"):
            (folder / f"{name}.xplane.pb").write_bytes(b"\xff")
        row, _ = self.queued("loose-none", folder)
        self.assertEqual((row["state"], row["failure_kind"]), ("aside", "input"))

    def test_of_two_broken_files_both_are_named(self):
        _, xplane, trace = self.session("both")
        xplane.write_bytes(b"\xff" * 500)
        trace.write_bytes(b"\x1f\x8b" + b"\xff" * 500)
        result = self.call("ingest", "--project", "p", "--workload", "both", self.folder / "both")
        self.assertEqual(result.code, 65)
        row, _ = self.queued("both", self.folder / "both")
        self.assertEqual(row["state"], "aside")
        for words in (result.document["rejected"][0]["error"], row["failure"]):
            self.assertIn("h.xplane.pb", words)
            self.assertIn("h.trace.json.gz", words)

    def test_it_is_said_what_was_used_and_what_was_not(self):
        folder, xplane, trace = self.session("whole")
        shutil.copy(self.xplane, xplane)
        trace.write_bytes(self.trace)
        for name in ("h.overview_page.pb", "op_stats_v2_device.json", "jit_f.hlo_proto.pb"):
            (folder / name).write_bytes(b"\x12\x02\x08\x01")
        (self.folder / "whole" / "memory.prof").write_bytes(gzip.compress(
            pprof_writer.memory_profile([pprof_writer.Allocation(1, 5, "TPU_0", "buffer")])))
        [row] = self.take("whole", self.folder / "whole")
        self.assertEqual(pathlib.Path(row["path"]).name, "h.xplane.pb")
        notes = "\n".join(row["notes"])
        for words in ("Memory in use is that of 'memory.prof'.",
                      "'h.trace.json.gz' was left aside: the XPlane file beside it, which tells "
                      "more, was read; give the trace by name",
                      "'h.overview_page.pb' was left aside: a table that was made of a profile",
                      "'op_stats_v2_device.json' was left aside: a table",
                      "Compiled programs in files of their own: 1, as 'jit_f.hlo_proto.pb'"):
            self.assertIn(words, notes)


if __name__ == "__main__":
    unittest.main()
