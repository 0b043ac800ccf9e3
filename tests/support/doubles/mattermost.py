"""Mattermost: incoming webhooks.

What: checks of the message and its length.
Why: a longer text is split into several posts without an error; here it gets its `ok` and a
rejection in the log.
What it does not do: interactive actions, slash commands.
Source: README.md, "Mattermost". Stricter than Mattermost: unknown members are refused, Slack's
blocks among them.
"""

import shape
from chat_service import Receiver
from exchange import Answer, Rejected
from shape import Anything, Choice, Flag, List, Map, Record, Text

POST_HIGH = 16_383
HOOK = "mattermost0hook0key0000001"
SHORT = Text(2000, low=0)
ATTACHMENT = Record("fallback", {
    "fallback": SHORT, "color": Text(7, pattern=r"#[0-9A-Fa-f]{6}"), "pretext": SHORT,
    "author_name": SHORT, "author_link": shape.WEB_ADDRESS, "author_icon": shape.WEB_ADDRESS,
    "title": SHORT, "title_link": shape.WEB_ADDRESS, "text": Text(low=0),
    "image_url": shape.WEB_ADDRESS, "thumb_url": shape.WEB_ADDRESS, "footer": SHORT,
    "fields": List(Record("title value", {"title": SHORT, "value": Text(low=0), "short": Flag()})),
})
MESSAGE = Record("", {
    "text": Text(low=0), "channel": Text(64), "username": Text(64), "icon_url": shape.WEB_ADDRESS,
    "attachments": List(ATTACHMENT), "props": Map(Anything()),
    "priority": Record("priority", {"priority": Choice("important", "urgent"),
                                    "requested_ack": Flag()}),
}, shape.needs_one_of("text", "attachments"))


class Mattermost(Receiver):
    """POST /hooks/<key>"""

    def __init__(self, options):
        super().__init__(options)
        self.messages = []
        self.routes = [("POST", r"/hooks/(\w+)", self.post)]

    def fail(self, why, status=400, code="web.incoming_webhook.parse.app_error"):
        body = {"id": code, "message": "refused", "request_id": "r1", "status_code": status}
        raise Rejected(why, Answer(status, body))

    def post(self, request, hook):
        self.refuse_authorization(request)
        if hook != HOOK:
            self.fail("the hook is unknown", 404, "web.incoming_webhook.invalid.app_error")
        body = self.json_body(request)
        try:
            MESSAGE.check(body)
        except shape.Wrong as wrong:
            self.fail(str(wrong))
        length = len(body.get("text", ""))
        if length > POST_HIGH:
            raise Rejected(f"text: {length} characters, more than {POST_HIGH} become several posts",
                           Answer(200, "ok"))
        self.messages.append(body)
        return Answer(200, "ok")

    def state(self):
        return self.messages
