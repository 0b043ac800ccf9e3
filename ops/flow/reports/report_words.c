/* The sentences of a report: its headlines. */
#include "ops/flow/reports/making.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"
#include "schema/documents/change_way.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <string.h>

enum { SHA_SHOWN = 12, SENTENCE_BYTES = 1 << 16, HEADLINES_MAX = 12 };

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

static void headline_add(struct report_making *making, const char *line)
{
    struct string_list *lines = &making->report->headlines;
    lines->items[lines->count++] = line;
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
    for (size_t i = 0; report_is_recovery(change) && i < report->loss_count; i++)
        if (strcmp(report->losses[i].at_profile, change->takes_back) == 0)
            return true;
    return false;
}

/* "2 new losses, 1 improvement, 1 that came and went" */
static void changes_count(const struct trend_report *report, struct text *out)
{
    size_t losses = 0, improvements = 0, recoveries = 0, nearly = 0, gone = 0;
    const struct report_change *change;
    for (size_t i = 0; (change = report_change_at(report, i)) != NULL; i++) {
        bool lasts = !change->went_away, alone = !is_told_with_its_loss(report, change);
        losses += lasts && change->loss;
        improvements += lasts && !change->loss && !report_is_recovery(change);
        recoveries += lasts && report_is_recovery(change) && alone && !change->rest.set;
        nearly += lasts && report_is_recovery(change) && alone && change->rest.set;
        gone += !lasts && alone;
    }
    count_add(out, losses, "new loss");
    count_add(out, improvements, "improvement");
    phrase_add(out, recoveries, "back on the level of before");
    phrase_add(out, nearly, "nearly back on the level of before");
    phrase_add(out, gone, "that came and went");
}

/* "llm, 2026-11-16 to 2026-11-23: 2 losses, 1 drift; 35 runs of 5 workloads." */
static void counts_tell(struct report_making *making)
{
    const struct trend_report *report = making->report;
    scoped_text counts, out;
    char runs[FORMAT_COUNTED_BYTES], workloads[FORMAT_COUNTED_BYTES], oldest[CLOCK_ISO_BYTES];
    size_t stopped = 0, began = 0, moved_size = 0, elsewhere = 0, grown = 0;
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
    for (size_t i = 0; i < report->drift_count; i++)
        grown += report->drifts[i].has_told;
    count_add(&counts, report->drift_count - grown, "slow drift");
    phrase_add(&counts, grown, "drifting on, twice as far as was told");
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
    else if (report->workload_count == 0 && !report_is_of_step_time(report->measure))
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
    headline_add(making, text_keep_start(&out, making->arena));
}

/* "pretrain: step time +6.1 % (10.00 ms -> 10.61 ms) since 1a2b3c4..5d6e7f8, 98 % of it by
 * fusion.1." */
static void change_tell(struct report_making *making, const struct report_change *change)
{
    scoped_text out;
    char delta[FORMAT_BYTES], before[FORMAT_BYTES], after[FORMAT_BYTES];
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: %s %s (%s -> %s) since ", change->workload, measure_words(change->measure),
              measure_change_text(change->unit, change->after - change->before, change->change_pct,
                                  delta),
              measure_text(change->unit, change->before, false, before),
              measure_text(change->unit, change->after, false, after));
    report_range_add(change, &out);
    if (change->op_count > 0 && change->ops[0].share_pct.set)
        text_addf(&out, ", %.0f %% of it by %s", change->ops[0].share_pct.value,
                  change->ops[0].name);
    const struct change_way way = change_way_of_report(change);
    change_way_add(&way, &out);
    text_addc(&out, '.');
    headline_add(making, text_keep_start(&out, making->arena));
}

