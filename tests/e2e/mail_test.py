"""E-mail: an alert's life in one thread at a strict mail server over TLS, every fault and what
becomes of it, and no secret anywhere.
"""

import email.utils
import json
import unittest

from channel_case import COMMIT, NO_RETRY, ChannelCase

import mail_server
from launch import Launch

# How long a server that says nothing is waited for: long enough to get there, however slow the
# machine is.
PATIENCE_MS = {"mail": 1000, "letter": 5000, "quit": 5000}
HOSTILE = "<script>&\"' \u202eä€\U0001f600 =?utf-8?Q?x?= . From -- "
BREAKS = "a\r\nBcc: eve@example.com\r\n\r\n.\r\nQUIT\r\n"
RECIPIENTS = ["team@example.com", "ops@example.com"]


class MailCase(ChannelCase):
    """A mail server with a good certificate per test."""

    servers, arguments = {}, ("--tls", "trusted")

    def setUp(self):
        super().setUp()
        self.mail = Launch("mail_server.py", *self.arguments)
        self.addCleanup(self.mail.stop)

    def tearDown(self):
        for secret in (mail_server.PASSWORD, mail_server.USER):
            for text in (*self.said, self.dump()):
                self.assertNotIn(secret, text)
        super().tearDown()

    def mail_url(self, listener="main", server=None):
        scheme = "smtps" if listener == "smtps" else "smtp"
        return f"{scheme}://127.0.0.1:{(server or self.mail).ports[listener]}"

    def mail_section(self, name="mail", **keys):
        """The lines of a destination; None leaves a key out."""
        login = self.secret_file("mail-login", f"{mail_server.USER}:{mail_server.PASSWORD}")
        entries = {"kind": "mail", "url": self.mail_url(), "secret": login,
                   "from": "stepledger@example.com", "to": ", ".join(RECIPIENTS),
                   "allow_addresses": "127.0.0.0/8", "ca_file": self.mail.ca_path, **keys}
        return self.section_lines(name, entries)

    def letters(self):
        return self.mail.state()["letters"]

    def try_out(self, code=0, **keys):
        """`alert test` of a destination with these keys."""
        self.configure(*self.mail_section(**keys))
        result = self.expect(code, "alert", "test", "mail")
        self.said += [result.out, result.err]
        return result


class Life(MailCase):
    def test_tells_beginning_end_and_return_in_one_thread(self):
        self.configure(*self.mail_section(), notify="mail",
                       verdict_url="https://ledger.example/verdicts/{verdict}")
        self.slow("mail-1", 70, branch="pull/8", commit=COMMIT)
        self.work(delivered=1)
        self.good("mail-2", 71, branch="pull/8")
        self.work(delivered=1)
        self.slow("mail-3", 72, branch="pull/8")
        self.work(delivered=1)
        self.assertEqual(self.mail.rejections(), [])
        first, *others = self.letters()
        self.assertEqual([letter["subject"].partition(":")[0] for letter in (first, *others)],
                         ["FAIL", "RESOLVED", "REOPENED"])
        self.assertIsNone(first["in_reply_to"])
        for letter in others:
            self.assertEqual((letter["in_reply_to"], letter["references"]),
                             (first["id"], [first["id"]]))
        self.assertIn("commit " + COMMIT, first["text"])
        self.assertIn("stepledger accept v", first["text"])
        self.assertIn('<a href="https://ledger.example/verdicts/v', first["html"])
        self.assertEqual(self.sql("SELECT DISTINCT remote_ref FROM alert_threads"
                                  " WHERE remote_ref LIKE '<%'"), first["id"])
        when = email.utils.parsedate_to_datetime(first["date"]).timestamp()
        self.assertEqual(str(int(when)), self.sql(
            "SELECT floor(extract(epoch FROM o.created_at))::bigint FROM outbox o"
            " JOIN destinations d ON d.id = o.destination_id WHERE d.name = 'mail'"
            " ORDER BY o.id DESC OFFSET 2 LIMIT 1"))

    def test_no_name_of_people_breaks_a_mail(self):
        self.configure(*self.mail_section(), notify="mail")
        self.slow("mail-hostile", 76, branch=HOSTILE + "y" * 200, commit="b" * 40)
        self.work(delivered=1)
        self.assertEqual(self.mail.rejections(), [])
        [letter] = self.letters()
        self.assertIn("&lt;script&gt;&amp;&quot;", letter["html"])
        self.assertIn("ä€\U0001f600 =?utf-8?Q?x?= . From --", letter["text"])
        self.assertEqual(letter["taken"], RECIPIENTS)

    def test_sends_the_same_mail_again_after_a_lost_reply(self):
        self.configure(*self.mail_section(), notify="mail", **NO_RETRY)
        self.mail.faults({"fault": "cut", "at": "letter", "when": "after", "times": 1})
        self.slow("mail-lost", 77, branch="lost")
        self.work(retried=1)
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
        self.work(delivered=1)
        self.assertEqual(self.mail.rejections(), [])
        [letter] = self.letters()  # the double insists that both are the same to the byte
        self.assertEqual(letter["deliveries"], 2)


