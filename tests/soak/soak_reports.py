#!/usr/bin/env python3
"""`make soak T=reports`: a scheduled report, killed at every one of its stages."""

import os
import pathlib
import sys

os.chdir(pathlib.Path(__file__).resolve().parents[1] / "e2e")
os.environ["EVERY_STAGE"] = "1"
os.execv(sys.executable, [sys.executable, "-B", "-m", "unittest", "-v", "reports_test"])
