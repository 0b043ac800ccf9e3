#!/usr/bin/env python3
"""Captures what the binary really sends: an alert's life at every kind of destination, and W&B's
documents against servers of both generations; one JSON file for check.mjs.

    capture.py OUT
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from channel_case import COMMIT, KINDS, ChannelCase  # noqa: E402
from wandb_case import WandbCase  # noqa: E402

import standard_webhook  # noqa: E402
from wandb_schema import TYPES  # noqa: E402

OUT = os.environ["STEPLEDGER_CAPTURED"] if "STEPLEDGER_CAPTURED" in os.environ else sys.argv.pop()
SCALARS = "scalar JSONString\nscalar DateTime\nscalar Int64\nscalar Duration\n"
ROOTS = "schema { query: Query mutation: Mutation }\n"
HOSTILE = b"a|`<b>*_["  # Markdown, HTML and a cell's end, as long as `attention`
captured = {"requests": [], "pages": [], "graphql": {"new": [], "old": []},
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
        options = ("--seed", "903", "--slow-op", "attention=2.5")
        folder = self.profile("captured-4", "--kind", "tpu", *options)
        for file in pathlib.Path(folder).rglob("*.xplane.pb"):
            file.write_bytes(file.read_bytes().replace(b"attention", HOSTILE))
        self.gate(1, "captured-4", branch="pull/8", commit="f" * 40, profile=options)
        for number in range(1, 5):
            page = self.expect(0, "show", f"v{number}", "--format", "md").out
            captured["pages"].append(page)
        self.assertIn("<b>", captured["pages"][-1])
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


class Store(WandbCase):
    """A directory of S3 at a server that nobody here wrote."""

    def test_capture(self):
        prefix = "logs/r1/profiler/"
        store = subprocess.Popen(
            ["node", str(HERE / "store.mjs"), str(self.profiles["fast"]), prefix], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(store.kill)
        port = int(store.stdout.readline())
        with open(self.config, "a", encoding="utf-8") as config:
            config.write("[s3]\nallow_addresses = 127.0.0.0/8\nallow_http = yes\n"
                         f"base_url = http://127.0.0.1:{port}\n")
        self.wandb.control("seed", runs=[{"entity": "acme", "project": "p", "name": "r1",
                                          "config": {"trainer": {"log_dir": "s3://b/logs/"}}}])
        summary = self.expect(0, "summarize", "--run-target", "acme/p/r1",
                              AWS_ACCESS_KEY_ID="S3RVER", AWS_SECRET_ACCESS_KEY="S3RVER",
                              AWS_REGION="us-east-1")
        local = self.expect(0, "summarize", "--profile-dir", self.profiles["fast"])
        self.assertEqual(summary["trace_provenance"], local["trace_provenance"])
        captured["store"] = json.loads(store.communicate("", timeout=30)[0])


class OldWandb(Wandb):
    """The same without features and URLs."""

    generation, options = "old", ("--quirk", "old-server", "--quirk", "no-direct-urls")


if __name__ == "__main__":
    done = unittest.main(exit=False, verbosity=0)
    captured["sdl"] = {"new": sdl(True), "old": sdl(False)}
    pathlib.Path(OUT).write_text(json.dumps(captured), encoding="utf-8")
    sys.exit(not done.result.wasSuccessful())
