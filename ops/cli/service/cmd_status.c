/* stepledger status: what the service does, for a person or as JSON. */
#include "history/lease/lease.h"
#include "ops/cli/alert/alert.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { DOCUMENT_MAX_BYTES = 16 << 20, SILENT_MS = 60000 };

/* The scheduler verifies weekly and hourly; one that was missed is overdue. */
static const int64_t HOUR_MS = 3600000, OVERDUE_ALL_MS = 8 * 24 * HOUR_MS,
                     OVERDUE_NEW_MS = 2 * HOUR_MS;

/* ---- text ------------------------------------------------------------------------------------ */

static void states_text(const char *title, const struct state_table *table, struct text *out)
{
    char age[AGE_BYTES];
    text_addf(out, "%-10s", title);
    for (size_t i = 0; i < table->count; i++) {
        const struct state_numbers *row = &table->items[i];
        text_addf(out, "%s%" PRId64 " %s", i == 0 ? "" : " · ", row->count, row->state);
        if (row->count > 0 &&
            (strcmp(row->state, "ready") == 0 || strcmp(row->state, "pending") == 0))
            text_addf(out, " (oldest %s)", age_text(row->oldest_ms, age));
    }
    text_addc(out, '\n');
}

static void entry_text(const char *title, char letter, struct opt_i64 id, struct opt_i64 ms,
                       struct text *out)
{
    char age[AGE_BYTES];
    if (id.set)
        harmless_line(out, "%-10s%c%" PRId64 ", %s ago", title, letter, id.value,
                      age_text(ms.value, age));
    else
        harmless_line(out, "%-10snone yet", title);
}

static void verified_add(const char *what, struct opt_i64 ms, bool found, int64_t overdue_ms,
                         struct text *out)
{
    char age[AGE_BYTES];
    text_addf(out, "%s %s%s%s%s", what, ms.set ? age_text(ms.value, age) : "never",
              ms.set ? " ago" : "", found ? " (WITH FINDINGS: `stepledger verify`)" : "",
              !ms.set || ms.value > overdue_ms ? " (overdue)" : "");
}

