/* Builds what stands behind the news of a report. */
#include "ops/present/trend_report/report_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/measures.h"

#include <string.h>

static void verdicts_add(const struct trend_report *report, struct page *page)
{
    scoped_text line;
    text_init(&line, FORMAT_BYTES * 64);
    if (report->verdict_count + report->alert_count == 0)
        return;
    page_heading(page, true, "Gates");
    for (size_t i = 0; i < report->verdict_count; i++)
        if (report->verdicts[i].count > 0)
            text_addf(&line, "%s%lld %s", line.length > 0 ? ", " : "",
                      (long long)report->verdicts[i].count, report->verdicts[i].status);
    page_item(page, TONE_PLAIN, "verdicts", "%s",
              line.length > 0 ? text_string(&line) : "none in this period");
    page->failed |= line.failed;
    if (report->alert_count == 0) {
        page_item(page, TONE_PLAIN, "alerts", "none is open");
        return;
    }
    static const struct table_column columns[] = {
        {"open alert", COLUMN_TEXT}, {"status", COLUMN_TEXT},  {"workload", COLUMN_NAME},
        {"branch", COLUMN_NAME},     {"verdict", COLUMN_TEXT}, {"moved", COLUMN_TEXT}};
    struct table *table = page_table(page, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < report->alert_count; i++) {
        const struct report_alert *alert = &report->alerts[i];
        table_add(table, TONE_PLAIN, alert->alert);
        table_add(table, TONE_WARN, alert->status);
        table_add(table, TONE_PLAIN, alert->workload);
        table_add(table, TONE_PLAIN, alert->branch != NULL ? alert->branch : "");
        table_add(table, TONE_PLAIN, alert->verdict != NULL ? alert->verdict : "");
        table_addf(table, TONE_DIM, "%.10s", alert->moved_at_utc);
    }
    page_item(page, TONE_STRONG, "what to do",
              "acknowledge, accept or dismiss what is known: `stepledger alert --help`");
}

static void newcomers_add(const struct trend_report *report, struct page *page)
{
    static const struct table_column columns[] = {{"began to report", COLUMN_NAME},
                                                  {"branch", COLUMN_NAME},
                                                  {"series", COLUMN_TEXT},
                                                  {"first", COLUMN_TEXT},
                                                  {"runs", COLUMN_NUMBER}};
    if (report->newcomer_count == 0)
        return;
    page_heading(page, true, "New series");
    struct table *table = page_table(page, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < report->newcomer_count; i++) {
        const struct report_newcomer *newcomer = &report->newcomers[i];
        table_add(table, TONE_PLAIN, newcomer->workload);
        table_add(table, TONE_PLAIN, newcomer->branch != NULL ? newcomer->branch : "");
        table_addf(table, TONE_PLAIN, "%s%s%s%s", newcomer->series,
                   newcomer->other_size != NULL ? " (" : "",
                   newcomer->other_size != NULL ? newcomer->other_size : "",
                   newcomer->other_size != NULL ? ")" : "");
        table_addf(table, TONE_PLAIN, "%.10s", newcomer->first_utc);
        table_addf(table, TONE_PLAIN, "%lld", (long long)newcomer->run_count);
    }
}

static void noise_add(const struct trend_report *report, struct page *page)
{
    static const struct table_column columns[] = {{"noisiest", COLUMN_NAME},
                                                  {"series", COLUMN_TEXT},
                                                  {"noise", COLUMN_TEXT},
                                                  {"a single run may be off by", COLUMN_NUMBER},
                                                  {"runs", COLUMN_NUMBER}};
    if (report->noisiest_count == 0)
        return;
    page_heading(page, true, "Noise");
    struct table *table = page_table(page, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < report->noisiest_count; i++) {
        const struct report_noise *noise = &report->noisiest[i];
        table_add(table, TONE_PLAIN, noise->workload);
        table_add(table, TONE_PLAIN, noise->series);
        table_add(table, TONE_PLAIN, noise->noise);
        table_addf(table, TONE_PLAIN, "%.1f %%", noise->noise_pct);
        table_addf(table, TONE_PLAIN, "%lld", (long long)noise->run_count);
    }
    if (report->noise_graded != NULL)
        page_paragraph(page, TONE_DIM, "Noise: %s.", report->noise_graded);
}

/* Its place among those of which it is told; their count: it is none of them. */
static size_t canary_place(const struct trend_report *report, struct report_named named)
{
    size_t i = 0;
    while (i < report->canary_count && (strcmp(report->canaries[i].workload, named.workload) != 0 ||
                                        strcmp(report->canaries[i].series, named.series) != 0))
        i++;
    return i;
}

static bool was_named(const struct trend_report *report, size_t i)
{
    const struct report_named named = report_named_at(report, i);
    for (size_t k = 0; k < i; k++) {
        const struct report_named other = report_named_at(report, k);
        if (strcmp(other.workload, named.workload) == 0 && strcmp(other.series, named.series) == 0)
            return true;
    }
    return false;
}

