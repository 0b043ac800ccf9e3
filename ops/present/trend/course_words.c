/* Implements the sentences about courses. */
#include "ops/present/trend/course_words.h"

#include "ops/runtime/text.h"
#include "schema/documents/change_way.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COMMIT_SHOWN = 12 };

enum tone course_tone(bool loss)
{
    return loss ? TONE_BAD : TONE_GOOD;
}

bool course_change_is_suspected(const struct course_change *change)
{
    bool withdrawn = change->status != NULL && strcmp(change->status, "withdrawn") == 0;
    return change->matters && !withdrawn && strcmp(change->tier, "confirmed") != 0;
}

/* "+5.0 %: 100.0 ms -> 105.0 ms"; of a share in points. */
static void amount_add(const struct course *course, double before, double after,
                       struct opt_f64 change_pct, struct text *out)
{
    char delta[FORMAT_BYTES], left[FORMAT_BYTES], right[FORMAT_BYTES];
    text_addf(out, "%s: %s -> %s",
              measure_change_text(course->unit, after - before, change_pct, delta),
              measure_text(course->unit, before, false, left),
              measure_text(course->unit, after, false, right));
}

/* "1a2b3c4d5e6f (p79)", or the profile alone. */
static void place_add(const char *commit, const char *profile, struct text *out)
{
    if (commit != NULL)
        text_addf(out, "%.*s (%s)", COMMIT_SHOWN, commit, profile);
    else
        text_add(out, profile);
}

void course_change_words(const struct course *course, const struct course_change *change,
                         struct text *out)
{
    out->length = 0;
    amount_add(course, change->before, change->after, change->change_pct, out);
    text_add(out, ", behind ");
    place_add(change->after_commit, change->after_profile, out);
    text_add(out, ", at the latest with ");
    place_add(change->until_commit, change->until_profile, out);
    text_addf(out, ", %.10s", change->at_utc);
    const struct change_way way = change_way_of_course(course, change);
    change_way_add(&way, out);
    if (change->entry != NULL)
        text_addf(out, "; %s, %s", change->entry, change->status);
}

void course_drift_words(const struct course *course, const struct course_drift *drift,
                        struct text *out)
{
    char month[FORMAT_BYTES];
    out->length = 0;
    amount_add(course, drift->before, drift->after, drift->change_pct, out);
    text_addf(out, ", slowly from %.10s to %.10s (%s..%s)", drift->from_utc, drift->until_utc,
              drift->from_profile, drift->until_profile);
    if (drift->month_pct.set)
        text_addf(out, ", %s a month",
                  measure_percent_text(course->unit, drift->month_pct.value, month));
    if (!course_drift_is_sure(drift))
        text_add(out, "; likelier than not, not sure");
}

void course_noise_words(const struct course *course, struct text *out)
{
    out->length = 0;
    if (course->noise_pct.set)
        text_addf(out, "%s: a single run may be off by %.1f %%", course->noise,
                  course->noise_pct.value);
}

size_t course_items_add(const struct course *course, const char *label, struct page *page)
{
    size_t count = 0;
    scoped_text words;
    text_init(&words, COURSE_SENTENCE_BYTES);
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        if (!course_change_counts(change))
            continue;
        course_change_words(course, change, &words);
        page_item(page, course_tone(change->loss), label != NULL ? label : "change", "%s",
                  text_string(&words));
        count++;
    }
    for (size_t i = 0; i < course->drift_count; i++) {
        if (!course->drifts[i].matters)
            continue;
        course_drift_words(course, &course->drifts[i], &words);
        page_item(page, course_tone(course->drifts[i].loss), label != NULL ? label : "drift", "%s",
                  text_string(&words));
        count++;
    }
    page->failed |= words.failed;
    return count;
}

void course_sparkline(const struct course *course, size_t columns, struct text *out)
{
    struct bar bars[COURSE_SHAPE_MAX];
    size_t count = course->shape_count < COURSE_SHAPE_MAX ? course->shape_count : COURSE_SHAPE_MAX;
    for (size_t i = 0; i < count; i++)
        bars[i] = (struct bar){"", course->shape[i].value, TONE_PLAIN};
    const struct chart chart = {.title = course->measure, .bars = bars, .bar_count = count};
    out->length = 0;
    chart_sparkline_bars(&chart, columns, out);
}
