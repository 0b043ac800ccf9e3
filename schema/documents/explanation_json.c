/* The JSON form of an explanation. */
#include "schema/documents/explanation.h"

static const struct member part_members[] = {
    M_FIELDS(explained_part, name, parent, average_us),
    M_OPT_NUMBER(explained_part, share, M_NULLABLE),
};
static const struct record part_record = RECORD_OF(explained_part, part_members);

static const struct member finding_members[] = {
    M_FIELDS(explained_finding, finding, evidence, remedy),
    M_FIELDS_NULLABLE(explained_finding, op_name, host, share, time_per_step_us, count),
};
static const struct record finding_record = RECORD_OF(explained_finding, finding_members);

static const struct member members[] = {
    M_FIELDS(explanation, schema_version, profile, step_method),
    M_TEXT(explanation, device_type, M_NULLABLE),
    M_FIELDS(explanation, step_count, steady_step_count),
    M_OPT_INT(explanation, host_count, M_PRESENT),
    M_OPT_INT(explanation, left_host_count, M_NULLABLE),
    M_TEXT(explanation, host_kind, M_OPTIONAL),
    M_OPT_INT(explanation, device_count, M_PRESENT),
    M_NUMBER(explanation, step_us),
    M_OPT_NUMBER(explanation, step_median_us, M_NULLABLE),
    M_NUMBER(explanation, residual_us),
    M_FIELDS_NULLABLE(explanation, period_us, between_us, input_wait_us, input_wait_between_us,
                      input_wait_share, compile_wait_us, compile_wait_between_us),
    M_LIST("parts", explanation, parts, part_count, explained_part, part_record),
    M_LIST("findings", explanation, findings, finding_count, explained_finding, finding_record),
    M_TEXTS(explanation, unseen),
};
const struct record explanation_record = RECORD_OF(explanation, members);

json_t *explanation_to_json(const struct explanation *explanation)
{
    return record_to_json(&explanation_record, explanation);
}
