"""Checks what all test doubles share: verdicts, log, faults, pauses, TLS, control, start, end."""

import email.utils
import http.client
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "doubles"
sys.path.insert(0, str(FOLDER))

from case import DoubleCase, send, send_raw
from launch import Launch

HOOK = "/hooks/mattermost0hook0key0000001"
UNSIGNED = "/unsigned/a"
JSON = {"Content-Type": "application/json"}


class ChatCase(DoubleCase):
    script, headers = "chat_server.py", JSON


class CommonRules(ChatCase):
    def test_accepts_a_plain_request_and_logs_it_in_full(self):
        self.accept(UNSIGNED + "?x=1", {"a": "ü"})
        entry = self.last()
        self.assertEqual((entry["method"], entry["path"], entry["query"], entry["listener"]),
                         ("POST", UNSIGNED, "x=1", "main"))
        self.assertEqual(json.loads(entry["body"]), {"a": "ü"})
        self.assertEqual(entry["headers"]["content-type"], "application/json")
        self.assertEqual(entry["status"], 200)

    def test_rejects_cookies(self):
        self.reject("Cookie", UNSIGNED, {}, headers={"Cookie": "a=b"})

    def test_rejects_a_foreign_host(self):
        self.reject("Host is 'evil.example'", UNSIGNED, {}, headers={"Host": "evil.example"})

    def test_rejects_a_request_made_for_a_proxy(self):
        port = self.double.ports["main"]
        send_raw(port, f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                       "Connection: close\r\n\r\n".encode())
        self.assertIn("no proxy", self.last()["rejected"])

    def test_rejects_a_header_that_is_sent_twice(self):
        port = self.double.ports["main"]
        send_raw(port, f"POST {UNSIGNED} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                       "Content-Type: a/b\r\n"
                       "Content-Type: application/json\r\nContent-Length: 2\r\n"
                       "Connection: close\r\n\r\n{}".encode())
        self.assertIn("content-type is sent 2 times", self.last()["rejected"])

    def test_rejects_a_body_that_ends_early(self):
        with socket.create_connection(("127.0.0.1", self.double.ports["main"])) as sock:
            sock.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\nhalf")
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(4096):
                pass
        self.assertIn("ends after 4 of 20 bytes", self.last()["rejected"])

    def test_rejects_bodies_that_are_no_strict_json(self):
        for body, why in ((b"{", "JSON"), (b'{"a":1,"a":2}', "twice"), (b'{"a":NaN}', "NaN"),
                          (b'{"a":"\xff"}', "UTF-8"), (b'["\\ud800"]', "surrogate"),
                          (b"[" * 5000 + b"]" * 5000, "nested")):
            self.reject(why, UNSIGNED, body)

    def test_reads_chunked_bodies(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.double.ports["main"], timeout=30)
        connection.request("POST", UNSIGNED, iter([b'{"a":', b"1}"]), JSON, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()

    def test_unknown_paths_and_methods_are_rejections(self):
        self.reject("there is no", "/nowhere", {}, status=404)
        self.reject("GET is not for", HOOK, method="GET", status=405)

    def test_the_log_holds_no_credential(self):
        self.send(f"{UNSIGNED}?token=planted-token&sig=planted-sig&key=planted-key", {},
                  headers={"Authorization": "Bearer planted-bearer", "Private-Token": "planted-pt"})
        text = self.double.log_path.read_text(encoding="utf-8")
        self.assertNotIn("planted", text)
        self.assertRegex(self.last()["headers"]["authorization"], r"^Bearer sha256:[0-9a-f]{8}$")

    def test_large_bodies_are_logged_as_digests(self):
        self.send(UNSIGNED, b"x" * 100_000)
        self.assertIn("body_sha256", self.last())
        self.assertNotIn("body", self.last())


class Faults(ChatCase):
    def fault(self, **rule):
        self.double.faults(rule)

    def count(self):
        return len(self.double.state()["webhook"]["unsigned"])

    def test_a_status_before_leaves_the_state_alone_and_after_does_not(self):
        before = self.count()
        self.fault(fault="status", status=500, times=1)
        self.assertEqual(self.send(UNSIGNED, {}).status, 500)
        self.assertEqual((self.last()["verdict"], self.count()), ("faulted", before))
        self.fault(fault="status", status=502, when="after", times=1, body="<html>")
        reply = self.send(UNSIGNED, {})
        self.assertEqual((reply.status, reply.text), (502, "<html>"))
        self.assertEqual((self.last()["verdict"], self.last()["fault"], self.count()),
                         ("accepted", "status", before + 1))

    def test_retry_after_comes_as_seconds_or_as_a_date(self):
        self.fault(fault="status", status=429, retry_after=0.5, times=1)
        self.assertEqual(self.send("/unsigned/seconds", {}).headers["Retry-After"], "0.5")
        self.fault(fault="status", status=503, retry_after={"date_in_s": 3600}, times=1)
        date = self.send("/unsigned/date", {}).headers["Retry-After"]
        parsed = email.utils.parsedate_to_datetime(date).timestamp()
        self.assertLess(abs(parsed - time.time() - 3600), 600)

    def test_coming_back_before_retry_after_is_a_rejection(self):
        self.fault(fault="status", status=429, retry_after=3600, times=1)
        self.send("/unsigned/early", {})
        time.sleep(0.1)  # sooner it could have been under way
        self.reject("before the time that it was asked to wait for", "/unsigned/early", {},
                    status=429)
        self.accept("/unsigned/another", {})
        self.fault(fault="status", status=429, retry_after=0.1, times=1)
        self.send("/unsigned/patient", {})
        time.sleep(0.2)
        self.accept("/unsigned/patient", {})

    def test_a_429_speaks_the_words_of_the_service(self):
        self.fault(fault="status", status=429, retry_after=0.1)
        reply = self.send("/api/webhooks/112233445566778899/Abc-123_discord-webhook-token", {})
        self.assertEqual(set(reply.json), {"message", "retry_after", "global"})
        self.assertEqual(reply.headers["Retry-After"], "0.1")

    def test_picks_by_path_method_operation_number_and_times(self):
        self.double.faults({"fault": "status", "status": 500, "path": "/uns*/a", "nth": [2, 3],
                            "method": "POST", "operation": "Webhook"})
        self.assertEqual([self.send(UNSIGNED, {}).status for _ in range(4)], [200, 500, 500, 200])
        self.double.faults({"fault": "status", "status": 500, "path": "/other"},
                           {"fault": "status", "status": 503, "times": 1})
        self.assertEqual([self.send(UNSIGNED, {}).status for _ in range(2)], [503, 200])

    def test_a_share_of_the_requests_is_the_same_for_the_same_seed(self):
        def statuses():
            self.double.faults({"fault": "status", "status": 500, "share": 0.3}, seed=4)
            return [self.send(UNSIGNED, {}).status for _ in range(40)]
        first = statuses()
        self.assertEqual(first, statuses())
        self.assertTrue(4 < first.count(500) < 20, first)

    def test_hang_answers_nothing_until_its_time_is_over(self):
        self.fault(fault="hang", seconds=0.4)
        start = time.monotonic()
        with self.assertRaises(http.client.RemoteDisconnected):
            self.send(UNSIGNED, {})
        self.assertGreater(time.monotonic() - start, 0.35)

    def test_cut_ends_the_connection_before_or_after_the_work(self):
        before = self.count()
        for when, grown in (("before", 0), ("after", 1)):
            self.fault(fault="cut", when=when)
            with self.assertRaises((http.client.RemoteDisconnected, ConnectionResetError)):
                self.send(UNSIGNED, {})
            self.assertEqual(self.count() - before, grown)

    def test_cut_with_reset_is_an_error_of_the_connection(self):
        self.fault(fault="cut", reset=True)
        with self.assertRaises(ConnectionResetError):
            self.send(UNSIGNED, {})

    def test_drip_sends_the_whole_answer_slowly(self):
        self.fault(fault="drip", interval_s=0.005)
        start = time.monotonic()
        self.assertEqual(self.send(UNSIGNED, {}).json, {"ok": True})
        self.assertGreater(time.monotonic() - start, 0.4)

    def test_truncate_promises_more_than_it_sends(self):
        self.fault(fault="truncate")
        with self.assertRaises(http.client.IncompleteRead):
            self.send(UNSIGNED, {})

    def test_flood_sends_more_than_anyone_should_read(self):
        self.fault(fault="flood", bytes=3 << 20)
        self.assertEqual(len(self.send(UNSIGNED, {}).body), 3 << 20)

    def test_headers_are_added_to_the_true_answer(self):
        self.fault(fault="headers", headers={"RateLimit-Remaining": "0"})
        reply = self.send(UNSIGNED, {})
        self.assertEqual((reply.status, reply.headers["RateLimit-Remaining"]), (200, "0"))

    def test_whoever_follows_a_redirect_to_another_host_is_found_out(self):
        self.fault(fault="redirect", status=307, path=UNSIGNED)
        reply = self.send(UNSIGNED, {})
        location = reply.headers["Location"]
        self.assertEqual((reply.status, location.partition(UNSIGNED)[0]),
                         (307, self.double.url("", "elsewhere", "localhost")))
        self.assertEqual(send(location, "POST", {}, JSON).status, 200)
        self.assertIn("followed a redirect", self.last()["rejected"])

    def test_a_redirect_on_the_same_host_leads_to_the_same_thing(self):
        self.fault(fault="redirect", to="same", times=1)
        location = self.send(UNSIGNED, {}).headers["Location"]
        self.accept(location, {})

    def test_refuses_rules_that_make_no_sense(self):
        for rule in ({"fault": "explode"}, {"fault": "status"}, {"fault": "hang", "status": "x"},
                     {"fault": "drip", "when": "before"}, {"fault": "cut", "colour": 1},
                     {"fault": "status", "status": 429, "retry_after": "soon"}):
            with self.assertRaises(ValueError, msg=rule):
                self.double.faults(rule)


class Limits(ChatCase):
    arguments = ("--rate", "0.5:2")

    def test_a_burst_passes_and_then_each_destination_waits_for_itself(self):
        replies = [self.send("/unsigned/one", {}) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [200, 200, 429])
        self.assertEqual(self.last()["verdict"], "limited")
        self.assertGreaterEqual(int(replies[2].headers["Retry-After"]), 1)
        self.accept("/unsigned/two", {})
        time.sleep(2.1)
        self.accept("/unsigned/one", {})


class Secured(unittest.TestCase):
    def context(self, double):
        return ssl.create_default_context(cafile=double.ca_path)

    def test_the_good_certificate_is_trusted_with_its_authority_and_not_without(self):
        with Launch("chat_server.py", "--tls", "trusted") as double:
            url = double.url(UNSIGNED)
            self.assertEqual(send(url, "POST", {}, JSON, self.context(double)).status, 200)
            with self.assertRaises(ssl.SSLCertVerificationError):
                send(url, "POST", {}, JSON)
            until = time.monotonic() + 20
            while len(double.log()) < 2 and time.monotonic() < until:
                time.sleep(0.02)
            self.assertEqual([e["verdict"] for e in double.log()], ["accepted", "no request"])

    def test_the_bad_certificates_are_bad_each_in_its_own_way(self):
        for kind, why in (("self-signed", "self-signed certificate"), ("expired", "expired"),
                          ("wrong-name", "mismatch")):
            with Launch("chat_server.py", "--tls", kind) as double:
                with self.assertRaises(ssl.SSLCertVerificationError) as caught:
                    send(double.url(UNSIGNED), "POST", {}, JSON, self.context(double))
                self.assertIn(why, str(caught.exception))
                self.assertEqual(double.state()["webhook"]["unsigned"], [])


class StartAndEnd(unittest.TestCase):
    def run_double(self, folder, *arguments, **more):
        command = [sys.executable, str(FOLDER / "chat_server.py"), "--port-file",
                   f"{folder}/port", *arguments]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)

    def wait_for(self, path):
        until = time.monotonic() + 60
        while not path.exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_ends_on_sigterm_with_success_even_while_a_client_hangs(self):
        with tempfile.TemporaryDirectory() as folder:
            faults = pathlib.Path(folder, "faults")
            faults.write_text('{"faults": [{"fault": "hang"}]}')
            process = self.run_double(folder, "--faults", str(faults))
            self.wait_for(pathlib.Path(folder, "port"))
            port = int(pathlib.Path(folder, "port").read_text().splitlines()[0])
            with socket.create_connection(("127.0.0.1", port)) as sock:
                sock.sendall(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
                time.sleep(0.2)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(60), 0)
            process.stderr.close()

    def test_reads_its_control_file_again_when_it_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            faults = pathlib.Path(folder, "faults")
            faults.write_text('{"faults": [{"fault": "status", "status": 500}]}')
            with Launch("chat_server.py", "--faults", faults) as double:
                self.assertEqual(send(double.url(UNSIGNED), "POST", {}, JSON).status, 500)
                faults.write_text('{"faults": []}')
                self.assertEqual(send(double.url(UNSIGNED), "POST", {}, JSON).status, 200)

    def test_says_what_is_wrong_with_a_control_file(self):
        with tempfile.TemporaryDirectory() as folder:
            faults = pathlib.Path(folder, "faults")
            faults.write_text('{"faults": [{"fault": "explode"}]}')
            process = self.run_double(folder, "--faults", str(faults))
            self.assertEqual(process.wait(60), 1)
            self.assertIn("faults[0].fault", process.stderr.read())
            process.stderr.close()

    def test_ends_when_its_stdin_does(self):
        with tempfile.TemporaryDirectory() as folder:
            process = self.run_double(folder, "--until-stdin-ends", stdin=subprocess.PIPE)
            self.wait_for(pathlib.Path(folder, "port"))
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)
            process.stderr.close()


if __name__ == "__main__":
    unittest.main()
