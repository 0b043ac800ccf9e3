"""Pages of lists as the forges give them: numbered, with a Link header that names the next one.

What: checks of page and per_page, the items of a page, and its headers.
Why: a client that reads the first page alone misses its own comment and posts a second one.
What it does not do: keyset pages.
Source: README.md, "Forges" (per_page=100, follow Link); RFC 8288 for the header.
"""

import re
import urllib.parse

DEFAULT, HIGH = {"github": 30, "gitlab": 20}, 100


class BadPage(Exception):
    """page or per_page is no number in its range."""


def number_of(request, name, default, high):
    text = request.parameter(name) if name in request.query else str(default)
    if text is None or not re.fullmatch(r"[1-9]\d{0,8}", text) or int(text) > high:
        raise BadPage(f"{name} is '{text}', expected 1 to {high}")
    return int(text)


def page_of(items, request, forge, base_url):
    """(items of the page, headers)."""
    size = number_of(request, "per_page", DEFAULT[forge], HIGH)
    page = number_of(request, "page", 1, 10 ** 8)
    last = max(1, -(-len(items) // size))

    def link(number, relation):
        others = [(k, v) for k, values in request.query.items() for v in values if k != "page"]
        query = urllib.parse.urlencode([*others, ("page", number)])
        return f'<{base_url}{request.path}?{query}>; rel="{relation}"'
    links = []
    if page > 1:
        links += [link(page - 1, "prev"), link(1, "first")]
    if page < last:
        links += [link(page + 1, "next"), link(last, "last")]
    headers = [("Link", ", ".join(links))] if links else []
    if forge == "gitlab":
        headers += [("X-Page", str(page)), ("X-Per-Page", str(size)), ("X-Total", str(len(items))),
                    ("X-Total-Pages", str(last)),
                    ("X-Next-Page", str(page + 1) if page < last else "")]
    return items[(page - 1) * size:page * size], headers
