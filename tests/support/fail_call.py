"""Runs a program under preload/fail_call.c: counts its calls, fails the n-th, or ends it there."""

import os
import pathlib
import struct
import subprocess

LIBRARY = os.environ.get("STEPLEDGER_FAIL_CALL", "")
CLASSES = ["write", "read", "sync", "open", "name", "memory", "connect", "send", "receive"]
STACKS_MAX = 1 << 16
HANGS, CRASHED_INSIDE = "hangs", 99
LAYOUT = struct.Struct(f"={len(CLASSES) + 2 + STACKS_MAX}I")


class Counted:
    """What a process and those that it forked did."""

    def __init__(self, data):
        numbers = LAYOUT.unpack(data)
        self.calls = dict(zip(CLASSES, numbers))
        self.failed, stacks = numbers[len(CLASSES):len(CLASSES) + 2]
        self.memory_places = numbers[len(CLASSES) + 2:][:min(stacks, STACKS_MAX)]


def run(arguments, counts_file, fault=None, timeout=120, **more):
    """(what subprocess.run gives, its code HANGS beyond the timeout, Counted). fault:
    "CLASS:N[+]:WHAT"; None only counts."""
    with open(counts_file, "wb") as file:
        file.truncate(LAYOUT.size)
    environment = {**more.pop("env"), "LD_PRELOAD": LIBRARY,
                   "STEPLEDGER_FAULT_FILE": str(counts_file)}
    if fault is not None:
        environment["STEPLEDGER_FAULT"] = fault
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
    return done, Counted(pathlib.Path(counts_file).read_bytes())
