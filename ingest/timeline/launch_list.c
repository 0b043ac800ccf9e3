/* See launch_list.h. */
#include "ingest/timeline/launch_list.h"

#include <stdbool.h>

static bool run_holds(const struct launch_run *run, int64_t id)
{
    return run->first <= id && id <= run->last;
}

struct opt_i64 launch_step(const struct launch_list *list, int64_t id, size_t *hint)
{
    enum { OVERLAPS = 8 }; /* runs of other threads that begin later and may not hold the id */
    if (*hint < list->count && run_holds(&list->runs[*hint], id))
        return some_i64(list->runs[*hint].number);
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->runs[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; i < OVERLAPS && i < low; i++) {
        if (run_holds(&list->runs[low - 1 - i], id)) {
            *hint = low - 1 - i;
            return some_i64(list->runs[*hint].number);
        }
    }
    return (struct opt_i64){0};
}
