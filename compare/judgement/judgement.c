/* Implements the growing lists of a judgement and the texts that its sentences share. */
#include "compare/judgement/judgement.h"

#include "ops/runtime/text.h"
#include "schema/documents/verdict_reasons.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sentences hold a few names and numbers; a longer one is cut. */
enum { SENTENCE_MAX_BYTES = 2000 };

static __attribute__((format(printf, 2, 0))) const char *sentence_make(struct gate_state *judgement,
                                                                       const char *format,
                                                                       va_list args)
{
    char sentence[SENTENCE_MAX_BYTES];
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    sentence[text_utf8_valid(sentence, strlen(sentence))] = '\0'; /* a cut may split a character */
    return arena_strdup(judgement->arena, sentence);
}

void reason_add(struct gate_state *judgement, const char *code, const char *format, ...)
{
    struct verdict *verdict = judgement->verdict;
    va_list args;
    assert(verdict_reason_is_known(code));
    va_start(args, format);
    const char *text = sentence_make(judgement, format, args);
    va_end(args);
    struct verdict_reason *reasons =
        arena_grow(judgement->arena, verdict->reasons, verdict->reason_count,
                   &judgement->reason_capacity, sizeof *reasons);
    verdict->reasons = reasons;
    reasons[verdict->reason_count++] = (struct verdict_reason){code, text};
}

void message_add(struct gate_state *judgement, const char *format, ...)
{
    struct string_list *messages = &judgement->verdict->provenance_messages;
    va_list args;
    va_start(args, format);
    const char *text = sentence_make(judgement, format, args);
    va_end(args);
    for (size_t i = 0; i < messages->count; i++) {
        if (strcmp(messages->items[i], text) == 0)
            return;
    }
    const char **items = arena_grow(judgement->arena, messages->items, messages->count,
                                    &judgement->message_capacity, sizeof *items);
    messages->items = items;
    items[messages->count++] = text;
}

void fault_add(struct gate_state *judgement, struct fault_list *list, const char *code,
               const char *text)
{
    struct verdict_reason *items =
        arena_grow(judgement->arena, list->items, list->count, &list->capacity, sizeof *items);
    list->items = items;
    items[list->count++] = (struct verdict_reason){code, text};
}

void set_aside_add(struct gate_state *judgement, const char *run,
                   const struct gate_profile *const *profiles, size_t count,
                   const struct verdict_reason *why)
{
    struct verdict_side *side = &judgement->verdict->baseline;
    struct verdict_set_aside *items =
        arena_grow(judgement->arena, side->set_aside, side->set_aside_count,
                   &judgement->set_aside_capacity, sizeof *items);
    const char **ids = arena_array(judgement->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        ids[i] = profiles[i]->profile_id;
    side->set_aside = items;
    items[side->set_aside_count++] =
        (struct verdict_set_aside){run, {ids, count}, why->code, why->text};
}

void fault_reasons(struct gate_state *judgement, const struct fault_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        reason_add(judgement, list->items[i].code, "%s", list->items[i].text);
}

void status_decide(struct gate_state *judgement, enum verdict_status status, const char *rule_id)
{
    struct verdict *verdict = judgement->verdict;
    verdict->status = status;
    verdict->rule_id = rule_id;
    if (verdict->reason_count < 2)
        return;
    struct verdict_reason last = verdict->reasons[verdict->reason_count - 1];
    memmove(&verdict->reasons[1], verdict->reasons, (verdict->reason_count - 1) * sizeof last);
    verdict->reasons[0] = last;
}

void status_raise(struct gate_state *judgement, enum verdict_status status, const char *rule_id)
{
    enum verdict_status held = judgement->verdict->status;
    bool beats = status == VERDICT_FAIL ? held != VERDICT_INCOMPARABLE && held != VERDICT_FAIL
                                        : held == VERDICT_PASS;
    if (beats)
        status_decide(judgement, status, rule_id);
}

const char *name_text(const char *name, char *buffer)
{
    static const char dots[] = "...";
    size_t length = strlen(name);
    if (length < NAME_TEXT_BYTES) {
        memcpy(buffer, name, length + 1);
        return buffer;
    }
    length = text_utf8_valid(name, NAME_TEXT_BYTES - sizeof dots);
    memcpy(buffer, name, length);
    memcpy(buffer + length, dots, sizeof dots);
    return buffer;
}

const char *duration_text(double us, char *buffer)
{
    enum { DIGITS = 4 };
    return format_duration(us, DIGITS, buffer);
}
