"""Sizes: lines of a file and of a function, columns, parameters (without `err`), nesting.

Functions of C files come from universal-ctags (its `end` and `signature` fields), those of Python
files from Python's own parser. Nesting is read off the indentation, which clang-format guarantees.
"""

import ast
import re
import subprocess

FILE_LINES = 500
FUNCTION_LINES, FUNCTION_LINES_AIM = 100, 60
COLUMNS = 100
PARAMETERS = 5
# Callbacks whose parameters are not our choice: of libmicrohttpd, of sqlite3_set_authorizer.
LIBRARY_SIGNATURES = ("struct MHD_Connection *", "const char * trigger")
NESTING = 3
TOO_DEEP = re.compile(r"^ {%d,}(if|for|while|do|switch)\b" % (4 * (NESTING + 1)))
CTAGS = ["ctags", "-x", "--languages=C", "--langmap=C:.c.h", "--kinds-C=fp",
         "--_xformat=%{input}|%{line}|%{end}|%{name}|%{signature}"]


def parameter_count(signature):
    inside = signature.strip()[1:-1]
    flat = ""
    while flat != inside:  # parameters of parameters do not count
        flat, inside = inside, re.sub(r"\([^()]*\)", "", inside)
    names = [part.strip() for part in flat.split(",")]
    return len([name for name in names if name not in ("", "void", "...", "struct err * err")])


def length_finding(path, name, start, end):
    length = end - start + 1
    if length > FUNCTION_LINES:
        return path, start, f"{name} is {length} lines long; at most {FUNCTION_LINES}"
    if length > FUNCTION_LINES_AIM:
        return path, start, f"warning: {name} is {length} lines long; aim at {FUNCTION_LINES_AIM}"
    return None


def check_c(paths):
    """Functions and prototypes alike: a prototype is a function of one or two lines here."""
    if not paths:
        return
    tags = subprocess.run([*CTAGS, *paths], capture_output=True, text=True, check=True).stdout
    for tag in tags.splitlines():
        path, line, end, name, signature = tag.split("|", 4)
        count = parameter_count(signature)
        if count > PARAMETERS and not any(word in signature for word in LIBRARY_SIGNATURES):
            yield path, int(line), f"{name} takes {count} parameters; at most {PARAMETERS}"
        yield length_finding(path, name, int(line), int(end or line))


def check_python(source):
    try:
        tree = ast.parse(source.text)
    except SyntaxError:  # check_tools reports it
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield length_finding(source.path, node.name, node.lineno, node.end_lineno)


def check_lines(source):
    count = len(source.lines) - 1
    if count > FILE_LINES:
        yield source.path, count, f"{count} lines; a file has at most {FILE_LINES}"
    for number, line in enumerate(source.lines, 1):
        width = len(line.expandtabs(4))
        if width > COLUMNS:
            yield source.path, number, f"{width} columns; at most {COLUMNS}"
        if source.kind == "c" and TOO_DEEP.match(line):
            yield source.path, number, f"nested deeper than {NESTING}"


def check(sources):
    for source in sources:
        if source.kind not in ("markdown", "other"):
            yield from check_lines(source)
        if source.kind == "python":
            yield from filter(None, check_python(source))
    yield from filter(None, check_c([s.path for s in sources if s.kind == "c"]))
