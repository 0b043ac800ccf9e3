"""Every kind of destination, from a verdict to a strict double: the life of an alert, routes,
faults and what becomes of them, `stepledger alert`; and no secret anywhere.
"""

import json
import os
import time
import unittest

from channel_case import (APP_TOKEN, COMMIT, KINDS, LOOPBACK, OTHER_COMMIT, SECRETS, ChannelCase,
                          slack)

CHATS = ["webhook", "slack", "slack_api", "discord", "teams", "google_chat", "mattermost"]
FORGES = ["github_status", "github_check", "github_comment", "gitlab_status", "gitlab_note"]
ASK_FIRST = ["github_check", "github_comment", "gitlab_note"]  # what is there, before they write
SLOW_MS = 600_000  # a first backoff that no test waits for
HOSTILE = ("<!channel> @everyone `*_~|[x](http://e.example)<users/all> #7 \u202e\u200b "
           "\U0001f600")


class Life(ChannelCase):
    """An alert from its beginning to its end, at every kind of destination."""

    def configure_all(self, kinds):
        lines = [line for kind in kinds for line in self.section(kind)]
        self.configure(*lines, notify=", ".join(kinds),
                       verdict_url="https://ledger.example/verdicts/{verdict}")

    def test_tells_beginning_end_and_return_in_one_thread(self):
        self.configure_all(CHATS)
        self.slow("life-1", 70, branch="pull/8")
        self.work(delivered=len(CHATS))
        self.good("life-2", 71, branch="pull/8")
        self.work(delivered=len(CHATS))
        self.slow("life-3", 72, branch="pull/8")
        self.work(delivered=len(CHATS))
        self.assert_accepted()
        state = self.doubles["chat"].state()
        root, *replies = state["slack"]
        self.assertEqual(root["edits"], 2)
        self.assertTrue(root["text"].startswith("REOPENED: p/w: step time "), root["text"])
        self.assertEqual([reply["thread_ts"] for reply in replies], [root["ts"]] * 2)
        self.assertEqual([reply["text"].partition(":")[0] for reply in replies],
                         ["RESOLVED", "REOPENED"])
        self.assertIn("commit " + COMMIT, json.dumps(root["blocks"]))
        self.assertIn("stepledger accept v", json.dumps(root["blocks"]))
        self.assertIn("https://ledger.example/verdicts/v", json.dumps(root["blocks"]))
        first, *more = state["discord"]
        self.assertEqual((first["edits"], len(more)), (2, 2))
        self.assertEqual(len({held["thread"]["name"] for held in state["google_chat"]}), 1)
        for service in ("slack_webhook", "teams", "google_chat", "mattermost"):
            self.assertEqual(len(state[service]), 3, service)
        self.assertEqual([event["body"]["change"] for event in state["webhook"]["signed"]],
                         ["firing", "resolved", "reopened"])

    def test_keeps_one_state_per_commit_and_one_comment_per_request(self):
        self.configure_all(FORGES)
        forge = self.doubles["forge"]
        forge.control("seed", github={"comments": [
            {"issue": 7, "login": "mallory", "body": "<!-- stepledger:v1 key=planted -->\nmine"}]})
        self.slow("forge-1", 73)
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
        self.assertIn("NO VERDICT: p/w: a profile or baseline", runs[0]["output"]["title"])
        self.assertNotIn("nowhere", json.dumps(runs))
        self.assertEqual(self.sql("SELECT count(*) FROM outbox WHERE state = 'pending'"), "0")

    def test_shows_a_judgement_that_is_under_way_and_ends_it_when_it_is_lost(self):
        self.configure_all(["github_check"])
        sha = "f" * 40
        pipe = self.folder / "endless.xplane.pb"
        os.mkfifo(pipe)
        gate = self.start("gate", "--project", "p", "--workload", "w", "--commit", sha, pipe)
        self.addCleanup(gate.communicate)
        self.addCleanup(gate.kill)
        deadline = time.monotonic() + 20
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
                       "rate_limit = 1/3600")
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


