/* See plane_made.h. A stat's id is the place of its fact. */
#include "ingest/xplane/plane_made.h"

static bool is_known(const struct fact_stat *fact)
{
    return fact->text != NULL || fact->number.set;
}

const XPlane *plane_head_make(const struct fact_stat *facts, size_t count, struct arena *arena)
{
    static const XPlane empty = XPLANE__INIT;
    static const XStat unset = XSTAT__INIT;
    XPlane *head = arena_new(arena, XPlane);
    XStat **stats = arena_array(arena, XStat *, count);
    XStat *items = arena_array(arena, XStat, count);
    *head = empty;
    head->stats = stats;
    for (size_t i = 0; i < count; i++) {
        if (!is_known(&facts[i]))
            continue;
        XStat *stat = stats[head->n_stats++] = &items[i];
        *stat = unset;
        stat->metadata_id = (int64_t)i;
        if (facts[i].text != NULL) {
            stat->value_case = XSTAT__VALUE_STR_VALUE;
            stat->str_value = (char *)(uintptr_t)facts[i].text; /* nobody changes it */
        } else {
            stat->value_case = XSTAT__VALUE_INT64_VALUE;
            stat->int64_value = facts[i].number.value;
        }
    }
    return head;
}

void plane_facts_load(const struct fact_stat *facts, size_t count, struct plane_ops *ops)
{
    ops->stats = arena_array(ops->catalog->arena, struct stat_name, count);
    for (size_t i = 0; i < count; i++) {
        ops->stats[ops->stat_count++] =
            (struct stat_name){.name = facts[i].name, .kind = STAT_OTHER};
        id_map_set(&ops->stat_by_id, (int64_t)i, (int32_t)i);
    }
}
