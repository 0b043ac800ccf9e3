/* The members that we add to profile_summary.v1. Times are picoseconds in
 * memory, µs in JSON. */
#include "schema/documents/summary_records.h"

#include "schema/documents/summary.h"

static const struct member producer_members[] = {
    M_FIELDS(producer, version, definition_version, breakdown_mode, warmup_steps),
    M_BOOL(producer, warmup_fixed, M_OPTIONAL),
    M_TEXT(producer, step_range, M_OPTIONAL,
           .flag_offset = FIELD_AT(struct producer, has_step_range, bool)),
    M_INT(producer, hot_op_limit),
};
static const struct record producer_record = RECORD_OF(producer, producer_members);

static const struct member fact_members[] = {
    M_FIELDS(fact, name, value, source),
};
const struct record fact_record = RECORD_OF(fact, fact_members);

static const struct member program_members[] = {
    M_TEXT(hlo_program, name),
    M_TEXT(hlo_program, fingerprint, M_NULLABLE),
    M_INT(hlo_program, run_count),
};
const struct record hlo_program_record = RECORD_OF(hlo_program, program_members);

static const struct member peak_members[] = {
    M_TEXT(device_peak, device),
    M_FIELDS_NULLABLE(device_peak, tflops, hbm_gb_per_s),
    M_TEXT(device_peak, source),
};
static const struct record peak_record = RECORD_OF(device_peak, peak_members);

static const struct member environment_members[] = {
    M_FIELDS_NULLABLE(environment, device_type, device_count, host_count, topology),
    M_TEXTS(environment, hosts),
    M_LIST("facts", environment, facts, fact_count, fact, fact_record),
    M_LIST("programs", environment, programs, program_count, hlo_program, hlo_program_record),
    M_LIST("peaks", environment, peaks, peak_count, device_peak, peak_record),
};
static const struct record environment_record = RECORD_OF(environment, environment_members);

static const struct member step_span_members[] = {
    M_INDEX(step_span, device, M_NULLABLE),
    M_PS("start_us", step_span, start_ps),
    M_PS("duration_us", step_span, duration_ps),
};
static const struct record step_span_record = RECORD_OF(step_span, step_span_members);

static const struct member step_row_members[] = {
    M_FIELDS(step_row, number, warmup),
    M_TEXT(step_row, warmup_reason, M_NULLABLE),
    M_BOOL(step_row, host_compiled, M_OPTIONAL,
           .flag_offset = offsetof(struct step_row, host_compiled)),
    M_PS("max_us", step_row, max_ps),
    M_PS("mean_us", step_row, mean_ps),
    M_INDEX(step_row, slowest, M_NULLABLE),
    M_PS("period_us", step_row, period_ps, M_NULLABLE,
         .flag_offset = offsetof(struct step_row, has_period)),
    M_PS("input_wait_us", step_row, input_wait_ps, M_OPTIONAL,
         .flag_offset = offsetof(struct step_row, has_input_wait)),
    M_PS("gap_before_us", step_row, gap_before_ps, M_NULLABLE,
         .flag_offset = offsetof(struct step_row, has_gap)),
    M_LIST("spans", step_row, spans, span_count, step_span, step_span_record),
};
const struct record step_row_record = RECORD_OF(step_row, step_row_members);

static const struct member step_table_members[] = {
    M_CHOICE(step_table, method, enum step_method, step_method_names, STEP_METHOD_COUNT),
    M_TEXT(step_table, program, M_NULLABLE),
    M_LIST("rows", step_table, rows, count, step_row, step_row_record),
    M_FIELDS(step_table, steady_count, steady_spans),
    M_FIELDS_NULLABLE(step_table, steady_median_us, steady_p90_us),
};
static const struct record step_table_record = RECORD_OF(step_table, step_table_members);

static const struct member device_row_members[] = {
    M_TEXT(device_row, name),
    M_TEXT(device_row, host, M_NULLABLE),
    M_PS("window_us", device_row, window_ps),
    M_PS("busy_us", device_row, busy_ps),
    M_PS("idle_us", device_row, idle_ps),
    M_PS("compute_us", device_row, compute_ps),
    M_PS("exposed_comm_us", device_row, exposed_comm_ps),
    M_PS("overlapped_comm_us", device_row, overlapped_comm_ps),
    M_PS("exposed_copy_us", device_row, exposed_copy_ps),
    M_PS_OR_NONE("steady_step_median_us", device_row, steady_step_median_ps, M_NULLABLE),
    M_INT(device_row, op_count),
};
const struct record device_row_record = RECORD_OF(device_row, device_row_members);

