/* Builds the page of a report: what needs somebody first. */
#include "ops/present/trend_report/report_page.h"

#include "ops/present/trend/trend.h"
#include "ops/present/trend_report/report_drawings.h"
#include "ops/present/words/words.h"
#include "ops/runtime/text.h"
#include "schema/documents/change_way.h"
#include "schema/documents/measures.h"

#include <string.h>

enum {
    COMMIT_SHOWN = 12,
    COMMITS_LISTED = 10,
    SPARK_COLUMNS = 60,
    NAMES_BYTES = 4096,
    MFU_SHOWN = 4
};

/* ---- the first line -------------------------------------------------------------------------- */

static size_t drifting_losses(const struct trend_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->drift_count; i++)
        count += report->drifts[i].loss;
    return count;
}

/* Of the changes, those that stand. */
static size_t lasting(const struct report_change *changes, size_t count)
{
    size_t lasts = 0;
    for (size_t i = 0; i < count; i++)
        lasts += !changes[i].went_away;
    return lasts;
}

/* Without those that go on on another number of devices. */
static size_t stopped(const struct trend_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->quiet_count; i++)
        count += report->quiet[i].other_size == NULL;
    return count;
}

/* Of what was told before, what came elsewhere. */
static size_t moved(const struct trend_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->withdrawn_count; i++)
        count += report->withdrawn[i].has_moved;
    return count;
}

/* "MFU: pretrain 41.2 % (43.0 % before), tune 38.0 %" */
static void mfu_add(const struct trend_report *report, struct page *page)
{
    scoped_text line;
    text_init(&line, NAMES_BYTES);
    for (size_t i = 0; i < report->mfu_count && i < MFU_SHOWN; i++) {
        const struct report_mfu *mfu = &report->mfu[i];
        char words[REPORT_MFU_BYTES];
        text_addf(&line, "%s%s %s", i == 0 ? "MFU: " : ", ", mfu->workload,
                  report_mfu_text(mfu, REPORT_MFU_BEFORE, words));
    }
    if (report->mfu_count > MFU_SHOWN)
        text_addf(&line, ", and %zu more", report->mfu_count - MFU_SHOWN);
    if (report->mfu_count > 0)
        page_paragraph(page, TONE_PLAIN, "%s", text_string(&line));
    page->failed |= line.failed;
}

static void headline_add(const struct trend_report *report, struct page *page)
{
    const struct {
        size_t count;
        enum tone tone;
        const char *label;
    } labels[] = {
        {lasting(report->losses, report->loss_count), TONE_BAD, "LOSS"},
        {drifting_losses(report), TONE_WARN, "DRIFT"},
        {stopped(report), TONE_WARN, "QUIET"},
        {lasting(report->improvements, report->improvement_count), TONE_GOOD, "BETTER"},
        {report->loss_count + report->improvement_count + report->recovery_count, TONE_GOOD,
         "BACK"},
        {report->suspected_count, TONE_WARN, "SUSPECTED"},
        {moved(report), TONE_WARN, "CAME ELSEWHERE"},
        {report->withdrawn_count, TONE_WARN, "TAKEN BACK"},
        {report->restart_count, TONE_WARN, "NOT COMPARABLE"},
        {report->return_count, TONE_PLAIN, "REPORTING AGAIN"},
        {report->newcomer_count + report->quiet_count, TONE_PLAIN, "NEW SERIES"},
        {report->alert_count, TONE_WARN, "ALERTS OPEN"},
        {report->run_count == 0, TONE_WARN, "NO RUNS"},
        {1, TONE_GOOD, "NOTHING NEW"},
    };
    size_t i = 0;
    while (labels[i].count == 0)
        i++;
    page_headline(page, labels[i].tone, labels[i].label, "%s",
                  report->headlines.count > 0 ? report->headlines.items[0] : report->project);
    mfu_add(report, page);
    for (i = 1; report->headlines.count > 2 && i < report->headlines.count; i++)
        page_item(page, TONE_PLAIN, NULL, "%s", report->headlines.items[i]);
}

static void next_add(const char *next, const char *command, struct page *page)
{
    if (command != NULL)
        page_item(page, TONE_STRONG, "what to do", "%s: `%s`", next, command);
    else
        page_item(page, TONE_STRONG, "what to do", "%s", next);
}

/* Which of its runs no gate takes for a past, the newest first. */
static void outliers_add(const struct report_course *course, struct page *page)
{
    enum { NAMED_MAX = 5 };
    size_t count = 0;
    scoped_text names;
    text_init(&names, NAMES_BYTES);
    for (size_t i = course->point_count; i-- > 0;) {
        const struct report_point *point = &course->points[i];
        char value[FORMAT_BYTES];
        if (point->outlier && count++ < NAMED_MAX)
            text_addf(&names, "%s%s (%s, %.10s)", count > 1 ? ", " : "", point->run,
                      measure_text(course->unit, point->value, false, value), point->ran_at_utc);
    }
    if (count > NAMED_MAX)
        text_addf(&names, " and %zu more", count - NAMED_MAX);
    page->failed |= names.failed;
    if (count > 0)
        page_item(page, TONE_DIM, "set aside", "%s: far from %s neighbours", text_shown(&names),
                  count == 1 ? "its" : "their");
}

