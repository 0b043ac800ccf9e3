"""Answers to questions about a summary (section 17).

Written from the specification, and where that is silent from what the reference tool does; it
shares nothing with the program.
"""

import re

SEPARATOR = "=>"
QUOTES = "`\"'?.!, "
LEAD = re.compile(r"(op|operation)\s+", re.IGNORECASE)
TOKEN = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]*\.\d+\b")
CONTEXT_WORDS = ("for", "of", "op")
BOUND = ("The current summary is derived from trace timings and does not include hardware-counter "
         "evidence needed for memory-vs-compute bound classification.")
COMPARE = "Use compare_profile_summaries(before, after) to measure regressions/improvements."


def cleaned(text):
    for _ in range(2):
        text = text.strip().strip(QUOTES)
    return LEAD.sub("", text, count=1) if LEAD.match(text) else text


def target_after(question, word):
    match = re.search(rf"\b{word}\b(.*)", question, re.IGNORECASE | re.DOTALL)
    return cleaned(match[1]) if match else ""


def first_match(rows, target, members):
    """Rows with a member equal to the target, else those with one that contains it."""
    wanted = target.lower()
    equal = [row for row in rows if any(row[name].lower() == wanted for name in members)]
    return equal or [row for row in rows if any(wanted in row[name].lower() for name in members)]


def contexts_of(summary, target, top_k):
    """The target is cleaned once more here, so that `op op x` finds x."""
    rows = summary["gap_region_contexts"]
    return first_match(rows, cleaned(target), ("op_name",))[:top_k]


def top_ops(summary, question, top_k):
    return {"query_type": "top_ops", "results": summary["hot_ops"][:top_k]}


def compute_or_communication(summary, question, top_k):
    shares = [summary["time_breakdown"][name]["share_of_total"]
              for name in ("compute", "communication")]
    return {"query_type": "compute_vs_communication",
            "dominant": "communication" if shares[1] > shares[0] else "compute",
            "compute_share": shares[0], "communication_share": shares[1],
            "communication_breakdown": summary["communication_ops"][:top_k]}


def collectives(summary, question, top_k):
    return {"query_type": "collective_breakdown", "results": summary["communication_ops"][:top_k]}


def gaps(summary, question, top_k):
    answer = {"query_type": "pre_op_gap", "top_gaps": summary["gap_before_ops"][:top_k]}
    target = target_after(question, "before")
    if target:
        found = first_match(summary["gap_before_ops"], target, ("name", "payload_op", "marker_op"))
        answer.update(target=target, match=found[0] if found else None,
                      context=contexts_of(summary, target, top_k))
    return answer


def contexts(summary, question, top_k):
    targets = [target_after(question, word) for word in CONTEXT_WORDS]
    token = TOKEN.search(question)
    target = next(filter(None, targets), token[0] if token else None)
    rows = summary["gap_region_contexts"][:top_k]
    if target is not None:
        rows = contexts_of(summary, target, top_k)
    return {"query_type": "gap_region_context", "target": target, "results": rows}


def region_shares(rows):
    """Every region with its shares of the root of its path."""
    roots = {row["path"]: max(0.0, row["inclusive_duration"]) for row in rows
             if row["depth"] == 1}
    largest = max(roots.values(), default=0.0)
    for row in rows:
        base = roots.get(row["path"].split(SEPARATOR)[0], largest)
        yield {**row,
               "inclusive_share_of_total": row["inclusive_duration"] / base if base > 0 else 0.0,
               "exclusive_share_of_total": row["exclusive_duration"] / base if base > 0 else 0.0}


def regions(summary, question, top_k):
    return {"query_type": "hierarchical_regions",
            "results": list(region_shares(summary["hierarchical_regions"]))[:top_k]}


def bound(summary, question, top_k):
    return {"query_type": "bound_analysis", "result": "unsupported_from_trace_only",
            "details": BOUND}


def comparison_hint(summary, question, top_k):
    return {"query_type": "comparison_hint", "details": COMPARE}


def candidates(summary, question, top_k):
    return {"query_type": "optimization_candidates",
            "results": summary["optimization_candidates"]}


# Each rule: groups of words, one of every group must be in the question; and the answer.
RULES = (
    ((("top",), ("op",)), top_ops),
    ((("comm", "collective"), ("compute", "dominating", "dominant", "worst")),
     compute_or_communication),
    ((("collective", "communication"),), collectives),
    ((("gap",), ("before",)), gaps),
    ((("context",), ("gap", "op", "copy")), contexts),
    ((("region", "hierarch"),), regions),
    ((("memory-bound", "compute-bound"),), bound),
    ((("improve", "regress", "compare"),), comparison_hint),
    ((), candidates),
)


def answer_of(summary, question, top_k=10):
    """The answer of `query` for a summary that was read (reading.summary_read)."""
    lower = question.lower()
    for groups, answer in RULES:
        if all(any(word in lower for word in group) for group in groups):
            return answer(summary, question, top_k)
    raise AssertionError("the last rule takes every question")
