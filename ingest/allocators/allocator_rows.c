/* What allocators say, as tables: the peak of each, and every event. */
#include "ingest/allocators/allocators.h"

#include "ingest/lookup/lookup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const double ps_per_us = 1e6;

/* ---- order and peaks ------------------------------------------------------------------------- */

static int event_order(const void *left, const void *right)
{
    const struct allocator_event *a = left, *b = right;
    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    if (a->allocator != b->allocator)
        return a->allocator < b->allocator ? -1 : 1;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static struct opt_i64 sum_of(struct opt_i64 a, struct opt_i64 b)
{
    struct opt_i64 sum = {.set = a.set && b.set};
    if (sum.set && __builtin_add_overflow(a.value, b.value, &sum.value))
        sum.value = INT64_MAX;
    return sum;
}

struct opt_i64 allocator_in_use(const struct allocator_event *event)
{
    return sum_of(event->stack, event->heap);
}

/* "GPU_host_bfc", "cuda_host_bfc", "cpu", "mklcpu". */
bool allocator_is_of_host(const char *allocator)
{
    return allocator != NULL &&
           (strcasestr(allocator, "host") != NULL || strcasestr(allocator, "cpu") != NULL);
}

struct opt_i64 allocators_peak(const struct allocator_log *log, const char **ret_allocator)
{
    struct opt_i64 most = {0};
    *ret_allocator = NULL;
    for (size_t i = 0; i < log->count; i++) {
        const struct opt_i64 used = allocator_in_use(&log->events[i]);
        const char *allocator = log->allocators[log->events[i].allocator];
        if (!used.set || allocator_is_of_host(allocator) || (most.set && used.value <= most.value))
            continue;
        most = used;
        *ret_allocator = allocator;
    }
    return most;
}

/* ---- a row per allocator --------------------------------------------------------------------- */

enum {
    PEAK_ALLOCATOR,
    PEAK_HOST,
    PEAK_LIFETIME,
    PEAK_IN_USE,
    PEAK_HEAP,
    PEAK_STACK,
    PEAK_FREE,
    PEAK_FRAGMENTATION,
    PEAK_CAPACITY,
    PEAK_TIME,
    PEAK_ALLOCATIONS,
    PEAK_DEALLOCATIONS,
    PEAK_COLUMNS
};

const struct data_column allocator_columns[PEAK_COLUMNS] = {
    [PEAK_ALLOCATOR] = {"allocator", "allocator", "", DATA_TEXT},
    [PEAK_HOST] = {"host", "host", "", DATA_TEXT},
    [PEAK_LIFETIME] = {"peak_bytes_lifetime", "heap's peak of the process", "bytes", DATA_INTEGER},
    [PEAK_IN_USE] = {"peak_bytes_in_use", "peak in the capture, with stack", "bytes", DATA_INTEGER},
    [PEAK_HEAP] = {"heap", "heap", "bytes", DATA_INTEGER},
    [PEAK_STACK] = {"stack", "stack", "bytes", DATA_INTEGER},
    [PEAK_FREE] = {"free", "free", "bytes", DATA_INTEGER},
    [PEAK_FRAGMENTATION] = {"fragmentation", "fragmentation", "ratio", DATA_REAL},
    [PEAK_CAPACITY] = {"capacity", "capacity", "bytes", DATA_INTEGER},
    [PEAK_TIME] = {"peak_time_us", "when", "us", DATA_REAL},
    [PEAK_ALLOCATIONS] = {"allocations", "allocations", "count", DATA_INTEGER},
    [PEAK_DEALLOCATIONS] = {"deallocations", "frees", "count", DATA_INTEGER},
};
const size_t allocator_column_count = PEAK_COLUMNS;

static const char not_said[] = "no event of an allocator says it";
static const char *const peak_reasons[PEAK_COLUMNS] = {
    [PEAK_HOST] = "the file names no host",
    [PEAK_LIFETIME] = not_said,
    [PEAK_IN_USE] = not_said,
    [PEAK_HEAP] = not_said,
    [PEAK_STACK] = not_said,
    [PEAK_FREE] = not_said,
    [PEAK_FRAGMENTATION] = not_said,
    [PEAK_CAPACITY] = not_said,
    [PEAK_ALLOCATIONS] = "xprof's table keeps a choice of events",
    [PEAK_DEALLOCATIONS] = "xprof's table keeps a choice of events",
};

/* Of events[count] of one allocator, by time: of equal peaks the last one counts, as in xprof. */
static const struct allocator_event *peak_of(const struct allocator_event *events, size_t count)
{
    const struct allocator_event *peak = &events[0];
    for (size_t i = 0; i < count; i++) {
        const struct opt_i64 used = allocator_in_use(&events[i]), most = allocator_in_use(peak);
        if (used.set && (!most.set || used.value >= most.value))
            peak = &events[i];
    }
    return peak;
}

static void peak_row(const struct allocator_log *log, const struct allocator_event *events,
                     size_t count, struct data_value *row)
{
    const struct allocator_event *peak = peak_of(events, count);
    struct opt_i64 lifetime = {0};
    int64_t frees = 0;
    for (size_t i = 0; i < count; i++) {
        if (events[i].lifetime_peak.set &&
            (!lifetime.set || events[i].lifetime_peak.value > lifetime.value))
            lifetime = events[i].lifetime_peak;
        frees += events[i].frees;
    }
    row[PEAK_ALLOCATOR] = data_text(log->allocators[peak->allocator]);
    row[PEAK_HOST] = data_text(log->hosts[peak->host]);
    row[PEAK_LIFETIME] = data_opt_integer(lifetime);
    row[PEAK_IN_USE] = data_opt_integer(allocator_in_use(peak));
    row[PEAK_HEAP] = data_opt_integer(peak->heap);
    row[PEAK_STACK] = data_opt_integer(peak->stack);
    row[PEAK_FREE] = data_opt_integer(peak->free);
    row[PEAK_FRAGMENTATION] = data_opt_real(peak->fragmentation);
    row[PEAK_CAPACITY] = data_opt_integer(sum_of(allocator_in_use(peak), peak->free));
    row[PEAK_TIME] = data_real((double)peak->time_ps / ps_per_us);
    if (peak->is_sample)
        return;
    row[PEAK_ALLOCATIONS] = data_integer((int64_t)count - frees);
    row[PEAK_DEALLOCATIONS] = data_integer(frees);
}

static int row_order(const void *left, const void *right)
{
    const struct data_value *a = left, *b = right;
    const int64_t more = a[PEAK_IN_USE].set ? a[PEAK_IN_USE].integer : -1;
    const int64_t less = b[PEAK_IN_USE].set ? b[PEAK_IN_USE].integer : -1;
    return (less > more) - (less < more);
}

void allocator_log_order(struct allocator_log *log)
{
    if (log->count > 0)
        qsort(log->events, log->count, sizeof *log->events, event_order);
}

size_t allocator_log_next(const struct allocator_log *log, size_t at)
{
    const struct allocator_event *first = &log->events[at];
    while (at < log->count && log->events[at].host == first->host &&
           log->events[at].allocator == first->allocator)
        at++;
    return at;
}

bool allocator_rows(struct allocator_log *log, struct made_rows *rows, struct err *err)
{
    rows->reasons = peak_reasons;
    rows->stay = true;
    allocator_log_order(log);
    for (size_t begin = 0, end; begin < log->count; begin = end) {
        const struct allocator_event *first = &log->events[begin];
        end = allocator_log_next(log, begin);
        peak_row(log, first, end - begin, made_row(rows));
    }
    if (rows->count > 0)
        qsort(rows->values, rows->count, PEAK_COLUMNS * sizeof *rows->values, row_order);
    return arena_ok(rows->arena, "the rows of a table", err);
}

/* ---- a row per event ------------------------------------------------------------------------- */

enum {
    EVENT_ALLOCATOR,
    EVENT_HOST,
    EVENT_TIME,
    EVENT_ACTIVITY,
    EVENT_REQUESTED,
    EVENT_BYTES,
    EVENT_HEAP,
    EVENT_STACK,
    EVENT_FREE,
    EVENT_FRAGMENTATION,
    EVENT_LIFETIME,
    EVENT_OP,
    EVENT_ADDRESS,
    EVENT_LIVE,
    EVENT_COLUMNS
};

const struct data_column allocator_event_columns[EVENT_COLUMNS] = {
    [EVENT_ALLOCATOR] = {"allocator", "allocator", "", DATA_TEXT},
    [EVENT_HOST] = {"host", "host", "", DATA_TEXT},
    [EVENT_TIME] = {"time_us", "when", "us", DATA_REAL},
    [EVENT_ACTIVITY] = {"activity", "what", "", DATA_TEXT},
    [EVENT_REQUESTED] = {"requested_bytes", "requested", "bytes", DATA_INTEGER},
    [EVENT_BYTES] = {"allocation_bytes", "taken", "bytes", DATA_INTEGER},
    [EVENT_HEAP] = {"heap", "heap behind it", "bytes", DATA_INTEGER},
    [EVENT_STACK] = {"stack", "stack", "bytes", DATA_INTEGER},
    [EVENT_FREE] = {"free", "free", "bytes", DATA_INTEGER},
    [EVENT_FRAGMENTATION] = {"fragmentation", "fragmentation", "ratio", DATA_REAL},
    [EVENT_LIFETIME] = {"peak_bytes_lifetime", "peak so far", "bytes", DATA_INTEGER},
    [EVENT_OP] = {"op_name", "op", "", DATA_TEXT},
    [EVENT_ADDRESS] = {"address", "address", "", DATA_TEXT},
    [EVENT_LIVE] = {"live_at_peak", "lives at the peak", "", DATA_BOOLEAN},
};
const size_t allocator_event_column_count = EVENT_COLUMNS;

static const char *const event_reasons[EVENT_COLUMNS] = {
    [EVENT_HOST] = "the file names no host",
    [EVENT_REQUESTED] = not_said,
    [EVENT_BYTES] = not_said,
    [EVENT_HEAP] = not_said,
    [EVENT_STACK] = not_said,
    [EVENT_FREE] = not_said,
    [EVENT_FRAGMENTATION] = not_said,
    [EVENT_LIFETIME] = not_said,
    [EVENT_OP] = "no event says which op it is for",
    [EVENT_ADDRESS] = not_said,
    [EVENT_LIVE] = "no event says at which address it is, or a table keeps a choice of events",
};

/* Of events[count] of one allocator, by time, those that allocate what nobody gives back until the
 * peak: at each address the last one before it. What was there before the capture has no event.
 * live[count]. */
static void live_find(const struct allocator_event *events, size_t count, struct arena *arena,
                      struct data_value *live)
{
    struct id_map seen;
    id_map_init(&seen, arena);
    const size_t peak = (size_t)(peak_of(events, count) - events);
    for (size_t i = count; i-- > 0;) {
        const struct allocator_event *event = &events[i];
        live[i] = (struct data_value){.kind = DATA_BOOLEAN};
        if (!event->address.set || event->is_sample)
            continue;
        const bool last = i <= peak && id_map_find(&seen, event->address.value) == ID_MAP_ABSENT;
        if (last)
            id_map_set(&seen, event->address.value, 0);
        if (!event->frees)
            live[i] = data_boolean(last);
    }
}

bool allocator_event_rows(struct allocator_log *log, struct made_rows *rows, struct err *err)
{
    rows->reasons = event_reasons;
    rows->stay = true;
    struct data_value *live = arena_array(rows->arena, struct data_value, log->count);
    allocator_log_order(log);
    for (size_t begin = 0, end; begin < log->count; begin = end) {
        end = allocator_log_next(log, begin);
        live_find(&log->events[begin], end - begin, rows->arena, &live[begin]);
    }
    for (size_t i = 0; i < log->count; i++) {
        const struct allocator_event *event = &log->events[i];
        struct data_value *row = made_row(rows);
        row[EVENT_ALLOCATOR] = data_text(log->allocators[event->allocator]);
        row[EVENT_HOST] = data_text(log->hosts[event->host]);
        row[EVENT_TIME] = data_real((double)event->time_ps / ps_per_us);
        row[EVENT_ACTIVITY] = data_text(event->frees ? "free" : "allocate");
        row[EVENT_REQUESTED] = data_opt_integer(event->requested);
        row[EVENT_BYTES] = data_opt_integer(event->allocated);
        row[EVENT_HEAP] = data_opt_integer(event->heap);
        row[EVENT_STACK] = data_opt_integer(event->stack);
        row[EVENT_FREE] = data_opt_integer(event->free);
        row[EVENT_FRAGMENTATION] = data_opt_real(event->fragmentation);
        row[EVENT_LIFETIME] = data_opt_integer(event->lifetime_peak);
        row[EVENT_OP] = data_text(event->op);
        if (event->address.set)
            row[EVENT_ADDRESS] =
                data_text(arena_printf(rows->arena, "%" PRIu64, (uint64_t)event->address.value));
        row[EVENT_LIVE] = live[i];
    }
    return arena_ok(rows->arena, "the rows of a table", err);
}
