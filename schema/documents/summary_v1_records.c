/* The members of profile_summary.v1 (schema/README.md, §15): which must be there, which
 * may be null, which older documents lack, and the names that they had before.
 */
#include "schema/documents/summary_records.h"

#include "schema/documents/summary.h"

static const struct member run_metadata_members[] = {
    M_TEXT(run_metadata, run_path, M_NULLABLE),
    M_TEXT(run_metadata, run_id, M_NULLABLE),
    M_TEXT(run_metadata, artifact_ref, M_NULLABLE),
    M_TEXT(run_metadata, artifact_name, M_NULLABLE),
    M_TEXT(run_metadata, hardware_type, M_NULLABLE),
    M_TEXT(run_metadata, mesh_or_topology, M_NULLABLE),
    M_TEXT(run_metadata, git_sha, M_NULLABLE),
    M_TEXT(run_metadata, config_hash, M_NULLABLE),
    M_OPT_INT(run_metadata, num_devices, M_NULLABLE),
    M_OPT_INT(run_metadata, num_hosts, M_NULLABLE),
};
static const struct record run_metadata_record = RECORD_OF(run_metadata, run_metadata_members);

static const struct member trace_overview_members[] = {
    M_TEXT(trace_overview, display_time_unit, M_NULLABLE),
    M_INT(trace_overview, num_events_total),
    M_INT(trace_overview, num_complete_events),
    M_INT(trace_overview, num_processes),
    M_INT(trace_overview, num_threads),
    M_OPT_NUMBER(trace_overview, profile_start_ts, M_NULLABLE),
    M_OPT_NUMBER(trace_overview, profile_end_ts, M_NULLABLE),
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
    M_OPT_NUMBER(duration_stats, mean, M_NULLABLE),
    M_OPT_NUMBER(duration_stats, median, M_NULLABLE),
    M_OPT_NUMBER(duration_stats, p90, M_NULLABLE),
    M_OPT_NUMBER(duration_stats, min, M_NULLABLE),
    M_OPT_NUMBER(duration_stats, max, M_NULLABLE),
};
static const struct record duration_stats_record =
    RECORD_OF(duration_stats, duration_stats_members);

static const struct member step_class_members[] = {
    M_TEXT(step_class, name),
    M_INT(step_class, count),
    M_NUMBER(step_class, fraction_of_steady),
    M_RECORD("duration_stats", step_class, stats, duration_stats, duration_stats_record),
    M_OPT_INT(step_class, representative_step, M_NULLABLE),
    M_OPT_NUMBER(step_class, representative_duration, M_NULLABLE),
    M_OPT_INT(step_class, periodicity, M_NULLABLE),
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
    M_NUMBER(breakdown_share, total_duration),
    M_NUMBER(breakdown_share, share_of_total),
};
static const struct record breakdown_share_record =
    RECORD_OF(breakdown_share, breakdown_share_members);

#define M_PART(json, index) \
    M_ANY(json, MEMBER_RECORD, offsetof(struct time_breakdown, part[index]), \
          .record = &breakdown_share_record)
static const struct member time_breakdown_members[] = {
    M_TEXT(time_breakdown, duration_basis),
    M_NUMBER(time_breakdown, total_duration),
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
    M_TEXT(hot_op, category),
    M_INT(hot_op, count),
    M_NUMBER(hot_op, total_duration),
    M_NUMBER(hot_op, exclusive_duration),
    M_NUMBER(hot_op, avg_duration),
    M_TEXT(hot_op, shape_signature, M_NULLABLE),
    M_TEXT(hot_op, source_file, M_NULLABLE),
    M_TEXT(hot_op, tf_op_path, M_NULLABLE),
    M_OPT_NUMBER(hot_op, flop_proxy_per_invocation, M_NULLABLE,
                 .old_name = "work_proxy_per_invocation"),
};
const struct record hot_op_record = RECORD_OF(hot_op, hot_op_members);

static const struct member semantic_family_members[] = {
    M_TEXT(semantic_family, family),
    M_INT(semantic_family, count),
    M_NUMBER(semantic_family, total_duration),
    M_NUMBER(semantic_family, exclusive_duration),
    M_NUMBER(semantic_family, share_of_total),
    M_NUMBER(semantic_family, avg_duration),
    M_NUMBER(semantic_family, avg_exclusive_duration),
    M_TEXT(semantic_family, example_op, M_NULLABLE),
    M_TEXT(semantic_family, dominant_shape_signature, M_NULLABLE),
    M_OPT_NUMBER(semantic_family, flop_proxy_total, M_NULLABLE, .old_name = "work_proxy_total"),
    M_OPT_NUMBER(semantic_family, time_per_flop_proxy, M_NULLABLE,
                 .old_name = "normalized_exclusive_per_work"),
};
static const struct record semantic_family_record =
    RECORD_OF(semantic_family, semantic_family_members);

static const struct member communication_op_members[] = {
    M_TEXT(communication_op, collective),
    M_INT(communication_op, count),
    M_NUMBER(communication_op, total_duration),
    M_NUMBER(communication_op, avg_duration),
};
const struct record communication_op_record = RECORD_OF(communication_op, communication_op_members);

static const struct member gap_before_op_members[] = {
    M_TEXT(gap_before_op, name),
    M_INT(gap_before_op, count),
    M_NUMBER(gap_before_op, total_gap_duration),
    M_NUMBER(gap_before_op, max_gap_duration),
    M_NUMBER(gap_before_op, avg_gap_duration),
    M_TEXT(gap_before_op, payload_op, M_NULLABLE), /* the name when absent or empty */
    M_TEXT(gap_before_op, marker_op, M_NULLABLE),
};
const struct record gap_before_op_record = RECORD_OF(gap_before_op, gap_before_op_members);

static const struct member hierarchical_region_members[] = {
    M_TEXT(hierarchical_region, path),
    M_INT(hierarchical_region, depth),
    M_INT(hierarchical_region, count),
    M_NUMBER(hierarchical_region, inclusive_duration),
    M_NUMBER(hierarchical_region, exclusive_duration),
};
const struct record hierarchical_region_record =
    RECORD_OF(hierarchical_region, hierarchical_region_members);

static const struct member gap_region_context_members[] = {
    M_TEXT(gap_region_context, op_name),
    M_TEXT(gap_region_context, region_path),
    M_INT(gap_region_context, count),
    M_NUMBER(gap_region_context, total_gap_duration),
    M_NUMBER(gap_region_context, avg_gap_duration),
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
    M_TEXT(summary, source_format),
    M_TEXT(summary, source_path),
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
