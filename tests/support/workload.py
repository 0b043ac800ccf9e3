"""The made training job: model dimensions, device, and the compiled program of one step.

What: turns the table of profile_ops.py into a program of numbered HLO instructions with shapes,
texts, costs and a base duration each. Why: names, numbers and ids must behave as XLA's do (a
recompile renumbers everything, the program id is a fingerprint of the text), or tests of matching
would prove nothing.
What it does not do: noise and the placing in time (profile_plan.py), planted edits
(profile_edits.py).
Base durations follow a roofline: max(flops / (peak * efficiency), bytes / (bandwidth * share)).
Peaks: what the vendors' data sheets say.
"""

import hashlib
import random
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, Iterator, List, NamedTuple, Tuple

import profile_ops
from profile_ops import Row

MODULE = "jit_train_step"
PS_PER_S = 10**12
# Launch and pipeline-fill time of any device op.
OP_OVERHEAD_PS = 1_500_000
# Share of the peak memory bandwidth that streaming ops reach.
BANDWIDTH_SHARE = 0.75
# Time of an asynchronous `*-start`, and of a `*-done` that finds its transfer finished.
START_PS, DONE_PS = 2_000_000, 400_000
ELEMENT_BYTES = {"bf16": 2, "f32": 4, "s32": 4, "u32": 4}
SHAPE = re.compile(r"([a-z]+[0-9]+)\[([0-9,]*)\]")
# Category -> opcode and what follows the operands, where the opcode is not the category itself.
OPCODES = {
    "convolution fusion": ("fusion", "kind=kOutput, calls=%fused_computation.{number}"),
    "loop fusion": ("fusion", "kind=kLoop, calls=%fused_computation.{number}"),
    "input fusion": ("fusion", "kind=kInput, calls=%fused_computation.{number}"),
    "custom fusion": ("fusion", "kind=kCustom, calls=%fused_computation.{number}"),
    "scatter fusion": ("fusion", "kind=kCustom, calls=%fused_computation.{number}"),
    "data formatting": ("copy", ""),
    "custom-call": ("custom-call", 'custom_call_target="{target}"'),
    "while": ("while", "condition=%region_1.{number}, body=%region_0.{number}"),
}
COLLECTIVE_ATTRIBUTES = "channel_id={symbol}, replica_groups=[1,{n}]<=[{n}], to_apply=%add.{number}"


class Device(NamedTuple):
    """What a device is told to be. Rates are per device; `stats` go on the device's plane."""

    kind: str
    peak_tflops: float
    memory_gbps: float
    link_gbps: float
    cores: int = 0
    clock_khz: int = 0
    memory_bytes: int = 0
    compute_capability: Tuple[int, int] = (0, 0)


DEVICES = {
    "TPU v4": Device("tpu", 275.0, 1228.0, 300.0),
    "TPU v5e": Device("tpu", 197.0, 819.0, 200.0),
    "TPU v5p": Device("tpu", 459.0, 2765.0, 600.0),
    "TPU v6e": Device("tpu", 918.0, 1640.0, 400.0),
    "NVIDIA A100-SXM4-80GB": Device("gpu", 312.0, 2039.0, 300.0, 108, 1_410_000, 85_899_345_920,
                                    (8, 0)),
    "NVIDIA H100 80GB HBM3": Device("gpu", 989.0, 3352.0, 450.0, 132, 1_980_000, 85_520_809_984,
                                    (9, 0)),
}
DEFAULT_DEVICE = {"tpu": "TPU v5e", "gpu": "NVIDIA H100 80GB HBM3"}


