"""One SMTP session as a strict mail server holds it.

What: the dialogue of a connection, from the greeting to QUIT, with the state that the rules need.
Why: it refuses what a real server may let pass: logins without TLS, lines without CR, unknown
parameters, a letter that is not as mail_letter.py wants it.
What it does not do: pipelining, CHUNKING, SMTPUTF8 and 8BITMIME are not offered.
Source: RFC 5321, 3207 (STARTTLS), 4954 (AUTH), 1870 (SIZE), 2034 (enhanced codes).
"""

import base64
import binascii
import re
import select
import ssl

import mail_letter
from faults import AFTER, BEFORE
from journal import tag_of

COMMAND_HIGH, LETTER_HIGH = 512, 4 << 20
IDLE_S, HANG_S, SLICE_S = 60.0, 600.0, 0.1
ADDRESS = r"<([\w!#$%&'*+/=?^`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,253})>"
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
HOST = re.compile(rf"{LABEL}(?:\.{LABEL})+|\[(?:[0-9]+(?:\.[0-9]+){{3}}|IPv6:[0-9A-Fa-f:.]+)\]")
MAIL = re.compile(rf"FROM:{ADDRESS}(?: SIZE=(\d{{1,10}}))?", re.I)
RCPT = re.compile(rf"TO:{ADDRESS}", re.I)


class Ended(Exception):
    """The session is over."""


class Refused(Exception):
    """The client breaks a rule: `why` for the log, `code` and `text` for the client."""

    def __init__(self, why, code=554, text="5.5.0 refused"):
        super().__init__(why)
        self.why, self.code, self.text = why, code, text


