/* Prints what a report tells as CSV (RFC 4180). */
#include "ops/present/trend_report/trend_report.h"

#include "ops/present/words/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS(X) \
    X(kind) \
    X(status) \
    X(workload) \
    X(branch) \
    X(series) \
    X(measure) \
    X(unit) \
    X(before) \
    X(after) \
    X(change_pct) \
    X(low_pct) \
    X(high_pct) \
    X(after_profile) \
    X(after_commit) \
    X(after_utc) \
    X(until_profile) \
    X(until_commit) \
    X(until_utc) \
    X(runs) \
    X(windows) \
    X(op) \
    X(op_share_pct) \
    X(next) \
    X(went_away) \
    X(takes_back) \
    X(at_profile) \
    X(at_utc) \
    X(command) \
    X(rest) \
    X(undone) \
    X(undone_by) \
    X(told_in) \
    X(told_before) \
    X(told_after)

/* One line; what is NULL stays empty. */
struct line {
#define MEMBER(name) const char *name;
    COLUMNS(MEMBER)
#undef MEMBER
};

/* Backs the numbers of a line. */
struct numbers {
    char texts[8][TEXT_DOUBLE_BYTES];
    size_t used;
};

static const char *number(struct numbers *numbers, double value)
{
    return text_double(value, numbers->texts[numbers->used++]);
}

static const char *counted(struct numbers *numbers, int64_t count)
{
    char *text = numbers->texts[numbers->used++];
    (void)snprintf(text, sizeof numbers->texts[0], "%" PRId64, count);
    return text;
}

static const char *number_if(struct numbers *numbers, struct opt_f64 value)
{
    return value.set ? number(numbers, value.value) : NULL;
}

static void line_add(const struct line *line, struct text *out)
{
#define FIELD(name) line->name,
    const char *const fields[] = {COLUMNS(FIELD)};
#undef FIELD
    csv_row_add(fields, sizeof fields / sizeof fields[0], out);
}

static void changes_add(const struct report_change *changes, size_t count, const char *kind,
                        struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        struct numbers numbers = {.used = 0};
        const struct report_change *change = &changes[i];
        const struct report_op *op = change->op_count > 0 ? &change->ops[0] : NULL;
        line_add(
            &(struct line){.kind = kind,
                           .status = change->status,
                           .workload = change->workload,
                           .branch = change->branch,
                           .series = change->series,
                           .measure = change->measure,
                           .unit = change->unit,
                           .before = number(&numbers, change->before),
                           .after = number(&numbers, change->after),
                           .change_pct = number_if(&numbers, change->change_pct),
                           .low_pct = number_if(&numbers, change->low_pct),
                           .high_pct = number_if(&numbers, change->high_pct),
                           .after_profile = change->after_profile,
                           .after_commit = change->after_commit,
                           .after_utc = change->after_utc,
                           .until_profile = change->until_profile,
                           .until_commit = change->until_commit,
                           .until_utc = change->until_utc,
                           .op = op != NULL ? op->name : NULL,
                           .op_share_pct = op != NULL ? number_if(&numbers, op->share_pct) : NULL,
                           .went_away = change->went_away ? "yes" : "no",
                           .takes_back = change->takes_back,
                           .at_profile = change->at_profile,
                           .at_utc = change->at_utc,
                           .command = change->command,
                           .rest = number_if(&numbers, change->rest),
                           .undone = number_if(&numbers, change->undone),
                           .undone_by = change->undone_by,
                           .next = change->next},
            out);
    }
}

static void drifts_add(const struct report_drift *drifts, size_t count, const char *kind,
                       struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        struct numbers numbers = {.used = 0};
        const struct report_drift *drift = &drifts[i];
        const struct report_drift_told *told = drift->has_told ? &drift->told : NULL;
        line_add(&(struct line){.kind = kind,
                                .workload = drift->workload,
                                .branch = drift->branch,
                                .series = drift->series,
                                .measure = drift->measure,
                                .unit = drift->unit,
                                .before = number(&numbers, drift->before),
                                .after = number(&numbers, drift->after),
                                .change_pct = number_if(&numbers, drift->change_pct),
                                .after_profile = drift->from_profile,
                                .after_commit = drift->from_commit,
                                .after_utc = drift->from_utc,
                                .until_profile = drift->until_profile,
                                .until_commit = drift->until_commit,
                                .until_utc = drift->until_utc,
                                .runs = counted(&numbers, drift->run_count),
                                .next = drift->next,
                                .command = drift->command,
                                .told_in = told != NULL ? told->report : NULL,
                                .told_before = told != NULL ? number(&numbers, told->before) : NULL,
                                .told_after = told != NULL ? number(&numbers, told->after) : NULL},
                 out);
    }
}

