/* Implements the planned summaries. */
#include "tests/support/summary_fixture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ps_per_us = 1e6;

void summary_plan_default(struct summary_plan *plan)
{
    *plan = (struct summary_plan){
        .device_type = "TPU v5e",
        .device_count = 4,
        .host_count = 1,
        .first_step = 100,
        .steps = 20,
        .step_us = 10000,
        .slow_factor = 1,
        .seed = 1,
    };
}

/* splitmix64 (Steele, Lea, Flood 2014) to a number in (0, 1). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

double fixture_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * M_PI * uniform(state));
}

static void *must(void *memory)
{
    assert(memory != NULL);
    return memory;
}

static int order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Quantile of sorted values, linear between neighbours. */
static double quantile(const double *sorted, int64_t count, double q)
{
    double position = (double)(count - 1) * q;
    int64_t low = (int64_t)position, high = low + 1 < count ? low + 1 : low;
    double weight = position - (double)low;
    return sorted[low] * (1 - weight) + sorted[high] * weight;
}

static double device_factor(const struct summary_plan *plan, int64_t device)
{
    return device == plan->device_count - 1 ? plan->slow_factor : 1;
}

static void steps_make(struct arena *arena, const struct summary_plan *plan,
                       struct summary *summary)
{
    struct step_table *table = &summary->steps;
    table->method = plan->steps > 0 ? STEPS_LINE : STEPS_NONE;
    table->rows = must(arena_array(arena, struct step_row, (size_t)plan->steps));
    double *steady = must(arena_array(arena, double, (size_t)plan->steps));
    uint64_t state = plan->seed;
    double noise = 0;
    for (int64_t i = 0; i < plan->steps; i++) {
        struct step_row *row = &table->rows[table->count++];
        noise = plan->rho * noise + sqrt(1 - plan->rho * plan->rho) * fixture_normal(&state);
        double trend = plan->steps > 1 ? (double)i / (double)(plan->steps - 1) : 0;
        double us = plan->step_us * (1 + plan->step_sd * noise) * (1 + plan->drift * trend);
        row->number = plan->first_step + i;
        row->warmup = i < plan->warmup;
        row->spans = must(arena_array(arena, struct step_span, (size_t)plan->device_count));
        for (int64_t d = 0; d < plan->device_count; d++) {
            int64_t ps = llround(us * device_factor(plan, d) * ps_per_us);
            row->spans[row->span_count++] =
                (struct step_span){(uint32_t)d, i * llround(2 * us * ps_per_us), ps};
            row->mean_ps += ps / plan->device_count;
            if (ps > row->max_ps) {
                row->max_ps = ps;
                row->slowest = (uint32_t)d;
            }
        }
        row->has_period = plan->wait_us > 0 && i + 1 < plan->steps;
        row->period_ps = row->has_period ? row->max_ps + llround(plan->wait_us * ps_per_us) : 0;
        if (!row->warmup)
            steady[table->steady_count++] = (double)row->max_ps / ps_per_us;
    }
    table->steady_spans = table->steady_count * plan->device_count;
    qsort(steady, (size_t)table->steady_count, sizeof *steady, order);
    if (table->steady_count > 0) {
        table->steady_median_us = some_f64(quantile(steady, table->steady_count, 0.5));
        table->steady_p90_us = some_f64(quantile(steady, table->steady_count, 0.9));
    }
}

static double mean_span_us(const struct step_table *table)
{
    double sum = 0;
    for (size_t i = 0; i < table->count; i++) {
        for (size_t j = 0; !table->rows[i].warmup && j < table->rows[i].span_count; j++)
            sum += (double)table->rows[i].spans[j].duration_ps / ps_per_us;
    }
    return table->steady_spans > 0 ? sum / (double)table->steady_spans : 0;
}

