"""One life of an alert: what verdicts and people do to it, and what of that is told. People want
news; what shows the state of a commit or request gets every verdict.
"""

import time
import unittest

from channel_case import ChannelCase

FIRST, SECOND = "1" * 40, "2" * 40


class LifeCase(ChannelCase):
    """A destination for people and one that shows commits, new ones for each test."""

    number = 0

    def setUp(self):
        super().setUp()
        type(self).number += 1
        self.people, self.state = f"people-{self.number}", f"state-{self.number}"
        self.configure(*self.section("slack", self.people),
                       *self.section("github_status", self.state),
                       notify=f"{self.people}, {self.state}")

    def told(self):
        """The phases that people were told."""
        return self.phases(self.people)

    def shown(self):
        """The states that the last messages about commits hold, oldest first."""
        return self.sql("SELECT string_agg(convert_from(o.body, 'UTF8')::json #>> '{status,state}',"
                        " ' ' ORDER BY o.id) FROM outbox o JOIN destinations d"
                        f" ON d.id = o.destination_id WHERE d.name = '{self.state}'"
                        " AND o.phase NOT IN ('started', 'aborted')")

    def last_verdict(self):
        return "v" + self.sql("SELECT max(id) FROM verdicts")

    def alert(self, branch):
        """The alert of a branch, as `alert list` shows it."""
        document = self.expect(0, "alert", "list", "--all").document
        [found] = [alert for alert in document["alerts"] if alert["branch"] == branch]
        return found


class Verdicts(LifeCase):
    """What verdicts alone do."""

    def test_resolves_at_the_first_pass_and_says_so_once(self):
        self.slow("first-1", 100, branch="first")
        self.assertEqual(self.alert("first")["state"], "open")
        self.slow("first-2", 101, branch="first")
        self.good("first-3", 102, branch="first")
        self.good("first-4", 103, branch="first")
        self.assertEqual(self.told(), "firing repeated resolved")
        self.assertEqual(self.alert("first")["state"], "resolved")

    def test_says_once_that_it_flaps_and_ends_it_after_two_passes_in_a_row(self):
        for number, verdict in enumerate("fpfpfppp"):
            name, seed = f"flap-{number}", 110 + number
            (self.slow if verdict == "f" else self.good)(name, seed, branch="flap")
        self.assertEqual(self.told(), "firing resolved reopened flapping repeated resolved")
        self.assertIn("2 passes in a row end it", self.sql(
            "SELECT convert_from(o.body, 'UTF8') FROM outbox o WHERE o.phase = 'flapping'"))

    def test_a_later_route_tells_what_the_first_does_not(self):
        """`notify` hears no pass; a route to the same people that asks for gains still tells them,
        and what both tell they hear once."""
        self.configure(*self.section("slack", self.people), "[route gains]", "improved = yes",
                       f"to = {self.people}", notify=self.people)
        self.gate(0, "gain", branch="gain", profile=["--seed", "131", "--slow-op", ".=0.8"])
        self.assertIn("PASS: p/w: faster: step time", self.sql(
            "SELECT string_agg(convert_from(o.body, 'UTF8'), ' ') FROM outbox o"
            f" JOIN destinations d ON d.id = o.destination_id WHERE d.name = '{self.people}'"))
        self.good("no-gain", 132, branch="no-gain")
        self.slow("loss", 133, branch="loss")
        self.assertEqual(self.told(), "none firing")

    def test_a_pass_on_other_hardware_ends_nothing(self):
        for run in range(6):
            self.ingest("--branch", "main", "--run", f"other-{run}", self.profile(
                f"other-{run}", "--kind", "tpu", "--seed", str(1120 + run), "--devices", "3"))
        self.slow("hardware-1", 125, branch="hardware")
        self.gate(0, "hardware-2", branch="hardware",
                  profile=("--seed", "126", "--devices", "3"))
        self.assertEqual(self.alert("hardware")["state"], "open")
        self.slow("hardware-3", 127, branch="hardware")
        self.assertEqual(self.told(), "firing repeated")

    def test_a_return_after_a_week_begins_anew(self):
        self.slow("week-1", 130, branch="week")
        self.good("week-2", 131, branch="week")
        self.owner_sql("ALTER TABLE alert_events DISABLE TRIGGER USER",
                       "UPDATE alert_events SET recorded_at = recorded_at - interval '8 days'"
                       " WHERE branch = 'week'",
                       "ALTER TABLE alert_events ENABLE TRIGGER USER")
        self.slow("week-3", 132, branch="week")
        self.assertEqual(self.told(), "firing resolved firing")


