/* The facts of a message that all kinds of receiver share: headline, text, keys. */
#include "alerts/message.h"
#include "alerts/channels.h"
#include "ops/runtime/text.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/verdict_next.h"
#include "schema/documents/verdict_view.h"
#include "schema/documents/verdict_words.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CHARS = 120, SENTENCE_MAX_BYTES = 4 << 20, NEXT_CHARS = 800 };

bool message_build(const struct notice *notice, const struct destination *to, struct arena *arena,
                   struct message *ret_message, struct err *err)
{
    const struct channel *channel;
    return channel_find(to->kind, &channel, err) &&
           channel->body_build(notice, to, arena, ret_message, err) &&
           arena_ok(arena, "a message", err);
}

/* ---- keys ---- */

/* Each part is preceded by its length. */
void message_digest(const char *const *parts, size_t count, char out[SHA256_HEX_BYTES])
{
    scoped_sha256 *state = sha256_new();
    for (size_t i = 0; i < count; i++) {
        size_t length = parts[i] == NULL ? 0 : strlen(parts[i]);
        char head[32];
        int head_length =
            snprintf(head, sizeof head, "%c%zu:", parts[i] == NULL ? '-' : '+', length);
        sha256_add(state, head, (size_t)head_length);
        sha256_add(state, parts[i] == NULL ? "" : parts[i], length);
    }
    uint8_t raw[SHA256_BYTES];
    sha256_finish(state, raw);
    text_hex(raw, sizeof raw, out);
}

void message_order_key(const struct verdict *verdict, char out[SHA256_HEX_BYTES])
{
    const char *const parts[] = {"alert", verdict->project, verdict->workload, verdict->series,
                                 verdict->candidate.branch};
    message_digest(parts, sizeof parts / sizeof parts[0], out);
}

void message_commit_key(const struct verdict *verdict, char out[SHA256_HEX_BYTES])
{
    const char *const parts[] = {"commit", verdict->project, verdict->workload,
                                 verdict->candidate.branch, verdict->candidate.commit};
    message_digest(parts, sizeof parts / sizeof parts[0], out);
}

void message_dedupe_key(const struct message_identity *identity, char out[SHA256_HEX_BYTES])
{
    const struct notice *notice = identity->notice;
    const struct verdict *verdict = notice->verdict;
    bool judged = verdict->evidence_sha256 != NULL;
    char version[16], generation[16];
    (void)snprintf(version, sizeof version, "%d", MESSAGE_RENDERER_VERSION);
    (void)snprintf(generation, sizeof generation, "%d", identity->generation);
    const char *const parts[] = {"message",
                                 identity->order_key,
                                 phase_is_open(notice->phase) ? "open"
                                                              : alert_phase_names[notice->phase],
                                 judged ? verdict_status_words[verdict->status] : "",
                                 judged ? verdict->evidence_sha256 : notice->verdict_id,
                                 generation,
                                 identity->channel_kind,
                                 version,
                                 notice->again};
    message_digest(parts, sizeof parts / sizeof parts[0], out);
}

/* ---- sentences ---- */

/* Names stay short within a sentence, whatever the bound. */
static void name_add(struct text *out, const char *name, const struct message_bounds *bounds,
                     const char *absent)
{
    clean_add(out, name, bounds->chars < NAME_CHARS ? bounds->chars : NAME_CHARS, absent);
}

void message_sentence_add(const struct verdict *verdict, const struct message_bounds *bounds,
                          struct text *out)
{
    scoped_arena arena;
    arena_init(&arena, SENTENCE_MAX_BYTES);
    const char *sentence = verdict_sentence(verdict, &arena);
    name_add(out, verdict->project, bounds, "-");
    text_addc(out, '/');
    name_add(out, verdict->workload, bounds, "-");
    text_add(out, ": ");
    clean_add(out, sentence, bounds->chars, "-");
}

void message_headline_add(const struct verdict *verdict, const struct message_bounds *bounds,
                          struct text *out)
{
    text_addf(out, "%s: ", verdict_status_words[verdict->status]);
    message_sentence_add(verdict, bounds, out);
}

