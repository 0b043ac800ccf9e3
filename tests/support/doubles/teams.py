"""Microsoft Teams: the webhook of a Workflow, with an Adaptive Card.

What: checks of the envelope, the card and its size.
Why: a Workflow answers 202 before it looks inside. What fails later is seen by nobody, so such a
request gets its 202 here as well and a rejection in the log.
What it does not do: retired connectors and their MessageCard are refused; inputs and menus of
cards are unknown.
Source: README.md, "Teams". The members of the card's elements are those of the Adaptive Cards
schema 1.4. Stricter than Teams: unknown members of a card.
"""

import shape
from chat_service import Receiver
from exchange import Answer, Rejected
from shape import Anything, Choice, Flag, Later, List, Record, Tagged, Text, Whole

# The expanded message counts: 24,453 bytes of request were measured as 28,897.
EXPANDED_HIGH_BYTES, EXPANSION = 28_672, 28_897 / 24_453
SIGNATURE = "tEAmS-sIgNaTuRe_0123456789"
CARD_TYPE = "application/vnd.microsoft.card.adaptive"


def element(required, members):
    return Record("type " + required, {
        "type": Anything(), "id": Text(200), "isVisible": Flag(), "separator": Flag(),
        "spacing": Choice("none", "small", "default", "medium", "large", "extraLarge", "padding",
                          "None", "Small", "Default", "Medium", "Large", "ExtraLarge", "Padding"),
        **members,
    })


WORD = Text(40)
FACT = Record("title value", {"title": Text(), "value": Text()})
OPEN_URL = Record("type url", {"type": Choice("Action.OpenUrl"), "title": Text(),
                               "url": shape.WEB_ADDRESS, "id": Text(200), "tooltip": Text(),
                               "style": Choice("default", "positive", "destructive")})
ACTIONS = List(Tagged("type", {"Action.OpenUrl": OPEN_URL}), 6)
TEXT_LOOK = {"size": WORD, "weight": WORD, "color": WORD, "isSubtle": Flag(), "fontType": WORD}
ELEMENTS = List(Later(lambda: ELEMENT))
COLUMN = element("", {"items": ELEMENTS, "width": Anything(), "style": WORD,
                      "verticalContentAlignment": WORD})
ELEMENT = Tagged("type", {
    # A single line break inside is none when it is shown: it runs on.
    "TextBlock": element("text", {**TEXT_LOOK, "text": Text(pattern=r"[^\r\n]*"), "wrap": Flag(),
                                  "maxLines": Whole(0), "horizontalAlignment": WORD,
                                  "style": WORD}),
    "FactSet": element("facts", {"facts": List(FACT, low=1)}),
    "Container": element("items", {"items": ELEMENTS, "style": WORD, "bleed": Flag()}),
    "ColumnSet": element("columns", {"columns": List(COLUMN, low=1), "style": WORD}),
    "Column": COLUMN,
    "Image": element("url", {"url": shape.WEB_ADDRESS, "altText": Text(), "size": WORD,
                             "width": WORD, "height": WORD, "horizontalAlignment": WORD}),
    "ActionSet": element("actions", {"actions": ACTIONS}),
    "RichTextBlock": element("inlines", {"inlines": List(Record("type text", {
        "type": Choice("TextRun"), "text": Text(), "italic": Flag(), "strikethrough": Flag(),
        **TEXT_LOOK}), low=1)}),
})
CARD = Record("type version body", {
    "$schema": Choice("http://adaptivecards.io/schemas/adaptive-card.json",
                      "https://adaptivecards.io/schemas/adaptive-card.json"),
    "type": Choice("AdaptiveCard"), "version": Choice("1.2", "1.3", "1.4"),
    "body": List(ELEMENT, low=1), "actions": ACTIONS, "fallbackText": Text(), "summary": Text(),
    "msteams": Record("", {"width": Choice("full", "Full")}),
})
ENVELOPE = Record("type attachments", {
    "type": Choice("message"), "summary": Text(),
    "attachments": List(Record("contentType content", {
        "contentType": Choice(CARD_TYPE), "contentUrl": Choice(None), "content": Anything(),
        "name": Text()}), 1, low=1),
})


class Teams(Receiver):
    """POST /workflows/… with sig=…"""

    def __init__(self, options):
        super().__init__(options)
        self.messages = []
        self.routes = [("POST", r"/workflows/[\w/.-]+", self.post)]

    def fail(self, why, status=400, code="InvalidRequestContent"):
        body = {"error": {"code": code or "InvalidRequestContent", "message": "refused"}}
        raise Rejected(why, Answer(status, body))

    def post(self, request):
        self.refuse_authorization(request)
        if request.parameter("sig") != SIGNATURE:
            self.fail("the query's sig is not that of the workflow", 401,
                      "DirectApiAuthorizationRequired")
        body = self.json_body(request)
        try:
            ENVELOPE.check(body)
        except shape.Wrong as wrong:
            self.fail(str(wrong))
        expanded = round(len(request.body) * EXPANSION)
        try:
            CARD.check(body["attachments"][0]["content"], "attachments[0].content")
            why = expanded > EXPANDED_HIGH_BYTES and (
                f"{len(request.body)} bytes become about {expanded}, at most {EXPANDED_HIGH_BYTES}")
        except shape.Wrong as wrong:
            why = str(wrong)
        if why:
            raise Rejected(f"lost inside the flow: {why}", Answer(202))
        self.messages.append(body)
        return Answer(202)

    def state(self):
        return self.messages
