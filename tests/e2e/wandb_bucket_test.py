#!/usr/bin/env python3
"""Profiles of runs whose directory lies in an object store: gs:// and s3:// against a strict double
that computes the signatures once more."""

import unittest

from wandb_case import CONFIGURATION, Launch, WandbCase

TOKEN = "planted-gs-token"
ACCESS, SECRET, SESSION = "PLANTEDACCESS", "planted/s3+secret", "planted-s3-session=="
PREFIX = "logs & more/é/r1/profiler/"


class BucketCase(WandbCase):
    """Run targets whose trainer.log_dir is a URL."""

    def start(self, *options):
        store = self.enterContext(Launch("bucket_server.py", "--page-cap", "2", *options))
        self.store = store
        # The name of a folder needs escaping in the URL, in the signature and in XML.
        store.control("seed", folder=str(self.profiles["fast"]), prefix=PREFIX)
        store.control("seed", folder=str(self.profiles["slow"]), prefix="logs & more/é/r10/")
        self.config.write_text(CONFIGURATION + "".join(
            f"[{scheme}]\nallow_addresses = 127.0.0.0/8\nallow_http = yes\n"
            f"base_url = {store.url()}\n" for scheme in ("gs", "s3")))

    def tearDown(self):
        super().tearDown()
        self.assertEqual([], [why for why in self.store.rejections()
                              if not any(part in why for part in self.expected_rejections)])
        for secret in (TOKEN, SECRET, SESSION):
            self.assertNotIn(secret, self.said)

    def summarize(self, scheme, code=0, **environment):
        self.wandb.control("seed", runs=[{
            "entity": "acme", "project": "p", "name": "r1",
            "config": {"trainer": {"log_dir": f"{scheme}://b/logs & more/é/"}}}])
        return self.expect(code, "summarize", "--run-target", "acme/p/r1", **environment)

    def expect_fast(self, summary, scheme):
        local = self.expect(0, "summarize", "--profile-dir", self.profiles["fast"])
        self.assertEqual(summary["trace_provenance"], local["trace_provenance"])
        self.assertEqual(summary["run_metadata"]["artifact_ref"], f"{scheme}://b/{PREFIX[:-1]}")
        self.assertEqual(summary["run_metadata"]["artifact_name"], "profiler")

    def test_reads_a_directory_of_gs_with_a_token(self):
        self.start("--token", TOKEN)
        summary = self.summarize("gs", GOOGLE_OAUTH_ACCESS_TOKEN=TOKEN)
        self.expect_fast(summary, "gs")
        before = len(self.store.log())
        self.summarize("gs", GOOGLE_OAUTH_ACCESS_TOKEN=TOKEN)
        self.assertEqual([e for e in self.store.log()[before:] if "/o/" in e["path"]], [])

    def test_reads_a_directory_of_s3_with_signed_requests(self):
        self.start("--access-key", ACCESS, "--secret-key", SECRET, "--session", SESSION)
        summary = self.summarize("s3", AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET,
                                 AWS_SESSION_TOKEN=SESSION, AWS_REGION="eu-test-1")
        self.expect_fast(summary, "s3")

    def test_reads_public_directories_without_a_credential(self):
        self.start()
        for scheme in ("gs", "s3"):
            self.expect_fast(self.summarize(scheme), scheme)

    def test_goes_on_where_an_object_was_cut(self):
        self.start("--access-key", ACCESS, "--secret-key", SECRET)
        self.store.faults({"fault": "truncate", "path": "/b/*", "nth": [1]})
        summary = self.summarize("s3", AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET,
                                 AWS_DEFAULT_REGION="eu-test-1")
        self.expect_fast(summary, "s3")

    def test_says_what_the_store_refuses(self):
        self.expected_rejections = ["no bearer token", "Authorization is no signature",
                                    "SignatureDoesNotMatch"]
        self.start("--token", TOKEN, "--access-key", ACCESS, "--secret-key", SECRET)
        self.assertIn("the listing of gs://b/", self.summarize("gs", 1))
        self.assertIn("HTTP 401", self.said)
        self.summarize("s3", 1)
        self.summarize("s3", 1, AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY="wrong",
                       AWS_REGION="eu-test-1")
        self.assertIn("an access key is given without its secret key",
                      self.summarize("s3", 2, AWS_ACCESS_KEY_ID=ACCESS))

    def test_falls_back_when_the_directory_is_empty(self):
        self.start()
        self.seed_run("r1", "fast", config={"trainer": {"log_dir": "gs://b/nothing"}})
        self.expect(0, "summarize", "--run-target", "acme/p/r1")
        self.assertIn("there is nothing below gs://b/nothing/r1/profiler", self.said)

    def test_names_a_bad_section(self):
        self.start()
        self.config.write_text(self.config.read_text() + "tokn = x\n")
        self.assertIn("[s3]: unknown key 'tokn'", self.summarize("s3", 2))


if __name__ == "__main__":
    unittest.main()
