/* The members of profile_summary.v1 (schema/README.md, §15): which must be there, which
 * may be null, which older documents lack, and the names that they had before.
 */
#include "schema/documents/summary_records.h"

#include "schema/documents/summary.h"

static const struct member run_metadata_members[] = {
    M_FIELDS_NULLABLE(run_metadata, run_path, run_id, artifact_ref, artifact_name, hardware_type,
                      mesh_or_topology, git_sha, config_hash, num_devices, num_hosts),
};
static const struct record run_metadata_record = RECORD_OF(run_metadata, run_metadata_members);

static const struct member trace_overview_members[] = {
    M_TEXT(trace_overview, display_time_unit, M_NULLABLE),
    M_FIELDS(trace_overview, num_events_total, num_complete_events, num_processes, num_threads),
    M_FIELDS_NULLABLE(trace_overview, profile_start_ts, profile_end_ts),
    M_TEXT(trace_overview, duration_basis),
    M_BOOL(trace_overview, suspected_truncation, M_OPTIONAL),
    M_TEXTS(trace_overview, quality_warnings, M_OPTIONAL),
};
static const struct record trace_overview_record =
    RECORD_OF(trace_overview, trace_overview_members);

static const struct member trace_provenance_members[] = {
    M_TEXT(trace_provenance, trace_sha256, M_NULLABLE),
    M_TEXTS(trace_provenance, run_ids, M_OPTIONAL),
    M_TEXTS(trace_provenance, source_file_hints, M_OPTIONAL),
};
static const struct record trace_provenance_record =
    RECORD_OF(trace_provenance, trace_provenance_members);

static const struct member duration_stats_members[] = {
    M_INT(duration_stats, count),
    M_FIELDS_NULLABLE(duration_stats, mean, median, p90, min, max),
};
static const struct record duration_stats_record =
    RECORD_OF(duration_stats, duration_stats_members);

static const struct member step_class_members[] = {
    M_FIELDS(step_class, name, count, fraction_of_steady),
    M_RECORD("duration_stats", step_class, stats, duration_stats, duration_stats_record),
    M_FIELDS_NULLABLE(step_class, representative_step, representative_duration, periodicity),
};
static const struct record step_class_record = RECORD_OF(step_class, step_class_members);

static const struct member step_time_members[] = {
    M_INT(step_time, warmup_steps_ignored),
    M_RECORD("all_steps", step_time, all_steps, duration_stats, duration_stats_record),
    M_RECORD("steady_state_steps", step_time, steady_state_steps, duration_stats,
             duration_stats_record),
    M_LIST("classes", step_time, classes, class_count, step_class, step_class_record, M_OPTIONAL),
};
static const struct record step_time_record = RECORD_OF(step_time, step_time_members);

struct breakdown_share { /* the layout of time_breakdown.part[] */
    double total_duration, share_of_total;
};
_Static_assert(sizeof(struct breakdown_share) == sizeof((struct time_breakdown *)0)->part[0],
               "the parts of a breakdown are described by breakdown_share");

static const struct member breakdown_share_members[] = {
    M_FIELDS(breakdown_share, total_duration, share_of_total),
};
static const struct record breakdown_share_record =
    RECORD_OF(breakdown_share, breakdown_share_members);

#define M_PART(json, index) \
    M_ANY(json, MEMBER_RECORD, offsetof(struct time_breakdown, part[index]), \
          .record = &breakdown_share_record)
static const struct member time_breakdown_members[] = {
    M_FIELDS(time_breakdown, duration_basis, total_duration),
    M_PART("compute", PART_COMPUTE),
    M_PART("communication", PART_COMMUNICATION),
    M_PART("host", PART_HOST),
    M_PART("stall", PART_STALL),
    M_PART("other", PART_OTHER),
};
static const struct record time_breakdown_record =
    RECORD_OF(time_breakdown, time_breakdown_members);

static const struct member hot_op_members[] = {
    M_TEXT(hot_op, name),
    M_TEXT(hot_op, canonical_name, M_NULLABLE), /* made from the name by the reader when absent */
    M_FIELDS(hot_op, category, count, total_duration, exclusive_duration, avg_duration),
    M_FIELDS_NULLABLE(hot_op, shape_signature, source_file, tf_op_path),
    M_OPT_NUMBER(hot_op, flop_proxy_per_invocation, M_NULLABLE,
                 .old_name = "work_proxy_per_invocation"),
};
const struct record hot_op_record = RECORD_OF(hot_op, hot_op_members);

