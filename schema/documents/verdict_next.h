/* The step that follows a verdict. */
#ifndef SCHEMA_DOCUMENTS_VERDICT_NEXT_H
#define SCHEMA_DOCUMENTS_VERDICT_NEXT_H

#include "schema/documents/verdict.h"

/* What a person may do now and the command for it; NULLs where there is nothing to do but what the
 * verdict itself says. */
struct verdict_next {
    const char *why;     /* a sentence without its full stop */
    const char *command; /* as a shell takes it, but for words in capitals */
};

/* In the arena. */
void verdict_next_find(const struct verdict *verdict, struct arena *arena,
                       struct verdict_next *ret_next);

#endif
