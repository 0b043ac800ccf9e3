#!/usr/bin/env python3
"""Captures what the binary really sends: an alert's life at every kind of destination, and W&B's
documents against servers of both generations; one JSON file for check.mjs.

    capture.py OUT
"""

import json
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from channel_case import COMMIT, KINDS, ChannelCase  # noqa: E402
from wandb_case import WandbCase  # noqa: E402

import standard_webhook  # noqa: E402
from wandb_schema import TYPES  # noqa: E402

OUT = os.environ["STEPLEDGER_CAPTURED"] if "STEPLEDGER_CAPTURED" in os.environ else sys.argv.pop()
SCALARS = "scalar JSONString\nscalar DateTime\nscalar Int64\nscalar Duration\n"
ROOTS = "schema { query: Query mutation: Mutation }\n"
captured = {"requests": [], "graphql": {"new": [], "old": []},
            "webhook_secret": standard_webhook.SECRET}


def sdl(with_features):
    """The table of types as the GraphQL language has it; a server without features lacks what
    needs one."""
    kept = []
    for line in TYPES.replace("\n        @needs", " @needs").splitlines():
        if "@needs" in line and not with_features:
            line = re.sub(r"\w+(?:\([^)]*\))?: [\w\[\]!]+ @needs\(\w+\)", "", line)
        kept.append(re.sub(r" ?@needs\(\w+\)", "", line))
    return SCALARS + ROOTS + "\n".join(kept)


class Destinations(ChannelCase):
    """Begins, ends and comes back."""

    def test_capture(self):
        self.configure(*[line for kind in KINDS for line in self.section(kind)],
                       notify=", ".join(KINDS), verdict_url="https://ledger.example/v/{verdict}")
        self.slow("captured-1", 900, branch="pull/7", commit=COMMIT)
        self.expect(0, "work", "alert", "--once")
        self.good("captured-2", 901, branch="pull/7", commit="d" * 40)
        self.expect(0, "work", "alert", "--once")
        self.slow("captured-3", 902, branch="pull/7", commit="e" * 40)
        self.expect(0, "work", "alert", "--once")
        self.assert_accepted()
        for double in self.doubles:
            captured["requests"] += self.requests(double)


class Wandb(WandbCase):
    """Publishes and reads."""

    generation = "new"

    def test_capture(self):
        self.seed_run("r1", "fast")
        summary = self.folder / "summary.json"
        code, _, said = self.call("summarize", "--run-target", "acme/p/r1", "--output", summary)
        self.assertEqual(code, 0, said)
        self.expect(0, "publish", "--summary", summary, "--entity", "acme", "--project", "p",
                    "--annotate-run", "--run-tag", "t")
        captured["graphql"][self.generation] += [
            json.loads(entry["body"]) for entry in self.requests(path="/graphql")]


class OldWandb(Wandb):
    """The same without features and URLs."""

    generation, options = "old", ("--quirk", "old-server", "--quirk", "no-direct-urls")


if __name__ == "__main__":
    done = unittest.main(exit=False, verbosity=0)
    captured["sdl"] = {"new": sdl(True), "old": sdl(False)}
    pathlib.Path(OUT).write_text(json.dumps(captured), encoding="utf-8")
    sys.exit(not done.result.wasSuccessful())
