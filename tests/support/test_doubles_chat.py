"""Checks the chat receivers: a golden message that each accepts, and one rejection per rule."""

import copy
import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "doubles"))

import standard_webhook
from case import DoubleCase

SLACK_HOOK = "/services/T0123456/B0123456/abcDEF123"
CHANNEL = "C0123456789"
DISCORD_HOOK = "/api/webhooks/112233445566778899/Abc-123_discord-webhook-token"
TEAMS_HOOK = "/workflows/0a1b/triggers/manual/paths/invoke?sig=tEAmS-sIgNaTuRe_0123456789"
SPACE = "/v1/spaces/AAAAspace01/messages?key=google-chat-key&token=google-chat-token"
MATTERMOST_HOOK = "/hooks/mattermost0hook0key0000001"


def with_changes(golden, **changes):
    """A copy with members set; None takes a member away."""
    value = copy.deepcopy(golden)
    value.update(changes)
    return {name: member for name, member in value.items() if member is not None}


class JsonCase(DoubleCase):
    script, headers = "chat_server.py", {"Content-Type": "application/json"}


def section(text, kind="mrkdwn"):
    return {"type": "section", "text": {"type": kind, "text": text}}


SLACK_MESSAGE = {
    "text": "Step time of acme/train rose by 7 % &lt;r1&gt;",
    "unfurl_links": False,
    "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": "Regression <r1> & more"}},
        section("*7.1 %* slower since <https://x.example/c/1?a=1&b=2|abc123>"),
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "before"},
                                       {"type": "mrkdwn", "text": "101 ms"}]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "&gt; policy 3"}]},
        {"type": "actions", "elements": [{"type": "button", "url": "https://x.example/",
                                          "text": {"type": "plain_text", "text": "Report"}}]},
        {"type": "divider"},
        {"type": "markdown", "text": "| a | b |"},
    ],
}
# What is wrong, the blocks that are.
BAD_BLOCKS = [
    ("51 items, at most 50", [{"type": "divider"}] * 51),
    ("3001 characters, at most 3000", [section("x" * 3001)]),
    ("11 items, at most 10",
     [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 11}]),
    ("2001 characters", [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x" * 2001}]}]),
    ("needs one of text, fields", [{"type": "section"}]),
    ("151 characters", [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}]),
    (".text.type: 'mrkdwn'", [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}]),
    ("11 items", [{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}]),
    ("26 items", [{"type": "actions", "elements": [SLACK_MESSAGE["blocks"][4]["elements"][0]] * 26}
                  ]),
    ("76 characters", [{"type": "actions", "elements": [
        {"type": "button", "text": {"type": "plain_text", "text": "x" * 76}}]}]),
    ("256 characters", [{"type": "divider", "block_id": "x" * 256}]),
    ("occurs twice", [{"type": "divider", "block_id": "a"}] * 2),
    ("12001 characters", [{"type": "markdown", "text": "x" * 12_001}]),
    ("known:", [{"type": "carousel"}]),
    ("unknown here", [{"type": "divider", "colour": "red"}]),
    ("bare ['<', '>']", [section("name <!channel> name")]),
    ("bare ['&']", [section("a & b")]),
    ("blocks: an object", {"type": "divider"}),
    ("13201 characters in all blocks", [section("x" * 2640)] * 5 + [section("x")]),
    ("12001 characters in markdown", [{"type": "markdown", "text": "x" * 6000}] * 2 +
     [{"type": "markdown", "text": "x"}]),
]


class SlackWebhook(JsonCase):
    def test_accepts_a_full_message_with_a_plain_ok(self):
        reply = self.accept(SLACK_HOOK, SLACK_MESSAGE)
        self.assertEqual((reply.text, reply.headers["Content-Type"].partition(";")[0]),
                         ("ok", "text/plain"))

    def test_rejects_blocks_that_break_a_limit(self):
        for why, blocks in BAD_BLOCKS:
            with self.subTest(why):
                reply = self.reject(why, SLACK_HOOK, with_changes(SLACK_MESSAGE, blocks=blocks))
                self.assertEqual(reply.text, "invalid_blocks")

    def test_rejects_messages_of_the_wrong_form(self):
        for why, code, body in (
                ("text: this member is required", "no_text", {"blocks": []}),
                ("empty", "no_text", {"text": ""}),
                ("channel: this member is unknown", "invalid_payload",
                 {"text": "a", "channel": "#x"}),
                ("bare", "invalid_payload", {"text": "<!here>"}),
                ("no JSON", "invalid_payload", b"payload={}")):
            with self.subTest(why):
                self.assertEqual(self.reject(why, SLACK_HOOK, body).text, code)

    def test_rejects_another_content_type_and_credentials(self):
        self.reject("Content-Type", SLACK_HOOK, SLACK_MESSAGE,
                    headers={"Content-Type": "text/plain"})
        self.reject("Authorization", SLACK_HOOK, SLACK_MESSAGE,
                    headers={"Authorization": "Bearer x"})

    def test_hooks_that_are_gone_answer_as_slack_does(self):
        for hook, status, text in (("revoked", 403, "invalid_token"), ("gone", 404, "no_service"),
                                   ("archived", 410, "channel_is_archived")):
            reply = self.reject(text, f"/services/T01/B01/{hook}", SLACK_MESSAGE, status=status)
            self.assertEqual(reply.text, text)