/* Whether the sentence on top holds the reason: as whole, or as far as either is shown. */
static bool is_said(const char *sentence, const struct verdict_reason *reason, size_t chars)
{
    size_t length = strlen(reason->text);
    length -= length > 0 && reason->text[length - 1] == '.';
    for (const char *at = sentence; length > 0 && (at = strchr(at, reason->text[0])) != NULL; at++)
        if (strncmp(at, reason->text, length) == 0)
            return at == sentence || (size_t)(at - sentence) + length <= chars;
    return false;
}

void message_reasons_add(const struct verdict *verdict, const struct message_bounds *bounds,
                         struct text *out)
{
    scoped_arena arena;
    arena_init(&arena, SENTENCE_MAX_BYTES);
    const char *sentence = verdict_sentence(verdict, &arena);
    const char *efficiency = verdict_efficiency(verdict, &arena);
    size_t said = 0, told = 0;
    if (efficiency[0] != '\0')
        text_addf(out, "%s\n", efficiency);
    for (size_t i = 0; i < verdict->reason_count; i++) {
        bool is_on_top = is_said(sentence, &verdict->reasons[i], bounds->chars);
        said += is_on_top;
        if (is_on_top || told == bounds->reason_count)
            continue;
        told++;
        text_add(out, "- ");
        clean_add(out, verdict->reasons[i].text, bounds->chars, "-");
        text_addc(out, '\n');
    }
    if (verdict->reason_count > said + told)
        text_addf(out, "… and %zu more\n", verdict->reason_count - said - told);
}

void message_ops_add(const struct verdict *verdict, const struct message_bounds *bounds,
                     struct text *out)
{
    struct verdict_view view;
    scoped_arena arena;
    arena_init(&arena, SENTENCE_MAX_BYTES);
    verdict_view_make(verdict, &arena, &view);
    for (size_t i = 0; i < view.ops.count && i < bounds->op_count; i++) {
        const struct view_pair *op = &view.ops.items[i];
        text_addf(out, "  %s per %s: ", op->delta, view.ops_per);
        clean_add(out, op->name, bounds->chars, "-");
        text_add(out, " (");
        clean_add(out, op->kind, bounds->chars, "-");
        text_add(out, ")\n");
    }
    if (view.ops.count > bounds->op_count)
        text_addf(out, "  … and %zu more\n", view.ops.count - bounds->op_count);
}

static void side_add(const char *title, const struct verdict_side *side,
                     const struct message_bounds *bounds, struct text *out)
{
    char runs[FORMAT_COUNTED_BYTES];
    text_addf(out, "%s: %s, branch ", title, format_counted(side->run_count, "run", runs));
    name_add(out, side->branch, bounds, "unknown");
    if (side->commit != NULL || side->run_count < 2) { /* runs of many commits have none together */
        text_add(out, ", commit ");
        name_add(out, side->commit, bounds, "unknown");
    }
    text_addc(out, '\n');
}

void message_sides_add(const struct verdict *verdict, const struct message_bounds *bounds,
                       struct text *out)
{
    bool is_compared = verdict->status != VERDICT_INCOMPARABLE;
    side_add("candidate", &verdict->candidate, bounds, out);
    side_add(is_compared ? "baseline" : "baseline, not compared with", &verdict->baseline, bounds,
             out);
}

void message_next_add(const struct verdict *verdict, struct text *out)
{
    scoped_arena arena;
    arena_init(&arena, SENTENCE_MAX_BYTES);
    struct verdict_next next;
    verdict_next_find(verdict, &arena, &next);
    if (next.why == NULL)
        return;
    text_addf(out, "%s: ", next.why);
    clean_add(out, next.command, NEXT_CHARS, "");
    text_addc(out, '\n');
}

void message_text_add(const struct verdict *verdict, const struct message_bounds *bounds,
                      struct text *out)
{
    message_headline_add(verdict, bounds, out);
    text_addc(out, '\n');
    message_reasons_add(verdict, bounds, out);
    message_ops_add(verdict, bounds, out);
    message_sides_add(verdict, bounds, out);
}
