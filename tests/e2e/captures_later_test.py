"""Hosts of one capture that come with several commands, jobs of the queue, or all at once.

What: the same capture must come out whatever the order, as one profile that takes the place of
those with fewer hosts; captures of one job are one run. What it does not do: which files belong
together (unit/ingest_join_test.c), verdicts (captures_table_test.py).
"""

import itertools
import json
import pathlib
import shutil
import statistics
import subprocess
import unittest

from cli_case import BINARY, TIMEOUT_S
from queue_case import QueueCase

HOSTS = ("alpha", "beta", "gamma")


def times(document):
    """What an independent merge of the hosts' summaries is compared in."""
    return {
        "steps": {row["number"]: row["max_us"] for row in document["steps"]["rows"]},
        "ops": {row["signature"]: (row["count"], round(row["self_us"], 6), row["device_count"])
                for row in document["ops"]},
        "busy": sorted(round(row["busy_us"], 6) for row in document["devices"]),
    }


def merged(documents):
    """The reduce, written again: slowest device of each step, sums by signature."""
    result = {"steps": {}, "ops": {}, "busy": []}
    for part in map(times, documents):
        for number, longest in part["steps"].items():
            result["steps"][number] = max(longest, result["steps"].get(number, 0))
        for signature, own in part["ops"].items():
            held = result["ops"].get(signature, (0, 0, 0))
            count, self_us, devices = (a + b for a, b in zip(held, own))
            result["ops"][signature] = (count, round(self_us, 6), devices)
        result["busy"] = sorted(result["busy"] + part["busy"])
    return result


