/* Implements the generic webhook's body of a report (type stepledger.report, version 1). */
#include "alerts/chat/webhook.h"
#include "alerts/sending.h"
#include "ops/runtime/json.h"

#include <stdio.h>

enum { COMMAND_BYTES = 80 };

/* The lists of a report, those that are cut first before those that matter more, and how many of
 * each are not cut. The first headline is the report's. */
static const struct report_list {
    const char *name;
    size_t least;
} lists[] = {
    {"mfu", 0},          {"noisiest", 0},   {"canaries", 0}, {"drifting", 0},  {"verdicts", 0},
    {"newcomers", 0},    {"returns", 0},    {"alerts", 0},   {"suspected", 0}, {"restarts", 0},
    {"improvements", 0}, {"recoveries", 0}, {"quiet", 0},    {"withdrawn", 0}, {"drifts", 0},
    {"headlines", 1},    {"losses", 0},
};
enum { LIST_COUNT = sizeof lists / sizeof *lists };

/* How many bytes it is printed as. */
static size_t printed_bytes(const json_t *item)
{
    scoped_text text;
    text_init(&text, SIZE_MAX);
    json_print(item, JSON_STYLE_LINE, &text);
    return text.length;
}

/* Cuts so many bytes, or all that can be cut. */
static void lists_cut(json_t *report, size_t bytes)
{
    size_t freed = 0;
    for (size_t i = 0; i < LIST_COUNT; i++) {
        json_t *list = json_object_get(report, lists[i].name);
        for (size_t count = json_array_size(list); count > lists[i].least && freed < bytes;
             count--) {
            freed += printed_bytes(json_array_get(list, count - 1));
            (void)json_array_remove(list, count - 1);
        }
    }
}

bool webhook_report_build(const struct trend_report *report, json_t *link, struct arena *arena,
                          struct message *ret_message, struct err *err)
{
    struct trend_report undrawn = *report;
    char whole[COMMAND_BYTES];
    undrawn.course_count = 0;
    if (report->report != NULL)
        (void)snprintf(whole, sizeof whole, "stepledger report %s --format json", report->report);
    scoped_json *form = trend_report_to_json(&undrawn, err), *counts = json_object();
    for (size_t i = 0; i < LIST_COUNT; i++) {
        const size_t count = json_array_size(json_object_get(form, lists[i].name));
        (void)json_object_set_new(counts, lists[i].name, json_integer((json_int_t)count));
    }
    scoped_json *body =
        json_pack("{s:s, s:i, s:o, s:O, s:b, s:o, s:o}", "type", "stepledger.report", "version",
                  WEBHOOK_BODY_VERSION, "link", link, "report", form, "cut", false, "counts",
                  json_incref(counts), "whole", json_text(report->report != NULL ? whole : NULL));
    if (!body_print(json_incref(body), arena, ret_message, err))
        return false;
    if (ret_message->length <= WEBHOOK_BODY_MAX_BYTES)
        return true;
    (void)json_object_set_new(body, "cut", json_true());
    lists_cut(form, ret_message->length - WEBHOOK_BODY_MAX_BYTES);
    return body_print(json_incref(body), arena, ret_message, err);
}
