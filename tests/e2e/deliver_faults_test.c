/* Delivery over real sockets against the strict receiver: every fault ends in its documented
 * class (alerts/README.md), the rules of ops/net/README.md hold, and nothing secret is in any
 * reason. No database: tests/e2e/deliver_test.py covers the worker. */
#include "alerts/deliver.h"
#include "tests/support/receiver_process.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 16 << 20, TIMEOUT_MS = 20000, SHORT_MS = 2000 };

#define TOKEN "planted-token-51aa"
#define PATH "/" TOKEN
#define KEY_TEXT "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define BODY \
    "{\"type\": \"stepledger.verdict\", \"version\": 1, \"status\": \"fail\", \"headline\": \"h\"}"

struct fixture {
    struct arena arena;
    struct receiver_process receiver;
    struct cidr loopback[2];
    char url[512];
    struct destination to;
    struct delivery delivery;
};

static int prepare(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL)
        return -1;
    *state = fixture;
    arena_init(&fixture->arena, MEMORY_BYTES);
    fixture->loopback[0] = (struct cidr){.bytes = {127}, .prefix_bits = 8};
    fixture->loopback[1] = (struct cidr){.bytes = {[15] = 1}, .prefix_bits = 128, .ipv6 = true};
    fixture->to = (struct destination){
        .name = "test",
        .kind = "webhook",
        .policy = {.allowed = {fixture->loopback, 2}, .allow_http = true, .timeout_ms = TIMEOUT_MS},
    };
    return 0;
}

static int clear(void **state)
{
    struct fixture *fixture = *state;
    receiver_stop(&fixture->receiver);
    arena_done(&fixture->arena);
    free(fixture);
    return 0;
}

/* Starts a receiver with up to three options, and aims at it. */
static void aim(struct fixture *fixture, const char *one, const char *two, const char *three)
{
    const char *const options[] = {"--path", PATH, one, two, three, NULL};
    receiver_stop(&fixture->receiver);
    receiver_start(&fixture->receiver, options);
    (void)snprintf(fixture->url, sizeof fixture->url, "%s", fixture->receiver.url);
    fixture->to.url_ref = fixture->url;
}

static struct delivery_request request_of(const char *message_id)
{
    return (struct delivery_request){
        .content_type = "application/json",
        .body = BODY,
        .body_length = sizeof BODY - 1,
        .message_id = message_id,
        .wall_us = (int64_t)time(NULL) * 1000000,
    };
}

static void send_to(struct fixture *fixture, enum delivery_class class, const char *says)
{
    const struct delivery_request request = request_of("msg-1");
    struct err err = {0};
    if (!deliver(&fixture->to, &request, &fixture->arena, &fixture->delivery, &err))
        fail_msg("%s", err.text);
    const struct delivery *got = &fixture->delivery;
    const char *reason = got->reason == NULL ? "-" : got->reason;
    if (got->class != class)
        fail_msg("%s, expected %s: %s", delivery_class_names[got->class],
                 delivery_class_names[class], reason);
    assert_int_equal(got->reason == NULL, class == DELIVERY_DONE);
    if (says != NULL && strstr(reason, says) == NULL)
        fail_msg("'%s' does not say '%s'", reason, says);
    assert_null(strstr(reason, TOKEN));
    assert_null(strstr(reason, "MfKQ"));
}

static void expect_log(const struct fixture *fixture, const char *says)
{
    char *log = receiver_log(&fixture->receiver);
    bool found = strstr(log, says) != NULL;
    if (!found)
        print_error("%s\n", log);
    free(log);
    assert_true(found);
}

static void delivers_to_a_strict_receiver(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, NULL, NULL, NULL);
    send_to(fixture, DELIVERY_DONE, NULL);
    assert_int_equal(fixture->delivery.http_status, 200);
    assert_int_equal(fixture->delivery.retry_after_ms, -1);
    expect_log(fixture, "\"problems\": []");
    expect_log(fixture, "\"webhook-id\": \"msg-1\"");
    assert_int_equal(receiver_count(&fixture->receiver), 1);
}

static void signs_so_that_a_strict_receiver_is_content(void **state)
{
    struct fixture *fixture = *state;
    char key_file[] = "/tmp/stepledger-key-XXXXXX", reference[64];
    int fd = mkstemp(key_file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, KEY_TEXT "\n", sizeof KEY_TEXT), sizeof KEY_TEXT);
    assert_int_equal(close(fd), 0);
    (void)snprintf(reference, sizeof reference, "file:%s", key_file);
    aim(fixture, "--secret-file", key_file, NULL);
    send_to(fixture, DELIVERY_PERMANENT, "HTTP 401: the receiver does not accept our credential");
    fixture->to.secret_ref = reference;
    send_to(fixture, DELIVERY_DONE, NULL);
    expect_log(fixture, "\"problems\": []");
    assert_int_equal(chmod(key_file, 0644), 0);
    send_to(fixture, DELIVERY_PERMANENT, "chmod 600");
    assert_int_equal(unlink(key_file), 0);
    send_to(fixture, DELIVERY_PERMANENT, key_file);
    assert_int_equal(receiver_count(&fixture->receiver), 2);
}

