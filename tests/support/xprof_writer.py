"""Tables of xprof for the tests, as JSON and as the messages that are stored beside a profile.

What: tables of steps and kernels, `kernel_stats`, `overview_page`, `op_stats`. What it does not do:
anything that no reader of ours looks at. Source of the field numbers: ingest/README.md, "Tables of
xprof".
"""

import json
import struct

from xplane_writer import encode_tag, field_bytes, field_double, field_text, field_varint


def table(columns, rows, properties=None):
    """columns: ids; rows: lists of values."""
    return {"cols": [{"id": name, "label": name, "type": "number"} for name in columns],
            "rows": [{"c": [{"v": value} for value in row]} for row in rows],
            "p": properties or {}}


STEP = ("stepnum", "deviceComputeTimeMs", "deviceCollectivesTimeMs", "infeedTimeMs", "otherTimeMs",
        "stepTimeMs")


def overview_json(steps, properties=None, advice=None):
    """steps: rows of STEP."""
    return json.dumps([table(("selfTimePercent", "operation"), [[1.0, "op"]]),
                       table(STEP, steps, properties),
                       table(("tip_type",), [["faq"]], {"bottleneck": "device", **(advice or {})})])


def kernels_json(kernels):
    """kernels: (name, occurrences, total in us)."""
    return json.dumps(table(("kernel_name", "occurrences", "total_duration_us"), kernels))


def kernel_stats(kernels, launched=True):
    """kernels: (name, occurrences, total, min, max in ns); launched: how is told, too."""
    database = b""
    for name, count, total, least, most in kernels:
        size = b"\x80\x01\x01\x01" if launched else b"\x01\x01\x01"
        launch = (field_varint(2, 32) + field_varint(3, 7) + field_varint(4, 8) +
                  encode_tag(14, 5) + struct.pack("<f", 50)) if launched else b""
        database += field_bytes(1, field_text(1, name) + launch + field_bytes(5, size) +
                                field_bytes(6, size) + field_varint(7, total) +
                                field_varint(8, least) + field_varint(9, most) +
                                field_text(12, "jit(f)/dot") + field_varint(13, count))
    return database


def any_of(kind, message):
    return (field_text(1, f"type.googleapis.com/tensorflow.profiler.{kind}") +
            field_bytes(2, message))


def overview_page(steps, bottleneck="device", kind="PerGenericStepDetails"):
    """steps: (number, {field: ms})."""
    analysis = field_text(9, "GPU")
    for number, parts in steps:
        message = field_varint(1, number) + b"".join(
            field_double(field, value) for field, value in parts.items())
        analysis += field_bytes(4, any_of(kind, message))
    advice = field_text(1, bottleneck) + field_text(2, "It waits.")
    advice += field_bytes(6, any_of("GenericRecommendation", field_text(7, "It talks.")))
    return field_bytes(2, analysis) + field_bytes(4, advice)


def op_stats(ops, programs, kernels=b"", device_type="Nvidia GPU (Hopper)", devices=2):
    """ops: dicts of name, category, self_ps, count, bytes, flops, program, path, expression."""
    database = b""
    for op in ops:
        database += field_bytes(10, field_varint(1, op["self_ps"]) + field_varint(3, op["count"]) +
                                field_varint(5, op.get("bytes", 0)) + field_text(6, op["name"]) +
                                field_varint(7, op["self_ps"]) +
                                field_text(11, op.get("category", "loop fusion")) +
                                field_text(12, op.get("path", "")) +
                                field_varint(13, op.get("program", 0)) +
                                field_text(20, op.get("expression", "")) +
                                field_double(29, op.get("flops", 0)))
    database += field_varint(11, 10 ** 12)
    stats = field_bytes(2, database)
    stats += field_bytes(3, field_double(1, 989.0) + field_bytes(5, struct.pack("<d", 3350.0)))
    stats += field_bytes(5, field_varint(1, 1) + field_text(4, device_type) +
                         field_varint(5, devices))
    stats += field_bytes(6, kernels) if kernels else b""
    for number, name in programs.items():
        stats += field_bytes(12, field_varint(1, number) + field_text(2, name))
    return stats
