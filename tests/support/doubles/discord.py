"""Discord: webhooks, and edits of the messages that they made.

What: checks of the query and the message, Discord's error bodies, a store of messages.
Why: without wait=true a message that was not saved gives no error, and without allowed_mentions a
name in a message may call everyone.
What it does not do: files, components, polls, forum threads made by name.
Source: README.md, "Discord". Stricter than Discord: wait=true and allowed_mentions {"parse": []}
are required. The numbers of the codes but 50035 are Discord's documented ones.
"""

import re

import shape
from chat_service import Receiver
from exchange import Answer, Rejected
from shape import Flag, List, Record, Text, Whole

EMBEDS_ALL = 6000
TOKEN = "Abc-123_discord-webhook-token"
WEBHOOK_ID = "112233445566778899"
QUERY = {"wait", "thread_id"}


def is_free_name(name):
    taken = [word for word in ("clyde", "discord") if word in name.lower()]
    return f"the name holds '{taken[0]}'" if taken else None


def check_total(embeds):
    total = sum(map(embed_length, embeds))
    return f"{total} characters in all embeds, at most {EMBEDS_ALL}" if total > EMBEDS_ALL else None


def embed_length(embed):
    texts = [embed.get("title"), embed.get("description"), embed.get("footer", {}).get("text"),
             embed.get("author", {}).get("name")]
    for field in embed.get("fields", ()):
        texts += [field.get("name"), field.get("value")]
    return sum(len(text) for text in texts if text)


URL = shape.WEB_ADDRESS
EMBED = Record("", {
    "title": Text(256), "type": shape.Choice("rich"), "description": Text(4096), "url": URL,
    "timestamp": shape.TIME, "color": Whole(0, 0xFFFFFF),
    "footer": Record("text", {"text": Text(2048), "icon_url": URL}),
    "author": Record("name", {"name": Text(256), "url": URL, "icon_url": URL}),
    "image": Record("url", {"url": URL}), "thumbnail": Record("url", {"url": URL}),
    "fields": List(Record("name value", {"name": Text(256), "value": Text(1024),
                                         "inline": Flag()}), 25),
}, shape.needs_one_of("title", "description", "fields", "image", "author", "footer"))
MESSAGE = {
    "content": Text(2000, low=0), "embeds": List(EMBED, 10, check_total),
    "allowed_mentions": Record("parse", {"parse": List(Text(20), 0)}), "flags": Whole(0),
}
POST = Record("allowed_mentions", {**MESSAGE, "username": Text(80, is_free_name),
                                   "avatar_url": URL, "tts": Flag()},
              shape.needs_one_of("content", "embeds"))
EDIT = Record("allowed_mentions", MESSAGE, shape.needs_one_of("content", "embeds"))


class Discord(Receiver):
    """POST /api/webhooks/{id}/{token}, PATCH …/messages/{id}"""

    def __init__(self, options):
        super().__init__(options)
        self.messages, self.made = {}, 10 ** 18
        hook = r"/api/webhooks/(\d+)/([\w-]+)"
        self.routes = [("POST", hook, self.post), ("PATCH", hook + r"/messages/(\d+)", self.edit)]

    def fail(self, why, status=400, code=50035):
        raise Rejected(why, Answer(status, {"message": "refused", "code": code or 50035}))

    def limited(self, wait_s):
        seconds = f"{wait_s:.3f}"
        body = {"message": "You are being rate limited.", "retry_after": float(seconds),
                "global": False}
        return Answer(429, body, [
            ("Retry-After", str(max(1, round(wait_s + 0.5)))), ("X-RateLimit-Scope", "user"),
            ("X-RateLimit-Reset-After", seconds), ("X-RateLimit-Bucket", "webhook")])

    def check_hook(self, request, hook, token):
        self.refuse_authorization(request)
        if hook != WEBHOOK_ID:
            self.fail(f"webhook {hook} is unknown", 404, 10015)
        if token != self.options.discord_token:
            self.fail("the token is not that of the webhook", 401, 50027)

    def read(self, request, form, names):
        unknown = set(request.query) - names
        if unknown:
            self.fail(f"query parameters {sorted(unknown)} are unknown")
        if not re.fullmatch(r"\d+", request.parameter("thread_id") or "0"):
            self.fail(f"thread_id is '{request.parameter('thread_id')}'")
        body = self.json_body(request)
        try:
            form.check(body)
        except shape.Wrong as wrong:
            self.fail(str(wrong))
        return body

    def shown(self, message_id):
        held = self.messages[message_id]
        return Answer(200, {"id": message_id, "channel_id": "1", "webhook_id": WEBHOOK_ID,
                            "content": held.get("content", ""), "embeds": held.get("embeds", [])})

    def post(self, request, hook, token):
        self.check_hook(request, hook, token)
        body = self.read(request, POST, QUERY)
        if request.parameter("wait") != "true":
            raise Rejected("wait=true is missing: a message that is not saved gives no error",
                           Answer(204))
        self.made += 1
        message_id = str(self.made)
        self.messages[message_id] = {**body, "thread_id": request.parameter("thread_id"),
                                     "edits": 0}
        return self.shown(message_id)

    def edit(self, request, hook, token, message_id):
        self.check_hook(request, hook, token)
        body = self.read(request, EDIT, {"thread_id"})
        if message_id not in self.messages:
            self.fail(f"message {message_id} is unknown", 404, 10008)
        held = self.messages[message_id]
        if held["thread_id"] != request.parameter("thread_id"):
            self.fail(f"message {message_id} is in another thread", 404, 10008)
        held.update(body)
        held["edits"] += 1
        return self.shown(message_id)

    def state(self):
        return [{**message, "id": message_id} for message_id, message in self.messages.items()]
