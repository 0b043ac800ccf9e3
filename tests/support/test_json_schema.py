"""Tests of the checker of documents: it refuses what it should."""

import unittest

import json_schema
from json_schema import SchemaError, check

SIDE = {"type": "object", "properties": {"run": {"type": ["string", "null"]}}, "required": ["run"]}
ROOT = {
    "$defs": {"side": SIDE},
    "type": "object",
    "properties": {
        "version": {"const": "x.v1"},
        "count": {"type": "integer", "minimum": 0},
        "share": {"type": "number"},
        "status": {"enum": ["pass", "fail"]},
        "sides": {"type": "array", "items": {"$ref": "#/$defs/side"}},
        "other": {"anyOf": [{"$ref": "#/$defs/side"}, {"type": "null"}]},
    },
    "required": ["version"],
    "dependentRequired": {"share": ["count"]},
}


class Checker(unittest.TestCase):
    """One document, changed in one place."""

    def check(self, **changes):
        """Checks the good document with these members."""
        good = {"version": "x.v1", "count": 3, "share": 0.5, "status": "pass",
                "sides": [{"run": None}, {"run": "a"}], "other": None}
        document = {name: value for name, value in {**good, **changes}.items() if value != "gone"}
        check(document, ROOT, ROOT, "x")

    def test_accepts_what_fits(self):
        self.check()
        self.check(other={"run": "b"}, share=1, count=0)

    def test_refuses_what_does_not_fit_and_says_where(self):
        for said, changes in (
                ("version is missing", {"version": "gone"}),
                ("'x.v2' is not", {"version": "x.v2"}),
                ("x.count: true is not integer", {"count": True}),
                ("x.count: 1.5 is not integer", {"count": 1.5}),
                ("x.count: -1 is below 0", {"count": -1}),
                ("x.share: NaN is not number", {"share": float("nan")}),
                ("share is there without count", {"count": "gone"}),
                ("none of", {"status": "warn"}),
                ("x.sides[1]: run is missing", {"sides": [{"run": "a"}, {}]}),
                ("x.sides[0].run: 3 is not string or null", {"sides": [{"run": 3}]}),
                ("none fits", {"other": 4}),
                ("x: more stands in no schema", {"more": 1})):
            with self.assertRaises(SchemaError) as caught:
                self.check(**changes)
            self.assertIn(said, str(caught.exception))

    def test_refuses_keywords_that_it_does_not_know(self):
        with self.assertRaises(SchemaError):
            check("a", {"type": "string", "maxLength": 3}, {}, "x")

    def test_knows_every_keyword_of_the_schemas(self):
        def walk(schema, place):
            self.assertEqual(set(schema) - json_schema.NOTES - json_schema.CHECKED, set(), place)
            for name, member in {**schema.get("properties", {}),
                                 **schema.get("$defs", {})}.items():
                walk(member, f"{place}.{name}")
            for name in ("items",):
                if name in schema:
                    walk(schema[name], f"{place}.{name}")

        files = sorted(json_schema.FOLDER.glob("*.schema.json"))
        self.assertGreaterEqual(len(files), 9)
        for file in files:
            walk(json_schema.schema_of(file.name), file.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
