/* The JSON form of an explanation. */
#include "schema/documents/explanation.h"

static const struct member part_members[] = {
    M_TEXT(explained_part, name),
    M_TEXT(explained_part, parent),
    M_NUMBER(explained_part, average_us),
    M_OPT_NUMBER(explained_part, share, M_NULLABLE),
};
static const struct record part_record = RECORD_OF(explained_part, part_members);

static const struct member finding_members[] = {
    M_TEXT(explained_finding, finding),
    M_TEXT(explained_finding, evidence),
    M_TEXT(explained_finding, remedy),
    M_TEXT(explained_finding, op_name, M_NULLABLE),
    M_TEXT(explained_finding, host, M_NULLABLE),
    M_OPT_NUMBER(explained_finding, share, M_NULLABLE),
    M_OPT_NUMBER(explained_finding, time_per_step_us, M_NULLABLE),
    M_OPT_INT(explained_finding, count, M_NULLABLE),
};
static const struct record finding_record = RECORD_OF(explained_finding, finding_members);

static const struct member members[] = {
    M_TEXT(explanation, schema_version),
    M_TEXT(explanation, profile),
    M_TEXT(explanation, step_method),
    M_TEXT(explanation, device_type, M_NULLABLE),
    M_INT(explanation, step_count),
    M_INT(explanation, steady_step_count),
    M_OPT_INT(explanation, host_count, M_PRESENT),
    M_TEXT(explanation, host_kind, M_OPTIONAL),
    M_OPT_INT(explanation, device_count, M_PRESENT),
    M_NUMBER(explanation, step_us),
    M_OPT_NUMBER(explanation, step_median_us, M_NULLABLE),
    M_NUMBER(explanation, residual_us),
    M_OPT_NUMBER(explanation, period_us, M_NULLABLE),
    M_OPT_NUMBER(explanation, between_us, M_NULLABLE),
    M_OPT_NUMBER(explanation, input_wait_us, M_NULLABLE),
    M_OPT_NUMBER(explanation, input_wait_between_us, M_NULLABLE),
    M_OPT_NUMBER(explanation, input_wait_share, M_NULLABLE),
    M_OPT_NUMBER(explanation, compile_wait_us, M_NULLABLE),
    M_OPT_NUMBER(explanation, compile_wait_between_us, M_NULLABLE),
    M_LIST("parts", explanation, parts, part_count, explained_part, part_record),
    M_LIST("findings", explanation, findings, finding_count, explained_finding, finding_record),
    M_TEXTS(explanation, unseen),
};
const struct record explanation_record = RECORD_OF(explanation, members);

json_t *explanation_to_json(const struct explanation *explanation, struct err *err)
{
    return record_to_json(&explanation_record, explanation, err);
}
