/* Assesses a pair of summaries. */
#include "ops/cli/track_of.h"

#include "compare/reference/reference.h"
#include "ops/cli/history_file.h"
#include "ops/runtime/clock.h"

static struct track_thresholds thresholds_read(const struct cli *cli)
{
    return (struct track_thresholds){
        .max_step_median_regression_pct = cli_real(cli, "max-step-median-regression-pct"),
        .max_step_p90_regression_pct = cli_real(cli, "max-step-p90-regression-pct"),
        .max_communication_share_regression_abs =
            cli_real(cli, "max-communication-share-regression-abs"),
        .max_stall_share_regression_abs = cli_real(cli, "max-stall-share-regression-abs"),
    };
}

json_t *track_of(struct cli *cli, const struct pair *pair, struct arena *arena,
                 const char **ret_status, struct err *err)
{
    const struct track_thresholds thresholds = thresholds_read(cli);
    char now[CLOCK_ISO_BYTES];
    struct track_record record = {
        .recorded_at_utc = clock_iso(clock_wall_us(), now),
        .label = cli_text(cli, "label"),
        .before = track_side_of(&pair->before),
        .after = track_side_of(&pair->after),
    };
    if (!track_assess(&pair->comparison, &thresholds, arena, &record.assessment, err))
        return NULL;
    json_t *document = track_record_to_json(&record, err);
    const char *history = cli_text(cli, "history");
    if (document != NULL && history != NULL && !history_file_append(history, document, err)) {
        json_decref(document);
        return NULL;
    }
    *ret_status = record.assessment.status;
    return document;
}
