/* One item of a trace: what it is, and where its event goes. */
#include "ingest/trace/trace_reading.h"
#include "ingest/trace/trace_table.h"

#include <math.h>
#include <string.h>

static bool no_memory(const struct trace_reading *reading, struct err *err)
{
    return arena_failed(reading->arena, "the events of a profile", err);
}

/* ---- metadata -------------------------------------------------------------------------------- */

static bool text_keep_of(struct trace_reading *reading, const struct token *value,
                         const char **ret_text)
{
    struct arena_mark mark = arena_mark(&reading->scratch);
    const char *text = token_text(value, &reading->scratch);
    uint32_t number = STRING_NONE;
    if (text != NULL) {
        size_t length = limit_text(text, strlen(text), NAME_MAX_BYTES, &reading->space->texts_cut);
        number = strings_add(&reading->catalog->strings, text, length);
    }
    *ret_text = catalog_text(reading->catalog, number);
    arena_rewind(&reading->scratch, mark);
    return number != STRING_NONE;
}

static bool metadata_add(struct trace_reading *reading, const struct trace_event *event,
                         int64_t pid, struct err *err)
{
    const struct token *about = &event->values[TRACE_NAME];
    struct trace_tracks *tracks = &reading->tracks;
    bool labels = token_is(about, "process_labels") && trace_has(event, TRACE_LABELS);
    bool named =
        trace_has(event, TRACE_ARG_NAME) && event->values[TRACE_ARG_NAME].kind == TOKEN_STRING;
    const char *text;
    if (!labels && !named)
        return true;
    if (!text_keep_of(reading, &event->values[labels ? TRACE_LABELS : TRACE_ARG_NAME], &text))
        return no_memory(reading, err);
    struct trace_process *process = trace_process_of(tracks, pid);
    if (process == NULL)
        return no_memory(reading, err);
    if (labels) {
        process->labels = text;
    } else if (token_is(about, "process_name")) {
        tracks->named_processes += process->name == NULL;
        process->name = text;
    } else if (token_is(about, "thread_name") && trace_has(event, TRACE_TID)) {
        int64_t tid;
        bool is_text;
        if (!trace_id(tracks, &event->values[TRACE_TID], &tid, &is_text))
            return true;
        struct trace_thread *thread = trace_thread_of(tracks, process, tid);
        if (thread == NULL)
            return no_memory(reading, err);
        tracks->named_threads += thread->name == NULL;
        thread->name = text;
    }
    return true;
}

/* ---- times ----------------------------------------------------------------------------------- */

struct trace_time {
    double us;
    __int128 ps;
};

/* In picoseconds, to the nearest. */
static __int128 picoseconds(const struct decimal *number)
{
    enum { US_DECIMALS = 6, DIGITS_MOST = 19 };
    __int128 ps = number->digits;
    int up = US_DECIMALS - number->decimals;
    if (up > DIGITS_MOST && number->digits != 0)
        ps = (__int128)INT64_MAX << 32; /* further than any clock */
    else if (up < -DIGITS_MOST)
        ps = 0;
    else if (up < 0) {
        __int128 unit = 1;
        for (int i = up; i < 0; i++)
            unit *= 10;
        ps = (ps + unit / 2) / unit;
    } else {
        for (int i = 0; i < up && number->digits != 0; i++)
            ps *= 10;
    }
    return number->negative ? -ps : ps;
}

/* A time, 0 where there is none. false when it is no number. */
static bool time_of(const struct trace_event *event, enum trace_member member,
                    struct trace_time *ret_time)
{
    struct decimal number;
    const struct token *value = &event->values[member];
    *ret_time = (struct trace_time){0};
    if (!trace_has(event, member))
        return true;
    if (value->kind != TOKEN_NUMBER || !token_decimal(value, &number))
        return false;
    ret_time->us = token_double(value, &number);
    ret_time->ps = picoseconds(&number);
    return isfinite(ret_time->us);
}

/* What picoseconds count from: 0, unless the clock is so far from it that they would no longer be
 * exact in a double. */
static void base_set(struct trace_reading *reading, const struct trace_time *time)
{
    static const double exact_us = 9007199254.0; /* 2^53 ps */
    const double most_us = 9e15;                 /* so that ns fit too */
    reading->has_base = true;
    reading->first_us = INFINITY;
    reading->last_us = -INFINITY;
    if (fabs(time->us) > exact_us && fabs(time->us) < most_us)
        reading->base_us = (int64_t)floor(time->us);
    reading->store.base_us = (double)reading->base_us;
}

/* false when the event has no place in picoseconds. */
static bool event_place_in_time(struct trace_reading *reading, const struct trace_time *start,
                                const struct trace_time *duration, struct event *event)
{
    const __int128 most = INT64_MAX;
    if (!reading->has_base)
        base_set(reading, start);
    __int128 offset = start->ps - (__int128)reading->base_us * 1000000;
    if (offset > most || offset < -most || duration->ps > most)
        return false;
    event->start_us = start->us;
    event->duration_us = duration->us;
    event->offset_ps = (int64_t)offset;
    event->duration_ps = duration->ps > 0 ? (int64_t)duration->ps : 1;
    reading->first_us = fmin(reading->first_us, start->us);
    reading->last_us = fmax(reading->last_us, start->us + duration->us);
    return true;
}

