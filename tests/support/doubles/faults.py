"""Faults on purpose: which request is hit, and what happens to its answer.

What: a list of rules read from a JSON document, a control file or the control endpoint; the first
rule that fits a request applies. README.md lists the members of a rule.
Why: one table of faults serves every double, so every client meets the same set.
What it does not do: it does not judge requests. A fault that comes "before" leaves the state of
the service untouched, one that comes "after" is sent in place of the true answer.
"""

import email.utils
import fnmatch
import json
import os
import random
import threading
import time

import shape
from exchange import Answer, json_read

BEFORE, AFTER = "before", "after"
DRIP_INTERVAL_S = 0.2
HANG_S = 600.0
FLOOD_BYTES = 2 << 20
ELSEWHERE, SAME = "elsewhere", "same"
MOVED = "/_moved"  # what a redirect on the same host prepends to the path


def retry_after_value(asked):
    """The header's text, and the seconds that it asks for: a number, or an HTTP date."""
    if isinstance(asked, dict):
        until = int(time.time() + asked["date_in_s"])
        return email.utils.formatdate(until, usegmt=True), max(0.0, until - time.time())
    return f"{asked:g}", float(asked)


def fail_status(link, rule, request, _answer):
    """A status with a body of the rule's, else one in the words of the service."""
    asked = rule.get("retry_after")
    text, seconds = retry_after_value(asked) if asked is not None else (None, None)
    if "body" in rule:
        body = Answer(rule["status"], rule["body"],
                      content_type=rule.get("content_type", "text/html"))
    else:
        body = link.service.refusal(request, rule["status"], seconds)
    headers = [pair for pair in body.headers if text is None or pair[0].lower() != "retry-after"]
    headers += [("Retry-After", text)] if text is not None else []
    link.send(Answer(rule["status"], body.body, headers + list(rule.get("headers", {}).items())))


def fail_hang(link, rule, _request, _answer):
    link.wait(rule.get("seconds", HANG_S))
    link.close()


def fail_cut(link, rule, _request, _answer):
    link.close(reset=rule.get("reset", False))


def fail_drip(link, rule, _request, answer):
    """The whole answer, its head as well, byte by byte."""
    for position, byte in enumerate(link.bytes_of(answer)):
        if position and link.wait(rule.get("interval_s", DRIP_INTERVAL_S)):
            break
        link.write(bytes([byte]))
    link.close()