static const struct member op_row_members[] = {
    M_FIELDS(op_row, signature, name, category),
    M_FIELDS_NULLABLE(op_row, opcode, program),
    M_TEXT(op_row, phase),
    M_FIELDS_NULLABLE(op_row, shape_signature, source_file, op_path),
    M_FIELDS(op_row, asynchronous, count, device_count),
    M_PS("total_us", op_row, total_ps),
    M_PS("self_us", op_row, self_ps),
    M_PS("max_device_self_us", op_row, max_device_self_ps),
    M_INDEX(op_row, max_device, M_NULLABLE),
    M_INT(op_row, steady_count),
    M_PS("steady_self_us", op_row, steady_self_ps),
    M_FIELDS_NULLABLE(op_row, flops, bytes_accessed),
    M_TEXT(op_row, device_class, M_OPTIONAL,
           .flag_offset = offsetof(struct op_row, has_device_class)),
};
const struct record op_row_record = RECORD_OF(op_row, op_row_members);

static const struct member coverage_members[] = {
    M_FIELDS(coverage, warnings, events_dropped_counter, events_dropped_zero,
             events_dropped_nameless),
    M_INT(coverage, events_out_of_range, M_OPTIONAL),
    M_FIELDS(coverage, unsorted_lines, bytes_read, bytes_unread),
    M_OPT_INT(coverage, bytes_behind, M_OPTIONAL,
              .flag_offset = offsetof(struct coverage, bytes_behind.set)),
    M_OPT_INT(coverage, files_unproven, M_OPTIONAL,
              .flag_offset = offsetof(struct coverage, files_unproven.set)),
    M_OPT_INT(coverage, steps_unmarked, M_OPTIONAL,
              .flag_offset = offsetof(struct coverage, steps_unmarked.set)),
    M_OPT_INT(coverage, ops_apart, M_OPTIONAL,
              .flag_offset = offsetof(struct coverage, ops_apart.set)),
    M_OPT_NUMBER(coverage, ops_apart_us, M_OPTIONAL,
                 .flag_offset = offsetof(struct coverage, ops_apart_us.set)),
    M_OPT_NUMBER(coverage, joined_time_share, M_OPTIONAL,
                 .flag_offset = offsetof(struct coverage, joined_time_share.set)),
    M_NUMBER(coverage, steady_idle_us_per_step),
};
static const struct record coverage_record = RECORD_OF(coverage, coverage_members);

static const struct member source_members[] = {
    M_TEXT(source_file, path),
    M_TEXT(source_file, host, M_NULLABLE),
    M_FIELDS(source_file, sha256, size_bytes),
};
static const struct record source_record = RECORD_OF(source_file, source_members);

static const struct member memory_row_members[] = {
    M_TEXT(memory_row, device),       M_TEXT(memory_row, kind), M_TEXT(memory_row, source),
    M_TEXT(memory_row, function),     M_INT(memory_row, bytes), M_INT(memory_row, count),
    M_INT(memory_row, unknown_count),
};
static const struct record memory_row_record = RECORD_OF(memory_row, memory_row_members);

static const struct member memory_share_members[] = {
    M_FIELDS(memory_share, name, bytes, count, unknown_count),
};
static const struct record memory_share_record = RECORD_OF(memory_share, memory_share_members);

static const struct member memory_members[] = {
    M_FIELDS(memory_summary, bytes, count, unknown_count),
    M_LIST("devices", memory_summary, devices, device_count, memory_share, memory_share_record),
    M_LIST("kinds", memory_summary, kinds, kind_count, memory_share, memory_share_record),
    M_LIST("allocations", memory_summary, allocations, allocation_count, memory_row,
           memory_row_record),
    M_LIST("sources", memory_summary, sources, source_count, source_file, source_record),
};
static const struct record memory_record = RECORD_OF(memory_summary, memory_members);

