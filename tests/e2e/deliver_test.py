"""The alert worker through the binary: verdicts and made-up messages from the outbox to a strict
receiver, with every kind of fault, two workers, a killed worker; and no secret anywhere.
"""

import base64
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from channel_case import LOOPBACK, NO_RETRY, SECRETS, ChannelCase
from cli_case import ROOT, TIMEOUT_S

RECEIVER = ROOT / "tests" / "support" / "webhook_receiver.py"
TOKEN = "planted-token-9c41"
KEY = "whsec_" + base64.b64encode(b"planted-signing-key-of-32-bytes!").decode()
AT_ONCE = {"delivery_base_ms": 1, "delivery_cap_ms": 2}
BODY = {"type": "stepledger.verdict", "version": 1, "status": "fail", "headline": "made up"}


class Receiver:
    """A receiver process; `requests` is what it wrote down."""

    def __init__(self, folder, *options):
        folder.mkdir()
        self.log, url_file = folder / "log", folder / "url"
        self.process = subprocess.Popen(
            [sys.executable, str(RECEIVER), "--log", str(self.log), "--url-file",
             str(url_file), "--path", f"/{TOKEN}", *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not url_file.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the receiver did not start")
            time.sleep(0.01)
        self.url = url_file.read_text().strip()

    @property
    def requests(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] \
            if self.log.exists() else []

    def wait_for(self, count):
        """The requests, once there are so many: a sender that gives up early is ahead of us."""
        deadline = time.monotonic() + 60
        while len(self.requests) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.requests

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT_S)


class DeliverCase(ChannelCase):
    """One ledger; each test has receivers, a configuration and an outbox of its own."""

    servers, baseline_runs = {}, 0

    def setUp(self):
        super().setUp()
        self.number = 0
        for secret in (TOKEN, KEY.removeprefix("whsec_")):
            SECRETS.append(secret)
            self.addCleanup(SECRETS.remove, secret)

    def place(self, name):
        folder = self.folder / self.id().rpartition(".")[2]
        folder.mkdir(exist_ok=True)
        return folder / name

    def receiver(self, *options):
        self.number += 1
        receiver = Receiver(self.place(f"receiver-{self.number}"), *options)
        self.addCleanup(receiver.stop)
        return receiver

    def configure_hooks(self, *destinations, **keys):
        """Writes the configuration: (name, url, {key: value}) each, and top-level keys."""
        lines = [line for name, url, entries in destinations for line in self.section_lines(
            name, {"kind": "webhook", "url": self.secret_file(f"url-{name}", url), **entries})]
        self.configure(*lines, **keys)

    def enqueue(self, message_id, destination="hook", order_key=None, attempts=12):
        self.sql(f"INSERT INTO destinations (name) VALUES ('{destination}') ON CONFLICT DO NOTHING")
        self.sql("INSERT INTO outbox (destination_id, order_key, dedupe_key, content_type, body,"
                 f" max_attempts) SELECT id, '{order_key or message_id}', '{message_id}',"
                 f" 'application/json', '{json.dumps(BODY)}', {attempts}"
                 f" FROM destinations WHERE name = '{destination}'")

    def state(self, message_id):
        return self.sql(f"SELECT state FROM outbox WHERE dedupe_key = '{message_id}'")

    def make_due(self):
        self.sql("UPDATE outbox SET not_before = now() WHERE state = 'pending'")


class Verdicts(DeliverCase):
    """From a failing gate to the receiver."""

    def test_tells_a_failing_verdict_once_and_signed(self):
        key = self.secret_file("key", KEY)
        receiver = self.receiver("--secret-file", key.removeprefix("file:"))
        self.configure_hooks(("hook", receiver.url, {**LOOPBACK, "secret": key}), notify="hook")
        for run in range(1, 5):
            self.ingest("--branch", "main", "--run", f"main-{run}",
                        self.profile(f"main-{run}", "--kind", "tpu", "--seed", str(run)))
        gate = ["gate", "--project", "p", "--workload", "w", "--branch", "slow", "--commit",
                "c" * 40, self.profile("slow", "--kind", "tpu", "--seed", "77", "--slow-op",
                                       "attention=2.5")]
        verdict = self.expect(1, *gate).document
        self.work(delivered=1)
        [request] = receiver.requests
        self.assertEqual(request["problems"], [])
        body = json.loads(request["body"])
        self.assertEqual((body["status"], body["project"], body["workload"], body["commit"]),
                         ("fail", "p", "w", "c" * 40))
        self.assertRegex(body["verdict"], r"^v[0-9]+$")
        self.assertRegex(body["headline"], r"^FAIL: p/w: step time .* -> .* \(\+.* %\): ")
        self.assertEqual(body["ops"][0]["name"], verdict["ops"][0]["name"])
        self.assertEqual(body["candidate"]["profiles"], verdict["candidate"]["profile_ids"])
        self.expect(1, *gate)  # the same finding again
        self.work()
        self.assertEqual(len(receiver.requests), 1)
        self.refuses_a_message_that_was_changed(receiver)

    def refuses_a_message_that_was_changed(self, receiver):
        """The owner put another text under the message of a verdict while it waited."""
        self.expect(1, "gate", "--project", "p", "--workload", "w", "--branch", "other",
                    self.profile("other", "--kind", "tpu", "--seed", "78", "--slow-op",
                                 "attention=2.5"))
        self.owner_sql("ALTER TABLE outbox DISABLE TRIGGER outbox_fixed",
                       "UPDATE outbox SET body = replace(encode(body, 'escape'), 'FAIL', 'PASS')"
                       "::bytea WHERE state = 'pending'",
                       "ALTER TABLE outbox ENABLE TRIGGER outbox_fixed")
        self.assertIn("in the outbox is not what the rest says", self.expect(1, "verify").out)
        self.work(dead=1)
        self.assertEqual(len(receiver.requests), 1)
        self.assertIn("it was changed in the outbox", self.sql(
            "SELECT reason FROM deliveries WHERE outcome = 'dead'"))

    def test_a_passing_verdict_is_no_news(self):
        receiver = self.receiver()
        self.configure_hooks(("hook", receiver.url, LOOPBACK), notify="hook")
        for run in range(1, 9):
            self.ingest("--branch", "main", "--run", f"main-{run}",
                        self.profile(f"main-{run}", "--kind", "tpu", "--seed", str(run)))
        verdict = self.expect(0, "gate", "--project", "p", "--workload", "w", "--branch", "same",
                              self.profile("same", "--kind", "tpu", "--seed", "78")).document
        self.assertEqual(verdict["status"], "pass")
        self.work()
        self.assertEqual(receiver.requests, [])


class Faults(DeliverCase):
    """Made-up messages; each fault ends in the documented state."""

    def test_refuses_a_loopback_receiver_unless_told(self):
        receiver = self.receiver()
        for name, entries in (("plain", {}), ("http", {"allow_http": "yes"}),
                              ("address", {"allow_addresses": "127.0.0.0/8"})):
            self.configure_hooks((name, receiver.url, entries))
            self.enqueue(f"refused-{name}", name)
            log = self.work(dead=1)
            self.assertIn("event=delivery_refused", log)
            self.assertIn("class=permanent", log)
            self.assertEqual(len(log.splitlines()), 1)
            self.assertEqual(self.state(f"refused-{name}"), "dead")
        self.assertEqual(receiver.requests, [])
        self.configure_hooks(("both", receiver.url, LOOPBACK))
        self.enqueue("taken", "both")
        self.work(delivered=1)
        self.assertEqual([request["problems"] for request in receiver.requests], [[]])

    def test_each_fault_ends_in_its_documented_state(self):
        cases = [
            ("status=204", "done", "done"), ("status=400", "permanent", "dead"),
            ("status=404", "permanent", "dead"), ("status=410", "permanent", "dead"),
            ("status=500", "ambiguous", "pending"), ("status=503", "retry", "pending"),
            ("status=429", "retry", "pending"), ("status=502", "ambiguous", "pending"),
            ("hang", "ambiguous", "pending"), ("drip", "ambiguous", "pending"),
            ("cut", "ambiguous", "pending"), ("garbage", "ambiguous", "pending"),
            ("cut-answer", "done", "done"), ("big", "done", "done"),
            ("big-head", "ambiguous", "pending"),
        ]
        counters = {"done": "delivered", "dead": "dead", "pending": "retried"}
        for fault, outcome, state in cases:
            with self.subTest(fault):
                name = fault.replace("=", "-")
                receiver = self.receiver("--fault", fault)
                timeout_ms = 1000 if fault in ("hang", "drip") else 20000
                self.configure_hooks((name, receiver.url, {**LOOPBACK, "timeout_ms": timeout_ms}),
                               **NO_RETRY)
                self.enqueue(f"fault-{name}", name)
                log = self.work(**{counters[state]: 1})
                self.assertIn(f"class={outcome}", log)
                self.assertEqual(self.state(f"fault-{name}"), state)
                self.assertEqual(len(receiver.wait_for(1)), 1)
                # The wait before a retry is random: it could end during the next case.
                self.sql("UPDATE outbox SET not_before = now() + interval '1 day'"
                         " WHERE state = 'pending'")

    def test_does_not_follow_a_redirect(self):
        elsewhere = self.receiver()
        receiver = self.receiver("--fault", f"redirect={elsewhere.url}")
        self.configure_hooks(("hook", receiver.url, LOOPBACK))
        self.enqueue("redirected")
        self.assertIn("redirects are not followed", self.work(dead=1))
        self.assertEqual((len(receiver.requests), elsewhere.requests), (1, []))

    def test_repeats_the_same_bytes_under_the_same_id(self):
        receiver = self.receiver("--fault", "status=500", "--fault", "cut", "--fault", "status=503")
        self.configure_hooks(("hook", receiver.url, LOOPBACK), **AT_ONCE)
        self.enqueue("stubborn")
        deadline, delivered, retried = time.monotonic() + 60, 0, 0
        while delivered == 0 and time.monotonic() < deadline:
            report = self.expect(0, "work", "alert", "--once").document
            delivered, retried = delivered + report["delivered"], retried + report["retried"]
        self.assertEqual((delivered, retried), (1, 3))
        requests = receiver.requests
        self.assertEqual([request["repeated"] for request in requests], [False, True, True, True])
        self.assertEqual({request["body"] for request in requests}, {json.dumps(BODY)})
        self.assertEqual({request["headers"]["webhook-id"] for request in requests}, {"stubborn"})
        self.assertEqual([problem for request in requests for problem in request["problems"]], [])

    def test_gives_up_after_the_last_attempt(self):
        receiver = self.receiver("--fault", "status=503", "--forever")
        self.configure_hooks(("hook", receiver.url, LOOPBACK), **NO_RETRY)
        self.enqueue("hopeless", attempts=3)
        self.work(retried=1)
        self.make_due()
        self.work(retried=1)
        self.make_due()
        log = self.work(dead=1)
        self.assertIn("given up after attempt 3 of 3", log)
        self.assertIn("level=error", log)
        self.assertEqual(self.state("hopeless"), "dead")
        self.make_due()
        self.work()
        self.assertEqual(len(receiver.requests), 3)

    def test_gives_up_when_the_receiver_wants_more_time_than_there_is(self):
        receiver = self.receiver("--fault", "status=503;Retry-After: 86400")
        self.configure_hooks(("hook", receiver.url, LOOPBACK))
        self.enqueue("late")
        self.sql("UPDATE outbox SET expires_at = now() + interval '1 hour'"
                 " WHERE dedupe_key = 'late'")
        self.assertIn("the next would come too late", self.work(dead=1))
        self.assertEqual(self.state("late"), "dead")

    def test_waits_as_long_as_the_receiver_asks(self):
        receiver = self.receiver("--fault", "status=429;Retry-After: 3600")
        self.configure_hooks(("hook", receiver.url, LOOPBACK), **AT_ONCE)
        self.enqueue("limited-1")
        self.enqueue("limited-2")
        self.work(retried=1)  # the second is not even tried: the whole destination waits
        self.assertEqual(len(receiver.requests), 1)
        waits = self.sql("SELECT extract(epoch FROM not_before - now())::int FROM outbox"
                         " WHERE dedupe_key = 'limited-1'")
        self.assertTrue(3500 < int(waits) <= 3600, waits)

    def test_keeps_the_order_within_an_alert_and_not_beyond(self):
        receiver = self.receiver("--fault", "status=503")
        self.configure_hooks(("hook", receiver.url, LOOPBACK), **NO_RETRY)
        self.enqueue("first", order_key="alert-1")
        self.enqueue("second", order_key="alert-1")
        self.enqueue("other", order_key="alert-2")
        self.work(retried=1, delivered=1)
        self.make_due()
        self.work(delivered=2)
        self.assertEqual([request["headers"]["webhook-id"] for request in receiver.requests],
                         ["first", "other", "first", "second"])

    def test_names_a_destination_that_is_not_configured(self):
        self.configure_hooks(("hook", "https://example.com/", {}))
        self.enqueue("lost", "hok")
        log = self.work(dead=1)
        self.assertIn("destination 'hok' is not configured; did you mean 'hook'?", log)

    def test_names_a_secret_that_others_can_read(self):
        receiver = self.receiver()
        key = self.secret_file("key", KEY)
        pathlib.Path(key.removeprefix("file:")).chmod(0o644)
        self.configure_hooks(("hook", receiver.url, {**LOOPBACK, "secret": key}))
        self.enqueue("open-secret")
        self.assertIn("chmod 600", self.work(dead=1))
        self.assertEqual(receiver.requests, [])

    def test_sends_again_what_a_killed_worker_left(self):
        receiver = self.receiver("--fault", "hang")
        self.configure_hooks(("hook", receiver.url, LOOPBACK))
        self.enqueue("orphan")
        worker = self.start("work", "alert", "--once")
        self.assertEqual(len(receiver.wait_for(1)), 1)
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
        self.assertEqual(self.state("orphan"), "sending")
        self.work()  # the lease holds: nobody else touches it
        self.sql("UPDATE outbox SET lease_until = now() - interval '1 second'"
                 " WHERE dedupe_key = 'orphan'")
        self.assertIn("event=lease_lost", self.work(delivered=1))
        self.assertEqual([request["repeated"] for request in receiver.requests], [False, True])

    def test_shares_the_work_with_another_worker(self):
        receiver = self.receiver()
        self.configure_hooks(("hook", receiver.url, LOOPBACK))
        for number in range(30):
            self.enqueue(f"shared-{number}")
        workers = [self.start("work", "alert", "--once") for _ in range(2)]
        reports = [json.loads(worker.communicate(timeout=TIMEOUT_S)[0]) for worker in workers]
        self.assertEqual(sum(report["delivered"] for report in reports), 30)
        self.assertEqual(len(receiver.requests), 30)
        self.assertFalse(any(request["repeated"] for request in receiver.requests))

    def test_says_that_the_database_is_away(self):
        result = self.call("work", "alert", "--once", "--db", "host=/nonexistent dbname=x")
        self.assertEqual((result.code, result.out), (69, ""))


if __name__ == "__main__":
    unittest.main()
