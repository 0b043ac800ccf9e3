/* Puts ways back into words. */
#include "schema/documents/change_way.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct change_way change_way_of_course(const struct course *course,
                                       const struct course_change *change)
{
    return (struct change_way){.unit = course->unit,
                               .before = change->before,
                               .after = change->after,
                               .went_away = change->went_away,
                               .takes_back = change->takes_back,
                               .rest = change->rest,
                               .undone = change->undone,
                               .undone_by = change->undone_by};
}

struct change_way change_way_of_report(const struct report_change *change)
{
    return (struct change_way){.unit = change->unit,
                               .before = change->before,
                               .after = change->after,
                               .went_away = change->went_away,
                               .takes_back = change->takes_back,
                               .takes_back_utc = change->takes_back_utc,
                               .rest = change->rest,
                               .undone = change->undone,
                               .undone_by = change->undone_by,
                               .undone_utc = change->undone_utc};
}

const char *change_rest_text(const struct change_way *way, char *buffer)
{
    double rest = way->rest.value;
    double level = way->takes_back != NULL ? way->after - rest : way->before;
    const char *side = rest > 0 ? "above" : "below";
    if (strcmp(way->unit, "share") == 0)
        (void)snprintf(buffer, CHANGE_REST_BYTES, "%.1f percentage points %s", 100 * fabs(rest),
                       side);
    else
        (void)snprintf(buffer, CHANGE_REST_BYTES, "%.1f %% %s",
                       level > 0 ? 100 * fabs(rest) / level : 0, side);
    return buffer;
}

static void when_add(const char *utc, struct text *out)
{
    if (utc != NULL)
        text_addf(out, " (%.10s)", utc);
}

void change_way_add(const struct change_way *way, struct text *out)
{
    char rest[CHANGE_REST_BYTES];
    if (way->takes_back != NULL) {
        text_addf(out, "; back to the level of before %s", way->takes_back);
        when_add(way->takes_back_utc, out);
        if (way->rest.set)
            text_addf(out, ", %s it", change_rest_text(way, rest));
    }
    if (way->went_away) {
        text_add(out, "; a later change took it back");
        if (way->rest.set && way->takes_back == NULL)
            text_addf(out, ", up to %s the level of before", change_rest_text(way, rest));
    }
    if (way->undone.set && way->undone_by != NULL) {
        text_addf(out, "; later changes, the last of them %s", way->undone_by);
        when_add(way->undone_utc, out);
        text_addf(out, ", took %.0f %% of it back", 100 * way->undone.value);
    }
}
