/* The sentences of a report: what to do about each finding, and the headlines. */
#include "ops/flow/reports/making.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <string.h>

enum { SHA_SHOWN = 12, SENTENCE_BYTES = 4000, HEADLINES_MAX = 12 };

static bool step_time(const char *measure)
{
    return strcmp(measure, measure_rows[MEASURE_steady_step_median].name) == 0;
}

static bool commits_are_known(const struct report_change *change)
{
    return change->after_commit != NULL && change->until_commit != NULL;
}

/* No commit brought it. */
static bool is_same_code(const struct report_change *change)
{
    return commits_are_known(change) && strcmp(change->after_commit, change->until_commit) == 0;
}

/* "1a2b3c4..5d6e7f8"; else the profiles. */
static void places_add(const char *const commits[2], const char *const profiles[2],
                       struct text *out)
{
    if (commits[0] != NULL && commits[1] != NULL && strcmp(commits[0], commits[1]) != 0)
        text_addf(out, "%.*s..%.*s", SHA_SHOWN, commits[0], SHA_SHOWN, commits[1]);
    else
        text_addf(out, "%s..%s", profiles[0], profiles[1]);
}

/* The profiles, too, where a commit is not known, or is the same one. */
static void range_add(const struct report_change *change, struct text *out)
{
    places_add((const char *const[]){change->after_commit, change->until_commit},
               (const char *const[]){change->after_profile, change->until_profile}, out);
    if (is_same_code(change))
        text_addf(out, " (the same code on both sides: %.*s)", SHA_SHOWN, change->after_commit);
}

/* ---- what to do ------------------------------------------------------------------------------ */

/* "stepledger VERB --project P --workload W MORE"; NULL beyond the budget. */
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
    return text_keep(&out, making->arena);
}

/* What a confirmed change that lasts asks for. decided: by a person, or because it has lasted: a
 * gate does not see it any more. */
static void lasting_advise(const struct report_change *change, bool decided, struct text *out)
{
    bool same = is_same_code(change);
    if (!same && !change->loss) {
        if (decided)
            text_addf(out,
                      "nothing: a gate fails when it is lost, its baseline begins with it (%s)",
                      change->entry);
        else
            text_add(out, "keep it: begin the baseline anew there, and a gate fails when it is "
                          "lost");
        return;
    }
    if (same)
        text_add(out, "the same code ran on both sides: look at machine, flags and data");
    else {
        text_add(out, "look at ");
        range_add(change, out);
        text_add(out, decided ? ", and revert it unless its cost is meant"
                              : ", and revert it, or, when its cost is meant, begin the baseline "
                                "anew there");
    }
    if (decided)
        text_addf(out, ": the gate's baseline begins with it since %s", change->entry);
}

/* What was lost before came back, and nothing besides was gained. */
static bool is_recovery(const struct report_change *change)
{
    return !change->loss && change->takes_back != NULL;
}

/* A gate's baseline may begin with the loss: then it has to be told that it is over. */
static void recovery_advise(const struct report_change *change, bool decided, struct text *out)
{
    if (decided)
        text_addf(out, "nothing: a gate's baseline begins with it (%s)", change->entry);
    else if (change->takes_back_entry != NULL)
        text_addf(out, "begin the baseline anew there: a gate's begins with what is over (%s)",
                  change->takes_back_entry);
    else
        text_addf(out, "nothing: what came with %s is over", change->takes_back);
}

static bool change_advise(struct report_making *making, struct report_change *change)
{
    scoped_text next;
    text_init(&next, SENTENCE_BYTES);
    bool confirmed = strcmp(change->tier, "confirmed") == 0;
    bool decided = change->status != NULL && strcmp(change->status, "confirmed") == 0;
    if (!confirmed)
        text_add(&next, "wait for more runs: it may be noise");
    else if (change->went_away)
        text_add(&next, "nothing: a later change took it back");
    else if (is_recovery(change))
        recovery_advise(change, decided, &next);
    else
        lasting_advise(change, decided, &next);
    if (!confirmed)
        change->command = command_make(making, "trend", change->workload, "");
    else if (!change->went_away && is_same_code(change) && !is_recovery(change))
        change->command = arena_printf(making->arena, "stepledger compare %s %s",
                                       change->after_profile, change->until_profile);
    else if (!change->went_away && !decided && step_time(change->measure) &&
             (!is_recovery(change) || change->takes_back_entry != NULL))
        change->command =
            arena_printf(making->arena, "stepledger rebaseline %s --at %s --reason WHY",
                         change->series, change->at_profile);
    change->next = text_keep(&next, making->arena);
    return change->next != NULL;
}

