"""Every kind of destination, from a verdict to a strict double: the life of an alert, routes,
`stepledger alert`; and no secret anywhere. Faults are met in channel_faults_test.py.
"""

import json
import os
import time
import unittest

from channel_case import (APP_TOKEN, COMMIT, KINDS, LOOPBACK, OTHER_COMMIT, SECRETS, ChannelCase,
                          slack)

CHATS, FORGES = ([kind for kind, (double, *_) in KINDS.items() if double == of]
                 for of in ("chat", "forge"))
HOSTILE = ("<!channel> @everyone `*_~|[x](http://e.example)<users/all> #7 \u202e\u200b "
           "\U0001f600")


class Life(ChannelCase):
    """An alert from its beginning to its end, at every kind of destination."""

    def configure_all(self, kinds):
        lines = [line for kind in kinds for line in self.section(kind)]
        self.configure(*lines, notify=", ".join(kinds),
                       verdict_url="https://ledger.example/verdicts/{verdict}")

    def test_knows_a_double_of_every_kind(self):
        told = self.expect(0, "help", "alerts").out
        rows = told.partition("kinds of destinations")[2].partition("\n\n")[0].splitlines()[1:]
        of_their_own = ["mail", "wandb"]  # mail_test.py, wandb_outbox_test.py
        self.assertEqual(sorted(row.split()[0] for row in rows), sorted([*KINDS, *of_their_own]))

    def test_tells_beginning_end_and_return_in_one_thread(self):
        self.configure_all(CHATS)
        self.slow("life-1", 70, branch="pull/8")
        self.work(delivered=len(CHATS))
        self.good("life-2", 71, branch="pull/8")
        self.work(delivered=len(CHATS))
        self.slow("life-3", 72, branch="pull/8", commit="7" * 40)
        self.work(delivered=len(CHATS))
        self.assert_accepted()
        state = self.doubles["chat"].state()
        root, *replies = state["slack"]
        self.assertEqual(root["edits"], 2)
        self.assertTrue(root["text"].startswith("REOPENED: p/w: step time "), root["text"])
        self.assertEqual([reply["thread_ts"] for reply in replies], [root["ts"]] * 2)
        self.assertEqual([reply["text"].partition(":")[0] for reply in replies],
                         ["RESOLVED", "REOPENED"])
        self.assertIn("commit " + "7" * 40, json.dumps(root["blocks"]))
        self.assertIn("stepledger accept v", json.dumps(root["blocks"]))
        self.assertIn("https://ledger.example/verdicts/v", json.dumps(root["blocks"]))
        first, *more = state["discord"]
        self.assertEqual((first["edits"], len(more)), (2, 2))
        self.assertEqual(len({held["thread"]["name"] for held in state["google_chat"]}), 1)
        for service in ("slack_webhook", "teams", "google_chat", "mattermost"):
            self.assertEqual(len(state[service]), 3, service)
        self.assertEqual([event["body"]["change"] for event in state["webhook"]["signed"]],
                         ["firing", "resolved", "reopened"])

    def of_ci(self, name, seed, environment, *options):
        """A judgement as the shipped workflows make it: the environment says what it is of."""
        result = self.expect(1, "gate", "--project", "p", "--workload", "w", "--format", "github",
                             *options, self.profile(name, "--kind", "tpu", "--seed", str(seed),
                                                    "--slow-op", "attention=2.5"),
                             environment={"STEPLEDGER_ORIGIN_FROM_CI": "yes", **environment})
        self.said += [result.out, result.err]
        return result.out

    def test_comments_where_the_shipped_workflows_run(self):
        kinds = ["github_comment", "gitlab_note"]
        self.configure(*self.section("github_comment"),
                       *self.section("gitlab_note", issue=None), notify=", ".join(kinds))
        event = self.folder / "event.json"
        event.write_text(json.dumps({"number": 7, "pull_request": {
            "number": 7, "head": {"sha": "8" * 40, "ref": "faster"}}}), encoding="utf-8")
        said = self.of_ci("ci-github", 374, {
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event), "GITHUB_REF": "refs/pull/7/merge"})
        self.assertNotIn("gets nothing", said)
        said = self.of_ci("ci-gitlab", 375, {
            "GITLAB_CI": "true", "CI_COMMIT_SHA": "9" * 40, "CI_MERGE_REQUEST_IID": "5",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "faster"})
        self.assertNotIn("gets nothing", said)
        self.expect(0, "work", "alert", "--once")
        state = self.doubles["forge"].state()
        self.assertEqual([c["issue"] for c in state["github"]["comments"]], [7])
        self.assertIn("FAIL", state["gitlab"]["notes"][0]["body"])

    def test_says_where_no_comment_can_appear(self):
        self.configure(*self.section("github_comment"), notify="github_comment")
        said = self.of_ci("ci-branch", 376, {}, "--branch", "faster", "--commit", "e" * 40)
        self.assertRegex(said, "::warning [^\n]*::destination 'github_comment' comments at[^\n]*"
                               "branch is faster; pass --branch pull/NUMBER")
        self.sql("UPDATE outbox SET state = 'superseded', finished_at = now()"
                 " WHERE state = 'pending'")
        self.owner_sql("ALTER TABLE profile_events DISABLE TRIGGER USER",
                       "UPDATE profile_events SET branch = 'side' WHERE branch LIKE 'pull/%'"
                       " OR branch LIKE 'mr/%'",
                       "ALTER TABLE profile_events ENABLE TRIGGER USER")
        self.assertRegex(self.call("check").out,
                         "! destination 'github_comment' comments at pull and merge requests")
        self.configure(*self.section("github_comment", issue=7), notify="github_comment")
        self.assertNotIn("comments at", self.call("check").out)
        said = self.of_ci("ci-issue", 377, {}, "--branch", "faster", "--commit", "f" * 40)
        self.assertNotIn("gets nothing", said)

    def test_a_report_of_a_project_that_is_not_there_is_found(self):
        self.configure("[report sound]", "project = p", "at = 0 7 * * *",
                       "[report astray]", "project = pretrian", "at = 0 7 * * *")
        found = self.call("check", "--offline").out
        self.assertRegex(found, r"! \S+:\d+: report 'astray': the ledger has no project 'pretrian'")
        self.assertNotIn("report 'sound': the ledger", found)

    def test_no_report_is_of_a_time_before_the_first_run(self):
        self.configure("[report early]", "project = p", "at = 0 7 * * *", "period = day")
        for days, made in ((-14, 0), (2, 1)):
            clock = {"SOURCE_DATE_EPOCH": str(int(time.time()) + days * 24 * 3600)}
            self.call("work", "schedule", "--once", environment={**self.environment, **clock})
            self.assertEqual(int(self.sql("SELECT count(*) FROM reports")), made)

    def test_keeps_one_state_per_commit_and_one_comment_per_request(self):
        self.configure_all(FORGES)
        forge = self.doubles["forge"]
        forge.control("seed", github={"comments": [
            {"issue": 7, "login": "mallory", "body": "<!-- stepledger:v1 key=planted -->\nmine"}]})
        self.slow("forge-1", 73, commit=COMMIT)
        self.work(delivered=len(FORGES))
        self.good("forge-2", 74, commit=OTHER_COMMIT)
        self.work(delivered=len(FORGES))
        self.assert_accepted()
        state = forge.state()
        self.assertEqual([(s["sha"], s["state"]) for s in state["github"]["statuses"]],
                         [(COMMIT, "failure"), (OTHER_COMMIT, "success")])
        self.assertEqual([(c["head_sha"], c["status"], c["conclusion"])
                          for c in state["github"]["check_runs"]],
                         [(COMMIT, "completed", "failure"), (OTHER_COMMIT, "completed", "success")])
        ours = [c for c in state["github"]["comments"] if c["user"]["login"] == "stepledger[bot]"]
        self.assertEqual(len(ours), 1)
        self.assertIn("**RESOLVED: p/w: step time", ours[0]["body"])
        self.assertEqual([s["status"] for s in state["gitlab"]["statuses"]], ["failed", "success"])
        self.assertEqual([note["author"]["username"] for note in state["gitlab"]["notes"]],
                         ["stepledger"])
        # The same state again is no transition for this service, and no failure for us.
        self.sql("UPDATE outbox SET state = 'pending', finished_at = NULL, attempt = 0"
                 " WHERE id = (SELECT max(o.id) FROM outbox o JOIN destinations d"
                 " ON d.id = o.destination_id WHERE d.name = 'gitlab_status')")
        self.work(delivered=1)

    def test_closes_the_check_of_a_judgement_that_breaks_off(self):
        self.configure_all(["github_check", "github_status"])
        sha = "e" * 40
        result = self.call("gate", "--project", "p", "--workload", "w", "--branch", "pull/7",
                           "--commit", sha, str(self.folder / "nowhere"))
        self.assertEqual(result.code, 6)
        self.work(delivered=2)
        runs = [c for c in self.doubles["forge"].state()["github"]["check_runs"]
                if c["head_sha"] == sha]
        self.assertEqual([(run["status"], run["conclusion"]) for run in runs],
                         [("completed", "failure")])
        # What goes out names no file of this machine.
        self.assertIn("NO VERDICT: a profile or baseline", runs[0]["output"]["title"])
        self.assertNotIn("nowhere", json.dumps(runs))
        self.assertEqual(self.sql("SELECT count(*) FROM outbox WHERE state = 'pending'"), "0")

    def test_shows_a_judgement_that_is_under_way_and_ends_it_when_it_is_lost(self):
        self.configure_all(["github_check"])
        sha = "f" * 40
        endless = self.folder / "endless.xplane.pb"
        # One unknown field of a terabyte that takes no disk: hashing it outlasts every test.
        endless.write_bytes(b"\x7a\xf9\xff\xff\xff\xff\x1f")
        os.truncate(endless, 1 << 40)
        gate = self.start("gate", "--project", "p", "--workload", "w", "--commit", sha, endless)
        self.addCleanup(gate.communicate)
        self.addCleanup(gate.kill)
        deadline = time.monotonic() + 60
        while self.sql("SELECT count(*) FROM outbox WHERE phase = 'started' AND state = 'pending'"
                       ) == "0" and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertIsNone(gate.poll())
        gate.kill()
        self.work(delivered=1)
        self.assertEqual(self.run_of(sha)[:2], ("in_progress", None))
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
        self.work(delivered=1)
        self.assertEqual(self.run_of(sha), ("completed", "failure", 1))
        self.assert_accepted()

    def run_of(self, sha):
        """(status, conclusion, how many) of the check runs of a commit."""
        runs = [c for c in self.doubles["forge"].state()["github"]["check_runs"]
                if c["head_sha"] == sha]
        return runs[0]["status"], runs[0]["conclusion"], len(runs)

    def test_says_nothing_of_a_pass_to_people(self):
        self.configure_all(["slack", "github_status"])
        self.good("quiet", 75, branch="calm", commit="a" * 40)
        self.work(delivered=1)
        self.assertEqual(self.requests("chat"), [])
        self.assertEqual(self.bodies("forge")[0]["state"], "success")

    def test_survives_hostile_names_in_every_form(self):
        chats = [kind for kind in CHATS if kind != "webhook"]
        self.configure(*[line for kind in [*chats, "webhook", "github_comment", "gitlab_note",
                                           "github_check", "github_status", "gitlab_status"]
                         for line in self.section(kind, **({"issue": 7}
                                                           if kind == "github_comment" else {}))],
                       notify=", ".join([*CHATS, *FORGES]))
        self.slow("hostile", 76, branch=HOSTILE + "y" * 200, commit="b" * 40)
        self.work(delivered=len(CHATS) + len(FORGES))
        self.assert_accepted()
        state = self.doubles["chat"].state()
        for service in ("slack", "slack_webhook"):
            self.assertNotIn("<!channel>", json.dumps(state[service]))
        self.assertNotIn("<users/all>", json.dumps(state["google_chat"]))
        forge = self.doubles["forge"].state()
        for body in (forge["github"]["comments"][0]["body"], forge["gitlab"]["notes"][0]["body"]):
            self.assertIn("\\<\\!channel\\>", body)
            self.assertNotIn("@everyone", body)


