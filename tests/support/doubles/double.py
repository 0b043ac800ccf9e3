"""The base of every double: listeners on 127.0.0.1, judging, faults, log, control, command line.

What: threaded HTTP(S) servers on free ports. A request is read to its end, then: is it too early,
does a fault hit it, does the service accept it; one line in the log; the answer. A second port,
"elsewhere", is the trap at which redirects to another host aim.
Why: the services differ in their rules only; everything else is here once.
What it does not do: nothing leaves this machine, and no state outlives the process.
The control endpoint is /_double/ (README.md); its requests are neither judged nor logged.
"""

import argparse
import email.utils
import http.client
import http.server
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import traceback

import certificate
import shape
from exchange import Answer, Rejected, Request, check_common, json_read
from faults import MOVED, Faults
from journal import Journal
from pauses import Pauses

CONTROL = "/_double/"
BODY_LIMIT_BYTES = 256 << 20
IDLE_S = 60.0
WAIT_SLICE_S = 0.1
POLL_S = 0.02  # how soon a listener sees that it is to end: every test ends some


def phrase_of(status):
    return http.client.responses.get(status, "Unknown")


class Service:
    """What a double stands for. Subclasses override what they need; `answer` is called by one
    thread at a time."""

    listeners = ("main",)
    quirks = {}  # name: what the service then does; chosen with --quirk

    def __init__(self, options):
        self.chosen = set(options.quirk)
        self.ports = {}
        self.scheme = "https" if options.tls else "http"

    def url(self, listener="main"):
        return f"{self.scheme}://127.0.0.1:{self.ports[listener]}"

    def answer(self, request):
        """The answer to an accepted request; raises Rejected."""
        raise NotImplementedError

    def operations(self, _request):
        """Names, besides the path, by which a fault can pick the request."""
        return ()

    def destination(self, request):
        """What Retry-After pauses, and what --rate limits."""
        return request.listener

    def is_counted(self, _request):
        """Whether --rate counts the request."""
        return True

    def refusal(self, _request, status, wait_s):
        """A refusal in the service's own words; wait_s is None when no time is named."""
        headers = [] if wait_s is None else [("Retry-After", f"{max(1, round(wait_s))}")]
        return Answer(status, {"message": phrase_of(status)}, headers)

    def state(self):
        """What the service holds, for tests to read."""
        return {}

    def control(self, name, _document):
        """A command of a test; returns what to show. Raises ValueError."""
        raise ValueError("this double has no such command")


class Link:
    """A connection in the hands of a fault."""

    def __init__(self, handler):
        self.handler, self.server = handler, handler.server
        self.service = self.server.double.service

    def bytes_of(self, answer):
        lines = [f"HTTP/1.1 {answer.status} {phrase_of(answer.status)}",
                 f"Date: {email.utils.formatdate(usegmt=True)}"]
        lines += [f"{name}: {value}" for name, value in answer.headers]
        if answer.status != 204:
            lines.append(f"Content-Length: {len(answer.body)}")
        head = "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n"
        return head + (answer.body if answer.status != 204 else b"")

    def write(self, data):
        try:
            self.handler.wfile.write(data)
        except OSError:  # the client has gone
            self.handler.close_connection = True

    def send(self, answer):
        self.write(self.bytes_of(answer))

    def close(self, reset=False):
        """Ends the connection; with `reset` the client sees an error instead of an end."""
        sock = self.handler.connection
        self.handler.close_connection = True
        try:
            if reset:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
        self.handler.rfile.close()
        sock.close()

    def wait(self, seconds):
        """Whether to give up: the client has gone or the double ends."""
        sock, stopping = self.handler.connection, self.server.double.stopping
        while seconds > 0 and not stopping.is_set():
            part = min(seconds, WAIT_SLICE_S)
            seconds -= part
            if not select.select([sock], [], [], part)[0]:
                continue
            try:
                if not sock.recv(1, socket.MSG_PEEK):
                    return True
            except (OSError, ValueError):  # ValueError: TLS cannot peek; its end is the only news
                return True
            stopping.wait(part)
        return stopping.is_set()

    def elsewhere(self, target):
        port = self.service.ports["elsewhere"]
        return f"{self.service.scheme}://localhost:{port}{target}"


