/* The rule of what steps leave in use of a device's memory. It reads allocators' events, which most
 * profiles do not have. */
#ifndef INGEST_FINDINGS_MEMORY_LEAK_H
#define INGEST_FINDINGS_MEMORY_LEAK_H

#include "ingest/findings/findings.h"

/* Whether an allocator of the host's devices grows with its steady steps, and by how much; texts
 * lie in the steps' arena, or are NULL beyond its budget. Errors as of allocators_read. */
bool memory_leak_find(struct profile *profile, const struct step_list *steps, bool *ret_leaks,
                      struct finding *finding, struct err *err);

#endif