static void comings_and_goings_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->quiet_count; i++) {
        const struct report_quiet *quiet = &report->quiet[i];
        struct numbers numbers = {.used = 0};
        line_add(&(struct line){.kind = "quiet",
                                .status = quiet->other_size,
                                .workload = quiet->workload,
                                .branch = quiet->branch,
                                .series = quiet->series,
                                .after_profile = quiet->last_profile,
                                .after_utc = quiet->last_utc,
                                .runs = counted(&numbers, quiet->run_count),
                                .next = quiet->next,
                                .command = quiet->command},
                 out);
    }
    for (size_t i = 0; i < report->return_count; i++) {
        const struct report_return *back = &report->returns[i];
        line_add(&(struct line){.kind = "return",
                                .workload = back->workload,
                                .branch = back->branch,
                                .series = back->series,
                                .after_profile = back->last_profile,
                                .after_utc = back->last_utc,
                                .until_profile = back->first_profile,
                                .until_utc = back->first_utc},
                 out);
    }
    for (size_t i = 0; i < report->newcomer_count; i++) {
        const struct report_newcomer *newcomer = &report->newcomers[i];
        struct numbers numbers = {.used = 0};
        line_add(&(struct line){.kind = "new",
                                .status = newcomer->other_size,
                                .workload = newcomer->workload,
                                .branch = newcomer->branch,
                                .series = newcomer->series,
                                .until_profile = newcomer->first_profile,
                                .until_utc = newcomer->first_utc,
                                .runs = counted(&numbers, newcomer->run_count)},
                 out);
    }
}

static void restarts_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->restart_count; i++) {
        struct numbers numbers = {.used = 0};
        const struct report_restart *restart = &report->restarts[i];
        line_add(&(struct line){.kind = "restart",
                                .status = restart->what,
                                .workload = restart->workload,
                                .branch = restart->branch,
                                .series = restart->series,
                                .measure = restart->measure,
                                .unit = restart->unit,
                                .before = number(&numbers, restart->before),
                                .after = number(&numbers, restart->after),
                                .change_pct = number_if(&numbers, restart->change_pct),
                                .after_profile = restart->after_profile,
                                .after_commit = restart->after_commit,
                                .after_utc = restart->after_utc,
                                .until_profile = restart->at_profile,
                                .until_commit = restart->at_commit,
                                .until_utc = restart->at_utc,
                                .runs = counted(&numbers, restart->run_count),
                                .next = restart->next,
                                .at_profile = restart->at_profile,
                                .at_utc = restart->at_utc,
                                .command = restart->command},
                 out);
    }
}

static void mfu_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->mfu_count; i++) {
        struct numbers numbers = {.used = 0};
        line_add(&(struct line){.kind = "mfu",
                                .workload = report->mfu[i].workload,
                                .branch = report->mfu[i].branch,
                                .measure = "mfu",
                                .unit = "share",
                                .before = number_if(&numbers, report->mfu[i].before),
                                .after = number(&numbers, report->mfu[i].now)},
                 out);
    }
}

static void withdrawn_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->withdrawn_count; i++) {
        struct numbers numbers = {.used = 0};
        const struct report_withdrawn *gone = &report->withdrawn[i];
        const struct report_moved *to = &gone->moved_to;
        line_add(
            &(struct line){.kind = gone->has_moved ? "moved" : "withdrawn",
                           .status = gone->entry,
                           .workload = gone->workload,
                           .branch = gone->branch,
                           .series = gone->series,
                           .measure = gone->measure,
                           .unit = gone->unit,
                           .before = number(&numbers, gone->before),
                           .after = number(&numbers, gone->after),
                           .change_pct = number_if(&numbers, gone->change_pct),
                           .after_profile = to->after_profile,
                           .after_commit = to->after_commit,
                           .after_utc = to->after_utc,
                           .until_profile = gone->has_moved ? to->until_profile : gone->at_profile,
                           .until_commit = gone->has_moved ? to->until_commit : gone->at_commit,
                           .until_utc = gone->has_moved ? to->until_utc : gone->at_utc,
                           .next = gone->why,
                           .takes_back = gone->has_moved ? gone->at_profile : NULL,
                           .at_profile = gone->has_moved ? to->at_profile : gone->at_profile,
                           .at_utc = gone->has_moved ? NULL : gone->at_utc,
                           .told_in = gone->told_in},
            out);
    }
}

