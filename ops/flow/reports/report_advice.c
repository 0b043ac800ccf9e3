/* What to do about each finding of a report, and the command for it. */
#include "ops/flow/reports/making.h"
#include "ops/runtime/text.h"
#include "schema/documents/change_way.h"
#include "schema/documents/measures.h"

#include <string.h>

enum { SHA_SHOWN = 12, SENTENCE_BYTES = 1 << 16 };

/* ---- changes and their ranges -----------------------------------------------------------------
 */

bool report_is_of_step_time(const char *measure)
{
    return strcmp(measure, measure_rows[MEASURE_steady_step_median].name) == 0;
}

static bool is_same_code(const struct report_change *change)
{
    return change->after_commit != NULL && change->until_commit != NULL &&
           strcmp(change->after_commit, change->until_commit) == 0;
}

void report_places_add(const char *const commits[2], const char *const profiles[2],
                       struct text *out)
{
    if (commits[0] != NULL && commits[1] != NULL && strcmp(commits[0], commits[1]) != 0)
        text_addf(out, "%.*s..%.*s", SHA_SHOWN, commits[0], SHA_SHOWN, commits[1]);
    else
        text_addf(out, "%s..%s", profiles[0], profiles[1]);
}

void report_range_add(const struct report_change *change, struct text *out)
{
    report_places_add((const char *const[]){change->after_commit, change->until_commit},
                      (const char *const[]){change->after_profile, change->until_profile}, out);
    if (is_same_code(change))
        text_addf(out, " (the same code on both sides: %.*s)", SHA_SHOWN, change->after_commit);
}

bool report_is_recovery(const struct report_change *change)
{
    return !change->loss && change->takes_back != NULL;
}

/* ---- what to do ------------------------------------------------------------------------------ */

/* "stepledger VERB --project P --workload W MORE" */
static const char *command_make(struct report_making *making, const char *verb,
                                const char *workload, const char *more)
{
    scoped_text out;
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "stepledger %s --project ", verb);
    text_add_shell_word(&out, making->request->project);
    text_add(&out, " --workload ");
    text_add_shell_word(&out, workload);
    text_add(&out, more);
    return text_keep_start(&out, making->arena);
}

/* Later changes took so much of it back that it is another one now. */
static bool is_half_undone(const struct report_change *change)
{
    static const double much = .25;
    return change->undone.set && change->undone.value >= much;
}

/* "the later changes up to p58 (2026-03-01) took 48 % of it back" */
static void undone_add(const struct report_change *change, struct text *out)
{
    text_addf(out, "later changes up to %s (%.10s) took %.0f %% of it back", change->undone_by,
              change->undone_utc, 100 * change->undone.value);
}

/* A loss whose code differs. begun: a gate's baseline begins with it. */
static void loss_advise(const struct report_change *change, bool begun, struct text *out)
{
    text_add(out, "look at ");
    report_range_add(change, out);
    if (is_half_undone(change)) {
        text_add(out, ", of which ");
        undone_add(change, out);
        text_add(out, ": revert what is left of it, unless its cost is meant");
        return;
    }
    text_add(out, begun ? ", and revert it unless its cost is meant"
                        : ", and revert it, or, when its cost is meant, begin the baseline anew "
                          "there");
}

/* What a confirmed change that lasts asks for. begun: the entry with which a gate's baseline begins
 * there, by a person's word or because it has lasted: a gate does not see it any more; NULL: none.
 */
static void lasting_advise(const struct report_change *change, const char *begun, struct text *out)
{
    bool same = is_same_code(change);
    if (!same && !change->loss) {
        if (is_half_undone(change)) {
            undone_add(change, out);
            text_add(out, ": see what lost it");
        } else if (begun != NULL)
            text_addf(out,
                      "nothing: a gate fails when it is lost, its baseline begins with it (%s)",
                      begun);
        else
            text_add(out, "keep it: begin the baseline anew there, and a gate fails when it is "
                          "lost");
        return;
    }
    if (same)
        text_add(out, "the same code ran on both sides: look at machine, flags and data");
    else
        loss_advise(change, begun != NULL, out);
    if (begun != NULL)
        text_addf(out, ": the gate's baseline begins with it since %s", begun);
}

