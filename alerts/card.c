/* Makes cards out of verdicts, notes and reports. The words of a phase stand in one table. */
#include "alerts/card.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/measures.h"
#include "schema/documents/trend_report.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

enum { PART_MAX_BYTES = 64 << 10, LINES_CHARS = 2000 };

/* Of a report: what needs somebody comes first, each list cut to what a screen holds. */
enum {
    LINES_SHOWN = 6,
    OPS_SHOWN = 3,
    ACTIONS_SHOWN = 5,
    MFU_SHOWN = 4,
    SENTENCE_CHARS = 300,
    NAME_CHARS = 80
};

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

/* What `write` appends, without the line breaks at its end; cut where it is too long. */
static const char *part(void (*write)(const void *of, struct text *out), const void *of,
                        struct arena *arena)
{
    scoped_text out;
    text_init(&out, PART_MAX_BYTES);
    write(of, &out);
    while (out.length > 0 && out.data[out.length - 1] == '\n')
        out.length--;
    return text_keep_start(&out, arena);
}

/* ---- a verdict ---- */

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

static void subject_add(const void *of, struct text *out)
{
    const struct notice *notice = of;
    if (notice->verdict == NULL)
        return;
    clean_add(out, notice->verdict->project, 60, "-");
    text_addc(out, '/');
    clean_add(out, notice->verdict->workload, 60, "-");
}

