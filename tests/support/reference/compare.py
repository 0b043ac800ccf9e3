"""What changed from one summary to another, and whether it may be asked (section 18).

Written from the specification, and where that is silent from what the reference tool does; it
shares nothing with the program.
"""

from .names import family_of, flop_proxy
from .reading import CATEGORIES, families_rebuilt

STEP_MEASURES = ("median", "p90")
SAME_TRACE = "Before and after summaries point to identical trace content (matching SHA256)."
SAME_PATH = "Before and after summaries have the same source_path."
SAME_RUN = "Before and after summaries have the same W&B run_id."
SAME_ARTIFACT = "Before and after summaries reference the same W&B artifact."
NO_HASH = "One or both summaries are missing trace SHA256 provenance."


def delta(before, after):
    return None if before is None or after is None else after - before


def ratio(before, after):
    return None if before is None or after is None or before <= 0 else after / before


def percent(before, after):
    found = ratio(before, after)
    return None if found is None else (after - before) / before * 100


def step_time_delta(before, after):
    found = {}
    for name in STEP_MEASURES:
        values = [side["step_time"]["steady_state_steps"][name] for side in (before, after)]
        key = f"steady_state_{name}"
        found.update({f"{key}_before": values[0], f"{key}_after": values[1],
                      f"{key}_delta": delta(*values)})
    return found


def class_row(item):
    return {"name": item["name"], "count": item["count"],
            "fraction_of_steady": item["fraction_of_steady"],
            "median_duration": item["duration_stats"]["median"],
            "p90_duration": item["duration_stats"]["p90"],
            "representative_step": item["representative_step"],
            "representative_duration": item["representative_duration"],
            "periodicity": item["periodicity"]}


NO_CLASS = {"count": 0, "fraction_of_steady": 0.0, "median_duration": None}


def class_delta(name, before, after):
    medians = before["median_duration"], after["median_duration"]
    return {"name": name, "before_count": before["count"], "after_count": after["count"],
            "before_fraction": before["fraction_of_steady"],
            "after_fraction": after["fraction_of_steady"],
            "median_before": medians[0], "median_after": medians[1],
            "median_delta": delta(*medians), "median_regression_pct": percent(*medians)}


def classes_delta(before, after):
    rows = [[class_row(item) for item in side["step_time"]["classes"]] for side in (before, after)]
    named = [{row["name"]: row for row in side} for side in rows]
    names = sorted(set(named[0]) | set(named[1]))
    return {"before": rows[0], "after": rows[1],
            "delta": [class_delta(name, named[0].get(name, NO_CLASS), named[1].get(name, NO_CLASS))
                      for name in names]}


def ops_delta(before, after, top_k):
    times = [{op["name"]: op["exclusive_duration"] for op in side["hot_ops"]}
             for side in (before, after)]
    rows = []
    for name in set(times[0]) | set(times[1]):
        pair = times[0].get(name, 0.0), times[1].get(name, 0.0)
        rows.append({"name": name, "before": pair[0], "after": pair[1], "delta": delta(*pair)})
    worse = sorted((row for row in rows if row["delta"] > 0),
                   key=lambda row: (-row["delta"], row["name"]))
    better = sorted((row for row in rows if row["delta"] < 0),
                    key=lambda row: (row["delta"], row["name"]))
    return worse[:top_k], better[:top_k]


def with_proxies(summary):
    """For rebuilding families: an op without a proxy gets the one of its shape signature."""
    ops = []
    for op in summary["hot_ops"]:
        proxy = op["flop_proxy_per_invocation"]
        if proxy is None:
            proxy = flop_proxy(family_of(op["name"]), op["shape_signature"])
        ops.append({**op, "flop_proxy_per_invocation": proxy, "shape_signature": None})
    return {**summary, "hot_ops": ops}


def families_named(summary):
    own = summary["semantic_families"]
    families = own or families_rebuilt(with_proxies(summary))
    if not own:
        families = [row if (row["flop_proxy_total"] or 0) > 0
                    else {**row, "flop_proxy_total": None, "time_per_flop_proxy": None}
                    for row in families]
    return {row["family"]: row for row in families}


NO_FAMILY = {"exclusive_duration": 0.0, "flop_proxy_total": None, "time_per_flop_proxy": None,
             "example_op": None, "dominant_shape_signature": None}


def family_delta(name, before, after):
    def pair(member):
        return before[member], after[member]

    times, flops = pair("exclusive_duration"), pair("flop_proxy_total")
    per_flop, examples = pair("time_per_flop_proxy"), pair("example_op")
    shapes = pair("dominant_shape_signature")
    time_ratio, flop_ratio = ratio(*times), ratio(*flops)
    return {"family": name, "before_exclusive_duration": times[0],
            "after_exclusive_duration": times[1], "exclusive_duration_delta": delta(*times),
            "exclusive_regression_pct": percent(*times), "before_flop_proxy_total": flops[0],
            "after_flop_proxy_total": flops[1], "flop_proxy_ratio": flop_ratio,
            "before_time_per_flop_proxy": per_flop[0], "after_time_per_flop_proxy": per_flop[1],
            "time_per_flop_regression_pct": percent(*per_flop), "time_ratio": time_ratio,
            "work_ratio": flop_ratio,
            "efficiency_ratio": time_ratio / flop_ratio if flop_ratio and time_ratio is not None
            else None,
            "example_before": examples[0], "example_after": examples[1],
            "shape_signature_before": shapes[0], "shape_signature_after": shapes[1]}


def families_delta(before, after):
    named = families_named(before), families_named(after)
    return [family_delta(name, named[0].get(name, NO_FAMILY), named[1].get(name, NO_FAMILY))
            for name in sorted(set(named[0]) | set(named[1]))]


def provenance_checks(before, after):
    hashes = [side["trace_provenance"]["trace_sha256"] for side in (before, after)]
    runs = [side["run_metadata"]["run_id"] for side in (before, after)]
    artifacts = [side["run_metadata"]["artifact_ref"] for side in (before, after)]
    same = ((before["source_path"] == after["source_path"], SAME_PATH),
            (runs[0] and runs[0] == runs[1], SAME_RUN),
            (artifacts[0] and artifacts[0] == artifacts[1], SAME_ARTIFACT))
    failed = bool(hashes[0] and hashes[0] == hashes[1])
    messages = [SAME_TRACE] if failed else []
    messages += [text for found, text in same if found]
    status = "fail" if failed else "warn" if messages else "pass"
    if not all(hashes):
        messages.append(NO_HASH)
        status = "warn" if status == "pass" else status
    return {"status": status, "messages": messages, "before_trace_sha256": hashes[0],
            "after_trace_sha256": hashes[1], "before_run_id": runs[0], "after_run_id": runs[1]}


def comparison_of(before, after, top_k=10):
    """The answer of `compare` for two summaries that were read (reading.summary_read)."""
    regressed, improved = ops_delta(before, after, top_k)
    shares = [side["time_breakdown"] for side in (before, after)]
    return {
        "before_source": before["source_path"], "after_source": after["source_path"],
        "provenance_checks": provenance_checks(before, after),
        "step_time": step_time_delta(before, after), "step_classes": classes_delta(before, after),
        "time_breakdown_share_delta": {
            name: shares[1][name]["share_of_total"] - shares[0][name]["share_of_total"]
            for name in CATEGORIES},
        "semantic_family_delta": families_delta(before, after),
        "regressed_ops": regressed, "improved_ops": improved,
    }
