/* The JSON form of a gate's request, as it stands in the ledger beside its verdict. */
#include "schema/documents/gate_request.h"

#include "schema/documents/record.h"

static const struct member profile_members[] = {
    M_TEXT(request_profile, profile_id),
    M_FIELDS_NULLABLE(request_profile, run, branch, commit, label, known_as, ran_at_utc,
                      recorded_at_utc),
    M_BOOL(request_profile, brief, M_OPTIONAL),
};
static const struct record profile_record = RECORD_OF(request_profile, profile_members);

static const struct member side_members[] = {
    M_LIST("profiles", request_side, profiles, profile_count, request_profile, profile_record),
    M_TEXT(request_side, why, M_NULLABLE),
};
static const struct record side_record = RECORD_OF(request_side, side_members);

static const struct member request_members[] = {
    M_FIELDS(gate_request, schema_version, project, workload),
    M_TEXT(gate_request, series, M_NULLABLE),
    M_FIELDS(gate_request, created_at_utc, strict_provenance),
    M_BOOL(gate_request, paired, M_OPTIONAL),
    M_OPT_INT(gate_request, attempts, M_NULLABLE),
    M_TEXTS(gate_request, earlier_verdicts, M_OPTIONAL),
    M_FIELDS_NULLABLE(gate_request, first_failed, first_failed_reason),
    M_TEXTS(gate_request, left_out, M_OPTIONAL),
    M_TEXTS(gate_request, against, M_OPTIONAL),
    M_TEXT(gate_request, same_commit, M_NULLABLE),
    M_BOOL(gate_request, is_own_past, M_OPTIONAL),
    M_RECORD("baseline", gate_request, baseline, request_side, side_record),
    M_RECORD("candidate", gate_request, candidate, request_side, side_record),
    M_RECORD("history", gate_request, history, request_side, side_record),
};
const struct record gate_request_record = RECORD_OF(gate_request, request_members);

json_t *gate_request_to_json(const struct gate_request *request)
{
    return record_to_json(&gate_request_record, request);
}

bool gate_request_from_json(const json_t *root, const char *name, struct arena *arena,
                            struct gate_request *ret_request, struct err *err)
{
    return record_from_json(&gate_request_record, root, name, arena, ret_request, err);
}
