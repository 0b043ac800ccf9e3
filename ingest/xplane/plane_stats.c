#include "ingest/xplane/plane_stats.h"
#include "ingest/wire/wire.h"

#include <math.h>
#include <string.h>

enum { INFLATED_STAT_MAX = 64 * 1024 };

const XStat *plane_stat_find(const struct xplane *plane, const char *name)
{
    const struct plane_ops *ops = &plane->ops;
    for (size_t i = 0; i < plane->head->n_stats; i++) {
        const XStat *stat = plane->head->stats[i];
        int32_t index = id_map_find(&ops->stat_by_id, stat->metadata_id);
        if (index != ID_MAP_ABSENT && strcmp(ops->stats[index].name, name) == 0)
            return stat;
    }
    return NULL;
}

/* The text of a number. */
static const char *number_text(const XStat *stat, struct arena *arena)
{
    char number[TEXT_DOUBLE_BYTES];
    switch (stat->value_case) {
    case XSTAT__VALUE_INT64_VALUE:
        return arena_printf(arena, "%lld", (long long)stat->int64_value);
    case XSTAT__VALUE_UINT64_VALUE:
        return arena_printf(arena, "%llu", (unsigned long long)stat->uint64_value);
    default:
        return arena_strdup(arena, text_double(stat->double_value, number));
    }
}

bool plane_stat_text(const struct xplane *plane, const XStat *stat, struct arena *arena,
                     const char **ret_text)
{
    int32_t index;
    *ret_text = NULL;
    switch (stat == NULL ? XSTAT__VALUE__NOT_SET : stat->value_case) {
    case XSTAT__VALUE_STR_VALUE:
        *ret_text = stat->str_value;
        break;
    case XSTAT__VALUE_REF_VALUE:
        index = id_map_find(&plane->ops.stat_by_id, (int64_t)stat->ref_value);
        *ret_text = index == ID_MAP_ABSENT ? NULL : plane->ops.stats[index].name;
        break;
    case XSTAT__VALUE_INT64_VALUE:
    case XSTAT__VALUE_UINT64_VALUE:
    case XSTAT__VALUE_DOUBLE_VALUE:
        *ret_text = number_text(stat, arena);
        return true;
    default:
        if (stat != NULL &&
            !gunzip_text(stat->compressed_str_value.data, stat->compressed_str_value.len,
                         INFLATED_STAT_MAX, arena, ret_text))
            return false;
        break;
    }
    if (*ret_text != NULL && **ret_text == '\0')
        *ret_text = NULL;
    return true;
}

struct opt_f64 plane_stat_positive(const XStat *stat)
{
    struct opt_f64 number = {0};
    if (stat == NULL)
        return number;
    if (stat->value_case == XSTAT__VALUE_INT64_VALUE)
        number.value = (double)stat->int64_value;
    if (stat->value_case == XSTAT__VALUE_UINT64_VALUE)
        number.value = (double)stat->uint64_value;
    if (stat->value_case == XSTAT__VALUE_DOUBLE_VALUE)
        number.value = stat->double_value;
    number.set = isfinite(number.value) && number.value > 0;
    return number;
}
