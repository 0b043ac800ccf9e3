/* What a message changes about an alert: the word that the outbox keeps and receivers read.
 *
 * An alert is one (project, workload, series, branch) as one destination knows it: a receiver that
 * was told of a regression is also told of its end, and one that was not is told of neither.
 */
#ifndef SCHEMA_ALERT_PHASE_H
#define SCHEMA_ALERT_PHASE_H

enum alert_phase {
    PHASE_NONE,     /* says something without opening or closing anything */
    PHASE_FIRING,   /* opens the alert */
    PHASE_REPEATED, /* still open, with other evidence */
    PHASE_RESOLVED, /* closes it */
    PHASE_REOPENED, /* opens it again, in the same thread */
    PHASE_STARTED,  /* a judgement is under way */
    PHASE_ABORTED,  /* it ended without a verdict */
    PHASE_COUNT
};

/* As the database and messages write them; a test compares them with the CHECK. */
extern const char *const alert_phase_names[PHASE_COUNT];

#endif
