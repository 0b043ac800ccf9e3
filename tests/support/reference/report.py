"""The report of a summary as Markdown (section 20).

Written from the specification, and where that is silent from what the reference tool does; it
shares nothing with the program. Names are made harmless as ops/runtime/text_harmless.h says, where
the reference tool prints them as they are.
"""

import re

from .query import region_shares
from .reading import CATEGORIES

NOTE = ("_Note: FLOP proxy metrics are relative scaling heuristics from trace shapes, not hardware "
        "MFU._")
RUN_IDS, PAYLOAD_OPS = 8, 3


def number(value):
    return "n/a" if value is None else f"{value:.3f}"


def percent(share):
    return f"{share * 100:.2f}%"


HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e"
                    "\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]")
CODE = re.compile(r"(?<!`)`[^`]+`(?!`)")
PROSE = re.compile(r"[<\\`]|\](?=[(\[:])|@|:(?=//)|w(?=ww\.)")
PROSE_MARKS = {"<": "&lt;", "\\": "&#92;", "`": "&#96;", "]": "&#93;"}


def line(text):
    """One line without what is hidden, in which no CI system finds a command."""
    text = re.sub(r"(?:^|(?<=\s))(?=::[A-Za-z])", r"\\", text)
    text = re.sub(r"(##[A-Za-z]*)\[", r"\1\\[", text)
    return HIDDEN.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


def prose(text):
    """A sentence that may hold marks, but no raw HTML, link or mention."""
    def outside(part):
        return PROSE.sub(lambda found: PROSE_MARKS.get(found[0], f"{found[0]}<!-- -->"), part)
    text, parts, last = line(text), [], 0
    for found in CODE.finditer(text):
        parts += [outside(text[last:found.start()]), found[0]]
        last = found.end()
    return "".join(parts) + outside(text[last:])


def bar(found):
    """An odd number of backslashes stands before it."""
    return found[1] + "\\" * (1 + len(found[1]) % 2) + "|"


def span(text):
    """A code span for a cell: no backtick ends it, no bar."""
    text = line(str(text)).replace("`", "'")
    return "`" + re.sub(r"(\\*)\|", bar, text) + "`"


def known(text):
    return span(text or "unknown")


def value_lines(pairs):
    return [f"- {label}: {value}" for label, value in pairs]


def table(columns, rows):
    """`columns`: headings, those of numbers ending in `:`."""
    heads = [column.rstrip(":") for column in columns]
    rules = ["---:" if column.endswith(":") else "---" for column in columns]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(rules)}|"]
    return lines + [f"| {' | '.join(map(str, row))} |" for row in rows]


def metadata(summary, top_k):
    run = summary["run_metadata"]
    return ["## Run Metadata", *value_lines((
        ("Run", known(run["run_path"])), ("Artifact", known(run["artifact_ref"])),
        ("Hardware", known(run["hardware_type"])), ("Topology", known(run["mesh_or_topology"])),
        ("Git SHA", known(run["git_sha"])),
        ("Generated At (UTC)", span(summary["generated_at_utc"]))))]


def provenance(summary, top_k):
    trace = summary["trace_provenance"]
    return ["## Trace Provenance", *value_lines((
        ("Trace SHA256", known(trace["trace_sha256"])),
        ("Observed run_ids", known(", ".join(trace["run_ids"][:RUN_IDS])))))]


def overview(summary, top_k):
    trace = summary["trace_overview"]
    lines = value_lines((
        ("Complete events", span(trace["num_complete_events"])),
        ("Total events", span(trace["num_events_total"])),
        ("Processes", span(trace["num_processes"])), ("Threads", span(trace["num_threads"])),
        ("Suspected truncation", span("yes" if trace["suspected_truncation"] else "no"))))
    if trace["quality_warnings"]:
        lines += ["- Quality warnings:",
                  *(f"  - {prose(text)}" for text in trace["quality_warnings"])]
    return ["## Trace Overview", *lines]


def step_time(summary, top_k):
    steady = summary["step_time"]["steady_state_steps"]
    return ["## Step Time (Steady State)", *value_lines((
        ("Steps counted", span(steady["count"])), ("Median", span(number(steady["median"]))),
        ("P90", span(number(steady["p90"]))), ("Mean", span(number(steady["mean"])))))]


def whole(value):
    return "n/a" if value is None else value


def step_classes(summary, top_k):
    rows = [(span(item["name"]), item["count"], percent(item["fraction_of_steady"]),
             number(item["duration_stats"]["median"]), number(item["duration_stats"]["p90"]),
             whole(item["representative_step"]), whole(item["periodicity"]))
            for item in summary["step_time"]["classes"]]
    columns = ("Class", "Count:", "Fraction:", "Median:", "P90:", "Representative Step:",
               "Periodicity:")
    return ["## Step Classes", *table(columns, rows)] if rows else []


