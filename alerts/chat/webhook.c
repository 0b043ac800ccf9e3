/* Implements the generic webhook's bodies (stepledger.verdict, .notice and .report, version 1) and
 * its headers. */
#include "alerts/chat/webhook.h"
#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/escape.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/trend_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    BODY_MAX_BYTES = 20000,
    BODY_VERSION = 1,
    COMMAND_BYTES = 80,
    TEXT_MAX_BYTES = 1 << 20,
    NOTICE_MAX_BYTES = 3000,
    HASH_CHARS = 64,
    LINK_CHARS = 1000,
    KEY_MIN_BYTES = 24,
    KEY_MAX_BYTES = 64,
    US_PER_SECOND = 1000000
};

/* From generous to bare: the first that fits into BODY_MAX_BYTES is taken, so that no
 * receiver refuses for size. The last one fits whatever the strings hold: a code point costs at
 * most 12 bytes. */
static const struct message_bounds bounds_to_try[] = {
    {10, 20, 20, 300},
    {10, 10, 20, 150},
    {5, 5, 10, 80},
    {0, 1, 2, 40},
};

/* ---- the body ---- */

/* A new string, or JSON null for NULL. */
static json_t *clean_json(const char *string, size_t max_chars)
{
    if (string == NULL)
        return json_null();
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    clean_add(&text, string, max_chars, "");
    return json_of_text(&text);
}

static json_t *optional_json(struct opt_f64 value)
{
    return value.set ? json_number(value.value) : json_null();
}

static json_t *step_json(const struct verdict *verdict)
{
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    struct opt_f64 delta = {before.set && after.set, after.value - before.value};
    struct opt_f64 percent = {delta.set && before.value > 0, 0};
    if (percent.set)
        percent.value = delta.value / before.value * 100;
    return json_pack("{s:o, s:o, s:o, s:o}", "before_us", optional_json(before), "after_us",
                     optional_json(after), "delta_us", optional_json(delta), "delta_pct",
                     optional_json(percent));
}

static json_t *ops_json(const struct verdict *verdict, const struct message_bounds *bounds)
{
    json_t *list = json_array();
    size_t moved = verdict_moved_count(verdict);
    for (size_t i = 0; i < moved && i < bounds->op_count; i++) {
        const struct verdict_op *op = &verdict->ops[i];
        json_t *row = json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", clean_json(op->name, bounds->chars),
            "category", clean_json(op->category, bounds->chars), "change",
            clean_json(op->change, bounds->chars), "before_us", json_number(op->before_us),
            "after_us", json_number(op->after_us), "delta_us", json_number(op->delta_us),
            "delta_pct", optional_json(op->delta_pct), "share_of_step",
            json_number(op->share_of_step));
        verdict_parts_add(row, &op->before_runs, &op->after_runs);
        (void)json_array_append_new(list, row);
    }
    return list;
}

static json_t *reasons_json(const struct verdict *verdict, const struct message_bounds *bounds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->reason_count && i < bounds->reason_count; i++) {
        const struct verdict_reason *reason = &verdict->reasons[i];
        json_t *item = json_pack("{s:o, s:o}", "code", clean_json(reason->code, bounds->chars),
                                 "text", clean_json(reason->text, bounds->chars));
        (void)json_array_append_new(list, item);
    }
    return list;
}

static json_t *side_json(const struct verdict_side *side, const struct message_bounds *bounds)
{
    json_t *ids = json_array();
    for (size_t i = 0; i < side->profile_ids.count && i < bounds->id_count; i++)
        (void)json_array_append_new(ids, clean_json(side->profile_ids.items[i], bounds->chars));
    return json_pack("{s:o, s:I, s:o, s:o}", "profiles", ids, "run_count",
                     (json_int_t)side->run_count, "branch", clean_json(side->branch, bounds->chars),
                     "commit", clean_json(side->commit, bounds->chars));
}

static json_t *text_json(void (*add)(const struct verdict *verdict,
                                     const struct message_bounds *bounds, struct text *out),
                         const struct verdict *verdict, const struct message_bounds *bounds)
{
    scoped_text text;
    text_init(&text, TEXT_MAX_BYTES);
    add(verdict, bounds, &text);
    return json_of_text(&text);
}

