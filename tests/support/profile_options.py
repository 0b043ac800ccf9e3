"""The options of make_profile.py: tables of flags, and the parsers of their values.

What: one row per option, in groups. Why apart: the tables are the reference of what can be planted,
and a new knob is a row here and its meaning elsewhere. What it does not do: it makes nothing.
"""

import argparse
import re
from fractions import Fraction
from typing import Callable, Tuple

import profile_edits
import workload
import xplane_writer

DESCRIPTION = "Makes sample profiles of one training run: XPlane files, and the truth beside each."
SEEDS = 100_000


def pair_parse(name: type, value: Callable[[str], object]) -> Callable[[str], Tuple]:
    """A parser of `NAME=VALUE`."""

    def parse(text: str) -> Tuple:
        head, _, tail = text.rpartition("=")
        return name(head), value(tail)

    return parse


def checked(parse: Callable[[str], object], form: str) -> Callable[[str], object]:
    """The same parser; what it cannot read becomes an error that shows the form."""

    def parse_checked(text: str) -> object:
        try:
            return parse(text)
        except (ValueError, ZeroDivisionError, re.error) as error:
            raise argparse.ArgumentTypeError(f"'{text}' is no {form}: {error}") from error

    return parse_checked


def host_parse(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no host name")
    return text


def bounded_int(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is not between {low} and {high}")
        return value

    return parse


def bounded_float(low: float, high: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is not between {low} and {high}")
        return value

    return parse


MICROSECONDS = bounded_int(0, 10**9)
# Options in groups: (flag, keyword arguments of add_argument).
OUTPUT_OPTIONS = (
    ("--kind", dict(choices=("tpu", "gpu"), default="tpu")),
    ("--output", dict(metavar="DIR", help="folder to write to; made when missing")),
    ("--layout", dict(choices=("levanter", "flat"), default="levanter",
                      help="DIR/plugins/profile/TIME/HOST.xplane.pb or DIR/HOST.xplane.pb")),
    ("--directory-skew-s", dict(type=bounded_int(0, 3600), default=0, metavar="N",
                                help="each further host's TIME is N seconds later")),
    ("--list-ops", dict(action="store_true", help="print labels, names, shares; write nothing")),
)
RUN_OPTIONS = (
    ("--host", dict(type=host_parse, action="append", default=[], metavar="NAME",
                    help="repeatable")),
    ("--hosts", dict(type=bounded_int(1, 64), default=1, metavar="N",
                     help="host-0 … host-N-1 when no --host is given")),
    ("--devices", dict(type=bounded_int(1, 64), default=4, help="per host")),
    ("--steps", dict(type=bounded_int(1, 100_000), default=20)),
    ("--first-step", dict(type=bounded_int(0, 10**9), default=100)),
    ("--seed", dict(type=bounded_int(0, SEEDS), default=1)),
    ("--run-sd", dict(type=bounded_float(0, 0.2), default=0.004, help="of ln(step time) per run")),
    ("--step-sd", dict(type=bounded_float(0, 0.2), default=0.006)),
    ("--rho", dict(type=bounded_float(-0.99, 0.99), default=0.4, help="from step to step")),
    ("--op-sd", dict(type=bounded_float(0, 0.1), default=0.003, help="per op execution")),
)
MODEL_OPTIONS = (
    ("--layers", dict(type=bounded_int(1, 2000), default=8)),
    ("--batch", dict(type=bounded_int(1, 4096), default=8, help="per device")),
    ("--sequence", dict(type=bounded_int(1, 1 << 20), default=1024)),
    ("--dtype", dict(choices=("bf16", "f32"), default="bf16")),
    ("--device-type", dict(choices=tuple(workload.DEVICES), metavar="NAME",
                           help=", ".join(workload.DEVICES))),
)
PLANT_OPTIONS = (
    ("--slow-op", dict(type=checked(profile_edits.slow_parse, "PATTERN=FACTOR"), action="append",
                       default=[], metavar="PATTERN=FACTOR",
                       help="regex searched in label and name")),
    ("--add-op", dict(type=checked(profile_edits.add_parse, "NAME:US[@LABEL]"), action="append",
                      default=[], metavar="NAME:US[@LABEL]",
                      help="a new op after the one with LABEL")),
    ("--drop-op", dict(type=checked(profile_edits.pattern_parse, "PATTERN"), action="append",
                       default=[], metavar="PATTERN")),
    ("--fuse", dict(type=checked(profile_edits.fuse_parse, "LABEL,LABEL[=FACTOR]"),
                    action="append", default=[], metavar="LABEL,LABEL[=FACTOR]",
                    help="two neighbours become one fusion")),
    ("--exposed-comm", dict(type=checked(profile_edits.factor_parse, "FACTOR"),
                            default=Fraction(1), metavar="FACTOR")),
    ("--renumber", dict(type=bounded_int(0, 10**6), default=0, metavar="N",
                        help="instruction numbers of another compilation")),
    ("--same-program", dict(action="store_true",
                            help="slowed ops keep their code: the fingerprint does not change")),
    ("--slow-host", dict(type=checked(pair_parse(str, profile_edits.factor_parse), "NAME=FACTOR"),
                         action="append", default=[], metavar="NAME=FACTOR")),
    ("--slow-device", dict(type=checked(pair_parse(int, profile_edits.factor_parse), "N=FACTOR"),
                           action="append", default=[], metavar="N=FACTOR",
                           help="device N of every host")),
    ("--input-stall-us", dict(type=MICROSECONDS, default=0, metavar="N", help="per step")),
    ("--host-sleep-us", dict(type=MICROSECONDS, default=0, metavar="N", help="per step")),
    ("--warmup-slow", dict(type=bounded_int(0, 100_000), default=0, metavar="K",
                           help="the first K steps take 1.8 times as long")),
)
BYTES_OPTIONS = (
    ("--unsorted-line", dict(action="store_true", help="one op line of the first device")),
    ("--field-order", dict(choices=tuple(xplane_writer.PLANE_FIELD_ORDERS), default="canonical")),
    ("--sparse-ids", dict(action="store_true", help="metadata ids spread over 61 bits")),
    ("--epoch-timestamps", dict(action="store_true", help="timestamp_ns counts from 1970")),
    ("--host-clock", dict(type=checked(pair_parse(str, int), "NAME=US"), action="append",
                          default=[], metavar="NAME=US",
                          help="the host's wall clock is ahead by US")),
    ("--aggregate-line", dict(action="store_true", help="adds a line of num_occurrences events")),
    ("--warning", dict(action="append", default=[], metavar="TEXT", help="XSpace warning")),
    ("--error", dict(action="append", default=[], metavar="TEXT", help="XSpace error")),
)
OPTION_GROUPS = (
    ("output", OUTPUT_OPTIONS), ("run", RUN_OPTIONS), ("model", MODEL_OPTIONS),
    ("planted changes", PLANT_OPTIONS), ("bytes", BYTES_OPTIONS),
)


def parser_build() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make_profile.py", description=DESCRIPTION,
                                     allow_abbrev=False)
    for title, options in OPTION_GROUPS:
        group = parser.add_argument_group(title)
        for flag, keywords in options:
            group.add_argument(flag, **keywords)
    return parser
