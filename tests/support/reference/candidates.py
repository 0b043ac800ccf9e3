"""Optimization candidates (section 14).

Written from the specification; it shares nothing with the program.
"""

COMMUNICATION_SHARE, STALL_SHARE, HOT_OP_SHARE = 0.15, 0.20, 0.08
GAP_SHARE, GAP_US = 0.05, 1000
JITTER_STEPS, JITTER_RATIO = 4, 1.4

SUGGESTIONS = {
    "communication-heavy": (
        "Evaluate sharding/layout choices to reduce collective volume.",
        "Try overlapping collectives with compute where possible.",
        "Inspect all-reduce/all-gather callsites for avoidable synchronization."),
    "stall-heavy": (
        "Investigate dependency waits and synchronization barriers.",
        "Check host input pipeline and device dispatch overlap.",
        "Reduce unnecessary host-side blocking calls around step execution."),
    "single-hot-op": (
        "Inspect kernel implementation and tiling/fusion opportunities for this op.",
        "Try alternative algorithmic variants or precision/layout adjustments.",
        "Run a focused microbenchmark on this op before/after tuning changes."),
    "pre-op-gap": (
        "Inspect upstream dependencies immediately before this op.",
        "Look for host dispatch or synchronization barriers causing the gap.",
        "Use hierarchical region totals to localize where the waiting accumulates."),
    "step-jitter": (
        "Correlate slow steps with collective spikes and host wait events.",
        "Check for periodic checkpoint/eval/input stalls during profiled range.",
        "Compare traces before/after disabling optional callbacks or host work."),
    "no-dominant-bottleneck": (
        "Prioritize low-risk wins on top 3 hot ops and re-profile.",
        "Use before/after summary comparison to confirm throughput impact."),
}


def percent(share):
    return f"{share * 100:.1f}%"


def candidate(name, title, rationale, *evidence):
    return {"candidate_id": name, "title": title, "rationale": rationale,
            "evidence": list(evidence), "suggestions": list(SUGGESTIONS[name])}


def communication_candidate(summary):
    share = summary["time_breakdown"]["communication"]["share_of_total"]
    if share < COMMUNICATION_SHARE:
        return None
    rows = summary["communication_ops"]
    top = rows[0]["collective"] if rows else "collectives"
    return candidate(
        "communication-heavy", "Communication appears dominant",
        f"Communication accounts for {percent(share)} of exclusive profiled duration.",
        f"Communication share: {percent(share)}", f"Top collective: {top}")


def stall_candidate(summary):
    share = summary["time_breakdown"]["stall"]["share_of_total"]
    if share < STALL_SHARE:
        return None
    return candidate("stall-heavy", "Stall/wait time is significant",
                     f"Stall-like events account for {percent(share)} of profiled duration.",
                     f"Stall share: {percent(share)}")


def base_of(summary):
    return summary["time_breakdown"]["total_duration"] or 1.0


def hot_op_candidate(summary):
    top = next(iter(summary["hot_ops"]), None)
    share = top["exclusive_duration"] / base_of(summary) if top else 0.0
    if share < HOT_OP_SHARE:
        return None
    return candidate(
        "single-hot-op", "Single op has outsized exclusive time",
        f"Top op '{top['name']}' contributes {percent(share)} of profiled exclusive duration.",
        f"Top op: {top['name']}", f"Top op exclusive duration: {top['exclusive_duration']:.3f}",
        f"Top op share: {percent(share)}")


def gap_candidate(summary):
    top = next(iter(summary["gap_before_ops"]), None)
    total = top["total_gap_duration"] if top else 0.0
    share = total / base_of(summary)
    if total <= 0 or (share < GAP_SHARE and top["max_gap_duration"] < GAP_US):
        return None
    return candidate(
        "pre-op-gap", "Large idle gaps appear before specific ops",
        f"Op '{top['payload_op']}' accumulates significant pre-op idle gap "
        f"({percent(share)} of total profiled exclusive duration).",
        f"Payload op with largest pre-gap: {top['payload_op']}",
        f"Observed first op after gap (marker): {top['marker_op']}",
        f"Total pre-gap: {total:.3f}", f"Max pre-gap: {top['max_gap_duration']:.3f}",
        f"Occurrences: {top['count']}")


def jitter_candidate(summary):
    steady = summary["step_time"]["steady_state_steps"]
    if steady["count"] < JITTER_STEPS or not steady["median"]:
        return None
    ratio = steady["p90"] / steady["median"]
    if ratio < JITTER_RATIO:
        return None
    return candidate(
        "step-jitter", "Steady-state step time has high jitter",
        f"Steady-state p90/median ratio is {ratio:.2f}, indicating intermittent slow steps.",
        f"Steady median: {steady['median']:.3f}", f"Steady p90: {steady['p90']:.3f}",
        f"p90/median: {ratio:.2f}")


def balanced_candidate(summary):
    shares = summary["time_breakdown"]
    return candidate(
        "no-dominant-bottleneck", "No single dominant bottleneck found",
        "Compute, communication, host, and stall shares are relatively balanced.",
        *(f"{name.capitalize()}: {percent(shares[name]['share_of_total'])}"
          for name in ("compute", "communication", "host", "stall")))


TESTS = (communication_candidate, stall_candidate, hot_op_candidate, gap_candidate,
         jitter_candidate)


def candidates_of(summary):
    found = [test(summary) for test in TESTS]
    return [item for item in found if item] or [balanced_candidate(summary)]
