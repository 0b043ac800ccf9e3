/* What a message says about an alert, as one destination knows it: the word that the outbox keeps
 * and receivers read.
 *
 * The alert itself (project, workload, series, branch) has its state in
 * history/alert/alert_state.h, and each phase is derived from a move of that. A receiver that was
 * told of a regression is also told of its end, and one that was not is told of neither.
 */
#ifndef SCHEMA_DOCUMENTS_ALERT_PHASE_H
#define SCHEMA_DOCUMENTS_ALERT_PHASE_H

#include <stdbool.h>

enum alert_phase {
    PHASE_NONE,     /* says something without opening or closing anything */
    PHASE_FIRING,   /* opens the alert */
    PHASE_REPEATED, /* still open, with other evidence */
    PHASE_WORSENED, /* worse than what a person looks after: open again */
    PHASE_FLAPPING, /* it comes and goes: a pass does not close it yet; said once */
    PHASE_RESOLVED, /* closes it */
    PHASE_REOPENED, /* opens it again, in the same thread */
    PHASE_STARTED,  /* a judgement is under way */
    PHASE_ABORTED,  /* it ended without a verdict */
    PHASE_COUNT
};

/* As the database and messages write them; a test compares them with the CHECK. */
extern const char *const alert_phase_names[PHASE_COUNT];
/* The phase of a name that the database wrote. */
enum alert_phase alert_phase_named(const char *name);

/* The alert is open after it. */
bool phase_is_open(enum alert_phase phase);
/* It is about an alert that was told before: what shows the alert is brought up to date. */
bool phase_follows(enum alert_phase phase);
/* And worth a message of its own in the alert's thread. */
bool phase_is_news(enum alert_phase phase);

#endif
