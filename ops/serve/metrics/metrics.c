/* The page: one function per group of numbers. Format: Prometheus text exposition 0.0.4. */
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

/* One member of struct state_numbers for every state. */
struct state_metric {
    const char *name, *help;
    int64_t (*value)(const struct state_numbers *numbers);
    double scale;
};

static int64_t count_of(const struct state_numbers *numbers)
{
    return numbers->count;
}

static int64_t oldest_of(const struct state_numbers *numbers)
{
    return numbers->oldest_ms;
}

static int64_t recent_of(const struct state_numbers *numbers)
{
    return numbers->recent;
}

static void states_add(struct text *out, const struct state_metric *metric,
                       const struct state_table *table)
{
    head_add(out, metric->name, metric->help);
    for (size_t i = 0; i < table->count; i++) {
        char number[TEXT_DOUBLE_BYTES];
        double value = (double)metric->value(&table->items[i]) * metric->scale;
        text_addf(out, "%s{", metric->name);
        label_add(out, "state", table->items[i].state);
        text_addf(out, "} %s\n", text_double(value, number));
    }
}

static const double MS = 0.001;

enum { STATE_METRICS = 3 }; /* of everything that has states */

static const struct state_metric queue_metrics[STATE_METRICS] = {
    {"stepledger_queue_jobs", "Jobs of the queue by state.", count_of, 1},
    {"stepledger_queue_oldest_seconds", "Age of the oldest job by state.", oldest_of, MS},
    {"stepledger_queue_ended_5m", "Jobs that ended in the last five minutes.", recent_of, 1},
};

static const struct state_metric judgement_metrics[STATE_METRICS] = {
    {"stepledger_judge_candidates", "Candidates to judge by state.", count_of, 1},
    {"stepledger_judge_oldest_seconds", "Age of the oldest candidate by state.", oldest_of, MS},
    {"stepledger_judge_ended_5m", "Candidates judged in the last five minutes.", recent_of, 1},
};

static const struct state_metric outbox_metrics[STATE_METRICS] = {
    {"stepledger_outbox_messages", "Messages of the outbox by state.", count_of, 1},
    {"stepledger_outbox_oldest_seconds", "Age of the oldest message by state.", oldest_of, MS},
    {"stepledger_outbox_ended_5m", "Messages that ended in the last five minutes.", recent_of, 1},
};

/* One member of struct destination_state for every destination. */
struct destination_metric {
    const char *name, *help;
    double (*value)(const struct destination_state *state);
};

static double waiting_of(const struct destination_state *state)
{
    return (double)state->waiting;
}

static double age_of(const struct destination_state *state)
{
    return (double)state->oldest_ms * MS;
}

static double dead_of(const struct destination_state *state)
{
    return (double)state->dead;
}

static double disabled_of(const struct destination_state *state)
{
    return state->disabled;
}

static const struct destination_metric destination_metrics[] = {
    {"stepledger_destination_waiting", "Messages that are due or were tried already.", waiting_of},
    {"stepledger_destination_oldest_seconds", "How long the oldest of them waits.", age_of},
    {"stepledger_destination_dead_1d", "Messages that were given up within a day.", dead_of},
    {"stepledger_destination_disabled", "1 when it refuses everything and is left alone.",
     disabled_of},
};

static void destinations_add(struct text *out, const struct destination_metric *metric,
                             const struct destination_states *states)
{
    head_add(out, metric->name, metric->help);
    for (size_t i = 0; i < states->count; i++) {
        char number[TEXT_DOUBLE_BYTES];
        text_addf(out, "%s{", metric->name);
        label_add(out, "destination", states->items[i].name);
        text_addf(out, "} %s\n", text_double(metric->value(&states->items[i]), number));
    }
}

static void attempts_add(struct text *out, const struct destination_states *states)
{
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
    static const struct {
        const char *name, *help;
    } heads[] = {{"stepledger_worker_slots", "Jobs that a worker can run at a time."},
                 {"stepledger_worker_busy", "Jobs that a worker runs, when it was last seen."},
                 {"stepledger_worker_seen_seconds", "Time since a worker was last seen."}};
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        head_add(out, heads[h].name, heads[h].help);
        for (size_t i = 0; i < status->worker_count; i++) {
            const struct worker_state *worker = &status->workers[i];
            const double values[] = {worker->slots, worker->busy, (double)worker->seen_ms * MS};
            char number[TEXT_DOUBLE_BYTES];
            text_addf(out, "%s{", heads[h].name);
            label_add(out, "kind", worker->kind);
            text_addc(out, ',');
            label_add(out, "worker", worker->name);
            text_addf(out, "} %s\n", text_double(values[h], number));
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
    for (size_t i = 0; i < STATE_METRICS; i++)
        states_add(out, &queue_metrics[i], &status->queue);
    for (size_t i = 0; i < STATE_METRICS; i++)
        states_add(out, &judgement_metrics[i], &status->judgements);
    for (size_t i = 0; i < STATE_METRICS; i++)
        states_add(out, &outbox_metrics[i], &status->outbox);
    for (size_t i = 0; i < sizeof destination_metrics / sizeof destination_metrics[0]; i++)
        destinations_add(out, &destination_metrics[i], &status->destinations);
    attempts_add(out, &status->destinations);
    workers_add(out, status);
}
