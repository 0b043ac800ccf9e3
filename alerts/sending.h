/* The inside of one delivery, for channels: its destination, its secrets, and the requests that it
 * takes.
 *
 * A channel that needs several requests makes them here one after the other; what came of the last
 * one that counts becomes the outcome of the delivery. All of them together have the destination's
 * timeout.
 */
#ifndef ALERTS_SENDING_H
#define ALERTS_SENDING_H

#include "alerts/deliver.h"
#include "alerts/message.h"
#include "ops/net/http.h"
#include "ops/net/secret.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

struct channel;

struct sending {
    const struct destination *to;
    const struct delivery_request *request;
    const struct channel *channel;
    struct secret url, key; /* key zeroed when none is configured */
    struct arena *arena;
    int64_t until_ms; /* of clock_monotonic_ms */
    struct delivery *delivery;
    bool is_begun; /* a message may have left */
};

/* One request. */
struct call {
    enum http_method method;
    const char *path, *query; /* added to the destination's URL; NULL = nothing */
    const char *const *headers;
    size_t header_count;
    bool bearer; /* the key goes with it as a bearer token */
    bool moves;  /* 301, 307 and 308 are followed on the same origin, as they are */
    const char *body;
    size_t length;
};

struct call_result {
    struct http_reply reply;
    struct text body; /* at most 1 MiB */
    char link[2048], remaining[24], reset[24];
    enum delivery_class class; /* by status; the channel may know better from the body */
    const char *why;           /* constant text; NULL when done */
    bool pause;                /* the whole destination asks for time */
};

/* Performs one. ERR_LIMIT, ERR_BUG; all else is in *ret_answer, which the caller ends with
 * call_result_done. */
bool sending_call(struct sending *sending, const struct call *call, struct call_result *ret_answer,
                  struct err *err);

/* Accepts a zeroed one. */
void call_result_done(struct call_result *answer);
#define scoped_call_result __attribute__((cleanup(call_result_done))) struct call_result

/* The body as JSON, a new reference; NULL when it is none or came in part. */
json_t *answer_json(const struct call_result *answer);

/* The answer is the outcome of the delivery; remote_ref (may be NULL) is kept when that is done.
 * True, so that it is a function's last word. */
bool sending_end(struct sending *sending, const struct call_result *answer, const char *remote_ref);

/* The same with another class than the status has, and why: text that holds no secret. */
bool sending_judge(struct sending *sending, const struct call_result *answer,
                   enum delivery_class class, const char *why);

/* Posts the frozen bytes as JSON and settles the outcome; query as of a call. With OK_BODY a 200
 * must say `ok`, else the receiver has rejected the message. */
enum post_answer { ANY_BODY, OK_BODY };
bool sending_post(struct sending *sending, const char *query, enum post_answer expected,
                  struct err *err);

/* What was to be sent, as JSON; a new reference. ERR_INPUT: it is none. */
json_t *sending_body(const struct sending *sending, struct err *err);

/* As body_print, for what may be longer than a message: at most max_bytes. */
bool body_print_within(json_t *root, size_t max_bytes, struct arena *arena,
                       struct message *ret_message, struct err *err);

/* A JSON body in the arena, one line. ERR_LIMIT. Takes the reference; NULL is what was too long. */
bool body_print(json_t *root, struct arena *arena, struct message *ret_message, struct err *err);

#endif
