"""A unittest case around one running double, with a plain HTTP client.

What: starts the double once per class; `send` makes one request; `accept` and `reject` make one
and insist on the verdict in the log.
Why: the tests of the doubles, and end-to-end tests that want to look at a service from outside.
What it does not do: the client follows no redirect, keeps no cookie, reads no proxy setting.
"""

import http.client
import json
import socket
import ssl
import unittest
import urllib.parse

from launch import Launch

TIMEOUT_S = 30


class Reply:
    """What came back; `json` is None when the body is none."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.text = body.decode("utf-8", "replace")
        try:
            self.json = json.loads(body)
        except ValueError:
            self.json = None


def body_of(value):
    """Bytes of a body: bytes stay, texts are encoded, everything else becomes JSON."""
    if value is None or isinstance(value, bytes):
        return value
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


def send(url, method="POST", body=None, headers=None, context=None):
    """One request on a connection of its own."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=TIMEOUT_S,
                                                 context=context or ssl.create_default_context())
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)
    try:
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, target, body_of(body), headers or {})
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())
    finally:
        connection.close()


def send_raw(port, data):
    """Bytes as they stand on a fresh connection; all that comes back until its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as sock:
        sock.sendall(data)
        received = b""
        while True:
            part = sock.recv(65536)
            if not part:
                return received
            received += part


class DoubleCase(unittest.TestCase):
    """`script` and `arguments` say which double runs; `headers` go with every request."""

    script, arguments, headers = None, (), {}

    @classmethod
    def setUpClass(cls):
        cls.double = Launch(cls.script, *cls.arguments)

    @classmethod
    def tearDownClass(cls):
        cls.double.stop()

    def tearDown(self):
        self.double.faults()

    def send(self, path, body=None, method="POST", headers=None, listener="main"):
        """`headers` add to those of the class; None as a value takes one away."""
        wanted = {**self.headers, **(headers or {})}
        sent = {name: value for name, value in wanted.items() if value is not None}
        return send(self.double.url(path, listener), method, body, sent)

    def last(self):
        return self.double.log()[-1]

    def accept(self, path, body=None, status=200, **more):
        """Sends and insists that nothing was wrong."""
        reply = self.send(path, body, **more)
        entry = self.last()
        self.assertEqual(entry["verdict"], "accepted", entry.get("rejected"))
        self.assertEqual(reply.status, status, reply.text)
        return reply

    def reject(self, why, path, body=None, status=400, **more):
        """Sends and insists that the log names this reason and the answer has this status."""
        reply = self.send(path, body, **more)
        entry = self.last()
        self.assertEqual(entry["verdict"], "rejected", f"accepted; expected: {why}")
        self.assertIn(why, entry["rejected"])
        self.assertEqual(reply.status, status, reply.text)
        return reply