class Routing(ChannelCase):
    """Who is told of what, and when."""

    def test_tells_each_route_what_it_is_for(self):
        self.configure(
            *self.section("slack", "all"), *self.section("slack", "other"),
            *self.section("slack", "ends"), *self.section("slack", "branch"),
            "[route a]", "to = all", "[route b]", "project = q*, x", "to = other",
            "[route c]", "change = resolved", "to = ends",
            "[route d]", "branch = release/*", "to = branch, all")
        self.slow("route-1", 80, branch="routed")
        self.good("route-2", 81, branch="routed")
        self.assertEqual(self.phases("all"), "firing resolved")
        self.assertEqual([self.phases(name) for name in ("other", "branch")], ["", ""])
        # Whoever was not told of the beginning does not hear of the end.
        self.assertEqual(self.phases("ends"), "")
        self.slow("route-3", 82, branch="release/1")
        self.assertEqual(self.phases("branch"), "firing")
        self.assertEqual(self.phases("all"), "firing resolved firing")

    def test_silences_people_and_not_states(self):
        self.configure(*self.section("slack", "loud"), *self.section("github_status", "commit"),
                       notify="loud, commit")
        self.expect(2, "alert", "silence", "--project", "p")
        silence = self.expect(0, "alert", "silence", "--project", "p", "--workload", "w",
                              "--branch", "silent", "--for", "600", "--reason", "known").document
        self.assertEqual((silence["project"], silence["branch"]), ("p", "silent"))
        self.slow("silent-1", 83, branch="silent", commit="1" * 40)
        self.assertEqual(self.phases("loud"), "")
        self.assertIn("firing", self.phases("commit"))

    def test_joins_what_comes_together(self):
        self.configure(*self.section("slack", "grouped"), "[route g]", "to = grouped",
                       "group_s = 600")
        for number in range(3):
            self.slow(f"group-{number}", 84 + number, branch=f"group-{number}")
        self.work()
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
        self.work(delivered=1)
        self.assert_accepted()
        text = json.dumps(self.bodies("chat")[-1])
        self.assertIn("3 messages since the last one", text)
        self.assertEqual(text.count("FAIL: p/w"), 3)
        self.assertEqual(self.sql("SELECT count(*) FROM outbox o JOIN destinations d"
                                  " ON d.id = o.destination_id WHERE d.name = 'grouped'"
                                  " AND state = 'superseded'"), "3")

    def test_holds_back_what_is_over_the_rate(self):
        self.configure(*self.section("slack", "limited"), "[route l]", "to = limited",
                       "rate_limit = 1/86400")
        for number in range(3):
            self.slow(f"rate-{number}", 90 + number, branch=f"rate-{number}")
        self.work(delivered=1)
        self.assertEqual(self.sql("SELECT count(*) FROM outbox WHERE in_digest AND"
                                  " state = 'pending'"), "2")

    def test_names_what_is_wrong_with_a_route(self):
        for lines, says in (
                (["to = slack", "status = failed"], "'failed' is unknown"),
                (["to = slack", "quiet_hours = 25:00-1:00"], "22:00-07:00"),
                (["to = slack", "rate_limit = 10"], "MESSAGES/SECONDS"),
                (["to = slack", "grup_s = 1"], "did you mean 'group_s'?"),
                (["to = slak"], "did you mean 'slack'?"),
                (["status = fail"], "has no `to`")):
            with self.subTest(says):
                self.configure(*self.section("slack"), "[route wrong]", *lines)
                result = self.call("gate", "--project", "p", "--workload", "w", "--branch", "b",
                                   self.profile("slow-wrong", "--kind", "tpu", "--seed", "99",
                                                "--slow-op", "attention=2.5"))
                self.assertEqual((result.code, result.out), (2, ""))
                self.assertIn(says, result.err)


