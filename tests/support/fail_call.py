"""Runs a program under preload/fail_call.c: counts its calls, fails the n-th, or ends it there."""

import itertools
import os
import pathlib
import struct
import subprocess

LIBRARY = os.environ.get("STEPLEDGER_FAIL_CALL", "")
CLASSES = ["write", "read", "sync", "open", "name", "memory", "connect", "send", "receive"]
PLACES_MAX, WHERE_BYTES = 1 << 14, 2048
HANGS, CRASHED_INSIDE = "hangs", 99
HEAD, PLACE = struct.Struct(f"={len(CLASSES) + 3}I"), struct.Struct("=IIQ")
WHERE_AT = HEAD.size + PLACE.size * PLACES_MAX


class Counted:
    """What a process and those that it forked did."""

    def __init__(self, data):
        numbers = HEAD.unpack_from(data)
        self.calls = dict(zip(CLASSES, numbers))
        self.failed, count, _ = numbers[len(CLASSES):]
        self.places = {name: [] for name in CLASSES}  # (number of a call, its stack's)
        for at in range(min(count, PLACES_MAX)):
            kind, number, stack = PLACE.unpack_from(data, HEAD.size + at * PLACE.size)
            self.places[CLASSES[kind]].append((number, stack))
        self.where = data[WHERE_AT:].rstrip(b"\0").decode(errors="replace").splitlines()

    def in_libc(self):
        """Whether it failed in a function of libc that does not tell it."""
        return any("libc.so.6:" in line for line in self.where)

    def in_libpq(self):
        """Whether libpq itself asked for the memory: it may then wait for what has come already,
        until the server's time-outs end the session."""
        return bool(self.where) and "libpq.so" in self.where[0]

    def stack(self, binary):
        """The functions that led to the call that failed, innermost first: ours by name."""
        ours = [line[1:] for line in self.where if line.startswith("+")]
        named = subprocess.run(["addr2line", "-f", "-s", "-e", binary, *ours], check=False,
                               text=True, capture_output=True).stdout.splitlines()
        names = iter([f"{name} {place}" for name, place in zip(named[::2], named[1::2])])
        frames = [next(names, "?") if line.startswith("+") else
                  pathlib.Path(line.partition("+")[0]).name.replace(".so.6", "")
                  for line in self.where]
        return " < ".join(frame for frame, _ in itertools.groupby(frames))


def prepared(environment, counts_file, fault=None):
    """The environment of a program that is to count, and to meet the fault
    "CLASS:N[+]:WHAT[:STACK]"; None only counts."""
    with open(counts_file, "wb") as file:
        file.truncate(WHERE_AT + WHERE_BYTES)
    environment = {**environment, "LD_PRELOAD": LIBRARY, "STEPLEDGER_FAULT_FILE": str(counts_file)}
    if fault is not None:
        kind, place, what, *stack = fault.split(":")
        environment["STEPLEDGER_FAULT"] = f"{kind}:{place}:{what}"
        environment.update({"STEPLEDGER_FAULT_STACK": number for number in stack})
    return environment


def counted_in(counts_file):
    return Counted(pathlib.Path(counts_file).read_bytes())


def run(arguments, counts_file, fault=None, timeout=120, **more):
    """(what subprocess.run gives, its code HANGS beyond the timeout, Counted)."""
    environment = prepared(more.pop("env"), counts_file, fault)
    with subprocess.Popen(arguments, env=environment, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **more) as process:
        try:
            out, err = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = HANGS
    done = subprocess.CompletedProcess(arguments, code, out, err)
    return done, counted_in(counts_file)
