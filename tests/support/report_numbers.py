"""The numbers of a report of trends as people read them, beside those of its document.

What: which numbers the page of a report must show, section by section and in their order, and which
it shows, whatever the format; one that differs, is missing or is one too many is a contradiction.
Why: a page is believed; nobody looks into the JSON.
What it does not do: pictures (pages_test measures what they draw) and sentences that the document
holds as such, which are taken out first.
"""

import html
import re

UNITS_US = {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6}
NUMBER = re.compile(r"(?<![\w.])([+-]?\d+(?:\.(\d+))?)(?: (ns|µs|ms|s|min|h|%|days?|hours?)"
                    r"(?!\w))?(?!\w)")
COMMITS_LISTED, OUTLIERS_NAMED = 10, 5
# What begins a section, and the list of the document that it is about.
HEADINGS = (("New loss: ", "losses"), ("Loss that went away: ", "losses"),
            ("Better, worth keeping: ", "improvements"),
            ("Better, and lost again: ", "improvements"), ("Back on its level: ", "recoveries"),
            ("Back on its level for a while: ", "recoveries"),
            ("Nearly back on its level: ", "recoveries"),
            ("Slow drift: ", "drifts"), ("Slow drift that goes on: ", "drifts"),
            ("Still drifting", "drifting"),
            ("Reporting again", "returns"), ("Suspected, none for sure", "suspected"),
            ("Told before, and came elsewhere", "moved"),
            ("Told before, and taken back", "withdrawn"),
            ("Not compared with what was before", "restarts"),
            ("Stopped reporting", "quiet"), ("Gates", "verdicts"), ("New series", "newcomers"),
            ("Noise", "noisiest"), ("How often a gate would be wrong on its own past", "canaries"),
            ("What was looked at", "looked"))
ONE_EACH = ("losses", "improvements", "recoveries", "drifts")


def microseconds(words):
    """A duration as it is printed, and what its last digit leaves open."""
    number, decimals, unit = re.fullmatch(r"([+-]?\d+(?:\.(\d+))?) (ns|µs|ms|s)", words).groups()
    return float(number) * UNITS_US[unit], 0.5001 * 10 ** -len(decimals or "") * UNITS_US[unit]


def bare(text):
    """Without what formats add to words, and with one blank between them."""
    text = re.sub("[\\\\`*|\u200b]", "", text).replace("..", " .. ")
    text = "".join(c if c == "µ" or ord(c) < 128 else "?" for c in text)
    return " ".join(text.split())


def lines_of(page, form):
    """Lines without markup."""
    if form == "html":
        page = re.sub(r"(?s)<style>.*?</style>|<svg.*?</svg>|<title>.*?</title>", "", page)
        page = re.sub(r"<(?:/?(?:h\d|summary|li|p|tr|table|ul|div)\b)[^>]*>", "\n", page)
        page = html.unescape(re.sub(r"</?[a-z][^>]*>", " ", page))
    if form == "md":
        page = re.sub(r"</?(?:details|summary)>", "\n", page)
    return [re.sub(r"^#+ ", "", line.strip().strip("*")) for line in page.splitlines()]


def texts_of(value):
    """All strings of a document, and the parts of them that pages show."""
    if isinstance(value, str):
        yield from {value, value[:12], value[:19], value[:10]}
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_of(item)


def sections(page, form):
    """[(list of the document, its text)] in the page's order."""
    found = [("head", [])]
    for line in lines_of(page, form):
        names = [name for start, name in HEADINGS
                 if line.startswith(start) and (start[-1] == " " or line == start)]
        if names:
            found.append((names[0], []))
        found[-1][1].append(line)
    return [(name, bare(" ".join(lines))) for name, lines in found]


class Expected:
    """The numbers of one section, in their order: value, kind, the path of its member."""

    def __init__(self):
        self.items = []

    def add(self, kind, holder, member):
        if holder[member] is not None:
            self.items.append((holder[member], kind, (id(holder), member)))

    def amount(self, change):
        for kind, member in (("%", "change_pct"), ("us", "before"), ("us", "after")):
            self.add(kind, change, member)

    def ways(self, change):
        """What is left of a way back, and what later changes took of one that did not go away."""
        rest, undone = change.get("rest"), change.get("undone")
        taken = change.get("takes_back")
        if rest is not None and (taken is not None or change["went_away"]):
            level = change["before"] if taken is None else change["after"] - rest
            self.items.append((abs(100 * rest / level), "%", None))
        if undone is not None:
            self.items.append((100 * undone, "%", None))

    def told(self, drift):
        """How large a drift was when it was told."""
        told = drift.get("told")
        if told is not None:
            self.items.append((100 * (told["after"] / told["before"] - 1), "%", None))

    def outliers(self, document, finding, seen):
        """Where the course is drawn: at the first finding of it."""
        if finding["course"] is None or finding["course"] in seen:
            return
        seen.add(finding["course"])
        marked = [point for point in reversed(document["courses"][finding["course"]]["points"])
                  if point.get("outlier")]
        for point in marked[:OUTLIERS_NAMED]:
            self.add("us", point, "value")
        if len(marked) > OUTLIERS_NAMED:
            self.items.append((len(marked) - OUTLIERS_NAMED, "", None))

    def change(self, document, change, seen):
        self.amount(change)
        self.ways(change)
        for member in ("low_pct", "high_pct"):
            self.add("%", change, member)
        self.outliers(document, change, seen)
        for op in change["ops"]:
            for kind, member in (("us", "before_us"), ("us", "after_us"), ("us", "delta_us"),
                                 ("%", "share_pct")):
                self.add(kind, op, member)
        whole = change["after"] - change["before"]
        for part in change["parts"][len(change["ops"]):] if change["ops"] else ():
            delta = part["after_us"] - part["before_us"]
            self.add("us", part, "before_us")
            self.add("us", part, "after_us")
            self.items += [(delta, "us", None), (100 * delta / whole, "%", None)]
        listed = min(len(change["commits"]), COMMITS_LISTED)
        if change["commits_in_range"] > listed > 0:
            self.items.append((change["commits_in_range"] - listed, "",
                               (id(change), "commits_in_range")))

    def drift(self, document, drift, seen):
        self.amount(drift)
        self.add("", drift, "run_count")
        self.add("%", drift, "month_pct")
        self.told(drift)
        self.outliers(document, drift, seen)


