/* Implements the guarded exchange: options as a table, callbacks that enforce the caps and the
 * address policy. */
#include "ops/net/http.h"
#include "ops/net/guard.h"
#include "ops/net/url_handle.h"
#include "ops/runtime/text.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

enum {
    ANSWER_MAX_BYTES = 1 << 20,
    HEAD_MAX_BYTES = 64 << 10,
    PORT_HTTPS = 443,
    STALL_BYTES_PER_S = 1000
};

static const uint16_t https_ports[] = {PORT_HTTPS};

struct exchange {
    const struct http_policy *policy;
    const struct http_transfer *transfer;
    CURL *curl;
    struct http_reply *reply;
    struct guard guard;
    size_t head_bytes;
    int64_t body_bytes;
    size_t sent_bytes;    /* of a PUT */
    int status;           /* of the final answer, once its head is complete */
    bool head_done;       /* the head of a final answer is complete */
    const char *over_cap; /* which cap stopped the answer */
};

static const char head_over_cap[] = "the head of its answer is over 64 KiB";

/* ---- the answer ---- */

bool http_text_take(void *context, int status, const char *bytes, size_t length)
{
    (void)status;
    struct text *text = context;
    text_addn(text, bytes, length);
    return !text->failed;
}

/* Keeps the value of the header `name` when this line is that header. */
static void field_keep(const struct http_field *field, const char *line, size_t length)
{
    const size_t skip = strlen(field->name) + 1;
    if (length < skip || strncasecmp(line, field->name, skip - 1) != 0 || line[skip - 1] != ':')
        return;
    for (line += skip, length -= skip; length > 0 && (*line == ' ' || *line == '\t'); length--)
        line++;
    while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
        length--;
    if (length < field->size && memchr(line, '\0', length) == NULL) {
        memcpy(field->value, line, length);
        field->value[length] = '\0';
    }
}

/* One line of a head. Interim answers (1xx) have heads of their own; trailers come after head_done
 * and say nothing to us. */
static size_t take_header(char *line, size_t one, size_t length, void *user)
{
    struct exchange *exchange = user;
    exchange->head_bytes += one * length;
    if (exchange->head_bytes > HEAD_MAX_BYTES) {
        exchange->over_cap = head_over_cap;
        return 0;
    }
    if (exchange->head_done)
        return length;
    /* Every final or interim answer begins with its status line: what an earlier head said
     * is void. */
    const struct http_transfer *transfer = exchange->transfer;
    struct http_reply *reply = exchange->reply;
    const struct http_field own[] = {
        {"retry-after", reply->retry_after, sizeof reply->retry_after},
        {"date", reply->date, sizeof reply->date},
    };
    const size_t own_count = sizeof own / sizeof own[0];
    bool starts = length > 5 && memcmp(line, "HTTP/", 5) == 0;
    for (size_t i = 0; i < transfer->field_count + own_count; i++) {
        const struct http_field *field = i < own_count ? &own[i] : &transfer->fields[i - own_count];
        if (starts)
            field->value[0] = '\0';
        else
            field_keep(field, line, length);
    }
    if (length > 0 && (line[0] == '\r' || line[0] == '\n')) {
        long status = 0;
        (void)curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE, &status);
        exchange->head_done = status >= 200;
        exchange->status = (int)status;
    }
    return length;
}

/* The body is read also where nobody takes it, so that a receiver sees its answer taken. */
static size_t take_body(char *bytes, size_t one, size_t length, void *user)
{
    struct exchange *exchange = user;
    const struct http_sink *sink = &exchange->transfer->sink;
    int64_t most = sink->take == NULL ? ANSWER_MAX_BYTES : sink->max_bytes;
    exchange->body_bytes += (int64_t)(one * length);
    if (exchange->body_bytes > most)
        exchange->over_cap =
            sink->take == NULL ? "its answer is over 1 MiB" : "its answer is longer than allowed";
    else if (sink->take == NULL || sink->take(sink->context, exchange->status, bytes, length))
        return length;
    else
        exchange->over_cap = "the answer was not taken to its end";
    return 0;
}