/* The first time that a finding names it: all of its findings stand in it. Whether this is it. */
static bool course_add(const struct trend_report *report, const struct opt_i64 *course,
                       struct page *page)
{
    struct drawing drawing;
    bool is_new = report_course_is_new(report, course) &&
                  report_course_drawing(report, *course, page->arena, &drawing);
    if (is_new)
        page_picture(page, drawing, series_sparkline(drawing.what, SPARK_COLUMNS, page->arena));
    return is_new;
}

/* ---- changes of level ------------------------------------------------------------------------ */

/* "+6.1 % (10.00 ms -> 10.61 ms)"; of a share in points. */
static const char *amount_words(const char *unit, double before, double after,
                                struct opt_f64 change_pct, struct page *page)
{
    char delta[FORMAT_BYTES], left[FORMAT_BYTES], right[FORMAT_BYTES];
    return arena_printf(
        page->arena, "%s (%s -> %s)", measure_change_text(unit, after - before, change_pct, delta),
        measure_text(unit, before, false, left), measure_text(unit, after, false, right));
}

/* "1a2b3c4d5e6f (p79, 2026-03-18)". */
static const char *place_words(const char *commit, const char *profile, const char *utc,
                               struct page *page)
{
    return commit != NULL
               ? arena_printf(page->arena, "%.*s (%s, %.10s)", COMMIT_SHOWN, commit, profile, utc)
               : arena_printf(page->arena, "%s (%.10s)", profile, utc);
}

static void range_add(const struct report_change *change, struct page *page)
{
    char high[FORMAT_BYTES];
    scoped_text ways;
    text_init(&ways, NAMES_BYTES);
    const struct change_way way = change_way_of_report(change);
    change_way_add(&way, &ways);
    page_item(page, TONE_PLAIN, "it came", "behind %s, at the latest with %s%s",
              place_words(change->after_commit, change->after_profile, change->after_utc, page),
              place_words(change->until_commit, change->until_profile, change->until_utc, page),
              text_string(&ways));
    page->failed |= ways.failed;
    if (change->after_commit != NULL && change->until_commit != NULL &&
        strcmp(change->after_commit, change->until_commit) == 0)
        page_item(page, TONE_WARN, "code", "the same commit on both sides: no commit brought it");
    if (change->low_pct.set && change->high_pct.set)
        page_item(page, TONE_PLAIN, "how sure", "95 %% interval %+.1f to %s%s%s%s%s%s",
                  change->low_pct.value,
                  measure_percent_text(change->unit, change->high_pct.value, high),
                  change->entry != NULL ? "; it is entry " : "",
                  change->entry != NULL ? change->entry : "", change->entry != NULL ? " (" : "",
                  change->entry != NULL ? change->status : "", change->entry != NULL ? ")" : "");
    else if (change->entry != NULL)
        page_item(page, TONE_PLAIN, "entry", "%s (%s)", change->entry, change->status);
}

static void commits_add(const struct report_change *change, struct page *page)
{
    static const struct table_column columns[] = {
        {"commits of the range, newest first", COLUMN_TEXT}, {"subject", COLUMN_WORDS}};
    if (change->commits_why != NULL)
        page_item(page, TONE_WARN, "commits", "not told: %s", change->commits_why);
    if (change->commit_count == 0)
        return;
    struct table *table = page_table(page, columns, sizeof columns / sizeof columns[0]);
    size_t listed = change->commit_count < COMMITS_LISTED ? change->commit_count : COMMITS_LISTED;
    for (size_t i = 0; i < listed; i++) {
        table_addf(table, TONE_PLAIN, "%.*s", COMMIT_SHOWN, change->commits[i].sha);
        table_add(table, TONE_PLAIN,
                  change->commits[i].subject != NULL ? change->commits[i].subject : "");
    }
    if (change->commits_in_range > (int64_t)listed)
        page_paragraph(page, TONE_DIM, "and %lld more",
                       (long long)(change->commits_in_range - (int64_t)listed));
}

/* kinds: of changes that stand, of those that went away, and of those of whose way back some is
 * left. */
