/* The rule of what steps leave in use of a device's memory. */
#include "ingest/allocators/allocators.h"
#include "ingest/findings/rules.h"

static void growth_tell(const struct memory_growth *growth, struct arena *arena,
                        struct finding *finding)
{
    char grown[FORMAT_BYTES], from[FORMAT_BYTES], to[FORMAT_BYTES];
    const int64_t bytes = growth->to_bytes - growth->from_bytes;
    const char *before =
        growth->windows_before == 0
            ? ""
            : arena_printf(arena, ", but for the first %zu", growth->windows_before);
    finding->count = some_i64((int64_t)growth->windows);
    finding->evidence = arena_printf(
        arena,
        "what steps leave in use of %s%s%s grows from step to step%s: over %zu of them from %s to "
        "%s, %s a step",
        growth->of_host ? "the host's memory (" : "",
        growth->allocator == NULL ? "the device's memory" : growth->allocator,
        growth->of_host ? ")" : "", before, growth->windows, format_size(growth->from_bytes, from),
        format_size(growth->to_bytes, to),
        format_size(bytes / (int64_t)(growth->windows - 1), grown));
    finding->remedy =
        growth->of_host
            ? "something keeps what steps left on the host: batches in a list or a queue without "
              "an end, results that are fetched and collected, caches of the loader"
            : "something keeps arrays of steps that are over: losses and metrics that are "
              "collected on the device (take float(loss) now and then), closures, caches by shape; "
              "compare `table allocations` of two memory.prof some steps apart";
}

bool memory_leak_find(struct profile *profile, const struct step_list *steps, bool *ret_leaks,
                      struct finding *finding, struct err *err)
{
    struct allocator_log log = {.arena = profile->arena};
    struct memory_growth growth;
    int64_t *bounds = arena_array(profile->arena, int64_t, steps->count + 1);
    size_t count = 0;
    *ret_leaks = false;
    if (!allocators_tell(profile))
        return true;
    for (size_t i = 0; i < steps->count; i = step_list_next(steps, i)) {
        const struct device_step *times = &steps->items[i].times;
        if (!times->numbered || steps->items[i].warmup != NULL ||
            (count > 0 && times->start_ps < bounds[count - 1]))
            continue;
        bounds[count++] = times->start_ps;
        bounds[count] = times->start_ps + times->duration_ps;
    }
    if (count == 0)
        return true;
    if (!allocators_read(profile, &log, err))
        return false;
    *ret_leaks = allocators_grow(&log, bounds, count, &growth);
    if (*ret_leaks)
        growth_tell(&growth, steps->arena, finding);
    return true;
}
