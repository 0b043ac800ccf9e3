#!/usr/bin/env python3
"""`make soak T=backup`: backup and restore, killed at every one of their stages."""

import os
import pathlib
import sys

os.chdir(pathlib.Path(__file__).resolve().parents[1] / "e2e")
os.environ["EVERY_STAGE"] = "1"
os.execv(sys.executable, [sys.executable, "-B", "-m", "unittest", "-v", "backup_killed_test"])