static void changes_add(const struct trend_report *report, const struct report_change *changes,
                        size_t count, const char *const kinds[3], struct page *page)
{
    for (size_t i = 0; i < count; i++) {
        const struct report_change *change = &changes[i];
        const char *title = arena_printf(
            page->arena, "%s: %s, %s %s",
            change->went_away                                ? kinds[1]
            : change->takes_back != NULL && change->rest.set ? kinds[2]
                                                             : kinds[0],
            change->workload, measure_words(change->measure),
            amount_words(change->unit, change->before, change->after, change->change_pct, page));
        page_heading(page, false, title);
        bool is_new = course_add(report, &change->course, page);
        range_add(change, page);
        next_add(change->next, change->command, page);
        if (is_new)
            outliers_add(&report->courses[change->course.value], page);
        change_parts_add(change, page);
        commits_add(change, page);
    }
}

/* A line each: nobody is asked to look. */
static void suspected_add(const struct trend_report *report, struct page *page)
{
    if (report->suspected_count == 0)
        return;
    page_heading(page, true, "Suspected, none for sure");
    for (size_t i = 0; i < report->suspected_count; i++) {
        const struct report_change *change = &report->suspected[i];
        scoped_text ways;
        text_init(&ways, NAMES_BYTES);
        const struct change_way way = change_way_of_report(change);
        change_way_add(&way, &ways);
        page_item(
            page, TONE_PLAIN, change->workload, "%s %s, %s to %s%s: %s",
            measure_words(change->measure),
            amount_words(change->unit, change->before, change->after, change->change_pct, page),
            place_words(change->after_commit, change->after_profile, change->after_utc, page),
            place_words(change->until_commit, change->until_profile, change->until_utc, page),
            text_string(&ways), change->next);
        page->failed |= ways.failed;
    }
}

/* ---- drifts and silence ---------------------------------------------------------------------- */

static void drifts_add(const struct trend_report *report, struct page *page)
{
    for (size_t i = 0; i < report->drift_count; i++) {
        const struct report_drift *drift = &report->drifts[i];
        char month[FORMAT_BYTES], told[REPORT_TOLD_BYTES];
        const char *title = arena_printf(
            page->arena, "%s: %s, %s %s",
            drift->has_told ? "Slow drift that goes on" : "Slow drift", drift->workload,
            measure_words(drift->measure),
            amount_words(drift->unit, drift->before, drift->after, drift->change_pct, page));
        page_heading(page, false, title);
        bool is_new = course_add(report, &drift->course, page);
        page_item(page, drift->loss ? TONE_BAD : TONE_GOOD, "it goes",
                  "from %s to %s, over %lld runs%s%s",
                  place_words(drift->from_commit, drift->from_profile, drift->from_utc, page),
                  place_words(drift->until_commit, drift->until_profile, drift->until_utc, page),
                  (long long)drift->run_count, drift->month_pct.set ? ", a month " : "",
                  drift->month_pct.set
                      ? measure_percent_text(drift->unit, drift->month_pct.value, month)
                      : "");
        if (drift->has_told)
            page_item(page, TONE_PLAIN, "told before", "%s", report_drift_told_text(drift, told));
        next_add(drift->next, drift->command, page);
        if (is_new)
            outliers_add(&report->courses[drift->course.value], page);
    }
}

/* A line each: they were told before. */
static void drifting_add(const struct trend_report *report, struct page *page)
{
    if (report->drifting_count == 0)
        return;
    page_heading(page, true, "Still drifting");
    for (size_t i = 0; i < report->drifting_count; i++) {
        const struct report_drift *drift = &report->drifting[i];
        char told[REPORT_TOLD_BYTES];
        page_item(page, TONE_PLAIN, drift->workload, "%s since %.10s: %s so far%s%s",
                  measure_words(drift->measure), drift->from_utc,
                  amount_words(drift->unit, drift->before, drift->after, drift->change_pct, page),
                  drift->has_told ? "; " : "",
                  drift->has_told ? report_drift_told_text(drift, told) : "");
    }
}

static void restarts_add(const struct trend_report *report, struct page *page)
{
    if (report->restart_count == 0)
        return;
    page_heading(page, false, "Not compared with what was before");
    for (size_t i = 0; i < report->restart_count; i++) {
        const struct report_restart *restart = &report->restarts[i];
        char runs[FORMAT_COUNTED_BYTES];
        page_item(
            page, TONE_WARN, restart->workload,
            "series %s, from %s on (%s so far), behind %s: %s; %s %s", restart->series,
            place_words(restart->at_commit, restart->at_profile, restart->at_utc, page),
            format_counted(restart->run_count, "run", runs),
            place_words(restart->after_commit, restart->after_profile, restart->after_utc, page),
            restart->why, measure_words(restart->measure),
            amount_words(restart->unit, restart->before, restart->after, restart->change_pct,
                         page));
        next_add(restart->next, restart->command, page);
    }
}

