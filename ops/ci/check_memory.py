"""Memory comes from an arena, or from the functions of ops/runtime/arena.h, and is never NULL.

malloc and its kin are called where those are implemented alone; what an arena gave is not compared
with NULL, for that comparison tells a reader of a failure that there is none of.
"""

import re

KIN = {"malloc": "memory_alloc", "calloc": "memory_zalloc", "realloc": "memory_resize",
       "strdup": "memory_strdup or arena_strdup", "strndup": "arena_strndup",
       "asprintf": "arena_printf"}
CALL = r"(?<![\w.>])(" + "|".join(KIN) + r")\("
THEIR_OWN = ("ops/runtime/arena.", "ops/runtime/json.")
# arena_strdup is NULL for NULL, and left out.
GIVEN = re.compile(
    r"([\w>.\[\]*-]+) = \(?\s*(?:\([^()]*\)\s*)?"
    r"(arena_(?:alloc|zalloc|new|array|strndup|printf|vprintf|grow)|path_join|text_keep_start"
    r"|memory_(?:alloc|zalloc|resize|strdup)|harmless_copy)\(")
WITHIN = 700  # characters, to the end of the function at most


def check_given(source):
    for given in GIVEN.finditer(source.code):
        name = re.escape(given[1].lstrip("*"))
        if re.search(rf"(?<![\w>.])\*?{name} = NULL\b",
                     source.code[:given.start()].rsplit("\n}\n", 1)[-1]):
            continue  # the comparison asks whether anything was said at all
        rest = source.code[given.end():given.end() + WITHIN].split("\n}\n")[0]
        asked = re.search(rf"(?<![\w>.])\*?{name} [!=]= NULL", rest)
        if asked:
            yield (source.path, source.line_at(given.end() + asked.start()),
                   f"{given[2]} never gives NULL; ask arena_ok at the end of the stage")


def check(sources):
    for source in sources:
        if source.kind != "c" or source.path.startswith("tests/"):
            continue
        if not source.path.startswith(THEIR_OWN):
            for line, call in source.find_code(CALL):
                yield source.path, line, f"{call[1]} can give NULL; use {KIN[call[1]]}"
        yield from check_given(source)
