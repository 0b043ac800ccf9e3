"""Starts a double for a test and talks to its control endpoint.

What: a context manager around one double as a process of its own, with its log and its state.
Why: tests in any language drive doubles as processes; those in Python do it in one line:
`with Launch("chat_server.py", "--rate", "1:4") as chat: ...`.
What it does not do: it sends no request of the service's own kind.
"""

import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent
START_S = 30.0


class Launch:
    """A running double. `ports` maps listener names to port numbers, "main" among them."""

    def __init__(self, script, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="launch-")
        base = pathlib.Path(self.folder.name)
        self.log_path, self.ca_path = base / "log", base / "ca.pem"
        self.scheme = "https" if "--tls" in arguments else "http"
        port_file = base / "port"
        command = [sys.executable, str(FOLDER / script), "--port-file", str(port_file),
                   "--log", str(self.log_path), "--until-stdin-ends", *map(str, arguments)]
        if self.scheme == "https":
            command += ["--ca-file", str(self.ca_path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=base)
        self.ports = self.wait_for_ports(port_file)

    def wait_for_ports(self, path):
        until = time.monotonic() + START_S
        while not path.exists():
            if self.process.poll() is not None or time.monotonic() > until:
                self.stop()
                raise RuntimeError("the double did not start; its own words are above")
            time.sleep(0.02)
        first, *others = path.read_text(encoding="ascii").splitlines()
        return {"main": int(first), **{name: int(port) for name, port in
                                       (line.split() for line in others)}}

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.stop()

    def stop(self):
        """Ends the double; returns its exit status."""
        self.process.terminate()
        self.process.stdin.close()
        try:
            self.process.wait(START_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
        return self.process.returncode

    def url(self, path="", listener="main", host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.ports[listener]}{path}"

    def call_control(self, method, name, document=None):
        body = None if document is None else json.dumps(document).encode()
        control = (f"http://127.0.0.1:{self.ports['control']}" if "control" in self.ports
                   else self.url())
        request = urllib.request.Request(f"{control}/_double/{name}", body, method=method)
        # The certificate may be bad on purpose; this is our own process on our own machine.
        context = ssl._create_unverified_context() if control.startswith("https") else None
        handlers = [urllib.request.ProxyHandler({})]
        handlers += [urllib.request.HTTPSHandler(context=context)] if context else []
        opener = urllib.request.build_opener(*handlers)
        try:
            with opener.open(request, timeout=START_S) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()) from error

    def faults(self, *rules, seed=0):
        """Replaces the fault rules."""
        self.call_control("PUT", "faults", {"faults": list(rules), "seed": seed})

    def control(self, name, **document):
        return self.call_control("POST", name, document)

    def state(self):
        return self.call_control("GET", "state")

    def log(self):
        """All entries so far, from the log file: it is whole even after the double has ended."""
        if not os.path.exists(self.log_path):
            return []
        with open(self.log_path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def rejections(self):
        """The reasons of all rejections so far, in order; a test ends by finding none."""
        return [entry["rejected"] for entry in self.log() if "rejected" in entry]
