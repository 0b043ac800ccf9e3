/* A trace from first byte to last: the text through a window, item by item. */
#include "ingest/trace/trace.h"
#include "ingest/trace/trace_reading.h"

#include <string.h>

/* Larger items are stepped over; no event that a profiler writes comes near to it. */
enum { ITEM_MAX_BYTES = 4 * 1024 * 1024, KEY_MAX_BYTES = ITEM_MAX_BYTES + 4096 };

struct reader {
    struct trace_reading *reading;
    struct text_window window;
    struct progress *progress;
    int64_t told_bytes;
};

/* What a scan came to. */
enum outcome {
    GOT,
    STOPPED, /* the text is over, or broken from here on */
    TOO_LONG /* it does not fit into memory */
};

static void reader_done(struct reader *reader)
{
    text_window_done(&reader->window);
}
#define scoped_reader __attribute__((cleanup(reader_done))) struct reader

/* Reads on; *ret_outcome is GOT when there is more to look at. */
static bool more_read(struct reader *reader, enum outcome *ret_outcome, struct err *err)
{
    struct text_window *window = &reader->window;
    bool full;
    if (!text_window_fill(window, &full, err))
        return false;
    if (reader->progress != NULL)
        progress_add(reader->progress, window->packed_bytes - reader->told_bytes);
    reader->told_bytes = window->packed_bytes;
    *ret_outcome = full ? TOO_LONG : GOT;
    return true;
}

typedef bool scan_fn(struct json_scan *scan, void *result);

/* Scans at the window's place, as often as it takes until the bytes are there. */
static bool scan_at(struct reader *reader, scan_fn *scan_one, void *result,
                    enum outcome *ret_outcome, struct err *err)
{
    struct text_window *window = &reader->window;
    for (;;) {
        struct json_scan scan = {window->p, window->end, false};
        if (scan_one(&scan, result)) {
            window->p = scan.p;
            *ret_outcome = GOT;
            return true;
        }
        if (scan.broken || window->at_end) {
            reader->reading->is_broken = scan.broken || window->is_broken;
            reader->reading->is_cut = !scan.broken;
            *ret_outcome = STOPPED;
            return true;
        }
        if (!more_read(reader, ret_outcome, err))
            return false;
        if (*ret_outcome == TOO_LONG)
            return true;
    }
}

/* Steps over an object, array or text that is larger than the window. */
static bool long_skip(struct reader *reader, enum outcome *ret_outcome, struct err *err)
{
    struct text_window *window = &reader->window;
    int64_t depth = 0;
    bool in_text = false, in_escape = false;
    for (*ret_outcome = GOT; *ret_outcome == GOT;) {
        while (window->p < window->end) {
            char c = *window->p++;
            if (in_escape)
                in_escape = false;
            else if (in_text && c == '\\')
                in_escape = true;
            else if (c == '"')
                in_text = !in_text;
            else if (!in_text)
                depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            bool inside = in_text || in_escape || depth > 0;
            if (!inside && (c == '"' || c == '}' || c == ']'))
                return true;
        }
        if (window->at_end) {
            reader->reading->is_cut = true;
            *ret_outcome = STOPPED;
        } else if (!more_read(reader, ret_outcome, err)) {
            return false;
        }
    }
    return true;
}

/* ---- what is scanned ------------------------------------------------------------------------- */

static bool first_scan(struct json_scan *scan, void *ret_first)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (scan->end - scan->p >= 3 && memcmp(scan->p, byte_order_mark, 3) == 0)
        scan->p += 3;
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

static bool items_read(struct reader *reader, enum outcome *ret_outcome, struct err *err)
{
    struct trace_reading *reading = reader->reading;
    struct item item = {.is_first = true};
    reading->has_events = true;
    for (;;) {
        reading->whole_text = text_window_offset(&reader->window);
        if (!scan_at(reader, item_scan, &item, ret_outcome, err))
            return false;
        if (*ret_outcome == TOO_LONG) {
            reading->item_count++;
            reading->fates[FATE_HUGE]++;
            if (!long_skip(reader, ret_outcome, err))
                return false;
            if (*ret_outcome != GOT)
                return true;
        } else if (*ret_outcome == STOPPED || item.is_end) {
            return true;
        } else if (!trace_item_add(reading, &item.event, err)) {
            return false;
        }
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
    } else if (!scan_at(reader, value_scan, &value, ret_outcome, err)) {
        return false;
    } else if (*ret_outcome == TOO_LONG) {
        if (!long_skip(reader, ret_outcome, err))
            return false;
    } else if (*ret_outcome == GOT && !trace_root_take(reader->reading, &member->name, &value)) {
        return arena_failed(reader->reading->arena, "the metadata of a profile", err);
    }
    return *ret_outcome != GOT || scan_at(reader, comma_scan, NULL, ret_outcome, err);
}

