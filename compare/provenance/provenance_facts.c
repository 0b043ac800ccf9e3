/* Implements the reading and relating of facts. */
#include "compare/provenance/provenance_facts.h"

#include "ops/runtime/text.h"

#include <string.h>

static bool always_strict(enum provenance_field field)
{
    return provenance_field_kind(field) == PROVENANCE_HARDWARE;
}

enum provenance_action provenance_action_of(const struct gate_policy *policy,
                                            enum provenance_field field)
{
    return always_strict(field) ? PROVENANCE_STRICT : policy->provenance[field];
}

static bool is_same_number(enum provenance_field field, const char *left, const char *right)
{
    double a, b;
    return provenance_field_kind(field) == PROVENANCE_NUMBER && text_parse_double(left, &a) &&
           text_parse_double(right, &b) && a == b;
}

bool provenance_differs(const struct provenance_facts *a, const struct provenance_facts *b,
                        enum provenance_field field)
{
    const char *left = a->values[field], *right = b->values[field];
    if (field == FIELD_work)
        return op_work_compare(&a->work, &b->work).differs;
    return left != NULL && right != NULL && strcmp(left, right) != 0 &&
           !is_same_number(field, left, right);
}

void provenance_texts(const struct provenance_facts *a, const struct provenance_facts *b,
                      enum provenance_field field, struct arena *arena, const char *ret_texts[2])
{
    ret_texts[0] = a->values[field];
    ret_texts[1] = b->values[field];
    if (field != FIELD_work)
        return;
    struct op_work_change change = op_work_compare(&a->work, &b->work);
    if (!change.differs)
        return;
    ret_texts[0] = op_work_text(&a->work, change.before, arena);
    ret_texts[1] = op_work_text(&b->work, change.after, arena);
}

bool provenance_unknown(const struct provenance_facts *a, const struct provenance_facts *b,
                        enum provenance_field field)
{
    const char *left = a->values[field], *right = b->values[field];
    if (field == FIELD_work) /* many profiles hold no shapes: that says nothing against them */
        return false;
    if (left == NULL && right == NULL)
        return always_strict(field) || field == FIELD_breakdown_mode ||
               field == FIELD_definition_version;
    return left == NULL || right == NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *text_or(const char *first, const char *second)
{
    const char *text = first != NULL ? first : second;
    return text != NULL && *text != '\0' ? text : NULL;
}

static const char *fact_text(const struct summary *summary, enum provenance_field field)
{
    const struct fact *fact = environment_fact(&summary->environment, provenance_field_name(field));
    return fact == NULL ? NULL : text_or(fact->value, NULL);
}

/* Fields that are numbers in the summary; the second source serves older documents. */
static struct opt_i64 field_number(const struct summary *summary, enum provenance_field field)
{
    const struct environment *environment = &summary->environment;
    const struct run_metadata *run = &summary->run_metadata;
    switch (field) {
    case FIELD_device_count:
        return environment->device_count.set ? environment->device_count : run->num_devices;
    case FIELD_host_count:
        return environment->host_count.set ? environment->host_count : run->num_hosts;
    case FIELD_definition_version:
        return (struct opt_i64){summary->has_ours, summary->producer.definition_version};
    default:
        return (struct opt_i64){0};
    }
}

const char *provenance_value(const struct summary *summary, enum provenance_field field)
{
    const struct environment *environment = &summary->environment;
    const struct run_metadata *run = &summary->run_metadata;
    switch (field) {
    case FIELD_device_type:
        return text_or(environment->device_type, run->hardware_type);
    case FIELD_topology:
        return text_or(environment->topology, run->mesh_or_topology);
    case FIELD_breakdown_mode:
        return text_or(summary->producer.breakdown_mode, NULL);
    case FIELD_config_hash:
        return text_or(fact_text(summary, field), run->config_hash);
    case FIELD_work:
        return NULL;
    default:
        return fact_text(summary, field);
    }
}

struct provenance_facts provenance_facts_of(const struct summary *summary, struct arena *arena)
{
    struct provenance_facts facts = {0};
    for (enum provenance_field i = 0; i < PROVENANCE_FIELD_COUNT; i++) {
        struct opt_i64 number = field_number(summary, i);
        facts.values[i] = number.set ? arena_printf(arena, "%lld", (long long)number.value)
                                     : provenance_value(summary, i);
    }
    if (summary->steps.method != STEPS_NONE)
        facts.values[FIELD_step_method] = step_table_text(&summary->steps, arena);
    op_work_read(summary, arena, &facts.work);
    return facts;
}
