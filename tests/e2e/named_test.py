"""What the ledger holds by name: lists, `show`, summaries by id, run, label or commit, and
corrections that all of them follow."""

import csv
import json
import unittest

from judge_case import SCOPE, JudgeCase
from json_schema import check_document

COMMITS = [f"{number}c0ffee{number:033x}" for number in range(1, 6)]


class Named(JudgeCase):
    """Two runs of main with two captures, one of a branch, a verdict; corrections come in order."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.paths = [cls.profile(f"capture-{seed}", "--seed", str(seed)) for seed in range(1, 6)]
        names = [("main", COMMITS[0], "night-1", "golden"), ("main", COMMITS[0], "night-1", None),
                 ("main", COMMITS[1], "night-2", None)]
        for path, (branch, commit, run, label) in zip(cls.paths, names):
            case.ingest("--branch", branch, "--commit", commit, "--run", run,
                        *(["--label", label] if label else []), path)
        case.gate(0, "--branch", "topic", "--commit", COMMITS[2], "--run", "try", cls.paths[3])
        case.expect(0, "ingest", "--project", "q", "--workload", "x", "--run", "night-2",
                    cls.paths[0])

    def list(self, noun, *filters):
        """The rows of a list, whose document is checked."""
        document = self.expect(0, "list", noun, *filters).document
        check_document(document, "list")
        self.assertEqual(document["count"], len(document["rows"]))
        return document["rows"]

    def profiles(self, *filters):
        return [row["profile"] for row in self.list("profiles", *filters)]

    def test_a_lists_every_noun(self):
        self.assertEqual([row["project"] for row in self.list("projects")], ["q", "p"])
        self.assertEqual([row["profiles"] for row in self.list("projects")], [1, 4])
        self.assertEqual([row["workload"] for row in self.list("workloads")], ["x", "w"])
        self.assertEqual([row["series"] for row in self.list("series", "--project", "p")], ["s1"])
        self.assertEqual([(row["run"], row["profiles"]) for row in self.list("runs", *SCOPE)],
                         [("try", 1), ("night-2", 1), ("night-1", 2)])
        self.assertEqual(self.profiles(), ["p5", "p4", "p3", "p2", "p1"])
        verdict, = self.list("verdicts", *SCOPE)
        self.assertEqual((verdict["verdict"], verdict["branch"], verdict["run"]),
                         ("v1", "topic", "try"))
        judged = self.expect(0, "show", "v1").document
        self.assertEqual(verdict["reason"], judged["reasons"][0]["code"])
        self.assertEqual(self.list("alerts"), [])
        policy, = self.list("policies")
        self.assertEqual((policy["verdicts"], policy["newest_verdict"]), (1, "v1"))

    def test_b_filters(self):
        self.assertEqual(self.profiles("--branch", "main"), ["p3", "p2", "p1"])
        self.assertEqual(self.profiles("--commit", COMMITS[0][:9]), ["p2", "p1"])
        self.assertEqual(self.profiles("--run", "night-2", "--project", "q"), ["p5"])
        self.assertEqual(self.profiles("--since", "1h", "--limit", "2"), ["p5", "p4"])
        self.assertEqual(self.profiles("--since", "2100-01-01"), [])
        self.assertEqual(self.list("verdicts", "--status", "fail"), [])
        self.assertEqual(len(self.list("verdicts", "--branch", "topic", "--commit",
                                       COMMITS[2][:7], "--run", "try")), 1)
        self.assertEqual(self.list("verdicts", "--branch", "main"), [])
        cut = self.expect(0, "list", "profiles", "--limit", "2").document
        self.assertTrue(cut["is_cut"])
        nothing = self.expect(0, "list", "profiles", "--branch", "nobody")
        self.assertIn("no profiles, branch nobody", nothing.err)

    def test_c_prints_tables_and_csv(self):
        table = self.expect(0, "list", "runs", *SCOPE, "--format", "text").out.splitlines()
        self.assertRegex(table[0], r"^run +branch +commit +")
        self.assertRegex(table[1], r"^try +topic +3c0ffee00000 ")
        self.assertIn("there are more", self.expect(0, "list", "runs", "--limit", "1", "--format",
                                                    "text").out)
        self.assertIn("no alerts", self.expect(0, "list", "alerts", "--format", "text").out)
        rows = list(csv.DictReader(
            self.expect(0, "list", "profiles", "--format", "csv").out.splitlines()))
        self.assertEqual([row["profile"] for row in rows], ["p5", "p4", "p3", "p2", "p1"])

    def test_d_refuses_lists_that_make_no_sense(self):
        for wrong, word in [(("profile",), "did you mean 'profiles'"),
                            (("series", "--branch", "x"), "means nothing for series"),
                            (("verdicts", "--status", "good"), "none of pass|warn"),
                            (("runs", "--limit", "0"), "--limit"),
                            (("runs", "--since", "soon"), "--since")]:
            self.assertIn(word, self.expect(2, "list", *wrong).err)
        self.expect(2, "list")

    def test_e_takes_summaries_by_every_name(self):
        question = "what is slow"
        by_id = self.expect(0, "query", "p3", question).out
        for name in ("night-2", COMMITS[1], COMMITS[1][:8]):
            self.assertEqual(self.expect(0, "query", *SCOPE, name, question).out, by_id)
        self.assertEqual(self.expect(0, "query", "--summary", "p3", "--question", question).out,
                         by_id)
        self.assertEqual(self.expect(0, "report", "golden").out, self.expect(0, "report",
                                                                            "p1").out)
        several = self.expect(0, "report", *SCOPE, "night-1")
        self.assertEqual(several.out, self.expect(0, "report", "p2").out)
        self.assertIn("the newest, p2, is taken, not p1", several.err)
        compared = self.expect(0, "compare", "p3", "p4").out
        self.assertEqual(self.expect(0, "compare", "v1").out, compared)
        self.assertEqual(self.expect(0, "compare", "--before", "p3", "--after", "try").out,
                         compared)
        self.expect(0, "track", "v1")
        offered = self.expect(0, "publish", "p3", "--dry-run", "--entity", "e", "--project", "q")
        self.assertEqual(offered.document["metadata"]["hardware_type"], "TPU v5e")
        folder = self.folder / "bundle"
        self.expect(0, "bundle", "v1", "--output-dir", folder)
        self.assertEqual((folder / "compare.json").read_text(), compared)

    def test_f_says_what_it_cannot_find(self):
        for arguments, word in [
                (("query", "nobody", "what is slow"), "is no file, and"),
                (("report", "p99"), "p99"), (("report", "v99"), "v99"),
                (("report", "gone.json"), "gone.json"),
                (("report", "night-2"), "give --project and --workload"),
                (("compare", "p3", "v99"), "v99")]:
            self.assertIn(word, self.expect(1, *arguments).err)
        for arguments in (("report",), ("query", "p1"), ("compare", "p3"),
                          ("track", "p3", "p4", "p4"), ("report", "p1", "p2")):
            self.expect(2, *arguments)

    def test_g_lets_a_file_win_and_says_so(self):
        here = self.folder / "here"
        here.mkdir(mode=0o755)
        (here / "p3").write_text(self.expect(0, "show", "p1").out)
        found = self.expect(0, "report", "p3", cwd=here)
        self.assertEqual(found.out, self.expect(0, "report", "p1").out)
        self.assertIn("a file of that name is here", found.err)

    def test_h_shows_where_an_entry_stands(self):
        ledger = self.expect(0, "show", "p1").document["ledger"]
        self.assertEqual({key: ledger[key] for key in ("project", "workload", "branch", "commit",
                                                       "run", "label", "hosts")},
                         {"project": "p", "workload": "w", "branch": "main", "commit": COMMITS[0],
                          "run": "night-1", "label": "golden", "hosts": ["host-0"]})
        text = self.expect(0, "show", "golden", "--format", "text").out
        self.assertIn(f"project p, workload w, branch main, commit {COMMITS[0]}, run night-1",
                      " ".join(text.split()))
        for form, word in [("text", "branch topic, commit"),
                           ("md", "- **v1**: project p, workload w"),
                           ("html", "<html"), ("github", " title="), ("junit", "<testsuites>")]:
            self.assertIn(word, self.expect(0, "show", "v1", "--format", form).out)
        self.expect(2, "show", "p1", "--format", "junit")
        self.expect(6, "show", "p99")
        self.expect(6, "show", "v99")
        self.expect(6, "show", "nobody")

    def correct(self, code, *arguments):
        result = self.expect(code, *arguments, *(["--reason", "a slip"]))
        if code == 0:
            check_document(result.document, "amendment")
        return result

    def test_i_refuses_corrections_that_make_no_sense(self):
        for code, arguments, word in [
                (6, ("amend", "p99", "--branch", "x"), "p99"),
                (65, ("amend", "p1", "--branch", "x", "--project", "q"), 'of project "p"'),
                (65, ("amend", "p1", "--run", "night-1"), "nothing would change"),
                (65, ("amend", "night-1", "--branch", "x"), "2 profiles"),
                (2, ("amend", "p1"), "nothing to amend"),
                (2, ("amend", "v1", "--branch", "x"), "is a verdict"),
                (65, ("retract", "p1", "--undo"), "not retracted")]:
            self.assertIn(word, self.correct(code, *arguments).err)
        self.expect(2, "retract", "p1")
        # One that cannot be leaves all as they are.
        self.correct(6, "amend", "p1", "p99", "--branch", "x")
        self.assertEqual(self.profiles("--branch", "x"), [])

    def test_j_follows_what_is_amended(self):
        self.correct(0, "amend", "p2", "--branch", "feature", "--run", "night-9")
        self.assertEqual(self.profiles("--branch", "main"), ["p3", "p1"])
        self.assertEqual(self.profiles("--run", "night-9"), ["p2"])
        trend = self.expect(0, "trend", *SCOPE, "--branch", "main").document
        self.assertEqual([point["profile_id"] for point in trend["points"]], ["p1", "p3"])
        self.correct(0, "amend", "p2", "--workload", "other")
        self.assertEqual([row["workload"] for row in self.list("workloads", "--project", "p")],
                         ["w", "other"])
        self.expect(0, "verify")

    def test_k_tells_of_verdicts_that_rest_on_what_was_retracted(self):
        before = self.expect(0, "show", "v1").document
        self.correct(0, "retract", "p3")
        self.assertEqual(self.profiles("--branch", "main"), ["p1"])
        self.assertEqual(self.profiles("--status", "retracted"), ["p3"])
        self.assertIn("a slip", self.correct(65, "retract", "p3").err)
        shown = self.expect(0, "show", "v1")
        after = dict(shown.document)
        check_document(after, "verdict")
        self.assertIn("p3 of the baseline (a slip)", after.pop("based_on_retracted"))
        self.assertEqual(after, before)
        for form in ("text", "md", "html", "github", "junit"):
            self.assertIn("ased on a retracted profile: p3",
                          self.expect(0, "show", "v1", "--format", form).out)
        for question in ("why did it fail", "which op got slower"):
            answer = self.expect(0, "query", "v1", question)
            self.assertEqual(answer.document["based_on_retracted"],
                             shown.document["based_on_retracted"])
            self.assertIn("Based on a retracted profile: p3", answer.document["answer"])
            self.assertIn("event=retracted_evidence verdict=v1", answer.err)
        again = self.expect(0, "gate", "--replay", "v1", "--format", "text")
        self.assertIn("Based on a retracted profile: p3", again.out)
        self.assertTrue(self.list("verdicts")[0]["retracted"])
        self.assertIn("was retracted", self.expect(65, "gate", *SCOPE, "p3").err)
        self.assertIn("--undo", self.expect(65, "ingest", *SCOPE, self.paths[2]).err)
        self.correct(0, "retract", "p3", "--undo")
        self.assertNotIn("based_on_retracted", self.expect(0, "show", "v1").document)

    def test_l_reads_known_bytes_in_another_way(self):
        row, = self.ingest("--warmup-steps", "3", self.paths[0])
        self.assertEqual((row["status"], row["supersedes"], row["run"]),
                         ("stored", "p1", "night-1"))
        again, = self.ingest("--warmup-steps", "3", self.paths[0])
        self.assertEqual((again["status"], again["profile"]), ("duplicate", row["profile"]))
        named, = self.ingest("--warmup-steps", "3", "--label", "new", self.paths[0])
        self.assertEqual((named["status"], named["profile"]), ("named", row["profile"]))
        self.assertEqual(self.profiles("--status", "superseded"), ["p1"])
        self.assertIn(f"superseded by {row['profile']}",
                      self.expect(0, "show", "p1", "--format", "text").out)
        self.assertIn(row["profile"], self.correct(65, "retract", "p1").err)
        self.expect(0, "verify")
        # What a gate is pointed at without another way to read it stands as it is.
        verdict = self.gate(0, "--branch", "topic", "--run", "again", self.paths[0])
        self.assertEqual(verdict["candidate"]["profile_ids"], [row["profile"]])


    def test_m_exports_and_imports_all_of_it_with_its_times(self):
        exported = self.folder / "ledger.jsonl"
        exported.write_text(self.expect(0, "export").out)
        types = [json.loads(line)["type"] for line in exported.read_text().splitlines()]
        elsewhere = {"environment": {"XDG_DATA_HOME": str(self.folder / "data" / "elsewhere")}}
        (self.folder / "data").chmod(0o777)
        try:
            for profiles in (types.count("profile"), 0):
                done = self.expect(0, "import", exported, **elsewhere).document
                self.assertEqual(done["profiles"], profiles)
            self.assertEqual(self.expect(0, "export", **elsewhere).out, exported.read_text())
            # Series are numbered in the order in which they are met.
            here, there = (
                [{**row, "series": None}
                 for row in self.expect(0, "list", "profiles", "--status", "all",
                                        **where).document["rows"]] for where in ({}, elsewhere))
            self.assertEqual(there, here)
            self.expect(0, "verify", **elsewhere)
        finally:
            self.call("db", "stop", **elsewhere)


    def test_n_names_what_was_asked_for_of_bytes_with_several_names(self):
        path = self.profile("known-bytes", "--seed", "77")
        for branch, commit in (("main", COMMITS[3]), ("side", COMMITS[4])):
            self.ingest("--branch", branch, "--commit", commit, "--run", "bytes", path)
        for noun in ("profiles", "runs"):
            for place, filters in enumerate([("--branch", "main"), ("--branch", "side"),
                                             ("--commit", COMMITS[4][:9])]):
                row, = self.list(noun, "--run", "bytes", *filters)
                self.assertEqual((row["branch"], row["commit"]),
                                 (("side", COMMITS[4]) if place else ("main", COMMITS[3])))
        row, = self.list("profiles", "--run", "bytes")
        self.assertEqual((row["branch"], row["commit"]), ("main", COMMITS[3]))


class NoLedger(JudgeCase):
    """Where nobody ever ingested anything."""

    ledgers = None

    def test_makes_none_to_look_for_a_name(self):
        self.assertIn("no ledger", self.expect(1, "report", "p1").err)
        self.assertFalse((self.folder / "data" / "stepledger").exists())


if __name__ == "__main__":
    unittest.main()