class Faults(MailCase):
    """Each fault ends in its documented state."""

    def enqueue(self, name="mail", **parts):
        """A mail for a destination; returns its key."""
        type(self).number = getattr(type(self), "number", 0) + 1
        key, body = f"fault-{self.number}", json.dumps(
            {"subject": "s", "text": "t\n", "html": "<p>t</p>\n", "follows": False,
             "begins": False, **parts}).encode().hex()
        self.sql(f"INSERT INTO destinations (name) VALUES ('{name}') ON CONFLICT DO NOTHING",
                 "INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body)"
                 f" SELECT id, '{key}', '{key}', 'application/json',"
                 f" decode('{body}', 'hex') FROM destinations WHERE name = '{name}'")
        return key

    def state_of(self, key):
        return self.sql(f"SELECT state FROM outbox WHERE dedupe_key = '{key}'")

    def meet(self, *rules, **parts):
        """(state of the row, log) after one attempt at a mail under these faults."""
        self.open_destinations()
        self.clear_outbox()
        self.configure(*self.mail_section(timeout_ms=20000), notify="mail", **NO_RETRY)
        key = self.enqueue(**parts)
        self.mail.faults(*rules)
        result = self.expect(0, "work", "alert", "--once")
        self.said += [result.out, result.err]
        return self.state_of(key), result.err

    def test_each_silence_ends_in_its_documented_state(self):
        """Side by side, each at a server of its own with a worker of its own."""
        lines, met = [], []
        for number, (rule, outcome, state) in enumerate((
                ({"fault": "hang", "at": "mail"}, "retry", "pending"),
                ({"fault": "hang", "at": "letter"}, "ambiguous", "pending"),
                ({"fault": "hang", "at": "quit"}, "done", "done"),
                ({"fault": "drip", "at": "mail"}, "retry", "pending"),
                ({"fault": "drip", "at": "letter"}, "ambiguous", "pending"))):
            server, name = Launch("mail_server.py", *self.arguments), f"silent-{number}"
            self.addCleanup(server.stop)
            server.faults(rule)
            lines += self.mail_section(name, url=self.mail_url(server=server),
                                       ca_file=server.ca_path, timeout_ms=PATIENCE_MS[rule["at"]])
            met.append((rule, name, outcome, state, server, self.enqueue(name)))
        self.configure(*lines, **NO_RETRY)
        workers = [self.start("work", "alert", "--once") for _ in met]
        ran = [worker.communicate() + (worker.returncode,) for worker in workers]
        self.assertEqual({code for _, _, code in ran}, {0}, ran)
        self.said += [text for out, err, _ in ran for text in (out, err)]
        log = [line for _, err, _ in ran for line in err.splitlines()]
        for rule, name, outcome, state, server, key in met:
            with self.subTest(**rule):
                said = [line for line in log if f"destination={name} " in line]
                self.assertIn(f"class={outcome}", "".join(said))
                self.assertEqual(self.state_of(key), state, said)
                self.assertEqual(server.rejections(), [])

    def test_each_fault_ends_in_its_documented_state(self):
        for rule, outcome, state in (
                ({"fault": "reply", "at": "greeting", "code": 421}, "retry", "pending"),
                ({"fault": "reply", "at": "greeting", "code": 554}, "permanent", "dead"),
                ({"fault": "cut", "at": "greeting"}, "retry", "pending"),
                ({"fault": "flood", "at": "ehlo"}, "retry", "pending"),
                ({"fault": "reply", "at": "starttls", "code": 454}, "retry", "pending"),
                ({"fault": "reply", "at": "auth", "code": 454}, "retry", "pending"),
                ({"fault": "reply", "at": "auth", "code": 535}, "permanent", "dead"),
                ({"fault": "reply", "at": "mail", "code": 451}, "retry", "pending"),
                ({"fault": "reply", "at": "mail", "code": 553}, "permanent", "dead"),
                ({"fault": "reply", "at": "rcpt", "code": 450}, "retry", "pending"),
                ({"fault": "reply", "at": "rcpt", "code": 550}, "permanent", "dead"),
                ({"fault": "cut", "at": "rcpt", "nth": [2]}, "retry", "pending"),
                ({"fault": "reply", "at": "data", "code": 452}, "retry", "pending"),
                ({"fault": "cut", "at": "data"}, "retry", "pending"),
                ({"fault": "reply", "at": "letter", "code": 451}, "retry", "pending"),
                ({"fault": "reply", "at": "letter", "code": 552}, "permanent", "dead"),
                ({"fault": "cut", "at": "letter"}, "ambiguous", "pending"),
                ({"fault": "cut", "at": "letter", "when": "after"}, "ambiguous", "pending"),
                ({"fault": "cut", "at": "quit"}, "done", "done"),
                ({"fault": "reply", "at": "quit", "code": 421}, "done", "done")):
            with self.subTest(**rule):
                row, log = self.meet(rule)
                self.assertIn(f"class={outcome}", log)
                self.assertEqual(row, state, log)
                if rule["fault"] == "reply" and outcome != "done":
                    self.assertIn(f"SMTP {rule['code']}", log)
        self.assertEqual(self.mail.rejections(), [])

    def test_no_frozen_text_breaks_out_of_its_place(self):
        row, log = self.meet(subject=BREAKS, text=BREAKS, html=f"<p>{BREAKS}</p>")
        self.assertEqual((row, self.mail.rejections()), ("done", []), log)
        self.assertEqual(self.letters()[-1]["subject"][:7], "a  Bcc:")
        self.assertIn("\n.\n", self.letters()[-1]["text"].replace("\r", ""))
        self.assertEqual(self.meet(subject=7)[0], "dead")

    def test_one_refused_recipient_does_not_keep_it_from_the_others(self):
        row, log = self.meet({"fault": "reply", "at": "rcpt", "code": 550, "recipient": "team*"})
        self.assertEqual(row, "done")
        self.assertIn("refuses 1 of the recipients", log)
        self.assertEqual(self.letters()[-1]["taken"], ["ops@example.com"])

    def again(self):
        """Another attempt; what it logged."""
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
        result = self.expect(0, "work", "alert", "--once")
        self.said += [result.out, result.err]
        return result.err

    def asked(self):
        """The recipients that each letter since the last call was for, as the server took it."""
        entries = [entry for entry in self.mail.log() if "taken" in entry]
        seen, self.seen = getattr(self, "seen", 0), len(entries)
        return [entry["taken"] for entry in entries[seen:]]

    def test_a_recipient_who_is_put_off_is_tried_again_alone(self):
        later = {"fault": "reply", "at": "rcpt", "code": 450, "recipient": "team*"}
        row, log = self.meet(later)
        self.assertEqual(row, "pending", log)
        self.assertIn("class=retry", log)
        self.assertIn("took it for 1 of 2 recipients", log)
        self.assertEqual(self.asked(), [["ops@example.com"]])
        self.again()
        self.assertEqual(self.asked(), [])  # put off once more: nobody else is told twice
        self.mail.faults()
        self.assertIn("class=done", self.again())
        self.assertEqual(self.asked(), [["team@example.com"]])
        [letter] = self.letters()
        self.assertEqual((sorted(letter["taken"]), letter["deliveries"]),
                         (sorted(RECIPIENTS), 2))
        self.assertEqual(self.mail.rejections(), [])
        self.assertNotIn("@example.com", self.sql("SELECT settled FROM outbox"))

    def test_who_is_put_off_to_the_end_is_not_lost_under_done(self):
        later = {"fault": "reply", "at": "rcpt", "code": 450, "recipient": "team*"}
        self.meet(later)
        self.asked()
        self.owner_sql("UPDATE outbox SET max_attempts = 2 WHERE state = 'pending'")
        self.assertIn("next=give_up", self.again())
        key = self.sql("SELECT id FROM outbox WHERE state = 'dead' ORDER BY id DESC LIMIT 1")
        self.mail.faults()
        self.expect(0, "alert", "retry", key)
        self.again()
        self.assertEqual(self.asked(), [["team@example.com"]])

    def test_a_recipient_who_is_refused_for_good_is_not_asked_again(self):
        self.configure(*self.mail_section(to=", ".join([*RECIPIENTS, "gone@example.com"])),
                       notify="mail", **NO_RETRY)
        self.mail.faults({"fault": "reply", "at": "rcpt", "code": 450, "recipient": "team*"},
                         {"fault": "reply", "at": "rcpt", "code": 550, "recipient": "gone*"})
        self.clear_outbox()
        self.open_destinations()
        self.enqueue()
        log = self.again()
        self.assertIn("refuses 1", log)
        self.mail.faults()
        self.again()
        self.assertEqual(self.asked(), [["ops@example.com"], ["team@example.com"]])

    def test_all_recipients_refused_is_final_unless_one_may_go_better(self):
        later = {"fault": "reply", "at": "rcpt", "code": 451, "recipient": "team*"}
        never = {"fault": "reply", "at": "rcpt", "code": 550, "text": "5.1.1 unknown",
                 "recipient": "ops*"}
        self.assertEqual(self.meet(later, never)[0], "pending")
        row, log = self.meet(never, {**never, "recipient": "team*"})
        self.assertEqual(row, "dead")
        self.assertIn("SMTP 550 5.1.1", log)

    def test_a_server_that_closes_pauses_the_whole_destination(self):
        self.meet({"fault": "reply", "at": "mail", "code": 421})
        self.assertEqual(self.sql("SELECT not_before > now() FROM destinations"
                                  " WHERE name = 'mail'"), "t")


