#!/usr/bin/env python3
"""What a run at W&B knows of a profile that lies here: commit, flags, configuration."""

import hashlib
import json
import unittest

from cli_case import LedgerCase
from wandb_case import CONFIGURATION, KEY
from launch import Launch


class Facts(LedgerCase):
    """One run of the strict double, and local profiles of it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wandb = Launch("wandb_server.py", "--api-key", KEY)
        cls.wandb.__enter__()
        cls.config = {"git_commit": "d" * 40, "XLA_FLAGS": "--w=1", "trainer": {"mp": "bf16"}}
        cls.wandb.control("seed", runs=[{"entity": "acme", "project": "p", "name": "r1",
                                         "state": "finished", "config": cls.config}], artifacts=[])
        path = cls.folder / "wandb.conf"
        path.write_text(CONFIGURATION)
        cls.options = ["--project", "p", "--workload", "w", "--config", str(path),
                       "--wandb-run", "acme/p/r1"]
        cls.around = {"WANDB_BASE_URL": cls.wandb.url(), "WANDB_API_KEY": KEY}

    @classmethod
    def tearDownClass(cls):
        cls.wandb.__exit__(None, None, None)
        super().tearDownClass()

    def test_stand_beside_the_profile_with_their_source(self):
        result = self.expect(0, "ingest", *self.options, "--branch", "main", "--meta",
                             "precision=f32", self.profile("one", "--seed", "1"),
                             environment=self.around)
        [row] = result.document["profiles"]
        self.assertEqual(row["run"], "acme/p/r1")
        self.assertEqual(result.document["origin"]["commit"],
                         {"value": "d" * 40, "source": "wandb"})
        summary = self.expect(0, "show", row["profile"]).document
        facts = {fact["name"]: (fact["value"], fact["source"])
                 for fact in summary["environment"]["facts"]}
        wanted = hashlib.sha256(json.dumps(self.config, sort_keys=True).encode()).hexdigest()[:16]
        self.assertEqual(facts["xla_flags"], ("--w=1", "wandb"))
        self.assertEqual(facts["config_hash"], (wanted, "wandb"))
        self.assertEqual(facts["precision"], ("f32", "option"))
        self.assertTrue([line for line in summary["coverage"]["warnings"]
                         if line.startswith("precision: 'f32' by option, 'bf16' by wandb")])
        self.assertEqual(summary["run_metadata"]["run_path"], "acme/p/r1")
        self.assertNotIn(KEY[8:], result.out + result.err)
        self.assertEqual(self.wandb.rejections(), [])

    def test_a_run_that_is_not_there_ends_it(self):
        options = [*self.options[:-1], "acme/p/none"]
        result = self.expect(6, "ingest", *options, self.profile("one"), environment=self.around)
        self.assertIn("acme/p/none", result.err)


if __name__ == "__main__":
    unittest.main()
