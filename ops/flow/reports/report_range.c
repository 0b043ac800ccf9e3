/* What kind of change one is, and how the range in which it came is called. */
#include "ops/flow/reports/making.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <string.h>

enum { SHA_SHOWN = 12 };

bool report_is_of_step_time(const char *measure)
{
    return strcmp(measure, measure_rows[MEASURE_steady_step_median].name) == 0;
}

static bool commits_are_known(const struct report_change *change)
{
    return change->after_commit != NULL && change->until_commit != NULL;
}

bool report_is_same_code(const struct report_change *change)
{
    return commits_are_known(change) && strcmp(change->after_commit, change->until_commit) == 0;
}

void report_places_add(const char *const commits[2], const char *const profiles[2],
                       struct text *out)
{
    if (commits[0] != NULL && commits[1] != NULL && strcmp(commits[0], commits[1]) != 0)
        text_addf(out, "%.*s..%.*s", SHA_SHOWN, commits[0], SHA_SHOWN, commits[1]);
    else
        text_addf(out, "%s..%s", profiles[0], profiles[1]);
}

void report_range_add(const struct report_change *change, struct text *out)
{
    report_places_add((const char *const[]){change->after_commit, change->until_commit},
                      (const char *const[]){change->after_profile, change->until_profile}, out);
    if (report_is_same_code(change))
        text_addf(out, " (the same code on both sides: %.*s)", SHA_SHOWN, change->after_commit);
}

bool report_is_recovery(const struct report_change *change)
{
    return !change->loss && change->takes_back != NULL;
}
