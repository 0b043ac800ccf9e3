"""Reports that come by themselves: a team's runs became slower; in the morning the scheduler makes
one report, keeps it and tells it to a chat, by mail, by a webhook and to W&B, once, however often
it is killed.
"""

import base64
import datetime
import email
import email.policy
import hashlib
import json
import os
import re
import shutil
import unittest

from channel_case import SECRETS, ChannelCase
from launch import Launch
from mail_test import MailCase

import browser  # noqa: E402
import report_numbers  # noqa: E402

BEFORE, AFTER = 10, 8
COMMITTED = ((1, 8), (9, 9), (10, 10), (11, 11), (12, 12), (13, 18))  # runs of one commit each
LIBRARY = os.environ.get("STEPLEDGER_KILL_AT", "")
KEY = "planted2key0000000000000000000000000000000f"
WEEK = datetime.timedelta(days=7)


def commit_of(run):
    return hashlib.sha1(f"run {run}".encode()).hexdigest()


def morning_to_come():
    """The next 07:00 UTC, behind all runs whenever the test runs."""
    now = datetime.datetime.now(datetime.timezone.utc)
    morning = now.replace(hour=7, minute=0, second=30, microsecond=0)
    return morning if morning > now else morning + datetime.timedelta(days=1)


class Reports(MailCase):
    """A ledger with a loss of this week."""

    baseline_runs = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folders = []
        for seed in range(1, BEFORE + AFTER + 1):
            slow = ["--slow-op", "attention=1.6"] if seed > BEFORE else []
            folders.append(cls.profile(f"r{seed}", "--kind", "tpu", "--seed", str(seed), *slow))
        now = datetime.datetime.now(datetime.timezone.utc)
        for first, last in COMMITTED:  # far from the change it matters to nobody
            for run in range(first, last + 1):
                captured = now - (BEFORE + AFTER + 1 - run) * datetime.timedelta(hours=8)
                cls().ingest("--branch", "main", "--captured-at",
                             f"{captured:%Y-%m-%dT%H:%M:%SZ}", "--commit",
                             commit_of(last if last <= BEFORE else first), folders[run - 1])
        cls().owner_sql(
            "ALTER TABLE origins DISABLE TRIGGER USER",
            "INSERT INTO origins SELECT 'profile', id, now() - (19 - id) * interval '8 hours',"
            " 'nightly' FROM profiles",
            "ALTER TABLE origins ENABLE TRIGGER USER")
        met = cls().expect(65, "work", "schedule", "--once")  # what was moved, and never again
        cls().assertIn("not all that was due is done: see why 'verify_all' failed", met.err)
        cls.morning = morning_to_come()
        cls.doubles = {"chat": cls.launched("chat_server.py"),
                       "forge": cls.launched("forge_server.py")}
        cls.mail = cls.launched("mail_server.py", *cls.arguments)
        cls.wandb = cls.launched("wandb_server.py", "--api-key", KEY)

    @classmethod
    def launched(cls, script, *arguments):
        """A double for all tests."""
        double = Launch(script, *arguments)
        cls.addClassCleanup(double.stop)
        return double

    def setUp(self):
        self.said = []
        SECRETS.append(KEY)
        self.addCleanup(SECRETS.remove, KEY)
        self.configure(
            *self.section("slack"), *self.section("webhook"), *self.mail_section(),
            *self.record_section(self.wandb, KEY),
            "[report weekly]", "project = p", "period = week", "at = 0 7 * * *",
            "to = slack, webhook, mail, record")

    def environment_of(self, weeks=0):
        """A scheduler whose clock stands on that morning."""
        when = self.morning + weeks * WEEK
        return {**self.environment, "SOURCE_DATE_EPOCH": str(int(when.timestamp()))}

    def forget_claims(self):
        self.sql("DELETE FROM schedules WHERE name LIKE 'report%'")

    def schedule(self, weeks=0):
        self.forget_claims()
        done = self.expect(0, "work", "schedule", "--once", environment=self.environment_of(weeks))
        self.assertNotIn("event=task_failed task=reports", done.err)
        return done.err

    def told(self):
        return self.sql("SELECT count(*) FROM outbox WHERE order_key = 'reports'")

    def made(self):
        return int(self.sql("SELECT count(*) FROM reports"))

    def reports(self):
        return self.expect(0, "list", "reports", "--format", "json").document["rows"]

    def test_a_is_made_once_and_delivered(self):
        self.assertIn('outcome="1 reports"', self.schedule())
        self.schedule()
        [row] = self.reports()
        self.assertEqual((row["name"], row["losses"], row["improvements"]), ("weekly", 1, 0))
        self.assertEqual(row["until_utc"], f"{self.morning:%Y-%m-%dT07:00:00.000000Z}")
        report = self.expect(0, "report", row["report"], "--format", "json", "--again").document
        [loss] = report["losses"]
        self.assertEqual(loss["workload"], "w")
        self.assertIn("attention", loss["ops"][0]["name"])
        self.assertEqual(len(report["courses"][0]["points"]), BEFORE + AFTER)
        self.assertIsNone(report_numbers.headline_contradiction(report))
        for form in ("text", "md", "html"):
            page = self.expect(0, "report", row["report"], "--format", form).out
            self.assertIsNone(report_numbers.contradiction(report, page, form))
        self.sql("UPDATE outbox SET state = 'superseded', finished_at = now()"
                 " WHERE order_key <> 'reports'")  # `verify` met the moved past
        self.work(delivered=4)
        self.assert_accepted()
        self.assert_recorded(row["report"], report)
        slack, hook = self.bodies("chat") if "blocks" in self.bodies("chat")[0] \
            else reversed(self.bodies("chat"))
        said = json.dumps(slack, ensure_ascii=False)
        for part in (report["headlines"][0], "attention", f"stepledger report {row['report']}"):
            self.assertIn(part, said)
        self.assertEqual(hook["type"], "stepledger.report")
        self.assertEqual(hook["report"]["losses"][0]["change_pct"], loss["change_pct"])
        self.assertEqual(hook["report"]["courses"], [])
        self.assertEqual((hook["cut"], hook["whole"][:20]), (False, "stepledger report rp"))
        self.assertEqual(hook["counts"]["mfu"], len(report["mfu"]))
        letters = self.letters()
        self.assertEqual(len(letters), 1)
        self.assertTrue(letters[0]["subject"].startswith("weekly: p, "), letters[0]["subject"])
        self.assertEqual(letters[0]["pictures"], ["1-w-course.png", "2-w-parts.png"])
        self.assert_opens(letters[0]["raw"], report)

    def assert_opens(self, raw, report):
        """What a mail program makes of it: words without the page, a page with its pictures."""
        message = email.message_from_string(raw, policy=email.policy.default)
        parts = list(message.walk())
        self.assertEqual([part.defects for part in parts], [[] for _ in parts])
        words = message.get_body(("plain",)).get_content()
        for part in (report["headlines"][0], report["losses"][0]["ops"][0]["name"]):
            self.assertIn(part, " ".join(words.split()))
        self.assertNotRegex(words, r"</?[a-z]+[ >]|&[a-z]+;|[ \t]\r?\n")
        page = message.get_body(("related", "html"))
        html = message.get_body(("html",)).get_content()
        pictures = {part["Content-ID"].strip("<>"): part for part in page.iter_attachments()}
        self.assertEqual(re.findall(r'src="cid:([^"]+)"', html), list(pictures))
        for name, part in pictures.items():
            self.assertEqual(part.get_content_type(), "image/png")
            data = base64.b64encode(part.get_content()).decode()
            html = html.replace(f"cid:{name}", f"data:image/png;base64,{data}")
        program = browser.find()
        if program is None:
            return
        path = self.folder / "letter.html"
        path.write_text(html, encoding="utf-8")
        with browser.Browser(program) as shown:
            for width in (1280, 400):
                complaints, requests = shown.open(path, width)
                self.assertEqual((complaints, [asked for asked in requests
                                               if not asked.startswith("data:")]), ([], []))
                seen = shown.evaluate("Array.from(document.images, i => [i.naturalWidth > 300 && "
                                      "i.complete, i.alt.length > 0, i.width <= innerWidth])")
                self.assertEqual(seen, [[True, True, True]] * len(pictures), width)
                self.assertLessEqual(shown.evaluate("document.documentElement.scrollWidth"), width)

    def assert_recorded(self, name, report):
        """One version of an artifact, of the bytes that the ledger's report is printed in."""
        self.assertEqual(self.wandb.rejections(), [])
        [held] = self.wandb.state()["artifacts"]
        self.assertEqual((held["collection"], held["type"], held["state"], held["version"]),
                         ("trend-report-p-weekly", "trend_report", "COMMITTED", "v0"))
        self.assertIn(f"report-{name.removeprefix('rp')}", held["aliases"])
        self.assertEqual({key: held["metadata"][key] for key in
                          ("report", "headline", "until_utc", "report_losses", "nothing_new")},
                         {"report": name, "headline": report["headlines"][0],
                          "until_utc": report["until_utc"], "report_losses": 1,
                          "nothing_new": False})
        self.assertEqual(sorted(held["files"]), ["report.html", "report.json", "report.md"])
        for file, kept in held["files"].items():
            printed = self.expect(0, "report", name, "--format", file.partition(".")[2]).out
            md5 = base64.b64encode(hashlib.md5(printed.encode()).digest()).decode()
            self.assertEqual((kept["md5"], kept["size"]), (md5, len(printed.encode())), file)
        [run] = self.wandb.state()["runs"]
        self.assertEqual(run["state"], "finished")
        [alert] = run["alerts"]
        self.assertIn("1 new loss", alert["text"] + alert["title"])

    def test_b_weeks_that_were_missed_are_one_report(self):
        self.schedule(weeks=3)
        newest = self.reports()[0]
        self.assertEqual(len(self.reports()), 2)
        self.assertEqual(newest["since_utc"], f"{self.morning:%Y-%m-%dT07:00:00.000000Z}")
        self.assertEqual(newest["losses"], 0)  # it was told

    @unittest.skipUnless(LIBRARY, "no STEPLEDGER_KILL_AT: make builds it")
    def test_c_a_killed_scheduler_neither_loses_nor_doubles_one(self):
        """Before what it tells the database and before it hears the answer: at the end, where the
        report is recorded and told; EVERY_STAGE: at each of them."""
        library = shutil.copy(LIBRARY, self.folder)  # where the cluster's user can read it
        command, weeks, killed = ("work", "schedule", "--once"), 5, 0
        self.schedule(weeks - 1)  # does what is done once
        self.forget_claims()
        stages = self.stages(library, *command, environment=self.environment_of(weeks))
        count = {letter: stages.count(letter) for letter in "nv"}
        self.assertGreater(count["n"], 30, stages)
        places = [(letter, place) for letter in "nv" for place in range(1, count[letter] + 1)]
        if "EVERY_STAGE" not in os.environ:
            places = [(letter, count[letter] - number)  # runs differ by a few
                      for letter, number in (("n", 18), ("n", 9), ("v", 11))]
        for letter, place in places:
            weeks += 1
            told, made = int(self.told()), self.made()
            self.forget_claims()
            with self.subTest(stage=f"{letter}{place}"):
                killed += self.run_killed(library, f"{letter}{place}", *command,
                                          environment=self.environment_of(weeks))
                self.schedule(weeks)
                self.assertEqual((self.made(), int(self.told())), (made + 1, told + 4))
        self.assertGreater(killed, len(places) // 2)
        self.assertIn(f" {BEFORE + AFTER} findings", self.expect(1, "verify").out)  # the moved past

    # ---- the commits of a change, of a forge ----

    def history(self, between=1):
        """So many commits of each run, the run's own the last; oldest first."""
        return [{"sha": commit_of(run) if number == between else
                 hashlib.sha1(f"{run}.{number}".encode()).hexdigest(),
                 "message": f"run {run}, commit {number}: <b>äß</b>\n\nwhy, at length"}
                for run in range(1, BEFORE + AFTER + 1) for number in range(1, between + 1)]

    def forge(self, between=1):
        """The double, with that history."""
        double = self.doubles["forge"]
        history = self.history(between)
        double.control("seed", github={"history": history}, gitlab={"history": history})
        double.faults()
        return double

    def loss_from(self, repository, *lines, text=False):
        """The only loss, with the commits that this repository tells."""
        self.configure(*lines)
        made = ("report", "--project", "p", "--period", "week", "--repository", repository)
        [loss] = self.expect(0, *made, "--format", "json").document["losses"]
        self.assertIn("attention", loss["ops"][0]["name"])  # whatever the forge says
        return (loss, self.expect(0, *made, "--format", "text").out) if text else loss

    def assert_told(self, loss, between=1):
        """The newest of the range, and how many there are."""
        names = [commit["sha"] for commit in self.history(between)]
        newest, oldest = (names.index(loss[end]) for end in ("until_commit", "after_commit"))
        self.assertEqual((loss["commits_why"], loss["commits_in_range"]), (None, newest - oldest))
        self.assertEqual([commit["sha"] for commit in loss["commits"]],
                         names[newest:max(oldest, newest - 20):-1])
        self.assertEqual(loss["commits"][0]["subject"],
                         f"run {newest // between + 1}, commit {between}: <b>äß</b>")

    def test_d_a_forge_tells_the_commits(self):
        double = self.forge()
        place = double.url("/acme/train")
        loss, text = self.loss_from(place, *self.section("github_status"), text=True)
        self.assert_told(loss)
        self.assertIn("commit 1: <b>äß</b>", text)
        self.assert_told(self.loss_from(place + ".git", *self.section("gitlab_status")))
        self.assertEqual(double.rejections(), [])

    def test_e_a_forge_tells_the_newest_of_many(self):
        double = self.forge(between=103)
        for kind in ("github_status", "gitlab_status"):
            self.assert_told(self.loss_from(double.url("/acme/train"), *self.section(kind)),
                             between=103)
        self.assertEqual(double.rejections(), [])

    def test_f_a_key_of_its_own_is_used(self):
        double = self.forge()
        key = self.secret_file("own", "ghp_user0token")
        section = ["[report w]", "project = p", "at = 0 7 * * mon", "forge = github",
                   f"secret = {key}", "allow_http = yes", "allow_addresses = 127.0.0.0/8"]
        place = double.url("/acme/train")
        self.assert_told(self.loss_from(place, *section, f"repository = {place}"))
        open_place = double.url("/acme/open")
        self.assert_told(self.loss_from(
            open_place, *(line for line in section if not line.startswith("secret")),
            f"repository = {open_place}"))
        self.assertEqual(double.rejections(), [])

    def test_g_there_is_a_report_whatever_the_forge_does(self):
        double = self.forge()
        lent = self.section("github_status")
        for fault, said in (
                ({"fault": "status", "status": 403, "body": "API rate limit exceeded",
                  "content_type": "text/plain"}, "HTTP 403: API rate limit exceeded"),
                ({"fault": "status", "status": 500}, "HTTP 500"),
                ({"fault": "cut"}, "127.0.0.1"),
                ({"fault": "status", "status": 200, "body": "[]",
                  "content_type": "application/json"}, "is no comparison of commits"),
                ({"fault": "status", "status": 200, "body": "<html>",
                  "content_type": "text/html"}, "line 1"),
                ({"fault": "flood", "bytes": 9 << 20}, "longer than"),
                ({"fault": "redirect"}, "HTTP 30")):
            double.faults(fault)
            loss = self.loss_from(double.url("/acme/train"), *lent)
            self.assertEqual((loss["commits"], loss["commits_in_range"]), ([], 0))
            self.assertIn(said, loss["commits_why"])
        double.faults()
        for repository, lines, said in (
                (double.url("/acme/elsewhere"), lent,
                 "Not Found (with the token of destination 'github_status'; `secret` in"),
                (double.url("/acme/train"), [], "whether 127.0.0.1 is of GitHub or GitLab cannot"),
                ("https://github.invalid/acme/train", [], "github.invalid"),
                ("https://u:ghp_planted@github.com/a/b", [], "holds a user name or password"),
                ("https://github.com/acme", [], "it leads to no repository"),
                (str(self.folder), [], "is no clone of git, or it lacks")):
            loss = self.loss_from(repository, *lines)
            self.assertIn(said, loss["commits_why"])
            self.assertNotIn("ghp_planted", json.dumps(loss))

    def test_h_a_silent_forge_is_waited_for_a_moment(self):
        double = self.forge()
        double.faults({"fault": "hang", "seconds": 60})
        lines = [*self.section("github_status"), "timeout_ms = 300"]
        loss = self.loss_from(double.url("/acme/train"), *lines)
        self.assertIn("Timeout", loss["commits_why"])

    def test_i_what_a_forge_said_stays_with_the_report(self):
        double = self.forge()
        place = double.url("/acme/train")
        self.configure(*self.section("github_status"), "[report told]", "project = p",
                       "period = month", "at = 0 7 * * *", f"repository = {place}")
        self.schedule(weeks=1)
        [name] = [row["report"] for row in self.reports() if row["name"] == "told"]
        before = self.printed([name])
        [loss] = json.loads(before[0])["losses"]
        self.assert_told(loss)
        double.faults({"fault": "status", "status": 500})
        self.expect(0, "report", name, "--again", "--format", "md")
        self.assertEqual(self.printed([name]), before)

    # ---- kept as it was ----

    def printed(self, names, **how):
        """What readers see: each document, and the first one's page; numbers are a ledger's own."""
        asked = [*((name, "json") for name in names), (names[0], "html")]
        return [self.expect(0, "report", name, "--format", form, **how).out.replace(
            f'"{name}"', '"rp"') for name, form in asked]

    def test_j_corrections_change_no_report(self):
        """Neither what is kept nor what is made of the ledger as it stood."""
        name = self.expect(0, "report", "--project", "p", "--period", "week", "--record",
                           "--format", "json").document["report"]
        before = self.printed([name])
        for words in (["retract", "p3"], ["amend", "p12", "--branch", "feature"],
                      ["amend", "p14", "--commit", "decade0"], ["amend", "p15", "--run", "night"]):
            self.expect(0, *words, "--reason", "found out later")
        again = self.expect(0, "report", name, "--again", "--format", "md")
        self.assertIn(f"{name} was made again from the ledger as it stood at", again.err)
        self.assertIn("it is the same", again.err)
        self.assertEqual(self.printed([name]), before)
        today = self.expect(0, "report", "--project", "p", "--period", "week", "--format",
                            "json").document
        self.assertEqual(len(today["courses"][0]["points"]), BEFORE + AFTER - 2)

    def test_ja_what_is_mistyped_is_an_error(self):
        """No report of nothing; times of day are understood."""
        [row] = self.expect(0, "list", "workloads", "--format", "json").document["rows"]
        workload = row["workload"]
        typo = self.expect(1, "report", "--project", "p", "--period", "week", "--workload",
                           workload + "x")
        self.assertIn(f"has no workload that is '{workload}x'; did you mean '{workload}'?",
                      typo.err)
        nowhere = self.expect(1, "report", "--project", "p", "--since", "1d", "--branch", "nope")
        self.assertIn("project 'p' has no run of branch 'nope'", nowhere.err)
        today = self.expect(0, "report", "--project", "p", "--workload", workload, "--until",
                            "2026-01-05T08:30:00.25+01:00", "--format", "json").document
        self.assertEqual((today["since_utc"], today["until_utc"]),
                         ("2025-12-29T07:30:00.250000Z", "2026-01-05T07:30:00.250000Z"))
        wrong = self.expect(2, "report", "--project", "p", "--until", "8 o'clock")
        self.assertIn("'8 o'clock' is no time like 2026-11-30", wrong.err)

    def test_ja_an_option_that_cannot_apply_is_an_error(self):
        """Each option is heard by all forms of the command that name it."""
        new = ("--project", "p", "--period", "week")
        kept = self.folder / "kept.json"
        summary = self.folder / "summary.json"
        self.expect(0, "report", *new, "--format", "json", "--output", kept)
        name = self.expect(0, "report", *new, "--record", "--format", "json").document["report"]
        summary.write_text(self.expect(0, "show", "p1").out)
        of_new = [("--measure", "op_time"), ("--policy", "none"), ("--record",), ("--branch", "b"),
                  ("--all-branches",), ("--repository", "none"), ("--period", "day"),
                  ("--since", "1d"), ("--until", "1d")]
        of_ledger = [("--project", "p"), ("--workload", "w")]
        of_summary, of_kept = [("--top-k", "3")], [("--again",)]
        for form, others, words in (
                ((name,), of_new + of_ledger + of_summary, "is a recorded report"),
                ((kept,), of_new + of_ledger + of_summary + of_kept, "is a report in a file"),
                (("p1",), of_new + of_kept, "'p1' is a summary of the ledger"),
                (("--summary", summary), of_new + of_ledger + of_kept, "is a summary in a file"),
                (new, of_summary + of_kept, "this is a new report of trends")):
            for option in others:
                refused = self.expect(2, "report", *form, *option)
                self.assertEqual(refused.out, "", (form, option))
                self.assertIn(f"option {option[0]} is for ", refused.err)
                self.assertIn(words, refused.err)
            self.expect(0, "report", *form)
        self.assertIn("holds no report rp0", self.expect(1, "report", "rp0").err)
        self.assertIn("a recorded report is called rp7", self.expect(1, "report", "6").err)

    def test_jb_a_policy_of_its_own_is_used_or_missed(self):
        made = ("report", "--project", "p", "--period", "week")
        policy = self.folder / "own.policy"
        policy.write_text("policy_version = 1\n")
        plain = self.expect(0, *made, "--format", "json").document
        own = self.expect(0, *made, "--format", "json", "--policy", policy).document
        self.assertEqual((plain["policy"], own["policy"]), (None, str(policy)))
        self.assertTrue(own["losses"])
        self.assertEqual((own["losses"], own["canaries"]), (plain["losses"], plain["canaries"]))
        missing = self.expect(1, *made, "--policy", policy.with_name("none.policy"))
        self.assertEqual(missing.out, "")
        self.assertIn("none.policy': No such file", missing.err)
        trend = self.expect(6, "trend", "--project", "p", "--workload", "w", "--policy",
                            policy.with_name("none.policy"))
        self.assertIn("none.policy': No such file", trend.err)
        self.assertNotIn("--branch", trend.err)
        shown = self.expect(0, "trend", "--project", "p", "--workload", "w", "--policy", policy)
        self.assertEqual(shown.document["policy"], str(policy))

    def test_k_another_ledger_shows_the_same_bytes(self):
        names = [row["report"] for row in self.reports()]
        self.assertGreaterEqual(len(names), 4)
        file = self.folder / "all.jsonl"
        other = self.second("other")
        self.expect(0, "export", "--output", file)
        self.expect(0, "import", file, environment=other)
        there = self.expect(0, "list", "reports", "--format", "json", environment=other).document
        self.assertEqual(self.printed([row["report"] for row in there["rows"]], environment=other),
                         self.printed(names))
        again = self.expect(0, "import", file, environment=other).document
        self.expect(0, "verify", environment=other)
        self.assertEqual([(row["name"], row["recorded_at_utc"]) for row in there["rows"]],
                         [(row["name"], row["recorded_at_utc"]) for row in self.reports()])
        self.assertEqual(again["decisions"], 0)

    def test_ka_a_list_that_is_cut_says_so(self):
        """In every format, of every noun that has more than the rows that are listed."""
        for noun in ("runs", "profiles", "reports"):
            for form, said in (("text", "out"), ("json", "err"), ("csv", "err")):
                one = self.expect(0, "list", noun, "--limit", "1", "--format", form)
                self.assertIn("there are more", getattr(one, said), (noun, form))
                whole = self.expect(0, "list", noun, "--limit", "400", "--format", form)
                self.assertNotIn("there are more", whole.out + whole.err)

    def test_l_a_failure_is_said_and_mended(self):
        self.forget_claims()
        self.configure("[report other]", "project = p", "at = 0 7 * * *", "to = nobody",
                       "[report wrong]", "project = p", "period = fortnight", "at = 0 7 * * *",
                       "[report beside]", "project = p", "at = 0 7 * * *")
        done = self.expect(2, "work", "schedule", "--once", environment=self.environment_of())
        self.assertIn("level=error event=task_failed task=reports", done.err)
        self.assertRegex(done.err, r"config:\d+: report 'wrong': period: 'fortnight' must be day")
        self.assertRegex(done.err, r"report 'other' waits until \S+Z: .*nobody")
        self.assertIn("not all that was due is done: see why 'reports' failed above", done.err)
        self.assertIn("beside", [row["name"] for row in self.reports()])
        self.configure("[report other]", "project = p", "at = 0 7 * * *")
        waits = self.expect(75, "work", "schedule", "--once", environment=self.environment_of())
        self.assertRegex(waits.err, r"level=warn event=task_failed .*report 'other' waits until "
                         r"\S+Z: .*nobody")
        status = self.expect(0, "status").out
        self.assertIn("report other", status)
        self.configure("[report other]", "project = p", "at = 0 7 * * *", "to = nobody")
        check = self.expect(1, "check", "--offline").out
        self.assertIn("report 'other' leads to 'nobody', which is no [destination nobody]", check)
        self.assertNotIn("other", [row["name"] for row in self.reports()])
        self.configure("[report other]", "project = p", "at = 0 7 * * *")
        self.schedule()
        self.assertIn("other", [row["name"] for row in self.reports()])
        self.assertNotIn("report other", self.expect(0, "status").out)
        check = self.call("check", "--offline").out
        self.assertRegex(check, r"other +of p, each week, "
                                r"next at \d{4}-\d\d-\d\dT07:00Z, to nobody")


del MailCase, ChannelCase

if __name__ == "__main__":
    unittest.main()
