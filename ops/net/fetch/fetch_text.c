/* Implements the reading of a document into memory, and the step to where a redirect points. */
#include "ops/net/fetch/fetch_text.h"
#include "ops/net/remote_words.h"
#include "ops/net/url.h"
#include "ops/net/url_handle.h"
#include "ops/runtime/json.h"

#include <string.h>

enum { ASK_MEMORY_BYTES = 256 << 10, URL_BYTES = 8 << 10, WORDS_BYTES = 512 };

struct reading {
    struct text body;
    char location[URL_BYTES];
    struct http_reply reply;
};

bool fetch_redirect(const char *location, struct fetch_place *place, struct arena *arena)
{
    scoped_url *before = url_parsed(place->url, 0), *after = url_parsed(place->url, 0);
    if (before == NULL || after == NULL || location[0] == '\0' ||
        !url_part_set(after, CURLUPART_URL, location, 0))
        return false;
    if (!url_same_origin(before, after))
        *place = (struct fetch_place){.url = place->url};
    scoped_part *whole = url_part(after, CURLUPART_URL);
    if (whole == NULL)
        return false;
    place->url = arena_strdup(arena, whole);
    return true;
}

static bool read_once(const struct fetch_ask *ask, const struct fetch_place *place,
                      struct reading *reading, struct arena *arena, struct err *err)
{
    const char *headers[FETCH_PLACE_HEADERS];
    size_t header_count = 0;
    while (header_count < FETCH_PLACE_HEADERS && place->headers[header_count] != NULL) {
        headers[header_count] = place->headers[header_count];
        header_count++;
    }
    struct http_field fields[] = {{"location", reading->location, sizeof reading->location}};
    const struct http_transfer transfer = {
        .request = {.url = place->url, .headers = headers, .header_count = header_count},
        .method = HTTP_GET,
        .credential = place->credential,
        .sink = {http_text_take, &reading->body, INT64_MAX},
        .fields = fields,
        .field_count = 1,
    };
    size_t max_bytes = reading->body.max_bytes;
    text_done(&reading->body);
    text_init(&reading->body, max_bytes);
    reading->location[0] = '\0';
    return http_perform(ask->policy, &transfer, arena, &reading->reply, err);
}

static bool read_redirected(const struct fetch_ask *ask, struct reading *reading,
                            struct arena *arena, struct err *err)
{
    struct fetch_place place = ask->place;
    for (int hops = 0; hops <= FETCH_REDIRECTS_MAX; hops++) {
        if (!read_once(ask, &place, reading, arena, err))
            return false;
        scoped_secret same = {0};
        const struct http_reply *reply = &reading->reply;
        if (reply->outcome != HTTP_ANSWERED || reply->status / 100 != 3 ||
            (ask->stays && !url_follow(place.url, reading->location, &same)) ||
            !fetch_redirect(reading->location, &place, arena))
            return true;
    }
    return err_set(err, ERR_INPUT, "%s: redirected too often", ask->name);
}

static bool read_failed(const struct fetch_ask *ask, const struct reading *reading, const char *why,
                        struct err *err)
{
    const struct http_reply *reply = &reading->reply;
    const char *between = why == NULL ? "" : "; ", *behind = why == NULL ? "" : why;
    if (reading->body.failed)
        return err_set(err, ERR_LIMIT, "%s is longer than %zu bytes", ask->name,
                       reading->body.max_bytes);
    if (reply->outcome != HTTP_ANSWERED || reply->status / 100 == 2) {
        bool misfit = reply->outcome == HTTP_FORBIDDEN || reply->outcome == HTTP_UNFIT;
        const char *what = reply->why != NULL ? reply->why : reply->body_why;
        return err_set(err, misfit ? ERR_USAGE : ERR_UNAVAILABLE, "%s: %s%s%s", ask->name,
                       what == NULL ? "" : what, between, behind);
    }
    scoped_text words;
    text_init(&words, WORDS_BYTES * 4);
    /* What a refusal says: its "message" (forges, Google's below "error"), else all of it. */
    const struct text *body = &reading->body;
    scoped_json *root = json_parse(text_string(body), body->length, ask->name, NULL);
    json_t *below = json_object_get(root, "error");
    json_t *message = json_object_get(json_is_object(below) ? below : root, "message");
    remote_words_add(&words,
                     json_is_string(message) ? json_string_value(message) : text_string(body),
                     ask->place.credential.secret);
    bool later = reply->status >= 500 || reply->status == 429 || reply->status == 408;
    enum err_kind kind = later ? ERR_UNAVAILABLE : reply->status == 404 ? ERR_MISSING : ERR_INPUT;
    return err_set(err, kind, "%s: HTTP %d: %s%s%s", ask->name, reply->status, text_shown(&words),
                   between, behind);
}

static void reading_done(struct reading *reading)
{
    text_done(&reading->body);
}
#define scoped_reading __attribute__((cleanup(reading_done))) struct reading

bool fetch_text(const struct fetch_ask *ask, struct text *out, struct err *err)
{
    struct pace pace = pace_of(ask->retry, ask->gate, PACE_FILE);
    scoped_reading reading = {0};
    text_init(&reading.body, out->max_bytes);
    for (;;) {
        scoped_arena arena;
        arena_init(&arena, ASK_MEMORY_BYTES);
        const char *why = NULL;
        pace_enter(&pace);
        if (!read_redirected(ask, &reading, &arena, err))
            return false;
        const struct http_reply *reply = &reading.reply;
        bool good = reply->outcome == HTTP_ANSWERED && reply->status / 100 == 2;
        if (good && reply->body_whole) {
            text_addn(out, text_string(&reading.body), reading.body.length);
            return text_ok(out, ask->name, err);
        }
        if (reading.body.failed || ask->retry == NULL || !pace_worth(PACE_FILE, reply) ||
            !pace_again(&pace, reply, &why))
            return read_failed(ask, &reading, why, err);
    }
}