class Commands(ChannelCase):
    """stepledger alert."""

    def test_tries_every_kind_of_destination(self):
        self.configure(*[line for kind in KINDS for line in self.section(kind)])
        for kind in KINDS:
            with self.subTest(kind):
                result = self.expect(0, "alert", "test", kind, "--commit", "9" * 40, "--branch",
                                     "pull/8")
                self.assertEqual(result.document["outcome"], "done")
        self.assert_accepted()

    def test_lists_and_shows_messages_with_their_receipts(self):
        self.configure(*self.section("slack_api"), notify="slack_api")
        self.slow("listed", 63, branch="listed")
        self.work(delivered=1)
        document = self.expect(0, "alert", "list", "--state", "done", "--last", "1").document
        [message] = document["messages"]
        self.assertEqual((message["destination"], message["change"], message["state"]),
                         ("slack_api", "firing", "done"))
        self.assertTrue(message["headline"].startswith("FAIL: p/w"))
        self.assertEqual(document["threads"][0]["state"], "firing")
        shown = self.expect(0, "alert", "show", str(message["message"])).document
        self.assertEqual(shown["body"]["channel"], slack.CHANNEL)
        [receipt] = shown["receipts"]
        self.assertEqual((receipt["outcome"], receipt["http_status"]), ("done", 200))
        self.assertEqual(receipt["remote_ref"], document["threads"][0]["remote_ref"])
        self.assertIn("slack_api: FAIL", self.expect(0, "alert", "list", "--format", "text").out)
        self.expect(6, "alert", "show", "999999")
        self.expect(2, "alert", "show", "one")

    def test_check_finds_what_would_keep_messages_from_arriving(self):
        self.configure(
            *self.section("slack"), *self.section("discord", "late", on_dead="nobody"),
            "[destination shut]", "kind = webhook", "url = env:NO_SUCH_URL",
            "[destination plain]", "kind = webhook", "url = http://hooks.example/planted-hook",
            "[destination unsigned]", "kind = webhook",
            "url = https://127.0.0.2/planted-hook", "secret = env:SL_SIGNING_KEY",
            "[destination theirs]", "kind = slack", "url = credential:slack",
            "[destination odd]", "kind = slak",
            "[destination private]", "kind = webhook", "url = https://127.0.0.2/planted-hook",
            "[destination nowhere]", "kind = webhook", "url = https://no-such.invalid/planted-hook",
            "[route r]", "to = slack, slck", notify="late, gone")
        self.sql("INSERT INTO destinations (name) VALUES ('late'), ('slack')"
                 " ON CONFLICT DO NOTHING",
                 "UPDATE destinations SET disabled_why = 'HTTP 401: no', disabled_until = now()"
                 " + interval '1 hour' WHERE name = 'slack'",
                 "INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body,"
                 " created_at, not_before, state, finished_at)"
                 " SELECT d.id, 'c', 'c' || n, 'x', 'x', now() - interval '20 minutes',"
                 " now() - interval '16 minutes',"
                 " CASE n WHEN 1 THEN 'pending' ELSE 'dead' END,"
                 " CASE n WHEN 1 THEN NULL ELSE now() END"
                 " FROM destinations d, generate_series(1, 3) n WHERE d.name = 'late'")
        found = self.expect(1, "check", environment={"SL_SIGNING_KEY": "whsec_planted"})
        self.said += [found.out]
        for says in (r"\n  slack +slack\n", r"\n  theirs +slack, its secret is the service's alone",
                     r"! on_dead of destination '[^']+' leads to 'nobody'",
                     r"! route 'r' leads to 'slck'", r"! notify leads to 'gone'",
                     r"! destination 'shut': url: .*NO_SUCH_URL is not set",
                     r"! .*'plain': the URL http://hooks\.example/… .*is http",
                     r"! destination 'unsigned': .*signing key is whsec_ and the base64 form",
                     r"! .*did you mean 'slack'\?",
                     r"! destination 'slack' is disabled until .*: HTTP 401: no",
                     r"! waiting: 1 message to 'late', the oldest for 16\.[0-9] min",
                     r"! given up within a day: 2 messages to 'late'",
                     r"! destination 'private' cannot be reached: https://127\.0\.0\.2[:/].*",
                     r"! destination 'nowhere' cannot be reached: https://no-such\.invalid/"):
            self.assertRegex(found.out, says)
        offline = self.expect(1, "check", "--offline").out
        self.assertNotIn("cannot be reached", offline)
        self.assertRegex(offline, r"\n  private +webhook\n")
        self.assertEqual(self.requests("chat"), [])

    def test_prints_the_states_of_alerts_and_messages(self):
        graph = self.expect(0, "alert", "graph").out
        for words in ("none          open          regress      the first fail",
                      "pending     sending     outbox_claim", "outbox_supersede",
                      "dead        pending     outbox_revive", "retries: "):
            self.assertIn(words, graph)

    def test_names_what_a_destination_lacks(self):
        for lines, says in (
                (["kind = slack_api", "secret = env:X"], "has no channel"),
                (["kind = slack_api", "channel = C1"], "has no secret"),
                (["kind = slack"], "has no url"),
                (["kind = github_check", "secret = env:X"], "has no repository"),
                (["kind = github_check", "repository = ../x"], "must be OWNER/NAME"),
                (["kind = slackapi"], "did you mean 'slack_api'?"),
                (["kind = slack_api", "secret = xoxb-1"], "file:/PATH or credential:NAME")):
            with self.subTest(says):
                self.configure("[destination d]", *lines)
                result = self.expect(2, "alert", "test", "d")
                self.assertIn(says, result.err)
                self.assertNotIn("xoxb-1", result.err)


class Secrets(ChannelCase):
    """The search of tearDown finds what it looks for."""

    def test_would_find_a_secret_in_the_database(self):
        self.sql(f"INSERT INTO destinations (name) VALUES ('{APP_TOKEN}')")
        self.assertIn(APP_TOKEN, self.dump())
        self.sql(f"UPDATE destinations SET name = 'clean' WHERE name = '{APP_TOKEN}'")
        self.assertIn("allow_http", LOOPBACK)
        self.assertGreater(len(SECRETS), 8)


if __name__ == "__main__":
    unittest.main()
