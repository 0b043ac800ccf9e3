"""A folder that all programs of a test run copy from: the first that asks for it makes it."""

import fcntl
import os
import pathlib
import shutil


def kept_folder(ledgers, name, make):
    """The folder of that name below `ledgers`, which the run keeps. `make` fills an empty one that
    the cluster's user may write to; one that was left half made is made anew."""
    kept = pathlib.Path(ledgers) / name
    with open(f"{ledgers}/{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (kept / "whole").exists():
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
            if os.geteuid() == 0:
                shutil.chown(kept, "postgres", "postgres")
            make(kept)
            (kept / "whole").touch()
    return kept
