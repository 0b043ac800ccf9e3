/* Tests of alerts/destination: sections as people write them, through the real reader of
 * configuration files. */
#include "alerts/destination.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 8 << 20 };

struct fixture {
    char path[64];
    struct arena arena;
    struct conf conf;
};

static int prepare(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL)
        return -1;
    (void)snprintf(fixture->path, sizeof fixture->path, "/tmp/stepledger-conf-XXXXXX");
    int fd = mkstemp(fixture->path);
    *state = fixture;
    arena_init(&fixture->arena, MEMORY_BYTES);
    return fd < 0 ? -1 : close(fd);
}

static int clear(void **state)
{
    struct fixture *fixture = *state;
    (void)unlink(fixture->path);
    arena_done(&fixture->arena);
    free(fixture);
    return 0;
}

/* The configuration of this test alone: nothing of the machine's own files. */
static void configure(struct fixture *fixture, const char *text)
{
    FILE *file = fopen(fixture->path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    struct err err = {0};
    fixture->conf = (struct conf){.arena = &fixture->arena};
    if (!conf_file_read(fixture->path, &fixture->arena, &fixture->conf.sections, &err))
        fail_msg("%s", err.text);
}

static void expect_refusal(struct fixture *fixture, const char *name, const char *says)
{
    struct destination destination;
    struct err err = {0};
    if (destination_find(&fixture->conf, name, &fixture->arena, &destination, &err))
        fail_msg("'%s' was taken; expected: %s", name, says);
    assert_int_equal(err.kind, ERR_USAGE);
    if (strstr(err.text, says) == NULL)
        fail_msg("%s\nexpected: %s", err.text, says);
    assert_null(strstr(err.text, "planted"));
}

static void reads_a_whole_section(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture, "[destination other]\nkind = nonsense\n\n"
                       "[destination team-hook]\n"
                       "kind = webhook\n"
                       "url = env:TEAM_HOOK_URL\n"
                       "secret = file:/etc/stepledger/hook\n"
                       "allow_addresses = 127.0.0.0/8, ::1\n"
                       "allow_ports = 8443, 9443\n"
                       "allow_http = yes\n"
                       "ca_file = /dev/null\n"
                       "timeout_ms = 1500\n");
    struct destination to;
    struct err err = {0};
    if (!destination_find(&fixture->conf, "team-hook", &fixture->arena, &to, &err))
        fail_msg("%s", err.text);
    assert_string_equal(to.name, "team-hook");
    assert_string_equal(to.kind, "webhook");
    assert_string_equal(to.url_ref, "env:TEAM_HOOK_URL");
    assert_string_equal(to.secret_ref, "file:/etc/stepledger/hook");
    assert_int_equal(to.policy.allowed.count, 2);
    assert_int_equal(to.policy.port_count, 2);
    assert_int_equal(to.policy.ports[0], 8443);
    assert_int_equal(to.policy.ports[1], 9443);
    assert_true(to.policy.allow_http);
    assert_string_equal(to.policy.ca_file, "/dev/null");
    assert_int_equal(to.policy.timeout_ms, 1500);
}

static void is_strict_where_nothing_is_said(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture, "[destination a]\nkind = webhook\nurl = https://example.com/hook\n");
    struct destination to;
    assert_true(destination_find(&fixture->conf, "a", &fixture->arena, &to, NULL));
    assert_null(to.secret_ref);
    assert_null(to.policy.ca_file);
    assert_false(to.policy.allow_http);
    assert_int_equal(to.policy.allowed.count, 0);
    assert_int_equal(to.policy.port_count, 0);
    assert_int_equal(to.policy.timeout_ms, 20000);
}

static void lets_later_entries_win(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture, "[destination a]\nkind = webhook\nurl = https://one.example/\n"
                       "allow_http = yes\nallow_addresses = ::1\n"
                       "[destination a]\nurl = https://two.example/\nallow_http = no\n"
                       "allow_addresses = 10.0.0.0/8, 127.0.0.1\n");
    struct destination to;
    assert_true(destination_find(&fixture->conf, "a", &fixture->arena, &to, NULL));
    assert_string_equal(to.url_ref, "https://two.example/");
    assert_false(to.policy.allow_http);
    assert_int_equal(to.policy.allowed.count, 2);
}

