"""Dead messages that a person tries again: no destination is left with an alarm that is over, nor
with a state that is not the newest.
"""

import json
import unittest

from channel_case import ChannelCase


class Retry(ChannelCase):
    """A destination for people and one that shows commits, new ones for each test."""

    number = 0

    def setUp(self):
        super().setUp()
        type(self).number += 1
        self.people, self.state = f"people-{self.number}", f"state-{self.number}"
        self.write(f"{self.people}, {self.state}")

    def write(self, notify):
        self.configure(*self.section("slack", self.people),
                       *self.section("github_status", self.state), notify=notify)

    def refuse(self, *paths):
        """What takes nothing for now."""
        for double in self.doubles.values():
            double.faults(*({"fault": "status", "status": 404, "path": path} for path in paths))

    def ids(self, state, destination=None):
        text = self.sql("SELECT o.id FROM outbox o JOIN destinations d ON d.id = o.destination_id"
                        f" WHERE o.state = '{state}' AND d.name = '{destination or self.people}'"
                        " ORDER BY o.id")
        return [int(line) for line in text.split()]

    def retry(self, code, *operands):
        """What is on its way again, and why the rest is not."""
        result = self.expect(code, "alert", "retry", *operands)
        document = json.loads(result.out)
        return (document["messages"],
                {row["message"]: row["why"] for row in document["not_sent"]}, result.err)

    def heard(self):
        """What people were told, in order."""
        return [json.loads(entry["body"])["text"].split(":")[0]
                for entry in self.requests("chat") if entry["status"] == 200]

    def test_the_end_comes_with_an_alarm_that_is_over(self):
        self.write(self.people)
        self.slow("over-1", 300, branch="over")
        self.refuse("/services/*")
        self.work(dead=1)
        [alarm] = self.ids("dead")
        self.good("over-2", 301, branch="over")
        self.refuse()
        self.work()  # the end of what was never told is void
        [end] = self.ids("superseded")
        self.assertEqual(self.retry(0, alarm), ([alarm, end], {}, ""))
        self.work(delivered=2)
        self.assertEqual(self.heard(), ["FAIL", "RESOLVED"])

    def test_the_end_is_void_as_soon_as_its_alarm_dies(self):
        self.write(self.people)
        self.slow("waits-1", 302, branch="waits")
        self.good("waits-2", 303, branch="waits")
        self.refuse("/services/*")
        self.work(dead=1)
        self.assertEqual(len(self.ids("superseded")), 1)

    def test_what_was_told_since_is_not_undone(self):
        self.write(self.people)
        self.slow("since-1", 304, branch="since")
        self.work(delivered=1)
        self.slow("since-2", 305, branch="since")
        self.refuse("/services/*")
        self.work(dead=1)
        [repeated] = self.ids("dead")
        self.good("since-3", 306, branch="since")
        self.refuse()
        self.work(delivered=1)
        sent, kept, said = self.retry(65, repeated)
        self.assertEqual(sent, [])
        self.assertRegex(kept[repeated], r"^message \d+ told of the alert since$")
        self.assertIn(f"message {repeated} is not sent: message", said)
        self.assertEqual(self.retry(0, self.people)[0], [])  # nor by the destination's name
        self.work()
        self.assertEqual(self.heard(), ["FAIL", "RESOLVED"])

    def test_an_alarm_whose_end_nobody_was_told_stays(self):
        """The pass went to nobody: the route had left the destination out by then."""
        self.write(self.people)
        self.slow("silent-1", 307, branch="silent")
        self.refuse("/services/*")
        self.work(dead=1)
        [alarm] = self.ids("dead")
        self.write(self.state)
        self.good("silent-2", 308, branch="silent")
        self.assertEqual(self.retry(65, alarm)[1], {alarm: "the alert is resolved by now"})

    def test_what_people_say_holds(self):
        self.write(self.people)
        self.slow("said-1", 309, branch="said")
        self.refuse("/services/*")
        self.work(dead=1)
        [alarm] = self.ids("dead")
        verdict = "v" + self.sql("SELECT max(id) FROM verdicts")
        self.expect(0, "alert", "dismiss", verdict, "--reason", "shared machine")
        self.assertEqual(self.retry(65, alarm)[1], {alarm: "the alert is dismissed by now"})
        self.expect(0, "alert", "reopen", verdict, "--reason", "it was not")
        self.expect(0, "alert", "silence", "--project", "p", "--branch", "said", "--reason", "x",
                    "--for", "60")
        self.assertIn("until its silence ends", self.retry(65, alarm)[1][alarm])
        self.silences_end()
        self.refuse()
        self.assertEqual(self.retry(0, alarm)[0], [alarm])
        self.work(delivered=1)
        self.assertEqual(self.heard(), ["FAIL"])

    def test_an_alarm_brings_all_that_was_lost_after_it(self):
        """A fail, its end and the return, all lost: the end alone would be a lie."""
        self.write(self.people)
        self.refuse("/services/*")
        self.slow("lost-1", 310, branch="lost")
        self.work(dead=1)
        self.good("lost-2", 311, branch="lost")
        self.work()
        self.slow("lost-3", 312, branch="lost")
        self.work(dead=1)
        alarm, again = self.ids("dead")
        [end] = self.ids("superseded")
        self.refuse()
        self.assertEqual(self.retry(0, alarm), ([alarm, end, again], {}, ""))
        self.work(delivered=3)
        self.assertEqual(self.heard(), ["FAIL", "RESOLVED", "REOPENED"])

    def test_only_the_newest_state_is_shown(self):
        self.write(self.state)
        commit = "4" * 40
        self.slow("shown-1", 320, branch="shown", commit=commit)
        self.refuse("*/statuses/*")
        self.work(dead=1)
        verdict = "v" + self.sql("SELECT max(id) FROM verdicts")
        self.expect(0, "accept", verdict, "--reason", "agreed")
        self.work(dead=1)
        failure, success = self.ids("dead", self.state)
        self.refuse()
        sent, kept, _ = self.retry(65, failure)
        self.assertEqual((sent, kept),
                         ([], {failure: f"message {success} shows a newer state"}))
        self.assertEqual(self.retry(0, self.state)[:2],
                         ([success], {failure: f"message {success} shows a newer state"}))
        self.work(delivered=1)
        [status] = [json.loads(entry["body"])["state"] for entry in self.requests("forge")
                    if entry["status"] == 201]
        self.assertEqual(status, "success")

    def test_what_is_configured_no_more_stays_and_does_not_hold_up_the_rest(self):
        self.slow("left-1", 321, branch="left")
        self.refuse("/services/*", "*/statuses/*")
        self.work(dead=2)
        [alarm], [state] = self.ids("dead"), self.ids("dead", self.state)
        self.configure(*self.section("slack", self.people), notify=self.people)
        self.refuse()
        sent, kept, _ = self.retry(0, "--all")
        self.assertIn(alarm, sent)
        self.assertIn(f"'{self.state}'", kept[state])


if __name__ == "__main__":
    unittest.main()