static void drift_tell(struct report_making *making, const struct report_drift *drift)
{
    scoped_text out;
    char delta[FORMAT_BYTES], month[FORMAT_BYTES], told[REPORT_TOLD_BYTES];
    text_init(&out, SENTENCE_BYTES);
    text_addf(
        &out, "%s: %s drifts: %s from %.10s to %.10s", drift->workload,
        measure_words(drift->measure),
        measure_change_text(drift->unit, drift->after - drift->before, drift->change_pct, delta),
        drift->from_utc, drift->until_utc);
    if (drift->month_pct.set)
        text_addf(&out, ", %s a month",
                  measure_percent_text(drift->unit, drift->month_pct.value, month));
    if (drift->has_told)
        text_addf(&out, "; it goes on: %s", report_drift_told_text(drift, told));
    text_addc(&out, '.');
    headline_add(making, text_keep_start(&out, making->arena));
}

/* "pretrain: runs from 1a2b3c4 on are not compared with those before: batch was 32, newer runs have
 * 64." */
static void restart_tell(struct report_making *making, const struct report_restart *restart)
{
    scoped_text out;
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: runs from %.*s on are not compared with those before: ", restart->workload,
              SHA_SHOWN, restart->at_commit != NULL ? restart->at_commit : restart->at_profile);
    text_addf(&out, "%s.", restart->why);
    headline_add(making, text_keep_start(&out, making->arena));
}

/* "pretrain: what was told (or "rp3 told") of 1a2b3c4 (step time +6.1 %) is taken back: the runs
 * ...", or "came earlier: it came with 5d6e7f8..9a0b1c2; runs ..." */
static void withdrawn_tell(struct report_making *making, const struct report_withdrawn *gone)
{
    const struct report_moved *to = &gone->moved_to;
    scoped_text out;
    char delta[FORMAT_BYTES];
    text_init(&out, SENTENCE_BYTES);
    text_addf(&out, "%s: what %s told of %.*s (%s %s) ", gone->workload,
              gone->told_in != NULL ? gone->told_in : "was", SHA_SHOWN,
              gone->at_commit != NULL ? gone->at_commit : gone->at_profile,
              measure_words(gone->measure),
              measure_change_text(gone->unit, gone->after - gone->before, gone->change_pct, delta));
    if (gone->has_moved) {
        text_addf(&out, "came %s, with ", report_moved_word(gone));
        report_places_add((const char *const[]){to->after_commit, to->until_commit},
                          (const char *const[]){to->after_profile, to->until_profile}, &out);
        text_addf(&out, ": %s.", gone->why);
    } else
        text_addf(&out, "is taken back: %s.", gone->why);
    headline_add(making, text_keep_start(&out, making->arena));
}

/* The report's own, then a line for each change, drift, restart and what is taken back, the last
 * one for those that are too many. */
static void headlines_fill(struct report_making *making)
{
    struct trend_report *report = making->report;
    size_t changes = report->loss_count + report->improvement_count + report->recovery_count;
    size_t drifts = changes + report->drift_count, restarts = drifts + report->restart_count;
    size_t all = restarts + report->withdrawn_count;
    size_t told = 0, left = 0;
    report->headlines.items = arena_array(making->arena, const char *, HEADLINES_MAX);
    counts_tell(making);
    for (size_t i = 0; i < all; i++) {
        const struct report_change *change = report_change_at(report, i);
        if (change != NULL && is_told_with_its_loss(report, change))
            continue;
        left += told == HEADLINES_MAX - 2;
        if (left > 0)
            continue;
        if (change != NULL)
            change_tell(making, change);
        else if (i < drifts)
            drift_tell(making, &report->drifts[i - changes]);
        else if (i < restarts)
            restart_tell(making, &report->restarts[i - drifts]);
        else
            withdrawn_tell(making, &report->withdrawn[i - restarts]);
        told++;
    }
    if (left > 0)
        headline_add(making, arena_printf(making->arena, "And %zu more.", left));
}

void report_words_fill(struct report_making *making)
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
    report_advise(making);
    headlines_fill(making);
}
