"""The look of text files and the comments they owe: a header in every file, a contract at every
extern prototype. Whether a comment says enough is for a reader to judge.
"""

import pathlib
import re

# Kind, how the comment that opens a file of that kind begins.
OPENINGS = {
    "c": r"/\*",
    "python": r'"""|# \S',
    "shell": r"# \S|#$",
    "sql": r"-- \S",
    "awk": r"# \S",
    "proto": r"// \S|/\*",
    "make": r"# \S",
}
TABS_ALLOWED = ("make", "other")
# A statement at file scope of a header: no body, no initializer, and a parameter list.
PROTOTYPE = re.compile(r"^(?!typedef\b|static\b|struct\s+\w+\s*\{)[\w\s*]+?\b\w+\s*\(", re.S)


def check_whitespace(source):
    for number, line in enumerate(source.lines, 1):
        if line != line.rstrip():
            yield source.path, number, "white space at the end of the line"
        if "\t" in line and source.kind not in TABS_ALLOWED:
            yield source.path, number, "tab; indent with four spaces"
    if source.text and (not source.text.endswith("\n") or source.text.endswith("\n\n")):
        yield source.path, len(source.lines), "a file ends in exactly one new-line"


def check_opening(source):
    """A .c file that begins with its own header says by that what it is."""
    own = rf'#include "(\S+/)?{pathlib.PurePath(source.path).stem}\.h"'
    if source.kind == "c" and re.match(own, source.text):
        return
    body = source.text.partition("\n")[2] if source.text.startswith("#!") else source.text
    opening = OPENINGS.get(source.kind)
    if opening and source.text.strip() and not re.match(opening, body):
        yield source.path, 1, "no header comment that says what this file is"


def statements_of(code):
    """(start, text) of what ends in `;` outside braces; preprocessor lines count as blank."""
    code = re.sub(r"(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: re.sub(r"[^\n]", " ", m[0]), code)
    depth = start = 0
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
        if depth == 0 and match[0] in "};":
            text = code[start:match.end()]
            yield start + len(text) - len(text.lstrip()), text.strip()
            start = match.end()


def check_contracts(source):
    """The comment stands right above the prototype, or opens the paragraph that it closes."""
    for start, text in statements_of(source.code):
        if not PROTOTYPE.match(text) or "{" in text:
            continue
        first = source.line_at(start)
        paragraph = source.text[:start].rpartition("\n\n")[2]
        if not paragraph.startswith("/*") and not paragraph.rstrip().endswith("*/"):
            name = re.search(r"(\w+)\s*\(", text)[1]
            yield source.path, first, f"{name} has no contract comment above it"


def check(sources):
    for source in sources:
        if source.kind != "markdown":
            yield from check_opening(source)
        yield from check_whitespace(source)
        if source.path.endswith(".h"):
            yield from check_contracts(source)
