/* Reads a run; its configuration and summary are JSON in strings, each configured value wrapped in
 * an object. */
#include "ops/net/wandb/wandb_run.h"
#include "ops/net/wandb/loose_json.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"

#include <ctype.h>
#include <string.h>

enum { CONFIG_MAX_BYTES = 64 << 20, HASH_CHARS = 16 };

void wandb_run_done(struct wandb_run *run)
{
    json_decref(run->config);
    json_decref(run->summary);
    json_decref(run->tags);
    run->config = run->summary = run->tags = NULL;
}

/* The object in a JSONString; an absent one is empty. */
static json_t *object_read(const json_t *run, const char *member, const char *path, struct err *err)
{
    char name[256];
    const char *text = json_string_value(json_object_get(run, member));
    (void)snprintf(name, sizeof name, "%s of W&B run %s", member, path);
    if (text == NULL || text[0] == '\0')
        return json_object();
    json_t *value = loose_json_parse(text, strlen(text), name, err);
    if (value == NULL || json_is_object(value))
        return value;
    json_decref(value);
    (void)err_set(err, ERR_INPUT, "%s is no object", name);
    return NULL;
}

static bool run_take(const json_t *node, struct arena *arena, struct wandb_run *run,
                     struct err *err)
{
    run->name = arena_strdup(arena, json_string_value(json_object_get(node, "name")));
    run->id = arena_strdup(arena, json_string_value(json_object_get(node, "id")));
    run->state = arena_strdup(arena, json_string_value(json_object_get(node, "state")));
    if (run->name == NULL || run->id == NULL)
        return err_set(err, ERR_INPUT, "W&B run %s came back without a name or an id", run->path);
    scoped_json *wrapped = object_read(node, "config", run->path, err);
    if (wrapped == NULL)
        return false;
    /* {"lr": {"value": 1, "desc": null}, "_wandb": …} -> {"lr": 1}. */
    json_t *config = json_object(), *item;
    const char *key;
    json_object_foreach ((json_t *)(uintptr_t)wrapped, key, item) {
        if (strcmp(key, "_wandb") == 0 || strcmp(key, "wandb_version") == 0)
            continue;
        json_t *value = json_object_get(item, "value");
        (void)json_object_set(config, key, value != NULL ? value : item);
    }
    run->config = config;
    run->summary = object_read(node, "summaryMetrics", run->path, err);
    json_t *tags = json_object_get(node, "tags");
    run->tags = json_is_array(tags) ? json_incref(tags) : json_array();
    return run->summary != NULL;
}

bool wandb_run_read(struct wandb_client *client, const struct wandb_run_name *name,
                    struct arena *arena, struct wandb_run *ret_run, struct err *err)
{
    client->entity = name->entity;
    client->project = name->project;
    scoped_json *data = NULL;
    json_t *variables = json_pack("{s:s, s:s, s:s}", "entity", name->entity.text, "project",
                                  name->project.text, "name", name->run);
    if (!wandb_call(client, &W_run, variables, &data, err))
        return false;
    const json_t *node = json_object_get(json_object_get(data, "project"), "run");
    char what[256];
    (void)snprintf(what, sizeof what, "run '%s'", name->path);
    if (!json_is_object(node))
        return wandb_absent(client, what, err);
    scoped_wandb_run run = {.path = name->path};
    if (!run_take(node, arena, &run, err))
        return false;
    *ret_run = run;
    run = (struct wandb_run){0};
    return true;
}

/* ---- the profiler directory ---- */

/* Length of "scheme://", 0 for a path. */
static size_t scheme_length(const char *place)
{
    size_t length = 0;
    while (isalnum((unsigned char)place[length]) || strchr("+.-", place[length]) != NULL) {
        if (place[length] == '\0')
            return 0;
        length++;
    }
    return length > 0 && strncmp(place + length, "://", 3) == 0 ? length + 3 : 0;
}

static const char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL && text[0] != '\0' &&
                   loose_json_literal(json_object_get(object, name)) == NULL
               ? text
               : NULL;
}

/* As fsspec joins: what is absolute or has a scheme on the right stands alone. */
static bool place_join(const char *left, const char *right, struct arena *arena,
                       const char **ret_place, struct err *err)
{
    size_t own = scheme_length(left), other = scheme_length(right);
    if (own > 0 && other > 0 && (own != other || strncmp(left, right, own) != 0))
        return err_set(err, ERR_INPUT, "'%.200s' and '%.200s' are of two schemes", left, right);
    bool alone = other > 0 || right[0] == '/';
    *ret_place = alone ? right : path_join(arena, left, right);
    return true;
}

bool wandb_run_profile_place(const struct wandb_run *run, struct arena *arena,
                             const char **ret_place, struct err *err)
{
    const json_t *trainer = json_object_get(run->config, "trainer");
    const char *log_dir = text_at(trainer, "log_dir"), *id = text_at(trainer, "id");
    if (log_dir == NULL)
        return err_set(err, ERR_MISSING,
                       "the configuration of W&B run %s says no trainer.log_dir, below which its "
                       "profile would be",
                       run->path);
    const char *folder = NULL;
    log_dir = arena_strdup(arena, log_dir);
    id = arena_strdup(arena, id != NULL ? id : run->name);
    return place_join(log_dir, id, arena, &folder, err) &&
           place_join(folder, "profiler", arena, ret_place, err);
}

bool wandb_run_config_hash(const struct wandb_run *run, struct arena *arena, const char **ret_hash,
                           struct err *err)
{
    scoped_text text;
    text_init(&text, CONFIG_MAX_BYTES);
    loose_json_print(run->config, LOOSE_JSON_PYTHON, &text);
    char hex[SHA256_HEX_BYTES];
    if (!text_ok(&text, "a run's configuration", err))
        return false;
    sha256_hex(text_string(&text), text.length, hex);
    *ret_hash = arena_strndup(arena, hex, HASH_CHARS);
    return true;
}