static bool changes_advise(struct report_making *making, struct report_change *changes,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!change_advise(making, &changes[i]))
            return false;
    return true;
}

static bool rest_advise(struct report_making *making)
{
    struct trend_report *report = making->report;
    for (size_t i = 0; i < report->drift_count + report->drifting_count; i++) {
        struct report_drift *drift = i < report->drift_count
                                         ? &report->drifts[i]
                                         : &report->drifting[i - report->drift_count];
        drift->next = "no commit began it: see which ops crept up";
        drift->command = command_make(making, "trend", drift->workload, " --group-by op");
        if (drift->command == NULL)
            return false;
    }
    for (size_t i = 0; i < report->quiet_count; i++) {
        struct report_quiet *quiet = &report->quiet[i];
        quiet->next = quiet->other_size != NULL
                          ? "nothing: runs on another number of devices are not compared"
                          : "see whether the job still runs and hands its profiles over";
        if (quiet->other_size != NULL)
            continue;
        quiet->command = command_make(making, "list runs", quiet->workload, "");
        if (quiet->command == NULL)
            return false;
    }
    return true;
}

static bool restarts_advise(struct report_making *making)
{
    for (size_t i = 0; i < making->report->restart_count; i++) {
        struct report_restart *restart = &making->report->restarts[i];
        if (report_is_rebaseline(restart->what)) {
            restart->next = "nothing: people decided it";
            continue;
        }
        restart->next = "no gate and no trend compares the two: see by yourself what it cost";
        restart->command = arena_printf(making->arena, "stepledger compare %s %s",
                                        restart->after_profile, restart->at_profile);
        if (restart->command == NULL)
            return false;
    }
    return true;
}

/* ---- headlines ------------------------------------------------------------------------------- */

static void count_add(struct text *out, size_t count, const char *noun)
{
    char words[FORMAT_COUNTED_BYTES];
    if (count > 0)
        text_addf(out, "%s%s", out->length > 0 ? ", " : "",
                  format_counted((int64_t)count, noun, words));
}

/* "3 stopped reporting": words that are the same for one and for many. */
static void phrase_add(struct text *out, size_t count, const char *words)
{
    if (count > 0)
        text_addf(out, "%s%zu %s", out->length > 0 ? ", " : "", count, words);
}

static bool headline_take(struct report_making *making, const struct text *line)
{
    struct string_list *lines = &making->report->headlines;
    lines->items[lines->count] = text_keep(line, making->arena);
    return lines->items[lines->count++] != NULL;
}

/* ", 3 alerts open, 1 of them since this period": what stands open is no news, and not nothing. */
static void alerts_add(const struct trend_report *report, size_t moved, struct text *out)
{
    char alerts[FORMAT_COUNTED_BYTES];
    if (report->alert_count == 0)
        return;
    text_addf(out, ", %s open", format_counted((int64_t)report->alert_count, "alert", alerts));
    if (moved > 0)
        text_addf(out, ", %zu of them moved in this time", moved);
}

/* The end of a loss that the report tells, too: both are counted and told once, as the loss. */
static bool is_told_with_its_loss(const struct trend_report *report,
                                  const struct report_change *change)
{
    for (size_t i = 0; is_recovery(change) && i < report->loss_count; i++)
        if (strcmp(report->losses[i].at_profile, change->takes_back) == 0)
            return true;
    return false;
}

/* "2 new losses, 1 improvement, 1 that came and went" */
static void changes_count(const struct trend_report *report, struct text *out)
{
    size_t losses = 0, improvements = 0, recoveries = 0, gone = 0;
    const struct report_change *change;
    for (size_t i = 0; (change = report_change_at(report, i)) != NULL; i++) {
        bool lasts = !change->went_away, alone = !is_told_with_its_loss(report, change);
        losses += lasts && change->loss;
        improvements += lasts && !change->loss && !is_recovery(change);
        recoveries += lasts && is_recovery(change) && alone;
        gone += !lasts && alone;
    }
    count_add(out, losses, "new loss");
    count_add(out, improvements, "improvement");
    phrase_add(out, recoveries, "back on the level of before");
    phrase_add(out, gone, "that came and went");
}