/* Series that the report names and of which this is not told: they have too few runs, or stand
 * behind the last one that it is told of. */
static void canaries_missing_add(const struct trend_report *report, struct page *page)
{
    scoped_text few;
    size_t behind = 0, told = 0;
    struct report_named named;
    text_init(&few, FORMAT_BYTES * 64);
    for (size_t i = 0; (named = report_named_at(report, i)).workload != NULL; i++) {
        if (was_named(report, i))
            continue;
        bool is_told = canary_place(report, named) < report->canary_count;
        bool was_asked = told < REPORT_CANARIES;
        told += is_told;
        behind += !is_told && !was_asked;
        if (!is_told && was_asked)
            text_addf(&few, "%s%s %s", few.length > 0 ? ", " : "", named.workload, named.series);
    }
    if (few.length > 0)
        page_item(page, TONE_DIM, "not of",
                  "%s: too few runs that can be compared and share a level (`stepledger canary` "
                  "says how many it takes)",
                  text_string(&few));
    if (behind > 0)
        page_item(page, TONE_DIM, "not asked", "of %zu more series that this report names", behind);
    page->failed |= few.failed;
}

static void canaries_add(const struct trend_report *report, struct page *page)
{
    static const struct table_column columns[] = {
        {"workload", COLUMN_NAME},  {"series", COLUMN_TEXT},        {"runs", COLUMN_NUMBER},
        {"windows", COLUMN_NUMBER}, {"false fails", COLUMN_NUMBER}, {"95 %", COLUMN_NUMBER},
        {"put in", COLUMN_NUMBER},  {"caught", COLUMN_NUMBER}};
    if (report_named_at(report, 0).workload == NULL)
        return;
    page_heading(page, true, "How often a gate would be wrong on its own past");
    if (report->canary_count == 0) {
        canaries_missing_add(report, page);
        return;
    }
    struct table *table = page_table(page, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < report->canary_count; i++) {
        const struct report_canary *canary = &report->canaries[i];
        char share[FORMAT_BYTES];
        table_add(table, TONE_PLAIN, canary->workload);
        table_add(table, TONE_PLAIN, canary->series);
        table_addf(table, TONE_PLAIN, "%lld", (long long)canary->run_count);
        table_addf(table, TONE_PLAIN, "%lld", (long long)canary->window_count);
        table_add(table, TONE_PLAIN, format_share(canary->false_fail, share));
        table_addf(table, TONE_DIM, "%.1f..%.1f %%", 100 * canary->false_fail_low,
                   100 * canary->false_fail_high);
        table_addf(table, TONE_PLAIN, "%+.0f %%", canary->effect_pct);
        table_add(table, TONE_PLAIN, format_share(canary->caught, share));
    }
    canaries_missing_add(report, page);
    page_paragraph(page, TONE_DIM,
                   "Of the last runs before the end of the period, each by its newest profile, in "
                   "windows that share no run. `stepledger canary` tells more of one series as it "
                   "is now: its windows are moved by one run each and take all profiles, so its "
                   "shares are other ones.");
}

static void looked_at_add(const struct trend_report *report, struct page *page)
{
    char runs[FORMAT_COUNTED_BYTES], workloads[FORMAT_COUNTED_BYTES];
    const char *branch = report->branch != NULL ? report->branch : "any";
    format_counted(report->run_count, "run", runs);
    format_counted(report->workload_count, "workload", workloads);
    if (report->reporting_workload_count.set && report->reporting_series_count.set)
        page_item(page, TONE_PLAIN, "runs",
                  "%s of this time, of %lld of %s and %lld of %lld series that have any, branch %s",
                  runs, (long long)report->reporting_workload_count.value, workloads,
                  (long long)report->reporting_series_count.value, (long long)report->series_count,
                  branch);
    else
        page_item(page, TONE_PLAIN, "runs", "%s of %s in %lld series, branch %s", runs, workloads,
                  (long long)report->series_count, branch);
}

void report_state_fill(const struct trend_report *report, struct page *page)
{
    verdicts_add(report, page);
    newcomers_add(report, page);
    noise_add(report, page);
    canaries_add(report, page);
    page_heading(page, true, "What was looked at");
    page_item(page, TONE_PLAIN, "period", "%.19s to %.19s UTC, made %.19s", report->since_utc,
              report->until_utc, report->made_at_utc);
    if (report->told_by != NULL)
        page_item(page, TONE_PLAIN, "told before",
                  "what runs of up to %.19s UTC showed, by %s or one before it",
                  report->told_until_utc, report->told_by);
    page_item(page, TONE_PLAIN, "times",
              report->name != NULL
                  ? "runs are of the period in which they were recorded; dates are "
                    "those of capture, where it is known"
                  : "runs are of the period in which they were captured, where "
                    "that is known, else recorded");
    looked_at_add(report, page);
    page_item(page, TONE_PLAIN, "measure", "%s; runs are compared by %s",
              measure_words(report->measure),
              report->policy != NULL ? report->policy : "the default policy");
}
