/* Implements the default policy and its canonical text from the tables of policy.h. */
#include "compare/policy/gate_policy.h"

#include "compare/policy/policy_keys.h"
#include "ops/runtime/text.h"

static const struct gate_policy default_policy = {
#define DEFAULT_NUMBER(name, standard, min, max, unit, help) .name = (standard),
    GATE_POLICY_NUMBERS(DEFAULT_NUMBER)
#undef DEFAULT_NUMBER
#define DEFAULT_OUTCOME(name, standard, help) .name = OUTCOME_##standard,
        GATE_POLICY_OUTCOMES(DEFAULT_OUTCOME)
#undef DEFAULT_OUTCOME
            .provenance =
        {
#define DEFAULT_PROVENANCE(name, action, kind, help) [FIELD_##name] = PROVENANCE_##action,
            PROVENANCE_FIELDS(DEFAULT_PROVENANCE)
#undef DEFAULT_PROVENANCE
        },
};

static const char *const field_keys[PROVENANCE_FIELD_COUNT] = {
#define FIELD_KEY(name, action, kind, help) [FIELD_##name] = #name,
    PROVENANCE_FIELDS(FIELD_KEY)
#undef FIELD_KEY
};

static const enum provenance_kind field_kinds[PROVENANCE_FIELD_COUNT] = {
#define FIELD_KIND(name, action, kind, help) [FIELD_##name] = PROVENANCE_##kind,
    PROVENANCE_FIELDS(FIELD_KIND)
#undef FIELD_KIND
};

static const char *const measure_actions[] = {
    [MEASURE_INFO] = "info", [MEASURE_WARN] = "warn", [MEASURE_FAIL] = "fail"};

static const char *const provenance_actions[] = {
    [PROVENANCE_STRICT] = "strict", [PROVENANCE_WARN] = "warn", [PROVENANCE_IGNORE] = "ignore"};

static const char *const outcome_names[OUTCOME_COUNT] = {[OUTCOME_KEEP] = "keep",
                                                         [OUTCOME_PASS] = "pass",
                                                         [OUTCOME_WARN] = "warn",
                                                         [OUTCOME_INCONCLUSIVE] = "inconclusive",
                                                         [OUTCOME_FAIL] = "fail"};

static const char *const field_help[PROVENANCE_FIELD_COUNT] = {
#define FIELD_HELP(name, action, kind, help) [FIELD_##name] = help,
    PROVENANCE_FIELDS(FIELD_HELP)
#undef FIELD_HELP
};

/* Far above any policy: each watched op is three lines. */
enum { POLICY_TEXT_MAX_BYTES = 1 << 20 };

void gate_policy_default(struct gate_policy *ret_policy)
{
    *ret_policy = default_policy;
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++)
        ret_policy->measures[i] = (struct measure_rule){-1, -1, MEASURE_INFO, false};
