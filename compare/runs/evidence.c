/* Implements the evidence text and its hash. Lines are `side id run trace`, then `run figures`. */
#include "compare/runs/evidence.h"

#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <string.h>

enum { EVIDENCE_MAX_BYTES = 64 << 20 };

static const char *text_or_dash(const char *text)
{
    return text == NULL ? "-" : text;
}

static void figure_add(struct text *out, struct opt_f64 figure)
{
    char number[TEXT_DOUBLE_BYTES];
    text_addf(out, " %s", figure.set ? text_double(figure.value, number) : "-");
}

static void profiles_add(struct text *out, const char *side, const struct profile_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        text_addf(out, "%s %s %s %s\n", side, set->items[i]->profile_id, gate_run_id(set->items[i]),
                  text_or_dash(set->items[i]->summary->trace_provenance.trace_sha256));
}

static void runs_add(struct text *out, const struct gate_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct gate_run *run = &runs->items[i];
        text_addf(out, "run %s %lld", run->id, (long long)run->step_count);
        for (enum measure j = MEASURE_FIRST; j < MEASURE_END; j++)
            figure_add(out, run->measures[j]);
        for (size_t j = 0; j < RUN_MEAN_COUNT; j++)
            figure_add(out, run->means[j]);
        text_addc(out, '\n');
    }
}

bool evidence_seal(struct gate_state *judgement, const struct gate_policy *given,
                   const struct profile_sets *sets, struct err *err)
{
    struct verdict *verdict = judgement->verdict;
    struct arena_mark mark = arena_mark(judgement->arena);
    const char *policy = judgement->input->policy_text;
    if (policy == NULL)
        policy = gate_policy_text(given, judgement->arena);
    if (policy == NULL)
        return err_set(err, ERR_LIMIT, "the policy's text is too long");
    char hex[SHA256_HEX_BYTES];
    sha256_hex(policy, strlen(policy), hex);
    arena_rewind(judgement->arena, mark);
    verdict->policy_sha256 = arena_strdup(judgement->arena, hex);
    scoped_text out;
    text_init(&out, EVIDENCE_MAX_BYTES);
    profiles_add(&out, "baseline", &sets->baseline);
    profiles_add(&out, "candidate", &sets->candidate);
    profiles_add(&out, "history", &sets->history);
    runs_add(&out, &judgement->baseline);
    runs_add(&out, &judgement->candidate);
    runs_add(&out, &judgement->history);
    text_addf(&out, "policy %s\nrule %s %lld\nstatus %s\n", verdict->policy_sha256,
              text_or_dash(verdict->rule_id), (long long)verdict->rule_version,
              verdict_status_names[verdict->status]);
    for (size_t i = 0; i < verdict->mismatch_count; i++)
        text_addf(&out, "mismatch %s %s %s\n", verdict->mismatches[i].field,
                  text_or_dash(verdict->mismatches[i].baseline),
                  text_or_dash(verdict->mismatches[i].candidate));
    for (size_t i = 0; i < verdict->op_count; i++) {
        text_addf(&out, "op %s", verdict->ops[i].signature);
        figure_add(&out, some_f64(verdict->ops[i].before_us));
        figure_add(&out, some_f64(verdict->ops[i].after_us));
        text_addc(&out, '\n');
    }
    if (!text_ok(&out, "the evidence of a verdict", err))
        return false;
    sha256_hex(text_string(&out), out.length, hex);
    verdict->evidence_sha256 = arena_strdup(judgement->arena, hex);
    return true;
}
