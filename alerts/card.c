/* Makes cards out of notices. The words of a phase stand in one table. */
#include "alerts/card.h"
#include "alerts/report_card.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

enum { PART_MAX_BYTES = 64 << 10, LINES_CHARS = 2000 };

static const struct message_bounds bounds = {5, 4, 10, 400};

/* What stands before the sentence; NULL = the verdict's status. */
static const char *const phase_words[PHASE_COUNT] = {
    [PHASE_REPEATED] = "STILL FAILING", [PHASE_WORSENED] = "WORSE",
    [PHASE_FLAPPING] = "FLAPPING",      [PHASE_RESOLVED] = "RESOLVED",
    [PHASE_REOPENED] = "REOPENED",      [PHASE_STARTED] = "RUNNING",
    [PHASE_ABORTED] = "NO VERDICT",
};

static const enum card_level levels[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = CARD_GOOD,
    [VERDICT_WARN] = CARD_WARN,
    [VERDICT_FAIL] = CARD_BAD,
    [VERDICT_INCONCLUSIVE] = CARD_NEUTRAL,
    [VERDICT_INCOMPARABLE] = CARD_NEUTRAL,
};

/* It is the verdict that has something to say. */
static bool is_judged(const struct notice *notice)
{
    return notice->verdict != NULL && notice->headline == NULL && notice->phase != PHASE_STARTED &&
           notice->phase != PHASE_ABORTED;
}

static enum card_level level_of(const struct notice *notice)
{
    if (notice->accepted || notice->phase == PHASE_FLAPPING)
        return CARD_NEUTRAL;
    if (is_judged(notice))
        return levels[notice->verdict->status];
    bool is_over = notice->phase == PHASE_ABORTED || notice->phase == PHASE_RESOLVED;
    return notice->phase == PHASE_STARTED ? CARD_BUSY : is_over ? CARD_NEUTRAL : CARD_WARN;
}

typedef void part_write(const struct notice *notice, struct text *out);

static void subject_add(const struct notice *notice, struct text *out)
{
    if (notice->verdict == NULL)
        return;
    clean_add(out, notice->verdict->project, 60, "-");
    text_addc(out, '/');
    clean_add(out, notice->verdict->workload, 60, "-");
}

static void title_add(const struct notice *notice, struct text *out)
{
    const char *word = notice->accepted ? "ACCEPTED" : phase_words[notice->phase];
    if (is_judged(notice)) {
        text_addf(out, "%s: ", word != NULL ? word : verdict_status_words[notice->verdict->status]);
        message_sentence_add(notice->verdict, &bounds, out);
        return;
    }
    if (word != NULL)
        text_addf(out, "%s: ", word);
    subject_add(notice, out);
    if (notice->verdict != NULL && notice->headline != NULL)
        text_add(out, ": ");
    clean_add(out, notice->headline, bounds.chars, "");
}

static void reasons_add(const struct notice *notice, struct text *out)
{
    if (is_judged(notice))
        message_reasons_add(notice->verdict, &bounds, out);
    /* Details come line by line, each made clean by itself. */
    char line[1024];
    for (const char *p = notice->details; p != NULL && *p != '\0';) {
        size_t length = strcspn(p, "\n"), kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, p, kept);
        line[kept] = '\0';
        clean_add(out, line, LINES_CHARS, "");
        text_addc(out, '\n');
        p += length + (p[length] == '\n');
    }
}

static void ops_add(const struct notice *notice, struct text *out)
{
    if (is_judged(notice) && notice->verdict->status != VERDICT_PASS)
        message_ops_add(notice->verdict, &bounds, out);
}

static void since_add(const struct notice *notice, struct text *out)
{
    if (is_judged(notice))
        message_sides_add(notice->verdict, &bounds, out);
}

static void actions_add(const struct notice *notice, struct text *out)
{
    const char *id = notice->verdict_id;
    if (!is_judged(notice) || id == NULL)
        return;
    text_addf(out, "see it all: stepledger show %s\n", id);
    message_next_add(notice->verdict, out);
    if (notice->accepted)
        return;
    if (notice->verdict->status == VERDICT_FAIL)
        text_addf(out, "looking into it: stepledger alert acknowledge %s --reason WHY\n", id);
    if (notice->verdict->status == VERDICT_FAIL || notice->verdict->status == VERDICT_WARN)
        text_addf(out, "meant to be so: stepledger accept %s --reason WHY\n", id);
}

static const char *part(part_write *write, const struct notice *notice, struct arena *arena)
{
    scoped_text out;
    text_init(&out, PART_MAX_BYTES);
    write(notice, &out);
    size_t length = out.length;
    while (length > 0 && out.data[length - 1] == '\n')
        length--;
    out.length = length;
    return text_keep(&out, arena);
}

bool card_make(const struct notice *notice, struct arena *arena, struct card *ret_card,
               struct err *err)
{
    if (notice->report != NULL)
        return report_card_make(notice->report, notice->link, arena, ret_card, err);
    struct card card = {
        .level = level_of(notice),
        .title = part(title_add, notice, arena),
        .subject = part(subject_add, notice, arena),
        .reasons = part(reasons_add, notice, arena),
        .ops = part(ops_add, notice, arena),
        .since = part(since_add, notice, arena),
        .actions = part(actions_add, notice, arena),
        .link = notice->link,
    };
    if (card.title == NULL || card.subject == NULL || card.reasons == NULL || card.ops == NULL ||
        card.since == NULL || card.actions == NULL)
        return arena_failed(arena, "a message", err);
    *ret_card = card;
    return true;
}

void card_details_add(const struct card *card, struct text *out)
{
    const char *const parts[] = {card->reasons, card->ops, card->since, card->actions};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0] != '\0')
            text_addf(out, "%s\n", parts[i]);
}