#define DEFAULT_LIMIT(measure, limit_pct, limit_abs, action) \
    ret_policy->measures[MEASURE_##measure] = \
        (struct measure_rule){(limit_pct), (limit_abs), MEASURE_##action, false};
    GATE_LIMITS(DEFAULT_LIMIT)
#undef DEFAULT_LIMIT
}

bool gate_policy_limits_itself(const struct gate_policy *policy, enum measure measure)
{
    struct gate_policy standard;
    gate_policy_default(&standard);
    const struct measure_rule *own = &policy->measures[measure];
    const struct measure_rule *usual = &standard.measures[measure];
    return own->action != MEASURE_INFO &&
           (own->action != usual->action || own->limit_pct != usual->limit_pct ||
            own->limit_abs != usual->limit_abs);
}

const char *measure_action_name(enum measure_action action)
{
    return measure_actions[action];
}

const char *provenance_field_name(enum provenance_field field)
{
    return field_keys[field];
}

enum provenance_kind provenance_field_kind(enum provenance_field field)
{
    return field_kinds[field];
}

const char *provenance_action_name(enum provenance_action action)
{
    return provenance_actions[action];
}

const char *policy_outcome_name(enum policy_outcome outcome)
{
    return outcome_names[outcome];
}

/* ---- the text -------------------------------------------------------------------------------- */

/* Where the text goes, and whether it explains itself. */
struct writer {
    struct text out;
    bool explains;
};

static void explain(struct writer *writer, const char *help, const char *unit)
{
    if (writer->explains)
        text_addf(&writer->out, "# %s%s%s\n", help, unit[0] == '\0' ? "" : ", ", unit);
}

static void number_add(struct writer *writer, const char *key, double value)
{
    char number[TEXT_DOUBLE_BYTES];
    text_addf(&writer->out, "%s = %s\n", key, text_double(value, number));
}

/* Below 0: there is none. */
static void limit_add(struct writer *writer, const char *key, double limit)
{
    if (limit >= 0)
        number_add(writer, key, limit);
    else
        text_addf(&writer->out, "%s = " POLICY_NO_LIMIT "\n", key);
}

/* How sections work, where the first and the last of them stand. */
static const char measures_guide[] =
    "\n# Measures: the change for the worse that is allowed, in percent of the baseline\n"
    "# (limit_pct) or in the measure's unit (limit_abs); with both the larger. action: info,\n"
    "# warn or fail. required = yes: both sides must tell it, else on_missing is the verdict.\n"
    "# Of a measure that is not required a verdict says that it was not judged where its action\n"
    "# and limits here are not the usual ones; that alone changes no verdict.\n"
    "# steady_step_median, _period and _mean are judged by how runs vary: their limit takes the\n"
    "# place of min_effect_pct, and action is the most that a loss becomes.\n";
static const char scopes_guide[] =
    "\n# An op that is judged by itself: shell pattern on its name or source path.\n"
    "#[watch attention]\n#pattern = *attention*\n#limit_pct = 4\n\n"
    "# What holds for some alone goes over what holds for all, a workload over a project.\n"
    "#[project vision-*]\n#min_effect_pct = 3\n"
    "#[workload pretrain-* measure steady_step_p90]\n#limit_pct = 5\n";

static void guide_add(struct writer *writer, const char *guide)
{
    if (writer->explains)
        text_add(&writer->out, guide);
}

static void measures_add(struct writer *writer, const struct gate_policy *policy)
{
    guide_add(writer, measures_guide);
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        const struct measure_rule *rule = &policy->measures[i];
        explain(writer, measure_rows[i].help, measure_rows[i].unit);
        text_addf(&writer->out, "[measure %s]\naction = %s\n", measure_rows[i].name,
                  measure_actions[rule->action]);
        limit_add(writer, "limit_pct", rule->limit_pct);
        limit_add(writer, "limit_abs", rule->limit_abs);
        text_addf(&writer->out, "required = %s\n", rule->required ? "yes" : "no");
    }
}

static const char *policy_write(const struct gate_policy *policy, bool explains,
                                struct arena *arena)
{
    struct writer writer = {.explains = explains};
    text_init(&writer.out, POLICY_TEXT_MAX_BYTES);
    text_addf(&writer.out, POLICY_VERSION_KEY " = %d\n", GATE_POLICY_VERSION);
#define ADD_NUMBER(name, standard, min, max, unit, help) \
    explain(&writer, help, unit); \
    number_add(&writer, #name, policy->name);
    GATE_POLICY_NUMBERS(ADD_NUMBER)
#undef ADD_NUMBER
#define ADD_OUTCOME(name, standard, help) \
    explain(&writer, help ": keep, pass, warn, inconclusive or fail", ""); \
    text_addf(&writer.out, #name " = %s\n", outcome_names[policy->name]);
    GATE_POLICY_OUTCOMES(ADD_OUTCOME)
#undef ADD_OUTCOME
    measures_add(&writer, policy);
    guide_add(&writer, "\n# What a difference does: strict = incomparable, warn = it is said, "
                       "ignore\n");
    text_add(&writer.out, "[provenance]\n");
    for (size_t i = 0; i < PROVENANCE_FIELD_COUNT; i++) {
        explain(&writer, field_help[i], "");
        text_addf(&writer.out, "%s = %s\n", field_keys[i],
                  provenance_actions[policy->provenance[i]]);
    }
    for (size_t i = 0; i < policy->watched_count; i++) {
        const struct watched_op *watched = &policy->watched[i];
        text_addf(&writer.out, "[watch %s]\npattern = %s\n", watched->name, watched->pattern);
        number_add(&writer, "limit_pct", watched->limit_pct);
    }
    guide_add(&writer, scopes_guide);
    const char *text = text_keep(&writer.out, arena);
    text_done(&writer.out);
    return text;
}

const char *gate_policy_text(const struct gate_policy *policy, struct arena *arena)
{
    return policy_write(policy, false, arena);
}

const char *gate_policy_guide(const struct gate_policy *policy, struct arena *arena)
{
    return policy_write(policy, true, arena);
}
