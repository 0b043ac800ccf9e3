/* Implements the reference's fixed thresholds. */
#include "compare/reference/track.h"
#include "compare/reference/comparison.h"

#include <math.h>

enum { FINDINGS_MAX = 2 }; /* of each kind */

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
    const struct opt_f64 median = metrics.steady_state_median_regression_pct;
    const struct opt_f64 p90 = metrics.steady_state_p90_regression_pct;
    const struct {
        const char *step, *share; /* of which the time or the share went up; NULL: of the other */
        double value, threshold;
    } checks[] = {
        {"median", NULL, median.set ? median.value : NAN,
         thresholds->max_step_median_regression_pct},
        {"p90", NULL, p90.set ? p90.value : NAN, thresholds->max_step_p90_regression_pct},
        {NULL, "Communication", metrics.communication_share_delta,
         thresholds->max_communication_share_regression_abs},
        {NULL, "Stall", metrics.stall_share_delta, thresholds->max_stall_share_regression_abs},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (!(checks[i].value > checks[i].threshold))
            continue;
        if (checks[i].step != NULL)
            failures.items[failures.count++] = arena_printf(
                arena, "Steady-state %s step time regressed by %.2f%% (threshold %.2f%%).",
                checks[i].step, checks[i].value, checks[i].threshold);
        else
            warnings.items[warnings.count++] =
                arena_printf(arena, "%s share increased by %.4f (threshold %.4f).", checks[i].share,
                             checks[i].value, checks[i].threshold);
    }
    *ret_assessment = (struct track_assessment){
        .status = failures.count > 0   ? "fail"
                  : warnings.count > 0 ? "warn"
                                       : "pass",
        .failures = failures,
        .warnings = warnings,
        .metrics = metrics,
        .comparison = *comparison,
    };
    return arena_ok(arena, "the assessment", err);
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
