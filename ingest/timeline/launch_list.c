#include "ingest/timeline/launch_list.h"

static bool run_holds(const struct launch_run *run, int64_t id)
{
    return run->first <= id && id <= run->last;
}

/* How many of runs[count] begin with the id or before it. */
static size_t runs_begun(const struct launch_run *runs, size_t count, int64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (runs[middle].first <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct opt_i64 launch_step(const struct launch_list *list, int64_t id, size_t *hint)
{
    enum { OVERLAPS = 8 }; /* runs of other threads that begin later and may not hold the id */
    const size_t next = *hint + 1;
    const size_t single = runs_begun(list->single, list->single_count, id);
    if (single > 0 && run_holds(&list->single[single - 1], id))
        return some_i64(list->single[single - 1].number);
    if (*hint < list->count && run_holds(&list->runs[*hint], id) &&
        (next == list->count || list->runs[next].first > id))
        return some_i64(list->runs[*hint].number);
    const size_t low = runs_begun(list->runs, list->count, id);
    for (size_t i = 0; i < OVERLAPS && i < low; i++) {
        if (run_holds(&list->runs[low - 1 - i], id)) {
            *hint = low - 1 - i;
            return some_i64(list->runs[*hint].number);
        }
    }
    return (struct opt_i64){0};
}

bool launch_is_earlier(const struct launch_list *list, int64_t id)
{
    enum { PROCESS_BITS = 32 };
    const size_t begun = runs_begun(list->runs, list->count, id);
    const bool none_before =
        begun == 0 || list->runs[begun - 1].first >> PROCESS_BITS != id >> PROCESS_BITS;
    return none_before && begun < list->count &&
           list->runs[begun].first >> PROCESS_BITS == id >> PROCESS_BITS;
}