class Faults(ChannelCase):
    """Each fault ends in its documented state, for each kind of destination."""

    def enqueue_test(self, kind):
        """One message of this kind in the outbox, made by a verdict of its own."""
        type(self).number = getattr(type(self), "number", 0) + 1
        sha = f"{self.number:040x}"
        self.slow("fault", 60, branch=f"pull/7/{self.number}" if kind != "github_comment"
                  else "pull/7", commit=sha)

    def state(self):
        return self.sql("SELECT state FROM outbox ORDER BY id DESC LIMIT 1")

    def last_id(self):
        return self.sql("SELECT max(id) FROM outbox")

    def meet(self, kind, rule, *, timeout_ms=20000):
        """(report counter, class) of one attempt under a fault."""
        double = KINDS[kind][0]
        self.configure(*self.section(kind, timeout_ms=timeout_ms), notify=kind,
                       delivery_base_ms=SLOW_MS)
        self.open_destinations()
        self.clear_outbox()
        self.sql(f"INSERT INTO destinations (name) VALUES ('{kind}') ON CONFLICT DO NOTHING")
        body = self.sql("SELECT encode(o.body, 'hex') FROM outbox o JOIN destinations d"
                        f" ON d.id = o.destination_id WHERE d.name = '{kind}' LIMIT 1")
        if not body:
            self.enqueue_test(kind)
            body = self.sql("SELECT encode(o.body, 'hex') FROM outbox o JOIN destinations d"
                            f" ON d.id = o.destination_id WHERE d.name = '{kind}'"
                            " ORDER BY o.id DESC LIMIT 1")
            self.clear_outbox()
        type(self).number = getattr(type(self), "number", 0) + 1
        key = f"fault-{kind}-{self.number}"
        self.sql("INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body)"
                 f" SELECT id, '{key}', '{key}', 'application/json', decode('{body}', 'hex')"
                 f" FROM destinations WHERE name = '{kind}'")
        self.doubles[double].faults(rule)
        result = self.expect(0, "work", "alert", "--once")
        self.doubles[double].faults()
        self.said += [result.out, result.err]
        counted = {name for name, count in result.document.items() if count}
        row = self.sql(f"SELECT state FROM outbox WHERE dedupe_key = '{key}'")
        return counted, row, result.err

    def test_each_fault_ends_in_its_documented_state(self):
        cases = [
            ({"fault": "status", "status": 500}, "ambiguous", "pending"),
            ({"fault": "status", "status": 503}, "retry", "pending"),
            ({"fault": "status", "status": 401}, "permanent", "dead"),
            ({"fault": "status", "status": 404}, "permanent", "dead"),
            ({"fault": "status", "status": 429, "retry_after": 3600, "pause_s": 0}, "retry",
             "pending"),
            ({"fault": "cut", "when": "after"}, "ambiguous", "pending"),
            ({"fault": "redirect"}, "permanent", "dead"),
            ({"fault": "hang"}, "ambiguous", "pending"),
            ({"fault": "drip", "interval_s": 0.05}, "ambiguous", "pending"),
        ]
        for kind in KINDS:
            for rule, outcome, state in cases:
                # A question that fails leaves nothing in doubt.
                asks = kind in ASK_FIRST and outcome == "ambiguous"
                with self.subTest(kind=kind, **rule):
                    timeout_ms = 500 if rule["fault"] in ("hang", "drip") else 20000
                    _, row, log = self.meet(kind, rule, timeout_ms=timeout_ms)
                    self.assertIn(f"class={'retry' if asks else outcome}", log)
                    self.assertEqual(row, state, log)
        self.assertEqual([entry for double in self.doubles.values() for entry in double.log()
                          if entry["listener"] == "elsewhere"], [])

    def test_an_answer_that_comes_in_part_says_only_what_is_there(self):
        """Where the status says it all, the message is delivered."""
        outcomes = {"slack_api": "ambiguous", "discord": "ambiguous",
                    **{kind: "retry" for kind in ASK_FIRST}}
        for kind in KINDS:
            with self.subTest(kind):
                outcome = outcomes.get(kind, "done")
                _, row, log = self.meet(kind, {"fault": "truncate"})
                self.assertIn(f"class={outcome}", log)
                self.assertEqual(row, "done" if outcome == "done" else "pending", log)
        # The service's words against a repeated state would be success.
        _, row, log = self.meet("gitlab_status", {"fault": "truncate"})
        self.assertEqual(row, "pending", log)

    def test_a_limit_closes_the_whole_destination(self):
        self.meet("slack_api", {"fault": "status", "status": 429, "retry_after": 3600})
        left = self.sql("SELECT extract(epoch FROM not_before - now())::int FROM destinations"
                        " WHERE name = 'slack_api'")
        self.assertTrue(3500 < int(left) <= 3600, left)

    def test_a_forbidden_that_is_a_limit_is_tried_again(self):
        rule = {"fault": "status", "status": 403, "retry_after": 3600, "pause_s": 0}
        _, row, log = self.meet("github_status", rule)
        self.assertIn("class=retry", log)
        self.assertEqual(row, "pending")
        self.assertEqual(self.meet("gitlab_status", rule)[1], "dead")

    def test_a_failure_in_a_200_is_a_failure(self):
        ok_false = {"fault": "status", "status": 200, "content_type": "application/json",
                    "body": json.dumps({"ok": False, "error": "is_archived"})}
        _, row, log = self.meet("slack_api", ok_false)
        self.assertEqual(row, "dead")
        self.assertIn("is_archived", log)
        limited = {**ok_false, "body": json.dumps({"ok": False, "error": "service_unavailable"})}
        self.assertEqual(self.meet("slack_api", limited)[1], "pending")
        plain = {"fault": "status", "status": 200, "body": "invalid_payload"}
        self.assertEqual(self.meet("slack", plain)[1], "dead")
        self.assertEqual(self.meet("mattermost", plain)[1], "dead")

    def test_a_lost_reply_makes_no_second_comment_nor_check(self):
        for kind, method in (("github_comment", "POST"), ("github_check", "POST"),
                             ("gitlab_note", "POST")):
            with self.subTest(kind):
                rule = {"fault": "cut", "when": "after", "method": method, "times": 1}
                forge = self.doubles["forge"]
                _, row, _ = self.meet(kind, rule)
                self.assertEqual(row, "pending")
                held = {name: len(forge.state()[name.partition(".")[0]][name.partition(".")[2]])
                        for name in ("github.comments", "github.check_runs", "gitlab.notes")}
                # A list that comes in part is no reason to make another.
                for report, fault in (("retried", [{"fault": "truncate", "method": "GET"}]),
                                      ("delivered", [])):
                    forge.faults(*fault)
                    self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
                    self.work(**{report: 1})
                again = {name: len(forge.state()[name.partition(".")[0]][name.partition(".")[2]])
                         for name in held}
                self.assertEqual(again, held)

    def test_refuses_another_host_and_loopback_by_default(self):
        for kind in ("slack_api", "discord", "github_status"):
            with self.subTest(kind):
                lines = [line for line in self.section(kind) if "allow_addresses" not in line]
                self.configure(*lines, notify=kind)
                result = self.call("alert", "test", kind, "--commit", COMMIT)
                self.assertEqual(result.code, 69, result.err)
                self.assertRegex(result.err, "allow_addresses")
        self.assertEqual((self.requests("chat"), self.requests("forge")), ([], []))

    def test_tells_of_dead_messages_elsewhere(self):
        self.configure(*self.section("discord", "broken", on_dead="backup"),
                       *self.section("slack", "backup", on_dead="broken"), notify="broken")
        self.doubles["chat"].faults({"fault": "status", "status": 404, "operation": "discord"})
        self.slow("dead", 61, branch="dead")
        self.work(dead=1, delivered=1)
        [told] = [json.loads(entry["body"]) for entry in self.requests("chat")
                  if entry["path"].startswith("/services/")]
        self.assertIn("to 'broken' is given up", told["text"])
        self.assertIn("FAIL: p/w", json.dumps(told["blocks"]))
        self.work()  # told once
        self.doubles["chat"].faults()
        message = self.sql("SELECT max(o.id) FROM outbox o JOIN destinations d"
                           " ON d.id = o.destination_id WHERE d.name = 'broken'")
        self.assertEqual(self.expect(0, "alert", "retry", message).document,
                         {"destination": None, "messages": [int(message)]})
        self.work(delivered=1)
        self.expect(6, "alert", "retry", message)

    def test_disables_a_destination_that_keeps_refusing_and_tells_it_elsewhere(self):
        self.configure(*self.section("slack_api", "shut", on_dead="helper"),
                       *self.section("slack", "helper"), notify="shut")
        self.doubles["chat"].faults({"fault": "status", "status": 200, "path": "/api/*",
                                     "content_type": "application/json",
                                     "body": '{"ok": false, "error": "token_revoked"}'})
        for number in range(5):
            self.slow(f"shut-{number}", 64 + number, branch=f"shut-{number}")
        self.work(dead=3, delivered=4)
        told = [json.loads(entry["body"])["text"] for entry in self.requests("chat")
                if entry["path"].startswith("/services/")]
        self.assertEqual(len([text for text in told if "is given up" in text]), 3)
        self.assertRegex(told[-1], "^destination 'shut' is disabled until ")
        [shut] = self.expect(0, "alert", "list").document["destinations"]
        self.assertEqual((shut["destination"], shut["waiting"]), ("shut", 2))
        self.assertIn("token_revoked", shut["disabled_why"])
        self.assertRegex(self.expect(0, "status").out, r"receiver +shut is disabled until ")
        self.work()
        self.doubles["chat"].faults()
        self.assertEqual(len(self.expect(0, "alert", "retry", "shut").document["messages"]), 3)
        self.work(delivered=5)
        self.assertEqual(self.expect(0, "alert", "list").document["destinations"], [])
        self.expect(6, "alert", "retry", "nobody")

    def test_gives_up_in_doubt_where_that_is_wanted(self):
        self.configure(*self.section("slack", "once", on_ambiguity="give_up"), notify="once")
        self.doubles["chat"].faults({"fault": "cut", "when": "after", "times": 1})
        self.slow("doubt", 62, branch="doubt")
        self.work(dead=1)


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
