"""What a name says: categories, collectives, families, shapes (sections 5.1, 8 and 9).

The expressions are those of the specification, which speaks in terms of Python's `re`. Written from
the specification; it shares nothing with the program.
"""

import math
import re

CATEGORIES = ("compute", "communication", "host", "stall", "other")
STALL = re.compile("wait|barrier|dependency-wait|donation holds|semaphore|acquire|idle|blocked"
                   "|sleep", re.IGNORECASE)
COMMUNICATION_WORDS = (
    "all-reduce", "all_gather", "all-gather", "reduce-scatter", "all-to-all", "alltoall",
    "collective", "collective-permute", "permute", "psum", "send", "recv", "nccl", "allgather",
    "allreduce", "reducescatter")
COLLECTIVE_KINDS = (
    ("all-reduce", ("all-reduce", "allreduce", "psum")),
    ("all-gather", ("all-gather", "all_gather", "allgather")),
    ("reduce-scatter", ("reduce-scatter", "reducescatter")),
    ("all-to-all", ("all-to-all", "alltoall")),
    ("collective-permute", ("collective-permute", "permute")),
    ("async-collective", ("async-collective",)),
    ("send-recv", ("send", "recv")),
)
FAMILIES = tuple((name, re.compile(text, re.IGNORECASE)) for name, text in (
    ("attention_splash", r"splash_mha|splash_attention"),
    ("attention_flash", r"flash_attention|fused_attention"),
    ("loss_xent", r"linear_softmax_cross_entropy_loss|softmax_cross_entropy|xent"),
    ("fusion", r"(^|\b)(fusion\.|exponential_reduce_fusion)"),
    ("copy", r"(^|\b)copy(\.|-|$)"),
    ("convert", r"convert_element_type"),
    ("collective", r"all-reduce|all_gather|all-gather|reduce-scatter|all-to-all|alltoall"
                   r"|collective|nccl|allgather|allreduce|reducescatter"),
))
TRAILING_NUMBER = re.compile(r"\.\d+$")
RESULT_TUPLE = re.compile(r"=\s*\((.*?)\)\s*[A-Za-z0-9_.-]+\(", re.DOTALL)
RESULT_SHAPE = re.compile(r"=\s*([A-Za-z0-9_]+\[[^\]]+\])")
SHAPE = re.compile(r"(bf16|f32|f16|s32|u32|s8|u8|pred)\[([^\]]+)\]", re.IGNORECASE)
SHAPES_OF_WHOLE_TEXT = 8
DIMENSION = re.compile(r"-?\d+")
ATTENTION_RANK, XENT_RANK = 4, 2


def is_stall(name):
    return STALL.search(name) is not None


def is_communication(name):
    lower = name.lower()
    return any(word in lower for word in COMMUNICATION_WORDS)


def event_category(name, track):
    if is_stall(name):
        return "stall"
    if track.is_host:
        return "host"
    if is_communication(name):
        return "communication"
    return "compute" if track.is_device else "other"


def op_category(name):
    if is_stall(name):
        return "stall"
    return "communication" if is_communication(name) else "compute"


def collective_kind(name):
    lower = name.lower()
    for kind, words in COLLECTIVE_KINDS:
        if any(word in lower for word in words):
            return kind
    return "other-collective"


def canonical_name(name):
    return TRAILING_NUMBER.sub("", name.strip().lstrip("%"), count=1)


def family_of(name):
    canonical = canonical_name(name)
    return next((family for family, text in FAMILIES if text.search(canonical)), "other")


def shape_texts(long_name):
    for expression in (RESULT_TUPLE, RESULT_SHAPE):
        match = expression.search(long_name)
        if match:
            return SHAPE.findall(match[1])
    return SHAPE.findall(long_name)[:SHAPES_OF_WHOLE_TEXT]


def shape_normalised(content):
    return ",".join(part for part in map(str.strip, content.split(",")) if part)


def shape_signature(long_name):
    if not long_name:
        return None
    return "|".join(shape_normalised(content) for _, content in shape_texts(long_name)) or None


def most_positive(shapes, index):
    return max((shape[index] for shape in shapes if shape[index] > 0), default=None)


def attention_proxy(shapes):
    ranked = [shape for shape in shapes if len(shape) >= ATTENTION_RANK]
    batch, heads, length = (most_positive(ranked, index) for index in range(3))
    depths = {shape[3] for shape in ranked if shape[3] > 0}
    if None in (batch, heads, length) or not depths:
        return None
    return 2 * batch * heads * length * length * (max(depths) + min(depths))


def xent_proxy(shapes):
    ranked = [shape for shape in shapes if len(shape) >= XENT_RANK]
    rows, columns = (most_positive(ranked, index) for index in range(2))
    return None if None in (rows, columns) else 2 * rows * columns


def plain_proxy(shapes):
    products = [0 if min(shape) <= 0 else math.prod(shape) for shape in shapes]
    return max(products, default=0) or None


def flop_proxy(family, signature):
    tokens = [DIMENSION.findall(token) for token in (signature or "").split("|")]
    shapes = [[int(number) for number in token] for token in tokens if token]
    special = None
    if family.startswith("attention"):
        special = attention_proxy(shapes)
    elif family == "loss_xent":
        special = xent_proxy(shapes)
    return special or plain_proxy(shapes)
