/* Findings of a verification, as its report keeps them. */
#include "history/verify/verify_run.h"

#include <inttypes.h>
#include <stdarg.h>

/* Room for one more; NULL when there are as many as are kept. */
static struct verify_finding *finding_make(struct verify_report *report)
{
    bool is_kept = report->finding_count++ < VERIFY_FINDINGS_MAX;
    return is_kept ? &report->findings[report->finding_count - 1] : NULL;
}

void verify_note(struct verify_run *run, const struct verify_place *place, const char *format, ...)
{
    struct verify_finding *finding = finding_make(run->report);
    if (finding == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    finding->what = arena_vprintf(run->arena, format, arguments);
    va_end(arguments);
    finding->chain = arena_strdup(run->arena, place->chain);
    finding->position = place->position;
    if (place->prefix != NULL)
        finding->entry = arena_printf(run->arena, "%s%" PRId64, place->prefix, place->subject_id);
}

void verify_add(struct verify_report *report, struct arena *arena,
                const struct verify_finding *finding)
{
    struct verify_finding *kept = finding_make(report);
    if (kept != NULL)
        *kept = (struct verify_finding){
            .chain = arena_strdup(arena, finding->chain),
            .position = finding->position,
            .entry = arena_strdup(arena, finding->entry),
            .what = arena_strdup(arena, finding->what),
        };
}
