/* {"breakdown_mode": …, "capture": … (when given), "collected": [{"name": …, "value": …, "source":
 * …}], "meta": {name: value}, "step_range": … (when given), "strict_input": …, "warmup_steps": …};
 * the last only where it is fixed. */
#include "ops/flow/submit/job_options.h"

#include "ops/runtime/json.h"

#include <string.h>

enum { TEXT_BYTES_MAX = 1 << 20 };

static const char *const mode_names[] = {
    [BREAKDOWN_PER_TRACK] = "exclusive_per_track", [BREAKDOWN_GLOBAL] = "exclusive_global"};

const char *job_options_text(const struct ingest_options *options, struct arena *arena,
                             struct err *err)
{
    json_t *meta = json_object();
    scoped_json *root = json_pack("{s:s, s:o, s:b}", "breakdown_mode", mode_names[options->mode],
                                  "meta", meta, "strict_input", (int)options->strict_input);
    if (options->warmup_fixed)
        (void)json_object_set_new(root, "warmup_steps", json_integer(options->warmup_steps));
    if (options->step_range != NULL)
        (void)json_object_set_new(root, "step_range", json_text(options->step_range));
    if (options->capture_key != NULL)
        (void)json_object_set_new(root, "capture", json_text(options->capture_key));
    for (size_t i = 0; i < options->meta_count; i++) {
        const struct fact *fact = &options->meta[i];
        if (json_object_set_new(meta, fact->name, json_text(fact->value)) != 0) {
            (void)err_set(err, ERR_INPUT, "the name of a fact of a job is no UTF-8");
            return NULL;
        }
    }
    /* Left out when there is none: a worker of an older version reads the job too. */
    json_t *collected = json_array();
    for (size_t i = 0; i < options->collected_count; i++) {
        const struct fact *fact = &options->collected[i];
        (void)json_array_append_new(
            collected, json_pack("{s:o, s:o, s:o}", "name", json_text(fact->name), "value",
                                 json_text(fact->value), "source", json_text(fact->source)));
    }
    if (options->collected_count > 0)
        (void)json_object_set(root, "collected", collected);
    json_decref(collected);
    scoped_text out;
    text_init(&out, TEXT_BYTES_MAX);
    json_print(root, JSON_STYLE_LINE, &out);
    return text_ok(&out, "the options of a job", err) ? arena_strdup(arena, text_string(&out))
                                                      : NULL;
}

/* Each reads one member; false when it is not of its type. */
static bool mode_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    (void)arena;
    const char *name = json_string_value(value);
    for (size_t i = 0; name != NULL && i < sizeof mode_names / sizeof mode_names[0]; i++) {
        if (strcmp(mode_names[i], name) == 0) {
            out->mode = (enum breakdown_mode)i;
            return true;
        }
    }
    return false;
}

static bool capture_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    out->capture_key = arena_strdup(arena, json_string_value(value));
    return out->capture_key != NULL;
}

static bool meta_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    const char *name;
    json_t *text;
    struct fact *facts = arena_array(arena, struct fact, json_object_size(value) + 1);
    if (!json_is_object(value))
        return false;
    out->meta = facts;
    json_object_foreach ((json_t *)(uintptr_t)value, name, text) {
        const char *kept = arena_strdup(arena, name);
        const char *said = arena_strdup(arena, json_string_value(text));
        if (kept == NULL || said == NULL)
            return false;
        facts[out->meta_count++] = (struct fact){kept, said, "option"};
    }
    return true;
}

static bool collected_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    size_t count = json_array_size(value);
    struct fact *facts = arena_array(arena, struct fact, count + 1);
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(value, i);
        facts[i] = (struct fact){
            arena_strdup(arena, json_string_value(json_object_get(row, "name"))),
            arena_strdup(arena, json_string_value(json_object_get(row, "value"))),
            arena_strdup(arena, json_string_value(json_object_get(row, "source"))),
        };
        if (facts[i].name == NULL || facts[i].value == NULL || facts[i].source == NULL)
            return false;
    }
    out->collected = facts;
    out->collected_count = count;
    return true;
}

static bool step_range_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    struct err ignored;
    const char *expression = arena_strdup(arena, json_string_value(value));
    return expression != NULL && ingest_options_name_steps(out, expression, &ignored);
}

static bool strict_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    (void)arena;
    out->strict_input = json_is_true(value);
    return json_is_boolean(value);
}

static bool warmup_read(const json_t *value, struct arena *arena, struct ingest_options *out)
{
    (void)arena;
    ingest_options_fix_warmup(out, json_integer_value(value));
    return json_is_integer(value);
}

static const struct {
    const char *name;
    bool (*read)(const json_t *value, struct arena *arena, struct ingest_options *out);
} members[] = {
    {"breakdown_mode", mode_read}, {"capture", capture_read},       {"collected", collected_read},
    {"meta", meta_read},           {"step_range", step_range_read}, {"strict_input", strict_read},
    {"warmup_steps", warmup_read},
};

static bool member_read(const char *name, const json_t *value, struct arena *arena,
                        struct ingest_options *out, struct err *err)
{
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].name, name) == 0)
            return members[i].read(value, arena, out) ||
                   err_set(err, ERR_INPUT, "the job's option %s cannot be read", name);
    }
    return err_set(err, ERR_INPUT,
                   "the job has an option %s that this stepledger does not know: use the version "
                   "that submitted it",
                   name);
}

bool job_options_read(const char *text, struct arena *arena, struct ingest_options *ret_options,
                      struct err *err)
{
    const char *name;
    json_t *value;
    struct ingest_options options;
    ingest_options_init(&options);
    scoped_json *root = json_parse(text, strlen(text), "the options of a job", err);
    if (root == NULL)
        return false;
    if (!json_is_object(root))
        return err_set(err, ERR_INPUT, "the options of a job are no JSON object");
    json_object_foreach (root, name, value)
        if (!member_read(name, value, arena, &options, err))
            return false;
    if (!arena_ok(arena, "the options of a job", err))
        return false;
    *ret_options = options;
    return arena_ok(arena, "the options of a job", err);
}
