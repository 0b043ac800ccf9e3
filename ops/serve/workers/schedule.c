/* The table of tasks and its loop. When a task was last done stands in the database. */
#include "ops/serve/workers/workers.h"

#include "history/lease/lease.h"
#include "history/profiles/profiles.h"
#include "ops/flow/reports/reports.h"
#include "ops/flow/tell/tell.h"
#include "ops/flow/trends/trends.h"
#include "ops/flow/trust/trust.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/serve/process/process.h"
#include "ops/serve/workers/alert_upkeep.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t MINUTE_MS = 60000;
static const int64_t HOUR_MS = 60 * MINUTE_MS;
static const int64_t DAY_MS = 24 * HOUR_MS;

enum { OUTCOME_BYTES = 200, CHECKPOINT_BYTES_MAX = 256 << 20 };

struct task {
    const char *name;
    int64_t every_ms;
    bool claims_parts; /* what is due in it is claimed by itself */
    /* outcome[OUTCOME_BYTES] says in a few words what was done; "" = nothing worth a line. */
    bool (*run)(struct db *db, const struct conf *conf, char *outcome, struct err *err);
    /* Or how many of `counted` were, where that is all there is to say. */
    bool (*count)(struct db *db, const struct conf *conf, int64_t *ret_count, struct err *err);
    const char *counted;
};

/* Finished jobs leave the queue; their profiles and verdicts are in the ledger. */
static bool queue_trim(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    int64_t count, judged, age_ms = conf_int(conf, CONF_queue_keep_days) * DAY_MS;
    if (!queue_forget(db, age_ms, &count, err) || !judgement_forget(db, age_ms, &judged, err))
        return false;
    (void)snprintf(outcome, OUTCOME_BYTES, "%" PRId64 " jobs, %" PRId64 " candidates", count,
                   judged);
    return true;
}

/* Finished messages leave the outbox; their receipts are in the ledger. */
static bool outbox_trim(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    int64_t count;
    if (!outbox_forget(db, conf_int(conf, CONF_outbox_keep_days) * DAY_MS, &count, err))
        return false;
    (void)snprintf(outcome, OUTCOME_BYTES, "%" PRId64 " messages", count);
    return true;
}

/* What was appended before it cannot be cut off unseen. */
static bool checkpoint_write(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    bool is_new;
    struct checkpoint checkpoint;
    scoped_arena arena;
    arena_init(&arena, CHECKPOINT_BYTES_MAX);
    if (!checkpoint_make(db, conf, &arena, &checkpoint, &is_new, err))
        return false;
    (void)snprintf(outcome, OUTCOME_BYTES, "%s",
                   !is_new                        ? "nothing was appended"
                   : checkpoint.signature != NULL ? "written and signed"
                                                  : "written");
    return true;
}

/* Appends make their month themselves when it is missing; ahead of time nobody has to wait. */
static bool month_prepare(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    bool is_new;
    (void)conf;
    if (!months_prepare(db, &is_new, err))
        return false;
    (void)snprintf(outcome, OUTCOME_BYTES, "%s", is_new ? "made" : "there already");
    return true;
}

/* What moved on its own is appended; where it has lasted, the baseline begins anew with it. */
static bool changes_mark(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    struct trends_marked marked;
    if (!trends_mark(db, conf, &marked, err))
        return false;
    if (marked.added + marked.confirmed + marked.withdrawn > 0)
        (void)snprintf(outcome, OUTCOME_BYTES,
                       "%" PRId64 " found, %" PRId64 " confirmed, %" PRId64 " withdrawn",
                       marked.added, marked.confirmed, marked.withdrawn);
    return true;
}

static bool reports_make(struct db *db, const struct conf *conf, int64_t *ret_count,
                         struct err *err)
{
    return reports_issue(db, conf, clock_wall_us(), ret_count, err);
}

/* A finding is told and makes the task one that failed, which `status` shows. */
static bool report_end(struct db *db, const struct conf *conf, const struct verify_report *report,
                       char *outcome, struct err *err)
{
    if (report == NULL || report->finding_count == 0) {
        if (report != NULL)
            (void)snprintf(outcome, OUTCOME_BYTES, "%" PRId64 " entries, clean",
                           report->entry_count);
        return true;
    }
    const struct verify_finding *first = &report->findings[0];
    return alert_findings_tell(db, conf, report, err) &&
           err_set(err, ERR_INPUT, "verifying found %" PRId64 " things, the first: %s%s%.300s",
                   report->finding_count, first->entry != NULL ? first->entry : "",
                   first->entry != NULL ? ": " : "", first->what != NULL ? first->what : "");
}

