/* Implements the guarded exchange: options as a table, callbacks that enforce the caps and the
 * address policy. */
#include "ops/net/http.h"
#include "ops/net/guard.h"
#include "ops/net/url_handle.h"

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
    const struct http_field retry_after = {"retry-after", exchange->reply->retry_after,
                                           sizeof exchange->reply->retry_after};
    bool starts = length > 5 && memcmp(line, "HTTP/", 5) == 0;
    for (size_t i = 0; i <= transfer->field_count; i++) {
        const struct http_field *field =
            i < transfer->field_count ? &transfer->fields[i] : &retry_after;
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

static bool set_longs(CURL *curl, const struct exchange *exchange)
{
    const struct http_policy *policy = exchange->policy;
    const struct http_transfer *transfer = exchange->transfer;
    bool lasts = transfer->stall_s > 0;
    const struct guard_long options[] = {
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_UNRESTRICTED_AUTH, 0},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
        {CURLOPT_TIMEOUT_MS, lasts ? 0 : (long)policy->timeout_ms},
        {CURLOPT_LOW_SPEED_LIMIT, lasts ? STALL_BYTES_PER_S : 0},
        {CURLOPT_LOW_SPEED_TIME, (long)transfer->stall_s},
    };
    return guard_longs_set(curl, options, sizeof options / sizeof options[0]);
}

static bool set_strings(CURL *curl, const struct http_policy *policy)
{
    const struct guard_string options[] = {
        {CURLOPT_PROTOCOLS_STR, policy->allow_http ? "https,http" : "https"},
        {CURLOPT_REDIR_PROTOCOLS_STR, "https"},
        {CURLOPT_USERAGENT, "stepledger/" STEPLEDGER_VERSION},
    };
    return guard_strings_set(curl, options, sizeof options / sizeof options[0]);
}

static bool set_post(CURL *curl, const struct http_request *request)
{
    return curl_easy_setopt(curl, CURLOPT_POST, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length) ==
               CURLE_OK;
}

static bool set_patch(CURL *curl, const struct http_request *request)
{
    return set_post(curl, request) &&
           curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "PATCH") == CURLE_OK;
}

static bool set_get(CURL *curl, const struct http_request *request)
{
    (void)request;
    return curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L) == CURLE_OK;
}

/* An upload and not a POST by another name: a form's content type would be sent, and a signed URL
 * lets nothing be sent that is not in its signature. */
static bool set_put(CURL *curl, const struct http_request *request)
{
    return curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body_length) ==
               CURLE_OK;
}

static bool set_credential(CURL *curl, const struct http_credential *credential)
{
    static const unsigned long schemes[] = {
        [HTTP_BASIC] = CURLAUTH_BASIC,
        [HTTP_BEARER] = CURLAUTH_BEARER,
        [HTTP_SIGV4] = CURLAUTH_AWS_SIGV4,
    };
    if (credential->kind == HTTP_ANONYMOUS)
        return true;
    CURLoption secret = credential->kind == HTTP_BEARER ? CURLOPT_XOAUTH2_BEARER : CURLOPT_PASSWORD;
    return curl_easy_setopt(curl, CURLOPT_HTTPAUTH, schemes[credential->kind]) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_USERNAME, credential->user) == CURLE_OK &&
           curl_easy_setopt(curl, secret, credential->secret) == CURLE_OK &&
           (credential->kind != HTTP_SIGV4 ||
            curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, credential->scope) == CURLE_OK);
}

static bool set_request(CURL *curl, CURLU *url, const struct http_transfer *transfer,
                        struct curl_slist *headers)
{
    static bool (*const methods[])(CURL * curl,
                                   const struct http_request *request) = {[HTTP_POST] = set_post,
                                                                          [HTTP_GET] = set_get,
                                                                          [HTTP_PUT] = set_put,
                                                                          [HTTP_PATCH] = set_patch};
    return curl_easy_setopt(curl, CURLOPT_CURLU, url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           methods[transfer->method](curl, &transfer->request) &&
           set_credential(curl, &transfer->credential);
}

static bool url_plain(CURLU *url)
{
    char *scheme = NULL;
    bool secure = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                  strcmp(scheme, "https") == 0;
    curl_free(scheme);
    return !secure;
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

/* The text for a code is constant, and stands where there is no memory for another; its error
 * buffer could quote the URL and is never asked for. */
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
    if (reply->why == NULL)
        reply->why = guard_says(exchange->curl, code);
}

bool http_perform(const struct http_policy *policy, const struct http_transfer *transfer,
                  struct arena *arena, struct http_reply *ret_reply, struct err *err)
{
    scoped_url *url = curl_url();
    if (url == NULL)
        return err_set_memory(err, "no memory for a URL");
    struct http_reply reply = {.outcome = HTTP_UNFIT};
    reply.why = url_fault(url, transfer->request.url, policy->allow_http);
    if (reply.why == url_no_memory)
        return err_set_memory(err, "no memory for a URL");
    if (reply.why != NULL) {
        *ret_reply = reply;
        return true;
    }
    scoped_curl *curl = guard_handle_new();
    scoped_curl_list *headers = NULL;
    if (curl == NULL ||
        !guard_list_make(transfer->request.headers, transfer->request.header_count, &headers))
        return err_set_memory(err, "no memory for an exchange");
    struct exchange exchange = {.policy = policy,
                                .transfer = transfer,
                                .curl = curl,
                                .reply = &reply,
                                .guard = {.policy = policy,
                                          .ports = https_ports,
                                          .port_count = 1,
                                          .plain = url_plain(url) ? "http" : NULL}};
    errno = 0;
    if (!set_longs(curl, &exchange) || !set_strings(curl, policy))
        return guard_option_failed(err);
    if (!guard_set(&exchange.guard, curl) ||
        curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_HEADERDATA, &exchange) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &exchange) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body) != CURLE_OK ||
        curl_easy_setopt(curl, CURLOPT_READDATA, &exchange) != CURLE_OK ||
        !set_request(curl, url, transfer, headers))
        return guard_option_failed(err);
    errno = 0;
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OUT_OF_MEMORY && !request_left(&exchange))
        return err_set_memory(err, "no memory for an exchange");
    /* What libcurl says of a line of a head that is longer than it takes, too (100 KiB). */
    if (code == CURLE_OUT_OF_MEMORY && errno != ENOMEM)
        exchange.over_cap = head_over_cap;
    reply_fill(&exchange, code, arena);
    *ret_reply = reply;
    return true;
}
