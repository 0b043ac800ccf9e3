"""What a table of the code names stands where else it must: a new row is told of all its places.

Tests hold the same, but they run for minutes, and one that meets a schema names no file to go to.
A place is a file and the form in which it has a name, or a pattern of files (one for each name), or
a list that has all of them in the same order.
"""

import json
import os
import re

# Kinds whose receivers are no HTTP doubles that channel_case.py starts.
DOUBLES_OF_THEIR_OWN = ("mail", "wandb")


def rows_of(text, macro, column):
    """[(line, name)] of an X-macro's rows."""
    start = re.search(rf"#define {macro}\(X\)((?:[^\n]*\\\n)*[^\n]*)", text)
    if start is None:
        return []
    return [(text.count("\n", 0, start.start(1) + row.start()) + 1,
             re.split(r",\s*", row[1])[column])
            for row in re.finditer(r"\bX\((\w+(?:,\s*\w+)*)", start[1])]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def schema_words(path, member):
    """The words that a document's member may be."""
    return json.loads(read(path))["properties"][member]["enum"]


def names_of_measures():
    """The newest migration that makes measure_name(), and the names in it."""
    folder = "schema/migrations/"
    path, found = "", []
    for name in sorted(os.listdir(folder)):
        made = re.search(r"FUNCTION measure_name\(.*?ARRAY\[(.*?)\]", read(folder + name), re.S)
        if made:
            path, found = folder + name, re.findall(r"'(\w+)'", made[1])
    return path, found


def lack(names, place, form):
    """(line, text) of each name that a file does not hold in that form."""
    text = read(place)
    for line, name in names:
        if form.format(name) not in text:
            yield line, f"{name} has no row in {place}: {form.format(name)} …"


def without_file(names, pattern, who_makes_it):
    for line, name in names:
        if not os.path.exists(pattern.format(name)):
            yield line, f"{name} lacks {pattern.format(name)}{who_makes_it}"


def differ(names, place, words):
    """The first name that a list does not have where it stands in the table."""
    for i, (line, name) in enumerate(names):
        if i >= len(words) or words[i] != name:
            there = f"'{words[i]}' stands there" if i < len(words) else "it ends before"
            yield line, f"{name} is number {i + 1} here, and in {place} {there}"
            return
    if len(words) > len(names):
        yield names[-1][0], f"'{words[len(names)]}' of {place} is not here"


def of_channels(rows):
    yield from lack(rows, "tests/unit/alerts_channels_test.c", '{{"{}",')
    yield from lack([row for row in rows if row[1] not in DOUBLES_OF_THEIR_OWN],
                    "tests/e2e/channel_case.py", '"{}": (')
    yield from without_file(rows, "tests/golden/alerts/{}.firing.json",
                            ", which `make golden` writes")


def of_lists(rows):
    yield from without_file(rows, os.path.join("history", "sql", "list_{}.sql"), "")
    place = "schema/documents/list.schema.json"
    yield from differ(rows, place, schema_words(place, "of"))


def of_measures(rows):
    place, words = names_of_measures()
    if len(words) < len(rows):
        place += " (released: a new migration makes measure_name() again)"
    yield from differ(rows, place, words)


TABLES = [
    ("alerts/channels.h", "CHANNELS", 0, of_channels),
    ("history/reading/list.h", "LIST_NOUNS", 0, of_lists),
    ("schema/documents/measures.h", "MEASURES", 1, of_measures),
]


def check(sources):
    texts = {source.path: source.text for source in sources}
    for path, macro, column, places in TABLES:
        rows = rows_of(texts.get(path, ""), macro, column)
        if path in texts and not rows:
            yield path, 1, f"there are no rows of {macro}: who moved it moves it in ops/ci too"
        elif rows:
            yield from ((path, line, text) for line, text in places(rows))
