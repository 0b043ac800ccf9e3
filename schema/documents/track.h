/* The document of `track`: one comparison against fixed thresholds, as the reference tool prints
 * and appends it to its history (profile_summary.v1 §19).
 */
#ifndef SCHEMA_DOCUMENTS_TRACK_H
#define SCHEMA_DOCUMENTS_TRACK_H

#include "schema/documents/comparison.h"

struct track_metrics {
    struct opt_f64 steady_state_median_regression_pct, steady_state_p90_regression_pct;
    double communication_share_delta, stall_share_delta;
};

struct track_assessment {
    const char *status; /* pass, warn, fail */
    struct string_list failures, warnings;
    struct track_metrics metrics;
    struct comparison comparison;
};

/* Where one of the two summaries came from. */
struct track_side {
    const char *source_path, *run_path, *run_id, *artifact_ref;
};

struct track_record {
    const char *recorded_at_utc, *label; /* label NULL: none was given */
    struct track_side before, after;
    struct track_assessment assessment;
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record track_record_record;

/* The JSON form; a new reference. A history holds it in
 * JSON_STYLE_LINE. */
json_t *track_record_to_json(const struct track_record *record);

#endif
