"""Runs a program and tells how much memory it took at most."""

import subprocess
import sys

# From a small process: a child's peak begins with that of the one which made it.
MEASURE = """import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""


def run(arguments, timeout, environment=None):
    """(what subprocess.run gives, its peak in KB; None: it could not be started). What it prints
    stands before the peak."""
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, *map(str, arguments)],
                          capture_output=True, text=True, timeout=timeout, check=False,
                          env=environment)
    said = done.stdout.split()
    return done, int(said[-1]) if said else None
