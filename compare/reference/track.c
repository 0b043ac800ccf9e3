/* Implements the reference's fixed thresholds. */
#include "compare/reference/track.h"
#include "compare/reference/comparison.h"

enum { FINDINGS_MAX = 2 }; /* of each kind */

/* Appends the message when the value is above its threshold. false: beyond the budget. */
static bool step_check(struct arena *arena, struct string_list *list, const char *what,
                       struct opt_f64 percent, double threshold)
{
    if (!percent.set || !(percent.value > threshold))
        return true;
    list->items[list->count] =
        arena_printf(arena, "Steady-state %s step time regressed by %.2f%% (threshold %.2f%%).",
                     what, percent.value, threshold);
    return list->items[list->count++] != NULL;
}

static bool share_check(struct arena *arena, struct string_list *list, const char *what,
                        double delta, double threshold)
{
    if (!(delta > threshold))
        return true;
    list->items[list->count] =
        arena_printf(arena, "%s share increased by %.4f (threshold %.4f).", what, delta, threshold);
    return list->items[list->count++] != NULL;
}

bool track_assess(const struct comparison *comparison, const struct track_thresholds *thresholds,
                  struct arena *arena, struct track_assessment *ret_assessment, struct err *err)
{
    const struct step_time_delta *step = &comparison->step_time;
    const struct share_delta *shares = &comparison->time_breakdown_share_delta;
    if (!shares->communication.set)
        return err_set(err, ERR_INPUT,
                       "a side is a device memory profile alone, which tells no times to assess; "
                       "`compare` tells what is in use, `gate` judges it");
    const struct track_metrics metrics = {
        change_percent(step->steady_state_median_before, step->steady_state_median_after),
        change_percent(step->steady_state_p90_before, step->steady_state_p90_after),
        shares->communication.value,
        shares->stall.value,
    };
    struct string_list failures = {arena_array(arena, const char *, FINDINGS_MAX), 0};
    struct string_list warnings = {arena_array(arena, const char *, FINDINGS_MAX), 0};
    if (failures.items == NULL || warnings.items == NULL ||
        !step_check(arena, &failures, "median", metrics.steady_state_median_regression_pct,
                    thresholds->max_step_median_regression_pct) ||
        !step_check(arena, &failures, "p90", metrics.steady_state_p90_regression_pct,
                    thresholds->max_step_p90_regression_pct) ||
        !share_check(arena, &warnings, "Communication", metrics.communication_share_delta,
                     thresholds->max_communication_share_regression_abs) ||
        !share_check(arena, &warnings, "Stall", metrics.stall_share_delta,
                     thresholds->max_stall_share_regression_abs))
        return arena_failed(arena, "the assessment", err);
    *ret_assessment = (struct track_assessment){
        .status = failures.count > 0   ? "fail"
                  : warnings.count > 0 ? "warn"
                                       : "pass",
        .failures = failures,
        .warnings = warnings,
        .metrics = metrics,
        .comparison = *comparison,
    };
    return true;
}

struct track_side track_side_of(const struct summary *summary)
{
    return (struct track_side){
        .source_path = summary->source_path,
        .run_path = summary->run_metadata.run_path,
        .run_id = summary->run_metadata.run_id,
        .artifact_ref = summary->run_metadata.artifact_ref,
    };
}
