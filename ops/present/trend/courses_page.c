/* Builds what is said of courses: first what moved, then all of them. */
#include "ops/present/trend/courses_page.h"

#include "ops/present/trend/course_words.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <string.h>

enum { SUSPECTED_LISTED = 12 }; /* of all courses of a group */
enum { SPARK_COLUMNS = 24, SPARK_BYTES = 4 * COURSE_SHAPE_MAX, NAME_BYTES = 1000 };

static bool of_op(const struct trend *trend)
{
    return trend->grouped_by != NULL && strcmp(trend->grouped_by, "op") == 0;
}

/* What the course is of among those that it is grouped with. */
static const char *course_name(const struct trend *trend, const struct course *course)
{
    if (course->op != NULL)
        return course->op_name;
    return strcmp(trend->grouped_by, "workload") == 0 ? course->workload : course->measure;
}

/* What is suspected, with its place and size. */
static void suspected_add(const struct course *course, enum tone tone, struct page *page)
{
    scoped_text words;
    text_init(&words, COURSE_SENTENCE_BYTES);
    for (size_t i = 0; i < course->change_count; i++) {
        if (!course_change_is_suspected(&course->changes[i]))
            continue;
        course_change_words(course, &course->changes[i], &words);
        page_item(page, tone, "suspected", "%s", text_string(&words));
    }
    page->failed |= words.failed;
}

/* Where nothing moved for sure what is suspected comes first. */
static void unmoved_add(const struct course *course, const char *runs, struct page *page)
{
    char changes[FORMAT_COUNTED_BYTES];
    size_t suspected = 0;
    for (size_t i = 0; i < course->change_count; i++)
        suspected += course_change_is_suspected(&course->changes[i]);
    if (suspected == 0) {
        page_paragraph(page, TONE_DIM, "%s in %s",
                       course->change_count + course->drift_count == 0
                           ? "nothing moved"
                           : "nothing that matters moved for sure",
                       runs);
        return;
    }
    page_paragraph(page, TONE_WARN, "%s suspected, none for sure, in %s",
                   format_counted((int64_t)suspected, "change", changes), runs);
    suspected_add(course, TONE_WARN, page);
}

/* Behind what moved: what was seen and is not to be told. */
struct held_back {
    size_t suspected, changes, drifts; /* the latter two too small to matter */
};

static void held_back_add(const struct course *course, struct held_back *held)
{
    for (size_t i = 0; i < course->change_count; i++) {
        held->suspected += strcmp(course->changes[i].tier, "confirmed") != 0;
        held->changes += course_change_is_small(&course->changes[i]);
    }
    for (size_t i = 0; i < course->drift_count; i++)
        held->drifts += !course->drifts[i].matters;
}

/* What a move comes to before it is told. */
static const char *floor_words(const struct trend *trend, struct page *page)
{
    bool of_share = trend->unit != NULL && strcmp(trend->unit, "share") == 0;
    return of_op(trend)
               ? arena_printf(page->arena, "%g %% of the op or %g %% of the time of all ops",
                              course_matters_pct, 100 * course_op_matters_share)
           : of_share ? arena_printf(page->arena, "%g percentage point", 100 * course_matters_share)
           : trend->unit != NULL
               ? arena_printf(page->arena, "%g %%", course_matters_pct)
               : arena_printf(page->arena, "%g %%, of a share %g percentage point",
                              course_matters_pct, 100 * course_matters_share);
}

