/* A trace from first byte to last: the text through a window, item by item. */
#include "ingest/trace/trace.h"
#include "ingest/trace/trace_reader.h"
#include "ingest/trace/trace_table.h"

#include <string.h>

/* ---- what is scanned ------------------------------------------------------------------------- */

static bool first_scan(struct json_scan *scan, void *ret_first)
{
    scan->p += text_utf8_mark(scan->p, (size_t)(scan->end - scan->p));
    if (!scan_blanks(scan))
        return false;
    *(char *)ret_first = *scan->p;
    scan->broken = *scan->p != '{' && *scan->p != '[';
    scan->p += !scan->broken;
    return !scan->broken;
}

/* An item of the array, or its end. */
struct item {
    struct trace_event event;
    bool is_first; /* no comma stands before it */
    bool is_end;
};

static bool item_scan(struct json_scan *scan, void *result)
{
    struct item *item = result;
    if ((!item->is_first && !scan_comma(scan)) || !scan_blanks(scan))
        return false;
    item->is_end = *scan->p == ']';
    scan->p += item->is_end;
    return item->is_end || trace_event_scan(scan, &item->event);
}

/* The name of a member of the root, up to where its value begins. */
struct root_name {
    struct token name;
    char text[32]; /* a longer one is none that is looked for */
    bool is_end, is_events;
};

static bool root_name_scan(struct json_scan *scan, void *result)
{
    struct root_name *member = result;
    bool any;
    if (!scan_name(scan, &member->name, &any) || (any && !scan_blanks(scan)))
        return false;
    member->is_end = !any;
    if (!any)
        return true;
    if (member->name.length > sizeof member->text)
        member->name.length = 0;
    memcpy(member->text, member->name.start, member->name.length);
    member->name.start = member->text;
    member->is_events = token_is(&member->name, "traceEvents") && *scan->p == '[';
    scan->p += member->is_events;
    return true;
}

static bool value_scan(struct json_scan *scan, void *result)
{
    return scan_value(scan, result);
}

