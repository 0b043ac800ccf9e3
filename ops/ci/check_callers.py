"""A function that a header of the product declares is called by another file of the product: what
only tests call stands in the tests, what only its own file calls is static, unless a test calls it.
"""

import collections
import re

DECLARED = re.compile(r"(?m)^(?!static|typedef|extern)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)[^;{}]*;")
DEFINED = re.compile(r"(?m)^(?!static|typedef|extern)[A-Za-z_][\w *]*?\b(\w+)\([^;{}]*\)\s*\n\{")
WORD = re.compile(r"\b[a-z]\w+\b")


def check(sources):
    code = [s for s in sources if s.kind == "c"]
    product = [s for s in code if not s.path.startswith("tests/")]
    words, files = collections.Counter(), collections.Counter()
    defined = set()
    for source in code:
        files.update(set(WORD.findall(source.code)))
    for source in product:
        words.update(WORD.findall(source.code))
        defined.update(DEFINED.findall(source.code))
    for source in product:
        if not source.path.endswith(".h"):
            continue
        for line, match in source.find_code(DECLARED):
            name = match[1]
            only_own = files[name] == 2 and WORD.findall(source.code).count(name) == 1
            if name in defined and words[name] == 2:  # declared and defined
                yield source.path, line, f"{name} is called by nothing but tests"
            elif name in defined and only_own:  # no macro of the header calls it either
                yield source.path, line, f"{name} is called by its own file alone: make it static"