/* ---- complete events ------------------------------------------------------------------------- */

/* PyTorch annotates a step by a name with its number. */
static bool step_name(struct token *name, struct opt_i64 *ret_step)
{
    static const char begin[] = "ProfilerStep#";
    const size_t length = sizeof begin - 1;
    struct token digits = {TOKEN_NUMBER, false, 0, name->start + length};
    int64_t number;
    if (name->length <= length || memcmp(name->start, begin, length) != 0)
        return false;
    digits.length = name->length - (uint32_t)length;
    if (!token_integer(&digits, &number))
        return false;
    *ret_step = some_i64(number);
    name->length = (uint32_t)length - 1;
    return true;
}

/* TensorFlow names what groups a step after it, `train 12`, on the host and on a device's Steps. */
static bool step_told(const struct trace_event *event, struct opt_i64 *ret_step)
{
    const struct token *name = &event->values[TRACE_STEP_NAME];
    int64_t number;
    if (!trace_has(event, TRACE_STEP_NAME) || name->kind != TOKEN_STRING)
        return false;
    const char *blank = memrchr(name->start, ' ', name->length);
    if (blank == NULL)
        return false;
    const uint32_t before = (uint32_t)(blank + 1 - name->start);
    const struct token digits = {TOKEN_NUMBER, false, name->length - before, blank + 1};
    if (!token_integer(&digits, &number) || number < 0)
        return false;
    *ret_step = some_i64(number);
    return true;
}

static bool note_build(struct trace_reading *reading, const struct trace_event *event,
                       struct event_note *ret_note, struct err *err)
{
    struct stat_value values[STAT_KIND_COUNT] = {{0}};
    struct arena_mark mark = arena_mark(&reading->scratch);
    bool not_finite;
    for (unsigned arg = TRACE_OP_ARGS_END; arg < TRACE_EVENT_ARGS_END; arg++) {
        enum stat_kind kind = trace_stat((enum trace_member)arg);
        if (trace_has(event, (enum trace_member)arg) &&
            !trace_stat_value(&event->values[arg], kind, &reading->scratch, &values[kind]))
            return no_memory(reading, err);
    }
    if (!op_note_build(reading->catalog, values, ret_note, &not_finite))
        return no_memory(reading, err);
    ret_note->is_root = ret_note->step.set;
    arena_rewind(&reading->scratch, mark);
    return true;
}

/* Marks on the stream of a GPU, which are no work of it. */
static enum trace_layer layer_of(const struct trace_event *event)
{
    static const char *const marks[] = {"gpu_user_annotation", "cuda_sync"};
    const struct token *category = &event->values[TRACE_CAT];
    for (size_t i = 0; trace_has(event, TRACE_CAT) && i < sizeof marks / sizeof marks[0]; i++) {
        if (token_is(category, marks[i]))
            return LAYER_MARKS;
    }
    return LAYER_WORK;
}

/* The line of the store for an event, made when it is the first. */
static bool line_find(struct trace_reading *reading, struct trace_process *process,
                      struct trace_thread *thread, enum trace_layer layer, struct err *err)
{
    struct trace_tracks *tracks = &reading->tracks;
    if (thread->lines[layer] >= 0)
        return true;
    thread->lines[layer] = event_store_line(&reading->store, err);
    if (thread->lines[layer] < 0)
        return false;
    if (process->line_count == 0)
        process->place = tracks->used_processes++;
    thread->places[layer] = process->line_count++;
    const char *path = reading->space->input.path;
    return limit_check(reading->limits, max_lines, ++tracks->line_count, path, err) &&
           limit_check(reading->limits, max_planes, tracks->used_processes, path, err);
}

static bool event_keep(struct trace_reading *reading, const struct trace_event *item,
                       const int64_t ids[2], struct event *event, struct err *err)
{
    const uint32_t notes =
        ((uint32_t)1 << TRACE_EVENT_ARGS_END) - ((uint32_t)1 << TRACE_OP_ARGS_END);
    struct event_note note = {0};
    struct token name = item->values[TRACE_NAME];
    struct opt_i64 step = {0};
    struct trace_process *process = trace_process_of(&reading->tracks, ids[0]);
    struct trace_thread *thread =
        process == NULL ? NULL : trace_thread_of(&reading->tracks, process, ids[1]);
    enum trace_layer layer = layer_of(item);
    if (thread == NULL)
        return no_memory(reading, err);
    if (!line_find(reading, process, thread, layer, err))
        return false;
    event->has_note = (item->has & notes) != 0;
    if (event->has_note && !note_build(reading, item, &note, err))
        return false;
    if (step_name(&name, &step)) {
        note.step = step;
        note.is_root = event->has_note = true;
    }
    if (!note.step.set && step_told(item, &note.step))
        event->has_note = true;
    event->op = trace_ops_find(&process->ops, &name, item, &reading->key, reading->arena);
    if (event->op < 0)
        return no_memory(reading, err);
    reading->complete_count++;
    return limit_check(reading->limits, max_metadata, (int64_t)process->ops.count,
                       reading->space->input.path, err) &&
           event_store_add(&reading->store, thread->lines[layer], event, &note, err);
}

