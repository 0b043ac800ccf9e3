"""Slack: incoming webhooks, and the Web API's chat.postMessage and chat.update.

What: checks of the request and the message, Slack's error names, a store of messages by channel
so that updates and threads refer to something.
Why: the Web API answers 200 to failures too, and a webhook answers errors as plain text: a client
that looks at the status alone believes that it delivered.
What it does not do: files, reactions, history, several workspaces.
Source: README.md, "Slack". Stricter than Slack: texts must be escaped, the charset is
required, channel ids only, no thread_ts in an update.
"""

import re
import time

import shape
import slack_blocks
from chat_service import Receiver
from exchange import Answer, Rejected
from shape import Choice, Flag, Record, Text
from slack_blocks import MESSAGE, METADATA, TIMESTAMP

TOKEN = "xoxb-0123456789-0123456789-AbCdEfGhIjKlMnOp"
CHANNEL = "C0123456789"
# Channels that fail: id, error.
BAD_CHANNELS = {"C0ARCHIVED0": "is_archived", "C0STRANGER0": "not_in_channel",
                "C0RESTRICT0": "restricted_action"}
# Hooks that fail: last part of the path, (status, text).
BAD_HOOKS = {"revoked": (403, "invalid_token"), "gone": (404, "no_service"),
             "archived": (410, "channel_is_archived"), "nochannel": (404, "channel_not_found")}
JSON_TYPE = re.compile(r"application/json;\s*charset=utf-8", re.I)

WEBHOOK = Record("text", {**MESSAGE, "thread_ts": TIMESTAMP})
POST = Record("channel", {
    **MESSAGE, "channel": Text(20), "thread_ts": TIMESTAMP, "reply_broadcast": Flag(),
    "metadata": METADATA, "mrkdwn": Flag(), "parse": Choice("none"), "link_names": Choice(False),
})
UPDATE = Record("channel ts", {
    **MESSAGE, "channel": Text(20), "ts": TIMESTAMP, "metadata": METADATA,
    "parse": Choice("none"), "link_names": Choice(False),
})


def error_of(wrong):
    """Slack's name for a shape that is wrong."""
    if wrong.place.startswith("blocks"):
        return "invalid_blocks"
    return "msg_too_long" if wrong.place == "text" and "at most" in wrong.why else "invalid_payload"


class SlackWebhook(Receiver):
    """POST /services/T…/B…/…"""

    def __init__(self, options):
        super().__init__(options)
        self.messages = []
        self.routes = [("POST", r"/services/T[A-Z0-9]+/B[A-Z0-9]+/(\w+)", self.post)]

    def limited(self, wait_s):
        seconds = max(1, round(wait_s + 0.5))
        return Answer(429, {"ok": False, "error": "rate_limited", "retry_after": seconds},
                      [("Retry-After", str(seconds))])

    def post(self, request, hook):
        self.refuse_authorization(request)
        if hook in BAD_HOOKS:
            self.fail(f"the hook answers {BAD_HOOKS[hook][1]}", *BAD_HOOKS[hook])
        body = self.json_body(request, "invalid_payload")
        try:
            WEBHOOK.check(body)
        except shape.Wrong as wrong:
            code = "no_text" if wrong.place == "text" and "required" in wrong.why else None
            self.fail(str(wrong), 400, code or error_of(wrong))
        if not body["text"]:
            self.fail("text: it is empty", 400, "no_text")
        why = slack_blocks.too_long(body.get("blocks") or [])
        if why:
            self.fail(why, 400, "invalid_blocks")
        self.messages.append({"hook": hook, **body})
        return Answer(200, "ok")

    def state(self):
        return self.messages


class SlackApi(Receiver):
    """POST /api/chat.postMessage and /api/chat.update"""

    def __init__(self, options):
        super().__init__(options)
        self.messages, self.made = {}, 0  # (channel, ts): message
        self.routes = [("POST", r"/api/chat\.postMessage", self.post),
                       ("POST", r"/api/chat\.update", self.update)]

    def fail(self, why, status=200, code="invalid_arguments"):
        raise Rejected(why, Answer(status, {"ok": False, "error": code}))

    def limited(self, wait_s):
        return Answer(429, {"ok": False, "error": "ratelimited"},
                      [("Retry-After", str(max(1, round(wait_s + 0.5))))])

    def check_credentials(self, request):
        header = request.header("authorization")
        if header is None:
            self.fail("no Authorization header", 200, "not_authed")
        if header != f"Bearer {self.options.slack_token}":
            self.fail("Authorization is not Bearer and the token", 200, "invalid_auth")

    def read(self, request, form):
        self.check_credentials(request)
        if not JSON_TYPE.fullmatch(request.header("content-type") or ""):
            self.fail(f"Content-Type is '{request.header('content-type')}', expected "
                      "application/json; charset=utf-8", 200, "invalid_post_type")
        body = self.json_body(request)
        try:
            form.check(body)
        except shape.Wrong as wrong:
            self.fail(str(wrong), 200, error_of(wrong))
        channel = body["channel"]
        if channel != self.options.slack_channel:
            code = BAD_CHANNELS.get(channel, "channel_not_found")
            self.fail(f"channel {channel}: {code}", 200, code)
        if not (body.get("text") or body.get("blocks") or body.get("attachments")):
            self.fail("a message needs text, blocks or attachments", 200, "no_text")
        why = slack_blocks.too_long(body.get("blocks") or [])
        if why:
            self.fail(why, 200, "msg_blocks_too_long")
        return body

    def answer(self, channel, ts, message):
        return Answer(200, {"ok": True, "channel": channel, "ts": ts, "message": message})

    def post(self, request):
        body = self.read(request, POST)
        channel = body["channel"]
        parent = body.get("thread_ts")
        if parent is not None and (channel, parent) not in self.messages:
            self.fail(f"thread_ts {parent}: no such message", 200, "thread_not_found")
        if parent is not None and self.messages[channel, parent].get("thread_ts"):
            self.fail(f"thread_ts {parent} is itself a reply", 200, "thread_not_found")
        self.made += 1
        ts = f"{int(time.time())}.{self.made:06}"
        self.messages[channel, ts] = {**body, "edits": 0}
        return self.answer(channel, ts, body)

    def update(self, request):
        body = self.read(request, UPDATE)
        key = (body["channel"], body["ts"])
        if key not in self.messages:
            self.fail(f"ts {body['ts']}: no such message", 200, "message_not_found")
        held = self.messages[key]
        held.update(body)
        held["edits"] += 1
        return self.answer(*key, body)

    def state(self):
        return [{**message, "ts": ts} for (_, ts), message in self.messages.items()]