static void ops_make(struct arena *arena, const struct summary_plan *plan, struct summary *summary)
{
    const struct step_table *steps = &summary->steps;
    double busy = 0;
    summary->ops = must(arena_array(arena, struct op_row, plan->op_count));
    for (size_t i = 0; i < plan->op_count; i++) {
        const struct planned_op *planned = &plan->ops[i];
        int64_t self = llround(planned->us * ps_per_us) * steps->steady_spans;
        summary->ops[summary->op_count++] = (struct op_row){
            .signature = planned->signature,
            .name = planned->name,
            .category = "compute",
            .opcode = strncmp(planned->name, "fusion.", 7) == 0 ? "fusion" : NULL,
            .phase = "forward",
            .op_path = planned->op_path,
            .count = steps->steady_spans,
            .device_count = plan->device_count,
            .total_ps = self,
            .self_ps = self,
            .steady_count = steps->steady_spans,
            .steady_self_ps = self,
        };
        busy += planned->us;
    }
    summary->coverage.steady_idle_us_per_step =
        steps->steady_spans > 0 ? mean_span_us(steps) - busy : 0;
}

/* Busy is what the plan's ops take; without ops, nine tenths. */
static int64_t device_busy_ps(const struct summary_plan *plan, int64_t window)
{
    double us = 0;
    for (size_t i = 0; i < plan->op_count; i++)
        us += plan->ops[i].us;
    int64_t busy = llround(us * (double)plan->steps * ps_per_us);
    return plan->op_count == 0 || busy > window ? window / 10 * 9 : busy;
}

static void devices_make(struct arena *arena, const struct summary_plan *plan,
                         struct summary *summary)
{
    summary->devices = must(arena_array(arena, struct device_row, (size_t)plan->device_count));
    for (int64_t d = 0; d < plan->device_count; d++) {
        double us = plan->step_us * device_factor(plan, d);
        int64_t window = llround(us * (double)plan->steps * ps_per_us);
        int64_t busy = device_busy_ps(plan, window);
        summary->devices[summary->device_count++] = (struct device_row){
            .name = must(arena_printf(arena, "/device:TPU:%lld", (long long)d)),
            .window_ps = window,
            .busy_ps = busy,
            .idle_ps = window - busy,
            .compute_ps = busy - window / 10,
            .exposed_comm_ps = window / 10,
            .steady_step_median_ps = summary->steps.steady_count > 0 ? llround(us * ps_per_us) : -1,
        };
    }
}

static void environment_make(struct arena *arena, const struct summary_plan *plan,
                             struct summary *summary)
{
    struct environment *environment = &summary->environment;
    environment->device_type = plan->device_type;
    environment->device_count = some_i64(plan->device_count);
    environment->host_count = some_i64(plan->host_count);
    environment->topology = plan->topology;
    environment->facts = must(arena_array(arena, struct fact, plan->fact_count));
    for (size_t i = 0; i < plan->fact_count; i++)
        environment->facts[environment->fact_count++] = plan->facts[i];
    environment->programs = must(arena_array(arena, struct hlo_program, 1));
    environment->programs[environment->program_count++] =
        (struct hlo_program){"jit_train_step", plan->fingerprint, plan->steps};
    summary->producer = (struct producer){
        .version = "test",
        .definition_version = 1,
        .breakdown_mode = "exclusive_per_track",
        .warmup_steps = 5,
        .hot_op_limit = 25,
    };
}

const struct summary *summary_make(struct arena *arena, const struct summary_plan *plan)
{
    struct summary *summary = must(arena_new(arena, struct summary));
    summary->schema_version = "profile_summary.v1";
    summary->source_format = "xplane_pb";
    summary->trace_provenance.trace_sha256 = plan->trace_sha256;
    steps_make(arena, plan, summary);
    ops_make(arena, plan, summary);
    devices_make(arena, plan, summary);
    environment_make(arena, plan, summary);
    summary->step_time.steady_state_steps = (struct duration_stats){
        .count = summary->steps.steady_count,
        .median = summary->steps.steady_median_us,
        .p90 = summary->steps.steady_p90_us,
    };
    summary->has_ours = !plan->without_ours;
    if (plan->without_ours) {
        summary->steps = (struct step_table){0};
        summary->op_count = summary->device_count = 0;
        summary->environment = (struct environment){0};
        summary->producer = (struct producer){0};
        summary->coverage = (struct coverage){0};
    }
    return summary;
}