class Session:
    """`context` is for STARTTLS, None when it is not offered; `secured`: TLS from the start."""

    def __init__(self, sock, double, listener, context, secured):
        self.sock, self.double, self.listener = sock, double, listener
        self.context, self.secured, self.buffer = context, secured, b""
        self.hello, self.user, self.over = None, None, False
        self.reset()

    def reset(self):
        self.sender, self.size, self.named, self.taken = None, None, [], []

    # ---- lines ----

    def reply(self, code, *texts):
        lines = texts or ("2.0.0 ok",)
        for position, text in enumerate(lines):
            mark = " " if position == len(lines) - 1 else "-"
            self.sock.sendall(f"{code}{mark}{text}\r\n".encode())

    def fill(self):
        part = self.sock.recv(65536)
        if not part:
            raise Ended
        self.buffer += part

    def line(self):
        while b"\n" not in self.buffer:
            if len(self.buffer) > COMMAND_HIGH:
                raise Refused("a command line is too long", 500, "5.5.2 too long")
            self.fill()
        line, _, self.buffer = self.buffer.partition(b"\n")
        if not line.endswith(b"\r") or b"\r" in line[:-1] or b"\0" in line:
            raise Refused("a command line ends without CR LF, or holds one", 500, "5.5.2 bare")
        try:
            return line[:-1].decode("ascii")
        except UnicodeDecodeError as error:
            raise Refused("a command is not ASCII", 500, "5.5.2 not ASCII") from error

    def letter(self):
        """The bytes up to the lone dot, stuffing undone."""
        raw = b"\r\n"  # so that a dot at the very beginning is seen as one at the start of a line
        while b"\r\n.\r\n" not in raw + self.buffer:
            raw, self.buffer = raw + self.buffer, b""
            if len(raw) > LETTER_HIGH:
                raise Refused("the letter is too large", 552, "5.3.4 too large")
            self.fill()
        raw, _, self.buffer = (raw + self.buffer).partition(b"\r\n.\r\n")
        if re.search(rb"\r\n\.(?!\.)", raw):
            raise Refused("a line of the letter begins with one dot")
        return raw[2:].replace(b"\r\n..", b"\r\n.") + b"\r\n"

    # ---- faults and the log ----

    def note(self, verdict, **more):
        self.double.journal.write({
            "number": self.double.journal.number(), "listener": self.listener, "verdict": verdict,
            "tls": self.secured, "user": self.user and tag_of(self.user), "from": self.sender,
            "hello": self.hello, "to": list(self.named), **more})

    def hang(self, drop=b""):
        """Says nothing; or a byte now and then, of a line that never ends."""
        for _ in range(int(HANG_S / SLICE_S)):
            self.sock.sendall(drop)
            if self.double.stopping.wait(SLICE_S):
                break
            if select.select([self.sock], [], [], 0)[0] and not self.sock.recv(65536):
                break
        raise Ended

    def meet(self, step, when=BEFORE, recipient=""):
        """Performs the fault of this step, if there is one; whether a reply has been sent."""
        rule = self.double.faults.pick(step, when, recipient)
        if rule is None:
            return False
        self.note("faulted", fault=rule["fault"], at=step)
        if rule["fault"] in ("hang", "drip"):
            self.hang(b"2" if rule["fault"] == "drip" else b"")
        if rule["fault"] == "cut":
            raise Ended
        if rule["fault"] == "flood":
            for _ in range(2000):
                self.sock.sendall(b"250-flood " + b"x" * 80 + b"\r\n")
            return False
        self.reply(rule["code"], rule.get("text", "planted fault"))
        if rule["code"] == 421:
            raise Ended
        return True

    # ---- commands ----

    def do_ehlo(self, rest):
        if not HOST.fullmatch(rest):
            raise Refused(f"EHLO {rest}", 504, "5.5.2 a full name is needed")
        self.hello = rest
        self.reset()
        offers = ["double greets", "SIZE 4194304", "ENHANCEDSTATUSCODES"]
        if self.context is not None and not self.secured:
            offers.append("STARTTLS")
        if self.secured:
            offers.append("AUTH CRAM-MD5 PLAIN LOGIN")
        self.reply(250, *offers)

    def do_starttls(self, rest):
        if rest or self.context is None or self.secured or self.hello is None:
            raise Refused("STARTTLS here, or with a parameter", 503, "5.5.1 not now")
        if self.buffer:
            raise Refused("something was sent behind STARTTLS in the clear")
        self.reply(220, "2.0.0 go ahead")
        try:
            self.sock = self.context.wrap_socket(self.sock, server_side=True)
        except OSError as error:
            self.double.journal.write({"listener": self.listener, "verdict": "no request",
                                       "handshake": str(error)})
            raise Ended from error
        self.secured, self.hello = True, None

    def challenge(self, text):
        self.reply(334, text)
        return self.line()

    def do_auth(self, rest):
        if not self.secured:
            raise Refused("a login without TLS", 538, "5.7.11 TLS first")
        if self.hello is None or self.user is not None or self.sender is not None:
            raise Refused("AUTH at a wrong time", 503, "5.5.1 not now")
        name, _, first = rest.partition(" ")
        try:
            if name.upper() == "PLAIN":
                told = base64.b64decode(first or self.challenge(""), validate=True).split(b"\0")
            elif name.upper() == "LOGIN":
                told = [b"", base64.b64decode(first or self.challenge("VXNlcm5hbWU6")),
                        base64.b64decode(self.challenge("UGFzc3dvcmQ6"))]
            else:
                raise Refused(f"AUTH {name}", 504, "5.5.4 unknown mechanism")
        except binascii.Error as error:
            raise Refused("AUTH: no base64", 501, "5.5.2 no base64") from error
        if [part.decode() for part in told] != ["", self.double.user, self.double.password]:
            self.note("rejected", rejected="the login is unknown")
            self.reply(535, "5.7.8 authentication failed")
            return
        self.user = self.double.user
        self.reply(235, "2.7.0 welcome")

    def do_mail(self, rest):
        found = MAIL.fullmatch(rest)
        if self.hello is None or self.sender is not None:
            raise Refused("MAIL at a wrong time", 503, "5.5.1 not now")
        if self.context is not None and not self.secured:
            raise Refused("MAIL without STARTTLS, which is offered", 530, "5.7.0 TLS first")
        if not found:
            raise Refused(f"MAIL {rest}", 501, "5.5.4 syntax")
        if self.secured and self.user is None and not self.double.is_open:
            raise Refused("MAIL without a login", 530, "5.7.0 log in first")
        self.sender, self.size = found[1], found[2] and int(found[2])
        self.reply(250)

    def do_rcpt(self, rest):
        found = RCPT.fullmatch(rest)
        if self.sender is None:
            raise Refused("RCPT before MAIL", 503, "5.5.1 not now")
        if not found or found[1] in self.named:
            raise Refused(f"RCPT {rest}", 501, "5.5.4 syntax, or named twice")
        self.named.append(found[1])
        if self.meet("rcpt", recipient=found[1]):
            return
        self.taken.append(found[1])
        self.reply(250, "2.1.5 ok")

    def do_data(self, rest):
        if rest or not self.taken:
            raise Refused("DATA without a recipient", 503, "5.5.1 not now")
        self.reply(354, "go ahead")
        raw = self.letter()
        if self.meet("letter"):
            self.reset()
            return
        if self.size is not None and self.size < len(raw):
            raise Refused(f"SIZE was {self.size}, the letter has {len(raw)} bytes")
        try:
            letter = mail_letter.check(raw, self.sender, self.named)
            self.double.store(letter, raw, self.named, self.taken)
        except mail_letter.Wrong as wrong:
            raise Refused(str(wrong)) from wrong
        self.note("accepted", taken=list(self.taken), letter=raw.decode("ascii"))
        self.reset()
        if not self.meet("letter", AFTER):
            self.reply(250, "2.0.0 queued")

    def do_rset(self, _rest):
        self.reset()
        self.reply(250)

    def do_quit(self, _rest):
        self.reply(221, "2.0.0 bye")
        raise Ended

    # ---- the dialogue ----

    def step(self):
        word, _, rest = self.line().partition(" ")
        name = word.lower()
        perform = getattr(self, f"do_{name}", None)
        if perform is None:
            raise Refused(f"the command {word}", 502, "5.5.1 unknown")
        if name == "rcpt" or not self.meet(name):
            perform(rest)

    def run(self):
        self.sock.settimeout(IDLE_S)
        try:
            if self.meet("greeting"):
                raise Ended
            self.reply(220, "double.example ESMTP")
            while True:
                try:
                    self.step()
                except Refused as refused:
                    self.note("rejected", rejected=refused.why)
                    self.reply(refused.code, refused.text)
        except (Ended, OSError, ssl.SSLError):
            return
        finally:
            self.sock.close()