/* A row of the table that is asked for, which may have lasted no time. */
static bool row_keep(struct trace_reading *reading, const struct trace_event *item,
                     int64_t duration_ps, enum trace_fate *ret_fate, struct err *err)
{
    struct arena_mark mark = arena_mark(&reading->scratch);
    bool kept = trace_row_add(item, duration_ps, reading->rows, &reading->scratch, err);
    arena_rewind(&reading->scratch, mark);
    *ret_fate = FATE_COUNT;
    reading->complete_count++;
    return kept;
}

/* Keeps the item if it is an event with a name, a place and a duration above 0; else says why not.
 */
static bool complete_add(struct trace_reading *reading, const struct trace_event *item,
                         const int64_t ids[2], enum trace_fate *ret_fate, struct err *err)
{
    const struct token *name = &item->values[TRACE_NAME];
    const bool named = trace_has(item, TRACE_NAME);
    struct trace_time start, duration;
    struct event event = {0};
    *ret_fate = FATE_ODD;
    if (item->is_odd || (named && name->kind != TOKEN_STRING) || !time_of(item, TRACE_TS, &start) ||
        !time_of(item, TRACE_DUR, &duration))
        return true;
    if (reading->rows != NULL && duration.ps >= 0 && duration.ps <= INT64_MAX && named)
        return row_keep(reading, item, (int64_t)duration.ps, ret_fate, err);
    *ret_fate = !(duration.us > 0)            ? FATE_ZERO
                : !named || name->length == 0 ? FATE_NAMELESS
                                              : FATE_COUNT;
    if (*ret_fate != FATE_COUNT)
        return true;
    if (!event_place_in_time(reading, &start, &duration, &event)) {
        *ret_fate = FATE_FAR;
        return true;
    }
    return event_keep(reading, item, ids, &event, err);
}

/* ---- items ----------------------------------------------------------------------------------- */

static enum trace_fate fate_of_phase(char phase)
{
    switch (phase) {
    case 's':
    case 't':
    case 'f':
        return FATE_FLOW;
    case 'i':
    case 'I':
    case 'R':
        return FATE_INSTANT;
    case 'C':
        return FATE_COUNTER;
    case 'B':
    case 'E':
        return FATE_HALF;
    default:
        return FATE_ASYNC;
    }
}

/* Process and thread of an item; FATE_COUNT when it has both. */
static enum trace_fate ids_read(struct trace_reading *reading, const struct trace_event *item,
                                int64_t ids[2], bool thread_too)
{
    static const enum trace_member members[] = {TRACE_PID, TRACE_TID};
    bool any_text = false;
    for (int i = 0; i < 1 + thread_too; i++) {
        const struct token *value = &item->values[members[i]];
        bool is_text;
        if (!trace_has(item, members[i]))
            return FATE_NOWHERE;
        if (!trace_id(&reading->tracks, value, &ids[i], &is_text))
            return value->kind == TOKEN_NUMBER && value->start[0] == '-' ? FATE_NOWHERE : FATE_ODD;
        any_text = any_text || is_text;
    }
    reading->text_ids += any_text;
    return FATE_COUNT;
}

bool trace_item_add(struct trace_reading *reading, const struct trace_event *item, struct err *err)
{
    const struct token *phase = &item->values[TRACE_PH];
    enum trace_fate fate = FATE_COUNT;
    int64_t ids[2] = {0};
    bool added = true;
    if (!limit_check(reading->limits, max_events, ++reading->item_count, reading->space->input.path,
                     err))
        return false;
    if (!item->is_object || (trace_has(item, TRACE_PH) && phase->kind != TOKEN_STRING)) {
        fate = FATE_ODD;
    } else if (!trace_has(item, TRACE_PH) || phase->length != 1) {
        fate = FATE_COUNT; /* a writer's last, empty item */
    } else if (phase->start[0] == 'X') {
        fate = ids_read(reading, item, ids, true);
        bool is_span = trace_has(item, TRACE_CAT) && token_is(&item->values[TRACE_CAT], "Trace") &&
                       item->values[TRACE_PID].kind == TOKEN_STRING;
        if (is_span)
            fate = FATE_SPAN;
        if (fate == FATE_COUNT)
            added = complete_add(reading, item, ids, &fate, err);
    } else if (phase->start[0] == 'M') {
        if (ids_read(reading, item, ids, false) == FATE_COUNT && trace_has(item, TRACE_NAME))
            added = metadata_add(reading, item, ids[0], err);
    } else {
        fate = fate_of_phase(phase->start[0]);
    }
    if (fate != FATE_COUNT)
        reading->fates[fate]++;
    return added;
}