/* What was looked at, a count in `after` each. */
static void looked_at_add(const struct trend_report *report, struct text *out)
{
    const struct {
        const char *kind;
        struct opt_i64 count;
    } counts[] = {{"runs", some_i64(report->run_count)},
                  {"workloads", some_i64(report->workload_count)},
                  {"workloads_with_runs", report->reporting_workload_count},
                  {"series", some_i64(report->series_count)},
                  {"series_with_runs", report->reporting_series_count}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct numbers numbers = {.used = 0};
        line_add(&(struct line){.kind = counts[i].kind,
                                .branch = report->branch,
                                .unit = "count",
                                .after = counts[i].count.set
                                             ? counted(&numbers, counts[i].count.value)
                                             : NULL},
                 out);
    }
}

/* What gates and series are like, in `after`: a count or a percentage. */
static void state_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->verdict_count; i++) {
        struct numbers numbers = {.used = 0};
        line_add(&(struct line){.kind = "verdicts",
                                .status = report->verdicts[i].status,
                                .unit = "count",
                                .after = counted(&numbers, report->verdicts[i].count)},
                 out);
    }
    for (size_t i = 0; i < report->alert_count; i++) {
        const struct report_alert *alert = &report->alerts[i];
        line_add(&(struct line){.kind = "alert",
                                .status = alert->status,
                                .workload = alert->workload,
                                .branch = alert->branch,
                                .series = alert->series,
                                .until_utc = alert->moved_at_utc},
                 out);
    }
    for (size_t i = 0; i < report->noisiest_count; i++) {
        struct numbers numbers = {.used = 0};
        const struct report_noise *noise = &report->noisiest[i];
        line_add(&(struct line){.kind = "noise",
                                .status = noise->noise,
                                .workload = noise->workload,
                                .branch = noise->branch,
                                .series = noise->series,
                                .measure = noise->measure,
                                .unit = "percent",
                                .after = number(&numbers, noise->noise_pct),
                                .runs = counted(&numbers, noise->run_count)},
                 out);
    }
    for (size_t i = 0; i < report->canary_count; i++) {
        struct numbers numbers = {.used = 0};
        const struct report_canary *canary = &report->canaries[i];
        struct line line = {.kind = "false_fails",
                            .workload = canary->workload,
                            .series = canary->series,
                            .unit = "percent",
                            .after = number(&numbers, 100 * canary->false_fail),
                            .low_pct = number(&numbers, 100 * canary->false_fail_low),
                            .high_pct = number(&numbers, 100 * canary->false_fail_high),
                            .runs = counted(&numbers, canary->run_count),
                            .windows = counted(&numbers, canary->window_count)};
        line_add(&line, out);
        line_add(&(struct line){.kind = "caught",
                                .workload = canary->workload,
                                .series = canary->series,
                                .unit = "percent",
                                .after = number(&numbers, 100 * canary->caught),
                                .change_pct = number(&numbers, canary->effect_pct),
                                .runs = line.runs,
                                .windows = line.windows},
                 out);
    }
}

bool trend_report_csv(const struct trend_report *report, struct text *out, struct err *err)
{
#define NAME(name) #name "\0"
    static const char names[] = COLUMNS(NAME);
#undef NAME
    for (const char *name = names; *name != '\0'; name += strlen(name) + 1)
        text_addf(out, "%s%s", name == names ? "" : ",", name);
    changes_add(report->losses, report->loss_count, "loss", out);
    changes_add(report->improvements, report->improvement_count, "improvement", out);
    changes_add(report->recoveries, report->recovery_count, "recovery", out);
    changes_add(report->suspected, report->suspected_count, "suspected", out);
    drifts_add(report->drifts, report->drift_count, "drift", out);
    drifts_add(report->drifting, report->drifting_count, "drifting", out);
    comings_and_goings_add(report, out);
    mfu_add(report, out);
    withdrawn_add(report, out);
    restarts_add(report, out);
    looked_at_add(report, out);
    state_add(report, out);
    return text_ok(out, "the report", err);
}
