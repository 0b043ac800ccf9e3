/* Groups of processes: PyTorch writes beside a collective (its kernel, or the op of the host) whose
 * it is, `Process Group Ranks`, a text such as "[0, 1, 2, 3]" of ranks of the job, "[0, 1, ...,
 * 63]" where there are many, and `Rank`, the process's own in it. Where no member beside the events
 * tells the rank, this may: a process is in all of its groups. */
#include "ingest/trace/trace_reading.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_BYTES_MAX = 512 };

/* "[0, 1, 2]" as "0,1,2"; false: it is no list of ranks. */
static bool group_text(const struct token *value, char text[GROUP_BYTES_MAX])
{
    size_t length = 0;
    if (value->kind != TOKEN_STRING && value->kind != TOKEN_COMPOUND)
        return false;
    for (uint32_t i = 0; i < value->length; i++) {
        const char c = value->start[i];
        if (strchr("[] \t\r\n", c) != NULL)
            continue;
        if (strchr("0123456789,.", c) == NULL || length + 1 == GROUP_BYTES_MAX)
            return false;
        text[length++] = c;
    }
    text[length] = '\0';
    return length > 0;
}

/* The next rank of a text, *at is moved behind it; false: there is none, or some are left out. */
static bool rank_next(const char **at, int64_t *ret_rank)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *ret_rank = strtoll(*at, &end, 10);
    *at = *end == ',' ? end + 1 : end;
    return true;
}

static bool has_rank(const char *group, int64_t rank)
{
    int64_t other;
    while (rank_next(&group, &other)) {
        if (other == rank)
            return true;
    }
    return *group != '\0'; /* it may be one that is left out */
}

/* Whether a rank in the group is the rank in the job: it begins with 0, 1, and leaves out none. */
static bool counts_from_zero(const char *group)
{
    int64_t rank, next = 0;
    while (rank_next(&group, &rank)) {
        if (rank != next++)
            return false;
    }
    return next > 1;
}

void trace_group_take(struct trace_reading *reading, const struct trace_event *item)
{
    struct trace_groups *groups = &reading->groups;
    char text[GROUP_BYTES_MAX];
    int64_t rank;
    if (!trace_has(item, TRACE_GROUP_RANKS) || !group_text(&item->values[TRACE_GROUP_RANKS], text))
        return;
    if (trace_has(item, TRACE_GROUP_RANK) && counts_from_zero(text) &&
        token_integer(&item->values[TRACE_GROUP_RANK], &rank) && rank >= 0) {
        groups->is_torn = groups->is_torn || (groups->rank.set && groups->rank.value != rank);
        groups->rank = some_i64(rank);
    }
    if (groups->count < TRACE_GROUPS_MOST &&
        text_index(text, groups->texts, groups->count) == groups->count)
        groups->texts[groups->count++] = arena_strdup(reading->arena, text);
}

struct opt_i64 trace_groups_rank(const struct trace_groups *groups)
{
    struct opt_i64 found = {0};
    int64_t rank;
    if (groups->rank.set && !groups->is_torn)
        return groups->rank;
    const char *first = groups->count > 0 ? groups->texts[0] : "";
    while (rank_next(&first, &rank)) {
        size_t holding = 1;
        while (holding < groups->count && has_rank(groups->texts[holding], rank))
            holding++;
        if (holding < groups->count)
            continue;
        if (found.set)
            return (struct opt_i64){0};
        found = some_i64(rank);
    }
    return first[0] == '\0' ? found : (struct opt_i64){0};
}

const char *trace_groups_text(const struct trace_groups *groups, struct arena *arena)
{
    const char *text = NULL;
    for (size_t i = 0; i < groups->count; i++)
        text = i == 0 ? groups->texts[i] : arena_printf(arena, "%s;%s", text, groups->texts[i]);
    return text;
}