static bool comma_scan(struct json_scan *scan, void *result)
{
    (void)result;
    return scan_comma(scan);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Counts what is stepped over, and goes on with the next event. */
static bool item_skip(struct reader *reader, struct item *item, enum outcome *ret_outcome,
                      struct err *err)
{
    struct trace_reading *reading = reader->reading;
    const bool is_long = *ret_outcome == TOO_LONG;
    if (!reader_resume(reader, is_long, &item->event, ret_outcome, err))
        return false;
    reading->is_broken = !is_long && *ret_outcome != GOT;
    reading->is_cut = is_long && *ret_outcome != GOT;
    if (is_long) {
        reading->item_count++;
        reading->fates[FATE_HUGE]++;
    } else if (*ret_outcome == GOT) {
        if (reading->broken_count++ == 0)
            reading->broken_at = reading->whole_text;
        reading->lost_bytes += reader->resumed_at - reading->whole_text;
    }
    return true;
}

static bool items_read(struct reader *reader, enum outcome *ret_outcome, struct err *err)
{
    struct trace_reading *reading = reader->reading;
    struct item item = {.is_first = true};
    reading->has_events = true;
    for (;;) {
        reading->whole_text = text_window_offset(&reader->window);
        if (!reader_scan(reader, item_scan, &item, ret_outcome, err))
            return false;
        bool is_whole = *ret_outcome == GOT;
        if ((*ret_outcome == TOO_LONG || *ret_outcome == BROKEN) &&
            !item_skip(reader, &item, ret_outcome, err))
            return false;
        if (*ret_outcome != GOT || (is_whole && item.is_end))
            return true;
        if ((is_whole || item.event.is_object) && !trace_item_add(reading, &item.event, err))
            return false;
        item.is_first = false;
    }
}

static bool root_member_read(struct reader *reader, const struct root_name *member,
                             enum outcome *ret_outcome, struct err *err)
{
    struct token value;
    if (member->is_events) {
        if (!items_read(reader, ret_outcome, err))
            return false;
    } else if (!reader_scan(reader, value_scan, &value, ret_outcome, err)) {
        return false;
    } else if (*ret_outcome == TOO_LONG) {
        if (!reader_skip(reader, ret_outcome, err))
            return false;
    } else if (*ret_outcome == GOT) {
        trace_root_take(reader->reading, &member->name, &value);
        reader->reading->has_odd_events |= token_is(&member->name, "traceEvents");
    }
    return *ret_outcome != GOT || reader_scan(reader, comma_scan, NULL, ret_outcome, err);
}

static bool text_read(struct reader *reader, struct err *err)
{
    struct root_name member;
    enum outcome outcome;
    char first = 0;
    if (!reader_scan(reader, first_scan, &first, &outcome, err))
        return false;
    reader->reading->is_array = first == '[';
    if (outcome == GOT && first == '[')
        return items_read(reader, &outcome, err);
    while (outcome == GOT) {
        if (!reader_scan(reader, root_name_scan, &member, &outcome, err))
            return false;
        if (outcome != GOT || member.is_end)
            break;
        if (!root_member_read(reader, &member, &outcome, err))
            return false;
    }
    return true;
}

/* Reads what follows the document: the text should be over, and a checksum stands behind it. */
static bool rest_read(struct reader *reader, struct err *err)
{
    struct trace_reading *reading = reader->reading;
    struct text_window *window = &reader->window;
    const bool is_whole = !reading->is_cut && !reading->is_broken;
    enum outcome ignored;
    reading->stopped_at = text_window_offset(window);
    for (;;) {
        struct json_scan scan = {window->p, window->end, false};
        if (is_whole && reading->behind_at == 0 && scan_blanks(&scan)) {
            window->p = scan.p;
            reading->behind_at = text_window_offset(window);
            reading->is_followed_by_json = *scan.p == '{' || *scan.p == '[';
        }
        window->p = window->end;
        if (window->at_end)
            break;
        if (!reader_more(reader, &ignored, err))
            return false;
    }
    reading->text_bytes = text_window_offset(window);
    reading->is_packed = window->inflate != NULL;
    reading->packed_end = window->ended;
    reading->packed_behind =
        is_whole && reading->behind_at == 0 && window->ended != TEXT_CUT ? window->behind_bytes : 0;
    return true;
}

static bool reading_run(struct reader *reader, const struct index_options *index, struct err *err)
{
    struct trace_reading *reading = reader->reading;
    int64_t size = reading->space->input.size_bytes;
    if (!text_window_init(&reader->window, &reading->space->input, ITEM_MAX_BYTES, err) ||
        !text_read(reader, err) || !rest_read(reader, err) ||
        !trace_end_judge(reading, index->options, err) || !event_store_finish(&reading->store, err))
        return false;
    if (reader->progress != NULL)
        progress_expect(reader->progress, reader->told_bytes - size);
    trace_halves_end(reading);
    if (reading->rows == NULL) {
        trace_space_fill(reading);
        return arena_ok(reading->arena, "the events of a profile", err);
    }
    reading->rows->nothing = reading->fates[FATE_ODD] > 0
                                 ? "holds no row of it that can be read: its items hold members of "
                                   "another type than the format has"
                             : reading->is_torch ? trace_torch_nothing(reading->rows->kind)
                                                 : NULL;
    return true;
}

/* Reads a trace as it is asked for: for a table, or where that has no rows into a space. */
static bool trace_read(const char *path, const struct index_options *index,
                       const struct trace_reading *asked, struct arena *arena,
                       struct xspace *ret_space, struct err *err)
{
    *ret_space = (struct xspace){.input.fd = -1};
    struct trace_reading *reading = arena_new(arena, struct trace_reading);
    if (!input_open(path, &ret_space->input, err))
        return false;
    *reading = *asked;
    reading->space = ret_space;
    reading->arena = arena;
    reading->catalog = index->texts;
    reading->limits = &index->options->limits;
    event_store_init(&reading->store, arena);
    ret_space->store = &reading->store;
    trace_tracks_init(&reading->tracks, index->texts, arena);
    text_init(&reading->key, KEY_MAX_BYTES);
    arena_init_within(&reading->scratch, arena);
    scoped_reader reader = {.reading = reading, .progress = index->progress};
    bool read = reading_run(&reader, index, err);
    text_done(&reading->key);
    arena_done(&reading->scratch);
    if (!read)
        xspace_close(ret_space);
    return read;
}

bool trace_open(const char *path, const struct index_options *index, struct arena *arena,
                struct xspace *ret_space, struct err *err)
{
    const struct trace_reading asked = {0};
    return trace_read(path, index, &asked, arena, ret_space, err);
}

bool trace_table_read(const char *path, const struct ingest_options *options,
                      struct grouped_rows *rows, struct err *err)
{
    scoped_arena arena;
    scoped_catalog catalog = {0};
    struct xspace space;
    struct trace_launches launches;
    struct trace_reading asked = {.rows = rows, .launches = &launches, .finds_launches = true};
    arena_init_within(&arena, rows->arena);
    const struct index_options index = {.options = options, .texts = &catalog};
    catalog_init(&catalog, &arena);
    trace_launches_init(&launches, &catalog);
    if (rows->kind == &table_kinds[DATA_TABLE_kernels]) { /* whose ops may stand anywhere */
        if (!trace_read(path, &index, &asked, &arena, &space, err))
            return false;
        xspace_close(&space);
    }
    asked.finds_launches = false;
    if (!trace_read(path, &index, &asked, &arena, &space, err))
        return false;
    xspace_close(&space);
    return true;
}
