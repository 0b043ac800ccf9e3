/* The names of phases, and what each means to a thread. */
#include "schema/documents/alert_phase.h"
#include "ops/runtime/text.h"

const char *const alert_phase_names[PHASE_COUNT] = {
    [PHASE_NONE] = "none",         [PHASE_FIRING] = "firing",     [PHASE_REPEATED] = "repeated",
    [PHASE_WORSENED] = "worsened", [PHASE_FLAPPING] = "flapping", [PHASE_RESOLVED] = "resolved",
    [PHASE_REOPENED] = "reopened", [PHASE_STARTED] = "started",   [PHASE_ABORTED] = "aborted",
};

enum alert_phase alert_phase_named(const char *name)
{
    return (enum alert_phase)text_index(name, alert_phase_names, PHASE_COUNT - 1);
}

enum { OPEN = 1, FOLLOWS = 2, NEWS = 4 };

static const unsigned facts[PHASE_COUNT] = {
    [PHASE_FIRING] = OPEN,
    [PHASE_REPEATED] = OPEN | FOLLOWS,
    [PHASE_WORSENED] = OPEN | FOLLOWS | NEWS,
    [PHASE_FLAPPING] = OPEN | FOLLOWS | NEWS,
    [PHASE_RESOLVED] = FOLLOWS | NEWS,
    [PHASE_REOPENED] = OPEN | FOLLOWS | NEWS,
};

bool phase_is_open(enum alert_phase phase)
{
    return (facts[phase] & OPEN) != 0;
}

bool phase_follows(enum alert_phase phase)
{
    return (facts[phase] & FOLLOWS) != 0;
}

bool phase_is_news(enum alert_phase phase)
{
    return (facts[phase] & NEWS) != 0;
}
