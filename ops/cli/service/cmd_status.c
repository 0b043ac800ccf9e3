/* stepledger status: what the service does, for a person or as JSON. */
#include "history/lease/lease.h"
#include "ops/cli/alert/alert.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <stdio.h>
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

static json_t *optional_json(struct opt_i64 value)
{
    return value.set ? json_integer((json_int_t)value.value) : json_null();
}

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

static json_t *workers_json(const struct service_status *status)
{
    json_t *list = json_array();
    for (size_t i = 0; i < status->worker_count; i++) {
        const struct worker_state *worker = &status->workers[i];
        (void)json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:I}", "name",
                                                    worker->name, "kind", worker->kind, "slots",
                                                    worker->slots, "busy", worker->busy, "seen_ms",
                                                    (json_int_t)worker->seen_ms));
    }
    return list;
}

static json_t *entry_json(char letter, struct opt_i64 id, struct opt_i64 ms)
{
    char name[24];
    (void)snprintf(name, sizeof name, "%c%" PRId64, letter, id.value);
    return id.set ? json_pack("{s:s, s:o}", "id", name, "age_ms", optional_json(ms)) : json_null();
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool status_print(struct cli *cli, const struct service_status *status,
                         const struct destination_page *failing, struct err *err)
{
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    if (strcmp(cli_text(cli, "format"), "text") == 0) {
        status_text(status, failing, &out);
        return text_ok(&out, "the status", err) && cli_write(out.data, out.length, err);
    }
    scoped_json *document = json_pack(
        "{s:{s:s, s:s, s:I, s:o}, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:o, s:o, s:b, s:b}, s:o}",
        "database", "name", status->database, "server_version", status->server_version, "bytes",
        (json_int_t)status->database_bytes, "replica_lag_bytes",
        optional_json(status->replica_lag_bytes), "last_profile",
        entry_json('p', status->profile_id, status->profile_ms), "last_verdict",
        entry_json('v', status->verdict_id, status->verdict_ms), "profiles_5m",
        (json_int_t)status->recent_profiles, "queue", states_json(&status->queue), "judging",
        states_json(&status->judgements), "outbox", states_json(&status->outbox), "destinations",
        failing_json(failing), "workers", workers_json(status), "verified", "all_ms",
        optional_json(status->verified_all_ms), "new_ms", optional_json(status->verified_new_ms),
        "all_found", status->all_found, "new_found", status->new_found, "failed_tasks",
        json_text(status->failed_tasks));
    if (document == NULL)
        return err_set_memory(err, "no memory for the status");
    json_print(document, JSON_STYLE_INDENTED, &out);
    return cli_emit(NULL, &out, err);
}

static int run_status(struct cli *cli)
{
    struct err err = {0};
    scoped_db *db = NULL;
    struct service_status status;
    struct destination_page failing;
    if (connect_ledger(cli, &db, &err) && service_status_read(db, &cli->arena, &status, &err) &&
        destinations_failing(db, &cli->arena, &failing, &err) &&
        status_print(cli, &status, &failing, &err))
        return EXIT_OK;
    return cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "text|json", "text", "what to print", false},
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
    .run = run_status,
};