class CapturesLater(QueueCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.profile("made", "--layout", "flat", "--seed", "5", "--slow-host", "beta=1.2",
                           *(part for host in HOSTS for part in ("--host", host)))
        cls.files = {host: pathlib.Path(made) / f"{host}.xplane.pb" for host in HOSTS}
        done = subprocess.run([BINARY, "summarize", "--xplane-file", cls.files["alpha"]],
                              check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
        cls.members = json.loads(done.stdout)

    def take(self, workload, *paths, scope=()):
        return self.expect(0, "ingest", "--project", "p", "--workload", workload, *scope,
                           *paths).document["profiles"]

    def shown(self, profile):
        """The summary, without what the ledger says of the profile."""
        document = self.expect(0, "show", profile).document
        return {name: document[name] for name in self.members if name != "generated_at_utc"}

    def points(self, workload):
        return self.expect(0, "trend", "--project", "p", "--workload", workload).document["points"]

    def test_every_order_and_grouping_makes_the_same_document(self):
        once = self.take("once", "--branch", "main", *self.files.values())
        self.assertEqual([row["hosts"] for row in once], [list(HOSTS)])
        wanted = self.shown(once[0]["profile"])
        orders = list(itertools.permutations(HOSTS))
        groupings = [[[a], [b], [c]] for a, b, c in orders[1::2]]
        groupings += [[[a, b], [c]] for a, b, c in orders[4:]]
        for number, parts in enumerate(groupings):
            workload = f"parts-{number}"
            for part in parts:
                last = self.take(workload, "--branch", "main",
                                 *(self.files[host] for host in part))[0]
            self.assertEqual(last["trace_sha256"], once[0]["trace_sha256"], parts)
            self.assertEqual(self.shown(last["profile"]), wanted, parts)
            present = [row["profile_id"] for row in self.points(workload)]
            self.assertEqual(present, [last["profile"]])
        again = self.take("parts-0", self.files["beta"])[0]
        self.assertEqual((again["status"], again["hosts"]), ("duplicate", list(HOSTS)))
        self.expect(0, "verify")

    def test_the_merge_is_that_of_the_hosts_alone(self):
        alone = [self.expect(0, "summarize", "--xplane-file", file).document
                 for file in self.files.values()]
        whole = self.expect(0, "summarize", "--profile-dir",
                            self.files["alpha"].parent).document
        self.assertEqual(times(whole), merged(alone))
        steady = [row["max_us"] for row in whole["steps"]["rows"] if not row["warmup"]]
        self.assertAlmostEqual(whole["steps"]["steady_median_us"], statistics.median(steady), 5)

    def test_hosts_that_come_at_once_are_one_capture(self):
        commands = [self.start("ingest", "--project", "p", "--workload", "race", "--branch",
                               "main", file) for file in self.files.values()]
        done = [command.communicate(timeout=100) for command in commands]
        self.assertEqual([command.returncode for command in commands], [0, 0, 0], done)
        points = self.points("race")
        self.assertEqual(len(points), 1)
        self.assertEqual(self.shown(points[0]["profile_id"])["environment"]["host_count"], 3)

    def test_a_job_of_the_queue_for_each_host(self):
        for file in self.files.values():
            self.submit("--bytes", "--branch", "main", file,
                        scope=["--project", "p", "--workload", "jobs"])
        self.expect(0, "work", "ingest", "--once", "--jobs", "2")
        points = self.points("jobs")
        self.assertEqual(len(points), 1, points)
        self.assertEqual(self.shown(points[0]["profile_id"])["environment"]["hosts"], list(HOSTS))

    def test_a_host_joins_a_capture_that_was_imported(self):
        self.take("moved", "--branch", "main", self.files["alpha"])
        self.take("moved", self.files["gamma"])
        first, again = self.folder / "first.jsonl", self.folder / "again.jsonl"
        self.expect(0, "export", "--output", first)
        other = self.second("other")
        taken = self.expect(0, "import", first, environment=other).document
        self.expect(0, "export", "--output", again, environment=other)
        self.assertEqual(first.read_text(), again.read_text())
        known = self.expect(0, "import", first, environment=other).document
        self.assertEqual((known["profiles"], known["known"]), (0, taken["profiles"]))
        here = self.take("moved", self.files["beta"])[0]
        there = self.expect(0, "ingest", "--project", "p", "--workload", "moved",
                            self.files["beta"], environment=other).document["profiles"][0]
        for name in ("hosts", "trace_sha256", "missing_hosts"):
            self.assertEqual(there[name], here[name])
        self.assertEqual(there["hosts"], list(HOSTS))
        shown = self.expect(0, "show", there["profile"], environment=other).document
        wanted = self.shown(here["profile"])
        self.assertEqual({name: shown[name] for name in wanted}, wanted)
        self.expect(0, "verify", environment=other)
        self.import_older_and_wrong(first)

    def import_older_and_wrong(self, path):
        """An export without hosts is taken, and nothing joins it; wrong hosts are refused."""
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        two = next(line for line in lines
                   if len(line.get("hosts", [])) == 2 and line["workload"] == "moved")
        first = next(line for line in lines if line.get("id") == two["run"])
        held = next(host for host in two["hosts"] if host["document"] is not None)
        changed = self.folder / "changed.jsonl"
        other = self.second("older")
        self.expect(0, "ingest", "--project", "p", "--workload", "before", self.files["beta"],
                    environment=other)

        def take(code, hosts):
            line = {**two, "hosts": hosts, "supersedes": [two["run"]]}
            if hosts is None:
                del line["hosts"]
            changed.write_text("\n".join(map(json.dumps, (lines[0], first, line))) + "\n")
            return self.expect(code, "import", "--unsealed", changed, environment=other)

        for hosts, said in ((two["hosts"][:1], "1 hosts, but the capture has 2"),
                            ([held, held], "that of another file"),
                            ([{**held, "document": "{}"}] * 2, "changed.jsonl:3")):
            self.assertIn(said, take(65, hosts).err)
        self.assertEqual(take(0, None).document["profiles"], 1)
        point, = self.expect(0, "trend", "--project", "p", "--workload", "moved",
                             "--all-branches", environment=other).document["points"]
        self.assertEqual((point["profile_id"], point["run"]), ("p3", "p2"))
        row = self.expect(0, "ingest", "--project", "p", "--workload", "moved",
                          self.files["beta"], environment=other).document["profiles"][0]
        self.assertEqual(row["hosts"], ["beta"])

    def test_captures_of_one_job_are_one_run(self):
        job = self.folder / "job" / "profiler"
        for number, seed in enumerate(("31", "32", "33")):
            made = self.profile(f"seed-{seed}", "--layout", "flat", "--seed", seed)
            session = job / "plugins" / "profile" / f"2026_03_0{number + 1}_00_00_00"
            session.mkdir(parents=True)
            shutil.copy(next(pathlib.Path(made).glob("*.xplane.pb")), session)
        sessions = sorted((job / "plugins" / "profile").iterdir())
        first = self.take("job", *sessions[:2])
        later = self.take("job", sessions[2])
        self.assertEqual(len({row["profile"] for row in first + later}), 3)
        self.assertEqual(len({row["run"] for row in first + later}), 1)
        other = self.take("job-2", "--run", "own", *sessions)
        self.assertEqual({row["run"] for row in other}, {"own"})

    def test_ranks_tell_who_is_missing(self):
        folder = self.folder / "ranks"
        for rank, host in ((0, "alpha"), (3, "gamma")):
            place = folder / f"process_{rank}" / "plugins" / "profile" / "2026_01_02_03_04_05"
            place.mkdir(parents=True)
            shutil.copy(self.files[host], place)
        row = self.take("ranks", folder)[0]
        self.assertEqual(row["missing_hosts"], ["process 1", "process 2"])
        warnings = self.shown(row["profile"])["coverage"]["warnings"]
        self.assertTrue(any("2 of 4 hosts of this capture are missing (process 1, process 2)"
                            in text for text in warnings), warnings)


if __name__ == "__main__":
    unittest.main()
