/* Prints the findings of a report as CSV (RFC 4180). */
#include "ops/present/trend_report/trend_report.h"

#include "ops/present/words/words.h"

enum { FIELDS = 18 };

static void changes_add(const struct report_change *changes, size_t count, const char *kind,
                        struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct report_change *change = &changes[i];
        char before[TEXT_DOUBLE_BYTES], after[TEXT_DOUBLE_BYTES], percent[TEXT_DOUBLE_BYTES];
        char share[TEXT_DOUBLE_BYTES];
        const struct report_op *op = change->op_count > 0 ? &change->ops[0] : NULL;
        const char *const fields[FIELDS] = {
            kind,
            change->workload,
            change->branch,
            change->series,
            change->measure,
            change->unit,
            text_double(change->before, before),
            text_double(change->after, after),
            change->change_pct.set ? text_double(change->change_pct.value, percent) : NULL,
            change->after_profile,
            change->after_commit,
            change->after_utc,
            change->until_profile,
            change->until_commit,
            change->until_utc,
            op != NULL ? op->name : NULL,
            op != NULL && op->share_pct.set ? text_double(op->share_pct.value, share) : NULL,
            change->next};
        csv_row_add(fields, FIELDS, out);
    }
}

static void drifts_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->drift_count; i++) {
        const struct report_drift *drift = &report->drifts[i];
        char before[TEXT_DOUBLE_BYTES], after[TEXT_DOUBLE_BYTES], percent[TEXT_DOUBLE_BYTES];
        const char *const fields[FIELDS] = {
            "drift",
            drift->workload,
            drift->branch,
            drift->series,
            drift->measure,
            drift->unit,
            text_double(drift->before, before),
            text_double(drift->after, after),
            drift->change_pct.set ? text_double(drift->change_pct.value, percent) : NULL,
            drift->from_profile,
            drift->from_commit,
            drift->from_utc,
            drift->until_profile,
            drift->until_commit,
            drift->until_utc,
            NULL,
            NULL,
            drift->next};
        csv_row_add(fields, FIELDS, out);
    }
}

static void quiet_add(const struct trend_report *report, struct text *out)
{
    for (size_t i = 0; i < report->quiet_count; i++) {
        const struct report_quiet *quiet = &report->quiet[i];
        const char *const fields[FIELDS] = {
            [0] = "quiet",       [1] = quiet->workload,     [2] = quiet->branch,
            [3] = quiet->series, [9] = quiet->last_profile, [11] = quiet->last_utc,
            [17] = quiet->next};
        csv_row_add(fields, FIELDS, out);
    }
}

bool trend_report_csv(const struct trend_report *report, struct text *out, struct err *err)
{
    text_add(out, "kind,workload,branch,series,measure,unit,before,after,change_pct,after_profile,"
                  "after_commit,after_utc,until_profile,until_commit,until_utc,op,op_share_pct,"
                  "next");
    changes_add(report->losses, report->loss_count, "loss", out);
    changes_add(report->improvements, report->improvement_count, "improvement", out);
    changes_add(report->suspected, report->suspected_count, "suspected", out);
    drifts_add(report, out);
    quiet_add(report, out);
    return text_ok(out, "the report", err);
}
