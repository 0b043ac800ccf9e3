/* Finds artifacts: by name in the two forms that old and new servers know, and among the outputs of
 * a run, page by page. */
#include "ops/net/wandb/wandb_artifact.h"

#include <string.h>

enum { PAGE = 100, PAGES_MAX = 1000, WHAT_BYTES = 512 };

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool is_committed(const json_t *node)
{
    const char *state = text_at(node, "state");
    return state != NULL && strcmp(state, "COMMITTED") == 0;
}

static bool artifact_take(const json_t *node, struct arena *arena,
                          struct wandb_artifact *ret_artifact, struct err *err)
{
    const json_t *sequence = json_object_get(node, "artifactSequence");
    const json_t *project = json_object_get(sequence, "project");
    struct wandb_artifact artifact = {
        .id = arena_strdup(arena, text_at(node, "id")),
        .entity = arena_strdup(arena, text_at(json_object_get(project, "entity"), "name")),
        .project = arena_strdup(arena, text_at(project, "name")),
        .collection = arena_strdup(arena, text_at(sequence, "name")),
        .type = arena_strdup(arena, text_at(json_object_get(node, "artifactType"), "name")),
        .version = json_integer_value(json_object_get(node, "versionIndex")),
    };
    if (artifact.id == NULL || artifact.entity == NULL || artifact.project == NULL ||
        artifact.collection == NULL || artifact.type == NULL)
        return err_set(err, ERR_INPUT, "W&B describes an artifact without id, name, type or place");
    artifact.ref = arena_printf(arena, "%s/%s/%s:v%lld", artifact.entity, artifact.project,
                                artifact.collection, (long long)artifact.version);
    *ret_artifact = artifact;
    return true;
}

/* ---- by name ---- */

static bool ask_by_name(struct wandb_client *client, const struct wandb_artifact_name *name,
                        json_t **ret_node, struct err *err)
{
    bool membership = wandb_has_feature(client, "PROJECT_ARTIFACT_COLLECTION_MEMBERSHIP");
    char full[WHAT_BYTES];
    (void)snprintf(full, sizeof full, "%s:%s", name->collection, name->alias);
    json_t *variables = json_pack("{s:s, s:s, s:s}", "entity", name->entity.text, "project",
                                  name->project.text, "name", full);
    scoped_json *data = NULL;
    if (!wandb_call(client, membership ? &W_artifact_in_collection : &W_artifact_by_name, variables,
                    &data, err))
        return false;
    const json_t *found = json_object_get(data, "project");
    if (membership)
        found = json_object_get(found, "artifactCollectionMembership");
    *ret_node = json_incref(json_object_get(found, "artifact"));
    return true;
}

bool wandb_artifact_find(struct wandb_client *client, const struct wandb_artifact_name *name,
                         const char *type, struct arena *arena, struct wandb_artifact *ret_artifact,
                         struct err *err)
{
    struct wandb_artifact_name full = *name;
    if (full.entity.text == NULL) {
        full.entity.source = "the key's default";
        if (!wandb_default_entity(client, arena, &full.entity.text, err))
            return false;
    }
    client->entity = full.entity;
    client->project = full.project;
    scoped_json *node = NULL;
    char what[WHAT_BYTES];
    (void)snprintf(what, sizeof what, "artifact '%s/%s/%s:%s'", full.entity.text, full.project.text,
                   full.collection, full.alias);
    if (!ask_by_name(client, &full, &node, err))
        return false;
    if (!json_is_object(node) || !is_committed(node))
        return wandb_absent(client, what, err);
    struct wandb_artifact artifact = {0};
    if (!artifact_take(node, arena, &artifact, err))
        return false;
    if (type != NULL && strcmp(artifact.type, type) != 0)
        return err_set(err, ERR_INPUT, "%s is of type %s, not %s", what, artifact.type, type);
    *ret_artifact = artifact;
    return true;
}

/* ---- of a run ---- */

struct choice {
    const char *alias;
    json_t *node; /* the best so far; NULL = none */
};

static bool bears(const json_t *node, const char *alias)
{
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(node, "aliases"), i, item) {
        const char *name = text_at(item, "alias");
        if (name != NULL && strcmp(name, alias) == 0)
            return true;
    }
    return false;
}