/* "llm, 2026-11-16 to 2026-11-23: 2 losses, 1 drift; 35 runs of 5 workloads." */
static bool counts_tell(struct report_making *making)
{
    const struct trend_report *report = making->report;
    scoped_text counts, out;
    char runs[FORMAT_COUNTED_BYTES], workloads[FORMAT_COUNTED_BYTES], oldest[CLOCK_ISO_BYTES];
    size_t stopped = 0, began = 0, moved_size = 0, elsewhere = 0;
    for (size_t i = 0; i < report->quiet_count; i++)
        stopped += report->quiet[i].other_size == NULL;
    for (size_t i = 0; i < report->newcomer_count; i++)
        began += report->newcomers[i].other_size == NULL;
    moved_size = report->newcomer_count > began ? report->newcomer_count - began
                                                : report->quiet_count - stopped;
    for (size_t i = 0; i < report->withdrawn_count; i++)
        elsewhere += report->withdrawn[i].has_moved;
    int64_t silent = report->workload_count - report->reporting_workload_count.value;
    text_init(&counts, SENTENCE_BYTES);
    text_init(&out, SENTENCE_BYTES);
    changes_count(report, &counts);
    count_add(&counts, report->drift_count, "slow drift");
    count_add(&counts, report->suspected_count, "suspicion");
    phrase_add(&counts, stopped, "stopped reporting");
    phrase_add(&counts, report->return_count, "reporting again");
    phrase_add(&counts, began, "new series");
    phrase_add(&counts, elsewhere, "that came elsewhere than was told");
    phrase_add(&counts, report->withdrawn_count - elsewhere, "told before and taken back");
    phrase_add(&counts, moved_size, "on another number of devices");
    phrase_add(&counts, report->restart_count, "not compared with what was before");
    text_addf(&out, "%s, %.10s to %.10s", report->project, report->since_utc, report->until_utc);
    if (report->told_by != NULL)
        text_addf(&out, ", since %s", report->told_by);
    text_add(&out, ": ");
    size_t moved = 0;
    for (size_t i = 0; i < report->alert_count; i++)
        moved += strcmp(report->alerts[i].moved_at_utc, report->since_utc) >= 0;
    if (!report->nothing_new)
        text_add_text(&out, &counts);
    else if (report->workload_count == 0 && !step_time(report->measure))
        text_addf(&out, "no run tells %s, so that nothing can be said",
                  measure_words(report->measure));
    else if (report->run_count == 0)
        text_add(&out, "no run, so that nothing can be said");
    else
        text_add(&out, moved > 0 ? "nothing new in its runs" : "nothing new");
    alerts_add(report, moved, &out);
    text_addf(&out, "; %s of %s", format_counted(report->run_count, "run", runs),
              format_counted(report->run_count > 0 ? report->reporting_workload_count.value
                                                   : report->workload_count,
                             "workload", workloads));
    if (report->run_count > 0 && silent > 0)
        text_addf(&out, ", and none of %lld more", (long long)silent);
    if (making->oldest_us != 0 && making->oldest_us < making->request->since_us)
        text_addf(&out, ", the oldest captured on %.10s and taken in since",
                  clock_iso(making->oldest_us, oldest));
    text_addc(&out, '.');
    return headline_take(making, &out);
}

/* "pretrain: step time +6.1 % (10.00 ms -> 10.61 ms) since 1a2b3c4..5d6e7f8, 98 % of it by
 * fusion.1." */
static bool change_tell(struct report_making *making, const struct report_change *change)
{
    scoped_text out;
    char delta[FORMAT_BYTES], before[FORMAT_BYTES], after[FORMAT_BYTES];
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: %s %s (%s -> %s) since ", change->workload, measure_words(change->measure),
              measure_change_text(change->unit, change->after - change->before, change->change_pct,
                                  delta),
              measure_text(change->unit, change->before, false, before),
              measure_text(change->unit, change->after, false, after));
    range_add(change, &out);
    if (change->op_count > 0 && change->ops[0].share_pct.set)
        text_addf(&out, ", %.0f %% of it by %s", change->ops[0].share_pct.value,
                  change->ops[0].name);
    if (change->takes_back != NULL)
        text_addf(&out, "; back to the level of before %s (%.10s)", change->takes_back,
                  change->takes_back_utc);
    text_add(&out, change->went_away ? "; a later change took it back." : ".");
    return headline_take(making, &out);
}