static void rest_add(const struct trend *trend, const struct held_back *held, bool moved,
                     struct page *page)
{
    const char *noun = moved ? "more change" : "change";
    char places[FORMAT_COUNTED_BYTES], changes[FORMAT_COUNTED_BYTES], drifts[FORMAT_COUNTED_BYTES];
    static const char where[] = "the JSON and CSV forms list them";
    if (held->suspected > 0)
        page_paragraph(page, TONE_DIM,
                       "%s suspected only: neighbouring runs are too alike, or too few, to say "
                       "(%s)",
                       format_counted((int64_t)held->suspected, noun, places), where);
    if (held->changes + held->drifts == 0)
        return;
    format_counted((int64_t)held->changes, noun, changes);
    format_counted((int64_t)held->drifts, moved && held->changes == 0 ? "more drift" : "drift",
                   drifts);
    page_paragraph(page, TONE_DIM, "%s%s%s too small to matter: less than %s (%s%s)",
                   held->changes > 0 ? changes : "",
                   held->changes > 0 && held->drifts > 0 ? " and " : "",
                   held->drifts > 0 ? drifts : "", floor_words(trend, page),
                   trend->grouped_by != NULL ? "small in the table; " : "", where);
}

/* By which policy runs are apart, or could be. */
static void policy_add(const struct trend *trend, struct page *page)
{
    size_t apart = 0;
    for (size_t i = 0; i < trend->course_count; i++)
        apart += trend->courses[i].apart != NULL;
    if (trend->policy != NULL)
        page_paragraph(page, TONE_DIM, "which runs can be compared: by the policy %s",
                       trend->policy);
    else if (apart > 0)
        page_paragraph(page, TONE_DIM,
                       "which runs can be compared: by the default policy; --policy FILE names "
                       "another");
}

void courses_moved_add(const struct trend *trend, struct page *page)
{
    scoped_text words;
    text_init(&words, COURSE_SENTENCE_BYTES);
    policy_add(trend, page);
    for (size_t i = 0; i < trend->course_count; i++) {
        const struct course *course = &trend->courses[i];
        char runs[FORMAT_COUNTED_BYTES];
        format_counted(course->run_count, "run", runs);
        if (trend->course_count > 1)
            page_paragraph(page, TONE_STRONG, "%s, %s, %.10s to %.10s%s%s%s", course->series, runs,
                           course->first_utc, course->last_utc,
                           course->apart != NULL ? " (not comparable with newer ones: " : "",
                           course->apart != NULL ? course->apart_why : "",
                           course->apart != NULL ? ")" : "");
        bool moved = course_items_add(course, NULL, page) > 0;
        if (moved)
            suspected_add(course, TONE_DIM, page);
        else
            unmoved_add(course, runs, page);
        struct held_back held = {0};
        held_back_add(course, &held);
        rest_add(trend, &held, moved, page);
        course_noise_words(course, &words);
        if (words.length > 0)
            page_paragraph(page, TONE_DIM, "noise: %s", text_string(&words));
    }
    page->failed |= words.failed;
}

static void course_row(const struct trend *trend, const struct course *course, struct table *table)
{
    char value[FORMAT_BYTES], change[FORMAT_BYTES] = "", noise[FORMAT_BYTES] = "";
    scoped_text spark;
    text_init(&spark, SPARK_BYTES);
    size_t moved = 0;
    struct held_back held = {0};
    held_back_add(course, &held);
    size_t small = held.changes + held.drifts;
    for (size_t i = 0; i < course->change_count; i++)
        moved += course_change_counts(&course->changes[i]);
    for (size_t i = 0; i < course->drift_count; i++)
        moved += course->drifts[i].matters;
    if (moved + small > 0) /* else what noise leaves between both ends */
        measure_change_text(course->unit, course->last_level - course->first_level,
                            course->change_pct, change);
    if (course->noise_pct.set)
        (void)snprintf(noise, sizeof noise, "%s, %.1f %%", course->noise, course->noise_pct.value);
    course_sparkline(course, SPARK_COLUMNS, &spark);
    table_add(table, TONE_PLAIN, course_name(trend, course));
    table_addf(table, TONE_DIM, "%s%s%s", course->series,
               course->apart != NULL ? ", apart by " : "",
               course->apart != NULL ? course->apart : "");
    table_addf(table, TONE_PLAIN, "%lld", (long long)course->run_count);
    table_add(table, TONE_PLAIN, measure_text(course->unit, course->last_level, false, value));
    table_add(table, moved > 0 ? TONE_PLAIN : TONE_DIM, change);
    if (small == 0)
        table_addf(table, moved > 0 ? TONE_STRONG : TONE_DIM, "%zu", moved);
    else if (moved == 0)
        table_addf(table, TONE_DIM, "%zu small", small);
    else
        table_addf(table, TONE_STRONG, "%zu, %zu small", moved, small);
    table_add(table, TONE_DIM, noise);
    table_add(table, TONE_PLAIN, text_string(&spark));
    table->page->failed |= spark.failed;
}

