/* Implements the upload: headers as the service told them, attempts while they are worth it. */
#include "ops/net/wandb/wandb_upload.h"
#include "ops/net/remote_words.h"
#include "ops/net/wandb/wandb_failure.h"

#include <string.h>
#include <strings.h>

enum { HEADERS_MAX = 32, ANSWER_BYTES = 4096, UPLOAD_MEMORY_BYTES = 256 << 10 };

/* Azure takes more only in blocks. */
static const size_t azure_max_bytes = (size_t)256 << 20;

struct put {
    const char *url;
    const char *headers[HEADERS_MAX];
    size_t header_count;
    bool azure;
    struct text answer;
};

static void put_done(struct put *put)
{
    text_done(&put->answer);
}
#define scoped_put __attribute__((cleanup(put_done))) struct put

/* "Name:  value " -> "Name: value"; what has no colon, no name, or a control character is left
 * out. */
static const char *header_clean(const char *line, struct arena *arena)
{
    size_t name = strcspn(line, ":");
    if (line[name] != ':')
        return NULL;
    const char *start = line, *value = line + name + 1;
    size_t length = strlen(value);
    text_strip(&start, &name);
    text_strip(&value, &length);
    for (const char *p = line; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' && *p != '\t')
            return NULL;
    }
    return name == 0 ? NULL
                     : arena_printf(arena, "%.*s: %.*s", (int)name, start, (int)length, value);
}

static void put_prepare(const struct wandb_client *client, const json_t *node, struct arena *arena,
                        struct put *put)
{
    const char *url = json_string_value(json_object_get(node, "uploadUrl"));
    bool relative = url != NULL && url[0] == '/';
    text_init(&put->answer, ANSWER_BYTES);
    put->url = arena_printf(arena, "%s%s", relative ? client->config->base_url.text : "",
                            url == NULL ? "" : url);
    put->headers[put->header_count++] = "Expect:";
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(node, "uploadHeaders"), i, item) {
        const char *line = json_string_value(item);
        const char *header = line == NULL ? NULL : header_clean(line, arena);
        if (header == NULL || put->header_count == HEADERS_MAX)
            continue;
        put->azure = put->azure || strncasecmp(header, "x-ms-blob-type:", 15) == 0;
        put->headers[put->header_count++] = header;
    }
}

static bool take(void *context, int status, const char *bytes, size_t length)
{
    (void)status;
    struct put *put = context;
    text_addn(&put->answer, bytes, length); /* what is beyond its maximum says nothing new */
    return true;
}

static bool put_failed(const struct wandb_upload *upload, const struct http_reply *reply,
                       const struct put *put, const char *why, struct err *err)
{
    const char *between = why == NULL ? "" : "; ", *behind = why == NULL ? "" : why;
    if (reply->outcome != HTTP_ANSWERED) {
        bool misfit = reply->outcome == HTTP_FORBIDDEN || reply->outcome == HTTP_UNFIT;
        return err_set(err, misfit ? ERR_USAGE : ERR_UNAVAILABLE,
                       "the upload of '%s' to its storage: %s%s%s", upload->name, reply->why,
                       between, behind);
    }
    scoped_text words;
    text_init(&words, ANSWER_BYTES);
    remote_words_add(&words, text_string(&put->answer), NULL);
    bool later = reply->status >= 500 || reply->status == 429 || reply->status == 408;
    return err_set(err, later ? ERR_UNAVAILABLE : ERR_INPUT,
                   "the upload of '%s' to its storage: HTTP %d: %s%s%s", upload->name,
                   reply->status, text_shown(&words), between, behind);
}

static bool put_attempts(const struct wandb_client *client, struct pace_gate *gate,
                         const struct http_transfer *transfer, const struct wandb_upload *upload,
                         bool *ret_refused, struct err *err)
{
    struct pace pace = pace_of(&client->config->retry, gate, PACE_FILE);
    struct put *put = transfer->sink.context;
    for (;;) {
        scoped_arena arena;
        arena_init(&arena, UPLOAD_MEMORY_BYTES);
        struct http_reply reply;
        const char *why = NULL;
        text_done(&put->answer);
        text_init(&put->answer, ANSWER_BYTES);
        pace_enter(&pace);
        if (!http_perform(&client->config->policy, transfer, &arena, &reply, err))
            return false;
        bool answered = reply.outcome == HTTP_ANSWERED;
        if (answered && reply.status / 100 == 2)
            return true;
        *ret_refused = answered && (reply.status == 401 || reply.status == 403);
        /* S3's word for a body that came too slowly, with status 400. */
        bool is_timeout = strstr(text_string(&put->answer), "RequestTimeout") != NULL;
        bool worth = pace_worth(PACE_FILE, &reply) || (answered && is_timeout);
        if (!worth || !pace_again(&pace, &reply, &why))
            return put_failed(upload, &reply, put, why, err);
    }
}

bool wandb_upload_put(const struct wandb_client *client, struct pace_gate *gate,
                      const struct json_t *node, const struct wandb_upload *upload,
                      bool *ret_refused, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, UPLOAD_MEMORY_BYTES);
    scoped_put put = {0};
    *ret_refused = false;
    put_prepare(client, node, &arena, &put);
    if (put.azure && upload->length > azure_max_bytes)
        return err_set(err, ERR_LIMIT, "'%s' has %zu bytes; its store takes at most %zu at once",
                       upload->name, upload->length, azure_max_bytes);
    const struct http_transfer transfer = {
        .request = {.url = put.url,
                    .headers = put.headers,
                    .header_count = put.header_count,
                    .body = upload->bytes,
                    .body_length = upload->length},
        .method = HTTP_PUT,
        .sink = {take, &put, INT64_MAX},
        .stall_s = client->config->stall_s,
    };
    return put_attempts(client, gate, &transfer, upload, ret_refused, err);
}
