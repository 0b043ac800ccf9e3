"""A file that a comment, a README or a script names is there: who follows the name finds it.

A place of the tree is `FLOOR/...`, a file with or without its suffix, a folder, or a pattern with
`*`. A part in capitals (KIND.c, NNNN_what.sql) stands for a name and is left alone; released
migrations keep their words; tests in scripts make up files, and the compiler looks at #include.
"""

import glob
import os
import re

FLOORS = "alerts|compare|history|ingest|ops|schema|tests"
PLACE = re.compile(rf"(?<![\w./*-])(?:{FLOORS})/[\w./*-]*[\w*]")
STANDS_FOR_A_NAME = re.compile(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z]*\.md)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def texts_of(source):
    """(offset, text) of what is written for people."""
    if source.kind == "c":
        for match in COMMENT.finditer(source.text):
            yield match.start(), match[0]
    elif source.kind == "markdown":
        yield 0, source.text
    elif source.kind in ("python", "shell") and not source.path.startswith("tests/"):
        yield 0, source.text
    elif source.kind == "sql" and not source.path.startswith("schema/migrations/"):
        yield 0, source.text


def is_there(place):
    return os.path.exists(place) or bool(glob.glob(place + ("" if "*" in place else ".*")))


def check(sources):
    for source in sources:
        for offset, text in texts_of(source):
            for match in PLACE.finditer(text):
                place = match[0]
                if not STANDS_FOR_A_NAME.search(place) and not is_there(place):
                    yield (source.path, source.line_at(offset + match.start()),
                           f"{place} is named and is not there")
