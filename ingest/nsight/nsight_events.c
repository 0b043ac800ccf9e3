/* What the tables of an export share: texts by their ids, spans, events. */
#include "ingest/nsight/nsight_reading.h"

#include <string.h>

/* ---- the whole ------------------------------------------------------------------------------- */

bool nsight_reading_open(struct nsight_reading *reading, struct xspace *space,
                         const struct index_options *index, struct arena *arena, struct err *err)
{
    const struct ingest_options *options = index->options;
    *reading = (struct nsight_reading){.space = space,
                                       .arena = arena,
                                       .catalog = index->texts,
                                       .limits = &options->limits,
                                       .said.arena = arena};
    event_store_init(&reading->store, arena);
    space->store = &reading->store;
    nsight_tracks_init(&reading->tracks, &reading->store, arena);
    arena_init_within(&reading->scratch, arena);
    id_map_init(&reading->text_by_id, arena);
    id_map_init(&reading->domains, arena);
    id_map_init(&reading->steps_by_key, arena);
    reading->unnamed = strings_add(&reading->catalog->strings, "(unnamed)", strlen("(unnamed)"));
    launch_ranges_init(&reading->ranges, &reading->catalog->strings, arena);
    if (options->step_range != NULL) {
        if (!step_range_compile(options->step_range, &reading->expression, err))
            return false;
        reading->step_range = &reading->expression;
    }
    return export_db_open(&reading->db, &space->input, &reading->said, err);
}

void nsight_reading_close(struct nsight_reading *reading)
{
    export_db_close(&reading->db);
    arena_done(&reading->scratch);
    if (reading->step_range != NULL)
        regfree(&reading->expression);
    reading->step_range = NULL;
}