/* Times of the service are ISO 8601 in UTC: their order as text is that of time. */
static const char *time_of(const json_t *node)
{
    const char *updated = text_at(node, "updatedAt"), *created = text_at(node, "createdAt");
    return updated != NULL ? updated : created != NULL ? created : "";
}

static bool is_better(const json_t *node, const struct choice *choice)
{
    const char *type = text_at(json_object_get(node, "artifactType"), "name");
    if (type == NULL || strcmp(type, WANDB_PROFILE_TYPE) != 0 || !is_committed(node))
        return false;
    if (choice->node == NULL)
        return true;
    bool ours = bears(node, choice->alias), theirs = bears(choice->node, choice->alias);
    return ours != theirs ? ours : strcmp(time_of(node), time_of(choice->node)) > 0;
}

static bool outputs_look(struct wandb_client *client, const struct wandb_run_name *run,
                         struct choice *choice, struct err *err)
{
    scoped_json *cursor = NULL;
    for (int page = 0; page == 0 || (cursor != NULL && page < PAGES_MAX); page++) {
        scoped_json *data = NULL;
        json_t *variables =
            json_pack("{s:s, s:s, s:s, s:O?, s:i}", "entity", run->entity.text, "project",
                      run->project.text, "run", run->run, "cursor", cursor, "perPage", PAGE);
        if (!wandb_call(client, &W_run_output_artifacts, variables, &data, err))
            return false;
        const json_t *node = json_object_get(json_object_get(data, "project"), "run");
        char what[WHAT_BYTES];
        (void)snprintf(what, sizeof what, "run '%s'", run->path);
        if (!json_is_object(node))
            return wandb_absent(client, what, err);
        const json_t *connection = json_object_get(node, "outputArtifacts");
        size_t i;
        json_t *edge;
        json_array_foreach (json_object_get(connection, "edges"), i, edge) {
            json_t *artifact = json_object_get(edge, "node");
            if (!is_better(artifact, choice))
                continue;
            json_decref(choice->node);
            choice->node = json_incref(artifact);
        }
        json_decref(cursor);
        cursor = wandb_cursor_next(connection);
    }
    return true;
}

bool wandb_artifact_of_run(struct wandb_client *client, const struct wandb_run_name *run,
                           const char *alias, struct arena *arena,
                           struct wandb_artifact *ret_artifact, struct err *err)
{
    client->entity = run->entity;
    client->project = run->project;
    struct choice choice = {.alias = alias};
    bool looked = outputs_look(client, run, &choice, err);
    scoped_json *node = choice.node;
    if (!looked)
        return false;
    if (node == NULL)
        return err_set(err, ERR_MISSING, "W&B run %s has logged no artifact of type %s", run->path,
                       WANDB_PROFILE_TYPE);
    return artifact_take(node, arena, ret_artifact, err);
}

/* ---- its creator ---- */

bool wandb_artifact_creator(struct wandb_client *client, const struct wandb_artifact *artifact,
                            struct arena *arena, bool *ret_known, struct wandb_run_name *ret_name,
                            struct err *err)
{
    static const char source[] = "the artifact's creator";
    scoped_json *data = NULL;
    if (!wandb_call(client, &W_artifact_created_by, json_pack("{s:s}", "id", artifact->id), &data,
                    err))
        return false;
    const json_t *run = json_object_get(json_object_get(data, "artifact"), "createdBy");
    const json_t *project = json_object_get(run, "project");
    const char *entity = text_at(json_object_get(project, "entity"), "name");
    struct wandb_run_name name = {
        .entity = {arena_strdup(arena, entity), source},
        .project = {arena_strdup(arena, text_at(project, "name")), source},
        .run = arena_strdup(arena, text_at(run, "name")),
    };
    *ret_known = name.entity.text != NULL && name.project.text != NULL && name.run != NULL;
    if (!*ret_known)
        return true;
    name.path = arena_printf(arena, "%s/%s/%s", name.entity.text, name.project.text, name.run);
    *ret_name = name;
    return true;
}
