"""Tests of the mail server double with Python's own SMTP client: what it takes, and that it names
every rule that is broken.
"""

import pathlib
import smtplib
import socket
import ssl
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "doubles"))

import mail_server  # noqa: E402
from launch import Launch  # noqa: E402

SENDER, READER = "ledger@example.com", "team@example.com"
HEAD = (f"From: stepledger <{SENDER}>\r\nTo: {READER}\r\nSubject: FAIL: a/b\r\n"
        "Date: Sat, 21 Nov 2026 09:16:29 +0000\r\nMessage-ID: <a.1@example.com>\r\n"
        "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/alternative; boundary="=_b"\r\n')
PART = "--=_b\r\nContent-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n"
TEXT = PART.format("text/plain") + "\r\nslower by 5 %\r\n\r\n"
PAGE = PART.format("text/html") + "\r\n<p>slower by 5 %</p>\r\n\r\n"
LETTER = HEAD + "\r\n" + TEXT + PAGE + "--=_b--\r\n"


class MailCase(unittest.TestCase):
    arguments = ()

    def setUp(self):
        self.double = Launch("mail_server.py", *self.arguments)
        self.addCleanup(self.double.stop)

    def client(self, listener="main"):
        client = smtplib.SMTP("127.0.0.1", self.double.ports[listener], timeout=30)
        self.addCleanup(client.close)
        return client

    def send(self, letter, *recipients):
        client = self.client()
        return client.sendmail(SENDER, recipients or [READER], letter.encode("latin-1"))

    def reject(self, why, letter):
        with self.assertRaises(smtplib.SMTPResponseException):
            self.send(letter)
        self.assertIn(why, self.double.rejections()[-1])


class Letters(MailCase):
    def test_takes_a_good_letter_and_shows_what_it_says(self):
        for _ in range(2):
            self.send(LETTER)
        self.assertEqual(self.double.rejections(), [])
        [held] = self.double.state()["letters"]
        self.assertEqual((held["subject"], held["text"].strip(), held["deliveries"]),
                         ("FAIL: a/b", "slower by 5 %", 2))

    def test_names_the_rule_that_a_letter_breaks(self):
        for old, new, why in (
                ("Subject: FAIL", "Bcc: eve@example.com\r\nSubject: FAIL", "field bcc"),
                ("Subject: FAIL: a/b\r\n", "", "there is no subject"),
                ("FAIL: a/b", "FAIL: \xe4", "not printable ASCII"),
                ("FAIL: a/b", "word " * 20, "could be folded"),
                ("FAIL: a/b", "x" * 1000, "has 1009 bytes"),
                ("FAIL: a/b", "=?utf-8?Q?=E2=86?= =?utf-8?Q?=92?=", "cannot be read"),
                ("FAIL: a/b", "=?utf-8?Q?a=0D=0ABcc?=", "Subject: 'a"),
                ("21 Nov", "31 Nov", "cannot be read"),
                ("<a.1@example.com>", "a.1@example.com", "message-id is"),
                ("auto-generated", "no", "Auto-Submitted"),
                (f"To: {READER}", "To: other@example.com", "the envelope"),
                (f"<{SENDER}>", "<other@example.com>", "From is not the sender"),
                ("Auto-", "In-Reply-To: <b.2@example.com>\r\nAuto-", "no letter <b.2"),
                ("/alternative", "/mixed", "multipart/alternative"),
                (TEXT, "", "1 parts"),
                ("slower by 5 %</p>", "slower</p>", "does not say"),
                ("<p>", "<script>", "<script>"),
                ("</p>", "", "are not closed"),
                ("\r\nslower by 5 %\r\n", "\r\nslower by 5 %" + " " * 80 + "\r\n",
                 "a quoted line of")):
            with self.subTest(why):
                self.assertIn(old, LETTER)
                self.reject(why, LETTER.replace(old, new, 1))
        self.send(LETTER)
        self.reject("two letters have one Message-ID", LETTER.replace("a/b", "a/c"))

    def talk(self, *lines):
        """The last reply of a session of raw lines."""
        with socket.create_connection(("127.0.0.1", self.double.ports["main"]), timeout=30) as sock:
            replies = sock.makefile("rb")
            replies.readline()
            for line in lines:
                sock.sendall(line)
                reply = replies.readline()
                while reply[3:4] == b"-":
                    reply = replies.readline()
            return reply.decode()

    def test_names_the_rule_that_a_command_breaks(self):
        hello, mail = b"EHLO me.example\r\n", f"MAIL FROM:<{SENDER}>\r\n".encode()
        for why, *lines in (
                ("without CR LF", b"EHLO me\n"),
                ("without CR LF", b"EHLO me\r\r\n"),
                ("EHLO", b"EHLO m e\r\n"),
                ("EHLO", b"EHLO me\r\n"),
                ("EHLO", b"EHLO [me]\r\n"),
                ("the command VRFY", hello, b"VRFY a\r\n"),
                ("MAIL at a wrong time", mail),
                ("MAIL FROM:", hello, b"MAIL FROM: <a@b.c>\r\n"),
                ("MAIL FROM:", hello, b"MAIL FROM:<a@b.c> BODY=8BITMIME\r\n"),
                ("RCPT before MAIL", hello, b"RCPT TO:<a@b.c>\r\n"),
                ("RCPT TO:", hello, mail, b"RCPT TO:<a b@c.d>\r\n"),
                ("DATA without a recipient", hello, mail, b"DATA\r\n"),
                ("a login without TLS", hello, b"AUTH PLAIN AGEAYg==\r\n"),
                ("STARTTLS here", hello, b"STARTTLS\r\n"),
                ("begins with one dot", hello, mail, f"RCPT TO:<{READER}>\r\n".encode(),
                 b"DATA\r\n", b"a\r\n.b\r\n.\r\n")):
            with self.subTest(why, lines=lines):
                self.assertGreaterEqual(self.talk(*lines), "500")
                self.assertIn(why, self.double.rejections()[-1])

    def test_fails_where_a_rule_says(self):
        self.double.faults({"fault": "reply", "at": "rcpt", "code": 550, "recipient": "a@*"},
                           {"fault": "reply", "at": "letter", "code": 451, "times": 1})
        two = LETTER.replace(READER, f"a@example.com, {READER}", 1)
        with self.assertRaises(smtplib.SMTPDataError):
            self.send(two, "a@example.com", READER)
        self.assertEqual(list(self.send(two, "a@example.com", READER)), ["a@example.com"])
        self.assertEqual(self.double.state()["letters"][0]["taken"], [READER])
        with self.assertRaises(ValueError):
            self.double.faults({"fault": "reply", "at": "rcpt"})


class Tls(MailCase):
    arguments = ("--tls", "trusted")

    def test_wants_tls_and_a_login_and_logs_neither_name_nor_password(self):
        context = ssl.create_default_context(cafile=str(self.double.ca_path))
        client = self.client()
        client.ehlo()
        self.assertEqual(client.docmd("MAIL", f"FROM:<{SENDER}>")[0], 530)
        client.starttls(context=context)
        client.ehlo()
        self.assertEqual(client.docmd("MAIL", f"FROM:<{SENDER}>")[0], 530)
        with self.assertRaises(smtplib.SMTPAuthenticationError):
            client.login(mail_server.USER, "other")
        client.login(mail_server.USER, mail_server.PASSWORD)
        client.sendmail(SENDER, [READER], LETTER.encode())
        entry = self.double.log()[-1]
        self.assertEqual((entry["verdict"], entry["tls"]), ("accepted", True))
        logged = self.double.log_path.read_text(encoding="utf-8")
        self.assertNotIn(mail_server.PASSWORD, logged)
        self.assertNotIn(mail_server.USER, logged)


if __name__ == "__main__":
    unittest.main()
