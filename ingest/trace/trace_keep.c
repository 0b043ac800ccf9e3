/* An event of a trace on its way into the store: its place in time, its op, what it says of itself,
 * its line. */
#include "ingest/trace/trace_reading.h"
#include "ingest/trace/trace_table.h"

#include <math.h>
#include <string.h>

/* ---- times ----------------------------------------------------------------------------------- */

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

bool trace_time_of(const struct trace_event *event, enum trace_member member,
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

bool trace_event_place(struct trace_reading *reading, const struct trace_time *start,
                       const struct trace_time *duration, struct event *event)
{
    static const double exact_us = 9007199254.0; /* 2^53 ps */
    const double most_us = 9e15;                 /* so that ns fit too */
    const __int128 most = INT64_MAX;
    if (!reading->has_base) {
        /* picoseconds count from 0, unless the clock is so far from it that they would no longer be
           exact in a double */
        reading->has_base = true;
        reading->first_us = INFINITY;
        reading->last_us = -INFINITY;
        if (fabs(start->us) > exact_us && fabs(start->us) < most_us)
            reading->base_us = (int64_t)floor(start->us);
        reading->store.base_us = (double)reading->base_us;
    }
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

/* ---- what an event is ------------------------------------------------------------------------ */

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

/* What a viewer of TensorFlow takes for one step has one number, written as a text; which step that
 * is, an event that has both tells. */
static void group_take(struct trace_reading *reading, const struct trace_event *item,
                       struct event_note *note, bool *ret_has_note)
{
    struct token digits = item->values[TRACE_GROUP];
    digits.kind = TOKEN_NUMBER;
    if (!trace_has(item, TRACE_GROUP) || !token_integer(&digits, &note->group.value))
        return;
    note->group.set = *ret_has_note = true;
    if (!note->step.set || note->step.value > INT32_MAX || note->step.value < 0)
        return;
    if (reading->step_by_group == NULL) {
        reading->step_by_group = arena_new(reading->arena, struct id_map);
        id_map_init(reading->step_by_group, reading->arena);
    }
    id_map_set(reading->step_by_group, note->group.value, (int32_t)note->step.value);
}

static void note_build(struct trace_reading *reading, const struct trace_event *event,
                       struct event_note *ret_note)
{
    struct stat_value values[STAT_KIND_COUNT] = {{0}};
    struct arena_mark mark = arena_mark(&reading->scratch);
    bool not_finite;
    for (unsigned arg = TRACE_OP_ARGS_END; arg < TRACE_EVENT_ARGS_END; arg++) {
        enum stat_kind kind = trace_stat((enum trace_member)arg);
        if (trace_has(event, (enum trace_member)arg))
            values[kind] = trace_stat_value(&event->values[arg], kind, &reading->scratch);
    }
    op_note_build(reading->catalog, values, &reading->space->texts_cut, ret_note, &not_finite);
    ret_note->is_root = ret_note->step.set;
    arena_rewind(&reading->scratch, mark);
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

/* By categories of PyTorch; what has another or none is of the only side that its pid has. */
static enum trace_side side_of(const struct trace_event *event)
{
    static const char *const devices[] = {"hpu_op", "mtia_ccp_events", "collective_comm"};
    const struct token *category = &event->values[TRACE_CAT];
    bool is_device = trace_is_device_work(event) || layer_of(event) == LAYER_MARKS;
    for (size_t i = 0; trace_has(event, TRACE_CAT) && i < sizeof devices / sizeof devices[0]; i++)
        is_device = is_device || token_is(category, devices[i]);
    return is_device ? SIDE_DEVICE : SIDE_HOST;
}

bool trace_event_make(struct trace_reading *reading, const struct trace_event *item,
                      const int64_t ids[2], struct kept_event *ret_event, struct err *err)
{
    const uint64_t notes =
        ((uint64_t)1 << TRACE_EVENT_ARGS_END) - ((uint64_t)1 << TRACE_OP_ARGS_END);
    struct event *event = &ret_event->event;
    struct event_note *note = &ret_event->note;
    struct token name = item->values[TRACE_NAME];
    struct opt_i64 step = {0};
    ret_event->side = side_of(item);
    struct trace_process *process = trace_process_of(&reading->tracks, ids[0], ret_event->side);
    trace_group_take(reading, item);
    reading->kernel_count += trace_is_device_work(item);
    *note = (struct event_note){0};
    ret_event->layer = layer_of(item);
    event->has_note = (item->has & notes) != 0;
    if (event->has_note)
        note_build(reading, item, note);
    if (step_name(&name, &step)) {
        note->step = step;
        note->is_root = event->has_note = true;
    }
    if (!note->step.set && step_told(item, &note->step))
        event->has_note = true;
    group_take(reading, item, note, &event->has_note);
    event->op = trace_ops_find(&process->ops, &name, item, &reading->key, reading->arena);
    return limit_check(reading->limits, max_metadata, (int64_t)process->ops.count,
                       reading->space->input.path, err);
}

bool trace_event_keep(struct trace_reading *reading, const int64_t ids[2],
                      const struct kept_event *kept, struct err *err)
{
    struct trace_process *process = trace_process_of(&reading->tracks, ids[0], kept->side);
    struct trace_thread *thread = trace_thread_of(&reading->tracks, process, ids[1]);
    struct trace_tracks *tracks = &reading->tracks;
    const char *path = reading->space->input.path;
    reading->complete_count++;
    if (thread->lines[kept->layer] < 0) { /* it is the first of its line */
        thread->lines[kept->layer] = event_store_line(&reading->store);
        if (process->line_count == 0)
            process->place = tracks->used_processes++;
        thread->places[kept->layer] = process->line_count++;
        tracks->line_count++;
    }
    return limit_check(reading->limits, max_lines, tracks->line_count, path, err) &&
           limit_check(reading->limits, max_planes, tracks->used_processes, path, err) &&
           event_store_add(&reading->store, thread->lines[kept->layer], &kept->event, &kept->note,
                           err);
}
