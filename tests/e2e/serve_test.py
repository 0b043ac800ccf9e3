"""The service: its children, what it tells the service manager, status, metrics, signals."""

import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest

from queue_case import QueueCase, children_of, is_gone, log_events, postgres_server

PROMTOOL = shutil.which("promtool")
LABEL = r'[a-z]+="(?:[^"\\]|\\.)*"'
SAMPLE = re.compile(rf"([a-z_0-9]+)(\{{{LABEL}(?:,{LABEL})*\}})? (-?[0-9.e+-]+)")


SECRET = "s3cr3t-of-the-service"
LARGE_BYTES = 96 << 20  # beyond what any arena of a worker gives for a row
LARGE_S = 180  # for it to come and go on a busy machine


def environment_of(pid):
    with open(f"/proc/{pid}/environ", "rb") as stream:
        return stream.read().decode(errors="replace")


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return stream.read().decode().split("\0")
    except OSError:
        return []


class Serve(QueueCase):
    """One ledger; each test starts a service of its own."""

    def setUp(self):
        super().setUp()
        self.port = postgres_server.free_port()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = self.folder / f"notify-{self.port}"
        self.manager.bind(str(path))
        self.manager.settimeout(30)
        self.service = self.spawn("serve", STEPLEDGER_METRICS_PORT=str(self.port),
                                  STEPLEDGER_WORKERS="2", NOTIFY_SOCKET=str(path),
                                  WATCHDOG_USEC="400000", WANDB_API_KEY=SECRET)

    def tearDown(self):
        super().tearDown()
        self.manager.close()

    def told(self, word):
        """Waits until the service manager is told."""
        while True:
            said = self.manager.recv(4096).decode()
            if word in said.split("\n"):
                return said

    def workers(self):
        """Its workers; the embedded server may be a child of it as well."""
        return [pid for pid in children_of(self.service.pid) if command_of(pid)[1:2] == ["work"]]

    def children(self, kind):
        """The workers of a kind."""
        return [pid for pid in self.workers() if command_of(pid)[2] == kind]

    def get(self, path, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def test_runs_workers_and_ends_them_in_order(self):
        self.told("READY=1")
        self.told("WATCHDOG=1")
        expected = {"ingest": 2, "compare": 1, "alert": 1, "schedule": 1, "metrics": 1}
        self.wait_for("the workers", lambda: expected ==
                      {kind: len(self.children(kind)) for kind in expected})
        # A worker is shown with its environment from exec until its main has taken it away.
        self.wait_for("environments without the secret", lambda: all(
            SECRET not in environment_of(pid) for pid in (self.service.pid, *self.workers())))
        job = self.submit(self.profile("s1", "--seed", "401"))[0]
        self.wait_state(job, "done")
        pids = self.workers()
        began = time.monotonic()
        self.stop(self.service)
        self.assertLess(time.monotonic() - began, 8)
        self.assertTrue(all(is_gone(pid) for pid in pids))
        self.told("STOPPING=1")
        self.assertEqual(self.expect(0, "status", "--format", "json").document["workers"], [])

    def test_starts_again_what_was_killed(self):
        self.told("READY=1")
        before = self.wait_for("a worker", lambda: self.children("ingest"))
        for pid in before + self.children("alert"):
            os.kill(pid, signal.SIGKILL)
        self.wait_for("new workers", lambda: len(self.children("ingest")) == 2 and
                      self.children("alert") and not set(before) & set(self.children("ingest")))
        job = self.submit(self.profile("s2", "--seed", "402"))[0]
        self.wait_state(job, "done")
        self.stop(self.service)

    def test_its_workers_end_when_it_is_killed(self):
        self.told("READY=1")
        self.wait_for("the workers", lambda: log_events(self.service.log, "worker_started")[4:])
        pids = self.workers()
        self.service.kill()
        self.wait_for("their end", lambda: all(is_gone(pid) for pid in pids), 20)

    def test_starts_the_workers_anew_on_sighup(self):
        self.told("READY=1")
        self.wait_for("the workers", lambda: log_events(self.service.log, "worker_started")[4:])
        before = set(self.workers())
        self.service.send_signal(signal.SIGHUP)
        self.told("RELOADING=1")
        self.wait_for("new workers", lambda: len(self.workers()) == 6 and
                      not before & set(self.workers()))
        self.stop(self.service)

    def test_ends_after_the_message_that_is_on_its_way(self):
        """Its receiver takes it and says nothing for as long as it may by default."""
        self.told("READY=1")
        self.stop(self.service)
        config = self.folder / "silent.conf"
        with socket.create_server(("127.0.0.1", 0)) as silent:
            config.write_text(
                "notify = silent\n[destination silent]\nkind = webhook\n"
                f"url = http://127.0.0.1:{silent.getsockname()[1]}/x\n"
                "allow_http = yes\nallow_addresses = 127.0.0.0/8\n")
            for name in ("m1", "m2"):
                self.ingest("--branch", "main", self.profile(name, "--seed", name[1:]))
            self.expect(0, "gate", "--project", "p", "--workload", "w", "--config", config,
                        "--branch", "topic", self.profile("m3", "--seed", "3"))
            service = self.spawn("serve", "--config", config)
            silent.settimeout(60)
            with silent.accept()[0]:
                self.stop(service, 60)
        self.assertNotIn("killed by signal", service.log.read_text())
        self.assertEqual(self.query("SELECT state || ' ' || attempt FROM outbox"), ["pending 1"])

    def test_serves_metrics_that_can_be_read(self):
        self.told("READY=1")
        self.wait_for("the metrics", lambda: self.children("metrics"))
        job = self.submit(self.profile("s3", "--seed", "403"))[0]
        self.wait_state(job, "done")
        page = self.wait_for("an answer", self.metrics)
        values = {}
        for line in page.splitlines():
            if line.startswith("#"):
                self.assertRegex(line, r"^# (HELP|TYPE) stepledger_[a-z_0-9]+ \S")
                continue
            match = SAMPLE.fullmatch(line)
            self.assertIsNotNone(match, line)
            values[match[1] + (match[2] or "")] = float(match[3])
        self.assertEqual(values["stepledger_database_up"], 1)
        self.assertGreaterEqual(values['stepledger_queue_jobs{state="done"}'], 1)
        self.assertEqual(values['stepledger_judge_candidates{state="aside"}'], 0)
        self.assertEqual(values['stepledger_outbox_messages{state="pending"}'], 0)
        self.assertIn("stepledger_last_profile_seconds", values)
        self.assertEqual(self.get("/healthz"), (200, "ok\n"))
        checked = self.call("check", "--offline", environment={
            "STEPLEDGER_METRICS_PORT": str(self.port)})
        self.assertNotIn("serve metrics", checked.out)  # who listens there is the service
        self.assertEqual(self.get("/other")[0], 404)
        self.assertEqual(self.get("/metrics", "POST")[0], 405)
        self.stop(self.service)

    @unittest.skipUnless(PROMTOOL,
                         "SKIPPED: promtool is not installed (apt-get install prometheus)")
    def test_prometheus_finds_nothing_to_say_about_the_metrics(self):
        """Every group of numbers is there: workers, jobs, a destination and its attempts."""
        self.told("READY=1")
        self.query("INSERT INTO destinations (name) VALUES ('te\"am') RETURNING name")
        job = self.submit(self.profile("s4", "--seed", "404"))[0]
        self.wait_state(job, "done")
        page = self.wait_for("an answer", self.metrics)
        for name in ("worker_busy{", 'destination_waiting{destination="te\\"am"}',
                     "deliveries_5m{"):
            self.assertIn(f"\nstepledger_{name}", page)
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=page, text=True, timeout=60,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.stop(self.service)

    def test_metrics_stay_reachable_beside_clients_that_drip(self):
        """Each sends a byte now and then, so that none is ever silent for long."""
        self.told("READY=1")
        self.wait_for("the metrics", lambda: self.children("metrics"))
        self.wait_for("an answer", self.metrics)
        dripping = []
        for _ in range(80):
            client = socket.create_connection(("127.0.0.1", self.port), timeout=20)
            self.addCleanup(client.close)
            client.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
            dripping.append(client)
        self.assertEqual(self.get("/metrics")[0], 200)
        for client in dripping[-16:]:
            client.sendall(b"x")
        self.assertEqual(self.get("/metrics")[0], 200)
        self.stop(self.service)

    def test_what_a_request_claims_takes_nothing(self):
        """Neither a length, nor a chunk, nor a name or field without an end."""
        self.told("READY=1")
        self.wait_for("an answer", self.metrics)
        [server] = self.children("metrics")
        claims = [b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000000000\r\n\r\nx",
                  b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999\r\n\r\n",
                  b"PUT /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                  b"7fffffffffff\r\n" + bytes(1 << 20),
                  b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n"
                  + bytes(1 << 26),
                  b"GET /" + b"a" * (1 << 24), b"GET / HTTP/1.1\r\nX: " + b"y" * (1 << 24)]
        for claim in claims:
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as client:
                with contextlib.suppress(ConnectionError):
                    client.sendall(claim)
            self.assertEqual(self.get("/metrics")[0], 200, claim[:60])
        self.assertEqual(self.get("/metrics", "POST")[0], 405)
        self.assertEqual(self.children("metrics"), [server])
        with open(f"/proc/{server}/status", encoding="ascii") as status:
            [peak] = [line.split()[1] for line in status if line.startswith("VmHWM:")]
        self.assertLess(int(peak), 100 << 10)
        self.stop(self.service)

    def test_a_row_that_is_too_large_ends_neither_metrics_nor_worker(self):
        """Who may write work's own tables writes what no worker has room for."""
        self.told("READY=1")
        self.wait_for("an answer", self.metrics)
        before = self.workers()
        self.addCleanup(self.query, "DELETE FROM queue WHERE path = '/x'")
        self.addCleanup(self.query, "DELETE FROM workers WHERE name = 'hostile'")
        self.query("INSERT INTO workers (name, kind, slots, busy) "
                   f"VALUES ('hostile', repeat('k', {LARGE_BYTES}), 1, 0)")
        self.wait_for("a page without numbers",
                      lambda: "database_up 0" in (self.metrics() or ""), LARGE_S)
        self.query("DELETE FROM workers WHERE name = 'hostile'")
        self.wait_for("the numbers", lambda: "database_up 1" in (self.metrics() or ""), LARGE_S)
        self.query("INSERT INTO queue (project, workload, path, options, max_attempts) "
                   f"VALUES ('p', 'w', '/x', repeat('o', {LARGE_BYTES}), 3)")
        self.wait_for("its refusal",
                      lambda: "no memory for a job" in self.service.log.read_text(), LARGE_S)
        self.query("DELETE FROM queue WHERE path = '/x'")
        job = self.submit(self.profile("beside", "--kind", "tpu", "--seed", "901"))[0]
        self.wait_state(job, "done")
        self.assertEqual(self.workers(), before)
        self.assertIn("no memory for the status", self.service.log.read_text())
        self.stop(self.service)

    def metrics(self):
        try:
            status, page = self.get("/metrics")
        except OSError:
            return None
        return page if status == 200 else None

    def test_tells_people_what_it_does(self):
        self.told("READY=1")
        self.wait_for("the signs", lambda: len(
            self.expect(0, "status", "--format", "json").document["workers"]) >= 5)
        text = self.expect(0, "status").out
        for word in ("database", "profile", "queue", "outbox", "ready", "pending", "ingest",
                     "compare", "schedule", "judging", "busy"):
            self.assertIn(word, text)
        self.stop(self.service)


if __name__ == "__main__":
    unittest.main(verbosity=2)
