/* The JSON form of what was found beside a job. */
#include "schema/documents/capture_env.h"

#include "schema/documents/summary_records.h"

#include <string.h>

static const char version[] = "capture_env.v1";

static const struct member capture_members[] = {
    M_FIELDS(capture_env, schema_version, captured_at_utc, host),
    M_LIST("facts", capture_env, facts, fact_count, fact, fact_record),
    M_TEXTS(capture_env, left_out),
};
const struct record capture_env_record = RECORD_OF_VERSION(capture_env, capture_members, version);

json_t *capture_env_to_json(const struct capture_env *capture)
{
    return record_to_json(&capture_env_record, capture);
}

bool capture_env_from_json(const json_t *root, const char *name, struct arena *arena,
                           struct capture_env *ret_capture, struct err *err)
{
    return record_from_json(&capture_env_record, root, name, arena, ret_capture, err);
}
