"""Faults of every kind of destination: each ends in its documented state, what was lost makes no
second comment or check, and what is given up is told elsewhere.
"""

import json
import unittest

from channel_case import COMMIT, KINDS, NO_RETRY, ChannelCase

ASK_FIRST = ["github_check", "github_comment", "gitlab_note"]  # what is there, before they write


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

    def message_of(self, kind):
        """The bytes of a message of this kind, in hex; one verdict makes the first of them."""
        held = type(self).__dict__.get("messages") or {}
        if kind not in held:
            self.enqueue_test(kind)
            held[kind] = self.sql("SELECT encode(o.body, 'hex') FROM outbox o JOIN destinations d"
                                  f" ON d.id = o.destination_id WHERE d.name = '{kind}'"
                                  " ORDER BY o.id DESC LIMIT 1")
            self.clear_outbox()
            type(self).messages = held
        return held[kind]

    def meet_all(self, kinds, rule, *, timeout_ms=20000, waits=NO_RETRY, workers=1):
        """{kind: (state, what was logged of it)} of one attempt under a fault, all at once. Several
        workers wait side by side."""
        bodies = {}
        for kind in kinds:
            self.configure(*self.section(kind), notify=kind, **waits)
            bodies[kind] = self.message_of(kind)
        self.configure(*[line for kind in kinds
                         for line in self.section(kind, timeout_ms=timeout_ms)], **waits)
        self.open_destinations()
        self.clear_outbox()
        type(self).number = getattr(type(self), "number", 0) + 1
        mark = f"fault-{self.number}"
        self.sql(*(f"INSERT INTO destinations (name) VALUES ('{kind}') ON CONFLICT DO NOTHING"
                   for kind in kinds),
                 *("INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body)"
                   f" SELECT id, '{mark}-{kind}', '{mark}-{kind}', 'application/json',"
                   f" decode('{bodies[kind]}', 'hex') FROM destinations WHERE name = '{kind}'"
                   for kind in kinds))
        doubles = {KINDS[kind][0] for kind in kinds}
        for double in doubles:
            self.doubles[double].faults(rule)
        ran = [worker.communicate() + (worker.returncode,) for worker in
               [self.start("work", "alert", "--once") for _ in range(workers)]]
        for double in doubles:
            self.doubles[double].faults()
        self.assertEqual({code for _, _, code in ran}, {0}, ran)
        self.said += [text for out, err, _ in ran for text in (out, err)]
        lines = [line for _, err, _ in ran for line in err.splitlines(True)]
        states = dict(line.split("|") for line in self.sql(
            "SELECT d.name, o.state FROM outbox o JOIN destinations d ON d.id = o.destination_id"
            f" WHERE o.dedupe_key LIKE '{mark}-%'").split())
        logs = {kind: "".join(line for line in lines if f"destination={kind} " in line)
                for kind in kinds}
        return {kind: (states[kind], logs[kind]) for kind in kinds}

    def meet(self, kind, rule, **more):
        """(state, log) of one attempt of one kind."""
        return self.meet_all([kind], rule, **more)[kind]

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
        for rule, outcome, state in cases:
            waits = rule["fault"] in ("hang", "drip")
            met = self.meet_all(KINDS, rule, timeout_ms=1000 if waits else 20000,
                                workers=6 if waits else 1)
            for kind, (row, log) in met.items():
                # A question that fails leaves nothing in doubt.
                asks = kind in ASK_FIRST and outcome == "ambiguous"
                with self.subTest(kind=kind, **rule):
                    self.assertIn(f"class={'retry' if asks else outcome}", log)
                    self.assertEqual(row, state, log)
        self.assertEqual([entry for double in self.doubles.values() for entry in double.log()
                          if entry["listener"] == "elsewhere"], [])

    def test_an_answer_that_comes_in_part_says_only_what_is_there(self):
        """Where the status says it all, the message is delivered."""
        outcomes = {"slack_api": "ambiguous", "discord": "ambiguous",
                    **{kind: "retry" for kind in ASK_FIRST}}
        for kind, (row, log) in self.meet_all(KINDS, {"fault": "truncate"}).items():
            with self.subTest(kind):
                outcome = outcomes.get(kind, "done")
                self.assertIn(f"class={outcome}", log)
                self.assertEqual(row, "done" if outcome == "done" else "pending", log)
        # The service's words against a repeated state would be success.
        row, log = self.meet("gitlab_status", {"fault": "truncate"})
        self.assertEqual(row, "pending", log)

    def test_a_limit_closes_the_whole_destination(self):
        self.meet("slack_api", {"fault": "status", "status": 429, "retry_after": 3600},
                  waits={"delivery_base_ms": 1, "delivery_cap_ms": 2})  # the wait asked for counts
        left = self.sql("SELECT extract(epoch FROM not_before - now())::int FROM destinations"
                        " WHERE name = 'slack_api'")
        self.assertTrue(3500 < int(left) <= 3600, left)

    def test_a_forbidden_that_is_a_limit_is_tried_again(self):
        rule = {"fault": "status", "status": 403, "retry_after": 3600, "pause_s": 0}
        row, log = self.meet("github_status", rule)
        self.assertIn("class=retry", log)
        self.assertEqual(row, "pending")
        self.assertEqual(self.meet("gitlab_status", rule)[0], "dead")

    def test_a_failure_in_a_200_is_a_failure(self):
        ok_false = {"fault": "status", "status": 200, "content_type": "application/json",
                    "body": json.dumps({"ok": False, "error": "is_archived"})}
        row, log = self.meet("slack_api", ok_false)
        self.assertEqual(row, "dead")
        self.assertIn("is_archived", log)
        limited = {**ok_false, "body": json.dumps({"ok": False, "error": "service_unavailable"})}
        self.assertEqual(self.meet("slack_api", limited)[0], "pending")
        plain = {"fault": "status", "status": 200, "body": "invalid_payload"}
        self.assertEqual(self.meet("slack", plain)[0], "dead")
        self.assertEqual(self.meet("mattermost", plain)[0], "dead")

    def test_a_lost_reply_makes_no_second_comment_nor_check(self):
        for kind, method in (("github_comment", "POST"), ("github_check", "POST"),
                             ("gitlab_note", "POST")):
            with self.subTest(kind):
                rule = {"fault": "cut", "when": "after", "method": method, "times": 1}
                forge = self.doubles["forge"]
                row, _ = self.meet(kind, rule)
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

    def test_follows_a_repository_that_was_renamed(self):
        kinds = ("github_status", "github_check", "github_comment")
        self.configure(*[line for kind in kinds
                         for line in self.section(kind, repository="acme/former")],
                       notify=", ".join(kinds))
        self.slow("renamed", 63, commit=COMMIT)
        self.expect(0, "work", "alert", "--once")
        self.assert_accepted()
        state = self.doubles["forge"].state()["github"]
        self.assertEqual({kind: len(state[kind]) for kind in ("statuses", "check_runs",
                                                              "comments")},
                         {"statuses": 1, "check_runs": 1, "comments": 1})

    def test_follows_forges_within_their_origin_alone(self):
        for kind in ("github_status", "gitlab_status", "github_comment"):
            for status in (301, 302, 307, 308):
                for to in ("same", "elsewhere"):
                    rule = {"fault": "redirect", "status": status, "to": to, "times": 1}
                    with self.subTest(kind=kind, **rule):
                        self.configure(*self.section(kind), notify=kind)
                        self.doubles["forge"].faults(rule)
                        result = self.call("alert", "test", kind, "--commit", COMMIT,
                                           "--branch", "pull/7")
                        follows = to == "same" and status != 302
                        self.assertEqual(result.code, 0 if follows else 69, result.err)
        self.doubles["forge"].faults({"fault": "redirect", "status": 308, "to": "same"})
        self.configure(*self.section("github_status"), notify="github_status")
        self.expect(69, "alert", "test", "github_status", "--commit", COMMIT)  # without end
        self.assertEqual([entry for entry in self.requests("forge")
                          if entry["listener"] == "elsewhere"], [])

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
                         {"destination": None, "messages": [int(message)], "not_sent": []})
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


if __name__ == "__main__":
    unittest.main()
