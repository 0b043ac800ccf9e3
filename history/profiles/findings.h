/* What was noticed about a profile, as rows beside its document, for the files of history/ only. */
#ifndef HISTORY_PROFILES_FINDINGS_H
#define HISTORY_PROFILES_FINDINGS_H

#include "history/profiles/ledger_rows.h"

enum finding_severity {
    FINDING_INFO,
    FINDING_WARNING, /* numbers of the profile may mislead */
    FINDING_ERROR,   /* some are wrong */
    FINDING_SEVERITY_COUNT
};

/* As the database writes them; a test compares them with its CHECK. */
extern const char *const finding_severity_names[FINDING_SEVERITY_COUNT];

/* Adds the findings of a summary to the pipeline: what its coverage and the quality warnings say,
 * with a code to ask for and, where there are some, the numbers as JSON. A new code is a line of
 * the table there. */
bool findings_add(struct pipeline *pipeline, const struct rows_owner *owner,
                  const struct summary *summary, struct section_digest *ret_digest,
                  struct err *err);

#endif
