"""Slack's messages: Block Kit shapes and limits, and escaping in mrkdwn.

What: the shape of `blocks`, `attachments` and `metadata` for slack.py.
Why: a message that breaks one limit is refused as a whole, so an alert would be lost.
What it does not do: of the interactive elements it knows the button alone, for an alert needs no
other; rich_text, video, input and file blocks are refused as unknown.
Limits: README.md, "Slack". Limits that are not there (links, ids of actions, image texts) are
Slack's documented ones.
"""

import re

import shape
from shape import Anything, Choice, Flag, List, Map, Maybe, Record, Tagged, Text, Whole

BLOCKS, TEXT_ALL_BLOCKS, MARKDOWN_ALL_BLOCKS = 50, 13_200, 12_000
LINK = re.compile(r"<https?://[^\s<>|]+(\|[^<>\n]+)?>")
ENTITY = re.compile(r"&(amp|lt|gt);")
ANY_TEXT = Text(40_000, low=0)


def is_escaped(text):
    """Outside links no `<`, `>` or `&` may stand bare: a name could else carry <!channel>."""
    rest = ENTITY.sub("", LINK.sub("", text))
    rest = re.sub(r"(?m)^>+", "", rest)  # a quotation
    bare = set("<>&") & set(rest)
    return f"bare {sorted(bare)} in mrkdwn, escape them" if bare else None


def has_unique_ids(blocks):
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    return "a block_id occurs twice" if len(set(ids)) < len(ids) else None


def plain(high):
    return Record("type text", {"type": Choice("plain_text"), "text": Text(high),
                                "emoji": Flag()})


def mrkdwn(high):
    return Record("type text", {"type": Choice("mrkdwn"), "text": Text(high, is_escaped),
                                "verbatim": Flag()})


def any_text(high):
    return Tagged("type", {"plain_text": plain(high), "mrkdwn": mrkdwn(high)})


def kind(required, members):
    """A record picked by its `type`."""
    return Record("type " + required, {"type": Anything(), **members})


def block(required, members, *rules):
    return Record("type " + required,
                  {"type": Anything(), "block_id": Text(255), **members}, *rules)


IMAGE = {"image_url": shape.WEB_ADDRESS, "alt_text": Text(2000)}
BUTTON = kind("text", {
    "text": plain(75), "url": shape.WEB_ADDRESS, "action_id": Text(255), "value": Text(2000),
    "style": Choice("primary", "danger"), "accessibility_label": Text(75),
})
CONTEXT_ELEMENT = Tagged("type", {
    "plain_text": plain(3000), "mrkdwn": mrkdwn(3000), "image": kind("image_url alt_text", IMAGE),
})
BLOCK = Tagged("type", {
    "section": block("", {
        "text": any_text(3000), "fields": List(any_text(2000), 10, low=1), "expand": Flag(),
        "accessory": Tagged("type", {"button": BUTTON,
                                     "image": kind("image_url alt_text", IMAGE)}),
    }, shape.needs_one_of("text", "fields")),
    "header": block("text", {"text": plain(150)}),
    "context": block("elements", {"elements": List(CONTEXT_ELEMENT, 10, low=1)}),
    "actions": block("elements", {"elements": List(Tagged("type", {"button": BUTTON}), 25, low=1)}),
    "divider": block("", {}),
    "markdown": block("text", {"text": Text(MARKDOWN_ALL_BLOCKS)}),
    "image": block("image_url alt_text", {**IMAGE, "title": plain(2000)}),
})
BLOCKS_SHAPE = List(BLOCK, BLOCKS, has_unique_ids)
ATTACHMENT = Record("", {
    "color": Text(20, pattern=r"good|warning|danger|#[0-9A-Fa-f]{6}"), "fallback": ANY_TEXT,
    "blocks": BLOCKS_SHAPE, "title": ANY_TEXT, "title_link": shape.WEB_ADDRESS,
    "pretext": ANY_TEXT, "text": ANY_TEXT, "footer": Text(300), "ts": Whole(0),
    "mrkdwn_in": List(Text(20)),
    "fields": List(Record("title value", {"title": ANY_TEXT, "value": ANY_TEXT,
                                          "short": Flag()}), 10),
})
METADATA = Record("event_type event_payload", {"event_type": Text(255),
                                               "event_payload": Map(Anything())})
MESSAGE = {
    "text": Text(40_000, is_escaped, low=0), "blocks": Maybe(BLOCKS_SHAPE),
    "attachments": Maybe(List(ATTACHMENT, 100)), "unfurl_links": Flag(), "unfurl_media": Flag(),
}
TIMESTAMP = Text(20, pattern=r"\d{10}\.\d{6}")


def texts_of(value):
    """Every text that a reader sees in blocks."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from texts_of(item)


def too_long(blocks):
    """Why the blocks together are too long, or None."""
    total = sum(map(len, texts_of(blocks)))
    markdown = sum(len(item["text"]) for item in blocks if item["type"] == "markdown")
    if total > TEXT_ALL_BLOCKS:
        return f"{total} characters in all blocks, at most {TEXT_ALL_BLOCKS}"
    if markdown > MARKDOWN_ALL_BLOCKS:
        return f"{markdown} characters in markdown blocks, at most {MARKDOWN_ALL_BLOCKS}"
    return None