static json_t *body_json(const struct notice *notice, const struct message_bounds *bounds)
{
    const struct verdict *verdict = notice->verdict;
    size_t chars = bounds->chars;
    return json_pack(
        "{s:s, s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o,"
        " s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}",
        "type", "stepledger.verdict", "version", BODY_VERSION, "verdict",
        clean_json(notice->verdict_id, chars), "status", verdict_status_names[verdict->status],
        "project", clean_json(verdict->project, chars), "workload",
        clean_json(verdict->workload, chars), "series", clean_json(verdict->series, chars),
        "headline", text_json(message_headline_add, verdict, bounds), "step", step_json(verdict),
        "ops", ops_json(verdict, bounds), "op_count", (json_int_t)verdict_moved_count(verdict),
        "reasons", reasons_json(verdict, bounds), "reason_count", (json_int_t)verdict->reason_count,
        "baseline", side_json(&verdict->baseline, bounds), "candidate",
        side_json(&verdict->candidate, bounds), "commit",
        clean_json(verdict->candidate.commit, chars), "evidence_sha256",
        clean_json(verdict->evidence_sha256, HASH_CHARS), "created_at_utc",
        clean_json(verdict->created_at_utc, chars), "text",
        text_json(message_text_add, verdict, bounds), "change", alert_phase_names[notice->phase],
        "link", clean_json(notice->link, LINK_CHARS));
}

/* What has no verdict is another type of message. */
static json_t *notice_json(const struct notice *notice, struct arena *arena)
{
    struct card card = card_make(notice, arena);
    scoped_text text;
    text_init(&text, SIZE_MAX);
    card_details_add(&card, &text);
    const struct escape_rule rule = {ESCAPE_NONE, ESCAPE_BYTES, NOTICE_MAX_BYTES};
    return json_pack("{s:s, s:i, s:s, s:o, s:o}", "type", "stepledger.notice", "version",
                     BODY_VERSION, "change", alert_phase_names[notice->phase], "headline",
                     escape_json(card.title, &rule), "text", escape_json(text_shown(&text), &rule));
}

/* ---- the body of a report ---- */

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

/* What is said of a report: all but its courses, then lists cut from the end, those that matter
 * least first, until it fits; `counts` tells how many of each there are, `cut` whether that is more
 * than there are here, and `whole` the command that prints it all. Takes the reference of the link.
 */
static bool report_build(const struct trend_report *report, json_t *link, struct arena *arena,
                         struct message *ret_message, struct err *err)
{
    struct trend_report undrawn = *report;
    char whole[COMMAND_BYTES];
    undrawn.course_count = 0;
    if (report->report != NULL)
        (void)snprintf(whole, sizeof whole, "stepledger report %s --format json", report->report);
    scoped_json *form = trend_report_to_json(&undrawn), *counts = json_object();
    for (size_t i = 0; i < LIST_COUNT; i++) {
        const size_t count = json_array_size(json_object_get(form, lists[i].name));
        (void)json_object_set_new(counts, lists[i].name, json_integer((json_int_t)count));
    }
    scoped_json *body =
        json_pack("{s:s, s:i, s:o, s:O, s:b, s:o, s:o}", "type", "stepledger.report", "version",
                  BODY_VERSION, "link", link, "report", form, "cut", false, "counts",
                  json_incref(counts), "whole", json_text(report->report != NULL ? whole : NULL));
    if (!body_print(json_incref(body), arena, ret_message, err))
        return false;
    if (ret_message->length <= BODY_MAX_BYTES)
        return true;
    (void)json_object_set_new(body, "cut", json_true());
    lists_cut(form, ret_message->length - BODY_MAX_BYTES);
    return body_print(json_incref(body), arena, ret_message, err);
}

/* ---- the body that is sent ---- */

