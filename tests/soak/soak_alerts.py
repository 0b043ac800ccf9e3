#!/usr/bin/env python3
"""The alerter under random kills and faults: 3,000 messages to three destinations.

What: fills the outbox of a ledger of its own, runs two alerters that are killed together again and
again (SIGKILL) while the receivers fail one request in ten, until nothing is left to send. Then it
holds the receivers' logs against the outbox.
Why: at-least-once with strict order per key is a promise about crashes; only crashes can test it.
What it does not do: it does not measure speed.
Prints a table; exit status 1 when a message is lost, out of order, or repeated without a lost reply
or a kill that explains it. It gives up when nothing was sent for two minutes; SEED picks the run.
"""

import collections
import json
import os
import pathlib
import random
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "support")]

from channel_case import ChannelCase  # noqa: E402
from launch import Launch  # noqa: E402
from standstill import Standstill  # noqa: E402

MESSAGES, KEYS = 1000, 40
DESTINATIONS = ("webhook", "slack", "google_chat")
SEED = int(os.environ.get("SEED", "7"))
# One request in ten, of all kinds; those that come after have had their effect.
FAULTS = [
    {"fault": "cut", "when": "after", "share": 0.03},
    {"fault": "status", "status": 500, "when": "after", "share": 0.02},
    {"fault": "status", "status": 500, "share": 0.01},
    {"fault": "status", "status": 503, "share": 0.02},
    {"fault": "status", "status": 429, "retry_after": 0.05, "pause_s": 0, "share": 0.01},
    {"fault": "cut", "share": 0.01},
]
MARK = re.compile(r"key-(\d+)/(\d+)")


class Soak(ChannelCase):
    """The ledger, its helpers, and one double."""

    baseline_runs = 0

    def runTest(self):
        """So that an instance can be made without a test's name."""

    def prepare(self):
        self.doubles = {"chat": Launch("chat_server.py")}
        self.configure(*[line for kind in DESTINATIONS for line in self.section(kind)],
                       delivery_base_ms=5, delivery_cap_ms=50, delivery_attempts=1000)
        for kind in DESTINATIONS:
            key = f"'key-' || n % {KEYS}"
            fields = f"'text', {key} || '/' || n"
            if kind == "google_chat":
                fields += f", 'thread', json_build_object('threadKey', {key})"
            self.sql(f"INSERT INTO destinations (name) VALUES ('{kind}');"
                     "INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type,"
                     f" body, max_attempts) SELECT d.id, {key}, '{kind}-' || n, 'application/json',"
                     f" convert_to(json_build_object({fields})::text, 'UTF8'), 1000"
                     f" FROM destinations d, generate_series(1, {MESSAGES}) n"
                     f" WHERE d.name = '{kind}' ORDER BY n")

    def waiting(self):
        return int(self.sql("SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')"))

    def run_killed(self):
        """Runs two alerters, kills both after a random while, again and again until all is sent;
        (kills, seconds)."""
        chance, kills, start = random.Random(SEED), 0, time.monotonic()
        standstill = Standstill()
        self.doubles["chat"].faults(*FAULTS, seed=SEED)
        while (left := self.waiting()) > 0 and not standstill.has_come(left):
            alerters = [self.start("work", "alert", "--log-level", "error") for _ in range(2)]
            until = time.monotonic() + chance.uniform(0.3, 2.5)
            while time.monotonic() < until and self.waiting() > 0:
                time.sleep(0.1)
            for alerter in alerters:
                alerter.kill()
            for alerter in alerters:
                alerter.communicate()
            kills += len(alerters)
            # Nobody holds a lease any more: let its time pass.
            self.sql("UPDATE outbox SET lease_until = now() - interval '1 second'"
                     " WHERE state = 'sending'")
        return kills, time.monotonic() - start


def effects_of(entries):
    """{destination: [(key, number)]} of the requests that had their effect, in order; and how often
    each one's reply was lost."""
    kinds = {"/generic/": "webhook", "/services/": "slack", "/v1/spaces/": "google_chat"}
    effects, lost = collections.defaultdict(list), collections.Counter()
    for entry in entries:
        if entry["verdict"] != "accepted":
            continue
        kind = next(name for prefix, name in kinds.items() if entry["path"].startswith(prefix))
        key, number = map(int, MARK.search(entry["body"]).groups())
        effects[kind].append((key, number))
        lost[kind, number] += entry.get("fault") is not None
    return effects, lost


def judge(soak, kind, effects, lost):
    """One line of the table: name, numbers, and what is wrong."""
    expired = collections.Counter(int(n) for n in soak.sql(
        "SELECT split_part(dedupe_key, '-', 2) FROM deliveries WHERE outcome = 'lease_expired'"
        f" AND destination = '{kind}'").split())
    seen = collections.Counter(number for _, number in effects)
    newest, late = {}, 0
    for key, number in effects:
        late += number < newest.get(key, 0)
        newest[key] = max(number, newest.get(key, 0))
    unexplained = sum(count - 1 > lost[kind, number] + expired[number]
                      for number, count in seen.items())
    return {"sent": len(effects), "lost": MESSAGES - len(seen), "out of order": late,
            "repeats": sum(seen.values()) - len(seen), "unexplained": unexplained}


def main():
    Soak.setUpClass()
    soak = Soak()
    soak.said = []
    try:
        soak.prepare()
        kills, seconds = soak.run_killed()
        left = soak.waiting()
        entries = soak.doubles["chat"].log()
        effects, lost = effects_of(entries)
        rows = {kind: judge(soak, kind, effects[kind], lost) for kind in DESTINATIONS}
        shown = soak.doubles["chat"].state()
        kept = {"webhook": len(shown["webhook"]["signed"]), "slack": len(shown["slack_webhook"]),
                "google_chat": len(shown["google_chat"])}
        rejected = [entry["rejected"] for entry in entries if "rejected" in entry]
        dead = soak.sql("SELECT count(*) FROM outbox WHERE state = 'dead'")
    finally:
        for double in getattr(soak, "doubles", {}).values():
            double.stop()
        Soak.tearDownClass()
    faulted = sum(1 for entry in entries if entry.get("fault"))
    print(f"{3 * MESSAGES} messages, {len(entries)} requests, {faulted} faults, {kills} kills, "
          f"{seconds:.0f} s, seed {SEED}; {left} not sent, {dead} dead, {len(rejected)} rejected")
    columns = ("sent", "lost", "out of order", "repeats", "unexplained")
    print(f"{'destination':<14}" + "".join(f"{name:>14}" for name in (*columns, "shown")))
    for kind, row in rows.items():
        print(f"{kind:<14}" + "".join(f"{row[name]:>14}" for name in columns) + f"{kept[kind]:>14}")
    deduped = kept["webhook"] == kept["google_chat"] == MESSAGES
    if not deduped:
        print("a receiver that knows repeats has shown one twice, or lost one")
    wrong = any(row[name] for row in rows.values()
                for name in ("lost", "out of order", "unexplained"))
    for why in rejected[:5]:
        print("rejected:", json.dumps(why))
    return 1 if wrong or left or rejected or int(dead) or not deduped else 0


if __name__ == "__main__":
    sys.exit(main())
