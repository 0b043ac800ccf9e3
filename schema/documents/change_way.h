/* What changes of level made of each other, in words: the same in trends, reports and messages. */
#ifndef SCHEMA_DOCUMENTS_CHANGE_WAY_H
#define SCHEMA_DOCUMENTS_CHANGE_WAY_H

#include "ops/runtime/text.h"
#include "schema/documents/course.h"
#include "schema/documents/report_change.h"

/* Of a change, what of its members says it. */
struct change_way {
    const char *unit;
    double before, after;
    bool went_away;
    const char *takes_back, *takes_back_utc; /* times: NULL = not told */
    struct opt_f64 rest, undone;
    const char *undone_by, *undone_utc;
};

/* Of a trend's change; texts are its own. */
struct change_way change_way_of_course(const struct course *course,
                                       const struct course_change *change);

/* Of a report's; texts are its own. */
struct change_way change_way_of_report(const struct report_change *change);

/* "; back to the level of before p31 (2026-03-01), 1.1 % above it", "; a later change took it back,
 * up to 1.1 % above the level of before", "; later changes, the last of them p58, took 48 % of it
 * back"; nothing where there is none. */
void change_way_add(const struct change_way *way, struct text *out);

enum { CHANGE_REST_BYTES = 96 };

/* "1.1 % above", of a share "0.4 percentage points below": what is left beside the level of before.
 * Returns buffer[CHANGE_REST_BYTES]. */
const char *change_rest_text(const struct change_way *way, char *buffer);

#endif
