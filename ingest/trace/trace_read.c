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
    STOPPED, /* the text is over */
    BROKEN,  /* it makes no sense here */
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
            *ret_outcome = scan.broken ? BROKEN : STOPPED;
            return true;
        }
        if (!more_read(reader, ret_outcome, err))
            return false;
        if (*ret_outcome == TOO_LONG)
            return true;
    }
}

/* Bytes that are gone over, by what is open in them. */
struct skim {
    int64_t depth;
    bool in_text, in_escape;
};

/* Goes over one byte; true when it ends all that was open. */
static bool skim_byte(struct skim *skim, char c)
{
    if (skim->in_escape)
        skim->in_escape = false;
    else if (skim->in_text && c == '\\')
        skim->in_escape = true;
    else if (c == '"')
        skim->in_text = !skim->in_text;
    else if (!skim->in_text)
        skim->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    bool inside = skim->in_text || skim->in_escape || skim->depth > 0;
    return !inside && (c == '"' || c == '}' || c == ']');
}

/* Steps over an object, array or text that is larger than the window. */
static bool long_skip(struct reader *reader, enum outcome *ret_outcome, struct err *err)
{
    struct text_window *window = &reader->window;
    struct skim skim = {0};
    for (*ret_outcome = GOT; *ret_outcome == GOT;) {
        while (window->p < window->end) {
            if (skim_byte(&skim, *window->p++))
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

/* ---- behind what makes no sense -------------------------------------------------------------- */

/* An event that is looked for behind a broken one is no longer than that; and to look for it costs
 * no more than so many times the bytes that are gone over, and something to begin with. */
enum { FOUND_MAX_BYTES = 64 * 1024, LOOK_TIMES = 8, HEAD_BYTES = 64 };

/* Whether an object begins as events do: with the name of one of their members. */
static bool begins_event(const char *p, const char *end)
{
    static const char *const names[] = {"\"ph\"",  "\"name\"", "\"pid\"",  "\"tid\"", "\"ts\"",
                                        "\"cat\"", "\"dur\"",  "\"args\"", "\"id\""};
    for (p++; p < end && (unsigned char)*p <= ' ';)
        p++;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if ((size_t)(end - p) >= length && memcmp(p, names[i], length) == 0)
            return true;
    }
    return false;
}

/* Takes the event at the window's place, if there is one; *ret_seen is how far was looked for it.
 */
static bool event_try(struct reader *reader, struct item *item, bool *ret_found, size_t *ret_seen,
                      struct err *err)
{
    struct text_window *window = &reader->window;
    enum outcome outcome = GOT;
    *ret_found = false;
    *ret_seen = 0;
    while (outcome == GOT) {
        const size_t there = (size_t)(window->end - window->p);
        const size_t seen = there < FOUND_MAX_BYTES ? there : FOUND_MAX_BYTES;
        struct json_scan scan = {window->p, window->p + seen, false};
        const bool is_last = window->at_end || there >= FOUND_MAX_BYTES;
        if ((is_last || there >= HEAD_BYTES) && !begins_event(window->p, scan.end))
            return true;
        *ret_found = trace_event_scan(&scan, &item->event);
        *ret_seen = *ret_found || scan.broken ? (size_t)(scan.p - window->p) : seen;
        if (*ret_found || scan.broken || is_last)
            break;
        if (!more_read(reader, &outcome, err))
            return false;
    }
    *ret_found = *ret_found && trace_has(&item->event, TRACE_PH);
    if (*ret_found)
        window->p += *ret_seen;
    return true;
}

static void blanks_skip(struct text_window *window)
{
    while (window->p < window->end && (unsigned char)*window->p <= ' ')
        window->p++;
}

/* Steps over the comma before the item that cannot be read, and into it; returns how deep that is.
 */
static int64_t item_enter(struct text_window *window)
{
    blanks_skip(window);
    window->p += window->p < window->end && *window->p == ',';
    blanks_skip(window);
    bool is_object = window->p < window->end && *window->p == '{';
    window->p += is_object;
    return is_object;
}

/* Where events are looked for: how far that went, and what it took. */
struct search {
    int64_t begin, seen_to, spent;
};

/* Takes the event at the window's place, unless too much was looked at already. */
static bool event_look(struct reader *reader, struct search *search, struct item *item,
                       bool *ret_found, struct err *err)
{
    const int64_t at = text_window_offset(&reader->window);
    size_t seen;
    *ret_found = false;
    if (*reader->window.p != '{' || at < search->seen_to)
        return true;
    if (!event_try(reader, item, ret_found, &seen, err))
        return false;
    search->spent += (int64_t)seen;
    if (search->spent > LOOK_TIMES * (at - search->begin) + FOUND_MAX_BYTES)
        search->seen_to = at + (int64_t)seen;
    return true;
}

/* Goes on behind what cannot be read with the next object that is an event: item->event, which else
 * is no object. Of an item that is only too large, which then is_long, the end is found instead; it
 * may also be one that lacks a bracket. STOPPED: nothing follows. */
static bool items_resume(struct reader *reader, bool is_long, struct item *item,
                         enum outcome *ret_outcome, struct err *err)
{
    struct text_window *window = &reader->window;
    struct skim skim = {.depth = item_enter(window)};
    struct search search = {.begin = text_window_offset(window)};
    bool found;
    for (*ret_outcome = GOT; *ret_outcome == GOT;) {
        while (window->p < window->end) {
            if (!event_look(reader, &search, item, &found, err))
                return false;
            if (found || (skim_byte(&skim, *window->p++) && is_long)) {
                item->event.is_object = found;
                return true;
            }
        }
        if (window->at_end)
            *ret_outcome = STOPPED;
        else if (!more_read(reader, ret_outcome, err))
            return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Counts what is stepped over, and goes on with the next event. */
static bool item_skip(struct reader *reader, struct item *item, enum outcome *ret_outcome,
                      struct err *err)
{
    struct trace_reading *reading = reader->reading;
    const bool is_long = *ret_outcome == TOO_LONG;
    if (!items_resume(reader, is_long, item, ret_outcome, err))
        return false;
    reading->is_broken = !is_long && *ret_outcome != GOT;
    reading->is_cut = is_long && *ret_outcome != GOT;
    if (is_long) {
        reading->item_count++;
        reading->fates[FATE_HUGE]++;
    } else if (*ret_outcome == GOT && reading->broken_count++ == 0) {
        reading->broken_at = reading->whole_text;
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
        if (!scan_at(reader, item_scan, &item, ret_outcome, err))
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
    const bool is_torn = reading->broken_count > 0;
    const char *what = reading->is_broken || is_torn ? "makes no sense" : "is cut off";
    long long at = (long long)text_window_offset(&reader->window);
    const long long whole = (long long)(is_torn ? reading->broken_at : reading->whole_text);
    if (!reading->has_events && !amiss)
        return err_set(err, ERR_INPUT,
                       "'%s' is JSON without the member traceEvents; give a trace in Chrome's "
                       "format",
                       path);
    if ((amiss || is_torn) && reading->complete_count == 0)
        return err_set(err, ERR_INPUT,
                       "'%s' %s at byte %lld of its text, before its first event; copy the file "
                       "again",
                       path, what, at);
    if ((amiss || is_torn) && options->strict_input)
        return err_set(err, ERR_INPUT,
                       "'%s' %s behind byte %lld of its text; copy the file again, or read what is "
                       "whole without --strict-input",
                       path, what, whole);
    if ((amiss || is_torn) && reading->rows != NULL)
        return err_set(err, ERR_INPUT,
                       "'%s' %s behind byte %lld of its text, and a table of it would lack what "
                       "follows; copy the file again",
                       path, what, whole);
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
    trace_halves_end(reading);
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
