"""E-mail at Exim, a server that nobody here wrote: how we greet, TLS, a login, and a recipient who
is put off and gets the letter later, alone. Skipped where Debian's exim4 is not installed; it runs
unprivileged, with a configuration, a spool and a mailbox of this test's own.
"""

import grp
import mailbox
import os
import shutil
import subprocess
import sys
import time
import unittest

from channel_case import COMMIT, LOOPBACK, NO_RETRY, ROOT, ChannelCase

sys.path.insert(0, str(ROOT / "tests" / "support"))

# pylint: disable=wrong-import-position
import certificate  # noqa: E402
import postgres_server  # noqa: E402

EXIM = shutil.which("exim4", path=os.environ.get("PATH", "") + ":/usr/sbin")
OWN_USER = "Debian-exim"  # of the package; a test that runs as root runs Exim as this one
LOGIN = ("ledger", "planted0exim0password")
TEAM, OPS = "team@example.com", "ops@example.com"
START_S = 30

# Who greets with a bare name is refused, as relays do; `team` is put off while a file is there.
CONFIGURATION = r"""
primary_hostname = mail.example.com
spool_directory = @folder@/spool
log_file_path = @folder@/log-%slog
keep_environment =
deliver_drop_privilege = true
admin_groups = @group@
tls_advertise_hosts = *
tls_certificate = @folder@/server.crt
tls_privatekey = @folder@/server.key
auth_advertise_hosts = ${if eq{$tls_in_cipher}{}{}{*}}
acl_smtp_helo = of_greeting
acl_smtp_rcpt = of_recipient
acl_smtp_data = accept
begin acl
of_greeting:
  accept condition = ${if match{$sender_helo_name}{\N^\[.+\]$|\.\N}}
  deny message = 5.5.2 a full name or an address, please
of_recipient:
  deny !authenticated = *
  defer local_parts = team
        condition = ${if exists{@folder@/later}}
        message = 4.2.1 the mailbox is busy
  accept
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${if and{{eq{$auth2}{@user@}}{eq{$auth3}{@password@}}}}
  server_set_id = $auth2
begin routers
everybody:
  driver = accept
  transport = letters
begin transports
letters:
  driver = appendfile
  file = @folder@/letters
  envelope_to_add
"""


class Exim:
    """A server on 127.0.0.1 that keeps every letter in one mailbox."""

    def __init__(self, folder):
        self.folder, self.port = folder, postgres_server.free_port()
        (folder / "spool").mkdir(parents=True)
        certificate.make(str(folder), certificate.TRUSTED)
        own = {}
        if os.geteuid() == 0:
            own = {"user": OWN_USER, "group": OWN_USER, "extra_groups": []}
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, OWN_USER, OWN_USER)
        text = CONFIGURATION
        for name, value in (("folder", folder), ("group", grp.getgrgid(os.getgid()).gr_name),
                            ("user", LOGIN[0]), ("password", LOGIN[1])):
            text = text.replace(f"@{name}@", str(value))
        (folder / "configuration").write_text(text, encoding="ascii")
        with open(folder / "said", "wb") as said:
            self.process = subprocess.Popen(
                [EXIM, "-C", str(folder / "configuration"), "-bdf", "-oX",
                 f"127.0.0.1:{self.port}"], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                **own)
        self.wait_for("the start", lambda: "listening for SMTP" in self.log())

    def wait_for(self, what, condition):
        deadline = time.monotonic() + START_S
        while not condition():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{what} did not come; Exim said: "
                                   f"{(self.folder / 'said').read_text()}{self.log()}")
            time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait(START_S)

    def log(self, kind="main"):
        path = self.folder / f"log-{kind}log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def letters(self, count):
        """[(recipient, letter)] in order, once so many are in the mailbox."""
        self.wait_for(f"delivery {count}", lambda: self.log().count(" => ") >= count)
        return [(letter["Envelope-to"], letter) for letter in mailbox.mbox(self.folder / "letters")]


@unittest.skipUnless(EXIM, "SKIPPED: exim4 is not installed (apt-get install exim4-daemon-light)")
class AtExim(ChannelCase):
    servers = {}

    def setUp(self):
        super().setUp()
        self.exim = Exim(self.folder / f"exim-{self._testMethodName}")
        self.addCleanup(self.exim.stop)

    def tearDown(self):
        for text in (*self.said, self.dump()):
            self.assertNotIn(LOGIN[1], text)
        super().tearDown()

    def mail_section(self, **keys):
        return self.section_lines("mail", {
            "kind": "mail", "url": f"smtp://127.0.0.1:{self.exim.port}",
            "from": "stepledger@example.com", "to": f"{TEAM}, {OPS}",
            "allow_addresses": LOOPBACK["allow_addresses"],
            "secret": self.secret_file("exim", ":".join(LOGIN)),
            "ca_file": self.exim.folder / "authority.crt", **keys})

    def again(self, **report):
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")
        return self.work(**report)

    def test_takes_our_greeting_whatever_full_name_we_have(self):
        for helo, shown in (("[127.0.0.1]", "H=([127.0.0.1])"), ("[IPv6:::1]", "H=([IPv6:::1])"),
                            ("ledger.example.com", "H=(ledger.example.com)"), (None, "H=(")):
            self.configure(*self.mail_section(helo=helo))
            self.assertEqual(self.expect(0, "alert", "test", "mail").document["http_status"], 250)
            arrived = [line for line in self.exim.log().splitlines() if " <= " in line]
            for part in (shown, "P=esmtpsa", "A=plain:ledger"):
                self.assertIn(part, arrived[-1])
        self.assertEqual(self.exim.log("reject"), "")

    def test_a_login_that_is_wrong_is_told(self):
        self.configure(*self.mail_section(secret=self.secret_file("wrong", "ledger:other")))
        self.assertRegex(self.expect(69, "alert", "test", "mail").err, "permanent.*SMTP 535")

    def test_who_is_put_off_gets_the_letter_later_and_alone(self):
        later = self.exim.folder / "later"
        later.touch()
        self.configure(*self.mail_section(helo="[127.0.0.1]"), notify="mail", **NO_RETRY)
        self.slow("exim", 70, branch="pull/8", commit=COMMIT)
        self.assertIn("took it for 1 of 2 recipients", self.work(retried=1))
        self.assertEqual([to for to, _ in self.exim.letters(1)], [OPS])
        self.again(retried=1)  # put off once more: nobody else is told twice
        self.assertEqual([to for to, _ in self.exim.letters(1)], [OPS])
        later.unlink()
        self.again(delivered=1)
        (_, first), (to, second) = self.exim.letters(2)
        self.assertEqual((to, self.sql("SELECT state FROM outbox ORDER BY id DESC LIMIT 1")),
                         (TEAM, "done"))
        for header in ("Subject", "Message-ID", "Date", "To"):
            self.assertEqual(first[header], second[header], header)
        self.assertTrue(first["Subject"].startswith("FAIL: "), first["Subject"])
        self.assertEqual(first.get_payload(0).get_content_type(), "text/plain")
        self.assertIn(COMMIT, first.get_payload(0).get_payload(decode=True).decode())
        self.assertIn("4.2.1 the mailbox is busy", self.exim.log("reject"))


if __name__ == "__main__":
    unittest.main()