class SlackApi(JsonCase):
    headers = {"Content-Type": "application/json; charset=utf-8",
               "Authorization": "Bearer xoxb-0123456789-0123456789-AbCdEfGhIjKlMnOp"}
    post, update = "/api/chat.postMessage", "/api/chat.update"
    message = {**SLACK_MESSAGE, "channel": CHANNEL, "unfurl_media": False,
               "metadata": {"event_type": "verdict", "event_payload": {"id": "a1"}}}

    def fails(self, code, path, body, **more):
        reply = self.reject("", path, body, status=200, **more)
        self.assertEqual(reply.json, {"ok": False, "error": code})

    def test_posts_replies_in_the_thread_and_updates_in_place(self):
        posted = self.accept(self.post, self.message).json
        self.assertTrue(posted["ok"])
        reply = self.accept(self.post, {"channel": CHANNEL, "text": "resolved",
                                        "thread_ts": posted["ts"]}).json
        self.accept(self.update, {"channel": CHANNEL, "ts": posted["ts"], "text": "Resolved"})
        self.fails("thread_not_found", self.post,
                   {"channel": CHANNEL, "text": "to a reply", "thread_ts": reply["ts"]})
        state = {item["ts"]: item for item in self.double.state()["slack"]}
        self.assertEqual((state[posted["ts"]]["text"], state[posted["ts"]]["edits"]),
                         ("Resolved", 1))
        self.assertEqual(state[reply["ts"]]["thread_ts"], posted["ts"])

    def test_failures_are_successes_of_http(self):
        change = lambda **changes: with_changes(self.message, **changes)
        blocks = [section("x" * 2000) for _ in range(7)]
        for code, path, body in (
                ("channel_not_found", self.post, change(channel="C0999999999")),
                ("is_archived", self.post, change(channel="C0ARCHIVED0")),
                ("not_in_channel", self.post, change(channel="C0STRANGER0")),
                ("msg_too_long", self.post, change(text="x" * 40_001)),
                ("msg_blocks_too_long", self.post, change(blocks=blocks)),
                ("invalid_blocks", self.post, change(blocks=[section("x" * 3001)])),
                ("no_text", self.post, {"channel": CHANNEL}),
                ("thread_not_found", self.post, change(thread_ts="1700000000.000009")),
                ("message_not_found", self.update, change(ts="1700000000.000009", metadata=None)),
                ("invalid_payload", self.update, change(ts="1700000000.000009", thread_ts="1")),
                ("invalid_payload", self.post, change(username="x"))):
            with self.subTest(code):
                self.fails(code, path, body)

    def test_credentials_and_content_type_are_exact(self):
        self.fails("not_authed", self.post, self.message, headers={"Authorization": None})
        self.fails("invalid_auth", self.post, self.message, headers={"Authorization": "Bearer x"})
        self.fails("invalid_post_type", self.post, self.message,
                   headers={"Content-Type": "application/json"})


