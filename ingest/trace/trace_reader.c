#include "ingest/trace/trace_reader.h"

#include <string.h>

void reader_done(struct reader *reader)
{
    text_window_done(&reader->window);
}

bool reader_more(struct reader *reader, enum outcome *ret_outcome, struct err *err)
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

bool reader_scan(struct reader *reader, scan_fn *scan_one, void *result, enum outcome *ret_outcome,
                 struct err *err)
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
            reader->reading->is_broken = scan.broken;
            reader->reading->is_cut = !scan.broken;
            *ret_outcome = scan.broken ? BROKEN : STOPPED;
            return true;
        }
        if (!reader_more(reader, ret_outcome, err))
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

bool reader_skip(struct reader *reader, enum outcome *ret_outcome, struct err *err)
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
        } else if (!reader_more(reader, ret_outcome, err)) {
            return false;
        }
    }
    return true;
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
static bool event_try(struct reader *reader, struct trace_event *event, bool *ret_found,
                      size_t *ret_seen, struct err *err)
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
        *ret_found = trace_event_scan(&scan, event);
        *ret_seen = *ret_found || scan.broken ? (size_t)(scan.p - window->p) : seen;
        if (*ret_found || scan.broken || is_last)
            break;
        if (!reader_more(reader, &outcome, err))
            return false;
    }
    *ret_found = *ret_found && trace_has(event, TRACE_PH);
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
static bool event_look(struct reader *reader, struct search *search, struct trace_event *event,
                       bool *ret_found, struct err *err)
{
    const int64_t at = text_window_offset(&reader->window);
    size_t seen;
    *ret_found = false;
    if (*reader->window.p != '{' || at < search->seen_to)
        return true;
    if (!event_try(reader, event, ret_found, &seen, err))
        return false;
    search->spent += (int64_t)seen;
    reader->resumed_at = at;
    if (search->spent > LOOK_TIMES * (at - search->begin) + FOUND_MAX_BYTES)
        search->seen_to = at + (int64_t)seen;
    return true;
}

bool reader_resume(struct reader *reader, bool is_long, struct trace_event *event,
                   enum outcome *ret_outcome, struct err *err)
{
    struct text_window *window = &reader->window;
    struct skim skim = {.depth = item_enter(window)};
    struct search search = {.begin = text_window_offset(window)};
    bool found;
    for (*ret_outcome = GOT; *ret_outcome == GOT;) {
        while (window->p < window->end) {
            if (!event_look(reader, &search, event, &found, err))
                return false;
            if (found || (skim_byte(&skim, *window->p++) && is_long)) {
                event->is_object = found;
                return true;
            }
        }
        if (window->at_end)
            *ret_outcome = STOPPED;
        else if (!reader_more(reader, ret_outcome, err))
            return false;
    }
    return true;
}
