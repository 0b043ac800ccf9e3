"""HLO protos for the tests: instructions in computations, as bytes.

What: a program is a dict of computations, a computation a list of instructions whose operands and
calls are names. What it does not do: layouts, literals, anything that no reader of ours looks at.
Source of the field numbers: ingest/README.md, "What an instruction costs".
"""

from xplane_writer import field_bytes, field_text, field_varint

ELEMENTS = {"pred": 1, "s32": 4, "f16": 10, "f32": 11, "bf16": 16}


def shape_encode(text: str) -> bytes:
    """Of "f32[8,16]", or of several of them with blanks between a tuple."""
    parts = text.split()
    if len(parts) > 1:
        return field_varint(2, 13) + b"".join(field_bytes(4, shape_encode(part)) for part in parts)
    element, dims = text.rstrip("]").split("[")
    packed = b"".join(field_varint(1, int(dim))[1:] for dim in dims.split(",") if dim)
    return field_varint(2, ELEMENTS[element]) + (field_bytes(3, packed) if packed else b"")


class Program:
    """Numbers follow the order of the names' first use."""

    def __init__(self, name: str):
        self.name, self.computations, self.ids = name, {}, {}
        self.assignment = b""

    def number(self, name: str) -> int:
        return self.ids.setdefault(name, len(self.ids) + 1)

    def add(self, computation: str, name: str, opcode: str, shape: str, operands=(), calls=(),
            **more):
        """more: path, source (file, line), kind, target, backend, contracting, window, feature,
        groups (lists of devices), iota (groups, devices of each)."""
        body = field_text(1, name) + field_text(2, opcode) + field_bytes(3, shape_encode(shape))
        metadata = field_text(2, more["path"]) if "path" in more else b""
        if "source" in more:
            metadata += field_text(3, more["source"][0]) + field_varint(4, more["source"][1])
        body += field_bytes(7, metadata)
        for field, key in ((11, "kind"), (28, "target"), (43, "backend")):
            body += field_text(field, more[key]) if key in more else b""
        if "window" in more:
            body += field_bytes(15, b"".join(field_bytes(1, field_varint(1, size))
                                             for size in more["window"]))
        if "feature" in more:
            body += field_bytes(16, field_varint(4, more["feature"]))
        if "contracting" in more:
            body += field_bytes(30, b"".join(field_varint(1, dim) for dim in more["contracting"]))
        for group in more.get("groups", ()):
            body += field_bytes(49, b"".join(field_varint(1, device) for device in group))
        if "iota" in more:
            body += field_bytes(87, field_bytes(2, field_varint(1, more["iota"][0]) +
                                                field_varint(2, more["iota"][1])))
        body += field_varint(35, self.number(name))
        body += b"".join(field_varint(36, self.number(operand)) for operand in operands)
        body += b"".join(field_varint(38, self.number("of " + call)) for call in calls)
        self.computations.setdefault(computation, []).append(body)

    def hold(self, buffers, allocations, traces=()):
        """A buffer assignment. buffers: id -> (size, instruction); allocations: (size, buffers,
        numbers by field); traces: (allocation, events), an event (kind, buffer, shared)."""
        body = b"".join(
            field_bytes(1, field_varint(1, number) + field_varint(2, size) +
                        field_bytes(3, field_varint(4, self.number(name))))
            for number, (size, name) in buffers.items())
        for index, (size, held, more) in enumerate(allocations):
            body += field_bytes(3, field_varint(1, index) + field_varint(2, size) + b"".join(
                field_varint(field, value) for field, value in more.items()) + b"".join(
                    field_bytes(9, field_varint(1, number) + field_varint(3, buffers[number][0]))
                    for number in held))
        for allocation, events in traces:
            body += field_bytes(4, field_varint(3, allocation) + b"".join(field_bytes(
                1, field_varint(1, kind) + field_varint(2, buffer) + field_varint(5, shared))
                for kind, buffer, shared in events))
        self.assignment = field_bytes(3, body)

    def encode(self) -> bytes:
        module = field_text(1, self.name)
        for computation, instructions in self.computations.items():
            module += field_bytes(3, field_text(1, computation) +
                                  b"".join(field_bytes(2, body) for body in instructions) +
                                  field_varint(5, self.number("of " + computation)))
        return field_bytes(1, module) + self.assignment