static bool new_verify(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    struct verify_report *report;
    scoped_arena arena;
    arena_init(&arena, CHECKPOINT_BYTES_MAX);
    const struct verifying verifying = {conf, db, &arena};
    return verifying_new(&verifying, &report, err) && report_end(db, conf, report, outcome, err);
}

static bool all_verify(struct db *db, const struct conf *conf, char *outcome, struct err *err)
{
    struct verify_report *report;
    scoped_arena arena;
    static const struct verify_against nothing;
    arena_init(&arena, CHECKPOINT_BYTES_MAX);
    const struct verifying verifying = {conf, db, &arena};
    return verifying_run(&verifying, &nothing, &report, err) &&
           report_end(db, conf, report, outcome, err);
}

/* In this order: what is verified as a whole is verified up to a checkpoint, behind which the next
 * verification of what is new begins. */
static const struct task tasks[] = {
    {"reminders", MINUTE_MS, false, NULL, notify_remind, "reminders"},
    {"gone_branches", HOUR_MS, false, NULL, notify_gone, "alerts"},
    {"checkpoint", 15 * MINUTE_MS, false, checkpoint_write, NULL, NULL},
    {"verify", HOUR_MS, false, new_verify, NULL, NULL},
    {"verify_all", 7 * DAY_MS, false, all_verify, NULL, NULL},
    {"queue_trim", HOUR_MS, false, queue_trim, NULL, NULL},
    {"outbox_trim", HOUR_MS, false, outbox_trim, NULL, NULL},
    {"months", DAY_MS, false, month_prepare, NULL, NULL},
    {"changes", DAY_MS, false, changes_mark, NULL, NULL},
    {"reports", MINUTE_MS, true, NULL, reports_make, "reports"},
};

/* ret_kind: ERR_NONE, or why the task failed. */
static bool task_run(struct db *db, const struct conf *conf, const struct task *task, bool once,
                     enum err_kind *ret_kind, struct err *err)
{
    bool mine;
    char outcome[OUTCOME_BYTES] = "";
    struct err failure = {0};
    int64_t every_ms = once && task->claims_parts ? 0 : task->every_ms;
    *ret_kind = ERR_NONE;
    if (!schedule_claim(db, task->name, every_ms, &mine, err))
        return false;
    if (!mine)
        return true;
    int64_t count = 0;
    bool done = task->run != NULL ? task->run(db, conf, outcome, &failure)
                                  : task->count(db, conf, &count, &failure);
    if (done && count > 0)
        (void)snprintf(outcome, OUTCOME_BYTES, "%" PRId64 " %s", count, task->counted);
    *ret_kind = done ? ERR_NONE : failure.kind;
    /* What waits for its next try was said in a loop when it failed. */
    bool waits = failure.kind == ERR_CONFLICT && failure.sqlstate[0] == '\0';
    if (done)
        log_event(outcome[0] == '\0' ? LOG_DEBUG : LOG_INFO, LOG_task_done, "task", task->name,
                  "outcome", outcome, NULL);
    else
        log_event(!waits ? LOG_ERROR
                  : once ? LOG_WARN
                         : LOG_DEBUG,
                  LOG_task_failed, "task", task->name, "why", failure.text, NULL);
    return schedule_end(db, task->name, done ? NULL : failure.text,
                        done || !attempt_may_pass(&failure), err);
}

bool schedule_once(struct db *db, const struct conf *conf, struct err *err)
{
    const char *failed = NULL;
    enum err_kind kind, first = ERR_NONE;
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        if (!task_run(db, conf, &tasks[i], true, &kind, err))
            return false;
        if (kind != ERR_NONE && failed == NULL)
            failed = tasks[i].name, first = kind;
    }
    return failed == NULL ||
           err_set(err, first, "not all that was due is done: see why '%s' failed above", failed);
}

static bool tasks_do(const struct service_loop *loop, struct db *db, const char *name,
                     struct err *err)
{
    (void)name;
    enum err_kind ignored; /* it is logged */
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        if (!task_run(db, loop->conf, &tasks[i], false, &ignored, err))
            return false;
    return true;
}

bool schedule_run(const struct conf *conf, const char *conninfo, struct err *err)
{
    const struct service_loop loop = {
        .kind = "schedule", .conf = conf, .conninfo = conninfo, .turn = tasks_do};
    return service_loop_run(&loop, err);
}
