"""PagerDuty: the Events API v2.

What: checks of an event, and incidents by dedup_key.
Why: the one channel that removes repeats by itself, so a test can count that it does.
What it does not do: change events, incident rules.
Source: README.md, "PagerDuty".
"""

import shape
from chat_service import Receiver
from exchange import Answer, Rejected
from shape import Anything, Choice, List, Record, Text

EVENT_HIGH_BYTES = 512_000
ROUTING_KEY = "0123456789abcdef0123456789abcdef"
PAYLOAD = Record("summary source severity", {
    "summary": Text(1024), "source": Text(), "timestamp": shape.TIME, "component": Text(),
    "severity": Choice("critical", "error", "warning", "info"), "group": Text(), "class": Text(),
    "custom_details": Anything(),
})


def check_action(event):
    if event["event_action"] == "trigger":
        return None if "payload" in event else "a trigger needs a payload"
    return None if "dedup_key" in event else f"{event['event_action']} needs a dedup_key"


EVENT = Record("routing_key event_action", {
    "routing_key": Text(32, low=32), "event_action": Choice("trigger", "acknowledge", "resolve"),
    "dedup_key": Text(255), "payload": PAYLOAD, "client": Text(), "client_url": shape.WEB_ADDRESS,
    "links": List(Record("href", {"href": shape.WEB_ADDRESS, "text": Text()})),
    "images": List(Record("src", {"src": shape.WEB_ADDRESS, "href": shape.WEB_ADDRESS,
                                  "alt": Text()})),
}, check_action)


class PagerDuty(Receiver):
    """POST /v2/enqueue"""

    def __init__(self, options):
        super().__init__(options)
        self.incidents = {}
        self.routes = [("POST", r"/v2/enqueue", self.post)]

    def fail(self, why, status=400, code="invalid event"):
        body = {"status": code or "invalid event", "message": "Event object is invalid",
                "errors": [why]}
        raise Rejected(why, Answer(status, body))

    def post(self, request):
        self.refuse_authorization(request)
        body = self.json_body(request)
        if len(request.body) > EVENT_HIGH_BYTES:
            self.fail(f"{len(request.body)} bytes, at most {EVENT_HIGH_BYTES}", 413)
        try:
            EVENT.check(body)
        except shape.Wrong as wrong:
            self.fail(str(wrong))
        if body["routing_key"] != ROUTING_KEY:
            self.fail("the routing key is unknown", 400, "invalid key")
        key = body.get("dedup_key") or f"made-{len(self.incidents) + 1}"
        held = self.incidents.setdefault(key, {"dedup_key": key, "events": []})
        held["events"].append(body["event_action"])
        held["state"] = {"trigger": "triggered", "acknowledge": "acknowledged",
                         "resolve": "resolved"}[body["event_action"]]
        return Answer(202, {"status": "success", "message": "Event processed", "dedup_key": key})

    def state(self):
        return list(self.incidents.values())
