/* Implements the forms of failure: a table of statuses, the readers of error bodies. */
#include "ops/net/wandb/wandb_failure.h"
#include "ops/net/remote_words.h"
#include "ops/runtime/digest.h"

#include <string.h>
#include <strings.h>

enum { ERROR_COUNT = 3 };

static const struct {
    int from, to;
    enum err_kind kind;
    const char *remedy;
} statuses[] = {
    {401, 401, ERR_INPUT, "is the key of this host, and still valid?"},
    {403, 403, ERR_INPUT, "may this key do that here?"},
    {404, 404, ERR_MISSING, "are host, entity and project the right ones?"},
    {408, 408, ERR_UNAVAILABLE, "try again later"},
    {409, 409, ERR_CONFLICT, "another writer was faster"},
    {413, 413, ERR_LIMIT, "the request is too large for the server"},
    {429, 429, ERR_UNAVAILABLE, "the service asks to slow down; try again later"},
    {200, 299, ERR_INPUT, "the answer is no GraphQL: is that a W&B server?"},
    {300, 399, ERR_USAGE, "redirects are not followed; configure the final base_url"},
    {400, 499, ERR_INPUT, "the server refuses the call"},
    {500, 599, ERR_UNAVAILABLE, "try again later"},
    {0, 999, ERR_INPUT, "is that a W&B server?"},
};

/* ---- what the answer says ---- */

static const char *message_of(const json_t *error)
{
    const char *text = json_string_value(error);
    return text != NULL ? text : json_string_value(json_object_get(error, "message"));
}

static void messages_add(struct text *out, const json_t *errors, const char *key)
{
    size_t count = json_array_size(errors);
    for (size_t i = 0; i < count && i < ERROR_COUNT; i++) {
        const char *message = message_of(json_array_get(errors, i));
        text_add(out, i > 0 ? "; " : "");
        remote_words_add(out, message == NULL ? "an error without a message" : message, key);
    }
    if (count > ERROR_COUNT)
        text_addf(out, " and %zu more", count - ERROR_COUNT);
}

/* JSON with `errors` or `error`, a page of a proxy, or plain text. */
static void body_add(struct text *out, const struct text *body, const char *key)
{
    const char *text = text_string(body), *begin = text + strspn(text, " \t\r\n");
    bool is_html = strncasecmp(begin, "<!doctype", 9) == 0 || strncasecmp(begin, "<html", 5) == 0;
    scoped_json *root = json_parse(text, body->length, "the answer", NULL);
    const json_t *errors = json_object_get(root, "errors");
    const json_t *error = json_object_get(root, "error");
    if (json_array_size(errors) > 0)
        messages_add(out, errors, key);
    else if (message_of(error) != NULL)
        remote_words_add(out, message_of(error), key);
    else if (root == NULL && is_html)
        text_add(out, "a page of HTML, perhaps of a proxy");
    else
        remote_words_add(out, text, key);
}

/* ---- the message ---- */

static void value_add(struct text *out, const char *what, const struct wandb_value *value)
{
    if (value->text != NULL)
        text_addf(out, ", %s '%s' from %s", what, value->text, value->source);
}

void wandb_place_add(struct text *out, const struct wandb_client *client)
{
    const struct wandb_config *config = client->config;
    text_addf(out, "W&B at %s (from %s)", config->base_url.text, config->base_url.source);
    value_add(out, "entity", &client->entity);
    value_add(out, "project", &client->project);
    text_addf(out, ", key from %s", client->key_source);
}

bool wandb_failure(const struct wandb_client *client, const char *call,
                   const struct http_reply *reply, const struct text *body, const char *why,
                   struct err *err)
{
    scoped_text out;
    text_init(&out, sizeof err->text * 2);
    enum err_kind kind = ERR_UNAVAILABLE;
    text_addf(&out, "%s: ", call);
    if (reply->outcome == HTTP_ANSWERED && (reply->status >= 300 || reply->body_whole)) {
        size_t row = 0;
        while (reply->status < statuses[row].from || reply->status > statuses[row].to)
            row++; /* ends: the last row takes every status */
        kind = statuses[row].kind;
        text_addf(&out, "HTTP %d%s", reply->status, body->length > 0 ? ": " : "");
        body_add(&out, body, client->key.text);
        text_addf(&out, "; %s", statuses[row].remedy);
    } else {
        bool misfit = reply->outcome == HTTP_FORBIDDEN || reply->outcome == HTTP_UNFIT;
        kind = misfit ? ERR_USAGE : ERR_UNAVAILABLE;
        text_add(&out, reply->why != NULL ? reply->why : "");
        if (reply->outcome == HTTP_ANSWERED)
            text_addf(&out, "its answer was cut: %s",
                      reply->body_why == NULL ? "" : reply->body_why);
        if (misfit)
            text_add(&out, " (section [wandb] of the configuration)");
    }
    if (why != NULL)
        text_addf(&out, "; %s", why);
    text_add(&out, " [");
    wandb_place_add(&out, client);
    text_add(&out, "]");
    return err_set(err, kind, "%s", text_shown(&out));
}

bool wandb_refusal(const struct wandb_client *client, const char *call, const json_t *errors,
                   struct err *err)
{
    scoped_text out;
    text_init(&out, sizeof err->text * 2);
    text_addf(&out, "%s: ", call);
    messages_add(&out, errors, client->key.text);
    text_add(&out, " [");
    wandb_place_add(&out, client);
    text_add(&out, "]");
    return err_set(err, ERR_INPUT, "%s", text_shown(&out));
}
