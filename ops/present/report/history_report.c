/* Counts the records of a history. Blank lines and lines that hold no object are passed over; a
 * torn line is an error, because what follows it cannot be trusted.
 */
#include "ops/present/report/history_report.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_SHOWN = 10 };

struct history {
    const char *path;
    json_t *records;       /* list */
    json_t *status_counts; /* objects: text -> count, in order of first appearance */
    json_t *failures;
    json_t *warnings;
    struct err *err;
};

/* Counts one text; what is no text is not counted. */
static void text_count(json_t *counts, const json_t *text)
{
    const char *key = json_string_value(text);
    size_t length = json_string_length(text);
    if (key == NULL)
        return;
    json_int_t count = json_integer_value(json_object_getn(counts, key, length)) + 1;
    (void)json_object_setn_new(counts, key, length, json_integer(count));
}

static void list_count(json_t *counts, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        text_count(counts, json_array_get(list, i));
}

/* Where Python's str.splitlines() ends a line. */
static bool ends_line(uint32_t c)
{
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

/* The line that starts at *cursor, without its end; *cursor moves behind the end. */
static size_t line_next(const char **cursor, const char *end)
{
    const char *start = *cursor;
    for (const char *p = start; p < end;) {
        const char *here = p;
        if (!ends_line(text_utf8_next(&p, end)))
            continue;
        *cursor = *here == '\r' && p < end && *p == '\n' ? p + 1 : p;
        return (size_t)(here - start);
    }
    *cursor = end;
    return (size_t)(end - start);
}

static bool line_read(struct history *history, const char *line, size_t length, size_t number)
{
    const char *text = line;
    size_t text_length = length;
    text_strip(&text, &text_length);
    if (text_length == 0)
        return true;
    char name[1 << 10];
    (void)snprintf(name, sizeof name, "%s:%zu", history->path, number);
    scoped_json *record = json_parse(line, length, name, history->err);
    if (record == NULL)
        return history->err->kind == ERR_INPUT &&
               err_prefix(history->err, "the history is torn here (a torn last line goes when "
                                        "`track --history` adds to it; remove any other)");
    if (!json_is_object(record))
        return true;
    const json_t *assessment = json_object_get(record, "assessment");
    (void)json_array_append(history->records, record);
    text_count(history->status_counts, json_object_get(assessment, "status"));
    list_count(history->failures, json_object_get(assessment, "failures"));
    list_count(history->warnings, json_object_get(assessment, "warnings"));
    return true;
}

/* ---- the answer ---------------------------------------------------------------------------------
 */

struct message {
    const char *text;
    size_t length;
    json_int_t count;
    size_t order; /* of first appearance */
};

static int message_compare(const void *left, const void *right)
{
    const struct message *a = left;
    const struct message *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

/* The ten most frequent, ties in order of first appearance. */
static json_t *most_common(json_t *counts)
{
    size_t size = json_object_size(counts);
    size_t count = 0;
    struct message *messages = memory_alloc((size + 1) * sizeof *messages);
    for (void *at = json_object_iter(counts); at != NULL && count < size;
         at = json_object_iter_next(counts, at)) {
        messages[count] = (struct message){json_object_iter_key(at), json_object_iter_key_len(at),
                                           json_integer_value(json_object_iter_value(at)), count};
        count++;
    }
    qsort(messages, count, sizeof *messages, message_compare);
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < MESSAGES_SHOWN; i++)
        (void)json_array_append_new(list,
                                    json_pack("{s:o, s:I}", "message",
                                              json_stringn(messages[i].text, messages[i].length),
                                              "count", messages[i].count));
    free(messages);
    return list;
}

static json_t *records_last(const json_t *records, int64_t tail)
{
    size_t count = json_array_size(records);
    size_t kept = tail <= 0 ? 0 : (uint64_t)tail < count ? (size_t)tail : count;
    json_t *list = json_array();
    for (size_t i = count - kept; i < count; i++)
        (void)json_array_append(list, json_array_get(records, i));
    return list;
}

json_t *history_summary(const char *jsonl, size_t length, const char *path, int64_t tail,
                        struct err *err)
{
    scoped_json *records = json_array();
    scoped_json *statuses = json_object();
    scoped_json *failures = json_object();
    scoped_json *warnings = json_object();
    struct history history = {path, records, statuses, failures, warnings, err};
    const char *end = jsonl + length;
    size_t number = 0;
    for (const char *cursor = jsonl; cursor < end;) {
        const char *line = cursor;
        size_t line_length = line_next(&cursor, end);
        if (!line_read(&history, line, line_length, ++number))
            return NULL;
    }
    size_t count = json_array_size(records);
    json_t *latest = count == 0 ? json_null() : json_array_get(records, count - 1);
    return json_pack("{s:o, s:I, s:O, s:o, s:o, s:O, s:o}", "history_path", json_text(path),
                     "num_records", (json_int_t)count, "status_counts", statuses, "top_failures",
                     most_common(failures), "top_warnings", most_common(warnings), "latest_record",
                     latest, "recent_records", records_last(records, tail));
}
