/* The names of phases. */
#include "schema/alert_phase.h"

const char *const alert_phase_names[PHASE_COUNT] = {
    [PHASE_NONE] = "none",         [PHASE_FIRING] = "firing",     [PHASE_REPEATED] = "repeated",
    [PHASE_RESOLVED] = "resolved", [PHASE_REOPENED] = "reopened", [PHASE_STARTED] = "started",
    [PHASE_ABORTED] = "aborted",
};
