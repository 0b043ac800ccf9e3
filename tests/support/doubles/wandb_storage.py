"""The storage host of the W&B double: signed URLs, uploads and downloads of bytes.

What: tickets (a URL with a signature, an end, the exact headers that belong to it), the objects
behind them, and the rules for PUT and GET.
Why: the storage is another host than the API; what a client sends to the wrong one is the mistake
that leaks keys (one was printed in a public log: wandb/server#108).
What it does not do: no multipart uploads (files of 2 GiB and more), no signature arithmetic: a
signature is a number that was never given out before.
"""

import base64
import hashlib
import re
import time
import urllib.parse

from exchange import Answer, Rejected

EXPIRY_S = 3600
RELATIVE = "/storage"  # the part of relative URLs, served beside the API
# What a PUT may carry besides the headers of its ticket.
FREE_HEADERS = {"host", "user-agent", "accept", "accept-encoding", "connection", "content-length",
                "expect"}
RANGE = re.compile(r"bytes=(\d+)-(\d*)")


def md5_base64(data):
    return base64.b64encode(hashlib.md5(data).digest()).decode()


def fail(status, code, why):
    body = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>refused</Message></Error>'
    raise Rejected(why, Answer(status, body, content_type="application/xml"))


class Ticket:
    """A signed URL: for one PUT of bytes with that MD5, or for GETs of an object."""

    def __init__(self, method, key, number):
        self.method, self.key, self.number = method, key, number
        self.signature = hashlib.sha256(f"{method} {key} {number}".encode()).hexdigest()
        self.ends, self.used, self.md5, self.headers = time.monotonic() + EXPIRY_S, 0, None, {}
        query = urllib.parse.urlencode({"X-Amz-Expires": EXPIRY_S, "X-Amz-Signature":
                                        self.signature})
        self.target = f"/{urllib.parse.quote(key)}?{query}"


class Storage:
    """Objects by key. `relative_every` makes every n-th upload URL relative, 0 makes none so."""

    def __init__(self, base_url, relative_every):
        self.base_url, self.relative_every = base_url, relative_every
        self.objects, self.tickets, self.uploads = {}, {}, 0

    def ticket(self, method, key):
        ticket = Ticket(method, key, len(self.tickets))
        self.tickets[ticket.signature] = ticket
        return ticket

    def upload(self, key, md5=None, mimetype=None):
        """(url, ["Name: value", ...]) for one PUT; without an MD5 any bytes are welcome."""
        ticket = self.ticket("PUT", key)
        ticket.md5 = md5
        ticket.headers = {"content-type": mimetype or "application/octet-stream"}
        if md5 is not None:
            ticket.headers.update({"content-md5": md5, "x-amz-meta-md5": md5})
        self.uploads += 1
        relative = self.relative_every and self.uploads % self.relative_every == 0
        url = (RELATIVE if relative else self.base_url()) + ticket.target
        names = {"content-type": "Content-Type", "content-md5": "Content-MD5"}
        return url, [f"{names.get(n, n)}: {value}" for n, value in ticket.headers.items()]

    def download(self, key):
        return self.base_url() + self.ticket("GET", key).target

    def expire(self):
        """Ends every URL that was given out."""
        for ticket in self.tickets.values():
            ticket.ends = 0

    def find(self, request):
        """The ticket of a request; the whole target has to be what was given out."""
        ticket = self.tickets.get(request.parameter("X-Amz-Signature"))
        target = request.target.removeprefix(RELATIVE)
        if ticket is None or target != ticket.target:
            fail(403, "SignatureDoesNotMatch", "the signed URL was changed or never given out")
        if ticket.method != request.method:
            fail(403, "SignatureDoesNotMatch", f"the URL is signed for {ticket.method}")
        if time.monotonic() > ticket.ends:
            fail(403, "AccessDenied", "the signed URL has expired")
        if ticket.used and ticket.method == "PUT":
            fail(403, "AccessDenied", "the signed URL was used before")
        return ticket

    def answer(self, request):
        if request.header("authorization") is not None:
            fail(403, "AccessDenied", "an Authorization header was sent to a storage URL")
        ticket = self.find(request)
        return self.put(ticket, request) if ticket.method == "PUT" else self.get(ticket, request)

    def put(self, ticket, request):
        if request.header("transfer-encoding") is not None:
            fail(501, "NotImplemented", "the upload is chunked")
        if request.header("content-length") is None:
            fail(411, "MissingContentLength", "the upload has no Content-Length")
        sent = {name: value for name, value in request.headers if name not in FREE_HEADERS}
        if sent != ticket.headers:
            fail(403, "SignatureDoesNotMatch",
                 f"the headers are {sent}, the signed ones {ticket.headers}")
        if ticket.md5 is not None and md5_base64(request.body) != ticket.md5:
            fail(400, "BadDigest", f"the MD5 of the bytes is {md5_base64(request.body)}, "
                                   f"not {ticket.md5}")
        ticket.used += 1
        self.objects[ticket.key] = request.body
        return Answer(200, b"", [("ETag", f'"{hashlib.md5(request.body).hexdigest()}"')])

    def get(self, ticket, request):
        data = self.objects.get(ticket.key)
        if data is None:
            fail(404, "NoSuchKey", "the object behind the URL is gone")
        ticket.used += 1
        return partial(request, data)


def partial(request, data):
    """The whole, or the end that `Range: bytes=n-` asks for, so that downloads can resume."""
    headers = [("Accept-Ranges", "bytes"),
               ("ETag", f'"{hashlib.md5(data).hexdigest()}"')]
    wanted = request.header("range")
    if wanted is None:
        return Answer(200, data, headers, "application/octet-stream")
    match = RANGE.fullmatch(wanted)
    first = int(match[1]) if match else len(data)
    last = min(int(match[2]), len(data) - 1) if match and match[2] else len(data) - 1
    if first > last:
        raise Rejected(f"Range is '{wanted}' of {len(data)} bytes",
                       Answer(416, b"", [("Content-Range", f"bytes */{len(data)}")]))
    headers.append(("Content-Range", f"bytes {first}-{last}/{len(data)}"))
    return Answer(206, data[first:last + 1], headers, "application/octet-stream")