static void classifies_each_fault_as_documented(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *fault;
        enum delivery_class class;
        int status;
        int64_t retry_after_ms;
        const char *says;
    } cases[] = {
        {"status=204", DELIVERY_DONE, 204, -1, NULL},
        {"status=299", DELIVERY_DONE, 299, -1, NULL},
        {"status=304", DELIVERY_PERMANENT, 304, -1, "redirects are not followed"},
        {"status=400", DELIVERY_PERMANENT, 400, -1, "rejects the message"},
        {"status=403", DELIVERY_PERMANENT, 403, -1, "does not permit"},
        {"status=404", DELIVERY_PERMANENT, 404, -1, "no such address"},
        {"status=410", DELIVERY_PERMANENT, 410, -1, "gone for good"},
        {"status=429", DELIVERY_RETRY, 429, -1, "slow down"},
        {"status=429;Retry-After: 0.5", DELIVERY_RETRY, 429, 500, "slow down"},
        {"status=429;retry-after:  7 ", DELIVERY_RETRY, 429, 7000, "slow down"},
        {"status=503;Retry-After: Fri, 01 Jan 2100 00:00:00 GMT", DELIVERY_RETRY, 503, 86400000,
         "not available"},
        /* By the receiver's clock, where it tells it. */
        {"status=503;Date: Fri, 01 Jan 2100 00:00:00 GMT;Retry-After: Fri, 01 Jan 2100 00:00:07 "
         "GMT",
         DELIVERY_RETRY, 503, 7000, "not available"},
        {"status=503;Retry-After: Sat, 01 Jan 2000 00:00:07 GMT;Date: Sat, 01 Jan 2000 00:00:00 "
         "GMT",
         DELIVERY_RETRY, 503, 7000, "not available"},
        {"status=503;Retry-After: nonsense", DELIVERY_RETRY, 503, -1, "not available"},
        {"status=500", DELIVERY_AMBIGUOUS, 500, -1, "perhaps after taking"},
        {"status=502", DELIVERY_AMBIGUOUS, 502, -1, "perhaps after taking"},
        {"status=504;Retry-After: 3", DELIVERY_AMBIGUOUS, 504, 3000, "perhaps after taking"},
        {"cut", DELIVERY_AMBIGUOUS, 0, -1, "may have taken the message"},
        {"cut-early", DELIVERY_AMBIGUOUS, 0, -1, "may have taken the message"},
        {"garbage", DELIVERY_AMBIGUOUS, 0, -1, "may have taken the message"},
        {"big-head", DELIVERY_AMBIGUOUS, 0, -1, "over 64 KiB"},
        {"long-line", DELIVERY_AMBIGUOUS, 0, -1, "the head of its answer is over 64 KiB"},
        {"cut-answer", DELIVERY_DONE, 200, -1, NULL},
        {"big", DELIVERY_DONE, 200, -1, NULL},
        {"interim", DELIVERY_DONE, 200, -1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        aim(fixture, "--fault", cases[i].fault, NULL);
        send_to(fixture, cases[i].class, cases[i].says);
        if (fixture->delivery.http_status != cases[i].status ||
            fixture->delivery.retry_after_ms != cases[i].retry_after_ms)
            fail_msg("%s: HTTP %d, retry after %lld ms", cases[i].fault,
                     fixture->delivery.http_status, (long long)fixture->delivery.retry_after_ms);
        assert_int_equal(receiver_wait(&fixture->receiver, 1), 1);
    }
}

static void waits_for_an_answer_only_as_long_as_it_may(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *fault;
        enum delivery_class class;
        int64_t timeout_ms; /* of what is delivered: long enough for the head of the answer */
    } cases[] = {{"hang", DELIVERY_AMBIGUOUS, SHORT_MS},
                 {"drip", DELIVERY_AMBIGUOUS, SHORT_MS},
                 {"drip-body", DELIVERY_DONE, 3 * SHORT_MS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture->to.policy.timeout_ms = cases[i].timeout_ms;
        aim(fixture, "--fault", cases[i].fault, NULL);
        bool done = cases[i].class == DELIVERY_DONE;
        send_to(fixture, cases[i].class, done ? NULL : "Timeout was reached");
        assert_int_equal(receiver_wait(&fixture->receiver, 1), 1);
    }
}

