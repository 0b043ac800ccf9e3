"""Checks documents against the JSON schemas of schema/, strictly.

What the schemas say is what a document may hold: a member that no schema names is an error, and so
is a keyword of a schema that this checker does not know, so that none is passed over in silence.
"""

import functools
import json
import math
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "schema/documents"
NOTES = {"$schema", "title", "description", "$defs"}
CHECKED = {"$ref", "type", "const", "enum", "minimum", "properties", "required",
           "dependentRequired", "items", "anyOf"}
TYPES = {"null": (type(None),), "boolean": (bool,), "string": (str,), "integer": (int,),
         "number": (int, float), "array": (list,), "object": (dict,)}


class SchemaError(AssertionError):
    """A document, or a schema, is not as it should be; says where."""


@functools.lru_cache(maxsize=None)
def schema_of(name):
    """The schema of a file in schema/: "verdict" or "verdict.schema.json"."""
    return json.loads((FOLDER / (name.removesuffix(".schema.json") + ".schema.json")).read_text())


def check_document(document, name):
    """Raises SchemaError when the document does not fit the schema of that name."""
    root = schema_of(name)
    check(document, root, root, name)


def check(value, schema, root, place):
    """One value against one schema; references look from the root."""
    unknown = set(schema) - NOTES - CHECKED
    if unknown:
        raise SchemaError(f"{place}: the schema says {sorted(unknown)}, which is not checked")
    if "$ref" in schema:
        check_reference(value, schema["$ref"], root, place)
    if "anyOf" in schema:
        check_any(value, schema["anyOf"], root, place)
    check_value(value, schema, place)
    if isinstance(value, dict) and "properties" in schema:
        check_members(value, schema, root, place)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            check(item, schema["items"], root, f"{place}[{index}]")


def check_reference(value, reference, root, place):
    """`#/$defs/NAME`, or another file."""
    if reference.startswith("#/$defs/"):
        check(value, root["$defs"][reference.removeprefix("#/$defs/")], root, place)
    else:
        other = schema_of(reference)
        check(value, other, other, place)


def check_any(value, schemas, root, place):
    """At least one fits."""
    errors = []
    for schema in schemas:
        try:
            check(value, schema, root, place)
            return
        except SchemaError as error:
            errors.append(str(error))
    raise SchemaError(f"{place}: none fits: {'; '.join(errors)}")


def check_value(value, schema, place):
    """What a schema says of the value itself."""
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_of(value, name) for name in types):
            raise SchemaError(f"{place}: {json.dumps(value)[:60]} is not {' or '.join(types)}")
    if "const" in schema and value != schema["const"]:
        raise SchemaError(f"{place}: {value!r} is not {schema['const']!r}")
    if "minimum" in schema and isinstance(value, (int, float)) and value < schema["minimum"]:
        raise SchemaError(f"{place}: {value!r} is below {schema['minimum']}")
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaError(f"{place}: {value!r} is none of {schema['enum']}")


def is_of(value, name):
    """JSON's idea of types: true is no number, and a number is finite."""
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, TYPES[name])


def check_members(value, schema, root, place):
    """Members of an object: required ones are there, and none that the schema does not name."""
    for name in schema.get("required", []):
        if name not in value:
            raise SchemaError(f"{place}: {name} is missing")
    for name, needed in schema.get("dependentRequired", {}).items():
        for other in needed if name in value else []:
            if other not in value:
                raise SchemaError(f"{place}: {name} is there without {other}")
    for name, member in value.items():
        if name not in schema["properties"]:
            raise SchemaError(f"{place}: {name} stands in no schema")
        check(member, schema["properties"][name], root, f"{place}.{name}")