static void moved_add(const struct trend_report *report, struct page *page)
{
    if (moved(report) == 0)
        return;
    page_heading(page, false, "Told before, and came elsewhere");
    for (size_t i = 0; i < report->withdrawn_count; i++) {
        const struct report_withdrawn *of = &report->withdrawn[i];
        const struct report_moved *to = &of->moved_to;
        if (!of->has_moved)
            continue;
        page_item(page, TONE_WARN, of->workload, "series %s, %s %s: told at %s, it came %s",
                  of->series, measure_words(of->measure),
                  amount_words(of->unit, of->before, of->after, of->change_pct, page),
                  place_words(of->at_commit, of->at_profile, of->at_utc, page),
                  report_moved_word(of));
        page_item(page, TONE_STRONG, "it came", "behind %s, at the latest with %s: %s",
                  place_words(to->after_commit, to->after_profile, to->after_utc, page),
                  place_words(to->until_commit, to->until_profile, to->until_utc, page), of->why);
    }
}

static void withdrawn_add(const struct trend_report *report, struct page *page)
{
    if (report->withdrawn_count == moved(report))
        return;
    page_heading(page, false, "Told before, and taken back");
    for (size_t i = 0; i < report->withdrawn_count; i++) {
        const struct report_withdrawn *gone = &report->withdrawn[i];
        if (gone->has_moved)
            continue;
        const char *entry = gone->entry, *told = gone->told_in;
        page_item(page, TONE_WARN, gone->workload, "series %s, at %s: %s %s; %s%s%s%s%s%s%s",
                  gone->series, place_words(gone->at_commit, gone->at_profile, gone->at_utc, page),
                  measure_words(gone->measure),
                  amount_words(gone->unit, gone->before, gone->after, gone->change_pct, page),
                  gone->why, entry != NULL || told != NULL ? " (" : "",
                  told != NULL ? "told in " : "", told != NULL ? told : "",
                  told != NULL && entry != NULL ? "; " : "", entry != NULL ? entry : "",
                  entry != NULL || told != NULL ? ")" : "");
    }
}

/* "3 days", "5 hours" */
static const char *hours_words(double hours, char *buffer)
{
    bool days = hours >= 48;
    return format_counted((int64_t)(days ? hours / 24 + .5 : hours + .5), days ? "day" : "hour",
                          buffer);
}

static void quiet_add(const struct trend_report *report, struct page *page)
{
    if (report->quiet_count == 0)
        return;
    page_heading(page, false,
                 stopped(report) == report->quiet_count
                     ? "Stopped reporting"
                     : "Stopped reporting, or moved to another number of devices");
    for (size_t i = 0; i < report->quiet_count; i++) {
        const struct report_quiet *quiet = &report->quiet[i];
        char silent[FORMAT_COUNTED_BYTES], usual[FORMAT_COUNTED_BYTES];
        page_item(page, TONE_WARN, quiet->workload,
                  "no run of series %s for %s, where one came every %s; the last one was %s, "
                  "%.10s%s%s",
                  quiet->series, hours_words(quiet->silent_hours, silent),
                  hours_words(quiet->usual_hours, usual), quiet->last_profile, quiet->last_utc,
                  quiet->other_size != NULL ? "; " : "",
                  quiet->other_size != NULL ? quiet->other_size : "");
        if (i + 1 == report->quiet_count || strcmp(quiet[0].workload, quiet[1].workload) != 0)
            next_add(quiet->next, quiet->command, page);
    }
}

static void returns_add(const struct trend_report *report, struct page *page)
{
    if (report->return_count == 0)
        return;
    page_heading(page, true, "Reporting again");
    for (size_t i = 0; i < report->return_count; i++) {
        const struct report_return *back = &report->returns[i];
        char silent[FORMAT_COUNTED_BYTES];
        page_item(page, TONE_PLAIN, back->workload,
                  "series %s, behind %s of silence: %s (%.10s), the last one before was %s (%.10s)",
                  back->series, hours_words(back->silent_hours, silent), back->first_profile,
                  back->first_utc, back->last_profile, back->last_utc);
    }
}

void report_page_fill(const struct trend_report *report, struct page *page)
{
    static const char *const losses[] = {"New loss", "Loss that went away", "New loss"};
    static const char *const improvements[] = {"Better, worth keeping", "Better, and lost again",
                                               "Better, worth keeping"};
    static const char *const recoveries[] = {"Back on its level", "Back on its level for a while",
                                             "Nearly back on its level"};
    headline_add(report, page);
    changes_add(report, report->losses, report->loss_count, losses, page);
    changes_add(report, report->improvements, report->improvement_count, improvements, page);
    changes_add(report, report->recoveries, report->recovery_count, recoveries, page);
    drifts_add(report, page);
    drifting_add(report, page);
    suspected_add(report, page);
    moved_add(report, page);
    withdrawn_add(report, page);
    restarts_add(report, page);
    quiet_add(report, page);
    returns_add(report, page);
    report_state_fill(report, page);
}