static void stops_reading_an_answer_that_does_not_end(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, "--fault", "endless", NULL);
    fixture->to.policy.timeout_ms = 60000;
    send_to(fixture, DELIVERY_DONE, NULL);
    assert_int_equal(receiver_wait(&fixture->receiver, 2), 2);
    expect_log(fixture, "\"whole\": false");
}

static void never_follows_a_redirect(void **state)
{
    struct fixture *fixture = *state;
    struct receiver_process elsewhere = {0};
    static const char *const no_options[] = {NULL};
    receiver_start(&elsewhere, no_options);
    char fault[512];
    (void)snprintf(fault, sizeof fault, "redirect=%s", elsewhere.url);
    aim(fixture, "--fault", fault, NULL);
    send_to(fixture, DELIVERY_PERMANENT, "HTTP 302: redirects are not followed");
    int reached = receiver_count(&elsewhere);
    receiver_stop(&elsewhere);
    assert_int_equal(reached, 0);
}

static void stays_out_of_the_inside_unless_told(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, NULL, NULL, NULL);
    const char *port = strrchr(fixture->receiver.url, ':');
    static const char *const hosts[] = {
        "127.0.0.1",  "localhost", "2130706433",         "0x7f.1", "0177.0.0.1",
        "127.1",      "0.0.0.0",   "[::ffff:127.0.0.1]", "[::1]",  "[::]",
        "[::7f00:1]", "0",         "127.255.255.254",
    };
    fixture->to.policy.allowed.count = 0;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        (void)snprintf(fixture->url, sizeof fixture->url, "http://%s%s", hosts[i], port);
        send_to(fixture, DELIVERY_PERMANENT, "is refused unless allow_addresses lists it");
        assert_non_null(strstr(fixture->delivery.reason, "nothing was sent"));
    }
    assert_int_equal(receiver_count(&fixture->receiver), 0);
}

static void permits_only_the_addresses_that_are_listed(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, NULL, NULL, NULL);
    fixture->loopback[0] = (struct cidr){.bytes = {127, 0, 0, 2}, .prefix_bits = 32};
    send_to(fixture, DELIVERY_PERMANENT, "its address 127.0.0.1 is loopback");
    fixture->loopback[0] = (struct cidr){.bytes = {127, 0, 0, 1}, .prefix_bits = 32};
    send_to(fixture, DELIVERY_DONE, NULL);
    fixture->to.policy.allow_http = false;
    send_to(fixture, DELIVERY_PERMANENT, "is http, which sends everything in the clear");
    assert_int_equal(receiver_count(&fixture->receiver), 1);
}

static void needs_more_for_public_addresses_than_a_url(void **state)
{
    struct fixture *fixture = *state;
    fixture->to.url_ref = "http://1.1.1.1/" TOKEN;
    send_to(fixture, DELIVERY_PERMANENT, "http to it is refused unless allow_addresses lists it");
    fixture->to.url_ref = "https://1.1.1.1:22/" TOKEN;
    send_to(fixture, DELIVERY_PERMANENT, "port 22 of the public address 1.1.1.1 is refused");
    static const uint16_t other_port = 23;
    fixture->to.policy.ports = &other_port;
    fixture->to.policy.port_count = 1;
    send_to(fixture, DELIVERY_PERMANENT, "port 22 of the public address 1.1.1.1 is refused");
}

static void retries_what_was_surely_not_sent(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, NULL, NULL, NULL);
    receiver_stop(&fixture->receiver); /* nobody listens on its port now */
    send_to(fixture, DELIVERY_RETRY, "nothing was sent");
    assert_int_equal(fixture->delivery.http_status, 0);
    fixture->to.url_ref = "https://no-such-host.invalid/" TOKEN;
    send_to(fixture, DELIVERY_RETRY, "nothing was sent");
}

