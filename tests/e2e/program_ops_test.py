"""What programs (HLO) in a profile of GPUs tell of its ops, wherever it is asked.

What: phases, work and findings of kernels that say nothing but their instruction; that `summarize`,
`explain`, `query`, findings and tables tell the same; what is said where programs are missing,
broken or too large; that what ledgers know ops by stays. What it does not do: what an instruction
costs (op_tables_test.py).
"""

import json
import subprocess
import sys
import unittest

from findings_case import BINARY, FindingsCase

from gpu_job import Job
from hlo_writer import Program
from json_schema import check_document

PATHS = {"forward": "jit(f)/jvp(net)/layer/", "backward": "jit(f)/transpose(jvp(net))/layer/",
         "recompute": "jit(f)/transpose(jvp(net))/layer/checkpoint/rematted_computation/",
         "optimizer": "jit(f)/optimizer/adamw/", "other": "jit(f)/"}
STEPS, PERIOD = 8, 1000
# Times of a step that its kernels take, in µs: what runs without an instruction comes last.
TRAINING = {"forward": 300, "backward": 400, "recompute": 0, "optimizer": 100, "other": 60,
            "unattributed": 140}
REMATERIALISED = dict(TRAINING, forward=200, recompute=250, backward=250)


def program(element="bf16", weight=0):
    """A product of each phase; weight: bytes that it holds beside them."""
    made = Program("jit_f")
    made.add("main", "p", "parameter", f"{element}[512,512]")
    for phase, path in PATHS.items():
        made.add("main", f"dot.{phase}", "dot", f"{element}[512,512]", ("p", "p"),
                 contracting=(1,), path=path + "dot_general", source=("net.py", 7))
    if weight:
        made.add("main", "weight", "constant", "f32[1]", backend="x" * weight)
    return made.encode()


def job(times=None, devices=1, host="worker-0", **named):
    """A step is its phases behind each other; all but the last name their instruction."""
    made, at = Job(devices=devices, host=host), 5
    for number in range(STEPS):
        base, at = number * PERIOD, 5
        made.annotate(number, base, base + 900)
        for launch, (phase, took) in enumerate((times or TRAINING).items()):
            for device in range(devices):
                place = (base + launch, base + at, base + at + took)
                if phase == "unattributed":
                    made.launch("library", *place, device=device)
                elif took:
                    made.run(f"dot.{phase}", *place, kernel="gemm", device=device, **named)
            at += took
    return made


