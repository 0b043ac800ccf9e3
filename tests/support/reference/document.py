"""The document profile_summary.v1 of one XPlane file (sections 14 and 15).

Written from the specification; it shares nothing with the program.
"""

import collections
import hashlib

from .candidates import candidates_of
from .exclusive import BASIS, breakdown_of
from .gaps import context_rows, gap_rows
from .ops import communication_of, families_of, hot_ops_of
from .regions import regions_of
from .steps import step_time_of
from .timeline import tracks_of
from .xspace import space_read

CAPS = (1_000_000, 5_000_000)
PROVENANCE_ROWS = 20
RUN_METADATA = ("run_path", "run_id", "artifact_ref", "artifact_name", "hardware_type",
                "mesh_or_topology", "git_sha", "config_hash", "num_devices", "num_hosts")
NO_EVENTS = "XPlane protobuf contained no direct timeline events with offset/duration data."
TRUNCATED = ("Trace contains exactly {:,} complete events; this often indicates export truncation "
             "at a collector cap.")
SORTED = "Events on {} track ({}, {}) were not in timeline order; they were sorted."


def disorder_warnings(tracks, mode):
    """What stepledger says of lines on which the reference fails."""
    return [SORTED.format("trace" if track.is_detailed(mode) else "XPlane", track.pid, track.tid)
            for track in tracks if track.sorted_here]


def quality_warnings(space, tracks, mode, complete):
    warnings = [TRUNCATED.format(complete)] if complete in CAPS else []
    warnings += space.warnings + space.errors
    warnings += [] if complete else [NO_EVENTS]
    return warnings + disorder_warnings(tracks, mode)


def overview_of(space, tracks, mode):
    events = [event for track in tracks for event in track.events]
    return {
        "display_time_unit": "us",
        "num_events_total": sum(len(line.events) for plane in space.planes
                                for line in plane.lines),
        "num_complete_events": len(events),
        "num_processes": len(space.planes),
        "num_threads": len({(track.pid, track.tid) for track in tracks}),
        "profile_start_ts": min((event.start for event in events), default=None),
        "profile_end_ts": max((event.end for event in events), default=None),
        "duration_basis": BASIS["exclusive_per_track"],
        "suspected_truncation": len(events) in CAPS,
        "quality_warnings": quality_warnings(space, tracks, mode, len(events)),
    }


def most_frequent(tracks, fact):
    values = [getattr(event.facts, fact) for track in tracks for event in track.events]
    counter = collections.Counter(value for value in values if value)
    return [value for value, _ in counter.most_common(PROVENANCE_ROWS)]


def provenance_of(data, tracks):
    return {"trace_sha256": hashlib.sha256(data).hexdigest(),
            "run_ids": most_frequent(tracks, "run_id"),
            "source_file_hints": most_frequent(tracks, "source")}


def summary_of(data, mode="exclusive_per_track", warmup_steps=5, hot_op_limit=25):
    """The document, without the two members that depend on when and where it is made."""
    space = space_read(data)
    tracks = tracks_of(space)
    summary = {
        "schema_version": "profile_summary.v1",
        "source_format": "xplane_pb",
        "run_metadata": dict.fromkeys(RUN_METADATA),
        "trace_overview": overview_of(space, tracks, mode),
        "trace_provenance": provenance_of(data, tracks),
        "step_time": step_time_of(tracks, warmup_steps),
        "time_breakdown": breakdown_of(tracks, mode),
        "hot_ops": hot_ops_of(tracks, hot_op_limit),
        "communication_ops": communication_of(tracks),
        "gap_before_ops": gap_rows(tracks, hot_op_limit),
        "hierarchical_regions": regions_of(tracks, hot_op_limit),
        "gap_region_contexts": context_rows(tracks, hot_op_limit),
    }
    summary["semantic_families"] = families_of(
        summary["hot_ops"], summary["time_breakdown"]["total_duration"], hot_op_limit)
    summary["optimization_candidates"] = candidates_of(summary)
    return summary
