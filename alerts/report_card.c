/* Makes cards out of reports: what needs somebody comes first, each list cut to what a screen
 * holds. */
#include "alerts/report_card.h"

#include "ops/runtime/text.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/measures.h"

#include <string.h>

enum {
    PART_MAX_BYTES = 64 << 10,
    LINES_SHOWN = 6,
    OPS_SHOWN = 3,
    ACTIONS_SHOWN = 5,
    MFU_SHOWN = 4,
    SENTENCE_CHARS = 300,
    NAME_CHARS = 80
};

static enum card_level level_of(const struct trend_report *report)
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

static void title_add(const struct trend_report *report, struct text *out)
{
    if (report->name != NULL) {
        clean_add(out, report->name, NAME_CHARS, "");
        text_add(out, ": ");
    }
    clean_add(out, report->headlines.items[0], SENTENCE_CHARS, "-");
}

static void moves_add(const struct trend_report *report, struct text *out)
{
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
static void ops_add(const struct trend_report *report, struct text *out)
{
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

static void rest_add(const struct trend_report *report, struct text *out)
{
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
static void actions_add(const struct trend_report *report, struct text *out)
{
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

static const char *part(void (*write)(const struct trend_report *report, struct text *out),
                        const struct trend_report *report, struct arena *arena)
{
    scoped_text out;
    text_init(&out, PART_MAX_BYTES);
    write(report, &out);
    while (out.length > 0 && out.data[out.length - 1] == '\n')
        out.length--;
    return text_keep(&out, arena);
}

bool report_card_make(const struct trend_report *report, const char *link, struct arena *arena,
                      struct card *ret_card, struct err *err)
{
    const struct card card = {
        .level = level_of(report),
        .title = part(title_add, report, arena),
        .subject = report->project,
        .reasons = part(moves_add, report, arena),
        .ops = part(ops_add, report, arena),
        .since = part(rest_add, report, arena),
        .actions = part(actions_add, report, arena),
        .link = link,
    };
    if (card.title == NULL || card.reasons == NULL || card.ops == NULL || card.since == NULL ||
        card.actions == NULL)
        return arena_failed(arena, "a message", err);
    *ret_card = card;
    return true;
}