/* ---- the body of a PUT ---- */

static size_t give_body(char *bytes, size_t one, size_t length, void *user)
{
    struct exchange *exchange = user;
    const struct http_request *request = &exchange->transfer->request;
    size_t left = request->body_length - exchange->sent_bytes, room = one * length;
    size_t now = left < room ? left : room;
    if (now > 0)
        memcpy(bytes, request->body + exchange->sent_bytes, now);
    exchange->sent_bytes += now;
    return now;
}

/* ---- options ---- */

static bool options_set(struct exchange *exchange, CURLU *url, struct curl_slist *headers,
                        struct err *err)
{
    static const unsigned long schemes[] = {
        [HTTP_ANONYMOUS] = CURLAUTH_BASIC,
        [HTTP_BASIC] = CURLAUTH_BASIC,
        [HTTP_BEARER] = CURLAUTH_BEARER,
        [HTTP_SIGV4] = CURLAUTH_AWS_SIGV4,
    };
    const struct http_policy *policy = exchange->policy;
    const struct http_transfer *transfer = exchange->transfer;
    const struct http_request *request = &transfer->request;
    const struct http_credential *credential = &transfer->credential;
    const intptr_t secret = (intptr_t)credential->secret;
    bool lasts = transfer->stall_s > 0, bears = credential->kind == HTTP_BEARER;
    /* A PUT is an upload and not a POST by another name: a form's content type would be sent, and
     * a signed URL lets nothing be sent that is not in its signature. */
    bool puts = transfer->method == HTTP_PUT, patches = transfer->method == HTTP_PATCH;
    bool posts = transfer->method == HTTP_POST || patches;
    const struct guard_option options[] = {
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_UNRESTRICTED_AUTH, 0},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
        {CURLOPT_TIMEOUT_MS, lasts ? 0 : policy->timeout_ms},
        {CURLOPT_LOW_SPEED_LIMIT, lasts ? STALL_BYTES_PER_S : 0},
        {CURLOPT_LOW_SPEED_TIME, transfer->stall_s},
        {CURLOPT_PROTOCOLS_STR, (intptr_t)(policy->allow_http ? "https,http" : "https")},
        {CURLOPT_REDIR_PROTOCOLS_STR, (intptr_t) "https"},
        {CURLOPT_USERAGENT, (intptr_t)("stepledger/" STEPLEDGER_VERSION)},
        {CURLOPT_HEADERFUNCTION, (intptr_t)take_header},
        {CURLOPT_HEADERDATA, (intptr_t)exchange},
        {CURLOPT_WRITEFUNCTION, (intptr_t)take_body},
        {CURLOPT_WRITEDATA, (intptr_t)exchange},
        {CURLOPT_READFUNCTION, (intptr_t)give_body},
        {CURLOPT_READDATA, (intptr_t)exchange},
        {CURLOPT_CURLU, (intptr_t)url},
        {CURLOPT_HTTPHEADER, (intptr_t)headers},
        {posts  ? CURLOPT_POST
         : puts ? CURLOPT_UPLOAD
                : CURLOPT_HTTPGET,
         1},
        {CURLOPT_POSTFIELDS, posts ? (intptr_t)request->body : 0},
        {CURLOPT_POSTFIELDSIZE_LARGE, posts ? (intptr_t)request->body_length : -1},
        {CURLOPT_INFILESIZE_LARGE, puts ? (intptr_t)request->body_length : -1},
        {CURLOPT_CUSTOMREQUEST, patches ? (intptr_t) "PATCH" : 0},
        {CURLOPT_HTTPAUTH, (intptr_t)schemes[credential->kind]},
        {CURLOPT_USERNAME, (intptr_t)credential->user},
        {CURLOPT_XOAUTH2_BEARER, bears ? secret : 0},
        {CURLOPT_PASSWORD, bears ? 0 : secret},
        {CURLOPT_AWS_SIGV4, (intptr_t)credential->scope},
    };
    return guard_set(&exchange->guard, exchange->curl, options, sizeof options / sizeof options[0],
                     err);
}

