#!/usr/bin/env python3
"""What `help` says is what the program does: it is printed from the tables that parse."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("STEPLEDGER_BIN", str(ROOT / "build" / "stepledger"))
TOPICS = ("config", "policy", "alerts", "capture", "database", "exit-codes", "verdict")
EMPTY = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "STEPLEDGER_USUAL_CONFIG": "no"}


def call(*arguments, **environment):
    return subprocess.run([BINARY, *map(str, arguments)], env={**EMPTY, **environment}, text=True,
                          capture_output=True, timeout=60, check=False)


class Help(unittest.TestCase):
    """The topics."""

    def said(self, *arguments, **environment):
        done = call(*arguments, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def test_lists_every_topic_and_fits_a_terminal(self):
        overview = self.said("help")
        for topic in TOPICS:
            with self.subTest(topic):
                self.assertIn(f"\n  {topic} ", overview)
                text = self.said("help", topic)
                self.assertEqual([line for line in text.splitlines() if len(line) > 110], [])
        self.assertEqual(self.said("help", "gate"), self.said("gate", "--help"))
        wrong = call("help", "captrue")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean 'capture'?", wrong.stderr)

    def test_the_shipped_configuration_is_the_table(self):
        shipped = ROOT / "ops" / "deploy" / "stepledger.conf"
        self.assertEqual(shipped.read_text(), self.said("help", "config"),
                         "run: make golden")

    def test_the_configuration_parses_as_it_stands_and_with_every_default_said(self):
        text = self.said("help", "config")
        top = text.split("\n# ---- ")[0]
        said = "\n".join(line[1:] if line.startswith("#") and not line.startswith("# ") else line
                         for line in top.splitlines()).replace("\n\n#\n", "\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stepledger.conf"
            for content in (text, "\n".join(line for line in said.splitlines() if line != "")):
                path.write_text(content)
                shown = self.said("check", "--show", "--config", path)
            keys = [line.split(" =")[0] for line in said.splitlines()
                    if line and not line.startswith("#")]
            self.assertGreater(len(keys), 30)
            for key in keys:
                self.assertRegex(shown, rf"# from: {path}:[0-9]+\n{key} = ")

    def test_the_policy_parses(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "default.policy"
            path.write_text(self.said("help", "policy"))
            self.assertEqual(self.said("policy", "diff", path), "")

    def test_shows_no_secret(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "c"
            path.write_text("[destination d]\nkind = webhook\nurl = https://h.example/planted\n"
                            "[destination e]\nkind = webhook\nurl = env:HOOK\n")
            shown = self.said("check", "--show", "--config", path,
                              STEPLEDGER_DB="postgresql://u:planted@h/d")
        self.assertNotIn("planted", shown)
        self.assertIn("url = env:HOOK", shown)
        self.assertIn("# from: environment STEPLEDGER_DB", shown)

    def test_the_usual_files_can_be_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stepledger" / "config"
            path.parent.mkdir()
            path.write_text("workers = 7\n")
            place = {"XDG_CONFIG_HOME": folder}
            shown = self.said("check", "--show", STEPLEDGER_USUAL_CONFIG="yes", **place)
            self.assertIn(f"# from: {path}:1\nworkers = 7\n", shown)
            self.assertIn("\n#workers = 2\n", self.said("check", "--show", **place))

    def test_tells_each_framework_what_to_set(self):
        text = self.said("help", "capture")
        for words in ("StepTraceAnnotation", "block_until_ready", "profiler_num_steps",
                      "device_tracer_level", "profiler_steps", "skip_first_n_steps_for_profiler",
                      "xla_gpu_enable_command_buffer", "LIBTPU_INIT_ARGS", "interleave",
                      "--paired"):
            self.assertIn(words, text)


class Shipped(unittest.TestCase):
    """What is shipped for CI and told to new users fits the program."""

    FILES = ("README.md", "ops/demo", "ops/deploy/ci/github.yml", "ops/deploy/ci/gitlab.yml")

    def test_names_commands_and_options_that_exist(self):
        seen, helps = 0, {}
        for name in self.FILES:
            text = (ROOT / name).read_text()
            text = re.sub(r"\s*\\\n\s*", " ", text)  # continued lines
            text = re.sub(r"\n {6}(?=[->])", " ", text)  # folded lines of YAML
            for command, rest in re.findall(
                    r'(?:build/stepledger|\$program"?|stepledger) ([a-z][a-z-]+)((?: [^\n|`]*)?)',
                    text):
                options = re.findall(r"(?<= )--([a-z][a-z-]+)", rest.split(" -- ")[0])
                if command not in helps:
                    helps[command] = call(command, "--help").stdout
                if not options:
                    continue
                self.assertTrue(helps[command], f"{name}: no command {command}")
                for option in options:
                    seen += 1
                    self.assertIn(f"  --{option}", helps[command], f"{name}: {command}")
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