class Discord(JsonCase):
    hook = DISCORD_HOOK + "?wait=true"
    message = {"content": "slower", "username": "stepledger", "allowed_mentions": {"parse": []},
               "embeds": [{"title": "t", "description": "d", "color": 15158332,
                           "url": "https://x.example/", "timestamp": "2026-01-05T06:00:00Z",
                           "fields": [{"name": "before", "value": "101 ms", "inline": True}],
                           "footer": {"text": "f"}, "author": {"name": "a"}}]}

    def test_posts_and_edits(self):
        message_id = self.accept(self.hook, self.message).json["id"]
        edited = self.accept(f"{DISCORD_HOOK}/messages/{message_id}",
                             {"content": "resolved", "allowed_mentions": {"parse": []}},
                             method="PATCH")
        self.assertEqual(edited.json["content"], "resolved")

    def test_rejects_what_is_too_long_with_code_50035(self):
        embed = lambda **members: with_changes(self.message, embeds=[members])
        for why, body in (
                ("2001 characters", with_changes(self.message, content="x" * 2001)),
                ("81 characters", with_changes(self.message, username="x" * 81)),
                ("holds 'discord'", with_changes(self.message, username="My Discord bot")),
                ("11 items", with_changes(self.message, embeds=[{"title": "t"}] * 11)),
                ("257 characters", embed(title="x" * 257)),
                ("4097 characters", embed(description="x" * 4097)),
                ("26 items", embed(fields=[{"name": "n", "value": "v"}] * 26)),
                ("257 characters", embed(fields=[{"name": "x" * 257, "value": "v"}])),
                ("1025 characters", embed(fields=[{"name": "n", "value": "x" * 1025}])),
                ("0 characters", embed(fields=[{"name": "n", "value": ""}])),
                ("2049 characters", embed(footer={"text": "x" * 2049})),
                ("257 characters", embed(author={"name": "x" * 257})),
                ("6001 characters in all", with_changes(self.message, embeds=[
                    {"description": "x" * 4000}, {"description": "x" * 2001}])),
                ("needs one of content, embeds", with_changes(self.message, content=None,
                                                              embeds=None)),
                ("allowed_mentions", with_changes(self.message, allowed_mentions=None)),
                ("at most 0", with_changes(self.message,
                                           allowed_mentions={"parse": ["everyone"]})),
                ("unknown here", with_changes(self.message, nonce="1"))):
            with self.subTest(why):
                self.assertEqual(self.reject(why, self.hook, body).json["code"], 50035)

    def test_the_query_holds_wait_and_a_thread_and_edits_stay_in_it(self):
        self.reject("unknown", self.hook + "&a=1", self.message)
        self.reject("thread_id is 'x'", self.hook + "&thread_id=x", self.message)
        message_id = self.accept(self.hook + "&thread_id=5", self.message).json["id"]
        edit, body = f"{DISCORD_HOOK}/messages/{message_id}", with_changes(self.message,
                                                                           username=None)
        self.reject("another thread", edit, body, status=404, method="PATCH")
        self.accept(edit + "?thread_id=5", body, method="PATCH")

    def test_a_message_without_wait_is_answered_and_not_kept(self):
        before = len(self.double.state()["discord"])
        self.reject("wait=true", DISCORD_HOOK, self.message, status=204)
        self.assertEqual(len(self.double.state()["discord"]), before)

    def test_a_webhook_that_is_gone_is_404_and_a_wrong_token_401(self):
        self.reject("unknown", "/api/webhooks/1/t?wait=true", self.message, status=404)
        self.reject("token", "/api/webhooks/112233445566778899/t?wait=true", self.message,
                    status=401)
        self.reject("message 5 is unknown", f"{DISCORD_HOOK}/messages/5",
                    with_changes(self.message, username=None), status=404, method="PATCH")


class Teams(JsonCase):
    def envelope(self, **card):
        content = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                   "type": "AdaptiveCard", "version": "1.4", "msteams": {"width": "full"},
                   "body": [{"type": "TextBlock", "text": "slower", "wrap": True,
                             "weight": "Bolder"},
                            {"type": "FactSet", "facts": [{"title": "before", "value": "101 ms"}]},
                            {"type": "Container", "items": [{"type": "TextBlock", "text": "x"}]}],
                   "actions": [{"type": "Action.OpenUrl", "title": "Report",
                                "url": "https://x.example/"}], **card}
        kind = "application/vnd.microsoft.card.adaptive"
        return {"type": "message", "attachments": [
            {"contentType": kind, "contentUrl": None, "content": content}]}

    def test_accepts_a_card_with_202(self):
        self.accept(TEAMS_HOOK, self.envelope(), status=202)

    def test_a_bad_card_gets_its_202_and_is_lost_inside_the_flow(self):
        before = len(self.double.state()["teams"])
        long = [{"type": "TextBlock", "text": "x" * 25_000}]
        for why, card in (("at most 28672", {"body": long}), ("'1.5'", {"version": "1.5"}),
                          ("TextBlocks", {"body": [{"type": "TextBlocks", "text": "x"}]}),
                          ("at least 1", {"body": []}), ("colour", {"colour": "red"}),
                          ("Action.Submit", {"actions": [{"type": "Action.Submit"}]})):
            with self.subTest(why):
                reason = self.reject(why, TEAMS_HOOK, self.envelope(**card), status=202)
                self.assertEqual(reason.body, b"")
        self.assertEqual(len(self.double.state()["teams"]), before)

    def test_rejects_the_envelope_at_once(self):
        self.reject("@type", TEAMS_HOOK, {"@type": "MessageCard", "text": "x"})
        self.reject("attachments", TEAMS_HOOK, {"type": "message"})
        self.reject("contentType", TEAMS_HOOK, {"type": "message", "attachments": [
            {"contentType": "text/html", "content": {}}]})
        self.reject("sig", TEAMS_HOOK[:-1], self.envelope(), status=401)