/* Behind what moved of all of them; a line says how many there are. */
static void group_suspected_add(const struct trend *trend, struct page *page)
{
    size_t listed = 0, left = 0;
    scoped_text words;
    text_init(&words, COURSE_SENTENCE_BYTES);
    for (size_t i = 0; i < trend->course_count; i++) {
        const struct course *course = &trend->courses[i];
        for (size_t k = 0; k < course->change_count; k++) {
            if (!course_change_is_suspected(&course->changes[k]))
                continue;
            if (listed == SUSPECTED_LISTED) {
                left++;
                continue;
            }
            course_change_words(course, &course->changes[k], &words);
            page_item(page, TONE_DIM, course_name(trend, course), "suspected: %s",
                      text_string(&words));
            listed++;
        }
    }
    if (left > 0)
        page_item(page, TONE_DIM, NULL, "and %zu more that are suspected", left);
    page->failed |= words.failed;
}

void courses_page_fill(const struct trend *trend, struct page *page)
{
    static const struct table_column columns[] = {
        {"what", COLUMN_NAME},  {"series", COLUMN_TEXT},     {"runs", COLUMN_NUMBER},
        {"now", COLUMN_NUMBER}, {"moved by", COLUMN_NUMBER}, {"changes", COLUMN_NUMBER},
        {"noise", COLUMN_TEXT}, {"course", COLUMN_TEXT}};
    char courses[FORMAT_COUNTED_BYTES];
    size_t moved = 0, noun_count = trend->course_count;
    for (size_t i = 0; i < trend->course_count; i++)
        moved += course_moved(&trend->courses[i]);
    page_headline(page, TONE_PLAIN, "trend", "%zu of %s of %s%s%s%s%s by %s moved enough to matter",
                  moved, format_counted((int64_t)noun_count, "course", courses), trend->project,
                  trend->workload != NULL ? "/" : "",
                  trend->workload != NULL ? trend->workload : "",
                  trend->branch != NULL ? ", branch " : "",
                  trend->branch != NULL ? trend->branch : "", trend->grouped_by);
    if (trend->branch_why != NULL)
        page_paragraph(page, TONE_DIM, "%s", trend->branch_why);
    policy_add(trend, page);
    if (moved > 0 && of_op(trend))
        page_paragraph(
            page, TONE_DIM,
            "each op is judged by its own noise, which may be less than the step's: what "
            "is sure of an op may be only suspected of the step time, which trend tells "
            "without --group-by");
    for (size_t i = 0; i < trend->course_count; i++)
        (void)course_items_add(&trend->courses[i], course_name(trend, &trend->courses[i]), page);
    group_suspected_add(trend, page);
    struct held_back held = {0};
    for (size_t i = 0; i < trend->course_count; i++)
        held_back_add(&trend->courses[i], &held);
    rest_add(trend, &held, moved > 0, page);
    if (moved > 0)
        page_paragraph(page, TONE_DIM,
                       "now: the median of the newest %d runs; moved by: what it is more than that "
                       "of the first %d, noise and all, where changes and drifts are told between "
                       "their levels and lines",
                       COURSE_LEVEL_RUNS, COURSE_LEVEL_RUNS);
    if (strcmp(trend->grouped_by, "measure") == 0)
        page_paragraph(page, TONE_DIM,
                       "compute_share, communication_share, host_share, stall_share and "
                       "other_share are of the own time of all events of a profile; other shares "
                       "of the devices' time: two of one name need not agree");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < trend->course_count; i++)
        course_row(trend, &trend->courses[i], table);
}