static void names_the_line_of_a_bad_entry_and_the_remedy(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"urll = x", "unknown key 'urll'; did you mean 'url'?"},
        {"allow_adresses = ::1", "did you mean 'allow_addresses'?"},
        {"password = planted", "unknown key 'password'"},
        {"kind = webhok", "did you mean 'webhook'?"},
        {"kind = carrier-pigeon", "there are: webhook"},
        {"url = http://example.com/planted", "set allow_http = yes"},
        {"url = https://planted:planted@example.com/", "user name or password"},
        {"url = planted", "is no URL"},
        {"secret = whsec_planted", "env:NAME, file:/PATH or credential:NAME"},
        {"secret =", "has no value"},
        {"allow_addresses = localhost", "'localhost' is not a network"},
        {"allow_addresses = 10.0.0.1/8", "write 10.0.0.0/8"},
        {"allow_ports = 0", "'0' must be"},
        {"allow_ports = 443,65536", "from 1 to 65535"},
        {"allow_ports = 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "at most 16 ports"},
        {"allow_http = true", "'true' must be yes or no"},
        {"ca_file = /nonexistent/ca.pem", "cannot read '/nonexistent/ca.pem'"},
        {"timeout_ms = 60001", "'60001' must be a whole number from 100 to 60000"},
        {"timeout_ms = 99", "from 100 to 60000"},
        {"timeout_ms = fast", "from 100 to 60000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512], place[128];
        (void)snprintf(text, sizeof text,
                       "[destination a]\nkind = webhook\nurl = https://example.com/\n%s\n",
                       cases[i].line);
        (void)snprintf(place, sizeof place, "%s:4: destination 'a'", fixture->path);
        configure(fixture, text);
        expect_refusal(fixture, "a", cases[i].says);
        expect_refusal(fixture, "a", place);
    }
}

static void says_what_a_section_lacks(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture, "[destination a]\nkind = webhook\n[destination b]\nurl = env:X\n");
    expect_refusal(fixture, "a", "destination 'a' has no url");
    expect_refusal(fixture, "b", "destination 'b' has no kind");
}

static void suggests_the_destination_that_was_meant(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture, "[destination team-hook]\nkind = webhook\nurl = env:X\n");
    expect_refusal(fixture, "teamhook", "did you mean 'team-hook'?");
    expect_refusal(fixture, "elsewhere", "[destination elsewhere]");
    configure(fixture, "");
    expect_refusal(fixture, "any", "'any' is not configured");
}

static void takes_indented_entries_and_refuses_lines_that_would_be_cut(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture, "[destination a]\n  kind = webhook\n\turl = https://example.com/\n");
    struct destination to;
    assert_true(destination_find(&fixture->conf, "a", &fixture->arena, &to, NULL));
    assert_string_equal(to.url_ref, "https://example.com/");
    char text[512] = "[destination a]\nkind = webhook\nurl = https://example.com/planted?k=";
    memset(text + strlen(text), 'x', 200);
    FILE *file = fopen(fixture->path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    struct conf_file read = {0};
    struct err err = {0};
    assert_false(conf_file_read(fixture->path, &fixture->arena, &read, &err));
    assert_non_null(strstr(err.text, ":3: the line has "));
    assert_null(strstr(err.text, "planted"));
}

static void permits_http_to_a_literal_url_in_any_order(void **state)
{
    struct fixture *fixture = *state;
    configure(fixture,
              "[destination a]\nurl = http://127.0.0.1:8080/\nkind = webhook\nallow_http = yes\n");
    struct destination to;
    assert_true(destination_find(&fixture->conf, "a", &fixture->arena, &to, NULL));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(reads_a_whole_section),
        CASE(is_strict_where_nothing_is_said),
        CASE(lets_later_entries_win),
        CASE(names_the_line_of_a_bad_entry_and_the_remedy),
        CASE(says_what_a_section_lacks),
        CASE(suggests_the_destination_that_was_meant),
        CASE(takes_indented_entries_and_refuses_lines_that_would_be_cut),
        CASE(permits_http_to_a_literal_url_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
