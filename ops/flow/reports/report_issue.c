/* The story of a report that is due: claimed, made, recorded, put into the outbox. */
#include "ops/flow/reports/report_issue.h"

#include "alerts/channels.h"
#include "alerts/destination.h"
#include "alerts/route.h"
#include "history/lease/lease.h"
#include "history/reading/reading.h"
#include "history/reports/reports.h"
#include "ops/flow/reports/reports.h"
#include "ops/present/trend_report/trend_report.h"
#include "ops/runtime/json.h"

#include <stdio.h>
#include <string.h>

static const int64_t MINUTE_MS = 60000, DAY_MS = INT64_C(86400000);
enum {
    PICTURES_SENT = 6,
    PAGE_MAX_BYTES = 64 << 20,
    RETRY_MINUTES = 5,
    TOLD_FOR_DAYS = 3 /* on Monday what was of Friday is still news */
};

struct issue {
    struct db *db;
    const struct conf *conf;
    const struct report_section *section;
    struct arena *arena;
    int64_t due_us; /* the end of its period */
};

/* From where the last one ended, at the latest: what a stopped scheduler missed is told. The first
 * one waits for a period that ends behind the project's first run: before it there is nothing. */
static bool period_find(const struct issue *issue, int64_t *ret_since_us, bool *ret_due,
                        struct err *err)
{
    struct opt_i64 last, first = {0};
    const struct report_section *section = issue->section;
    if (!ledger_report_last(issue->db, section->project, section->name, &last, err) ||
        (!last.set && !ledger_project_first(issue->db, section->project, &first, err)))
        return false;
    *ret_due = last.set ? last.value < issue->due_us : !first.set || first.value < issue->due_us;
    *ret_since_us = report_period_begin(issue->due_us, section->period);
    if (last.set && last.value < *ret_since_us)
        *ret_since_us = last.value;
    return true;
}

/* The first pictures, for a mail; none where there is nobody to draw them. */
static bool pictures_draw(const struct issue *issue, const struct trend_report *report,
                          struct notice *notice, struct err *err)
{
    struct err why = {0};
    struct report_picture *drawn;
    if (!trend_report_pictures(report, PICTURES_SENT, issue->arena, &drawn, &notice->picture_count,
                               &why)) {
        notice->picture_count = 0;
        *err = why;
        return why.kind == ERR_UNAVAILABLE;
    }
    struct notice_picture *pictures =
        arena_array(issue->arena, struct notice_picture, notice->picture_count);
    for (size_t i = 0; i < notice->picture_count; i++)
        pictures[i] = (struct notice_picture){drawn[i].name, drawn[i].title, drawn[i].bytes,
                                              drawn[i].byte_count};
    notice->pictures = pictures;
    return true;
}

static bool page_print(const struct trend_report *report, const char *name, struct text *out,
                       struct err *err)
{
    if (strcmp(name, "report.md") == 0)
        return trend_report_markdown(report, out, err);
    if (strcmp(name, "report.html") == 0)
        return trend_report_html(report, out, err);
    scoped_json *root = trend_report_to_json(report);
    json_print(root, JSON_STYLE_INDENTED, out);
    return true;
}

/* The report in each form that somebody reads where records are kept: the bytes that `report rp7`
 * prints. */
