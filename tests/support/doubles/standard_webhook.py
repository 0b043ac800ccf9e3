"""A generic webhook that verifies Standard Webhooks signatures.

What: checks of headers, signature, time and size; a memory of ids, so that a repeat is counted
once; GitHub's X-Hub-Signature-256 when it is sent.
Why: the id is the one promise of at-least-once delivery that a receiver can build on: the same id
must always carry the same bytes.
What it does not do: asymmetric signatures (v1a).
Source: README.md, "Standard Webhooks", with its vector.
"""

import base64
import hashlib
import hmac
import re
import time

from chat_service import Receiver
from exchange import Answer, Rejected

BODY_HIGH_BYTES = 20 << 10
DRIFT_S = 300
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SIGNATURE = re.compile(r"v1,[A-Za-z0-9+/]{43}=")
HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def key_of(secret):
    return base64.b64decode(secret.removeprefix("whsec_"), validate=True)


def sign(secret, event_id, timestamp, body):
    """The signature header's value for one secret."""
    content = f"{event_id}.{timestamp}.".encode() + body
    digest = hmac.new(key_of(secret), content, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


class StandardWebhook(Receiver):
    """POST /generic/… (signed) and /unsigned/… (no signature asked for)"""

    def __init__(self, options):
        super().__init__(options)
        self.secrets = options.webhook_secret or [SECRET]
        self.events, self.plain = {}, []
        self.routes = [("POST", r"/generic/[\w/-]+", self.post),
                       ("POST", r"/unsigned/[\w/-]+", self.post_unsigned)]

    def fail(self, why, status=400, code="refused"):
        raise Rejected(why, Answer(status, {"error": code}))

    def check_body(self, request):
        self.refuse_authorization(request)
        if len(request.body) > BODY_HIGH_BYTES:
            self.fail(f"{len(request.body)} bytes, at most {BODY_HIGH_BYTES}", 413)
        return self.json_body(request, "no JSON")

    def check_headers(self, request):
        """(id, timestamp)"""
        for name in HEADERS:
            if len(request.values(name)) != 1:
                self.fail(f"{name} is sent {len(request.values(name))} times", 401)
        event_id, timestamp, _ = (request.header(name) for name in HEADERS)
        if not event_id or "." in event_id:
            self.fail(f"webhook-id is '{event_id}'", 401)
        if not re.fullmatch(r"\d{1,12}", timestamp):
            self.fail(f"webhook-timestamp is '{timestamp}', expected Unix seconds", 401)
        drift = int(timestamp) - time.time()
        if abs(drift) > DRIFT_S:
            self.fail(f"webhook-timestamp is {drift:+.0f} s away: each attempt has its own", 401)
        return event_id, timestamp

    def check_signature(self, request, event_id, timestamp):
        given = request.header("webhook-signature").split(" ")
        for item in given:
            if not SIGNATURE.fullmatch(item):
                self.fail(f"webhook-signature holds '{item[:60]}'", 401)
        expected = [sign(secret, event_id, timestamp, request.body) for secret in self.secrets]
        if not any(hmac.compare_digest(a, b) for a in given for b in expected):
            self.fail("no signature fits id, timestamp and body", 401)

    def check_hub_signature(self, request):
        given = request.header("x-hub-signature-256")
        expected = ["sha256=" + hmac.new(key_of(secret), request.body, hashlib.sha256).hexdigest()
                    for secret in self.secrets]
        if given is not None and not any(hmac.compare_digest(given, item) for item in expected):
            self.fail("x-hub-signature-256 does not fit the body", 401)

    def post(self, request):
        event_id, timestamp = self.check_headers(request)
        self.check_signature(request, event_id, timestamp)
        self.check_hub_signature(request)
        body = self.check_body(request)
        held = self.events.setdefault(event_id, {"id": event_id, "deliveries": 0, "body": body,
                                                 "path": request.path})
        if held["body"] != body or held["path"] != request.path:
            self.fail(f"webhook-id {event_id} came before with another body or path", 409)
        held["deliveries"] += 1
        return Answer(200, {"ok": True})

    def post_unsigned(self, request):
        self.plain.append(self.check_body(request))
        return Answer(200, {"ok": True})

    def state(self):
        return {"signed": list(self.events.values()), "unsigned": self.plain}
