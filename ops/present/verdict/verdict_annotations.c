/* Prints verdicts as workflow commands of GitHub Actions, `::error title=T::text`. A step shows ten
 * of a kind and drops the rest in silence, so only step time and the ops that
 * cost most are said. */
#include "ops/present/verdict/verdict_list.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/verdict_view.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

enum { KIND_MAX = 10, OPS_MAX = 3 };

enum kind { KIND_ERROR, KIND_WARNING, KIND_NOTICE, KIND_COUNT };
static const char *const kind_names[KIND_COUNT] = {"error", "warning", "notice"};

struct printer {
    struct arena *arena;
    struct text *out;
    int printed[KIND_COUNT];
};

static void command_add(struct printer *printer, enum kind kind, const char *title,
                        const char *text)
{
    if (title == NULL || text == NULL || printer->printed[kind]++ >= KIND_MAX)
        return;
    if (printer->out->length > 0)
        text_addc(printer->out, '\n');
    text_addf(printer->out, "::%s title=", kind_names[kind]);
    harmless_add(printer->out, HARMLESS_ANNOTATION_TITLE, title);
    text_add(printer->out, "::");
    harmless_add(printer->out, HARMLESS_ANNOTATION, text);
}

static void ops_add(struct printer *printer, const struct verdict_item *item, enum kind kind)
{
    struct verdict_view view;
    int named = 0;
    verdict_view_make(item->verdict, printer->arena, &view);
    for (size_t i = 0; i < view.ops.count && named < OPS_MAX; i++) {
        const struct view_pair *op = &view.ops.items[i];
        if (!op->is_worse)
            continue;
        named++;
        command_add(printer, kind, arena_printf(printer->arena, "%s: %s", item->name, op->name),
                    arena_printf(printer->arena, "%s (%s): %s per %s%s%s%s%s%s", op->name, op->kind,
                                 op->delta, view.ops_per, op->of_step[0] != '\0' ? ", " : "",
                                 op->of_step, op->of_step[0] != '\0' ? " of the step" : "",
                                 op->path[0] != '\0' ? "; " : "", op->path));
    }
}

static const char *sentence_of(const struct verdict_item *item, struct arena *arena)
{
    const char *sentence = verdict_item_sentence(item, arena);
    const char *efficiency = verdict_item_efficiency(item, arena);
    if (sentence == NULL || efficiency == NULL || efficiency[0] == '\0')
        return sentence;
    return arena_printf(arena, "%s; %s", sentence, efficiency);
}

static enum kind kind_of(const struct verdict_item *item)
{
    if (item->verdict == NULL)
        return KIND_ERROR;
    if (item->verdict->status == VERDICT_FAIL)
        return item->accepted != NULL ? KIND_NOTICE : KIND_ERROR;
    return item->verdict->status == VERDICT_PASS ? KIND_NOTICE : KIND_WARNING;
}

/* A limit that was held against nothing is told beside any verdict: a pass would hide it. */
static void not_judged_add(struct printer *printer, const struct verdict_item *item,
                           const char *title)
{
    for (size_t i = 0; item->verdict != NULL && i < item->verdict->reason_count; i++) {
        const struct verdict_reason *reason = &item->verdict->reasons[i];
        if (strcmp(reason->code, "measure_not_judged") == 0)
            command_add(printer, KIND_WARNING, title, reason->text);
    }
}

bool verdict_list_annotations(const struct verdict_list *list, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct printer printer = {.arena = &arena, .out = out};
    for (size_t i = 0; i < list->count; i++) {
        const struct verdict_item *item = &list->items[i];
        enum kind kind = kind_of(item);
        const char *title = arena_printf(&arena, "%s: %s", verdict_item_label(item), item->name);
        command_add(&printer, kind, title, sentence_of(item, &arena));
        if (item->accepted != NULL && item->verdict->status != VERDICT_PASS)
            command_add(&printer, KIND_NOTICE, title,
                        arena_printf(&arena, VERDICT_WORDS_ACCEPTED "%s", item->accepted));
        if (item->beyond != NULL)
            command_add(&printer, KIND_ERROR, title,
                        arena_printf(&arena, VERDICT_WORDS_BEYOND "%s.", item->beyond));
        if (item->retracted != NULL)
            command_add(&printer, KIND_WARNING, title,
                        arena_printf(&arena, VERDICT_WORDS_RETRACTED "%s", item->retracted));
        if (item->astray != NULL)
            command_add(&printer, KIND_WARNING, title, item->astray);
        not_judged_add(&printer, item, title);
    }
    for (size_t i = 0; i < list->count; i++) {
        enum kind kind = kind_of(&list->items[i]);
        if (list->items[i].verdict != NULL && kind != KIND_NOTICE &&
            list->items[i].verdict->status <= VERDICT_FAIL)
            ops_add(&printer, &list->items[i], kind);
    }
    return text_ok(out, "the annotations", err);
}