class Reminders(LifeCase):
    """An alert that is open for long."""

    def remind(self):
        self.owner_sql("DELETE FROM schedules WHERE name = 'reminders'")
        self.expect(0, "work", "schedule", "--once")

    def test_is_told_again_as_long_as_nobody_looks_after_it(self):
        self.configure(*self.section("slack", self.people),
                       *self.section("github_status", self.state),
                       "[route r]", f"to = {self.people}, {self.state}", "remind_s = 3600")
        self.slow("remind-1", 134, branch="remind")
        self.remind()
        self.assertEqual(self.told(), "firing")
        self.sql("UPDATE alert_threads SET changed_at = now() - interval '61 minutes'")
        self.remind()
        self.remind()
        self.assertEqual((self.told(), self.shown()), ("firing repeated", "failure"))
        self.assertIn("a reminder: it is open since", self.sql(
            "SELECT convert_from(o.body, 'UTF8') FROM outbox o ORDER BY id DESC LIMIT 1"))
        self.expect(0, "alert", "acknowledge", self.last_verdict(), "--reason", "on it")
        self.sql("UPDATE alert_threads SET changed_at = now() - interval '61 minutes'")
        self.remind()
        self.assertEqual(self.told(), "firing repeated")


class Unsealed(LifeCase):
    """A ledger without a checkpoint."""

    def test_is_found_fault_with_after_two_days(self):
        self.slow("unsealed", 139, branch="unsealed")
        self.assertNotIn("no checkpoint", self.call("check").out)
        self.owner_sql("ALTER TABLE profiles DISABLE TRIGGER USER",
                       "UPDATE profiles SET recorded_at = recorded_at - interval '3 days'",
                       "ALTER TABLE profiles ENABLE TRIGGER USER")
        self.assertIn("! no checkpoint within two days", self.call("check").out)


class Gone(LifeCase):
    """An alert whose branch nobody works on any more."""

    def test_closes_with_a_word_when_its_branch_had_no_run_for_long(self):
        self.slow("gone-1", 137, branch="gone")
        self.slow("stays-1", 138, branch="stays")

        def look():
            self.owner_sql("DELETE FROM schedules WHERE name = 'gone_branches'")
            self.expect(0, "work", "schedule", "--once")
            return self.alert("gone")["state"]

        self.assertEqual(look(), "open")
        self.owner_sql(*[line for table in ("alert_events", "profile_events") for line in (
            f"ALTER TABLE {table} DISABLE TRIGGER USER",
            f"UPDATE {table} SET recorded_at = recorded_at - interval '15 days'"
            " WHERE branch = 'gone'",
            f"ALTER TABLE {table} ENABLE TRIGGER USER")])
        self.assertEqual((look(), look()), ("resolved", "resolved"))
        self.assertEqual(self.alert("stays")["state"], "open")
        self.assertEqual(self.told(), "firing firing resolved")
        body = self.sql("SELECT convert_from(o.body, 'UTF8') FROM outbox o ORDER BY id DESC"
                        " LIMIT 1")
        self.assertIn("RESOLVED: p/w: no run of branch gone for 14 days: it counts as gone", body)
        self.assertNotIn("step time", body)
        self.assertIn("it counts as gone", self.sql(
            "SELECT reason FROM alert_events WHERE action = 'expire'"))


