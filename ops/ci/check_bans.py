"""What must not appear: unsafe functions, types that hide, names that say nothing, this machine.

The functions are those that overflow, that keep hidden state between threads, or that cannot report
an error; each has a better one beside it in the message.
"""

import re

FUNCTIONS = {
    "strcpy": "text_append or memcpy with a size",
    "strcat": "text_append",
    "sprintf": "snprintf",
    "strtok": "strcspn",
    "atoi": "text's parsers, which report errors",
    "gmtime": "gmtime_r",
    "localtime": "localtime_r",
    "rand": "getrandom, or a seed of one's own",
    "alloca": "an arena",
    "setjmp": "a returned error",
    "longjmp": "a returned error",
}
CALL = r"\b(" + "|".join(FUNCTIONS) + r")\s*\("
# The only column of a result is 0; among several each has the name that its statement gives it.
COLUMN = r"\b(?:result_\w+|PQgetvalue|PQgetlength)\([\w>-]+, [^,;]+, [1-9]\d*[,)]"
# What a transaction is made of; tests look in between.
BY_HAND = r"\bdb_(?:begin|commit|rollback)\("
MADE_OF_IT = ("history/db.h", "history/chain/transaction.c", "tests/")
TYPEDEF = r"\btypedef\b[^;({]*[;{]"
EMPTY_NAMES = re.compile(r"(?:^|[_.-])(utils?|helpers?|common|misc|managers?)(?:[_.-]|$)")
TOP_LEVEL = {"Makefile", "README.md", "LICENSE", "CHANGELOG.md", "ingest", "compare", "history",
             "schema", "alerts", "tests", "ops"}
# A path of the machine someone worked on; the brackets keep this line from finding itself.
# A text that is not in the repository.
CITED = re.compile(r"(?<![\w./-])(?:\.\./)*spec/\w+\.(?:md|py|sql)")
MACHINE = re.compile(r"/wor[k]/|/roo[t]/|/hom[e]/\w|/User[s]/\w")


def check_names(path):
    top = path.partition("/")[0]
    if top not in TOP_LEVEL and not top.startswith("."):
        yield path, 1, f"'{top}' has no place at the top level, which is fixed"
    for part in path.split("/"):
        word = EMPTY_NAMES.search(part)
        if word:
            yield path, 1, f"'{word[1]}' says nothing; name the subject"


def check_code(source):
    for line, call in source.find_code(CALL):
        yield source.path, line, f"{call[1]} is banned; use {FUNCTIONS[call[1]]}"
    for line, _ in source.find_code(COLUMN) if source.path.startswith("history/") else ():
        yield source.path, line, "a column has a name: C_ and those of its statement and itself"
    for line, _ in source.find_code(BY_HAND) if not source.path.startswith(MADE_OF_IT) else ():
        yield source.path, line, "a transaction is a scoped_transaction (history/db.h)"
    for line, _ in source.find_code(TYPEDEF):
        yield source.path, line, "typedef is for function types alone; write struct or enum"


def check(sources):
    for source in sources:
        yield from check_names(source.path)
        if source.kind == "c":
            yield from check_code(source)
        for number, line in enumerate(source.lines, 1):
            place = MACHINE.search(line)
            if place:
                yield source.path, number, f"'{place[0]}' is a path of one machine"
            cited = CITED.search(line) if not source.path.startswith("ops/ci/") else None
            if cited:
                yield (source.path, number, f"'{cited[0]}' is not in the repository: the fact "
                       "itself goes into the comment, or into the README.md of the folder")