static const struct member semantic_family_members[] = {
    M_FIELDS(semantic_family, family, count, total_duration, exclusive_duration, share_of_total,
             avg_duration, avg_exclusive_duration),
    M_FIELDS_NULLABLE(semantic_family, example_op, dominant_shape_signature),
    M_OPT_NUMBER(semantic_family, flop_proxy_total, M_NULLABLE, .old_name = "work_proxy_total"),
    M_OPT_NUMBER(semantic_family, time_per_flop_proxy, M_NULLABLE,
                 .old_name = "normalized_exclusive_per_work"),
};
static const struct record semantic_family_record =
    RECORD_OF(semantic_family, semantic_family_members);

static const struct member communication_op_members[] = {
    M_FIELDS(communication_op, collective, count, total_duration, avg_duration),
};
const struct record communication_op_record = RECORD_OF(communication_op, communication_op_members);

static const struct member gap_before_op_members[] = {
    M_FIELDS(gap_before_op, name, count, total_gap_duration, max_gap_duration, avg_gap_duration),
    M_TEXT(gap_before_op, payload_op, M_NULLABLE), /* the name when absent or empty */
    M_TEXT(gap_before_op, marker_op, M_NULLABLE),
};
const struct record gap_before_op_record = RECORD_OF(gap_before_op, gap_before_op_members);

static const struct member hierarchical_region_members[] = {
    M_FIELDS(hierarchical_region, path, depth, count, inclusive_duration, exclusive_duration),
};
const struct record hierarchical_region_record =
    RECORD_OF(hierarchical_region, hierarchical_region_members);

static const struct member gap_region_context_members[] = {
    M_FIELDS(gap_region_context, op_name, region_path, count, total_gap_duration, avg_gap_duration),
};
const struct record gap_region_context_record =
    RECORD_OF(gap_region_context, gap_region_context_members);

static const struct member optimization_candidate_members[] = {
    M_TEXT(optimization_candidate, candidate_id), M_TEXT(optimization_candidate, title),
    M_TEXT(optimization_candidate, rationale),    M_TEXTS(optimization_candidate, evidence),
    M_TEXTS(optimization_candidate, suggestions),
};
const struct record optimization_candidate_record =
    RECORD_OF(optimization_candidate, optimization_candidate_members);

static const struct member summary_v1_members[] = {
    M_TEXT(summary, schema_version),
    M_TEXT(summary, generated_at_utc, M_PRESENT),
    M_FIELDS(summary, source_format, source_path),
    M_RECORD("run_metadata", summary, run_metadata, run_metadata, run_metadata_record),
    M_RECORD("trace_overview", summary, trace_overview, trace_overview, trace_overview_record),
    M_RECORD("trace_provenance", summary, trace_provenance, trace_provenance,
             trace_provenance_record, M_OPTIONAL),
    M_RECORD("step_time", summary, step_time, step_time, step_time_record),
    M_RECORD("time_breakdown", summary, time_breakdown, time_breakdown, time_breakdown_record),
    M_LIST("hot_ops", summary, hot_ops, hot_op_count, hot_op, hot_op_record),
    M_LIST("semantic_families", summary, semantic_families, semantic_family_count, semantic_family,
           semantic_family_record, M_OPTIONAL,
           .flag_offset = offsetof(struct summary, has_semantic_families)),
    M_LIST("communication_ops", summary, communication_ops, communication_op_count,
           communication_op, communication_op_record),
    M_LIST("gap_before_ops", summary, gap_before_ops, gap_before_op_count, gap_before_op,
           gap_before_op_record),
    M_LIST("hierarchical_regions", summary, hierarchical_regions, hierarchical_region_count,
           hierarchical_region, hierarchical_region_record),
    M_LIST("gap_region_contexts", summary, gap_region_contexts, gap_region_context_count,
           gap_region_context, gap_region_context_record, M_OPTIONAL),
    M_LIST("optimization_candidates", summary, optimization_candidates,
           optimization_candidate_count, optimization_candidate, optimization_candidate_record),
};
const struct record summary_v1_record = RECORD_OF(summary, summary_v1_members);
