/* Begins and ends of events (B and E): an end closes what was begun last on its thread, in the
 * order of the file. One that names what it ends closes that, and what was begun in between has no
 * end. The arguments are those of the begin. */
#include "ingest/trace/trace_reading.h"

/* OPEN_MOST is deeper than anything nests; an end looks no further out than LOOK_MOST, so that ends
 * which fit nothing do not each go through all that is open. */
enum { OPEN_MOST = 4096, LOOK_MOST = 64 };

struct open_begin {
    struct kept_event kept;
    struct trace_time start;
    uint64_t name; /* hash of it */
};

static uint64_t name_hash(const struct token *name)
{
    return bytes_hash(name->start, name->length);
}

static bool begin_add(struct trace_reading *reading, const struct trace_event *item,
                      const int64_t ids[2], enum trace_fate *ret_fate, struct err *err)
{
    const struct token *name = &item->values[TRACE_NAME];
    const bool named = trace_has(item, TRACE_NAME);
    struct open_begin begin = {0};
    if (item->is_odd || (named && name->kind != TOKEN_STRING) ||
        !trace_time_of(item, TRACE_TS, &begin.start)) {
        *ret_fate = FATE_ODD;
        return true;
    }
    if (!named || name->length == 0 || !trace_has(item, TRACE_TS)) {
        *ret_fate = trace_has(item, TRACE_TS) ? FATE_NAMELESS : FATE_UNTIMED;
        return true;
    }
    struct trace_process *process = trace_process_of(&reading->tracks, ids[0], SIDE_HOST);
    struct trace_thread *thread = trace_thread_of(&reading->tracks, process, ids[1]);
    if (thread->open_count == OPEN_MOST) {
        thread->open_beyond++;
        return true;
    }
    thread->open = arena_grow(reading->arena, thread->open, thread->open_count,
                              &thread->open_capacity, sizeof *thread->open);
    begin.name = name_hash(name);
    struct open_begin *open = &thread->open[thread->open_count];
    if (!trace_event_make(reading, item, ids, &begin.kept, err))
        return false;
    thread->open_count++;
    *open = begin;
    return true;
}

/* Takes off what the end closes; false when that is nothing. */
static bool begin_find(struct trace_reading *reading, struct trace_thread *thread,
                       const struct trace_event *item, struct open_begin *ret_begin)
{
    const struct token *name = &item->values[TRACE_NAME];
    const bool named =
        trace_has(item, TRACE_NAME) && name->kind == TOKEN_STRING && name->length > 0;
    const uint64_t hash = named ? name_hash(name) : 0;
    size_t at = thread->open_count, looked = 0;
    while (named && at > 0 && looked < LOOK_MOST && thread->open[at - 1].name != hash) {
        at--;
        looked++;
    }
    if (at == 0 || looked == LOOK_MOST)
        return false;
    reading->fates[FATE_HALF] += (int64_t)(thread->open_count - at);
    *ret_begin = thread->open[at - 1];
    thread->open_count = at - 1;
    return true;
}

static bool end_add(struct trace_reading *reading, const struct trace_event *item,
                    const int64_t ids[2], enum trace_fate *ret_fate, struct err *err)
{
    struct trace_time end, duration;
    struct open_begin begin;
    struct trace_process *process = trace_process_of(&reading->tracks, ids[0], SIDE_HOST);
    struct trace_thread *thread = trace_thread_of(&reading->tracks, process, ids[1]);
    if (!trace_has(item, TRACE_TS) || !trace_time_of(item, TRACE_TS, &end)) {
        *ret_fate = trace_has(item, TRACE_TS) ? FATE_ODD : FATE_UNTIMED;
        return true;
    }
    const bool is_beyond = thread->open_beyond > 0;
    if (is_beyond || !begin_find(reading, thread, item, &begin)) {
        thread->open_beyond -= is_beyond;
        reading->fates[FATE_HALF] += is_beyond; /* the begin of it */
        *ret_fate = FATE_HALF;
        return true;
    }
    duration.ps = end.ps - begin.start.ps;
    duration.us = (double)duration.ps / 1e6;
    *ret_fate = !(duration.us > 0) ? FATE_ZERO
                : !trace_event_place(reading, &begin.start, &duration, &begin.kept.event)
                    ? FATE_FAR
                    : FATE_COUNT;
    if (*ret_fate == FATE_COUNT)
        return trace_event_keep(reading, ids, &begin.kept, err);
    reading->fates[*ret_fate]++; /* the begin of it */
    return true;
}

bool trace_half_add(struct trace_reading *reading, const struct trace_event *item,
                    const int64_t ids[2], enum trace_fate *ret_fate, struct err *err)
{
    bool is_begin = item->values[TRACE_PH].start[0] == 'B';
    *ret_fate = FATE_COUNT;
    return (is_begin ? begin_add : end_add)(reading, item, ids, ret_fate, err);
}

void trace_halves_end(struct trace_reading *reading)
{
    for (size_t p = 0; p < reading->tracks.process_count; p++) {
        const struct trace_process *process = &reading->tracks.processes[p];
        for (size_t t = 0; t < process->thread_count; t++)
            reading->fates[FATE_HALF] +=
                (int64_t)process->threads[t].open_count + process->threads[t].open_beyond;
    }
}
