"""Google Chat: the webhook of a space, with threads by key.

What: checks of the query, the message and its size; threads; the same requestId twice.
Why: without messageReplyOption the thread key is ignored and every message starts a thread; such
a message is accepted and logged as rejected.
What it does not do: updates (they need another credential than a webhook's), dialogs, forms.
Source: README.md, "Google Chat". The names of a card's widgets are those of the Chat API's
reference.
"""

import shape
from chat_service import Receiver
from exchange import Answer, Rejected
from shape import Anything, Choice, Flag, List, Record, Text, Whole

MESSAGE_HIGH_BYTES = 32_000
SPACE, KEY, TOKEN = "AAAAspace01", "google-chat-key", "google-chat-token"
REPLY_OPTIONS = ("REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD", "REPLY_MESSAGE_OR_FAIL")
QUERY = {"key", "token", "messageReplyOption", "requestId", "messageId"}
MESSAGE_ID = Text(63, pattern=r"client-[a-z0-9-]+")

URL = shape.WEB_ADDRESS
BUTTONS = Record("buttons", {"buttons": List(Record("text onClick", {
    "text": Text(), "altText": Text(),
    "onClick": Record("openLink", {"openLink": Record("url", {"url": URL})})}), low=1)})
ICON = Record("", {"knownIcon": Text(), "iconUrl": URL, "materialIcon": Anything()})
DECORATED = Record("text", {"text": Text(), "topLabel": Text(low=0), "bottomLabel": Text(low=0),
                            "wrapText": Flag(), "startIcon": ICON})
WIDGET = Record("", {
    "textParagraph": Record("text", {"text": Text(), "maxLines": Whole(1)}),
    "decoratedText": DECORATED, "buttonList": BUTTONS, "divider": Record("", {}),
    "image": Record("imageUrl", {"imageUrl": URL, "altText": Text()}),
}, lambda widget: None if len(widget) == 1 else f"{len(widget)} members, exactly one is needed")
CARD = Record("sections", {
    "header": Record("title", {"title": Text(), "subtitle": Text(low=0), "imageUrl": URL,
                               "imageType": Choice("CIRCLE", "SQUARE"), "imageAltText": Text()}),
    "sections": List(Record("widgets", {
        "header": Text(), "widgets": List(WIDGET, 100, low=1), "collapsible": Flag(),
        "uncollapsibleWidgetsCount": Whole(0)}), 100, low=1),
})
MESSAGE = Record("", {
    "text": Text(), "cardsV2": List(Record("card", {"cardId": Text(), "card": CARD}), 100),
    "thread": Record("threadKey", {"threadKey": Text(4000)}),
}, shape.needs_one_of("text", "cardsV2"))


class GoogleChat(Receiver):
    """POST /v1/spaces/{space}/messages"""

    def __init__(self, options):
        super().__init__(options)
        self.messages, self.by_request = [], {}
        self.routes = [("POST", r"/v1/spaces/(\w+)/messages", self.post)]

    def fail(self, why, status=400, code="INVALID_ARGUMENT"):
        body = {"error": {"code": status, "message": "refused",
                          "status": code or "INVALID_ARGUMENT"}}
        raise Rejected(why, Answer(status, body))

    def limited(self, wait_s):
        """No Retry-After: the service leaves the wait to the client."""
        return Answer(429, {"error": {"code": 429, "message": "Resource has been exhausted",
                                      "status": "RESOURCE_EXHAUSTED"}})

    def check_place(self, request, space):
        self.refuse_authorization(request)
        if space != SPACE:
            self.fail(f"space {space} is unknown", 404, "NOT_FOUND")
        if (request.parameter("key"), request.parameter("token")) != (
                KEY, self.options.google_chat_token):
            self.fail("key or token are not those of the space", 401, "UNAUTHENTICATED")
        unknown = set(request.query) - QUERY
        if unknown:
            self.fail(f"query parameters {sorted(unknown)} are unknown")
        option = request.parameter("messageReplyOption")
        if option not in (None, *REPLY_OPTIONS):
            self.fail(f"messageReplyOption is '{option}'")

    def post(self, request, space):
        self.check_place(request, space)
        body = self.json_body(request)
        if len(request.body) > MESSAGE_HIGH_BYTES:
            self.fail(f"{len(request.body)} bytes, at most {MESSAGE_HIGH_BYTES}")
        try:
            MESSAGE.check(body)
            if "messageId" in request.query:
                MESSAGE_ID.check(request.parameter("messageId"), "messageId")
        except shape.Wrong as wrong:
            self.fail(str(wrong))
        known = self.by_request.get(request.parameter("requestId"))
        if known:
            return Answer(200, known)
        key = body.get("thread", {}).get("threadKey")
        if key and "messageReplyOption" not in request.query:
            raise Rejected("threadKey without messageReplyOption is ignored",
                           Answer(200, self.keep(body, None, request)))
        return Answer(200, self.keep(body, key, request))

    def keep(self, body, key, request):
        """Stores the message in the thread of that key, a new one for none."""
        number = len(self.messages) + 1
        thread = f"spaces/{SPACE}/threads/{key or number}"
        held = {"name": f"spaces/{SPACE}/messages/{number}", "thread": {"name": thread},
                "text": body.get("text", ""), "cardsV2": body.get("cardsV2", [])}
        self.messages.append(held)
        if "requestId" in request.query:
            self.by_request[request.parameter("requestId")] = held
        return held

    def state(self):
        return self.messages