/* The first form that fits; the last one is taken as it is. */
static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    if (notice->report != NULL)
        return report_build(notice->report, clean_json(notice->link, LINK_CHARS), arena,
                            ret_message, err);
    if (notice->verdict == NULL)
        return body_print(notice_json(notice, arena), arena, ret_message, err);
    const size_t last = sizeof bounds_to_try / sizeof bounds_to_try[0] - 1;
    for (size_t i = 0;; i++) {
        struct message made;
        if (!body_print(body_json(notice, &bounds_to_try[i]), arena, &made, err))
            return false;
        if (made.length > BODY_MAX_BYTES && i < last)
            continue;
        *ret_message = made;
        return true;
    }
}

/* ---- the signature ---- */

static bool key_decode(const struct secret *secret, uint8_t key[SECRET_MAX_BYTES],
                       size_t *ret_length, struct err *err)
{
    static const char prefix[] = "whsec_";
    const size_t skip = sizeof prefix - 1;
    if (strncmp(secret->text, prefix, skip) != 0 ||
        !base64_decode(secret->text + skip, key, ret_length) || *ret_length < KEY_MIN_BYTES ||
        *ret_length > KEY_MAX_BYTES)
        return err_set(err, ERR_USAGE,
                       "secret: a webhook's signing key is whsec_ and the base64 form of %d to %d "
                       "random bytes; make one with: printf 'whsec_%%s\\n' \"$(openssl rand "
                       "-base64 32)\"",
                       KEY_MIN_BYTES, KEY_MAX_BYTES);
    return true;
}

static bool key_check(const struct sending *sending, struct err *err)
{
    uint8_t key[SECRET_MAX_BYTES];
    size_t length;
    bool good = sending->key.text == NULL || key_decode(&sending->key, key, &length, err);
    explicit_bzero(key, sizeof key);
    return good;
}

bool webhook_sign(const struct secret *secret, const struct webhook_content *content,
                  char out[WEBHOOK_SIGNATURE_BYTES], struct err *err)
{
    scoped_text signed_text;
    text_init(&signed_text, SIZE_MAX);
    text_addf(&signed_text, "%s.%" PRId64 ".", content->message_id, content->timestamp_s);
    text_addn(&signed_text, content->body, content->body_length);
    uint8_t key[SECRET_MAX_BYTES], code[SHA256_BYTES];
    size_t key_length = 0;
    bool done = key_decode(secret, key, &key_length, err) &&
                hmac_sha256(key, key_length, signed_text.data, signed_text.length, code, err);
    explicit_bzero(key, sizeof key);
    if (!done)
        return false;
    memcpy(out, "v1,", 3);
    base64_encode(code, sizeof code, out + 3);
    return true;
}

bool webhook_headers_make(const struct delivery_request *request, const struct secret *secret,
                          struct arena *arena, struct webhook_headers *ret_headers, struct err *err)
{
    struct webhook_content content = {request->message_id, request->wall_us / US_PER_SECOND,
                                      request->body, request->body_length};
    struct webhook_headers made = {
        {arena_printf(arena, "Content-Type: %s", request->content_type),
         arena_printf(arena, "webhook-id: %s", content.message_id),
         arena_printf(arena, "webhook-timestamp: %" PRId64, content.timestamp_s)},
        3};
    char signature[WEBHOOK_SIGNATURE_BYTES];
    if (secret != NULL) {
        if (!webhook_sign(secret, &content, signature, err))
            return false;
        made.items[made.count++] = arena_printf(arena, "webhook-signature: %s", signature);
    }
    *ret_headers = made;
    return true;
}

static bool message_send(struct sending *sending, struct err *err)
{
    const struct delivery_request *request = sending->request;
    const struct secret *secret = sending->key.text != NULL ? &sending->key : NULL;
    struct webhook_headers headers;
    scoped_call_result answer = {0};
    if (!webhook_headers_make(request, secret, sending->arena, &headers, err))
        return false;
    const struct call call = {
        .headers = headers.items,
        .header_count = headers.count,
        .body = request->body,
        .length = request->body_length,
    };
    return sending_call(sending, &call, &answer, err) && sending_end(sending, &answer, NULL);
}

const struct channel channel_webhook = {
    .kind = "webhook",
    .needs = NEEDS_URL,
    .body_build = body_build,
    .check = key_check,
    .send = message_send,
};
