"""The assessment of a comparison by fixed thresholds (section 19).

Written from the specification, and where that is silent from what the reference tool does; it
shares nothing with the program.
"""

from .compare import comparison_of, percent

THRESHOLDS = {"median": 5.0, "p90": 10.0, "communication": 0.05, "stall": 0.05}
STEP_TEXT = {"median": "median step time", "p90": "p90 step time"}


def step_failures(changes, thresholds):
    return [f"Steady-state {STEP_TEXT[name]} regressed by {changes[name]:.2f}% "
            f"(threshold {thresholds[name]:.2f}%)."
            for name in STEP_TEXT if changes[name] is not None and changes[name] > thresholds[name]]


def share_warnings(shares, thresholds):
    return [f"{name.capitalize()} share increased by {shares[name]:.4f} "
            f"(threshold {thresholds[name]:.4f})."
            for name in ("communication", "stall") if shares[name] > thresholds[name]]


def assessment_of(before, after, top_k=10, thresholds=None):
    """The member `assessment` of what `track` prints, for two summaries that were read."""
    limits = {**THRESHOLDS, **(thresholds or {})}
    comparison = comparison_of(before, after, top_k)
    steps, shares = comparison["step_time"], comparison["time_breakdown_share_delta"]
    changes = {name: percent(steps[f"steady_state_{name}_before"],
                             steps[f"steady_state_{name}_after"]) for name in STEP_TEXT}
    failures, warnings = step_failures(changes, limits), share_warnings(shares, limits)
    return {"status": "fail" if failures else "warn" if warnings else "pass",
            "failures": failures, "warnings": warnings, "comparison": comparison,
            "metrics": {"steady_state_median_regression_pct": changes["median"],
                        "steady_state_p90_regression_pct": changes["p90"],
                        "communication_share_delta": shares["communication"],
                        "stall_share_delta": shares["stall"]}}