class Waiting(LifeCase):
    """Messages that come at the wrong time."""

    def test_waits_for_the_end_of_quiet_hours_and_then_comes_in_one(self):
        self.configure(*self.section("slack", self.people),
                       *self.section("github_status", self.state),
                       "[route r]", f"to = {self.people}, {self.state}",
                       "quiet_hours = 22:00-07:00")
        for number in range(2):
            self.expect(1, "gate", "--project", "p", "--workload", "w", "--branch",
                        f"night-{number}", "--commit", FIRST, self.profile(
                            f"night-{number}", "--kind", "tpu", "--seed", str(136 + number),
                            "--slow-op", "attention=2.5"),
                        environment={"SOURCE_DATE_EPOCH": str(20000 * 86400 + 23 * 3600)})
        waits = self.sql("SELECT d.name, round(extract(epoch FROM o.not_before - o.created_at))"
                         " FROM outbox o JOIN destinations d ON d.id = o.destination_id"
                         " WHERE o.phase = 'firing' AND o.state = 'pending' ORDER BY o.id").split()
        self.assertEqual(waits, [f"{self.people}|{8 * 3600}", f"{self.state}|0"] * 2)
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'"
                 " AND phase = 'firing'")
        result = self.expect(0, "work", "alert", "--once")
        self.assertEqual(result.document["dead"], 0)
        [text] = [entry["body"] for entry in self.requests("chat")]
        self.assertIn("2 messages since the last one", text)


