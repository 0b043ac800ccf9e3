#!/usr/bin/env python3
"""An HTTP receiver for tests and the demo: takes what `stepledger work alert` delivers, checks it
strictly, writes it down, and can misbehave on purpose.

    webhook_receiver.py --log FILE [--secret-file FILE] [--fault FAULT]... [--url-file FILE]

Every request becomes one JSON line of FILE before it is answered: number, method, path, headers,
body, problems (what a careful receiver would object to), repeated (its id was seen before), fault.
A request with problems is answered 400, one of a wrong signature 401; otherwise the next fault of
the list applies, and 200 when the list is used up (with --forever its last one goes on).

Faults, each for one request:
    status=CODE[;Name: value]...   answer with this status and these headers
    redirect=URL      302 to another place            interim   103 first, then 200
    hang              take the request, never answer  garbage   answer with what is no HTTP
    cut               reset after the request         big       200 with a body of 2 MiB
    cut-early         reset before reading it         big-head  200 with an endless head
    cut-answer        200, then reset in the body     drip      the answer one byte every 0.3 s
    long-line         200 with one endless line in its head
    drip-body         200, then the body that slowly       endless   200 with a body of 256 MiB;
                      a second line of FILE says how much of it could be sent

Standard library only. It listens on 127.0.0.1 unless told otherwise and ends by itself.
"""

import argparse
import base64
import hashlib
import hmac
import http.server
import json
import os
import re
import signal
import socket
import ssl
import struct
import sys
import threading
import time

MAX_BODY_BYTES = 20_000  # Standard Webhooks advises at most 20 KB
TOLERANCE_SECONDS = 300
DRIP_SECONDS = 0.3
HANG_SECONDS = 120
CUT_BYTES = 512 << 10  # over what is buffered unread, under what a client reads of an answer
ENDLESS_BYTES = 256 << 20
FORBIDDEN_HEADERS = ("authorization", "cookie", "expect", "proxy-authorization",
                     "proxy-connection", "transfer-encoding", "content-encoding", "referer")
SIGNED_HEADERS = ("webhook-id", "webhook-timestamp")


def secret_key(path):
    with open(path, encoding="ascii") as file:
        text = file.read().strip()
    if not text.startswith("whsec_"):
        sys.exit(f"{path}: a signing key begins with whsec_")
    return base64.b64decode(text.removeprefix("whsec_"), validate=True)


