/* What rules ask of one host, and what several of them say.
 */
#ifndef INGEST_FINDINGS_RULES_H
#define INGEST_FINDINGS_RULES_H

#include "ingest/findings/findings.h"

#include "ops/runtime/text.h"

/* One host; of all hosts, and of tables that xprof made, the steps alone. */
struct examined {
    const struct profile *profile;
    const struct summary *summary;
    const struct step_list *steps; /* settled */
    struct arena *arena;
};

/* Whether it holds; texts beyond the budget stay NULL and are told by the caller. */
typedef bool rule_fn(const struct examined *host, struct finding *finding);

enum { FINDING_DIGITS = 3, FINDING_WHOLE_BYTES = FORMAT_BYTES + 32 };

/* Whether a file was cut off: what it lacks may be what a device seems to wait for. */
bool finding_is_cut(const struct examined *host);

/* The share of so many µs of a step, as findings have it (step_list_whole_us); and what that is of,
 * in words, which it returns. */
double finding_share(const struct examined *host, double us);
const char *finding_whole(const struct examined *host, char words[FINDING_WHOLE_BYTES]);

#endif
