"""The log of a double: every request as one line of JSON, with the verdict on it.

What: appends a line per request to a file and keeps it in memory for the control endpoint.
Why: a test reads here what arrived, in which order, and what the service would have refused.
What it does not do: credentials are not written; a digest stands in their place, so that a test
can tell two of them apart but a log that is shown to people gives nothing away.
"""

import hashlib
import json
import re
import threading
import time

BODY_SHOWN_BYTES = 64 << 10
SECRET_HEADERS = ("authorization", "proxy-authorization", "private-token")
SECRET_PARAMETERS = re.compile(
    r"(?<![\w-])(key|token|sig|X-Amz-Signature|private_token)=([^&#\s]+)", re.I)


def tag_of(secret):
    """What the log shows in place of a secret."""
    return "sha256:" + hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def shown_header(name, value):
    if name not in SECRET_HEADERS:
        return value
    scheme, blank, credential = value.partition(" ")
    return f"{scheme} {tag_of(credential)}" if blank else tag_of(value)


def shown_query(text):
    return SECRET_PARAMETERS.sub(lambda match: f"{match[1]}={tag_of(match[2])}", text)


def shown_body(body):
    """The text of a small body; else its size and digest."""
    try:
        if len(body) <= BODY_SHOWN_BYTES:
            return {"body": body.decode("utf-8")}
    except UnicodeDecodeError:
        pass
    return {"body_sha256": hashlib.sha256(body).hexdigest()}


class Journal:
    """An open log. Safe to use from several threads."""

    def __init__(self, path=None):
        self.lock, self.entries, self.count = threading.Lock(), [], 0
        self.file = open(path, "a", encoding="utf-8") if path else None

    def number(self):
        with self.lock:
            self.count += 1
            return self.count

    def add(self, request, outcome):
        """`outcome` holds verdict (accepted, rejected, limited, faulted) and what belongs to it."""
        headers = {}
        for name, value in request.headers:
            shown = shown_header(name, value)
            headers[name] = f"{headers[name]}, {shown}" if name in headers else shown
        self.write({
            "number": request.number, "at": round(time.time(), 3), "listener": request.listener,
            "method": request.method, "path": request.path,
            "query": shown_query(request.query_text), "headers": headers,
            "body_bytes": len(request.body), **shown_body(request.body), **outcome,
        })

    def write(self, entry):
        line = json.dumps(entry, ensure_ascii=False)
        with self.lock:
            self.entries.append(entry)
            if self.file:
                self.file.write(line + "\n")
                self.file.flush()

    def list(self):
        with self.lock:
            return list(self.entries)