class People(LifeCase):
    """What people say."""

    def take(self, branch, commit, seed=140):
        """A fail and its acceptance."""
        self.slow(f"{branch}-1", seed, branch=branch, commit=commit)
        accepted = self.expect(0, "accept", self.last_verdict(), "--reason", "agreed").document
        self.assertEqual(accepted["alert"], "dismissed")
        self.assertEqual(self.shown(), "failure success")

    def test_leaves_people_alone_about_what_one_of_them_took(self):
        self.take("taken", FIRST)
        self.slow("taken-2", 141, branch="taken", commit=FIRST, code=0)
        self.assertEqual(self.told(), "firing")
        self.assertEqual(self.shown(), "failure success success")
        self.assertEqual(self.alert("taken")["state"], "dismissed")

    def test_tells_people_of_another_change_than_the_one_that_was_taken(self):
        self.take("other-taken", "3" * 40, seed=145)
        self.slow("other-taken-2", 142, branch="other-taken", commit="4" * 40)
        self.assertEqual(self.told(), "firing reopened")
        self.assertEqual(self.shown(), "failure success failure")

    def test_tells_people_by_how_much_it_is_more_than_was_taken(self):
        self.take("more", "5" * 40, seed=146)
        taken = self.last_verdict()
        self.slow("more-2", 147, factor=4, branch="more", commit="5" * 40)
        self.assertEqual(self.told(), "firing reopened")
        body = self.sql("SELECT convert_from(o.body, 'UTF8') FROM outbox o JOIN destinations d"
                        f" ON d.id = o.destination_id WHERE d.name = '{self.people}'"
                        " AND o.phase = 'reopened'")
        self.assertIn(f"more than was accepted: {taken} was accepted, with an estimate of", body)

    def test_is_quiet_about_what_somebody_looks_after_until_it_gets_worse(self):
        self.slow("known-1", 150, branch="known")
        self.expect(2, "alert", "acknowledge", self.last_verdict())
        said = self.expect(0, "alert", "acknowledge", self.last_verdict(), "--reason",
                           "on it").document
        self.assertEqual((said["was"], said["state"]), ("open", "acknowledged"))
        self.slow("known-2", 151, branch="known")
        self.assertEqual(self.told(), "firing")
        row = self.alert("known")
        self.assertEqual((row["state"], row["reason"]), ("acknowledged", "on it"))
        self.assertTrue(row["by"].endswith("stepledger"), row["by"])
        self.slow("known-3", 152, factor=4, branch="known")
        self.assertEqual(self.told(), "firing worsened")
        self.assertEqual(self.alert("known")["state"], "open")
        self.expect(0, "alert", "acknowledge", row["alert"], "--reason", "still on it")
        self.good("known-4", 153, branch="known")
        self.assertEqual(self.told(), "firing worsened resolved")
        self.assertEqual(self.shown(), "failure failure failure success")

    def test_is_quiet_about_what_is_silenced_until_the_silence_is_over(self):
        self.slow("quiet-1", 160, branch="quiet")
        alert = self.alert("quiet")["alert"]
        self.expect(2, "alert", "acknowledge", alert, "--for", "60", "--reason", "x")
        self.expect(2, "alert", "silence", alert, "--until", "soon", "--reason", "x")
        self.expect(2, "alert", "silence", alert, "--until", "2001-01-01", "--reason", "x")
        end = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(time.time() + 7200))
        self.expect(0, "alert", "silence", alert, "--until", end, "--reason", "known")
        self.assertEqual(self.alert("quiet")["until_utc"][:16] + "Z", end)
        self.slow("quiet-2", 161, branch="quiet")
        self.assertEqual((self.told(), self.shown()), ("firing", "failure failure"))
        self.silences_end()
        self.slow("quiet-3", 162, branch="quiet")
        self.assertEqual(self.told(), "firing reopened")
        self.expect(0, "alert", "silence", alert, "--reason", "still known")
        self.assertIsNone(self.alert("quiet")["until_utc"])
        self.good("quiet-4", 163, branch="quiet")
        self.good("quiet-5", 164, branch="quiet")
        self.assertEqual(self.told(), "firing reopened")
        self.assertEqual(self.alert("quiet")["state"], "resolved")

    def reported(self):
        """The alerts that a report by hand says are open."""
        report = self.expect(0, "report", "--project", "p", "--since", "1d", "--all-branches",
                             "--format", "json").document
        return [row["alert"] for row in report["alerts"]]

    def test_dismisses_and_takes_it_back(self):
        self.slow("none-1", 170, branch="none")
        alert = self.alert("none")["alert"]
        self.assertIn(alert, self.reported())
        self.expect(0, "alert", "dismiss", alert, "--reason", "the machine was shared")
        self.assertNotIn(alert, self.reported())
        self.slow("none-2", 171, branch="none", commit=SECOND)
        self.assertEqual(self.told(), "firing")
        self.expect(0, "alert", "reopen", alert, "--reason", "it was not")
        self.slow("none-3", 172, branch="none")
        self.assertEqual(self.told(), "firing repeated")
        result = self.expect(65, "alert", "reopen", alert, "--reason", "again")
        self.assertIn("is reopened: there is nothing to reopen", result.err)

    def test_says_what_it_does_not_find(self):
        self.expect(6, "alert", "acknowledge", "l999999", "--reason", "x")
        self.expect(6, "alert", "acknowledge", "v999999", "--reason", "x")
        self.expect(2, "alert", "acknowledge", "7", "--reason", "x")
        self.expect(2, "alert", "acknowledge", "--reason", "x")
        self.good("calm", 180, branch="calm")
        result = self.expect(6, "alert", "dismiss", self.last_verdict(), "--reason", "x")
        self.assertIn("never had an alert", result.err)

    def test_lists_what_is_open_with_its_age(self):
        self.slow("aged-1", 190, branch="aged")
        verdict = self.last_verdict()
        self.slow("aged-2", 191, branch="aged")
        row = self.alert("aged")
        self.assertEqual((row["since_verdict"], row["verdict"]), (verdict, self.last_verdict()))
        self.assertLess(row["age_s"], 120)
        text = self.expect(0, "alert", "list", "--format", "text").out
        self.assertRegex(text, rf"{row['alert']} +open +[0-9.]+ s +{verdict} +p/w, branch aged")
        self.good("aged-3", 192, branch="aged")
        self.assertNotIn("branch aged", self.expect(0, "alert", "list", "--format", "text").out)


if __name__ == "__main__":
    unittest.main()
