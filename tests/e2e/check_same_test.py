"""`check` says what `alert test` would: every kind of destination with faults that show before its
receiver answers, found by `check` and tried.
"""

import concurrent.futures
import re
import socket
import unittest

from channel_case import COMMIT, KINDS, ChannelCase

import mail_server
from launch import Launch

# What is wrong: keys that replace a destination's own. What is in braces the case fills in; None
# leaves a key out.
FAULTS = {
    "fine": {},
    "away": {"url": "{closed}"},
    "unlisted": {"allow_addresses": None},
    "secret_gone": {"secret": "file:/nonexistent/secret"},
    "secret_odd": {"secret": "{odd}"},
}
ALONE = {"mail": {
    "no_login": {"secret": "{plain}"},
    "login_in_the_clear": {"allow_http": "yes"},
    "no_starttls": {"url": "{no_starttls}"},
    "no_recipient": {"to": "nobody"},
    "expired": {"url": "{expired}"},
}}
# What only an answer shows: a refusal of the receiver.
ANSWERED = re.compile(r"HTTP \d+|SMTP \d+|the receiver|W&B refuses")


class Same(ChannelCase):
    """One configuration of all of them."""

    servers = {"chat": "chat_server.py", "forge": "forge_server.py", "wandb": "wandb_server.py"}
    baseline_runs = 0

    def setUp(self):
        super().setUp()
        self.mail = Launch("mail_server.py", "--tls", "trusted")
        self.bare, self.expired = Launch("mail_server.py"), Launch("mail_server.py", "--tls",
                                                                   "expired")
        for server in (self.mail, self.bare, self.expired):
            self.addCleanup(server.stop)

    def sound(self, kind):
        """The keys of a destination that works."""
        if kind == "mail":
            login = self.secret_file("mail", f"{mail_server.USER}:{mail_server.PASSWORD}")
            return {"kind": kind, "url": f"smtp://127.0.0.1:{self.mail.ports['main']}",
                    "secret": login, "from": "stepledger@example.com", "to": "team@example.com",
                    "allow_addresses": "127.0.0.0/8", "ca_file": self.mail.ca_path}
        lines = self.record_section(self.doubles["wandb"], "x" * 40) if kind == "wandb" else \
            self.section(kind)
        return dict(line.split(" = ", 1) for line in lines[1:])

    def sections(self, kind, closed_port):
        scheme = "smtp" if kind == "mail" else "http"
        places = {"closed": f"{scheme}://127.0.0.1:{closed_port}/x",
                  "no_starttls": f"smtp://127.0.0.1:{self.bare.ports['main']}",
                  "expired": f"smtp://127.0.0.1:{self.expired.ports['main']}",
                  "odd": self.secret_file("odd", "one\ntwo"),
                  "plain": self.secret_file("plain", "password")}
        for fault, keys in {**FAULTS, **ALONE.get(kind, {})}.items():
            filled = {key: value and value.format(**places) for key, value in keys.items()}
            yield f"{kind}-{fault}", self.section_lines(f"{kind}-{fault}",
                                                        {**self.sound(kind), **filled})

    def try_out(self, name):
        return self.call("alert", "test", name, "--commit", COMMIT, "--branch", "pull/7")

    @staticmethod
    def reason(text):
        """What is wrong, without who says it and of which URL."""
        text = re.sub(r"^.*?destination '[^']*'( \(\w+\)| cannot be reached)?: ", "",
                      text.strip())
        return re.sub(r"^\S+ \(url \w+\):? ", "", text)

    def test_both_say_the_same(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            sections = dict(section for kind in [*KINDS, "mail", "wandb"]
                            for section in self.sections(kind, closed.getsockname()[1]))
            self.configure(*(line for lines in sections.values() for line in lines))
            found = self.call("check").out.splitlines()
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                tried = dict(zip(sections, pool.map(self.try_out, sections)))
        for name, result in tried.items():
            said = [line for line in found if f"'{name}'" in line]
            with self.subTest(name, check=said, test=result.err):
                if said:
                    self.assertNotEqual(result.code, 0)
                    self.assertIn(self.reason(said[0]), self.reason(result.err))
                elif result.code != 0:
                    self.assertRegex(result.err, ANSWERED)
        self.assertIn("key from the secret of the destination]", tried["wandb-fine"].err)
        fine = [name for name, result in tried.items() if result.code == 0]
        self.assertEqual(fine, [f"{kind}-fine" for kind in [*KINDS, "mail"]])


if __name__ == "__main__":
    unittest.main()
