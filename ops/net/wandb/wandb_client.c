/* Implements the calls: one loop of attempts over one kind of request, JSON that is posted to the
 * base URL. */
#include "ops/net/wandb/wandb_client.h"
#include "ops/net/url.h"
#include "ops/net/wandb/wandb_failure.h"

#include <string.h>

enum {
    REQUEST_MAX_BYTES = 16 << 20,
    ANSWER_MAX_BYTES = 32 << 20, /* a run's configuration and summary come as one text */
    CALL_MEMORY_BYTES = 256 << 10,
    QUOTA_BYTES = 32
};

struct call {
    struct wandb_client *client;
    const char *name, *url;
    enum pace_traffic traffic;
    struct text body; /* of the request; made once, so that every attempt says the same */
    struct text answer;
    struct http_reply reply;
    char remaining[QUOTA_BYTES], reset[QUOTA_BYTES];
};

static void call_done(struct call *call)
{
    text_done(&call->body);
    text_done(&call->answer);
}
#define scoped_call __attribute__((cleanup(call_done))) struct call

bool wandb_open(const struct wandb_config *config, struct arena *arena,
                struct wandb_client *ret_client, struct err *err)
{
    *ret_client = (struct wandb_client){
        .config = config, .entity = config->entity, .project = config->project};
    return wandb_key_read(config, arena, &ret_client->key, &ret_client->key_source, err);
}

void wandb_close(struct wandb_client *client)
{
    secret_done(&client->key);
    json_decref(client->features);
    client->features = NULL;
}

static bool attempt(struct call *call, struct arena *arena, struct err *err)
{
    const struct wandb_client *client = call->client;
    static const char *const headers[] = {"Content-Type: application/json",
                                          "Accept: application/json", "Expect:"};
    struct http_field fields[] = {
        {"ratelimit-remaining", call->remaining, sizeof call->remaining},
        {"ratelimit-reset", call->reset, sizeof call->reset},
    };
    const struct http_transfer transfer = {
        .request = {.url = call->url,
                    .headers = headers,
                    .header_count = sizeof headers / sizeof headers[0],
                    .body = text_string(&call->body),
                    .body_length = call->body.length},
        .method = HTTP_POST,
        .credential = {HTTP_BASIC, "api", client->key.text, NULL},
        .sink = {http_text_take, &call->answer, ANSWER_MAX_BYTES},
        .fields = fields,
        .field_count = sizeof fields / sizeof fields[0],
    };
    text_done(&call->answer);
    text_init(&call->answer, ANSWER_MAX_BYTES);
    call->remaining[0] = call->reset[0] = '\0';
    return http_perform(&client->config->policy, &transfer, arena, &call->reply, err);
}

/* The id of a run that somebody has deleted stays taken. Servers say so in words alone, with 409,
 * earlier ones with 400; as another 409 of an upsert is worth another attempt, this one is not. */
static bool is_of_deleted_run(const struct call *call)
{
    return call->traffic == PACE_UPSERT &&
           strstr(text_string(&call->answer), "previously created and deleted") != NULL;
}

/* Performs the call until it is answered with 2xx. */
static bool call_perform(struct call *call, struct err *err)
{
    struct wandb_client *client = call->client;
    struct pace pace = pace_of(&client->config->retry, &client->gate, call->traffic);
    for (;;) {
        scoped_arena arena;
        arena_init(&arena, CALL_MEMORY_BYTES);
        const char *why = NULL;
        pace_enter(&pace);
        if (!attempt(call, &arena, err))
            return err_prefix(err, "%s", call->name);
        const struct http_reply *reply = &call->reply;
        pace_quota(&client->gate, call->remaining, call->reset);
        if (reply->outcome == HTTP_ANSWERED && reply->status / 100 == 2 && reply->body_whole)
            return true;
        client->run_deleted = is_of_deleted_run(call);
        if (client->run_deleted || !pace_worth(call->traffic, reply) ||
            !pace_again(&pace, reply, &why))
            return wandb_failure(client, call->name, reply, &call->answer, why, err);
    }
}

/* Makes the body of the call; takes the reference to document. */
static bool body_make(struct call *call, json_t *document, struct err *err)
{
    scoped_json *taken = document;
    text_init(&call->body, REQUEST_MAX_BYTES);
    json_print(taken, JSON_STYLE_LINE, &call->body);
    return text_ok(&call->body, call->name, err);
}