class Handler(http.server.BaseHTTPRequestHandler):
    """Reads requests of one connection and hands them to the double."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def log_message(self, *_arguments):
        """Silence: the journal is the log."""

    def send_error(self, code, message=None, explain=None):
        self.server.double.journal.write({
            "listener": self.server.name, "verdict": "rejected", "status": int(code),
            "rejected": f"no HTTP: {message or explain or code}"})
        self.close_connection = True
        Link(self).send(Answer(int(code), "no HTTP", [("Connection", "close")]))

    def read_chunks(self):
        body = b""
        while True:
            size = int(self.rfile.readline(100).partition(b";")[0], 16)
            chunk = self.rfile.read(size + 2)
            if size == 0:
                return body
            body += chunk[:-2]
            if len(body) > BODY_LIMIT_BYTES:
                raise ValueError("the body is too large")

    def read_body(self):
        if self.headers.get("Transfer-Encoding"):
            return self.read_chunks()
        size = int(self.headers.get("Content-Length", "0"))
        if not 0 <= size <= BODY_LIMIT_BYTES:
            raise ValueError(f"Content-Length is {size}")
        body = self.rfile.read(size)
        if len(body) != size:
            raise ValueError(f"the body ends after {len(body)} of {size} bytes")
        return body

    def handle_any(self):
        try:
            body = self.read_body()
        except (ValueError, OSError) as error:
            self.send_error(400, str(error))
            return
        request = Request(self.command, self.path, self.headers.items(), body)
        request.listener, request.port = self.server.name, self.server.server_port
        if request.path.startswith(MOVED + "/"):
            request.path = request.path[len(MOVED):]
            request.target = request.target[len(MOVED):]
        if request.path.startswith(CONTROL):
            Link(self).send(self.server.double.control(request))
            return
        answer, fault = self.server.double.handle(request)
        if fault:
            fault.perform(Link(self), fault.rule, request, answer)
        else:
            Link(self).send(answer)


class Listener(http.server.ThreadingHTTPServer):
    """One port of a double."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, double, name, context):
        self.double, self.name, self.context = double, name, context
        super().__init__(("127.0.0.1", 0), Handler)

    def finish_request(self, request, client_address):
        """TLS is negotiated here, in the thread of the connection, not in the one that accepts."""
        if self.context is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(IDLE_S)
        try:
            secured = self.context.wrap_socket(request, server_side=True)
        except OSError as error:
            self.double.journal.write({"listener": self.name, "verdict": "no request",
                                       "handshake": str(error)})
            return
        with secured:
            super().finish_request(secured, client_address)

    def handle_error(self, _request, _client_address):
        """A client that goes away is no news; a mistake of ours is."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc()


class Double:
    """A service, its listeners, and what all doubles have in common."""

    def __init__(self, service, options):
        self.service, self.options = service, options
        self.journal, self.faults = Journal(options.log), Faults(options.faults)
        self.pauses = Pauses(options.rate)
        self.stopping, self.lock = threading.Event(), threading.Lock()
        self.servers = []

    def handle(self, request):
        """(answer or None, fault or None); the log line is written before anything is sent."""
        request.number = self.journal.number()
        fault = None
        try:
            answer, outcome, fault = self.judge(request)
        except Rejected as refused:
            answer = refused.answer
            outcome = {"verdict": "rejected", "rejected": refused.why}
        except Exception as error:  # a double that breaks must not look like one that accepts
            traceback.print_exc()
            answer = Answer(500, "the double broke")
            outcome = {"verdict": "rejected", "rejected": f"the double broke: {error!r}"}
        outcome["status"] = answer.status if answer else None
        if fault:
            outcome["fault"] = fault.rule["fault"]
        self.journal.add(request, {**outcome, **request.cache.get("log", {})})
        return answer, fault

    def judge(self, request):
        if request.listener == "elsewhere":
            raise Rejected("followed a redirect to another host", Answer(200, {"ok": True}))
        key = self.service.destination(request)
        early_s = self.pauses.early_s(key)
        if early_s:
            raise Rejected(f"came {early_s:.2f} s before the time that it was asked to wait for",
                           self.service.refusal(request, 429, early_s))
        fault = self.faults.pick(request, self.service.operations(request))
        if fault and fault.pause_s:
            self.pauses.pause(key, fault.pause_s)
        if fault and fault.before:
            return None, {"verdict": "faulted"}, fault
        wait_s = self.pauses.limit_s(key) if self.service.is_counted(request) else 0
        if wait_s:
            return self.service.refusal(request, 429, wait_s), {"verdict": "limited"}, None
        try:
            with self.lock:
                check_common(request)
                answer = self.service.answer(request)
        except Rejected as refused:
            return refused.answer, {"verdict": "rejected", "rejected": refused.why}, fault
        return answer, {"verdict": "accepted"}, fault

    def control(self, request):
        name = request.path[len(CONTROL):]
        shown = {"log": self.journal.list, "faults": self.faults.report, "state": self.read_state}
        try:
            if request.method == "GET":
                return Answer(200, shown[name]())
            document = json_read(request.body or b"{}")
            if name == "faults":
                self.faults.set(document)
                return Answer(200, {"ok": True})
            with self.lock:
                return Answer(200, self.service.control(name, document) or {"ok": True})
        except (KeyError, ValueError, OSError, shape.Wrong) as error:
            return Answer(400, {"error": f"{name}: {error}"})

    def read_state(self):
        with self.lock:
            return self.service.state()

    def listeners_make(self, context):
        for name in (*self.service.listeners, "elsewhere"):
            yield Listener(self, name, context)

    def open(self, folder):
        context = certificate.make(folder, self.options.tls) if self.options.tls else None
        for server in self.listeners_make(context):
            self.servers.append(server)
            self.service.ports[server.name] = server.server_port
        if self.options.ca_file:
            shutil.copyfile(os.path.join(folder, "authority.crt"), self.options.ca_file)

    def write_ports(self):
        """The first line is the main port alone, for readers that want no more."""
        first, *others = self.service.ports.items()
        text = f"{first[1]}\n" + "".join(f"{name} {port}\n" for name, port in others)
        part = f"{self.options.port_file}.part"
        with open(part, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(part, self.options.port_file)

    def run(self):
        """Serves until SIGTERM, SIGINT, or the end of stdin when that was asked for."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stopping.set())
        with tempfile.TemporaryDirectory(prefix="double-") as folder:
            self.open(folder)
            self.faults.reload()
            if self.options.seed:
                with open(self.options.seed, "rb") as file:
                    self.service.control("seed", json_read(file.read()))
            for server in self.servers:
                threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True).start()
            if self.options.until_stdin_ends:
                threading.Thread(target=self.watch_stdin, daemon=True).start()
            self.write_ports()
            self.stopping.wait()
            for server in self.servers:
                server.shutdown()
                server.server_close()

    def watch_stdin(self):
        while os.read(0, 4096):
            pass
        self.stopping.set()


