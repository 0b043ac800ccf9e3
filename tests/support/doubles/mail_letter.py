"""A mail as it arrived: its lines, its head and its parts, judged by the rules of the format.

What: `check` takes the bytes of a letter and the envelope that it came in, and returns what a test
wants to read of it; raises Wrong with the rule that is broken.
Why: mail servers pass on nearly everything, and readers then show half of it.
What it does not do: it keeps no mailbox and speaks no SMTP.
Source of the rules: RFC 5322, RFC 2045 to 2047, RFC 3834. Stricter than any server: no field beside
those that an alert needs, ASCII alone, exactly a text and an HTML part that say the same words.
"""

import email
import email.errors
import email.header
import email.policy
import email.utils
import html.parser
import re

LINE_HIGH, FOLD_HIGH, ENCODED_WORD_HIGH = 998, 78, 75
NEEDED = ("from", "to", "subject", "date", "message-id", "auto-submitted", "mime-version",
          "content-type")
OPTIONAL = ("in-reply-to", "references")
MESSAGE_ID = re.compile(r"<[\w!#$%&'*+/=?^`{|}~.-]+@[A-Za-z0-9.-]+>")
ENCODED_WORD = re.compile(r"=\?[^?\s]+\?[QqBb]\?[^?\s]*\?=")
TAGS = {"html", "body", "div", "h3", "p", "pre", "a"}
ATTRIBUTES = {"style", "href"}


class Wrong(Exception):
    """The letter breaks a rule."""


def insist(holds, why):
    if not holds:
        raise Wrong(why)