static void lets_no_proxy_of_the_environment_in_between(void **state)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"};
    aim(fixture, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(setenv(names[i], "http://127.0.0.1:9/", 1), 0);
    send_to(fixture, DELIVERY_DONE, NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(unsetenv(names[i]), 0);
    expect_log(fixture, "\"problems\": []");
}

static void takes_no_credential_from_a_netrc(void **state)
{
    struct fixture *fixture = *state;
    char folder[] = "/tmp/stepledger-home-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/.netrc", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("default login someone password " TOKEN "\n", file);
    (void)fclose(file);
    char *home = getenv("HOME") == NULL ? NULL : strdup(getenv("HOME"));
    assert_int_equal(setenv("HOME", folder, 1), 0);
    aim(fixture, NULL, NULL, NULL);
    send_to(fixture, DELIVERY_DONE, NULL);
    expect_log(fixture, "\"problems\": []"); /* an Authorization header would be one */
    assert_int_equal(home == NULL ? unsetenv("HOME") : setenv("HOME", home, 1), 0);
    free(home);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void names_a_secret_that_is_missing(void **state)
{
    struct fixture *fixture = *state;
    fixture->to.url_ref = "env:STEPLEDGER_TEST_NO_URL";
    send_to(fixture, DELIVERY_PERMANENT, "STEPLEDGER_TEST_NO_URL is not set");
    fixture->to.url_ref = "file:/nonexistent/url";
    send_to(fixture, DELIVERY_PERMANENT, "'/nonexistent/url'");
    assert_int_equal(setenv("STEPLEDGER_TEST_URL", "not a url " TOKEN, 1), 0);
    fixture->to.url_ref = "env:STEPLEDGER_TEST_URL";
    send_to(fixture, DELIVERY_PERMANENT, "is no URL");
    assert_int_equal(setenv("STEPLEDGER_TEST_URL", "https://a:" TOKEN "@example.com/", 1), 0);
    send_to(fixture, DELIVERY_PERMANENT, "user name or password");
    assert_int_equal(unsetenv("STEPLEDGER_TEST_URL"), 0);
}

static void sends_no_header_that_it_did_not_make(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, NULL, NULL, NULL);
    static const char *const ids[] = {"", "a.b", "a\r\nX-Evil: 1", "a b", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct delivery_request request = request_of(ids[i]);
        assert_true(deliver(&fixture->to, &request, &fixture->arena, &fixture->delivery, NULL));
        assert_int_equal(fixture->delivery.class, DELIVERY_PERMANENT);
    }
    struct delivery_request request = request_of("msg-1");
    request.content_type = "application/json\r\nX-Evil: 1";
    assert_true(deliver(&fixture->to, &request, &fixture->arena, &fixture->delivery, NULL));
    assert_int_equal(fixture->delivery.class, DELIVERY_PERMANENT);
    assert_int_equal(receiver_count(&fixture->receiver), 0);
}

static void reports_a_delivery_beyond_its_budget(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, "--fault", "status=500", "--forever");
    /* Each budget fails at another place, until one suffices; a request that left was answered. */
    bool done = false;
    int before = 0, unsent = 0;
    for (size_t budget = 0; !done && budget < 16384; budget += 64) {
        scoped_arena arena;
        arena_init(&arena, budget);
        const struct delivery_request request = request_of("msg-1");
        struct err err = {0};
        done = deliver(&fixture->to, &request, &arena, &fixture->delivery, &err);
        if (done)
            break;
        int now = receiver_count(&fixture->receiver);
        assert_int_equal(err.kind, ERR_LIMIT);
        assert_int_equal(fixture->delivery.class,
                         now > before ? DELIVERY_AMBIGUOUS : DELIVERY_RETRY);
        unsent += now == before;
        before = now;
    }
    assert_true(done && unsent > 0);
    assert_int_equal(fixture->delivery.class, DELIVERY_AMBIGUOUS);
}

static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    int count = 0;
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count;
}

static void leaves_no_descriptor_open(void **state)
{
    struct fixture *fixture = *state;
    aim(fixture, NULL, NULL, NULL);
    send_to(fixture, DELIVERY_DONE, NULL);
    int before = open_descriptors();
    for (int i = 0; i < 20; i++)
        send_to(fixture, DELIVERY_DONE, NULL);
    receiver_stop(&fixture->receiver);
    send_to(fixture, DELIVERY_RETRY, NULL);
    assert_int_equal(open_descriptors(), before);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(delivers_to_a_strict_receiver),
        CASE(signs_so_that_a_strict_receiver_is_content),
        CASE(classifies_each_fault_as_documented),
        CASE(waits_for_an_answer_only_as_long_as_it_may),
        CASE(stops_reading_an_answer_that_does_not_end),
        CASE(never_follows_a_redirect),
        CASE(stays_out_of_the_inside_unless_told),
        CASE(permits_only_the_addresses_that_are_listed),
        CASE(needs_more_for_public_addresses_than_a_url),
        CASE(retries_what_was_surely_not_sent),
        CASE(lets_no_proxy_of_the_environment_in_between),
        CASE(takes_no_credential_from_a_netrc),
        CASE(names_a_secret_that_is_missing),
        CASE(sends_no_header_that_it_did_not_make),
        CASE(reports_a_delivery_beyond_its_budget),
        CASE(leaves_no_descriptor_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