def rate_of(text):
    per_s, _, burst = text.partition(":")
    return float(per_s), int(burst or 1)


def parser_of(service, description):
    """The options that all doubles share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--port-file", required=True, metavar="FILE",
                        help="written when requests are taken: PORT, then lines of NAME PORT")
    parser.add_argument("--log", metavar="FILE", help="one line of JSON per request")
    parser.add_argument("--faults", metavar="FILE", help="fault rules; read again when it changes")
    parser.add_argument("--seed", metavar="FILE", help="what the service holds at the start")
    parser.add_argument("--tls", choices=certificate.KINDS, help="speak TLS, with this certificate")
    parser.add_argument("--ca-file", metavar="FILE", help="with --tls: where to put the authority")
    parser.add_argument("--rate", type=rate_of, metavar="PER_S[:BURST]",
                        help="requests per second and destination before a 429")
    parser.add_argument("--quirk", action="append", default=[], choices=sorted(service.quirks),
                        help="a way in which servers differ; may be repeated")
    parser.add_argument("--until-stdin-ends", action="store_true",
                        help="end when stdin does, so that no double outlives its test")
    return parser


def main(service, description, add_options=None, make=Double):
    """Runs a double of the given class of service."""
    parser = parser_of(service, description)
    if add_options:
        add_options(parser)
    options = parser.parse_args()
    try:
        make(service(options), options).run()
    except (shape.Wrong, ValueError, OSError, RuntimeError) as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
