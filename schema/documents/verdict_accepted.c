/* What the acceptance of a verdict covers: as much as was accepted, and no more. */
#include "schema/documents/verdict_accepted.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

static const double least_room_pct = 1; /* above the estimate: two gates never agree to the digit */
static const double mean_room = 1.5;    /* times what was accepted: means of slow steps scatter */

/* The most of the step time's loss that is covered; INFINITY: the accepted one tells none. */
static double covered_pct(const struct verdict *accepted)
{
    struct opt_f64 estimate = accepted->statistics.estimate_pct;
    struct opt_f64 high = accepted->statistics.ci_high_pct;
    return !estimate.set ? INFINITY
                         : fmax(estimate.value + least_room_pct, high.set ? high.value : 0);
}

/* What it failed by, where that is not the loss of the median step, which the estimate tells, and
 * not named by the accepted one; NULL: there is no such. */
static const char *unnamed_code(const struct verdict *verdict, const struct verdict *accepted)
{
    static const char *const of_loss[] = {"step_median_regressed", "steps_regressed_throughout",
                                          "earlier_fail_stands"};
    const char *code = verdict->reason_count > 0 ? verdict->reasons[0].code : of_loss[0];
    return text_is_one(code, of_loss) || verdict_has_reason(accepted, code) ? NULL : code;
}

static struct opt_f64 measure_pct(const struct verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->measure_count; i++) {
        const struct verdict_measure *row = &verdict->measures[i];
        if (strcmp(row->name, name) == 0 && row->before.set && row->after.set &&
            row->before.value > 0)
            return some_f64(100 * (row->after.value / row->before.value - 1));
    }
    return (struct opt_f64){0};
}

/* The mean of all steps that is beyond what was accepted of it; NULL: none is. */
static const char *grown_mean(const struct verdict *verdict, const struct verdict *accepted,
                              struct opt_f64 *ret_now, struct opt_f64 *ret_then)
{
    static const char *const means[] = {"steady_step_mean", "steady_step_period"};
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        *ret_now = measure_pct(verdict, means[i]);
        *ret_then = measure_pct(accepted, means[i]);
        if (ret_now->set && ret_then->set &&
            ret_now->value > mean_room * fmax(ret_then->value, 0) + least_room_pct &&
            ret_now->value > covered_pct(accepted))
            return means[i];
    }
    return NULL;
}

bool verdict_is_within(const struct verdict *verdict, const struct verdict *accepted)
{
    struct opt_f64 now, then;
    return verdict->status != VERDICT_FAIL ||
           (unnamed_code(verdict, accepted) == NULL &&
            !(verdict->statistics.estimate_pct.value > covered_pct(accepted)) &&
            grown_mean(verdict, accepted, &now, &then) == NULL);
}

const char *verdict_beyond(const struct verdict *verdict, const struct verdict *accepted,
                           struct arena *arena)
{
    char taken[FORMAT_BYTES], limit[FORMAT_BYTES], present[FORMAT_BYTES];
    const char *code = unnamed_code(verdict, accepted), *mean;
    struct opt_f64 estimate = verdict->statistics.estimate_pct, now, then;
    double covered = covered_pct(accepted);
    if (estimate.value > covered)
        return arena_printf(
            arena,
            "%s was accepted, with an estimate of %s, which covers up to %s: this "
            "one estimates %s, %.1f points beyond that, and fails",
            accepted->id, format_percent_delta(accepted->statistics.estimate_pct.value, taken),
            format_percent_delta(covered, limit), format_percent_delta(estimate.value, present),
            estimate.value - covered);
    mean = grown_mean(verdict, accepted, &now, &then);
    if (mean != NULL)
        return arena_printf(arena, "%s was accepted, with %s %s: here it is %s, and fails",
                            accepted->id, mean, format_percent_delta(then.value, taken),
                            format_percent_delta(now.value, present));
    return arena_printf(arena, "%s was accepted, and not what this one fails by (%s)", accepted->id,
                        code == NULL ? "unknown" : code);
}
