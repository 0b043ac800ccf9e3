#!/usr/bin/env python3
"""What people copy or run first does what it says: the demo, the CI examples' shell steps, and the
container, which has the libraries that the program loads.

The examples are read as they stand and their shell is run in a repository with a merge base and a
change, with the variables that the forge sets; the accelerator's part is a script that writes small
profiles.
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cli_case import (BINARY, MAKE_PROFILE, ROOT, SANITIZED, TIMEOUT_S,  # noqa: E402
                      LedgerCase)

EXAMPLES = ROOT / "ops" / "deploy" / "ci"
TRAIN = f"""#!/bin/sh
# train.sh --steps N --profile DIR
# No two runs leave the same bytes: of each name other draws.
seed=$(($(basename "$(dirname "$PWD")" | cksum | cut -c1-3) * 100 + STEPLEDGER_ROUND * 2))
[ "$STEPLEDGER_SIDE" = baseline ] || seed=$((seed + 1))
exec '{sys.executable}' '{MAKE_PROFILE}' --output "$4" --devices 1 --layers 1 --steps 8 \\
    --seed $seed --run-sd 0.001 $(cat slow) >/dev/null
"""


def blocks_of_github(text):
    """The shell of each `run: |`, in order."""
    found = re.finditer(r"^( *)run: \|\n((?:\1 +.*\n|\n)+)", text, re.MULTILINE)
    return [textwrap.dedent(match.group(2)) for match in found]


def lines_of_gitlab(text):
    """The items of `script:`, a folded one as one line."""
    block = re.search(r"^  script:\n((?:    .*\n)+)", text, re.MULTILINE).group(1)
    block = re.sub(r"^ *#.*\n", "", block, flags=re.MULTILINE)
    items = re.split(r"^    - ", block, flags=re.MULTILINE)[1:]
    return [" ".join(item.replace(">-\n", "", 1).split()) for item in items]


class Examples(LedgerCase):
    """A repository `train` with a branch main and a topic, and what a runner gives."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tools = cls.folder / "bin"
        tools.mkdir()
        (tools / "stepledger").symlink_to(BINARY)
        cls.environment = {
            **{k: v for k, v in cls.environment.items()
               if not k.startswith(("GITHUB_", "CI_", "STEPLEDGER_"))},
            "PATH": f"{tools}:{os.environ['PATH']}", "STEPLEDGER_PROJECT": "llm",
            "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(cls.folder),
            **{f"GIT_{who}_{what}": "t@example.com" for who in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")},
        }

    def shell(self, script, folder, code=0, **variables):
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, check=False,
                              env={**self.environment, **variables}, timeout=TIMEOUT_S, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, code, f"{script}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def repository(self, name, slower):
        """A clone with origin/main and a topic checked out; what the topic's job is slowed by."""
        folder = self.folder / name
        (folder / "origin" / "ci").mkdir(parents=True)
        origin = folder / "origin"
        shutil.copy(EXAMPLES / "performance.policy", origin / "ci")
        (origin / "train.sh").write_text(TRAIN)
        (origin / "train.sh").chmod(0o755)
        (origin / "slow").write_text("")
        self.shell("git init -q -b main . && git add -A && git commit -qm base &&"
                   "git checkout -qb topic", origin)
        (origin / "slow").write_text(slower)
        self.shell("git commit -qam change --allow-empty && git checkout -q main", origin)
        self.shell(f"git clone -q '{origin}' new && git -C new checkout -q topic", folder)
        return folder

    def run_github(self, name, slower, code):
        folder = self.repository(name, slower)
        head = self.shell("git -C new rev-parse HEAD", folder).strip()
        event = {"pull_request": {"head": {"sha": head, "ref": "topic"}}}
        (folder / "event.json").write_text(json.dumps(event))
        files = {key: str(folder / key.lower())
                 for key in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            pathlib.Path(path).touch()
        variables = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "CI": "true",
                     "GITHUB_EVENT_PATH": str(folder / "event.json"), "GITHUB_BASE_REF": "main",
                     "GITHUB_HEAD_REF": "topic", "GITHUB_SHA": "f" * 40, **files}
        blocks = blocks_of_github((EXAMPLES / "github.yml").read_text())
        self.assertEqual(len(blocks), 2)
        self.shell(blocks[0], folder, **variables)
        variables.update(line.split("=", 1) for line in
                         pathlib.Path(files["GITHUB_ENV"]).read_text().splitlines())
        out = self.shell(blocks[1], folder, code=code, **variables)
        outputs = dict(line.split("=", 1) for line in
                       pathlib.Path(files["GITHUB_OUTPUT"]).read_text().splitlines())
        summary = pathlib.Path(files["GITHUB_STEP_SUMMARY"]).read_text()
        verdict = self.expect(0, "show", outputs["verdict_id"]).document
        self.assertEqual((verdict["candidate"]["commit"], verdict["candidate"]["branch"]),
                         (head, "topic"))
        return out, outputs, summary

    def test_the_workflow_of_github_passes_what_is_equal_and_fails_what_is_slower(self):
        out, outputs, summary = self.run_github("same", "", 0)
        self.assertNotIn("::error", out)
        self.assertIn(outputs["verdict"], ("pass", "inconclusive"))
        out, outputs, summary = self.run_github("slower", "--slow-op .=1.2", 1)
        self.assertEqual((outputs["verdict"], outputs["exit_code"]), ("fail", "1"))
        self.assertIn("::error title=FAIL", out)
        self.assertIn("FAIL: step time", summary)

    def test_the_job_of_gitlab_leaves_a_report(self):
        folder = self.repository("lab", "--slow-op .=1.2")
        clone = folder / "new"
        base = self.shell("git rev-parse main 2>/dev/null || git rev-parse origin/main",
                          clone).strip()
        head = self.shell("git rev-parse HEAD", clone).strip()
        variables = {"GITLAB_CI": "true", "CI": "true", "CI_COMMIT_SHA": head,
                     "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
                     "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
                     "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
                     "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
        lines = lines_of_gitlab((EXAMPLES / "gitlab.yml").read_text())
        self.assertEqual(len(lines), 4)
        self.shell("\n".join(lines), clone, code=1, **variables)
        report = (clone / "performance.xml").read_text()
        self.assertIn('failures="1"', report)
        self.assertIn("FAIL: step time", report)


class Demo(unittest.TestCase):
    """The script itself, with fewer runs of a smaller job."""

    def test_shows_a_pass_a_fail_and_a_message(self):
        with tempfile.TemporaryDirectory(prefix="stepledger-demo-") as place:
            os.chmod(place, 0o755)
            environment = {**os.environ, "BUILD": place, "STEPLEDGER_BIN": BINARY,
                           "DEMO_RUNS": "8", "DEMO_JOB": "--devices 1 --layers 2 --steps 12"}
            done = subprocess.run([ROOT / "ops" / "demo"], env=environment, check=False, text=True,
                                  capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for wanted in ("8 stored, 0 known already", "exit code 0 (expected 0)",
                           "exit code 1 (expected 1)", "FAIL: demo/transformer-8l: step time"):
                self.assertIn(wanted, done.stdout)
            self.assertIn(f"ledger     {place}", done.stdout, "the ledger is the demo's own")


@unittest.skipIf(SANITIZED, "what is shipped has no sanitizer")
class Program(unittest.TestCase):
    def told_by(self, *command):
        return subprocess.run([*command, BINARY], check=True, text=True,
                              capture_output=True).stdout

    def test_it_is_built_against_those_who_get_into_it(self):
        """Its place in memory is drawn, what links it is read-only, stacks have canaries and are
        touched page by page, calls of C's library know their buffers, jumps end where they may."""
        self.assertIn("DYN (", self.told_by("readelf", "-h"))
        self.assertIn("GNU_RELRO", self.told_by("readelf", "-lW"))
        self.assertRegex(self.told_by("readelf", "-d"), r"FLAGS.*BIND_NOW")
        called = self.told_by("nm", "-D")
        for symbol in ("__stack_chk_fail", "__memcpy_chk"):
            self.assertIn(symbol, called)
        if platform.machine() == "x86_64":
            code = self.told_by("objdump", "-d", "--no-show-raw-insn")
            functions = len(re.findall(r"^[0-9a-f]+ <[^@>]+>:$", code, re.MULTILINE))
            self.assertGreater(code.count("endbr64"), functions // 4)
            self.assertRegex(code, r"orq? +\$0x0,\(%rsp\)")


class Container(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "what is shipped has no sanitizer")
    def test_it_has_what_the_program_loads(self):
        """What it is linked with, and what it opens when a picture is drawn."""
        if shutil.which("dpkg-query") is None:
            self.skipTest("no dpkg: which package a library is of is not known here")
        linked = re.findall(r"\(NEEDED\).*\[(.*)\]", subprocess.run(
            ["readelf", "-d", BINARY], check=True, text=True, capture_output=True).stdout)
        opened = re.findall(r'"(lib[^"]*\.so\.\d+)"',
                            (ROOT / "ops/present/picture/picture_png.c").read_text())
        self.assertIn("libsqlite3.so.0", linked)
        self.assertIn("librsvg-2.so.2", opened)
        final = (ROOT / "ops/deploy/Containerfile").read_text().rpartition("\nFROM ")[2].split()
        lines = subprocess.run(["dpkg-query", "-S", *(f"*/{name}" for name in linked + opened)],
                               check=True, text=True, capture_output=True).stdout.splitlines()
        for library in linked + opened:
            owners = {line.partition(":")[0] for line in lines if line.endswith("/" + library)}
            with self.subTest(library):
                self.assertTrue(owners & {*final, "libc6"}, owners)


if __name__ == "__main__":
    unittest.main()
