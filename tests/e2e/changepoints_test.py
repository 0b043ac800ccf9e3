#!/usr/bin/env python3
"""`stepledger changepoints` on files as people have them."""

import json
import re
import unittest

import cli_case

STEP = [10.0, 10.2, 9.9, 10.1, 10.0, 9.8, 10.1, 10.0, 9.9, 10.2] * 2
STEP += [value + 2 for value in STEP]


class Changepoints(cli_case.LedgerCase):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def found(self, path, *options):
        done = self.call("changepoints", path, *options)
        self.assertEqual(done.code, 0, done.err)
        return done.document

    def test_reads_an_array_a_table_and_the_benchmarks_object_alike(self):
        rows = "".join(f"2026-01-{i},\"a, b\",{value}\n" for i, value in enumerate(STEP))
        turned = "".join(f"{value},x\n" for value in STEP)
        files = [
            (self.write("a.json", json.dumps(STEP)), []),
            (self.write("a.csv", "date,note,ms\n" + rows), []),
            (self.write("b.csv", "ms,note\n" + turned), ["--column", "ms"]),
            (self.write("c.csv", "".join(f"{value}\n" for value in STEP)), []),
            (self.write("t.json", json.dumps({"series": [{"raw": STEP}]})), []),
        ]
        answers = [self.found(path, *options) for path, options in files]
        for answer in answers:
            del answer["source"]
            self.assertEqual(answer, answers[0])
        (point,) = answers[0]["change_points"]
        self.assertEqual((point["index"], point["tier"]), (20, "confirmed"))
        self.assertAlmostEqual(point["before"], 10.02, 1)
        self.assertAlmostEqual(point["after"], 12.02, 1)

    def test_missing_values_keep_their_places(self):
        values = STEP[:5] + [None, None] + STEP[5:]
        answer = self.found(self.write("a.json", json.dumps(values)))
        self.assertEqual((answer["value_count"], answer["missing_count"]), (40, 2))
        self.assertEqual([p["index"] for p in answer["change_points"]], [22])

    def test_an_empty_line_is_a_missing_value_as_an_empty_field_is(self):
        cells = [value if i % 4 else "" for i, value in enumerate(STEP)]
        files = {"one.csv": "ms\n" + "".join(f"{cell}\n" for cell in cells),
                 "bare.csv": "".join(f"{cell}\r\n" for cell in cells),
                 "two.csv": "i,ms\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)),
                 "end.csv": "i,ms\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
                            + "\n\n",
                 "a.json": json.dumps([cell or None for cell in cells])}
        answers = {name: self.found(self.write(name, text)) for name, text in files.items()}
        for name, answer in answers.items():
            self.assertEqual(answer, answers["a.json"] | {"source": answer["source"]}, name)
        answer = answers["a.json"]
        self.assertEqual((answer["value_count"], answer["missing_count"]), (30, 10))
        self.assertEqual([p["index"] for p in answer["change_points"]], [21])  # 20 is missing

    def test_a_byte_order_mark_is_none_of_the_values(self):
        for name, text, options in (("a.json", json.dumps(STEP), []),
                                    ("a.csv", "".join(f"{value}\n" for value in STEP), []),
                                    ("b.csv", "ms\n" + "".join(f"{value}\n" for value in STEP),
                                     ["--column", "ms"])):
            answer = self.found(self.write(name, "\ufeff" + text), *options)
            self.assertEqual((answer["value_count"], answer["missing_count"]), (40, 0), name)
            self.assertEqual([p["index"] for p in answer["change_points"]], [20], name)

    def test_tells_steps_of_any_size_that_it_takes(self):
        for factor in (1e98, 1e-90):
            answer = self.found(self.write("a.json", json.dumps([v * factor for v in STEP])))
            (point,) = answer["change_points"]
            self.assertEqual((point["index"], point["tier"]), (20, "confirmed"), factor)

    def test_the_text_says_what_the_document_says(self):
        path = self.write("a.json", json.dumps(STEP))
        done = self.call("changepoints", path, "--format", "text")
        self.assertEqual(done.code, 0)
        self.assertIn("1 confirmed and 0 suspected in 40 values", " ".join(done.out.split()))
        self.assertIn("+20.0 %", done.out)

    def test_a_change_from_a_level_near_zero_is_told_as_it_is(self):
        path = self.write("a.json", json.dumps([v - 10.02 + 1e-9 for v in STEP]))
        point = self.found(path)["change_points"][0]
        lines = self.call("changepoints", path, "--format", "text").out.splitlines()
        (row,) = [line for line in lines if "confirmed" in line and ".." in line]
        self.assertIn(f"{point['after'] - point['before']:+.4g}", row)
        self.assertNotIn("%", row)

    def test_a_level_may_be_shorter_than_those_that_are_looked_for(self):
        path = self.write("a.json", json.dumps(STEP[:20] * 2 + STEP[:5] + STEP[20:29]))
        answer = self.found(path)
        (point,) = answer["change_points"]
        self.assertEqual((point["tier"], point["index"]), ("confirmed", 45))
        self.assertGreater(answer["level_min_count"], answer["value_count"] - point["index"])
        text = " ".join(self.call("changepoints", path, "--format", "text").out.split())
        self.assertIn(f"asked of levels of {answer['level_min_count']} values or more", text)
        self.assertIn("which may leave a level shorter", text)

    def test_all_places_say_from_how_many_runs_on_a_change_counts(self):
        numbers = {}
        for name, header in (("COURSE_NEWEST_RUNS", "compare/changes/course.h"),
                             ("MARKING_SETTLED_RUNS", "ops/flow/trends/marking.h")):
            text = (cli_case.ROOT / header).read_text(encoding="utf-8")
            numbers[name] = re.search(rf"#define {name} (\d+)", text).group(1)
        shown, settled = numbers["COURSE_NEWEST_RUNS"], numbers["MARKING_SETTLED_RUNS"]
        places = [self.call("list", "--help").out] + [
            (cli_case.ROOT / name).read_text(encoding="utf-8")
            for name in ("README.md", "ops/flow/README.md")]
        for place in places:
            words = " ".join(place.split())
            self.assertIn(f"sure of it from {shown} runs on", words)
            self.assertIn(f"once {settled} runs hold the new level", words)
            self.assertNotIn("a candidate changes nothing", words)

    def test_refuses_what_is_no_series_and_says_where(self):
        for name, text, options, code, said in [
            ("a.csv", "d,ms\n1,5\n2,x\n", [], 65, "line 3: 'x' is no number"),
            ("a.csv", "1OO.2\n100\n101\n", [], 65, "line 1: '1OO.2' is no number"),
            ("a.csv", "-1e999\n100\n101\n", [], 65, "line 1: '-1e999' is no number"),
            ("b.csv", "d,ms\n1,5\n", ["--column", "s"], 2, "no column 's'"),
            ("a.json", '[1, "a"]', [], 65, "value 1 is neither"),
            ("b.json", '{"a": 1}', [], 65, "series[0].raw"),
            ("c.json", '{"series": [{"raw": [1]}, {"raw": [2]}]}', [], 65, "holds 2 series"),
            ("d.json", "[1, 2", [], 65, "d.json"),
            ("e.csv", "", [], 65, "holds no number"),
            ("f.csv", "1\n2\0\n", [], 65, "NUL"),
            ("g.json", "[1e999]", [], 65, "g.json"),
            ("h.json", "[1, -1.7e308]", [], 65, "h.json: value 1: -1.7e+308 is beyond -1e+100"),
            ("h.csv", "a,b\n1,1e308\n", [], 65, "line 2: 1e+308 is beyond 1e+100"),
            ("i.csv", "a,b\n1,2\n503\n", [], 65, "line 3 has 1 field ('503'), the first one 2"),
            ("j.csv", "ms\n1\n1,5\n", [], 65,
             "line 3 has 2 fields ('1,5'), the first one 1: a missing value is an empty field, and "
             "a number has a point, no comma"),
            ("k.csv", "a,b\n1,2\n\n\n3,4\n", [], 65, "line 3 is empty, the first one has 2"),
        ]:
            with self.subTest(text=text):
                done = self.call("changepoints", self.write(name, text), *options)
                self.assertEqual(done.code, code, done.err)
                self.assertIn(said, done.err)
        self.assertEqual(self.call("changepoints", "/nonexistent").code, 6)

    def test_a_series_ends_where_the_budget_does(self):
        path = self.write("long.csv", "1\n" * 3000000)
        done = self.call("changepoints", path, "--max-memory-mb", "16")
        self.assertEqual(done.code, 65, done.err)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, r"^stepledger changepoints: no memory for the series: .*\n$")


if __name__ == "__main__":
    unittest.main()
