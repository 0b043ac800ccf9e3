/* Whether what people took of one verdict is what another one says. */
#ifndef SCHEMA_DOCUMENTS_VERDICT_ACCEPTED_H
#define SCHEMA_DOCUMENTS_VERDICT_ACCEPTED_H

#include "schema/documents/verdict.h"

/* Does the acceptance of one verdict on a change cover what another says against it? A fail that
 * rests on what the accepted one did not name is not covered, nor is a loss above the upper end of
 * its interval (at least a point above its estimate), nor means of steps that grew by half as much
 * again. What is no fail needs nobody. */
bool verdict_is_within(const struct verdict *verdict, const struct verdict *accepted);

/* Of one that is not: the sentence that says by how much. accepted->id names it. */
const char *verdict_beyond(const struct verdict *verdict, const struct verdict *accepted,
                           struct arena *arena);

#endif