static const struct member capture_host_members[] = {
    M_TEXT(capture_host, host, M_NULLABLE),
    M_TEXT(capture_host, sha256),
    M_FIELDS_NULLABLE(capture_host, process, process_count, begin_ns, end_ns),
    M_INT(capture_host, base_ns),
    M_TEXTS(capture_host, chips, M_OPTIONAL),
    M_TEXTS(capture_host, groups, M_OPTIONAL),
};
static const struct record capture_host_record = RECORD_OF(capture_host, capture_host_members);

static const struct member capture_members[] = {
    M_TEXT(capture, key, M_NULLABLE),
    M_LIST("hosts", capture, hosts, host_count, capture_host, capture_host_record),
    M_OPT_INT(capture, expected_count, M_NULLABLE),
    M_FIELDS(capture, missing, notes),
};
static const struct record capture_record = RECORD_OF(capture, capture_members);

static const struct member copied_ops_members[] = {
    M_TEXT(copied_ops, name),
    M_CHOICE(copied_ops, way, enum copy_way, copy_way_names, COPY_WAY_COUNT),
    M_INT(copied_ops, count),
    M_PS("total_us", copied_ops, total_ps),
    M_PS("steady_self_us", copied_ops, steady_self_ps),
    M_OPT_NUMBER(copied_ops, bytes, M_NULLABLE),
};
static const struct record copied_ops_record = RECORD_OF(copied_ops, copied_ops_members);

static const struct member program_buffer_members[] = {
    M_TEXT(program_buffer, kind),
    M_FIELDS_NULLABLE(program_buffer, instruction, shapes, op_path),
    M_INT(program_buffer, bytes),
};
static const struct record program_buffer_record =
    RECORD_OF(program_buffer, program_buffer_members);

static const struct member measured_members[] = {
    M_OPT_NUMBER(measured, model_flops, M_NULLABLE),
    M_PS("own_us", measured, own_ps),
    M_PS("told_us", measured, told_ps),
    M_FIELDS_NULLABLE(measured, model_flops_absent, input_wait_absent, compile_absent,
                      hbm_peak_bytes, hbm_allocator, hbm_peak_absent, program_memory_bytes, program,
                      program_memory_absent),
    M_BOOL(measured, model_flops_are_beside, M_OPTIONAL),
    M_BOOL(measured, program_memory_is_beside, M_OPTIONAL),
    M_LIST("program_buffers", measured, program_buffers, program_buffer_count, program_buffer,
           program_buffer_record, M_OPTIONAL),
};
static const struct record measured_record = RECORD_OF(measured, measured_members);

static const struct member figure_members[] = {
    M_FIELDS(summary_figure, measure, unit),
    M_FIELDS_NULLABLE(summary_figure, value, of, absent),
};
const struct record figure_record = RECORD_OF(summary_figure, figure_members);

static const struct member summary_ours_members[] = {
    M_RECORD("producer", summary, producer, producer, producer_record),
    M_RECORD("environment", summary, environment, environment, environment_record),
    M_RECORD("steps", summary, steps, step_table, step_table_record),
    M_LIST("other_steps", summary, other_steps, other_step_count, step_table, step_table_record,
           M_OPTIONAL),
    M_LIST("devices", summary, devices, device_count, device_row, device_row_record),
    M_LIST("ops", summary, ops, op_count, op_row, op_row_record),
    M_LIST("program_ops", summary, program_ops, program_op_count, op_row, op_row_record, M_OPTIONAL,
           .flag_offset = offsetof(struct summary, has_program_ops)),
    M_LIST("copies", summary, copies, copy_count, copied_ops, copied_ops_record, M_OPTIONAL,
           .flag_offset = offsetof(struct summary, has_copies)),
    M_RECORD("coverage", summary, coverage, coverage, coverage_record),
    M_RECORD("measured", summary, measured, measured, measured_record, M_OPTIONAL,
             .flag_offset = offsetof(struct summary, has_measured)),
    M_LIST("figures", summary, figures, figure_count, summary_figure, figure_record, M_OPTIONAL,
           .flag_offset = offsetof(struct summary, has_figures)),
    M_LIST("sources", summary, sources, source_count, source_file, source_record),
    M_RECORD("memory", summary, memory, memory_summary, memory_record, M_OPTIONAL,
             .flag_offset = offsetof(struct summary, has_memory)),
    M_RECORD("capture", summary, capture, capture, capture_record, M_OPTIONAL,
             .flag_offset = offsetof(struct summary, has_capture)),
};
const struct record summary_ours_record = RECORD_OF(summary, summary_ours_members);