static void status_text(const struct service_status *status, const struct destination_page *failing,
                        struct text *out)
{
    harmless_line(out, "%-10s%s, PostgreSQL %s, %.1f MB", "database", status->database,
                  status->server_version, (double)status->database_bytes / 1e6);
    if (status->replica_lag_bytes.set)
        harmless_line(out, "%-10s%.1f MB behind", "replica",
                      (double)status->replica_lag_bytes.value / 1e6);
    entry_text("profile", 'p', status->profile_id, status->profile_ms, out);
    entry_text("verdict", 'v', status->verdict_id, status->verdict_ms, out);
    harmless_line(out, "%-10s%" PRId64 " profiles in five minutes", "rate",
                  status->recent_profiles);
    states_text("queue", &status->queue, out);
    states_text("judging", &status->judgements, out);
    states_text("outbox", &status->outbox, out);
    failing_text(failing, out);
    char age[AGE_BYTES];
    if (status->worker_count == 0)
        text_add(out,
                 "workers   none (`stepledger serve` or `stepledger work ingest` runs them)\n");
    for (size_t i = 0; i < status->worker_count; i++) {
        const struct worker_state *worker = &status->workers[i];
        harmless_line(out, "%-10s%-9s %s, %d of %d busy, seen %s ago%s", i == 0 ? "workers" : "",
                      worker->kind, worker->name, worker->busy, worker->slots,
                      age_text(worker->seen_ms, age),
                      worker->seen_ms > SILENT_MS ? ": silent" : "");
    }
    text_addf(out, "%-10s", "verified");
    verified_add("all of it", status->verified_all_ms, status->all_found, OVERDUE_ALL_MS, out);
    verified_add(", what is new", status->verified_new_ms, status->new_found, OVERDUE_NEW_MS, out);
    text_addc(out, '\n');
    if (status->failed_tasks != NULL)
        harmless_line(out, "%-10s%s", "failed", status->failed_tasks);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

struct status_shown {
    struct service_status status;
    struct destination_page failing;
    json_t *queue, *judging, *outbox; /* by state */
};

static const struct member database_members[] = {
    M_TEXT_AS("name", status_shown, status.database),
    M_TEXT_AS("server_version", status_shown, status.server_version),
    M_INT_AS("bytes", status_shown, status.database_bytes),
    M_OPT_INT_AS("replica_lag_bytes", status_shown, status.replica_lag_bytes),
};
static const struct record database_record = RECORD_OF(status_shown, database_members);

static const struct member profile_members[] = {
    M_ENTRY("id", status_shown, status.profile_id.value, 'p'),
    M_OPT_INT_AS("age_ms", status_shown, status.profile_ms),
};
static const struct record profile_record = RECORD_OF(status_shown, profile_members);

static const struct member verdict_members[] = {
    M_ENTRY("id", status_shown, status.verdict_id.value, 'v'),
    M_OPT_INT_AS("age_ms", status_shown, status.verdict_ms),
};
static const struct record verdict_record = RECORD_OF(status_shown, verdict_members);

static const struct member verified_members[] = {
    M_OPT_INT_AS("all_ms", status_shown, status.verified_all_ms),
    M_OPT_INT_AS("new_ms", status_shown, status.verified_new_ms),
    M_BOOL_AS("all_found", status_shown, status.all_found),
    M_BOOL_AS("new_found", status_shown, status.new_found),
};
static const struct record verified_record = RECORD_OF(status_shown, verified_members);

static const struct member worker_members[] = {
    M_FIELDS(worker_state, name, kind, slots, busy, seen_ms),
};
static const struct record worker_record = RECORD_OF(worker_state, worker_members);

static const struct member status_members[] = {
    M_OBJECT("database", database_record),
    M_OBJECT("last_profile", profile_record,
             .flag_offset = FIELD_AT(struct status_shown, status.profile_id.set, bool)),
    M_OBJECT("last_verdict", verdict_record,
             .flag_offset = FIELD_AT(struct status_shown, status.verdict_id.set, bool)),
    M_INT_AS("profiles_5m", status_shown, status.recent_profiles),
    M_FIELDS(status_shown, queue, judging, outbox),
    M_LIST("destinations", status_shown, failing.items, failing.count, destination_row,
           failing_record),
    M_LIST("workers", status_shown, status.workers, status.worker_count, worker_state,
           worker_record),
    M_OBJECT("verified", verified_record),
    M_TEXT_AS("failed_tasks", status_shown, status.failed_tasks),
};
static const struct record status_record = RECORD_OF(status_shown, status_members);

/* {"ready": {…}, …} */
static json_t *states_json(const struct state_table *table)
{
    json_t *object = json_object();
    for (size_t i = 0; i < table->count; i++) {
        const struct state_numbers *row = &table->items[i];
        json_t *numbers =
            json_pack("{s:I, s:o, s:I}", "count", (json_int_t)row->count, "oldest_ms",
                      row->count == 0 ? json_null() : json_integer((json_int_t)row->oldest_ms),
                      "ended_5m", (json_int_t)row->recent);
        (void)json_object_set_new(object, row->state, numbers);
    }
    return object;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool status(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    scoped_text out;
    struct status_shown shown;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (!connect_ledger(cli, &db, err) ||
        !service_status_read(db, &cli->arena, &shown.status, err) ||
        !destinations_failing(db, &cli->arena, &shown.failing, err))
        return false;
    if (strcmp(cli_text(cli, "format"), "text") == 0) {
        status_text(&shown.status, &shown.failing, &out);
        return text_ok(&out, "the status", err) && cli_write(out.data, out.length, err);
    }
    scoped_json *queue = states_json(&shown.status.queue);
    scoped_json *judging = states_json(&shown.status.judgements);
    scoped_json *outbox = states_json(&shown.status.outbox);
    shown.queue = queue;
    shown.judging = judging;
    shown.outbox = outbox;
    return record_emit(&status_record, &shown, err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "text|json", "text", "what to print"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_status = {
    .name = "status",
    .line = "what the service does: queue, workers, outbox, database",
    .operands = "",
    .options = options,
    .details =
        "Jobs and messages by state with the age of the oldest that wait, destinations that\n"
        "take nothing, the workers and when each was last seen, the last profile and verdict,\n"
        "when the scheduler last verified the ledger, the database and how far its replicas are\n"
        "behind.\n\n"
        "exit: 0 shown · 2 usage · 69 database away",
    .run = status,
};