class ProgramOps(FindingsCase):
    def written(self, made, proto=None, name="h"):
        if proto is not None:
            made.hold(proto)
        path = self.folder / f"{self.id().rpartition('.')[2]}-{name}" / "h.xplane.pb"
        path.parent.mkdir(exist_ok=True)
        return made.write(path)

    def call(self, *arguments):
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def summary(self, path):
        document = json.loads(self.call("summarize", path))
        check_document(document, "summary")
        return document

    @staticmethod
    def figure(summary, measure):
        return next(one for one in summary["figures"] if one["measure"] == measure)

    def test_phases_are_the_same_wherever_they_are_asked(self):
        path = self.written(job(REMATERIALISED, devices=2), program())
        summary = self.summary(path)
        stored = path.parent / "summary.json"
        stored.write_text(json.dumps(summary))
        told = {phase: took for phase, took in REMATERIALISED.items() if took}
        shares = {phase: took / sum(told.values()) for phase, took in told.items()}
        answer = json.loads(self.call("query", stored, "which phases take how long?"))
        self.assertEqual({row["phase"]: round(row["self_us"]) for row in answer["results"]}, told)
        self.assertIn("as programs tell them", answer["answer"])
        explained = self.explained(path)
        self.assertEqual({part["name"]: round(part["average_us"]) for part in explained["parts"]
                          if part["parent"] == "compute" and part["name"] in REMATERIALISED}, told)
        for source in (path, stored):
            rows = self.table("phases", source)["rows"]
            for row in rows:
                self.assertAlmostEqual(row["self_time_share"], shares[row["name"]], 5)
            self.assertEqual(len(rows), len(told))
        figure = self.figure(summary, "recompute_share")
        self.assertAlmostEqual(figure["value"], .25, 5)
        self.assertIn("as programs tell them", figure["of"])
        self.assertAlmostEqual(summary["coverage"]["joined_time_share"],
                               self.table("phases", path)["properties"]["joined_time_share"])
        for form in ("text", "html", "md"):
            text = self.call("report", stored, "--format", form)
            self.assertIn("forward 20.0 %, backward 25.0 %, recompute 25.0 %, optimizer 10.0 %, "
                          "other 6.0 %, unattributed 14.0 %", " ".join(text.split()))

    def test_ops_of_programs_are_all_ops_again(self):
        summary = self.summary(self.written(job(devices=2), program()))
        for list_of, names in (("ops", {"gemm", "library"}),
                               ("program_ops", {"library", *(f"dot.{phase}" for phase in PATHS
                                                             if TRAINING[phase])})):
            rows = summary[list_of]
            self.assertEqual({row["name"] for row in rows}, names)
            for member, whole in (("self_us", 1000), ("steady_self_us", 1000)):
                self.assertAlmostEqual(sum(row[member] for row in rows), whole * STEPS * 2)
        row = next(row for row in summary["program_ops"] if row["name"] == "dot.backward")
        self.assertEqual((row["category"], row["opcode"], row["phase"], row["device_class"]),
                         ("dot", "dot", "backward", "compute"))
        self.assertEqual((row["count"], row["device_count"], row["max_device_self_us"]),
                         (2 * STEPS, 2, 400 * STEPS))
        self.assertEqual(row["flops"], 2 * 512 ** 3 * row["count"])
        self.assertEqual(row["shape_signature"], "bf16[512,512](bf16[512,512],bf16[512,512])")

    def test_what_ledgers_know_ops_by_does_not_depend_on_programs(self):
        bare = self.summary(self.written(job(), name="bare"))
        told = self.summary(self.written(job(), program(), name="told"))
        self.assertEqual(bare["ops"], told["ops"])
        self.assertNotIn("program_ops", bare)
        self.assertNotIn("joined_time_share", bare["coverage"])
        figure = self.figure(bare, "recompute_share")
        self.assertIsNone(figure["value"])
        self.assertIn("do not tell which part of the program", figure["absent"])
        self.assertIn("lies in the file or beside it", " ".join(bare["coverage"]["warnings"]))
        self.assertNotIn("lies in the file or beside it", " ".join(told["coverage"]["warnings"]))

    def test_rematerialisation_is_found(self):
        self.assertEqual(self.found(self.written(job(), program())), {})
        found = self.found(self.written(job(REMATERIALISED), program(), name="again"))
        self.assertEqual(list(found), ["rematerialisation"])
        self.assertEqual(found["rematerialisation"]["op_name"], "dot.recompute")
        self.assertAlmostEqual(found["rematerialisation"]["share"], .25, 2)

    def test_wide_precision_is_found(self):
        found = self.found(self.written(job(), program("f32")))
        self.assertEqual(list(found), ["wide_precision"])
        self.assertIn("100.0 % of the flops", found["wide_precision"]["evidence"])
        self.assertTrue(found["wide_precision"]["op_name"].startswith("dot."))
        self.assertEqual(self.found(self.written(job(), program("f16"), name="f16")), {})

    def test_programs_too_large_for_a_summary_are_read_where_they_are_asked_for(self):
        path = self.written(job(REMATERIALISED), program(weight=17 << 20))
        summary = self.summary(path)
        self.assertNotIn("program_ops", summary)
        warnings = " ".join(summary["coverage"]["warnings"])
        self.assertIn("16 MiB", warnings)
        self.assertEqual(list(self.found(path)), ["rematerialisation"])
        self.assertIn("recompute", {part["name"] for part in self.explained(path)["parts"]})

    def test_the_program_of_most_time_is_read_first(self):
        made = job()
        for number in range(STEPS):
            made.run("dot.other", number * PERIOD + 9, number * PERIOD + 5, number * PERIOD + 6,
                     kernel="small", program_id=3, stream=1)
        made.hold(program(weight=15 << 20), 3)
        summary = self.summary(self.written(made, program(weight=15 << 20)))
        self.assertAlmostEqual(summary["coverage"]["joined_time_share"], .86, 2)
        self.assertIn("16 MiB", " ".join(summary["coverage"]["warnings"]))

    def test_broken_programs_are_told(self):
        summary = self.summary(self.written(job(), program()[:-40]))
        self.assertNotIn("program_ops", summary)
        self.assertIn("1 of the kernels' programs (HLO) cannot be read",
                      " ".join(summary["coverage"]["warnings"]))

    def test_hosts_add_up(self):
        folder = self.folder / "hosts"
        folder.mkdir()
        for host, times, proto in (("a", TRAINING, program()), ("b", REMATERIALISED, program()),
                                   ("c", TRAINING, None)):
            made = job(times, host=host)
            if proto is not None:
                made.hold(proto)
            made.write(folder / f"{host}.xplane.pb")
        summary = self.summary(folder)
        rows = summary["program_ops"]
        self.assertAlmostEqual(sum(row["self_us"] for row in rows), 3 * 1000 * STEPS)
        again = next(row for row in rows if row["phase"] == "recompute")
        self.assertEqual((again["self_us"], summary["devices"][again["max_device"]]["host"]),
                         (250 * STEPS, "b"))
        self.assertAlmostEqual(summary["coverage"]["joined_time_share"], 2 * .86 / 3)
        self.assertAlmostEqual(self.figure(summary, "recompute_share")["value"], .25 / 3)

    def test_a_document_with_a_device_that_is_not_there_is_refused(self):
        path = self.written(job(), program())
        document = self.summary(path)
        document["program_ops"][0]["max_device"] = 7
        path.with_suffix(".json").write_text(json.dumps(document))
        done = subprocess.run([BINARY, "report", path.with_suffix(".json")], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'max_device' of a program op", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
