"""What is cleaned up at the end of its block is made before anything leaves the block.

Who returns between `scoped_text text;` and the call that makes it, or leaves the turn of a loop,
frees what lies on the stack by chance. It is made where it is declared, or behind the ways out.
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
                way_out = re.search(r"\b(return|continue|break)\b[^;]*;", before)
                if way_out:
                    yield (source.path, source.line_at(declared.start(1)),
                           f"{name} is cleaned up by a {way_out[1]} before it is made")
