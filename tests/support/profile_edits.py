"""Planted changes of the program: slower, added, dropped, fused ops, exposed communication.

What: parses the command line's descriptions and applies them to a workload.Program before it is
placed in time. Why: a change that is known exactly is the only way to test that the judge finds it.
What it does not do: changes of the machine (slow hosts and devices, stalls), which profile_plan.py
holds.
A slowed op keeps its signature; unless `same_program` is set its text differs in `backend_config`,
as the code of a changed kernel would, so that the program's fingerprint differs.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Dict, List, NamedTuple, Tuple

import profile_ops
import workload
from workload import Op, Program

PS_PER_US = 10**6
# Prefix of an added op's name -> (category, role); the first that fits counts.
ADDED_KINDS = (
    ("copy", "data formatting", profile_ops.COPY),
    ("all-gather", "all-gather", profile_ops.COLLECTIVE),
    ("all-reduce", "all-reduce", profile_ops.COLLECTIVE),
    ("reduce-scatter", "reduce-scatter", profile_ops.COLLECTIVE),
    ("all-to-all", "all-to-all", profile_ops.COLLECTIVE),
    ("collective-permute", "collective-permute", profile_ops.COLLECTIVE),
    ("", "loop fusion", profile_ops.COMPUTE),
)
DEFAULT_ADD_AFTER = "final_norm"


class EditError(ValueError):
    """A planted change that does not fit the program; the text says what to do."""


class SlowOp(NamedTuple):
    pattern: str
    factor: Fraction


class AddOp(NamedTuple):
    name: str
    duration_ps: int
    after: str


class FuseOps(NamedTuple):
    first: str
    second: str
    factor: Fraction


@dataclass(frozen=True)
class Edits:
    slow: Tuple[SlowOp, ...] = ()
    add: Tuple[AddOp, ...] = ()
    drop: Tuple[str, ...] = ()
    fuse: Tuple[FuseOps, ...] = ()
    exposed_comm: Fraction = Fraction(1)
    same_program: bool = False
    renumber: int = 0


def slow_parse(text: str) -> SlowOp:
    """`PATTERN=FACTOR`"""
    pattern, _, factor = text.rpartition("=")
    return SlowOp(pattern_parse(pattern), factor_parse(factor))


def pattern_parse(text: str) -> str:
    re.compile(text)
    if not text:
        raise ValueError("the pattern is empty")
    return text


def factor_parse(text: str) -> Fraction:
    factor = Fraction(text)
    if not 0 < factor <= 1000:
        raise ValueError(f"factor {text} is not between 0 and 1000")
    return factor


def add_parse(text: str) -> AddOp:
    """`NAME:MICROSECONDS[@LABEL]`"""
    head, _, after = text.partition("@")
    name, _, micros = head.rpartition(":")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        raise ValueError(f"'{name}' is no instruction name")
    return AddOp(name, int(factor_parse(micros) * PS_PER_US), after or DEFAULT_ADD_AFTER)


def fuse_parse(text: str) -> FuseOps:
    """`LABEL,LABEL[=FACTOR]`"""
    labels, _, factor = text.partition("=")
    first, _, second = labels.partition(",")
    return FuseOps(first, second, factor_parse(factor or "1"))


def edits_apply(program: Program, edits: Edits) -> List[Dict[str, object]]:
    """Edits and numbers the program. Returns a record per planted change, with its labels."""
    records = [drop_apply(program, pattern) for pattern in edits.drop]
    records += [add_apply(program, item) for item in edits.add]
    records += [fuse_apply(program, item) for item in edits.fuse]
    workload.program_number(program, edits.renumber)
    records += [slow_apply(program, item, not edits.same_program) for item in edits.slow]
    if edits.exposed_comm != 1:
        records.append(exposed_apply(program, edits.exposed_comm))
    # Again, because the texts hold what was slowed; the numbers come out the same.
    workload.program_number(program, edits.renumber)
    if edits.renumber:
        records.append({"kind": "renumber", "value": edits.renumber})
    return records


def ops_match(program: Program, pattern: str) -> List[Op]:
    """Ops in whose label or name the pattern is found; containers are never meant."""
    found = [op for op in program.walk() if not op.body
             and any(re.search(pattern, text) for text in (op.label, op.name))]
    if not found:
        labels = ", ".join(op.label for op in program.walk())
        raise EditError(f"no op matches '{pattern}'; use one of: {labels}")
    return found


def op_place(program: Program, label: str) -> Tuple[List[Op], int]:
    """The sequence that holds the op of that label, and its place in it."""
    for sequence in program.sequences():
        for index, op in enumerate(sequence):
            if op.label == label:
                return sequence, index
    raise EditError(f"no op has the label '{label}'; list them with --list-ops")


def slow_apply(program: Program, item: SlowOp, code_changed: bool) -> Dict[str, object]:
    found = ops_match(program, item.pattern)
    for op in found:
        op.factor *= item.factor
        op.code_changed = code_changed
    return {"kind": "slow_op", "pattern": item.pattern, "factor": float(item.factor),
            "labels": [op.label for op in found]}


def exposed_apply(program: Program, factor: Fraction) -> Dict[str, object]:
    """Communication that nothing hides: synchronous collectives and waits at `*-done`."""
    exposed = (profile_ops.COLLECTIVE, profile_ops.COLLECTIVE_DONE)
    found = [op for op in program.walk() if op.row.role in exposed]
    for op in found:
        op.factor *= factor
    return {"kind": "exposed_comm", "factor": float(factor), "labels": [op.label for op in found]}


def drop_apply(program: Program, pattern: str) -> Dict[str, object]:
    workload.program_number(program, 0)
    found = ops_match(program, pattern)
    for op in found:
        if op.row.pair:
            raise EditError(f"'{op.label}' is half of an asynchronous pair and cannot be dropped")
        sequence, index = op_place(program, op.label)
        if len(sequence) == 1:
            raise EditError(f"'{op.label}' is the last op of its loop and cannot be dropped")
        del sequence[index]
    return {"kind": "drop_op", "pattern": pattern, "labels": [op.label for op in found]}


def add_apply(program: Program, item: AddOp) -> Dict[str, object]:
    sequence, index = op_place(program, item.after)
    category, role = next((category, role) for prefix, category, role in ADDED_KINDS
                          if item.name.startswith(prefix))
    row = profile_ops.Row(item.name, None, None, profile_ops.X, (profile_ops.X,),
                          f"{profile_ops.FORWARD}/{item.name}", "model/transformer.py:140",
                          role=role)
    if role == profile_ops.COLLECTIVE:
        row = row._replace(kernel=f"ncclDevKernel_{item.name.title().replace('-', '')}_RING_LL()")
    shape = profile_ops.X.format(**program.model.names())
    op = Op(row, item.name, category, shape, (shape,), 0, 2 * workload.shape_bytes(shape),
            item.duration_ps)
    sequence.insert(index + 1, op)
    return {"kind": "add_op", "labels": [item.name], "after": item.after,
            "base_ps": item.duration_ps}


def fuse_apply(program: Program, item: FuseOps) -> Dict[str, object]:
    """Replaces two neighbours by one fusion that takes FACTOR times their time."""
    sequence, index = op_place(program, item.first)
    if index + 1 == len(sequence) or sequence[index + 1].label != item.second:
        raise EditError(f"'{item.second}' does not follow '{item.first}', so they cannot be fused")
    first, second = sequence[index], sequence[index + 1]
    if first.body or second.body or first.row.pair or second.row.pair:
        raise EditError(f"'{item.first}' and '{item.second}' are no plain ops")
    label = f"{first.label}_{second.label}"
    row = second.row._replace(label=label, kernel="")
    category = second.category if second.category.endswith("fusion") else "custom fusion"
    size = workload.shape_bytes(second.result)
    size += sum(workload.shape_bytes(text) for text in first.operands)
    sequence[index:index + 2] = [Op(
        row, "fused_" + second.stem.replace("-", "_"), category, second.result, first.operands,
        first.flops + second.flops, size, int((first.base_ps + second.base_ps) * item.factor))]
    return {"kind": "fuse", "labels": [item.first, item.second, label],
            "factor": float(item.factor)}
