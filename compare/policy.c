/* Implements the default policy and its canonical text from the tables of policy.h. */
#include "compare/policy.h"

#include "ops/runtime/text.h"

static const struct gate_policy default_policy = {
#define DEFAULT_NUMBER(name, standard, min, max, unit, help) .name = (standard),
    GATE_POLICY_NUMBERS(DEFAULT_NUMBER)
#undef DEFAULT_NUMBER
        .measures =
        {
#define DEFAULT_MEASURE(name, unit, limit_pct, limit_abs, action, help) \
    [MEASURE_##name] = {(limit_pct), (limit_abs), MEASURE_##action},
            GATE_MEASURES(DEFAULT_MEASURE)
#undef DEFAULT_MEASURE
        },
    .provenance =
        {
#define DEFAULT_PROVENANCE(name, action, help) [FIELD_##name] = PROVENANCE_##action,
            PROVENANCE_FIELDS(DEFAULT_PROVENANCE)
#undef DEFAULT_PROVENANCE
        },
};

static const char *const measure_keys[MEASURE_COUNT] = {
#define MEASURE_KEY(name, unit, limit_pct, limit_abs, action, help) [MEASURE_##name] = #name,
    GATE_MEASURES(MEASURE_KEY)
#undef MEASURE_KEY
};

static const char *const field_keys[PROVENANCE_FIELD_COUNT] = {
#define FIELD_KEY(name, action, help) [FIELD_##name] = #name,
    PROVENANCE_FIELDS(FIELD_KEY)
#undef FIELD_KEY
};

static const char *const measure_actions[] = {
    [MEASURE_INFO] = "info", [MEASURE_WARN] = "warn", [MEASURE_FAIL] = "fail"};

static const char *const provenance_actions[] = {
    [PROVENANCE_STRICT] = "strict", [PROVENANCE_WARN] = "warn", [PROVENANCE_IGNORE] = "ignore"};

/* Far above any policy: each watched op is one line. */
enum { POLICY_TEXT_MAX_BYTES = 1 << 20 };

void gate_policy_default(struct gate_policy *ret_policy)
{
    *ret_policy = default_policy;
}

static void number_add(struct text *out, const char *key, double value)
{
    char number[TEXT_DOUBLE_BYTES];
    text_addf(out, "%s = %s\n", key, text_double(value, number));
}

const char *measure_name(enum gate_measure measure)
{
    return measure_keys[measure];
}

const char *provenance_field_name(enum provenance_field field)
{
    return field_keys[field];
}

const char *provenance_action_name(enum provenance_action action)
{
    return provenance_actions[action];
}

const char *gate_policy_text(const struct gate_policy *policy, struct arena *arena)
{
    scoped_text out;
    text_init(&out, POLICY_TEXT_MAX_BYTES);
#define ADD_NUMBER(name, standard, min, max, unit, help) number_add(&out, #name, policy->name);
    GATE_POLICY_NUMBERS(ADD_NUMBER)
#undef ADD_NUMBER
    for (size_t i = 0; i < MEASURE_COUNT; i++) {
        const struct measure_rule *rule = &policy->measures[i];
        text_addf(&out, "[measure %s]\naction = %s\n", measure_keys[i],
                  measure_actions[rule->action]);
        number_add(&out, "limit_pct", rule->limit_pct);
        number_add(&out, "limit_abs", rule->limit_abs);
    }
    text_add(&out, "[provenance]\n");
    for (size_t i = 0; i < PROVENANCE_FIELD_COUNT; i++)
        text_addf(&out, "%s = %s\n", field_keys[i], provenance_actions[policy->provenance[i]]);
    for (size_t i = 0; i < policy->watched_count; i++) {
        text_addf(&out, "[op %s]\n", policy->watched[i].pattern);
        number_add(&out, "limit_pct", policy->watched[i].limit_pct);
    }
    return out.failed ? NULL : arena_strndup(arena, text_string(&out), out.length);
}