class Trust(MailCase):
    """TLS, logins and addresses."""

    def test_says_who_it_is_by_a_full_name(self):
        """Relays refuse a bare one; the double does, too."""
        for helo in (None, "ledger.example.com", "[192.0.2.7]", "[IPv6:2001:db8::7]"):
            self.try_out(0, helo=helo)
        self.assertEqual(self.mail.rejections(), [])
        said = [entry["hello"] for entry in self.mail.log()]
        self.assertEqual(said[1:], ["ledger.example.com", "[192.0.2.7]", "[IPv6:2001:db8::7]"])
        for helo in ("ledger", "-a.b", "a..b", "[x]", "a.b\tc", "192.0.2.7"):
            self.assertIn("helo: ", self.try_out(2, helo=helo).err)

    def test_says_what_to_do_when_its_name_is_refused(self):
        for code in (504, 550, 450):
            self.mail.faults({"fault": "reply", "at": "ehlo", "code": code})
            result = self.try_out(69, helo="ledger.example.com")
            self.assertIn(f"SMTP {code}", result.err)
            self.assertIn("does not accept our name ledger.example.com; set helo", result.err)
        self.mail.faults({"fault": "reply", "at": "rcpt", "code": 504, "text": "5.5.2 Helo"})
        self.assertIn("set helo", self.try_out(69).err)

    def test_delivers_over_both_kinds_of_tls(self):
        for listener in ("main", "smtps"):
            result = self.try_out(url=self.mail_url(listener))
            self.assertEqual(result.document["http_status"], 250)
        self.assertEqual([(entry["verdict"], entry["tls"]) for entry in self.mail.log()],
                         [("accepted", True)] * 2)

    def test_trusts_no_certificate_but_a_good_one(self):
        self.assertIn("certificate", self.try_out(69, ca_file=None).err)
        for kind in ("self-signed", "wrong-name", "expired"):
            self.mail.stop()
            self.mail = Launch("mail_server.py", "--tls", kind)
            for listener in ("main", "smtps"):
                with self.subTest(kind, listener=listener):
                    result = self.try_out(69, url=self.mail_url(listener))
                    self.assertIn("certificate", result.err)
                    self.assertIn("(retry)", result.err)
            self.assertEqual([entry for entry in self.mail.log() if "from" in entry], [])
            self.addCleanup(self.mail.stop)

    def test_says_nothing_in_the_clear_unless_that_is_allowed(self):
        self.mail.stop()
        self.mail = Launch("mail_server.py")
        self.addCleanup(self.mail.stop)
        plain = {"ca_file": None, "secret": None}
        self.assertIn("offers no STARTTLS", self.try_out(69, **plain).err)
        self.assertIn("over TLS alone", self.try_out(69, ca_file=None, allow_http="yes").err)
        self.assertEqual(self.mail.log(), [])
        self.try_out(0, allow_http="yes", **plain)
        self.assertEqual([(entry["verdict"], entry["tls"]) for entry in self.mail.log()],
                         [("accepted", False)])

    def test_a_login_that_is_wrong_or_missing_is_a_matter_of_configuration(self):
        wrong = self.secret_file("mail-wrong", "somebody:planted0wrong0password")
        self.assertRegex(self.try_out(69, secret=wrong).err, "permanent.*SMTP 535 5.7.8")
        self.assertRegex(self.try_out(69, secret=None).err, "permanent.*SMTP 530 5.7.0")
        half = self.secret_file("mail-half", "planted0half")
        result = self.try_out(69, secret=half)
        self.assertIn("USER:PASSWORD", result.err)
        self.assertNotIn("planted0half", result.err)

    def test_refuses_loopback_by_default(self):
        result = self.try_out(69, allow_addresses=None)
        self.assertIn("127.0.0.1 is loopback", result.err)
        self.assertEqual(self.mail.log(), [])

    def test_names_what_a_section_lacks(self):
        for keys, says in (({"url": None}, "has no url"), ({"from": None}, "has no from"),
                           ({"to": None}, "has no to"),
                           ({"to": "team"}, "'team' must be an address"),
                           ({"from": "Ledger <a@b.c>"}, "must be an address"),
                           ({"url": "https://mail.example.com"}, "other than smtps and smtp"),
                           ({"url": "smtp://me:planted@mail.example.com"}, "user name or password"),
                           ({"kind": "email"}, "did you mean 'mail'?")):
            with self.subTest(says):
                result = self.try_out(2, **keys)
                self.assertIn(says, result.err)
                self.assertNotIn("planted", result.err)


if __name__ == "__main__":
    unittest.main()