static void title_add(const void *of, struct text *out)
{
    const struct notice *notice = of;
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

static void reasons_add(const void *of, struct text *out)
{
    const struct notice *notice = of;
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

static void ops_add(const void *of, struct text *out)
{
    const struct notice *notice = of;
    if (is_judged(notice) && notice->verdict->status != VERDICT_PASS)
        message_ops_add(notice->verdict, &bounds, out);
}

static void since_add(const void *of, struct text *out)
{
    const struct notice *notice = of;
    if (is_judged(notice))
        message_sides_add(notice->verdict, &bounds, out);
}

static void actions_add(const void *of, struct text *out)
{
    const struct notice *notice = of;
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

/* ---- a report ---- */

static enum card_level report_level_of(const struct trend_report *report)
{
    for (size_t i = 0; i < report->loss_count; i++)
        if (!report->losses[i].went_away)
            return CARD_BAD;
    bool needs_a_look = report->drift_count + report->suspected_count + report->quiet_count +
                            report->withdrawn_count + report->alert_count >
                        0;
    return needs_a_look ? CARD_WARN : CARD_GOOD;
}

static void more_add(struct text *out, size_t count, size_t shown)
{
    if (count > shown)
        text_addf(out, "… and %zu more\n", count - shown);
}

static void report_title_add(const void *of, struct text *out)
{
    const struct trend_report *report = of;
    if (report->name != NULL) {
        clean_add(out, report->name, NAME_CHARS, "");
        text_add(out, ": ");
    }
    clean_add(out, report->headlines.items[0], SENTENCE_CHARS, "-");
}

static void report_moves_add(const void *of, struct text *out)
{
    const struct trend_report *report = of;
    /* "MFU: pretrain 41.2 % (43.0 % before), tune 38.0 %": what managers read first. */
    for (size_t i = 0; i < report->mfu_count && i < MFU_SHOWN; i++) {
        char words[REPORT_MFU_BYTES];
        text_add(out, i == 0 ? "MFU: " : ", ");
        clean_add(out, report->mfu[i].workload, NAME_CHARS, "-");
        text_addf(out, " %s", report_mfu_text(&report->mfu[i], REPORT_MFU_BEFORE, words));
    }
    if (report->mfu_count > MFU_SHOWN)
        text_addf(out, ", and %zu more", report->mfu_count - MFU_SHOWN);
    if (report->mfu_count > 0)
        text_addc(out, '\n');
    size_t count = report->headlines.count - 1;
    for (size_t i = 0; i < count && i < LINES_SHOWN; i++) {
        text_add(out, "- ");
        clean_add(out, report->headlines.items[i + 1], SENTENCE_CHARS, "-");
        text_addc(out, '\n');
    }
    more_add(out, count, LINES_SHOWN);
}

/* Of the losses that stand. */
static void report_ops_add(const void *of, struct text *out)
{
    const struct trend_report *report = of;
    for (size_t i = 0; i < report->loss_count && i < LINES_SHOWN; i++) {
        const struct report_change *loss = &report->losses[i];
        for (size_t k = 0; !loss->went_away && k < loss->op_count && k < OPS_SHOWN; k++) {
            char delta[FORMAT_BYTES];
            text_addf(out,
                      "  %s per step: ", format_duration_delta(loss->ops[k].delta_us, 4, delta));
            clean_add(out, loss->ops[k].name, NAME_CHARS, "-");
            text_add(out, " (");
            clean_add(out, loss->workload, NAME_CHARS, "-");
            text_add(out, ")\n");
        }
    }
}

/* Since when: "pretrain: it came between 2026-11-18 and 2026-11-19", of a loss that stands. */
static void days_add(const struct report_change *loss, struct text *out)
{
    enum { DAY = 10 /* characters */ };
    bool one_day = strncmp(loss->after_utc, loss->until_utc, DAY) == 0;
    clean_add(out, loss->workload, NAME_CHARS, "-");
    text_addf(out, ": it came %s %.*s", one_day ? "on" : "between", DAY, loss->after_utc);
    if (!one_day)
        text_addf(out, " and %.*s", DAY, loss->until_utc);
    text_addc(out, '\n');
}

static void report_since_add(const void *of, struct text *out)
{
    const struct trend_report *report = of;
    for (size_t i = 0; i < report->loss_count && i < OPS_SHOWN; i++) {
        const struct report_change *loss = &report->losses[i];
        if (!loss->went_away)
            days_add(loss, out);
        for (size_t k = 0; !loss->went_away && k < loss->commit_count && k < OPS_SHOWN; k++) {
            text_addf(out, "%.8s ", loss->commits[k].sha);
            clean_add(out, loss->commits[k].subject, SENTENCE_CHARS, "");
            text_addc(out, '\n');
        }
    }
    for (size_t i = 0; i < report->suspected_count && i < OPS_SHOWN; i++) {
        const struct report_change *change = &report->suspected[i];
        char delta[FORMAT_BYTES];
        text_add(out, "suspected: ");
        clean_add(out, change->workload, NAME_CHARS, "-");
        text_addf(out, ", %s %s, %.10s to %.10s\n", measure_words(change->measure),
                  measure_change_text(change->unit, change->after - change->before,
                                      change->change_pct, delta),
                  change->after_utc, change->until_utc);
    }
    more_add(out, report->suspected_count, OPS_SHOWN);
    for (size_t i = 0; i < report->quiet_count && i < OPS_SHOWN; i++) {
        text_add(out, report->quiet[i].other_size != NULL ? "on another number of devices: "
                                                          : "stopped reporting: ");
        clean_add(out, report->quiet[i].workload, NAME_CHARS, "-");
        text_addf(out, ", its last run was on %.10s\n", report->quiet[i].last_utc);
    }
    more_add(out, report->quiet_count, OPS_SHOWN);
    if (report->alert_count > 0) {
        char alerts[FORMAT_COUNTED_BYTES];
        text_addf(out, "%s open: stepledger list alerts\n",
                  format_counted((int64_t)report->alert_count, "alert", alerts));
    }
}

static void action_add(const char *workload, const char *next, const char *command,
                       struct text *out)
{
    clean_add(out, workload, NAME_CHARS, "-");
    text_add(out, ": ");
    clean_add(out, next, SENTENCE_CHARS, "-");
    text_add(out, command != NULL ? ": " : "");
    clean_add(out, command, SENTENCE_CHARS, "");
    text_addc(out, '\n');
}

/* Of what stands: losses first, then gains, what came back and drifts, as the page has them. */
static void report_actions_add(const void *of, struct text *out)
{
    const struct trend_report *report = of;
    if (report->report != NULL)
        text_addf(out,
                  "see it all, with its pictures: stepledger report %s --format html --output "
                  "report.html\n",
                  report->report);
    const struct report_change *change;
    size_t count = 0;
    for (size_t i = 0; (change = report_change_at(report, i)) != NULL; i++)
        if (!change->went_away && count++ < ACTIONS_SHOWN)
            action_add(change->workload, change->next, change->command, out);
    for (size_t i = 0; i < report->drift_count; i++)
        if (count++ < ACTIONS_SHOWN)
            action_add(report->drifts[i].workload, report->drifts[i].next,
                       report->drifts[i].command, out);
    more_add(out, count, ACTIONS_SHOWN);
}

static struct card report_card(const struct trend_report *report, const char *link,
                               struct arena *arena)
{
    return (struct card){
        .level = report_level_of(report),
        .title = part(report_title_add, report, arena),
        .subject = report->project,
        .reasons = part(report_moves_add, report, arena),
        .ops = part(report_ops_add, report, arena),
        .since = part(report_since_add, report, arena),
        .actions = part(report_actions_add, report, arena),
        .link = link,
    };
}

/* ---- the card ---- */

struct card card_make(const struct notice *notice, struct arena *arena)
{
    if (notice->report != NULL)
        return report_card(notice->report, notice->link, arena);
    return (struct card){
        .level = level_of(notice),
        .title = part(title_add, notice, arena),
        .subject = part(subject_add, notice, arena),
        .reasons = part(reasons_add, notice, arena),
        .ops = part(ops_add, notice, arena),
        .since = part(since_add, notice, arena),
        .actions = part(actions_add, notice, arena),
        .link = notice->link,
    };
}

void card_details_add(const struct card *card, struct text *out)
{
    const char *const parts[] = {card->reasons, card->ops, card->since, card->actions};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i][0] != '\0')
            text_addf(out, "%s\n", parts[i]);
}