def breakdown(summary, top_k):
    times = summary["time_breakdown"]
    rows = [(name.capitalize(), number(times[name]["total_duration"]),
             percent(times[name]["share_of_total"])) for name in CATEGORIES]
    return [f"## Time Breakdown (`{times['duration_basis']}`)",
            *table(("Category", "Duration:", "Share:"), rows)]


def regions(summary, top_k):
    rows = [(span(row["path"]), row["depth"], row["count"], number(row["inclusive_duration"]),
             percent(row["inclusive_share_of_total"]), number(row["exclusive_duration"]),
             percent(row["exclusive_share_of_total"]))
            for row in region_shares(summary["hierarchical_regions"])]
    return ["## Hierarchical Regions",
            *table(("Region Path", "Depth:", "Count:", "Inclusive:", "Inclusive %:", "Exclusive:",
                    "Exclusive %:"), rows[:top_k])]


def top_ops(summary, top_k):
    rows = [(span(op["name"]), span(op["canonical_name"]), op["category"], op["count"],
             number(op["exclusive_duration"]), number(op["avg_duration"]),
             span(op["shape_signature"] or "n/a")) for op in summary["hot_ops"][:top_k]]
    return ["## Top Ops", *table(("Op", "Canonical", "Category", "Count:", "Exclusive:", "Avg:",
                                  "Shape Signature"), rows)]


def rate(time_per_flop):
    return "n/a" if time_per_flop is None or time_per_flop <= 0 else f"{1 / time_per_flop:.3e}"


def families(summary, top_k):
    rows = [(span(row["family"]), row["count"], number(row["exclusive_duration"]),
             percent(row["share_of_total"]), number(row["avg_exclusive_duration"]),
             number(row["flop_proxy_total"]), rate(row["time_per_flop_proxy"]),
             span(row["example_op"] or "n/a")) for row in summary["semantic_families"][:top_k]]
    return ["## Semantic Families", NOTE,
            *table(("Family", "Count:", "Exclusive:", "Share:", "Avg Exclusive:",
                    "FLOP Proxy Total:", "FLOP Proxy/s:", "Example Op"), rows)]


def collectives(summary, top_k):
    rows = [(row["collective"], row["count"], number(row["total_duration"]),
             number(row["avg_duration"])) for row in summary["communication_ops"][:top_k]]
    return ["## Communication Collectives",
            *table(("Collective", "Count:", "Exclusive:", "Avg:"), rows)]


def gaps(summary, top_k):
    rows = [(span(row["payload_op"]), span(row["marker_op"]), row["count"],
             number(row["total_gap_duration"]), number(row["max_gap_duration"]),
             number(row["avg_gap_duration"])) for row in summary["gap_before_ops"][:top_k]]
    return ["## Pre-Op Gaps", *table(("Payload Op", "Marker Op", "Count:", "Total Gap:",
                                      "Max Gap:", "Avg Gap:"), rows)]


def contexts_by_region(rows):
    """region → [count, total, {op: count}], contexts in their order."""
    found = {}
    for row in rows:
        region = found.setdefault(row["region_path"], [0, 0.0, {}])
        region[0] += row["count"]
        region[1] += row["total_gap_duration"]
        region[2][row["op_name"]] = region[2].get(row["op_name"], 0) + row["count"]
    return sorted(found.items(), key=lambda item: (-item[1][1], item[0]))


def contexts(summary, top_k):
    rows = []
    for path, (count, total, ops) in contexts_by_region(summary["gap_region_contexts"])[:top_k]:
        most = sorted(ops, key=lambda name: -ops[name])[:PAYLOAD_OPS]
        average = total / count if count else 0.0
        rows.append((span(path), count, number(total), number(average),
                     span(", ".join(most) or "n/a")))
    return ["## Gap Context (Region-First)",
            *table(("Region Path", "Count:", "Total Gap:", "Avg Gap:", "Top Payload Ops"), rows)]


def candidate(item):
    return [f"### {prose(item['title'])}", prose(item["rationale"]), "", "Evidence:",
            *(f"- {prose(text)}" for text in item["evidence"]), "", "Suggestions:",
            *(f"- {prose(text)}" for text in item["suggestions"])]


def candidates(summary, top_k):
    lines = ["## Optimization Candidates"]
    for index, item in enumerate(summary["optimization_candidates"]):
        lines += ([""] if index else []) + candidate(item)
    return lines


SECTIONS = (metadata, provenance, overview, step_time, step_classes, breakdown, regions, top_ops,
            families, collectives, gaps, contexts, candidates)


def report_of(summary, top_k=10):
    """The report of a summary that was read (reading.summary_read), ending in a line end."""
    blocks = [[f"# Profile Report ({summary['schema_version']})"]]
    blocks += [section(summary, top_k) for section in SECTIONS]
    return "\n\n".join("\n".join(block) for block in blocks if block).rstrip() + "\n"