/* A gate's baseline may begin with the loss: then it has to be told that it is over. */
static void recovery_advise(const struct report_change *change, const char *begun, struct text *out)
{
    char rest[CHANGE_REST_BYTES];
    const struct change_way way = change_way_of_report(change);
    if (begun != NULL)
        text_addf(out, "nothing: a gate's baseline begins with it (%s)", begun);
    else if (change->takes_back_entry != NULL)
        text_addf(out, "begin the baseline anew there: a gate's begins with what is over (%s)",
                  change->takes_back_entry);
    else if (change->rest.set)
        text_addf(out, "nothing, unless %s the level of before %s matters",
                  change_rest_text(&way, rest), change->takes_back);
    else
        text_addf(out, "nothing: what came with %s is over", change->takes_back);
}

/* The command for a confirmed change that lasts; NULL: it asks for none. */
static const char *lasting_command(struct report_making *making, const struct report_change *change,
                                   const char *begun)
{
    if (is_same_code(change) && !report_is_recovery(change))
        return arena_printf(making->arena, "stepledger compare %s %s", change->after_profile,
                            change->until_profile);
    if (is_half_undone(change))
        return command_make(making, "trend", change->workload, "");
    if (begun == NULL && report_is_of_step_time(change->measure) &&
        (!report_is_recovery(change) || change->takes_back_entry != NULL))
        return arena_printf(making->arena, "stepledger rebaseline %s --at %s --reason WHY",
                            change->series, change->at_profile);
    return NULL;
}

static void changes_advise(struct report_making *making, struct report_change *changes,
                           size_t count)
{
    for (struct report_change *change = changes; change < changes + count; change++) {
        scoped_text next;
        text_init(&next, SENTENCE_BYTES);
        bool begins = change->status != NULL && strcmp(change->status, "confirmed") == 0;
        const char *begun = begins ? change->entry : change->begun_since;
        if (strcmp(change->tier, "confirmed") != 0) {
            text_add(&next, "wait for more runs: it may be noise");
            change->command = command_make(making, "trend", change->workload, "");
        } else if (change->went_away)
            text_add(&next, "nothing: a later change took it back");
        else {
            if (report_is_recovery(change))
                recovery_advise(change, begun, &next);
            else
                lasting_advise(change, begun, &next);
            change->command = lasting_command(making, change, begun);
        }
        change->next = text_keep_start(&next, making->arena);
    }
}

void report_advise(struct report_making *making)
{
    struct trend_report *report = making->report;
    changes_advise(making, report->losses, report->loss_count);
    changes_advise(making, report->improvements, report->improvement_count);
    changes_advise(making, report->recoveries, report->recovery_count);
    changes_advise(making, report->suspected, report->suspected_count);
    for (size_t i = 0; i < report->drift_count + report->drifting_count; i++) {
        struct report_drift *drift = i < report->drift_count
                                         ? &report->drifts[i]
                                         : &report->drifting[i - report->drift_count];
        drift->next = "no commit began it: see which ops crept up";
        drift->command = command_make(making, "trend", drift->workload, " --group-by op");
    }
    for (size_t i = 0; i < report->quiet_count; i++) {
        struct report_quiet *quiet = &report->quiet[i];
        if (quiet->other_size != NULL) {
            quiet->next = "nothing: runs on another number of devices are not compared";
            continue;
        }
        quiet->next = "see whether the job still runs and hands its profiles over";
        quiet->command = command_make(making, "list runs", quiet->workload, "");
    }
    for (size_t i = 0; i < report->restart_count; i++) {
        struct report_restart *restart = &report->restarts[i];
        if (report_is_rebaseline(restart->what)) {
            restart->next = "nothing: people decided it";
            continue;
        }
        restart->next = "no gate and no trend compares the two: see by yourself what it cost";
        restart->command = arena_printf(making->arena, "stepledger compare %s %s",
                                        restart->after_profile, restart->at_profile);
    }
}
