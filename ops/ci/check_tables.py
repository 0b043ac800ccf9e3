"""A line of a table of the code does what it says: somebody reads the key, gives the reason, tells
the fact. A line that was added alone would be shown, hashed and explained, and would do nothing.
"""

import re

ROW = re.compile(r"^ +X\((\w+),((?:.*\\\n(?! +X\())*.*)", re.M)
GATE_POLICY = "compare/policy/gate_policy.h"
REASONS = "schema/documents/verdict_reasons.h"
FACTS = "schema/documents/provenance_fields.h"
OF_OLDER_RULES = '"of older rules:'


def rows_of(source, table):
    """(line, name, what else stands in the row) of an X-macro table."""
    start = source.text.find(f"#define {table}(X)")
    end = re.compile(r"[^\\]\n").search(source.text, max(start, 0))
    if start < 0 or end is None:
        return
    for match in ROW.finditer(source.text, start, end.end()):
        yield source.line_at(match.start()), match[1], match[2]


def c_text(sources, *folders):
    return "\n".join(source.text for source in sources
                     if source.kind == "c" and source.path.startswith(folders))


def check(sources):
    tables = {source.path: source for source in sources
              if source.path in (GATE_POLICY, REASONS, FACTS)}
    if len(tables) < 3:
        return
    judging = c_text(sources, "compare/")
    telling = c_text(sources, "ingest/", "ops/", "compare/provenance/", "compare/runs/")
    read = set(re.findall(r"(?:->|\.)(\w+)", judging))
    quoted = set(re.findall(r'"(\w+)"', judging))
    told = set(re.findall(r'"(\w+)"', telling)) | set(re.findall(r"\bFIELD_(\w+)", telling))
    told |= set(re.findall(r"\bX\([A-Z0-9_]+, (\w+),", telling))
    for table in ("GATE_POLICY_NUMBERS", "GATE_POLICY_OUTCOMES"):
        for line, name, _ in rows_of(tables[GATE_POLICY], table):
            if name not in read:
                yield (GATE_POLICY, line, f"nothing in compare/ reads policy->{name}: the key "
                       "would be shown and hashed, and decide nothing")
    for line, name, rest in rows_of(tables[REASONS], "VERDICT_REASONS"):
        if name not in quoted and OF_OLDER_RULES not in rest:
            yield (REASONS, line, f"nothing in compare/ gives the reason \"{name}\"; one that only "
                   "old verdicts have begins with \"of older rules:\"")
    for line, name, _ in rows_of(tables[FACTS], "PROVENANCE_FIELDS"):
        if name not in told:
            yield (FACTS, line, f"nothing tells the fact {name}: a line of CAPTURE_VARIABLES "
                   "(ops/flow/collect/capture_env.h), of stat_facts (ingest/tables/environment.c) "
                   "or of fact_places (ops/net/wandb/config_facts.c)")
