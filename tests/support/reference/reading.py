"""A stored summary as its readers see it: defaults, old names, members that must be there (§15).

Written from the specification; it shares nothing with the program.
"""

from .names import canonical_name
from .ops import families_of

CATEGORIES = ("compute", "communication", "host", "stall", "other")
STATS = ("count", "mean", "median", "p90", "min", "max")
NEEDED, MAY_BE_NULL = object(), None


class Form:
    """The members of one object: name → what it is when absent; NEEDED ones must be there."""

    def __init__(self, needed, optional=(), **more):
        self.members = {**dict.fromkeys(needed.split(), NEEDED),
                        **dict.fromkeys(optional, MAY_BE_NULL), **more}

    def read(self, item):
        found = {}
        for name, absent in self.members.items():
            found[name] = item[name] if absent is NEEDED else item.get(name, absent)
        return found


RUN = Form("", ("run_path", "run_id", "artifact_ref", "artifact_name", "hardware_type",
                "mesh_or_topology", "git_sha", "config_hash", "num_devices", "num_hosts"))
OVERVIEW = Form("num_events_total num_complete_events num_processes num_threads duration_basis",
                ("display_time_unit", "profile_start_ts", "profile_end_ts"),
                suspected_truncation=False, quality_warnings=())
PROVENANCE = Form("", ("trace_sha256",), run_ids=(), source_file_hints=())
DURATIONS = Form("count", STATS[1:])
CLASS = Form("name count fraction_of_steady duration_stats",
             ("representative_step", "representative_duration", "periodicity"))
SHARE = Form("total_duration share_of_total")
OP = Form("name category count total_duration exclusive_duration avg_duration",
          ("canonical_name", "shape_signature", "source_file", "tf_op_path",
           "flop_proxy_per_invocation"))
FAMILY = Form("family count total_duration exclusive_duration share_of_total avg_duration "
              "avg_exclusive_duration",
              ("example_op", "dominant_shape_signature", "flop_proxy_total", "time_per_flop_proxy"))
COLLECTIVE = Form("collective count total_duration avg_duration")
GAP = Form("name count total_gap_duration max_gap_duration avg_gap_duration",
           ("payload_op", "marker_op"))
REGION = Form("path depth count inclusive_duration exclusive_duration")
CONTEXT = Form("op_name region_path count total_gap_duration avg_gap_duration")
CANDIDATE = Form("candidate_id title rationale evidence suggestions")
OLD_NAMES = {"work_proxy_per_invocation": "flop_proxy_per_invocation",
             "work_proxy_total": "flop_proxy_total",
             "normalized_exclusive_per_work": "time_per_flop_proxy"}


def renamed(item):
    """Old names stand in where the new one is absent."""
    found = dict(item)
    for old, new in OLD_NAMES.items():
        if old in found and new not in found:
            found[new] = found[old]
    return found


def op_read(item):
    op = OP.read(renamed(item))
    op["canonical_name"] = op["canonical_name"] or canonical_name(op["name"])
    return op


def gap_read(item):
    gap = GAP.read(item)
    for name in ("payload_op", "marker_op"):
        gap[name] = gap[name] or gap["name"]
    return gap


def class_read(item):
    found = CLASS.read(item)
    found["duration_stats"] = DURATIONS.read(found["duration_stats"])
    return found


def step_time_read(item):
    return {"warmup_steps_ignored": item["warmup_steps_ignored"],
            "all_steps": DURATIONS.read(item["all_steps"]),
            "steady_state_steps": DURATIONS.read(item["steady_state_steps"]),
            "classes": [class_read(row) for row in item.get("classes", ())]}


def breakdown_read(item):
    found = {name: SHARE.read(item[name]) for name in CATEGORIES}
    return {"duration_basis": item["duration_basis"], "total_duration": item["total_duration"],
            **found}


def summary_read(document):
    """The document with every member there is; KeyError where a needed one is missing."""
    summary = {name: document[name] for name in ("schema_version", "generated_at_utc",
                                                 "source_format", "source_path")}
    summary["run_metadata"] = RUN.read(document["run_metadata"])
    summary["trace_overview"] = OVERVIEW.read(document["trace_overview"])
    summary["trace_provenance"] = PROVENANCE.read(document.get("trace_provenance", {}))
    summary["step_time"] = step_time_read(document["step_time"])
    summary["time_breakdown"] = breakdown_read(document["time_breakdown"])
    summary["hot_ops"] = [op_read(item) for item in document["hot_ops"]]
    summary["semantic_families"] = [FAMILY.read(renamed(item))
                                    for item in document.get("semantic_families", ())]
    summary["gap_before_ops"] = [gap_read(item) for item in document["gap_before_ops"]]
    for name, form in (("communication_ops", COLLECTIVE), ("hierarchical_regions", REGION),
                       ("optimization_candidates", CANDIDATE)):
        summary[name] = [form.read(item) for item in document[name]]
    summary["gap_region_contexts"] = [CONTEXT.read(item)
                                      for item in document.get("gap_region_contexts", ())]
    return summary


def families_rebuilt(summary):
    """The families of a summary, made from its hot ops where it has none."""
    if summary["semantic_families"]:
        return summary["semantic_families"]
    return families_of(summary["hot_ops"], summary["time_breakdown"]["total_duration"],
                       len(summary["hot_ops"]))
