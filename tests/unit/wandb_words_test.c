/* Tests of what people are shown of a service's words, of paths that others choose, and of the
 * waits between attempts: ops/net/wandb/wandb_failure, fetch_path, pace. */
#include "ops/net/fetch/fetch_path.h"
#include "ops/net/fetch/fetch_text.h"
#include "ops/net/pace.h"
#include "ops/net/remote_words.h"
#include "ops/net/wandb/wandb_failure.h"
#include "ops/runtime/clock.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20 };

#define KEY "planted00000000000000000000000000000000f"

static void shows_words_without_what_is_secret(void **state)
{
    (void)state;
    static const struct {
        const char *words, *shown;
    } cases[] = {
        {"project not found", "project not found"},
        {"bad key " KEY "!", "bad key [key]!"},
        {"x" KEY, "[…]"},
        {"Basic YXBpOnBsYW50ZWQwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDBm", "Basic […]"},
        {"see https://h/p?X-Amz-Signature=abc&b=1 now", "see https://h/p[…] now"},
        {"see https://user@h/p", "see https://user[…]"},
        {"is it 3? yes", "is it 3? yes"},
        {"two\nlines\x1b[31m", "two lines[31m"},
        {"\xff", "\uFFFD"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_text out;
        text_init(&out, 4096);
        remote_words_add(&out, cases[i].words, KEY);
        assert_string_equal(text_string(&out), cases[i].shown);
    }
}

static void cuts_long_words(void **state)
{
    (void)state;
    char words[2000];
    for (size_t i = 0; i < sizeof words - 1; i++)
        words[i] = i % 8 == 7 ? ' ' : 'x';
    words[sizeof words - 1] = '\0';
    scoped_text out;
    text_init(&out, 4096);
    remote_words_add(&out, words, NULL);
    assert_int_equal(out.length, 37 * 8 + strlen("…")); /* of 300 characters the whole words */
}

static void expect_failure(const char *body, int status, enum err_kind kind, const char *says)
{
    static const struct wandb_config config = {.base_url = {"https://h", "default"}};
    struct wandb_client client = {.config = &config,
                                  .key = {(char *)(uintptr_t)KEY, sizeof KEY - 1},
                                  .key_source = "environment WANDB_API_KEY",
                                  .entity = {"e", "option --entity"}};
    const struct http_reply reply = {
        .outcome = HTTP_ANSWERED, .status = status, .body_whole = true};
    scoped_text text;
    text_init(&text, 4096);
    text_add(&text, body);
    struct err err = {0};
    assert_false(wandb_failure(&client, "Call", &reply, &text, NULL, &err));
    if (strstr(err.text, says) == NULL || err.kind != kind)
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_non_null(strstr(err.text, "[W&B at https://h (from default), entity 'e' from option "
                                     "--entity, key from environment WANDB_API_KEY]"));
}

static void reads_every_form_of_an_error(void **state)
{
    (void)state;
    expect_failure("{\"errors\": [{\"message\": \"a\"}, \"b\"]}", 400, ERR_INPUT, "a; b");
    expect_failure("{\"errors\": [1, 2, 3, 4, 5]}", 400, ERR_INPUT, "and 2 more");
    expect_failure("{\"error\": \"quota\"}", 403, ERR_INPUT, "HTTP 403: quota");
    expect_failure("{\"error\": {\"message\": \"m\"}}", 500, ERR_UNAVAILABLE, "m; try again");
    expect_failure(" <!DOCTYPE html><p>x", 502, ERR_UNAVAILABLE, "a page of HTML");
    expect_failure("plain words", 404, ERR_MISSING, "plain words; are host, entity and project");
    expect_failure("", 409, ERR_CONFLICT, "another writer was faster");
    expect_failure("", 413, ERR_LIMIT, "too large");
    expect_failure("", 302, ERR_USAGE, "Call: HTTP 302; redirects are not followed");
    expect_failure("[]", 200, ERR_INPUT, "Call: HTTP 200: []; the answer is no GraphQL");
    expect_failure("", 429, ERR_UNAVAILABLE, "slow down");
    expect_failure("", 600, ERR_INPUT, "is that a W&B server?");
}

static void names_what_is_wrong_with_a_path(void **state)
{
    (void)state;
    static const struct {
        const char *path, *fault;
    } cases[] = {
        {"a", NULL},
        {"a/b.c/d-e", NULL},
        {"..a/b..", NULL},
        {"", "is empty"},
        {"/a", "is absolute"},
        {"a\\b", "holds a backslash"},
        {"\\a", "holds a backslash"},
        {"C:a", "begins with a drive letter"},
        {"a\nb", "holds a control character"},
        {"..", "has a part that is . or .."},
        {"a/./b", "has a part that is . or .."},
        {"a/../b", "has a part that is . or .."},
        {"a//b", "has an empty part"},
        {"a/", "has an empty part"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *fault = fetch_path_fault(cases[i].path);
        if (cases[i].fault == NULL)
            assert_null(fault);
        else
            assert_string_equal(fault, cases[i].fault);
    }
}

static void leaves_the_credential_behind_on_another_host(void **state)
{
    (void)state;
    static const struct {
        const char *location, *url;
        bool kept;
    } cases[] = {
        {"/c?d", "https://h/c?d", true},
        {"c", "https://h/a/c", true},
        {"https://h:443/c", "https://h:443/c", true},
        {"https://H/c", "https://H/c", false}, /* another spelling is no reason to trust */
        {"https://h:444/c", "https://h:444/c", false},
        {"http://h/c", "http://h/c", false},
        {"//g/c", "https://g/c", false},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char header[] = "x: y";
        struct fetch_place place = {"https://h/a/b", {HTTP_BASIC, "u", "s", NULL}, {header}};
        assert_true(fetch_redirect(cases[i].location, &place, &arena));
        assert_int_equal(place.credential.kind != HTTP_ANONYMOUS, cases[i].kept);
        assert_int_equal(place.headers[0] != NULL, cases[i].kept);
        assert_string_equal(place.url, cases[i].url);
    }
    struct fetch_place place = {.url = "https://h/a"};
    assert_false(fetch_redirect("", &place, &arena));
    assert_false(fetch_redirect("http://", &place, &arena));
}

/* The table of ops/net/README.md. */
static void tries_again_what_may_go_better(void **state)
{
    (void)state;
    static const struct {
        int status;
        bool graphql, upsert, file;
    } cases[] = {
        {400, false, false, false}, {401, false, false, false}, {403, false, false, false},
        {404, false, false, false}, {408, true, true, true},    {409, false, true, true},
        {410, false, false, false}, {413, false, false, false}, {422, false, false, false},
        {425, true, true, false},   {429, true, true, true},    {418, true, true, false},
        {500, true, true, true},    {501, false, false, false}, {502, true, true, true},
        {504, true, true, true},    {308, false, false, true},  {301, false, false, false},
        {600, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct http_reply reply = {.outcome = HTTP_ANSWERED, .status = cases[i].status};
        assert_int_equal(pace_worth(PACE_GRAPHQL, &reply), cases[i].graphql);
        assert_int_equal(pace_worth(PACE_UPSERT, &reply), cases[i].upsert);
        assert_int_equal(pace_worth(PACE_FILE, &reply), cases[i].file);
    }
    assert_true(pace_worth(PACE_FILE, &(struct http_reply){.outcome = HTTP_LOST}));
    assert_true(pace_worth(PACE_FILE, &(struct http_reply){.outcome = HTTP_NOT_SENT}));
    assert_false(pace_worth(PACE_FILE, &(struct http_reply){.outcome = HTTP_FORBIDDEN}));
    assert_false(pace_worth(PACE_FILE, &(struct http_reply){.outcome = HTTP_UNFIT}));
}

static void bounds_attempts_time_and_patience(void **state)
{
    (void)state;
    const struct retry_policy policy = {.base_ms = 1, .cap_ms = 2, .max_attempts = 3};
    struct pace_gate gate = {0};
    struct http_reply reply = {.outcome = HTTP_LOST};
    const char *why = NULL;
    struct pace pace = pace_of(&policy, &gate, PACE_FILE);
    assert_true(pace_again(&pace, &reply, &why));
    assert_true(pace_again(&pace, &reply, &why));
    assert_false(pace_again(&pace, &reply, &why));
    assert_string_equal(why, "all attempts are used up");
    memcpy(reply.retry_after, "901", 4);
    pace = pace_of(&policy, &gate, PACE_FILE);
    assert_false(pace_again(&pace, &reply, &why));
    assert_string_equal(why, "it asks to come back in more than 15 minutes");
    const struct retry_policy short_policy = {
        .base_ms = 1, .cap_ms = 2, .max_attempts = 3, .deadline_ms = 50};
    memcpy(reply.retry_after, "2", 2);
    pace = pace_of(&short_policy, &gate, PACE_FILE);
    assert_false(pace_again(&pace, &reply, &why));
    assert_string_equal(why, "the time for retries is used up");
}

static void waits_as_long_as_the_host_asks(void **state)
{
    (void)state;
    const struct retry_policy policy = {.base_ms = 1, .cap_ms = 2, .max_attempts = 3};
    struct pace_gate gate = {0};
    struct http_reply reply = {.outcome = HTTP_ANSWERED, .status = 429, .retry_after = "0.1"};
    const char *why = NULL;
    struct pace pace = pace_of(&policy, &gate, PACE_FILE);
    int64_t before = clock_monotonic_ms();
    assert_true(pace_again(&pace, &reply, &why));
    pace_enter(&pace);
    assert_true(clock_monotonic_ms() - before >= 100);
    pace_quota(&gate, "1", "60");
    pace_quota(&gate, "", "60");
    pace_quota(&gate, "0", "");
    pace_quota(&gate, "0", "100000");
    before = clock_monotonic_ms();
    pace_enter(&pace);
    assert_true(clock_monotonic_ms() - before < 50);
    pace_quota(&gate, "0", "0.1");
    pace_enter(&pace);
    assert_true(clock_monotonic_ms() - before >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_words_without_what_is_secret),
        cmocka_unit_test(cuts_long_words),
        cmocka_unit_test(reads_every_form_of_an_error),
        cmocka_unit_test(names_what_is_wrong_with_a_path),
        cmocka_unit_test(leaves_the_credential_behind_on_another_host),
        cmocka_unit_test(tries_again_what_may_go_better),
        cmocka_unit_test(bounds_attempts_time_and_patience),
        cmocka_unit_test(waits_as_long_as_the_host_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
