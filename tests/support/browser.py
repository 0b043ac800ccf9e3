"""A headless Chromium for tests of pages: opens a file, says what it complained of and what it
asked the network for, and what can be seen at a given width.

It is driven through a pair of pipes by the DevTools protocol (one JSON object, ended by NUL, each
way), so nothing listens on a port. Without Chromium `find` returns None.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile


def find():
    """The program, None when there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or \
        shutil.which("google-chrome")


class Browser:
    """Use as a context manager."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="stepledger-browser.",
                                                  ignore_cleanup_errors=True)
        to_browser, self.to_us = os.pipe(), os.pipe()
        # The protocol wants descriptors 3 and 4; dash knows no numbers of two digits.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_browser[0]} 4>&{self.to_us[1]}', "bash", program,
             "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}", "about:blank"],
            pass_fds=(to_browser[0], self.to_us[1]), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(to_browser[0])
        os.close(self.to_us[1])
        self.writer = os.fdopen(to_browser[1], "wb", buffering=0)
        self.reader = os.fdopen(self.to_us[0], "rb")
        self.number = 0
        self.rest = b""
        self.events = []
        self.session = None

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        try:  # asked to, it ends its own processes too, which write into the folder
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=30)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.writer.close()
        self.reader.close()
        self.folder.cleanup()

    def message(self):
        """The next one of the browser."""
        while b"\0" not in self.rest:
            part = os.read(self.reader.fileno(), 1 << 16)
            if not part:
                raise EOFError("the browser has gone")
            self.rest += part
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        """Returns the answer; events that come before it are kept."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            request["sessionId"] = self.session
        self.writer.write(json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width, dark=False):
        """Shows the file in a window of that width. Returns what it complained of and what it asked
        the network for."""
        self.events = []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=1000,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        url = pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        complaints, requests = [], []
        for event in self.events:
            parameters = event.get("params", {})
            if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                                   "Log.entryAdded"):
                complaints.append(parameters)
            if event["method"] == "Network.requestWillBeSent":
                requests.append(parameters["request"]["url"])
        return complaints, [asked for asked in requests if asked != url]

    def evaluate(self, script):
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def screenshot(self, path):
        """The whole page as PNG, for people."""
        height = self.evaluate("document.documentElement.scrollHeight")
        width = self.evaluate("window.innerWidth")
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": width, "height": height, "scale": 1})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