bool wandb_call(struct wandb_client *client, const struct wandb_operation *operation,
                json_t *variables, json_t **ret_data, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, CALL_MEMORY_BYTES);
    scoped_call call = {
        .client = client,
        .name = operation->name,
        .url = arena_printf(&arena, "%s/graphql", client->config->base_url.text),
        .traffic = operation->traffic,
    };
    if (variables == NULL)
        return err_set(err, ERR_INPUT, "%s: a name in it is not valid UTF-8", operation->name);
    if (!body_make(&call,
                   json_pack("{s:s, s:s, s:o}", "query", operation->document, "operationName",
                             operation->name, "variables", variables),
                   err) ||
        !call_perform(&call, err))
        return false;
    const struct text *answer = &call.answer;
    struct err unread = {0};
    scoped_json *root = json_parse(text_string(answer), answer->length, call.name, &unread);
    if (unread.kind == ERR_LIMIT) {
        *err = unread;
        return false;
    }
    json_t *errors = json_object_get(root, "errors"), *data = json_object_get(root, "data");
    call.client->run_deleted = json_array_size(errors) > 0 && is_of_deleted_run(&call);
    if (json_array_size(errors) > 0)
        return wandb_refusal(call.client, call.name, errors, err);
    if (!json_is_object(data))
        return wandb_failure(call.client, call.name, &call.reply, answer, NULL, err);
    *ret_data = json_incref(data);
    return true;
}

bool wandb_has_feature(struct wandb_client *client, const char *name)
{
    if (client->features == NULL) {
        json_t *data = NULL;
        struct err ignored = {0}; /* an old server knows no such question */
        client->features = json_array();
        if (wandb_call(client, &W_server_features, json_object(), &data, &ignored)) {
            json_t *listed = json_object_get(json_object_get(data, "serverInfo"), "features");
            (void)json_array_extend(client->features, listed);
        }
        json_decref(data);
    }
    size_t i;
    json_t *feature;
    json_array_foreach (client->features, i, feature) {
        const char *known = json_string_value(json_object_get(feature, "name"));
        if (known != NULL && strcmp(known, name) == 0)
            return json_is_true(json_object_get(feature, "isEnabled"));
    }
    return false;
}

bool wandb_default_entity(struct wandb_client *client, struct arena *arena, const char **ret_entity,
                          struct err *err)
{
    scoped_json *data = NULL;
    if (!wandb_call(client, &W_viewer, json_object(), &data, err))
        return false;
    const char *entity =
        json_string_value(json_object_get(json_object_get(data, "viewer"), "entity"));
    if (entity == NULL)
        return err_set(err, ERR_INPUT,
                       "the W&B API key from %s is not valid at %s (from %s), or has no entity; "
                       "give --entity",
                       client->key_source, client->config->base_url.text,
                       client->config->base_url.source);
    *ret_entity = arena_strdup(arena, entity);
    return true;
}

json_t *wandb_cursor_next(const json_t *connection)
{
    const json_t *info = json_object_get(connection, "pageInfo");
    json_t *cursor = json_object_get(info, "endCursor");
    bool more = json_is_true(json_object_get(info, "hasNextPage"));
    return more && json_is_string(cursor) ? json_incref(cursor) : NULL;
}

bool wandb_absent(const struct wandb_client *client, const char *what, struct err *err)
{
    scoped_text place;
    text_init(&place, sizeof err->text);
    wandb_place_add(&place, client);
    return err_set(err, ERR_MISSING, "%s is not there, or this key may not see it [%s]", what,
                   text_shown(&place));
}

/* ---- the end of a run ---- */

bool wandb_run_end(struct wandb_client *client, const char *run, int exit_code, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, CALL_MEMORY_BYTES);
    scoped_call call = {
        .client = client,
        .name = "file_stream",
        .url = arena_printf(&arena, "%s/files/%s/%s/%s/file_stream", client->config->base_url.text,
                            url_escape(client->entity.text, false, &arena),
                            url_escape(client->project.text, false, &arena),
                            url_escape(run, false, &arena)),
        .traffic = PACE_GRAPHQL,
    };
    return body_make(&call, json_pack("{s:b, s:i}", "complete", 1, "exitcode", exit_code), err) &&
           call_perform(&call, err);
}
