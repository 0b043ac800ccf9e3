#!/usr/bin/env python3
"""A strict mail server: SMTP with STARTTLS on the main port, over TLS from the start on `smtps`.

What: listeners, the mailbox, and the control endpoint (on a port of its own, `control`).
Why: mail is the one channel that is not HTTP; log, faults and state are read like those of the
other doubles.
What it does not do: sessions are in mail_session.py, the form of letters in mail_letter.py. Nothing
is passed on.
With --tls a login is needed (USER, PASSWORD below) unless --quirk open; without, there is none.
"""

import socketserver
import sys

import double
import mail_letter
from mail_faults import MailFaults
from mail_session import Session

USER, PASSWORD = "planted0mail0user", "planted0mail0password"


class Mailbox(double.Service):
    """What the server holds, by Message-ID."""

    listeners = ("main",)
    quirks = {"open": "no login is needed"}

    def __init__(self, options):
        super().__init__(options)
        self.letters = {}

    def state(self):
        return {"letters": list(self.letters.values())}


class Connection(socketserver.BaseRequestHandler):
    """One session, in a thread of its own."""

    def handle(self):
        server, sock, secured = self.server, self.request, False
        if server.name == "smtps":
            try:
                sock, secured = server.context.wrap_socket(sock, server_side=True), True
            except OSError as error:
                server.double.journal.write({"listener": server.name, "verdict": "no request",
                                             "handshake": str(error)})
                return
        Session(sock, server.double, server.name, server.context, secured).run()


class SmtpListener(socketserver.ThreadingTCPServer):
    """One port for SMTP."""

    daemon_threads, allow_reuse_address = True, True

    def __init__(self, owner, name, context):
        self.double, self.name, self.context = owner, name, context
        super().__init__(("127.0.0.1", 0), Connection)

    @property
    def server_port(self):
        return self.server_address[1]


class MailDouble(double.Double):
    """The listeners of a mail server in place of those for HTTP."""

    user, password = USER, PASSWORD

    def __init__(self, service, options):
        super().__init__(service, options)
        self.faults, self.is_open = MailFaults(), "open" in service.chosen

    def listeners_make(self, context):
        yield SmtpListener(self, "main", context)
        if context is not None:
            yield SmtpListener(self, "smtps", context)
        yield double.Listener(self, "control", None)

    def store(self, letter, raw, named, taken):
        """Adds a letter. The same id is the same letter, and what follows one names one that is
        here."""
        with self.lock:
            held = self.service.letters.get(letter["id"])
            mail_letter.insist(held is not None or named == letter["to"],
                               f"the first time, the envelope is {named}, To is {letter['to']}")
            mail_letter.insist(held is None or held["raw"] == raw.decode("ascii"),
                               "two letters have one Message-ID")
            for name in filter(None, [letter["in_reply_to"], *letter["references"]]):
                mail_letter.insist(name in self.service.letters, f"there is no letter {name}")
            if held is None:
                held = {**letter, "raw": raw.decode("ascii"), "deliveries": 0, "taken": []}
                self.service.letters[letter["id"]] = held
            held["deliveries"] += 1
            held["taken"] += [name for name in taken if name not in held["taken"]]


if __name__ == "__main__":
    double.main(Mailbox, __doc__, make=MailDouble)