bool nsight_rows_read(struct nsight_reading *reading, const struct export_table *table,
                      nsight_row_fn *take, void *context, struct err *err)
{
    scoped_export_rows rows;
    bool any = true;
    if (!export_rows_open(&rows, &reading->db, table, err))
        return false;
    if (rows.statement != NULL)
        reading->traced |= table->traced;
    while (any) {
        if (!export_rows_next(&rows, &any, err) || (any && !take(reading, &rows, context, err)) ||
            !arena_ok(reading->arena, "the events of a profile", err))
            return false;
    }
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

uint32_t nsight_text_keep(struct nsight_reading *reading, const char *text, size_t length)
{
    length = limit_text(text, length, NAME_MAX_BYTES, &reading->space->texts_cut);
    if (text_utf8_valid(text, length) == length)
        return strings_add(&reading->catalog->strings, text, length);
    struct arena_mark mark = arena_mark(&reading->scratch);
    const char *sound = text_utf8_repair(&reading->scratch, text, length);
    uint32_t number = strings_add(&reading->catalog->strings, sound, strlen(sound));
    arena_rewind(&reading->scratch, mark);
    return number;
}

bool nsight_text_of_id(struct nsight_reading *reading, int64_t id, uint32_t *ret_text,
                       struct err *err)
{
    int32_t known = id_map_find(&reading->text_by_id, id);
    const char *text;
    size_t length;
    *ret_text = (uint32_t)known;
    if (known != ID_MAP_ABSENT)
        return true;
    if (!export_text_by_id(&reading->db, id, &text, &length, err))
        return false;
    *ret_text = length == 0 ? reading->unnamed : nsight_text_keep(reading, text, length);
    id_map_set(&reading->text_by_id, id, (int32_t)*ret_text);
    return true;
}

/* ---- times ----------------------------------------------------------------------------------- */

bool nsight_span_place(const struct nsight_reading *reading, struct nsight_span *span)
{
    int64_t offset_ns, duration_ns;
    return !__builtin_sub_overflow(span->start_ns, reading->base_ns, &offset_ns) &&
           !__builtin_sub_overflow(span->end_ns, span->start_ns, &duration_ns) &&
           !__builtin_mul_overflow(offset_ns, (int64_t)1000, &span->offset_ps) &&
           !__builtin_mul_overflow(duration_ns, (int64_t)1000, &span->duration_ps);
}

bool nsight_span_read(struct nsight_reading *reading, const struct export_rows *rows, int start,
                      int end, struct nsight_span *ret_span)
{
    static const int64_t exact_ns = 9007 * INT64_C(1000000000); /* 2^53 ps */
    struct nsight_span *span = ret_span;
    enum nsight_fate fate = FATE_COUNT;
    reading->row_count++;
    if (export_integer(rows, start, &span->start_ns) != CELL_VALUE ||
        export_integer(rows, end, &span->end_ns) != CELL_VALUE)
        fate = FATE_ODD;
    else if (span->end_ns < span->start_ns)
        fate = FATE_REVERSED;
    else if (span->end_ns == span->start_ns)
        fate = FATE_ZERO;
    if (fate == FATE_COUNT && !reading->has_base) {
        /* picoseconds count from 0, unless the clock is so far from it that they would no longer be
           exact in a double */
        reading->has_base = true;
        reading->first_ns = INT64_MAX;
        reading->last_ns = INT64_MIN;
        if (span->start_ns > exact_ns || span->start_ns < -exact_ns)
            reading->base_ns = span->start_ns;
        reading->store.base_us = (double)reading->base_ns / 1e3;
    }
    if (fate == FATE_COUNT && !nsight_span_place(reading, span))
        fate = FATE_FAR;
    if (fate == FATE_COUNT)
        return true;
    reading->fates[fate]++;
    return false;
}

bool nsight_event_add(struct nsight_reading *reading, int32_t line, const struct nsight_span *span,
                      int32_t op, const struct event_note *note, struct err *err)
{
    const struct event event = {
        .start_us = reading->store.base_us + (double)span->offset_ps / 1e6,
        .duration_us = (double)span->duration_ps / 1e6,
        .offset_ps = span->offset_ps,
        .duration_ps = span->duration_ps,
        .op = op,
        .has_note = note->correlation.set || note->step.set,
    };
    const char *path = reading->space->input.path;
    reading->event_count++;
    if (span->start_ns < reading->first_ns)
        reading->first_ns = span->start_ns;
    if (span->end_ns > reading->last_ns)
        reading->last_ns = span->end_ns;
    return limit_check(reading->limits, max_events, reading->row_count, path, err) &&
           limit_check(reading->limits, max_lines, reading->tracks.line_count, path, err) &&
           event_store_add(&reading->store, line, &event, note, err);
}

/* ---- launches -------------------------------------------------------------------------------- */

struct opt_i64 nsight_correlation(struct nsight_reading *reading, const struct export_rows *rows,
                                  int column, int64_t global_id)
{
    int64_t id;
    if (export_integer(rows, column, &id) != CELL_VALUE || id <= 0 || id > UINT32_MAX)
        return (struct opt_i64){0};
    const int64_t process = global_id == 0 ? 0 : nsight_process_of(&reading->tracks, global_id);
    return some_i64(process << 32 | id);
}

bool nsight_kernel_name(struct nsight_reading *reading, const struct export_rows *rows,
                        const int columns[2], uint32_t *ret_name, struct err *err)
{
    *ret_name = reading->unnamed;
    for (int i = 0; i < 2 && *ret_name == reading->unnamed; i++) {
        int64_t id;
        if (export_integer(rows, columns[i], &id) == CELL_VALUE &&
            !nsight_text_of_id(reading, id, ret_name, err))
            return false;
    }
    reading->unnamed_count += *ret_name == reading->unnamed;
    return true;
}

bool nsight_range_text(struct nsight_reading *reading, const struct export_rows *rows,
                       const int columns[2], uint32_t *ret_text, struct err *err)
{
    const char *text;
    size_t length;
    int64_t id;
    *ret_text = reading->unnamed;
    if (export_text(rows, columns[0], &text, &length) == CELL_VALUE && length > 0) {
        *ret_text = nsight_text_keep(reading, text, length);
        return true;
    }
    if (export_integer(rows, columns[1], &id) == CELL_VALUE &&
        !nsight_text_of_id(reading, id, ret_text, err))
        return false;
    reading->unnamed_count += *ret_text == reading->unnamed;
    return true;
}

const char *nsight_copy_name(int64_t kind)
{
    /* under the names that XPlane files have for them */
    static const char *const copy_names[] = {
        [1] = "MemcpyH2D",  [2] = "MemcpyD2H",  [3] = "MemcpyH2A",  [4] = "MemcpyA2H",
        [5] = "MemcpyA2A",  [6] = "MemcpyA2D",  [7] = "MemcpyD2A",  [8] = "MemcpyD2D",
        [9] = "MemcpyH2H",  [10] = "MemcpyP2P", [11] = "MemcpyH2D", [12] = "MemcpyD2H",
        [13] = "MemcpyD2D",
    };
    const int64_t count = sizeof copy_names / sizeof copy_names[0];
    return kind > 0 && kind < count ? copy_names[kind] : "Memcpy";
}
