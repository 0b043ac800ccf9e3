/* What to do about findings, in the words of the framework that the profile is of.
 */
#ifndef INGEST_FINDINGS_REMEDIES_H
#define INGEST_FINDINGS_REMEDIES_H

#include "ingest/breakdown/breakdown.h"

enum remedy {
    REMEDY_RECOMPILES,
    REMEDY_LAUNCH_AHEAD,
    REMEDY_LOAD_AHEAD,
    REMEDY_SAVES,
    REMEDY_TRANSFERS,
    REMEDY_COPIES,
    REMEDY_TINY_KERNELS,
    REMEDY_EXPOSED,
    REMEDY_COUNT
};

/* Static. */
const char *remedy_of(const struct step_list *steps, enum remedy remedy);

#endif
