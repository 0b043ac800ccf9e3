"""A text of a function's own is asked whether it failed, or handed to what asks.

One that is used otherwise, cut at its maximum, passes for a whole one; one without a maximum
(SIZE_MAX) is always whole. Those that ask are the functions of ops/runtime/text.h that say so, a
call that can fail itself (it takes an `err`, it is returned, it is negated), a member that it is
handed over in.
"""

import re

BODY = re.compile(r"(?ms)^[a-z][^\n;]*\([^;{]*\)\n\{\n(.*?)^\}")
OWN = re.compile(r"\bscoped_text ([\w, ]+?)(?: = \{0\})?;")
ASKED = r"""
    \btext_init\(&{0},\sSIZE_MAX\)
  | \b{0}\.failed\b
  | \b(text_ok|text_keep|text_keep_start|text_shown|text_take|json_of_text)\(&{0}\b
  | \b(text_fail_as|text_add_text)\([^;]*&{0}\b
  | &{0}\b[^;{{}}]*\b(err|NULL)\)
  | \breturn\b[^;]*&{0}\b
  | !\w+\([^;]*&{0}\b
  | =\s&{0}\b
"""


def check(sources):
    for source in sources:
        if source.kind != "c" or source.path.startswith(("tests/", "ops/runtime/text.")):
            continue
        for body in BODY.finditer(source.code):
            for own in OWN.finditer(body[1]):
                for name in re.findall(r"\w+", own[1]):
                    if not re.search(ASKED.format(name), body[1], re.X):
                        yield (source.path, source.line_at(body.start(1) + own.start()),
                               f"text {name} is not asked whether it failed")