static bool drift_tell(struct report_making *making, const struct report_drift *drift)
{
    scoped_text out;
    char delta[FORMAT_BYTES], month[FORMAT_BYTES];
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: %s drifts: %s from %.10s to %.10s", drift->workload,
              measure_words(drift->measure),
              drift->change_pct.set
                  ? format_percent_delta(drift->change_pct.value, delta)
                  : measure_text(drift->unit, drift->after - drift->before, true, delta),
              drift->from_utc, drift->until_utc);
    if (drift->month_pct.set)
        text_addf(&out, ", %s a month", format_percent_delta(drift->month_pct.value, month));
    text_addc(&out, '.');
    return headline_take(making, &out);
}

/* "pretrain: runs from 1a2b3c4 on are not compared with those before: batch was 32, newer runs have
 * 64." */
static bool restart_tell(struct report_making *making, const struct report_restart *restart)
{
    scoped_text out;
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: runs from %.*s on are not compared with those before: ", restart->workload,
              SHA_SHOWN, restart->at_commit != NULL ? restart->at_commit : restart->at_profile);
    text_addf(&out, "%s.", restart->why);
    return headline_take(making, &out);
}

/* "pretrain: what was told of 1a2b3c4 (step time +6.1 %) is taken back: the runs ...", or "came
 * earlier: it came with 5d6e7f8..9a0b1c2; runs ..." */
static bool withdrawn_tell(struct report_making *making, const struct report_withdrawn *gone)
{
    const struct report_moved *to = &gone->moved_to;
    scoped_text out;
    char delta[FORMAT_BYTES];
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: what was told of %.*s (%s %s) ", gone->workload, SHA_SHOWN,
              gone->at_commit != NULL ? gone->at_commit : gone->at_profile,
              measure_words(gone->measure),
              measure_change_text(gone->unit, gone->after - gone->before, gone->change_pct, delta));
    if (gone->has_moved) {
        text_addf(&out, "came %s, with ", report_moved_word(gone));
        places_add((const char *const[]){to->after_commit, to->until_commit},
                   (const char *const[]){to->after_profile, to->until_profile}, &out);
        text_addf(&out, ": %s.", gone->why);
    } else
        text_addf(&out, "is taken back: %s.", gone->why);
    return headline_take(making, &out);
}

static bool more_tell(struct report_making *making, size_t count)
{
    scoped_text out;
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "And %zu more.", count);
    return headline_take(making, &out);
}

/* The report's own, then a line for each change, drift, restart and what is taken back, the last
 * one for those that are too many. */
static bool headlines_fill(struct report_making *making)
{
    const struct trend_report *report = making->report;
    size_t changes = report->loss_count + report->improvement_count + report->recovery_count;
    size_t drifts = changes + report->drift_count, restarts = drifts + report->restart_count;
    size_t all = restarts + report->withdrawn_count;
    size_t told = 0, left = 0;
    making->report->headlines.items = arena_array(making->arena, const char *, HEADLINES_MAX);
    bool done = report->headlines.items != NULL && counts_tell(making);
    for (size_t i = 0; done && i < all; i++) {
        const struct report_change *change = report_change_at(report, i);
        if (change != NULL && is_told_with_its_loss(report, change))
            continue;
        left += told == HEADLINES_MAX - 2;
        if (left > 0)
            continue;
        done = change != NULL ? change_tell(making, change)
               : i < drifts   ? drift_tell(making, &report->drifts[i - changes])
               : i < restarts ? restart_tell(making, &report->restarts[i - drifts])
                              : withdrawn_tell(making, &report->withdrawn[i - restarts]);
        told++;
    }
    return done && (left == 0 || more_tell(making, left));
}

bool report_words_fill(struct report_making *making, struct err *err)
{
    struct trend_report *report = making->report;
    report->nothing_new = report->loss_count + report->improvement_count + report->recovery_count +
                              report->suspected_count + report->drift_count + report->quiet_count +
                              report->restart_count + report->return_count +
                              report->newcomer_count + report->withdrawn_count ==
                          0;
    report->noise_graded = "what a single run may be off by: the third quartile and three quartile "
                           "ranges of what neighbouring runs differ by; below 2 % quiet, 5 % fair, "
                           "15 % noisy, else wild";
    return (changes_advise(making, report->losses, report->loss_count) &&
            changes_advise(making, report->improvements, report->improvement_count) &&
            changes_advise(making, report->recoveries, report->recovery_count) &&
            changes_advise(making, report->suspected, report->suspected_count) &&
            rest_advise(making) && restarts_advise(making) && headlines_fill(making)) ||
           arena_failed(making->arena, "a report", err);
}