class GoogleChat(JsonCase):
    place = SPACE + "&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"
    message = {"text": "slower", "thread": {"threadKey": "alert-1"}, "cardsV2": [{
        "cardId": "c", "card": {"header": {"title": "t"}, "sections": [{"widgets": [
            {"textParagraph": {"text": "x"}}, {"decoratedText": {"text": "y", "topLabel": "z"}},
            {"buttonList": {"buttons": [{"text": "Report", "onClick": {
                "openLink": {"url": "https://x.example/"}}}]}}, {"divider": {}}]}]}}]}

    def test_the_same_key_answers_in_the_same_thread(self):
        first = self.accept(self.place, self.message).json
        second = self.accept(self.place, {"text": "resolved",
                                          "thread": {"threadKey": "alert-1"}}).json
        self.assertEqual(first["thread"], second["thread"])
        self.assertNotEqual(first["name"], second["name"])

    def test_the_same_request_id_gives_the_earlier_message(self):
        first = self.accept(self.place + "&requestId=r1", self.message).json
        self.assertEqual(self.accept(self.place + "&requestId=r1", self.message).json, first)

    def test_counts_bytes(self):
        # 16,000 characters of two bytes each, and the rest of the JSON.
        body = ('{"text":"' + "ü" * 15_999 + '"}').encode()
        self.reject("32009 bytes, at most 32000", self.place, body)
        self.accept(self.place, ('{"text":"' + "ü" * 15_994 + '"}').encode())

    def test_rejects_what_the_service_would(self):
        for why, path, body in (
                ("needs one of", self.place, {"thread": {"threadKey": "a"}}),
                ("4001 characters", self.place, {"text": "a", "thread": {"threadKey": "x" * 4001}}),
                ("unknown here", self.place, {"text": "a", "blocks": []}),
                ("exactly one", self.place, {"cardsV2": [{"card": {"sections": [
                    {"widgets": [{}]}]}}]}),
                ("query parameters", self.place + "&x=1", self.message),
                ("messageReplyOption is", SPACE + "&messageReplyOption=NO", self.message),
                ("messageId", self.place + "&messageId=ABC", self.message),
                ("64 characters", self.place + "&messageId=client-" + "x" * 57, self.message)):
            with self.subTest(why):
                self.reject(why, path, body)
        self.reject("key or token", "/v1/spaces/AAAAspace01/messages?key=a", {}, status=401)
        self.reject("space X", "/v1/spaces/X/messages", {}, status=404)

    def test_a_thread_key_without_its_option_is_ignored(self):
        reply = self.reject("is ignored", SPACE, self.message, status=200)
        self.assertNotIn("alert-1", reply.json["thread"]["name"])


class Mattermost(JsonCase):
    def test_accepts_text_and_attachments(self):
        reply = self.accept(MATTERMOST_HOOK, {
            "text": "**slower**", "username": "stepledger", "priority": {"priority": "urgent"},
            "attachments": [{"fallback": "f", "color": "#FF8000", "text": "t",
                             "fields": [{"title": "a", "value": "b", "short": True}]}]})
        self.assertEqual(reply.text, "ok")

    def test_a_long_text_becomes_several_posts_without_an_error(self):
        self.accept(MATTERMOST_HOOK, {"text": "ü" * 16_383})
        reply = self.reject("several posts", MATTERMOST_HOOK, {"text": "x" * 16_384}, status=200)
        self.assertEqual(reply.text, "ok")

    def test_rejects_blocks_emptiness_and_unknown_hooks(self):
        for why, body in (("blocks", {"text": "a", "blocks": []}), ("needs one of", {"text": ""}),
                          ("color", {"attachments": [{"fallback": "f", "color": "red"}]})):
            self.assertEqual(self.reject(why, MATTERMOST_HOOK, body).json["status_code"], 400)
        self.reject("hook", "/hooks/other", {"text": "a"}, status=404)