def control_characters(value, place="body"):
    """Places of strings that hold a control character; the text member may hold new-lines."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from control_characters(member, f"{place}.{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from control_characters(item, f"{place}[{number}]")
    elif isinstance(value, str):
        allowed = "\n" if place == "body.text" else ""
        if any((ord(c) < 32 or 127 <= ord(c) < 160) and c not in allowed for c in value):
            yield f"{place} holds a control character"


def body_problems(body):
    if len(body) > MAX_BODY_BYTES:
        yield f"the body has {len(body)} bytes, more than {MAX_BODY_BYTES}"
    try:
        document = json.loads(body.decode("utf-8"))
    except ValueError as error:
        yield f"the body is no JSON in UTF-8: {error}"
        return
    if not isinstance(document, dict):
        yield "the body is no JSON object"
        return
    for name, kind in (("type", str), ("version", int), ("status", str), ("headline", str)):
        if not isinstance(document.get(name), kind):
            yield f"member '{name}' is missing or no {kind.__name__}"
    yield from control_characters(document)


class Inspector:
    """What is wrong with a request; knows the key and the messages seen so far."""

    def __init__(self, key, path):
        self.key, self.path = key, path
        self.seen = {}

    def request_problems(self, request):
        if request.command != "POST":
            yield f"method {request.command}, not POST"
        if self.path and request.path != self.path:
            yield f"path {request.path}, not {self.path}"
        if request.request_version != "HTTP/1.1":
            yield f"{request.request_version}, not HTTP/1.1"
        headers = [name.lower() for name in request.headers]
        for name in sorted(set(headers)):
            if headers.count(name) > 1:
                yield f"header {name} comes {headers.count(name)} times"
            if name in FORBIDDEN_HEADERS:
                yield f"header {name} has no place in a delivery"
        for name in ("host", "user-agent", "content-length"):
            if name not in headers:
                yield f"header {name} is missing"
        if request.headers.get("Content-Type") != "application/json":
            yield f"content type {request.headers.get('Content-Type')}, not application/json"

    def message_problems(self, headers, body):
        for name in SIGNED_HEADERS:
            if name not in headers:
                yield f"header {name} is missing"
        message_id = headers.get("webhook-id", "")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", message_id):
            yield "webhook-id is empty or holds other than letters, digits, - and _"
        stamp = headers.get("webhook-timestamp", "")
        if not re.fullmatch(r"[0-9]{1,12}", stamp):
            yield "webhook-timestamp is no time in seconds"
        elif abs(time.time() - int(stamp)) > TOLERANCE_SECONDS:
            yield "webhook-timestamp is more than five minutes off"
        if self.seen.setdefault(message_id, body) != body:
            yield "the same webhook-id came with another body before"

    def signature_problem(self, headers, body):
        signatures = headers.get("webhook-signature")
        if self.key is None:
            return "signed, but this receiver has no key" if signatures is not None else None
        if signatures is None:
            return "header webhook-signature is missing"
        signed = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
        wanted = base64.b64encode(hmac.digest(self.key, signed, hashlib.sha256)).decode()
        for signature in signatures.split(" "):
            if hmac.compare_digest(signature.encode(), f"v1,{wanted}".encode()):
                return None
        return "webhook-signature does not fit"


class Receiver(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, options):
        self.address_family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        super().__init__((options.host, options.port), Handler)
        self.scheme = "http"
        if options.tls_cert:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.tls_cert, options.tls_key)
            self.socket = context.wrap_socket(self.socket, server_side=True,
                                              do_handshake_on_connect=False)
            self.scheme = "https"
        key = secret_key(options.secret_file) if options.secret_file else None
        self.inspector = Inspector(key, options.path)
        self.faults, self.forever = list(options.fault), options.forever
        self.log, self.lock, self.count = options.log, threading.Lock(), 0

    def handle_error(self, request, client_address):
        """A sender that goes away, or does not like our certificate, is part of the game."""

    def url(self):
        host, port = self.server_address[:2]
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{port}"

    def next_fault(self):
        with self.lock:
            if not self.faults:
                return "none"
            return self.faults[0] if self.forever and len(self.faults) == 1 else self.faults.pop(0)

    def write_down(self, entry):
        with self.lock:
            self.count += 1
            entry["number"] = self.count
            with open(self.log, "a", encoding="ascii") as file:
                file.write(json.dumps(entry, sort_keys=True) + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = HANG_SECONDS

    def log_message(self, *_):
        """The log file says it all."""

    def handle_one_request(self):
        fault = self.server.next_fault()
        if fault == "cut-early":
            self.server.write_down({"fault": fault})
            self.reset()
            self.close_connection = True
            return
        self.fault = fault
        self.raw_requestline = self.rfile.readline(65537)
        if self.raw_requestline and self.parse_request():
            self.receive()
        self.close_connection = True  # parse_request set it to what the sender would like

    def receive(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        inspector = self.server.inspector
        repeated = headers.get("webhook-id") in inspector.seen
        problems = [*inspector.request_problems(self), *inspector.message_problems(headers, body),
                    *body_problems(body)]
        unsigned = inspector.signature_problem(headers, body)
        self.server.write_down({
            "method": self.command, "path": self.path, "headers": headers, "repeated": repeated,
            "body": body.decode("utf-8", "replace"), "fault": self.fault,
            "problems": problems + [unsigned] * (unsigned is not None)})
        if unsigned:
            self.answer(401, {"problem": unsigned})
        elif problems:
            self.answer(400, {"problems": problems})
        else:
            name, _, value = self.fault.partition("=")
            FAULTS[name](self, value)

    def head(self, status, headers=(), length=0):
        lines = [f"HTTP/1.1 {status} {self.responses.get(status, ('-',))[0]}",
                 f"Content-Length: {length}", "Connection: close", *headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def answer(self, status, document=None, headers=()):
        body = b"" if document is None else json.dumps(document).encode()
        self.wfile.write(self.head(status, headers, len(body)) + body)

    def reset(self):
        """A RST instead of an orderly end, at once."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())

    def drip(self, data):
        for byte in data:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(DRIP_SECONDS)

    def do_status(self, value):
        code, *headers = value.split(";")
        self.answer(int(code), {"ok": int(code) < 300}, headers)

    def do_hang(self, _):
        self.connection.settimeout(HANG_SECONDS)
        self.rfile.read(1)  # returns when the sender gives up

    def do_cut_answer(self, _):
        """A reset takes back what was not read yet, so it comes once more has left than the buffers
        of both sides hold: the head was read then, whatever else the machine is busy with."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.wfile.write(self.head(200, length=2 * CUT_BYTES) + b"x" * CUT_BYTES)
        self.reset()

    def do_big(self, _):
        self.wfile.write(self.head(200, length=2 << 20) + b"x" * (2 << 20))

    def do_endless(self, _):
        sent, chunk = 0, b"x" * 65536
        self.wfile.write(self.head(200, length=ENDLESS_BYTES))
        try:
            while sent < ENDLESS_BYTES:
                self.wfile.write(chunk)
                sent += len(chunk)
        except OSError:
            pass
        self.server.write_down({"fault": "endless", "sent": sent, "whole": sent == ENDLESS_BYTES})

    def do_big_head(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(10_000):
            self.wfile.write(f"X-Filler-{number}: {'x' * 80}\r\n".encode())

    def do_long_line(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 800_000)

    def do_interim(self, _):
        self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nRetry-After: 77\r\n\r\n")
        self.answer(200)

    def do_drip_body(self, _):
        self.wfile.write(self.head(200, length=100))
        self.drip(b"x" * 100)


FAULTS = {
    "none": lambda self, _: self.answer(200, {"ok": True}),
    "status": Handler.do_status,
    "redirect": lambda self, url: self.answer(302, headers=[f"Location: {url}"]),
    "hang": Handler.do_hang,
    "cut": lambda self, _: self.reset(),
    "cut-early": None,
    "cut-answer": Handler.do_cut_answer,
    "garbage": lambda self, _: self.wfile.write(b"220 this is a mail server\r\n"),
    "big": Handler.do_big,
    "big-head": Handler.do_big_head,
    "long-line": Handler.do_long_line,
    "endless": Handler.do_endless,
    "interim": Handler.do_interim,
    "drip": lambda self, _: self.drip(self.head(200)),
    "drip-body": Handler.do_drip_body,
}


def fault_name(text):
    if text.partition("=")[0] not in FAULTS:
        raise argparse.ArgumentTypeError(f"unknown fault {text}: {' '.join(FAULTS)}")
    return text


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", required=True, metavar="FILE", help="one JSON line per request")
    parser.add_argument("--url-file", metavar="FILE", help="written once it listens")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--path", help="the only path that is right (default: any)")
    parser.add_argument("--secret-file", metavar="FILE", help="whsec_... (default: unsigned)")
    parser.add_argument("--tls-cert", metavar="FILE")
    parser.add_argument("--tls-key", metavar="FILE")
    parser.add_argument("--fault", type=fault_name, action="append", default=[])
    parser.add_argument("--forever", action="store_true", help="the last fault goes on")
    parser.add_argument("--seconds", type=int, default=600, help="ends by itself after these")
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    receiver = Receiver(options)
    threading.Timer(options.seconds, os._exit, [0]).start()
    if options.url_file:
        with open(options.url_file + ".new", "w", encoding="ascii") as file:
            file.write(receiver.url() + (options.path or "/") + "\n")
        os.rename(options.url_file + ".new", options.url_file)
    print(f"listening on {receiver.url()}{options.path or '/'}", flush=True)
    try:
        receiver.serve_forever()
    except KeyboardInterrupt:
        os._exit(0)


if __name__ == "__main__":
    main()