def fail_truncate(link, _rule, _request, answer):
    """A head that promises the whole body, and half of it."""
    whole = link.bytes_of(answer)
    link.write(whole[:len(whole) - (len(answer.body) + 1) // 2])
    link.close()


def fail_flood(link, rule, _request, answer):
    """More body than anyone should read."""
    link.send(Answer(answer.status, b" " * rule.get("bytes", FLOOD_BYTES), answer.headers))


def fail_redirect(link, rule, request, _answer):
    to = rule.get("to", ELSEWHERE)
    target = {ELSEWHERE: link.elsewhere(request.target), SAME: MOVED + request.target}.get(to, to)
    link.send(Answer(rule.get("status", 302), "moved", [("Location", target)]))


def fail_headers(link, rule, _request, answer):
    """The true answer with headers added, say RateLimit-Remaining: 0."""
    added = {name.lower() for name in rule.get("headers", {})}
    kept = [pair for pair in answer.headers if pair[0].lower() not in added]
    link.send(Answer(answer.status, answer.body, kept + list(rule.get("headers", {}).items())))


# Kind of fault: who does it, when it comes unless the rule says otherwise.
KINDS = {
    "status": (fail_status, BEFORE),
    "hang": (fail_hang, BEFORE),
    "cut": (fail_cut, BEFORE),
    "redirect": (fail_redirect, BEFORE),
    "drip": (fail_drip, AFTER),
    "truncate": (fail_truncate, AFTER),
    "flood": (fail_flood, AFTER),
    "headers": (fail_headers, AFTER),
}
# Those that send the true answer in some form cannot come before there is one.
NEED_ANSWER = ("drip", "truncate", "flood", "headers")

WAIT_S = shape.Number(0, 86400)
RULE = shape.Record("fault", {
    "fault": shape.Choice(*KINDS),
    "when": shape.Choice(BEFORE, AFTER),
    # Which requests: all that are given must fit.
    "method": shape.Text(16), "path": shape.Text(500), "listener": shape.Text(32),
    "operation": shape.Text(80),
    "nth": shape.List(shape.Whole(1), low=1), "times": shape.Whole(1), "share": shape.Number(0, 1),
    # What happens.
    "status": shape.Whole(100, 599), "body": shape.Text(low=0), "content_type": shape.Text(100),
    "headers": shape.Map(shape.Text(low=0)), "seconds": WAIT_S, "interval_s": WAIT_S,
    "bytes": shape.Whole(0, 1 << 30), "reset": shape.Flag(), "to": shape.Text(2000),
    "pause_s": WAIT_S, "retry_after": shape.Anything(),
}, lambda rule: rule["fault"] == "status" and "status" not in rule and "needs a status" or None,
    lambda rule: (rule["fault"] in NEED_ANSWER and rule.get("when") == BEFORE
                  and "comes after the answer is made" or None))
DOCUMENT = shape.Record("faults", {"faults": shape.List(RULE), "seed": shape.Whole()})
RETRY_AFTER = (shape.Number(0, 86400), shape.Record("date_in_s", {"date_in_s": WAIT_S}))


class Fault:
    """A rule and how often it met and hit a request."""

    def __init__(self, rule, chance):
        if "retry_after" in rule:
            RETRY_AFTER[isinstance(rule["retry_after"], dict)].check(rule["retry_after"],
                                                                     "retry_after")
        self.rule, self.chance, self.met, self.hit = rule, chance, 0, 0
        self.perform, when = KINDS[rule["fault"]]
        self.before = rule.get("when", when) == BEFORE

    def fits(self, request, operations):
        rule = self.rule
        wanted = rule.get("operation", "").lower()
        return (rule.get("method", request.method) == request.method
                and rule.get("listener", request.listener) == request.listener
                and fnmatch.fnmatchcase(request.path, rule.get("path", "*"))
                and (not wanted or wanted in [name.lower() for name in operations]))

    def take(self):
        """Counts a request that fits; whether it is hit."""
        self.met += 1
        hit = (self.met in self.rule.get("nth", (self.met,))
               and self.hit < self.rule.get("times", self.met)
               and self.chance.random() < self.rule.get("share", 1))
        self.hit += hit
        return hit

    @property
    def pause_s(self):
        """How long the client is asked to stay away, None when it is not."""
        if "pause_s" in self.rule:
            return self.rule["pause_s"]
        asked = self.rule.get("retry_after")
        return None if asked is None else retry_after_value(asked)[1]


class Faults:
    """The rules in force. Safe to use from several threads."""

    def __init__(self, path=None):
        self.lock, self.faults = threading.Lock(), []
        self.path, self.stamp = path, None

    def set(self, document):
        """Replaces the rules and restarts the counting; raises ValueError or shape.Wrong."""
        DOCUMENT.check(document)
        chance = random.Random(document.get("seed", 0))
        made = [Fault(rule, chance) for rule in document["faults"]]
        with self.lock:
            self.faults = made

    def reload(self):
        """Reads the control file again when it has changed."""
        if self.path is None:
            return
        found = os.stat(self.path)
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        if stamp != self.stamp:
            self.stamp = stamp
            with open(self.path, "rb") as file:
                self.set(json_read(file.read()))

    def pick(self, request, operations):
        """The fault of this request, or None. Every rule that fits counts the request up to and
        with the one that hits."""
        self.reload()
        with self.lock:
            for fault in self.faults:
                if fault.fits(request, operations) and fault.take():
                    return fault
        return None

    def report(self):
        with self.lock:
            return [{"rule": json.loads(json.dumps(f.rule)), "met": f.met, "hit": f.hit}
                    for f in self.faults]
