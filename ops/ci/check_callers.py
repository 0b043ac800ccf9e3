"""A function that a header of the product declares is called by the product: what only tests call
stands in the tests, what only its own file calls is static."""

import collections
import re

DECLARED = re.compile(r"(?m)^(?!static|typedef|extern)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)[^;{}]*;")
DEFINED = re.compile(r"(?m)^(?!static|typedef|extern)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\n\{")


def check(sources):
    product = [s for s in sources if s.kind == "c" and not s.path.startswith("tests/")]
    words = collections.Counter()
    defined = set()
    for source in product:
        words.update(re.findall(r"\b[a-z]\w+\b", source.code))
        defined.update(DEFINED.findall(source.code))
    for source in product:
        if not source.path.endswith(".h"):
            continue
        for line, match in source.find_code(DECLARED):
            if match[1] in defined and words[match[1]] == 2:  # declared and defined
                yield source.path, line, f"{match[1]} is called by nothing but tests"
