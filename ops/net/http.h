/* One guarded HTTP exchange.
 *
 * The rules of ops/net/README.md that concern a transfer live here: address decided at connect
 * time, no redirects, TLS verified, no proxy, no cookies, no netrc, HTTP/1.1, caps on time, answer
 * and its head. Whether an answer is good news is not decided here (alerts/classify.h), and nothing
 * is tried twice.
 */
#ifndef OPS_NET_HTTP_H
#define OPS_NET_HTTP_H

#include "ops/net/address.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one destination permits. */
struct http_policy {
    struct cidr_list
        allowed; /* reachable although not public, on any port, by http too where that is allowed */
    const uint16_t *ports; /* of public addresses, beside 443 */
    size_t port_count;
    bool allow_http;
    const char *ca_file; /* NULL = the system's authorities */
    int64_t timeout_ms;  /* of the whole exchange */
};

struct http_request {
    const char *url;            /* never shown; the caller wipes it */
    const char *const *headers; /* "Name: value", header_count of them, free of line breaks */
    size_t header_count;
    const char *body;
    size_t body_length;
};

enum http_outcome {
    HTTP_ANSWERED,  /* a complete head with a final status arrived; the body may be cut */
    HTTP_LOST,      /* the request may have reached the receiver, its answer did not reach us */
    HTTP_NOT_SENT,  /* no connection: name, network, TLS */
    HTTP_FORBIDDEN, /* every address of the host is forbidden by the policy */
    HTTP_UNFIT      /* the request cannot be made as configured: URL, authority file */
};

struct http_reply {
    enum http_outcome outcome;
    int status;           /* 0 unless answered */
    const char *why;      /* one redacted sentence; NULL when answered */
    char retry_after[64]; /* the header's value, "" when absent or longer */
    char date[64];        /* likewise: when it was answered, by the receiver's clock */
    bool body_whole;      /* answered, and the body came to its end */
    const char *body_why; /* constant text: why the body did not; NULL when it did */
};

enum http_method { HTTP_POST, HTTP_GET, HTTP_PUT, HTTP_PATCH };

/* How a request says who asks. libcurl forms the header; nothing but this one request gets it. */
enum http_credential_kind {
    HTTP_ANONYMOUS,
    HTTP_BASIC,  /* user and secret */
    HTTP_BEARER, /* secret */
    HTTP_SIGV4   /* user (access key), secret, scope "aws:amz:REGION:SERVICE" */
};

struct http_credential {
    enum http_credential_kind kind;
    const char *user, *secret, *scope;
};

/* Takes the body of an answer, in the calling thread, piece by piece; the head has been read.
 * false ends the transfer; the taker knows why. */
struct http_sink {
    bool (*take)(void *context, int status, const char *bytes, size_t length);
    void *context;
    int64_t max_bytes; /* of the body; beyond it the transfer ends */
};

/* The `take` of a sink whose context is a struct text: ends where that is full. */
bool http_text_take(void *context, int status, const char *bytes, size_t length);

/* A header of the answer that the caller wants to see. */
struct http_field {
    const char *name; /* in lower case, without the colon */
    char *value;      /* of size bytes; "" when the header is absent or longer */
    size_t size;
};

struct http_transfer {
    struct http_request request; /* of a GET, the body is NULL */
    enum http_method method;
    struct http_credential credential;
    struct http_sink sink; /* take NULL: the body is read, at most 1 MiB, and dropped */
    struct http_field *fields;
    size_t field_count;
    int64_t stall_s; /* 0: the policy's timeout bounds the whole exchange; else it may last, but
                        ends when less than 1 kB/s came or went for so long */
};

/* Performs the exchange. false only for errors of ours (ERR_BUG libcurl) before anything
 * was sent; all else is in *ret_reply. Several threads may call it, each with an arena of
 * its own. */
bool http_perform(const struct http_policy *policy, const struct http_transfer *transfer,
                  struct arena *arena, struct http_reply *ret_reply, struct err *err);

#endif
