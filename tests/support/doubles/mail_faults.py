"""Faults of a mail server on purpose: at which step of a session, and what happens there.

What: a list of rules as for the other doubles (`faults.py`), in the steps of SMTP instead of
requests. Members of a rule: `fault` (`reply`, `hang`, `drip`, `cut`, `flood`), `at` (a step),
`code` and `text` of a reply, `recipient` (with `*`, of step rcpt), `nth`, `times`; `when` of step
letter: `before` the letter is stored, or `after` (it is there, the reply is lost).
Why: a client must tell a refusal of one recipient from the end of a session, and a reply that is
lost from one that says no.
What it does not do: it judges nothing and opens no socket.
"""

import fnmatch
import threading

import shape
from faults import AFTER, BEFORE

STEPS = ("greeting", "ehlo", "starttls", "auth", "mail", "rcpt", "data", "letter", "quit")
RULE = shape.Record("fault at", {
    "fault": shape.Choice("reply", "hang", "drip", "cut", "flood"), "at": shape.Choice(*STEPS),
    "when": shape.Choice(BEFORE, AFTER), "code": shape.Whole(200, 599), "text": shape.Text(200),
    "recipient": shape.Text(300), "nth": shape.List(shape.Whole(1), low=1),
    "times": shape.Whole(1),
}, lambda rule: rule["fault"] == "reply" and "code" not in rule and "needs a code" or None,
    lambda rule: "when" in rule and rule["at"] != "letter" and "has no such moment" or None)
DOCUMENT = shape.Record("faults", {"faults": shape.List(RULE), "seed": shape.Whole()})


class Fault:
    """A rule and how often it met and hit a step."""

    def __init__(self, rule):
        self.rule, self.met, self.hit = rule, 0, 0

    def fits(self, step, when, recipient):
        rule = self.rule
        return (rule["at"] == step and rule.get("when", BEFORE) == when
                and fnmatch.fnmatchcase(recipient, rule.get("recipient", "*")))

    def take(self):
        self.met += 1
        hit = (self.met in self.rule.get("nth", (self.met,))
               and self.hit < self.rule.get("times", self.met))
        self.hit += hit
        return hit


class MailFaults:
    """The rules in force; the same face as `faults.Faults`. Safe to use from several threads."""

    def __init__(self):
        self.lock, self.faults = threading.Lock(), []

    def set(self, document):
        """Replaces the rules; raises shape.Wrong."""
        DOCUMENT.check(document)
        with self.lock:
            self.faults = [Fault(rule) for rule in document["faults"]]

    def reload(self):
        """Rules come by the control endpoint alone."""

    def pick(self, step, when=BEFORE, recipient=""):
        """The rule that hits this step, or None."""
        with self.lock:
            for fault in self.faults:
                if fault.fits(step, when, recipient) and fault.take():
                    return fault.rule
        return None

    def report(self):
        with self.lock:
            return [{"rule": f.rule, "met": f.met, "hit": f.hit} for f in self.faults]