class StandardWebhook(JsonCase):
    secret = standard_webhook.SECRET
    body = b'{"test": 2432232314}'

    def signed(self, event_id="e1", body=None, secret=None, timestamp=None):
        timestamp = int(time.time()) if timestamp is None else timestamp
        value = standard_webhook.sign(secret or self.secret, event_id, timestamp, body or self.body)
        return {"webhook-id": event_id, "webhook-timestamp": str(timestamp),
                "webhook-signature": value}

    def test_signs_as_the_published_vector(self):
        self.assertEqual(
            standard_webhook.sign(self.secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                                  self.body), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

    def test_counts_a_repeat_of_an_id_once(self):
        for _ in range(2):
            self.accept("/generic/a", self.body, headers=self.signed("twice"))
        found = [e for e in self.double.state()["webhook"]["signed"] if e["id"] == "twice"]
        self.assertEqual([event["deliveries"] for event in found], [2])

    def test_accepts_one_good_signature_among_several(self):
        headers = self.signed("rotated")
        headers["webhook-signature"] = "v1," + "A" * 43 + "= " + headers["webhook-signature"]
        self.accept("/generic/a", self.body, headers=headers)

    def test_rejects_bad_headers_and_signatures(self):
        now = int(time.time())
        for why, headers in (
                ("webhook-id is sent 0 times", self.signed() | {"webhook-id": None}),
                ("webhook-id is 'a.b'", self.signed("a.b")),
                ("expected Unix seconds", self.signed() | {"webhook-timestamp": "now"}),
                ("away", self.signed(timestamp=now - 301)),
                ("away", self.signed(timestamp=now + 400)),
                ("holds 'v2,", self.signed() | {"webhook-signature": "v2,abc"}),
                ("no signature fits", self.signed(body=b"{}")),
                ("no signature fits", self.signed(secret="whsec_" + "QUFB" * 8)),
                ("no signature fits", self.signed() | {"webhook-id": "e2"}),
                ("x-hub-signature-256", self.signed() | {"X-Hub-Signature-256": "sha256=00"})):
            with self.subTest(why):
                self.reject(why, "/generic/a", self.body, status=401, headers=headers)

    def test_rejects_an_id_whose_body_has_changed(self):
        self.accept("/generic/a", self.body, headers=self.signed("same"))
        self.reject("with another body", "/generic/a", b"{}", status=409,
                    headers=self.signed("same", body=b"{}"))

    def test_rejects_more_than_20_kb_and_what_is_no_json(self):
        long = b'"' + b"x" * 20_479 + b'"'
        self.reject("20481 bytes", "/generic/a", long, status=413,
                    headers=self.signed("long", body=long))
        self.reject("no JSON", "/generic/a", b"{", headers=self.signed("bad", body=b"{"))


class PagerDuty(JsonCase):
    event = {"routing_key": "0123456789abcdef0123456789abcdef", "event_action": "trigger",
             "dedup_key": "a" * 64, "payload": {"summary": "s", "source": "h", "severity": "error"}}

    def test_counts_events_of_one_key_as_one_incident(self):
        for changes in ({}, {}, {"event_action": "resolve", "payload": None}):
            self.accept("/v2/enqueue", with_changes(self.event, **changes), status=202)
        incident = self.double.state()["pagerduty"][0]
        self.assertEqual((incident["events"], incident["state"]),
                         (["trigger", "trigger", "resolve"], "resolved"))

    def test_rejects_what_the_service_would(self):
        payload = self.event["payload"]
        for why, changes in (
                ("1025 characters", {"payload": {**payload, "summary": "x" * 1025}}),
                ("'fatal'", {"payload": {**payload, "severity": "fatal"}}),
                ("256 characters", {"dedup_key": "x" * 256}),
                ("needs a dedup_key", {"event_action": "resolve", "dedup_key": None}),
                ("needs a payload", {"payload": None}),
                ("routing key", {"routing_key": "f" * 32})):
            with self.subTest(why):
                self.reject(why, "/v2/enqueue", with_changes(self.event, **changes))
        size = len(json.dumps({**self.event, "payload": {**payload, "custom_details": ""}}))
        self.accept("/v2/enqueue", status=202, body={
            **self.event, "payload": {**payload, "custom_details": "x" * (512_000 - size)}})
        self.reject("512001 bytes", "/v2/enqueue", status=413, body={
            **self.event, "payload": {**payload, "custom_details": "x" * (512_001 - size)}})


if __name__ == "__main__":
    unittest.main()