def expected_of(document):
    """{list: [Expected]}"""
    seen, wanted = set(), {name: [] for _, name in HEADINGS}
    wanted["head"] = [Expected()]
    for mfu in document.get("mfu", []):
        for member in ("now", "before"):
            if mfu.get(member) is not None:
                wanted["head"][0].add("share", mfu, member)
    for name in ONE_EACH:
        for item in document[name]:
            wanted[name].append(Expected())
            (wanted[name][-1].drift if name == "drifts" else wanted[name][-1].change)(
                document, item, seen)
    whole = {name: Expected() for name in wanted if name not in (*ONE_EACH, "head")}
    for change in document["suspected"]:
        whole["suspected"].amount(change)
        whole["suspected"].ways(change)
    for drift in document["drifting"]:
        whole["drifting"].amount(drift)
        whole["drifting"].told(drift)
    for back in document["returns"]:
        whole["returns"].add("hours", back, "silent_hours")
    for quiet in document["quiet"]:
        for member in ("silent_hours", "usual_hours"):
            whole["quiet"].add("hours", quiet, member)
    for gone in document.get("withdrawn", []):
        whole["moved" if "moved_to" in gone else "withdrawn"].amount(gone)
    for restart in document["restarts"]:
        whole["restarts"].add("", restart, "run_count")
        whole["restarts"].amount(restart)
    for count in document["verdicts"]:
        if count["count"] > 0:
            whole["verdicts"].add("", count, "count")
    for newcomer in document["newcomers"]:
        whole["newcomers"].add("", newcomer, "run_count")
    for noise in document["noisiest"]:
        whole["noisiest"].add("%", noise, "noise_pct")
        whole["noisiest"].add("", noise, "run_count")
    for canary in document["canaries"]:
        whole["canaries"].add("", canary, "run_count")
        whole["canaries"].add("", canary, "window_count")
        for kind, member in (("share", "false_fail"), ("share", "false_fail_low"),
                             ("share", "false_fail_high"), ("%", "effect_pct"),
                             ("share", "caught")):
            whole["canaries"].add(kind, canary, member)
    for member in ("run_count", "reporting_workload_count", "workload_count",
                   "reporting_series_count", "series_count"):
        whole["looked"].add("", document, member)
    for name, one in whole.items():
        wanted[name].append(one)
    return wanted


def shown_numbers(text, texts):
    """[(number, its last digit's half, unit)] of a section."""
    for words in texts:
        text = text.replace(words, " _ ")
    for words in ("95 % interval", "false fails 95 % put in", ".."):
        text = text.replace(words, "")
    return [(float(number), .5001 * 10 ** -len(decimals or ""), unit)
            for number, decimals, unit in NUMBER.findall(text)]


def same(value, kind, number, half, unit):
    """Whether the number that is shown is that value, as far as its digits go."""
    if kind == "us":
        scale = UNITS_US.get(unit)
    elif kind == "hours":
        scale = 24 if unit.startswith("day") else 1 if unit.startswith("hour") else None
    elif kind in ("share", "%"):  # of a range only the end has the sign
        scale = (.01 if kind == "share" else 1) if unit in ("%", "") else None
    else:
        scale = 1 if unit == kind else None
    return scale is not None and abs(number * scale - value) <= half * scale


def contradiction(document, page, form):
    """What the page says otherwise than the document; None: nothing."""
    wanted = expected_of(document)
    texts = sorted({bare(text) for text in texts_of(document) if re.search(r"\d", text)},
                   key=len, reverse=True)
    for name, text in sections(page, form):
        if not wanted[name]:
            return f"{form}: a section of {name} too many"
        expected = wanted[name].pop(0).items
        shown = shown_numbers(text, texts)
        if len(shown) != len(expected):
            return f"{form}, {name}: {len(shown)} numbers for {len(expected)}: {shown} in {text}"
        for (value, kind, _), (number, half, unit) in zip(expected, shown):
            if not same(value, kind, number, half, unit):
                return f"{form}, {name}: {number} {unit} for {value} ({kind})"
    left = {name: rest for name, rest in wanted.items() if any(one.items for one in rest)}
    return f"{form}: nothing of {sorted(left)}" if left else None


def headline_contradiction(document):
    """The number of a headline that is none of the report's findings or counts; None: all are."""
    texts = sorted({bare(text) for name, value in document.items() if name != "headlines"
                    for text in texts_of(value) if re.search(r"\d", text)}, key=len, reverse=True)
    known = [(value, kind) for of in expected_of(document).values() for one in of
             for value, kind, _ in one.items]
    known += [(len(value), "") for value in document.values() if isinstance(value, list)]
    for words in document["headlines"]:
        for number, half, unit in shown_numbers(bare(words), texts):
            if not any(same(value, kind, number, half, unit) for value, kind in known):
                return f"{number} {unit} in '{words}'"
    return None
