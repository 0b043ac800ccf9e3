/* One item of a trace: what it is, and what becomes of it. */
#include "ingest/trace/trace_reading.h"
#include "ingest/trace/trace_table.h"

#include <ctype.h>
#include <string.h>

/* ---- metadata -------------------------------------------------------------------------------- */

static const char *text_keep_of(struct trace_reading *reading, const struct token *value)
{
    struct arena_mark mark = arena_mark(&reading->scratch);
    const char *text = token_text(value, &reading->scratch);
    const size_t length =
        limit_text(text, strlen(text), NAME_MAX_BYTES, &reading->space->texts_cut);
    const uint32_t number = strings_add(&reading->catalog->strings, text, length);
    arena_rewind(&reading->scratch, mark);
    return catalog_text(reading->catalog, number);
}

int trace_device_number(const char *labels, size_t *ret_kind)
{
    enum { DIGITS_MOST = 4 };
    size_t kind = 0, digits;
    while (labels != NULL && isupper((unsigned char)labels[kind]))
        kind++;
    *ret_kind = kind;
    if (kind == 0 || labels[kind] != ' ')
        return -1;
    digits = strspn(labels + kind + 1, "0123456789");
    if (digits == 0 || digits > DIGITS_MOST || labels[kind + 1 + digits] != '\0')
        return -1;
    int number = 0;
    for (size_t i = 0; i < digits; i++)
        number = number * 10 + (labels[kind + 1 + i] - '0');
    return number;
}

static void metadata_add(struct trace_reading *reading, const struct trace_event *event,
                         int64_t pid)
{
    static const char stream[] = "stream ";
    const struct token *about = &event->values[TRACE_NAME];
    size_t kind;
    struct trace_tracks *tracks = &reading->tracks;
    bool labels = token_is(about, "process_labels") && trace_has(event, TRACE_LABELS);
    bool named =
        trace_has(event, TRACE_ARG_NAME) && event->values[TRACE_ARG_NAME].kind == TOKEN_STRING;
    if (!labels && !named)
        return;
    const char *text =
        text_keep_of(reading, &event->values[labels ? TRACE_LABELS : TRACE_ARG_NAME]);
    /* of which side of its pid they are, where what they say tells */
    const bool of_device = labels ? trace_device_number(text, &kind) >= 0
                                  : strncmp(text, stream, sizeof stream - 1) == 0;
    struct trace_process *process =
        trace_process_of(tracks, pid, of_device ? SIDE_DEVICE : SIDE_HOST);
    if (labels) {
        process->labels = text;
    } else if (token_is(about, "process_name")) {
        tracks->named_processes += process->name == NULL;
        process->name = text;
    } else if (token_is(about, "thread_name") && trace_has(event, TRACE_TID)) {
        int64_t tid;
        bool is_text;
        if (!trace_id(tracks, &event->values[TRACE_TID], &tid, &is_text))
            return;
        struct trace_thread *thread = trace_thread_of(tracks, process, tid);
        tracks->named_threads += thread->name == NULL;
        thread->name = text;
    }
}

/* ---- complete events ------------------------------------------------------------------------- */

/* Keeps the item if it is an event with a name, a place and a duration above 0; else says why not.
 */
static bool complete_add(struct trace_reading *reading, const struct trace_event *item,
                         const int64_t ids[2], enum trace_fate *ret_fate, struct err *err)
{
    const struct token *name = &item->values[TRACE_NAME];
    const bool named = trace_has(item, TRACE_NAME);
    struct trace_time start, duration;
    struct kept_event kept;
    *ret_fate = FATE_ODD;
    if (item->is_odd || (named && name->kind != TOKEN_STRING) ||
        !trace_time_of(item, TRACE_TS, &start) || !trace_time_of(item, TRACE_DUR, &duration))
        return true;
    *ret_fate = FATE_UNTIMED;
    if (!trace_has(item, TRACE_TS))
        return true;
    if (reading->rows != NULL && duration.ps >= 0 && duration.ps <= INT64_MAX && named) {
        /* a row of the table that is asked for, which may have lasted no time */
        const struct arena_mark mark = arena_mark(&reading->scratch);
        *ret_fate = FATE_COUNT;
        reading->complete_count++;
        if (reading->finds_launches)
            trace_launch_add(reading->launches, item);
        else if (!trace_row_add(item, (int64_t)duration.ps, reading->launches, reading->rows,
                                &reading->scratch, err))
            return false;
        arena_rewind(&reading->scratch, mark);
        return true;
    }
    *ret_fate = !(duration.us > 0)            ? FATE_ZERO
                : !named || name->length == 0 ? FATE_NAMELESS
                                              : FATE_COUNT;
    if (*ret_fate != FATE_COUNT)
        return true;
    if (!trace_event_place(reading, &start, &duration, &kept.event)) {
        *ret_fate = FATE_FAR;
        return true;
    }
    return trace_event_make(reading, item, ids, &kept, err) &&
           trace_event_keep(reading, ids, &kept, err);
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
        reading->is_torch = reading->is_torch || trace_is_torch(item);
        if (fate == FATE_COUNT)
            added = complete_add(reading, item, ids, &fate, err);
    } else if (phase->start[0] == 'M') {
        if (ids_read(reading, item, ids, false) == FATE_COUNT && trace_has(item, TRACE_NAME))
            metadata_add(reading, item, ids[0]);
    } else if (phase->start[0] == 'B' || phase->start[0] == 'E') {
        fate = ids_read(reading, item, ids, true);
        if (fate == FATE_COUNT && reading->rows == NULL)
            added = trace_half_add(reading, item, ids, &fate, err);
    } else {
        fate = fate_of_phase(phase->start[0]);
    }
    if (fate != FATE_COUNT)
        reading->fates[fate]++;
    return added && arena_ok(reading->arena, "the events of a profile", err);
}