static bool text_read(struct reader *reader, struct err *err)
{
    struct root_name member;
    enum outcome outcome;
    char first = 0;
    if (!scan_at(reader, first_scan, &first, &outcome, err))
        return false;
    reader->reading->is_array = first == '[';
    if (outcome == GOT && first == '[')
        return items_read(reader, &outcome, err);
    while (outcome == GOT) {
        if (!scan_at(reader, root_name_scan, &member, &outcome, err))
            return false;
        if (outcome != GOT || member.is_end)
            break;
        if (!root_member_read(reader, &member, &outcome, err))
            return false;
    }
    return true;
}

/* Reads what follows the text: a checksum stands behind it. */
static bool rest_read(struct reader *reader, struct err *err)
{
    enum outcome ignored;
    while (!reader->window.at_end) {
        reader->window.p = reader->window.end;
        if (!more_read(reader, &ignored, err))
            return false;
    }
    return true;
}

/* A text that ends early or is broken is read as far as it makes sense, unless that is nothing. */
static bool end_judge(struct reader *reader, const struct ingest_options *options, struct err *err)
{
    struct trace_reading *reading = reader->reading;
    const char *path = reading->space->input.path;
    const bool amiss =
        reading->is_cut || reading->is_broken || reader->window.is_cut || reader->window.is_broken;
    const char *what = reading->is_broken ? "makes no sense" : "is cut off";
    long long at = (long long)text_window_offset(&reader->window);
    if (!reading->has_events && !amiss)
        return err_set(err, ERR_INPUT,
                       "'%s' is JSON without the member traceEvents; give a trace in Chrome's "
                       "format",
                       path);
    if (amiss && reading->complete_count == 0)
        return err_set(err, ERR_INPUT,
                       "'%s' %s at byte %lld of its text, before its first event; copy the file "
                       "again",
                       path, what, at);
    if (amiss && options->strict_input)
        return err_set(err, ERR_INPUT,
                       "'%s' %s behind byte %lld of its text; copy the file again, or read what is "
                       "whole without --strict-input",
                       path, what, (long long)reading->whole_text);
    if (amiss && reading->rows != NULL)
        return err_set(err, ERR_INPUT,
                       "'%s' %s behind byte %lld of its text, and a table of it would lack what "
                       "follows; copy the file again",
                       path, what, (long long)reading->whole_text);
    reading->is_cut = amiss;
    return true;
}

static bool reading_run(struct reader *reader, const struct index_options *index, struct err *err)
{
    struct trace_reading *reading = reader->reading;
    int64_t size = reading->space->input.size_bytes;
    if (!text_window_init(&reader->window, &reading->space->input, ITEM_MAX_BYTES, err) ||
        !text_read(reader, err) || !rest_read(reader, err) ||
        !end_judge(reader, index->options, err) || !event_store_finish(&reading->store, err))
        return false;
    if (reader->progress != NULL)
        progress_expect(reader->progress, reader->told_bytes - size);
    return reading->rows != NULL || trace_space_fill(reading, err);
}

/* Reads a trace: into rows, or where these are NULL into a space. */
static bool trace_read(const char *path, const struct index_options *index,
                       struct grouped_rows *rows, struct arena *arena, struct xspace *ret_space,
                       struct err *err)
{
    *ret_space = (struct xspace){.input.fd = -1};
    struct trace_reading *reading = arena_new(arena, struct trace_reading);
    if (reading == NULL)
        return arena_failed(arena, "the events of a profile", err);
    if (!input_open(path, &ret_space->input, err))
        return false;
    *reading = (struct trace_reading){.rows = rows,
                                      .space = ret_space,
                                      .arena = arena,
                                      .catalog = index->texts,
                                      .limits = &index->options->limits};
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
    return trace_read(path, index, NULL, arena, ret_space, err);
}

bool trace_table_read(const char *path, const struct ingest_options *options,
                      struct grouped_rows *rows, struct err *err)
{
    scoped_arena arena;
    scoped_catalog catalog = {0};
    struct xspace space;
    arena_init_within(&arena, rows->arena);
    const struct index_options index = {.options = options, .texts = &catalog};
    if (!catalog_init(&catalog, &arena, err) ||
        !trace_read(path, &index, rows, &arena, &space, err))
        return false;
    xspace_close(&space);
    return true;
}