@dataclass(frozen=True)
class Model:
    """Dimensions. `batch` is per device; weights and optimizer state are sharded over `shards`."""

    layers: int = 8
    batch: int = 8
    sequence: int = 1024
    dtype: str = "bf16"
    shards: int = 4
    hidden: int = 2048
    heads: int = 16
    ffn: int = 8192
    vocabulary: int = 32768

    def names(self) -> Dict[str, object]:
        """The names that shapes and flop expressions of profile_ops.py use."""
        hidden, shards = self.hidden, self.shards
        return {
            "act": self.dtype, "L": self.layers, "B": self.batch, "S": self.sequence,
            "T": self.batch * self.sequence, "D": hidden, "D3": 3 * hidden, "D4": 4 * hidden,
            "D12": 12 * hidden, "Dn": -(-hidden // shards), "F": self.ffn, "H": self.heads,
            "K": hidden // self.heads, "V": self.vocabulary, "Vn": -(-self.vocabulary // shards),
        }


@dataclass
class Op:
    """One instruction of the program. Equal objects occur again for each trip of their loop."""

    row: Row
    stem: str
    category: str
    result: str
    operands: Tuple[str, ...]
    flops: int
    bytes_accessed: int
    base_ps: int
    trips: int = 1
    body: List["Op"] = field(default_factory=list)
    number: int = 0
    symbol: int = 0
    text: str = ""
    # Planted: the factor on the op's time, and whether its code differs too (a new fingerprint).
    factor: Fraction = Fraction(1)
    code_changed: bool = False

    @property
    def label(self) -> str:
        return self.row.label

    @property
    def name(self) -> str:
        return f"{self.stem}.{self.number}"

    @property
    def opcode(self) -> str:
        return OPCODES.get(self.category, (self.category, ""))[0]


@dataclass
class Program:
    """A compiled step. `program_id` follows from all instruction texts."""

    kind: str
    model: Model
    device_type: str
    ops: List[Op]
    program_id: int = 0

    @property
    def device(self) -> Device:
        return DEVICES[self.device_type]

    def walk(self) -> Iterator[Op]:
        """Every instruction once, containers before their bodies."""
        return ops_walk(self.ops)

    def sequences(self) -> List[List[Op]]:
        """The lists in which ops follow each other: the entry and every loop body."""
        return [self.ops] + [op.body for op in self.walk() if op.body]


def ops_walk(ops: List[Op]) -> Iterator[Op]:
    for op in ops:
        yield op
        yield from ops_walk(op.body)


def shape_bytes(text: str) -> int:
    """Bytes of all arrays in a shape text."""
    total = 0
    for element, dimensions in SHAPE.findall(text):
        count = 1
        for dimension in filter(None, dimensions.split(",")):
            count *= int(dimension)
        total += count * ELEMENT_BYTES[element]
    return total


def shape_layout(text: str, kind: str) -> str:
    """Adds the layout to each array of a shape text: minor-to-major, on TPU the tiling."""

    def add(match: "re.Match") -> str:
        rank = len([d for d in match.group(2).split(",") if d])
        order = ",".join(str(i) for i in reversed(range(rank)))
        tiles = ""
        if kind == "tpu" and rank:
            tiles = ":T(8,128)" + ("(2,1)" if match.group(1) == "bf16" else "")
        return f"{match.group(0)}{{{order}{tiles}}}"

    return SHAPE.sub(add, text)


def duration_model(row: Row, flops: int, size: int, device: Device, dtype: str) -> int:
    """Base duration in ps of one execution of a row that moves `size` bytes."""
    peak = device.peak_tflops * 1e12 / (1 if dtype == "bf16" else 4)
    link_ps = size / (device.link_gbps * 1e9) * PS_PER_S
    by_role = {
        profile_ops.CONTAINER: 0,
        profile_ops.COLLECTIVE: link_ps + 4 * OP_OVERHEAD_PS,
        profile_ops.COLLECTIVE_START: START_PS,
        profile_ops.COLLECTIVE_DONE: link_ps * row.efficiency + DONE_PS,
        profile_ops.COPY_START: START_PS,
        profile_ops.COPY_DONE: DONE_PS,
    }
    if row.role in by_role:
        return round(by_role[row.role])
    seconds = max(flops / (peak * row.efficiency),
                  size / (device.memory_gbps * 1e9 * BANDWIDTH_SHARE))
    return round(seconds * PS_PER_S) + OP_OVERHEAD_PS


def product_value(text: str, names: Dict[str, object]) -> int:
    """Value of a product such as `6*T*D*D`."""
    value = 1
    for factor in text.split("*"):
        value *= int(names.get(factor, factor))
    return value


def op_build(row: Row, model: Model, kind: str, device: Device) -> Op:
    names = model.names()
    stem, category = row.tpu if kind == "tpu" else row.gpu
    result = row.result.format(**names)
    operands = tuple(text.format(**names) for text in row.operands)
    flops = product_value(row.flops, names)
    size = 0 if row.body else shape_bytes(result) + sum(shape_bytes(text) for text in operands)
    base = duration_model(row, flops, size, device, model.dtype)
    op = Op(row, stem, category, result, operands, flops, size, base)
    op.trips = model.layers if row.body else 1
    op.body = [op_build(inner, model, kind, device) for inner in row.body if getattr(inner, kind)]
    return op


def program_build(kind: str, model: Model, device_type: str) -> Program:
    """The program before numbering, so that edits can still add and remove instructions."""
    device = DEVICES[device_type]
    rows = [row for row in profile_ops.STEP_ROWS if getattr(row, kind)]
    return Program(kind, model, device_type, [op_build(row, model, kind, device) for row in rows])


def program_number(program: Program, renumber: int) -> None:
    """Gives instruction numbers, symbol ids, texts and the program id.

    Another `renumber` stands for another compilation: all numbers differ, nothing else does.
    """
    stream = random.Random(f"renumber/{renumber}")
    number = stream.randrange(2, 40) if renumber else 1
    for symbol, op in enumerate(program.walk(), start=1):
        number += stream.randrange(1, 9) if renumber else 1
        op.number, op.symbol = number, symbol
    digest = hashlib.sha256()
    for sequence in program.sequences():
        previous = f"param.{number + 1}"
        for op in sequence:
            op.text = op_text(op, previous, program)
            previous = op.name
            digest.update(op.text.encode())
    fingerprint = int.from_bytes(digest.digest()[:8], "big")
    # On TPU the id is a fingerprint of 64 bits, on GPU a small number that counts modules.
    program.program_id = fingerprint if program.kind == "tpu" else fingerprint % 997 + 2


def op_text(op: Op, previous: str, program: Program) -> str:
    """The whole instruction as XLA prints it: operands with shapes, then attributes."""
    sources = [previous]
    sources += [f"get-tuple-element.{op.number + i}" for i in range(1, len(op.operands))]
    arguments = ", ".join(f"{shape_layout(shape, program.kind)} %{source}"
                          for shape, source in zip(op.operands, sources))
    template = OPCODES.get(op.category, ("", ""))[1]
    if op.row.role in (profile_ops.COLLECTIVE, profile_ops.COLLECTIVE_START):
        template = COLLECTIVE_ATTRIBUTES
    target = "tpu_custom_call" if program.kind == "tpu" else "__cublas$gemm"
    if "fmha" in op.stem:
        target = "__cudnn$fmhaSoftmax"
    attributes = template.format(number=op.number, symbol=op.symbol, n=program.model.shards,
                                 target=target)
    if op.code_changed:
        attributes += f', backend_config={{"schedule":"{op.label}-{op.factor}"}}'
    head = f"%{op.name} = {shape_layout(op.result, program.kind)} {op.opcode}({arguments})"
    return head + (f", {attributes.lstrip(', ')}" if attributes else "")


def op_signature(op: Op) -> Dict[str, object]:
    """What stays equal when a program is compiled again: all but the numbers."""
    return {
        "label": op.label, "category": op.category, "opcode": op.opcode, "result": op.result,
        "operands": list(op.operands), "path": op.row.path, "source": op.row.source,
    }