/* ---- the outcome ---- */

/* From the moment when the connection, TLS included, is ready, a part of the request may have left.
 * libcurl's own mark for that (pre-transfer) comes only after the first write. */
static bool request_left(const struct exchange *exchange)
{
    curl_off_t ready_us = 0;
    CURLcode code = exchange->guard.plain != NULL
                        ? curl_easy_getinfo(exchange->curl, CURLINFO_CONNECT_TIME_T, &ready_us)
                        : curl_easy_getinfo(exchange->curl, CURLINFO_APPCONNECT_TIME_T, &ready_us);
    return code != CURLE_OK || ready_us > 0;
}

static enum http_outcome outcome_of(const struct exchange *exchange, CURLcode code)
{
    if (exchange->head_done)
        return HTTP_ANSWERED;
    if (request_left(exchange))
        return HTTP_LOST;
    if (guard_refused(&exchange->guard))
        return HTTP_FORBIDDEN;
    bool unfit = code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT ||
                 code == CURLE_UNSUPPORTED_PROTOCOL;
    return unfit ? HTTP_UNFIT : HTTP_NOT_SENT;
}

/* The text for a code is constant; its error buffer could quote the URL and is never asked for. */
static void reply_fill(const struct exchange *exchange, CURLcode code, struct arena *arena)
{
    struct http_reply *reply = exchange->reply;
    reply->outcome = outcome_of(exchange, code);
    if (reply->outcome == HTTP_ANSWERED) {
        long status = 0;
        (void)curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE, &status);
        reply->status = (int)status;
        reply->body_whole = code == CURLE_OK;
        reply->body_why = code == CURLE_OK             ? NULL
                          : exchange->over_cap != NULL ? exchange->over_cap
                                                       : guard_says(exchange->curl, code);
        return;
    }
    const char *why = reply->outcome == HTTP_FORBIDDEN ? exchange->guard.forbidden
                      : exchange->over_cap != NULL     ? exchange->over_cap
                                                       : guard_says(exchange->curl, code);
    reply->why = arena_strdup(arena, why);
}

bool http_perform(const struct http_policy *policy, const struct http_transfer *transfer,
                  struct arena *arena, struct http_reply *ret_reply, struct err *err)
{
    scoped_url *url = NULL;
    struct http_reply reply = {.outcome = HTTP_UNFIT};
    reply.why = url_fault(transfer->request.url, policy->allow_http, &url);
    if (reply.why != NULL) {
        *ret_reply = reply;
        return true;
    }
    scoped_part *scheme = url_part(url, CURLUPART_SCHEME);
    scoped_curl *curl = guard_handle_new();
    scoped_curl_list *headers =
        guard_list(transfer->request.headers, transfer->request.header_count);
    struct exchange exchange = {.policy = policy,
                                .transfer = transfer,
                                .curl = curl,
                                .reply = &reply,
                                .guard = {.policy = policy,
                                          .ports = https_ports,
                                          .port_count = 1,
                                          .plain = strcmp(scheme, "https") == 0 ? NULL : "http"}};
    if (!options_set(&exchange, url, headers, err))
        return false;
    errno = 0;
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OUT_OF_MEMORY && !request_left(&exchange))
        memory_end();
    /* What libcurl says of a line of a head that is longer than it takes, too (100 KiB). */
    if (code == CURLE_OUT_OF_MEMORY && errno != ENOMEM)
        exchange.over_cap = head_over_cap;
    reply_fill(&exchange, code, arena);
    *ret_reply = reply;
    return true;
}
