"""What is cleaned up at the end of its block is made before anything leaves the block.

A function that returns between `scoped_text text;` and the call that makes it frees what lies on
the stack by chance. It is made where it is declared, or behind the ways out.
"""

import re

DECLARED = re.compile(r"\n[ \t]+scoped_\w+ (\w+(?:\[\w*\])?(?:, \w+)*);")


def check(sources):
    for source in sources:
        if source.kind != "c":
            continue
        for declared in DECLARED.finditer(source.code):
            rest = source.code[declared.end():].partition("\n}")[0]
            for name in re.findall(r"\w+", declared[1]):
                before = re.split(rf"\b{name}\b", rest, maxsplit=1)[0]
                if re.search(r"\breturn\b[^;]*;", before):
                    yield (source.path, source.line_at(declared.start(1)),
                           f"{name} is cleaned up by a return before it is made")
