/* Which change a verdict is about: what an acceptance is scoped to, and the ops that moved. */
#include "schema/verdict.h"

#include "ops/runtime/text.h"

#include <string.h>

enum { CHANGE_KEY_MAX_BYTES = 1 << 16 };

const char *verdict_change_key(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_side *side = &verdict->candidate;
    if (side->commit != NULL)
        return arena_printf(arena, "commit %s", side->commit);
    scoped_text key;
    text_init(&key, CHANGE_KEY_MAX_BYTES);
    text_add(&key, "profiles");
    for (size_t i = 0; i < side->profile_ids.count; i++)
        text_addf(&key, " %s", side->profile_ids.items[i]);
    return key.failed ? NULL : arena_strdup(arena, text_string(&key));
}

size_t verdict_moved_count(const struct verdict *verdict)
{
    size_t count = 0;
    while (count < verdict->op_count && strcmp(verdict->ops[count].change, "unchanged") != 0)
        count++;
    return count;
}
