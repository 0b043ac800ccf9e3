/* The page: a table of names per group of numbers. Format: Prometheus text exposition 0.0.4. */
#include "ops/serve/metrics/metrics.h"

#include <inttypes.h>

static void head_add(struct text *out, const char *name, const char *help)
{
    text_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void gauge_add(struct text *out, const char *name, const char *help, double value)
{
    char number[TEXT_DOUBLE_BYTES];
    head_add(out, name, help);
    text_addf(out, "%s %s\n", name, text_double(value, number));
}

static void optional_add(struct text *out, const char *name, const char *help, struct opt_i64 value,
                         double scale)
{
    if (value.set)
        gauge_add(out, name, help, (double)value.value * scale);
}

/* Label values are our own words, host names and names of the configuration; quotes and backslashes
 * are escaped all the same.
 */
static void label_add(struct text *out, const char *name, const char *value)
{
    text_addf(out, "%s=\"", name);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            text_addc(out, '\\');
        if ((unsigned char)*value >= ' ')
            text_addc(out, *value);
    }
    text_addc(out, '"');
}

/* One number of a family: `name{label="value",label="value"} number`; labels end with NULL. */
static void sample_add(struct text *out, const char *name, const char *const *labels, double value)
{
    char number[TEXT_DOUBLE_BYTES];
    text_add(out, name);
    for (const char *const *label = labels; *label != NULL; label += 2) {
        text_addc(out, label == labels ? '{' : ',');
        label_add(out, label[0], label[1]);
    }
    text_addf(out, "} %s\n", text_double(value, number));
}

static const double MS = 0.001;

struct head {
    const char *name, *help;
};

/* What is counted of everything that has states, for every state. */
enum { STATE_METRICS = 3 };

static void states_add(struct text *out, const struct head heads[STATE_METRICS],
                       const struct state_table *table)
{
    for (size_t h = 0; h < STATE_METRICS; h++) {
        head_add(out, heads[h].name, heads[h].help);
        for (size_t i = 0; i < table->count; i++) {
            const struct state_numbers *state = &table->items[i];
            const double values[STATE_METRICS] = {
                (double)state->count, (double)state->oldest_ms * MS, (double)state->recent};
            sample_add(out, heads[h].name, (const char *const[]){"state", state->state, NULL},
                       values[h]);
        }
    }
}

static const struct head queue_heads[STATE_METRICS] = {
    {"stepledger_queue_jobs", "Jobs of the queue by state."},
    {"stepledger_queue_oldest_seconds", "Age of the oldest job by state."},
    {"stepledger_queue_ended_5m", "Jobs that ended in the last five minutes."},
};

static const struct head judgement_heads[STATE_METRICS] = {
    {"stepledger_judge_candidates", "Candidates to judge by state."},
    {"stepledger_judge_oldest_seconds", "Age of the oldest candidate by state."},
    {"stepledger_judge_ended_5m", "Candidates judged in the last five minutes."},
};

static const struct head outbox_heads[STATE_METRICS] = {
    {"stepledger_outbox_messages", "Messages of the outbox by state."},
    {"stepledger_outbox_oldest_seconds", "Age of the oldest message by state."},
    {"stepledger_outbox_ended_5m", "Messages that ended in the last five minutes."},
};

static void destinations_add(struct text *out, const struct destination_states *states)
{
    static const struct head heads[] = {
        {"stepledger_destination_waiting", "Messages that are due or were tried already."},
        {"stepledger_destination_oldest_seconds", "How long the oldest of them waits."},
        {"stepledger_destination_dead_1d", "Messages that were given up within a day."},
        {"stepledger_destination_disabled", "1 when it refuses everything and is left alone."},
    };
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        head_add(out, heads[h].name, heads[h].help);
        for (size_t i = 0; i < states->count; i++) {
            const struct destination_state *state = &states->items[i];
            const double values[] = {(double)state->waiting, (double)state->oldest_ms * MS,
                                     (double)state->dead, state->disabled};
            sample_add(out, heads[h].name, (const char *const[]){"destination", state->name, NULL},
                       values[h]);
        }
    }
    static const char name[] = "stepledger_deliveries_5m";
    head_add(out, name, "Attempts to deliver by how they ended, in the last five minutes.");
    for (size_t i = 0; i < states->count; i++) {
        for (int outcome = 0; outcome < RECEIPT_OUTCOME_COUNT; outcome++) {
            text_addf(out, "%s{", name);
            label_add(out, "destination", states->items[i].name);
            text_addc(out, ',');
            label_add(out, "outcome", receipt_outcome_names[outcome]);
            text_addf(out, "} %" PRId64 "\n", states->items[i].attempts[outcome]);
        }
    }
}

static void workers_add(struct text *out, const struct service_status *status)
{
    static const struct head heads[] = {
        {"stepledger_worker_slots", "Jobs that a worker can run at a time."},
        {"stepledger_worker_busy", "Jobs that a worker runs, when it was last seen."},
        {"stepledger_worker_seen_seconds", "Time since a worker was last seen."}};
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        head_add(out, heads[h].name, heads[h].help);
        for (size_t i = 0; i < status->worker_count; i++) {
            const struct worker_state *worker = &status->workers[i];
            const double values[] = {worker->slots, worker->busy, (double)worker->seen_ms * MS};
            sample_add(out, heads[h].name,
                       (const char *const[]){"kind", worker->kind, "worker", worker->name, NULL},
                       values[h]);
        }
    }
}

void metrics_write(const struct service_status *status, bool up, struct text *out)
{
    gauge_add(out, "stepledger_database_up", "1 when the database answers.", up);
    if (!up)
        return;
    gauge_add(out, "stepledger_database_bytes", "Size of the ledger's database.",
              (double)status->database_bytes);
    gauge_add(out, "stepledger_profiles_stored_5m", "Profiles stored in the last five minutes.",
              (double)status->recent_profiles);
    optional_add(out, "stepledger_last_profile_seconds", "Time since the last profile.",
                 status->profile_ms, MS);
    optional_add(out, "stepledger_last_verdict_seconds", "Time since the last verdict.",
                 status->verdict_ms, MS);
    optional_add(out, "stepledger_replica_lag_bytes", "WAL that the farthest replica lacks.",
                 status->replica_lag_bytes, 1);
    optional_add(out, "stepledger_verified_all_seconds",
                 "Time since the whole ledger was verified.", status->verified_all_ms, MS);
    optional_add(out, "stepledger_verified_new_seconds",
                 "Time since what was new in the ledger was verified.", status->verified_new_ms,
                 MS);
    gauge_add(out, "stepledger_verified_with_findings",
              "1 when verifying the ledger, all of it or what is new, found things the last time.",
              status->all_found || status->new_found);
    gauge_add(out, "stepledger_tasks_failed", "1 when a regular task failed the last time.",
              status->failed_tasks != NULL);
    states_add(out, queue_heads, &status->queue);
    states_add(out, judgement_heads, &status->judgements);
    states_add(out, outbox_heads, &status->outbox);
    destinations_add(out, &status->destinations);
    workers_add(out, status);
}