static bool pages_print(const struct issue *issue, const struct trend_report *report,
                        struct notice *notice, struct err *err)
{
    static const struct notice_page kinds[] = {{"report.html", "text/html", NULL},
                                               {"report.json", "application/json", NULL},
                                               {"report.md", "text/markdown", NULL}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    struct notice_page *pages = arena_array(issue->arena, struct notice_page, KINDS);
    for (size_t i = 0; i < KINDS; i++) {
        scoped_text out;
        text_init(&out, PAGE_MAX_BYTES);
        pages[i] = kinds[i];
        if (!page_print(report, kinds[i].name, &out, err))
            return false;
        text_addc(&out, '\n');
        if (!text_ok(&out, "a page of the report", err))
            return false;
        pages[i].text = text_keep(&out, issue->arena);
    }
    notice->pages = pages;
    notice->page_count = KINDS;
    return true;
}

static bool message_enqueue(const struct issue *issue, const struct trend_report *report,
                            const char *name, struct err *err)
{
    bool is_new;
    struct destination to;
    struct message built;
    const struct channel *channel;
    char dedupe[SHA256_HEX_BYTES];
    const char *parts[] = {"report", report->project, report->name, report->until_utc, name};
    struct notice notice = {.report = report};
    if (!destination_find(issue->conf, name, issue->arena, &to, err) ||
        !channel_find(to.kind, &channel, err))
        return false;
    if (channel->shows_state)
        return err_set(err, ERR_USAGE,
                       "report '%s' goes to '%s', a %s, which shows the state of a commit: a "
                       "report has no place there",
                       report->name, name, to.kind);
    if ((channel->is_mail && !pictures_draw(issue, report, &notice, err)) ||
        (channel->keeps_record && !pages_print(issue, report, &notice, err)))
        return false;
    if (!message_build(&notice, &to, issue->arena, &built, err))
        return false;
    message_digest(parts, sizeof parts / sizeof parts[0], dedupe);
    const struct outbox_message message = {
        .destination = to.name,
        .order_key = "reports",
        .dedupe_key = dedupe,
        .content_type = built.content_type,
        .body = built.body,
        .body_length = built.length,
        .max_attempts = (int)conf_int(issue->conf, CONF_delivery_attempts),
        .lifetime_ms = channel->keeps_record ? RECORD_LIFETIME_MS : TOLD_FOR_DAYS * DAY_MS,
        .headline = report->headlines.items[0],
        .standalone = true,
    };
    return outbox_enqueue(issue->db, 0, &message, &is_new, err);
}

static bool record_and_tell(const struct issue *issue, struct trend_report *report, bool *ret_new,
                            struct err *err)
{
    const char *rest = issue->section->to;
    scoped_transaction *open = NULL;
    if (!transaction_open(issue->db, &open, err) ||
        !report_record_within(issue->db, report, issue->arena, ret_new, err))
        return false;
    for (char *name;
         *ret_new && rest != NULL && (name = route_next_name(&rest, issue->arena)) != NULL;)
        if (!message_enqueue(issue, report, name, err))
            return false;
    return transaction_close(&open, err);
}

static bool section_issue(const struct issue *issue, int64_t since_us, int64_t now_us,
                          bool *ret_new, struct err *err)
{
    struct trend_report report;
    const struct report_section *section = issue->section;
    bool all = section->branch != NULL && strcmp(section->branch, "*") == 0;
    const struct report_request request = {
        .name = section->name,
        .project = section->project,
        .workloads = section->workloads,
        .branch = all                       ? NULL
                  : section->branch != NULL ? section->branch
                                            : conf_text(issue->conf, CONF_judge_baseline_branch),
        .measure = section->measure,
        .policy =
            section->policy != NULL ? section->policy : conf_text(issue->conf, CONF_judge_policy),
        .repository = section->repository,
        .conf = issue->conf,
        .since_us = since_us,
        .until_us = issue->due_us,
        .made_us = now_us,
        .canary_count = REPORT_CANARIES,
    };
    return report_make(issue->db, &request, issue->arena, &report, err) &&
           arena_ok(issue->arena, "a report", err) && record_and_tell(issue, &report, ret_new, err);
}

/* Those that failed are named one after the other; the kind is that of the first, and that one
 * waits is no failure of its own. */
static void failure_add(struct err *all, enum err_kind kind, const char *text)
{
    size_t length = strlen(all->text);
    if (length == 0 || (all->kind == ERR_CONFLICT && kind != ERR_CONFLICT))
        all->kind = kind;
    (void)snprintf(all->text + length, sizeof all->text - length, "%s%s", length > 0 ? "; " : "",
                   text);
}

static bool waiting_add(const struct issue *issue, const char *task, enum err_kind kind,
                        struct err *failures, struct err *err)
{
    const char *words;
    if (!schedule_wait_words(issue->db, task, RETRY_MINUTES * MINUTE_MS, issue->arena, &words, err))
        return false;
    failure_add(failures, kind,
                arena_printf(issue->arena, "report '%s' waits %s", issue->section->name, words));
    return true;
}

/* One of the schedulers has the claim; the unique name and time of reports is what counts. */
static bool section_try(const struct issue *issue, int64_t now_us, int64_t *count,
                        struct err *failures, struct err *err)
{
    int64_t since_us;
    bool due, mine, is_new = false;
    struct err failure = {0};
    const char *task = arena_printf(issue->arena, "report %s", issue->section->name);
    if (!period_find(issue, &since_us, &due, err) ||
        (due && !schedule_claim_due(issue->db, task, RETRY_MINUTES * MINUTE_MS, &mine, err)))
        return false;
    if (!due)
        return true;
    if (!mine)
        return waiting_add(issue, task, ERR_CONFLICT, failures, err);
    bool done = section_issue(issue, since_us, now_us, &is_new, &failure);
    *count += is_new;
    return schedule_end(issue->db, task, done ? NULL : failure.text, true, err) &&
           (done || waiting_add(issue, task, failure.kind, failures, err));
}

bool reports_issue(struct db *db, const struct conf *conf, int64_t now_us, int64_t *ret_count,
                   struct err *err)
{
    scoped_arena names, arena;
    struct err failure = {0};
    struct report_section_list list;
    conf_memory_arena(conf, &names);
    conf_memory_arena(conf, &arena);
    *ret_count = 0;
    if (!report_sections_read(conf, &names, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].fault != NULL) {
            failure_add(&failure, ERR_USAGE, list.items[i].fault);
            continue;
        }
        struct arena_mark mark = arena_mark(&arena);
        const struct issue issue = {.db = db,
                                    .conf = conf,
                                    .section = &list.items[i],
                                    .arena = &arena,
                                    .due_us = cron_last(&list.items[i].cron, now_us)};
        if (!section_try(&issue, now_us, ret_count, &failure, err))
            return false;
        arena_rewind(&arena, mark);
    }
    if (failure.text[0] == '\0')
        return true;
    *err = failure;
    return false;
}