class Page(html.parser.HTMLParser):
    """The words and links of an HTML part; raises Wrong for tags that none of ours needs, tags
    that do not pair, and marks that are no entities."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.words, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag == "img":  # of the letter itself, and never fetched
            of = dict(attrs)
            insist(set(of) == {"src", "style", "alt"} and of["src"].startswith("cid:"), f"{attrs}")
            return
        insist(tag in TAGS, f"HTML: there is a <{tag}>")
        insist({name for name, _ in attrs} <= ATTRIBUTES, f"HTML: attributes of <{tag}>: {attrs}")
        self.open.append(tag)
        self.links += [value for name, value in attrs if name == "href"]

    def handle_endtag(self, tag):
        insist(self.open and self.open.pop() == tag, f"HTML: </{tag}> closes nothing")

    def handle_comment(self, data):
        raise Wrong(f"HTML: a comment: {data}")

    def handle_data(self, data):
        self.words += data.split()


def check_lines(raw):
    insist(raw.endswith(b"\r\n"), "the letter does not end with a line break")
    insist(re.search(rb"(?<!\r)\n|\r(?!\n)", raw) is None, "a bare CR or LF")
    for number, line in enumerate(raw.split(b"\r\n"), 1):
        insist(len(line) <= LINE_HIGH, f"line {number} has {len(line)} bytes")
        insist(re.search(rb"[^\t\x20-\x7e]", line) is None, f"line {number} is not printable ASCII")


def check_head(raw):
    """Fields by name, unfolded. Folds must be where they need to be."""
    fields = {}
    head = raw.partition(b"\r\n\r\n")[0].decode("ascii")
    for line in head.split("\r\n"):
        insist(len(line) <= FOLD_HIGH or " " not in line.strip().partition(": ")[2],
               f"a line of the head has {len(line)} bytes and could be folded")
        insist(line.strip(), "a line of the head is blank")
        for word in ENCODED_WORD.findall(line):
            insist(len(word) <= ENCODED_WORD_HIGH, f"an encoded word has {len(word)} bytes")
    for match in re.finditer(r"([^\s:]+):((?:.*(?:\r\n[ \t])?)*)(?:\r\n|$)", head):
        name = match[1].lower()
        insist(name not in fields, f"{name} is there twice")
        insist(name in NEEDED + OPTIONAL, f"the field {name} is not one of ours")
        fields[name] = match[2].replace("\r\n", "").strip()
    for name in NEEDED:
        insist(fields.get(name), f"there is no {name}")
    return fields


def check_fields(fields, sender, recipients):
    insist(email.utils.parseaddr(fields["from"])[1] == sender, "From is not the sender")
    shown = [address for _, address in email.utils.getaddresses([fields["to"]])]
    insist(recipients == [name for name in shown if name in recipients],
           f"To is {shown}, the envelope {recipients}")
    date = email.utils.parsedate_to_datetime(fields["date"])
    insist(date.tzinfo is not None and email.utils.format_datetime(date) == fields["date"],
           f"the date {fields['date']}")
    insist(fields["auto-submitted"] == "auto-generated", "Auto-Submitted")
    insist(fields["mime-version"] == "1.0", "MIME-Version")
    for name in ("message-id", "in-reply-to"):
        insist(MESSAGE_ID.fullmatch(fields.get(name, "<a@b>")), f"{name} is {fields.get(name)}")
    insist(all(map(MESSAGE_ID.fullmatch, fields.get("references", "").split())), "References")


def decoded_subject(text):
    """As readers show it; every encoded word must be whole UTF-8 by itself."""
    for data, charset in email.header.decode_header(text):
        if charset is not None:
            insist(charset == "utf-8", f"Subject: charset {charset}")
    for word in ENCODED_WORD.findall(text):
        email.header.decode_header(word)[0][0].decode("utf-8")
    shown = str(email.header.make_header(email.header.decode_header(text)))
    insist(shown.isprintable(), f"Subject: {shown!r}")
    return shown


def part_text(part, kind):
    insist(part.get_content_type() == kind, f"a part is {part.get_content_type()}, not {kind}")
    insist(part.get_content_charset() == "utf-8", f"{kind}: charset")
    insist(not part.defects, f"{kind}: {part.defects}")
    insist(part["content-transfer-encoding"] == "quoted-printable", f"{kind}: its encoding")
    for line in part.get_payload().split("\r\n"):
        insist(len(line) <= 76, f"{kind}: a quoted line of {len(line)} bytes")
        insist(not line.endswith((" ", "\t")), f"{kind}: a blank at the end of a line")
    return part.get_payload(decode=True).decode("utf-8").replace("\r\n", "\n")


def check_pictures(parts, page):
    """Each is a PNG of its own name, and stands where the page wants one."""
    names = []
    for part in parts:
        insist(part.get_content_type() == "image/png", f"a picture is {part.get_content_type()}")
        insist(part["content-transfer-encoding"] == "base64", "a picture's encoding")
        insist(part.get_content_disposition() == "inline", "a picture's place")
        insist(part["content-id"] == f"<{part.get_filename()}@stepledger>", part["content-id"])
        for line in part.get_payload().split("\r\n"):
            insist(len(line) <= 76, f"a line of {len(line)} bytes in a picture")
        data = part.get_payload(decode=True)
        insist(data.startswith(b"\x89PNG\r\n\x1a\n") and b"IEND" in data, "it is no whole PNG")
        names.append(part.get_filename())
    insist(len(set(names)) == len(names), f"equal names: {names}")
    wanted = re.findall(r'src="cid:([^"@]+)@stepledger"', page)
    insist(wanted == names, f"the page wants {wanted}, there are {names}")
    return names


def check_parts(raw):
    message = email.message_from_bytes(raw, policy=email.policy.SMTP)
    insist(not message.defects, f"defects: {message.defects}")
    pictures = []
    if message.get_content_type() == "multipart/related":
        message, *pictures = message.get_payload()
    insist(message.get_content_type() == "multipart/alternative", "it is no multipart/alternative")
    parts = message.get_payload()
    insist(len(parts) == 2, f"{len(parts)} parts")
    text, page_text = part_text(parts[0], "text/plain"), part_text(parts[1], "text/html")
    page = Page()
    page.feed(page_text)
    page.close()
    insist(not page.open, f"HTML: {page.open} are not closed")
    missing = [word for word in text.split() if word not in page.words + page.links]
    insist(not missing, f"the HTML part does not say {missing}")
    return text, page_text, check_pictures(pictures, page_text)


def check(raw, sender, recipients):
    """What the letter says; raises Wrong. `recipients` are those that were named, also refused
    ones."""
    try:
        check_lines(raw)
        fields = check_head(raw)
        check_fields(fields, sender, recipients)
        subject = decoded_subject(fields["subject"])
        text, page, pictures = check_parts(raw)
    except (ValueError, UnicodeError, email.errors.MessageError) as error:
        raise Wrong(f"cannot be read: {error}") from error
    shown = [address for _, address in email.utils.getaddresses([fields["to"]])]
    return {"id": fields["message-id"], "to": shown, "subject": subject, "text": text, "html": page,
            "pictures": pictures,
            "date": fields["date"], "in_reply_to": fields.get("in-reply-to"),
            "references": fields.get("references", "").split()}
