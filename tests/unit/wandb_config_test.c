/* Tests of ops/net/wandb/wandb_config, wandb_key and netrc: which source wins, which key is found,
 * and that no message quotes one. */
#include "ops/net/wandb/wandb_config.h"
#include "ops/runtime/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 8 << 20 };

#define KEY "planted00000000000000000000000000000000f"

struct fixture {
    char folder[64], before[4096];
    struct arena arena;
    struct conf conf;
};

static const char *const variables[] = {"WANDB_BASE_URL",
                                        "WANDB_APP_URL",
                                        "WANDB_ENTITY",
                                        "WANDB_PROJECT",
                                        "WANDB_CONFIG_DIR",
                                        "WANDB_API_KEY",
                                        "WANDB_IDENTITY_TOKEN_FILE",
                                        "NETRC"};

static int prepare(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL)
        return -1;
    *state = fixture;
    arena_init(&fixture->arena, MEMORY_BYTES);
    fixture->conf.arena = &fixture->arena;
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/stepledger-wandb-XXXXXX");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        (void)unsetenv(variables[i]);
    if (mkdtemp(fixture->folder) == NULL || getcwd(fixture->before, sizeof fixture->before) == NULL)
        return -1;
    return chdir(fixture->folder) == 0 && setenv("HOME", fixture->folder, 1) == 0 ? 0 : -1;
}

static int clear(void **state)
{
    struct fixture *fixture = *state;
    int failed = chdir(fixture->before);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    failed = system(command) != 0 || failed != 0;
    arena_done(&fixture->arena);
    free(fixture);
    return failed;
}

static void put(const char *path, const char *text)
{
    char folder[256];
    (void)snprintf(folder, sizeof folder, "./%s", path);
    *strrchr(folder, '/') = '\0';
    struct err err = {0};
    if (!file_make_dirs(folder, &err) || !file_write_atomic(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
}

static void configure(struct fixture *fixture, const char *text)
{
    struct err err = {0};
    put("own.conf", text);
    fixture->conf.sections = (struct conf_file){0};
    if (!conf_file_read("own.conf", &fixture->arena, &fixture->conf.sections, &err))
        fail_msg("%s", err.text);
}

static struct wandb_config load(struct fixture *fixture, const char *entity, const char *project)
{
    struct wandb_config config;
    struct err err = {0};
    if (!wandb_config_load(&fixture->conf, entity, project, &fixture->arena, &config, &err))
        fail_msg("%s", err.text);
    return config;
}

static void expect_refusal(struct fixture *fixture, const char *says)
{
    struct wandb_config config;
    struct err err = {0};
    assert_false(wandb_config_load(&fixture->conf, NULL, NULL, &fixture->arena, &config, &err));
    if (strstr(err.text, says) == NULL || err.kind != ERR_USAGE)
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static void see_value(const struct wandb_value *value, const char *text, const char *source)
{
    assert_string_equal(value->text, text);
    assert_string_equal(value->source, source);
}

static void lets_later_sources_win_and_names_them(void **state)
{
    struct fixture *fixture = *state;
    struct wandb_config config = load(fixture, NULL, NULL);
    see_value(&config.base_url, "https://api.wandb.ai", "default");
    see_value(&config.app_url, "https://wandb.ai", "default");
    assert_null(config.entity.text);
    put(".config/wandb/settings", "[default]\nentity = one\nproject = user\n[x]\nentity = no\n");
    config = load(fixture, NULL, NULL);
    assert_string_equal(config.entity.text, "one");
    put("wandb/settings", "[default]\nentity = two\n");
    config = load(fixture, NULL, NULL);
    see_value(&config.entity, "two", "wandb/settings:2");
    assert_string_equal(config.project.text, "user");
    configure(fixture, "[wandb]\nentity = three\n");
    config = load(fixture, NULL, NULL);
    see_value(&config.entity, "three", "own.conf:2");
    (void)setenv("WANDB_ENTITY", "four", 1);
    (void)setenv("WANDB_PROJECT", "", 1);
    config = load(fixture, NULL, NULL);
    see_value(&config.entity, "four", "environment WANDB_ENTITY");
    config = load(fixture, "five", "six");
    see_value(&config.entity, "five", "option --entity");
    see_value(&config.project, "six", "option --project");
}

/* A folder that someone else filled must not say where the key goes. */
static void takes_no_host_from_the_working_folder(void **state)
{
    struct fixture *fixture = *state;
    put("wandb/settings", "[default]\nbase_url = https://evil.example\nproject = p\n");
    struct wandb_config config = load(fixture, NULL, NULL);
    assert_string_equal(config.base_url.text, "https://api.wandb.ai");
    assert_string_equal(config.project.text, "p");
    put("other/settings", "[default]\nbase_url = https://wandb.example.com/\n");
    (void)setenv("WANDB_CONFIG_DIR", "other", 1);
    config = load(fixture, NULL, NULL);
    see_value(&config.base_url, "https://wandb.example.com", "other/settings:2");
}

static void derives_the_address_of_pages(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"https://api.wandb.ai/", "https://wandb.ai"},
        {"https://api.wandb.example.com", "https://wandb.example.com"},
        {"https://api.example.com", "https://app.example.com"},
        {"https://example.com/wandb//", "https://example.com/wandb"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)setenv("WANDB_BASE_URL", cases[i][0], 1);
        struct wandb_config config = load(fixture, NULL, NULL);
        assert_string_equal(config.app_url.text, cases[i][1]);
    }
    (void)setenv("WANDB_APP_URL", "https://pages.example.com/", 1);
    struct wandb_config config = load(fixture, NULL, NULL);
    assert_string_equal(config.app_url.text, "https://pages.example.com");
}

static void refuses_addresses_that_are_not_the_api(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"https://wandb.ai", "which is not its API"},
        {"http://api.wandb.ai", "is http"},
        {"http://example.com", "is http"},
        {"ftp://example.com", "scheme other than https"},
        {"https://user:" KEY "@example.com", "user name or password"},
        {"example", "is no URL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)setenv("WANDB_BASE_URL", cases[i][0], 1);
        expect_refusal(fixture, cases[i][1]);
        expect_refusal(fixture, "environment WANDB_BASE_URL");
    }
}

static void names_the_place_of_a_bad_key(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"[wandb]\nentty = x\n",
         "own.conf:2: [wandb]: unknown key 'entty'; did you mean 'entity'?"},
        {"[wandb]\napi_key = " KEY "\n", "say where the secret is kept"},
        {"[wandb]\nattempts = 0\n", "'0' must be a whole number from 1 to 1000"},
        {"[wandb]\n\nconnections = 17\n", "own.conf:3"},
        {"[wandb]\nallow_http = maybe\n", "must be yes or no"},
        {"[wandb]\nentity =\n", "has no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        configure(fixture, cases[i][0]);
        expect_refusal(fixture, cases[i][1]);
    }
    configure(fixture, "[wandb]\nattempts = 3\nbase_ms = 5\ncap_ms = 6\ndeadline_ms = 7\n"
                       "stall_s = 8\nconnections = 9\ntimeout_ms = 1000\nallow_ports = 8443\n");
    struct wandb_config config = load(fixture, NULL, NULL);
    assert_int_equal(config.retry.max_attempts, 3);
    assert_int_equal(config.retry.base_ms + config.retry.cap_ms + config.retry.deadline_ms, 18);
    assert_int_equal(config.stall_s + config.connections, 17);
    assert_int_equal(config.policy.timeout_ms, 1000);
    assert_int_equal(config.policy.ports[0], 8443);
}

/* ---- keys ---- */

static void expect_key(struct fixture *fixture, const char *wanted, const char *source)
{
    struct wandb_config config = load(fixture, NULL, NULL);
    scoped_secret key = {0};
    const char *from;
    struct err err = {0};
    if (!wandb_key_read(&config, &fixture->arena, &key, &from, &err))
        fail_msg("%s", err.text);
    assert_string_equal(key.text, wanted);
    assert_string_equal(from, source);
}

static void expect_no_key(struct fixture *fixture, enum err_kind kind, const char *says)
{
    struct wandb_config config = load(fixture, NULL, NULL);
    struct secret key = {0};
    const char *from;
    struct err err = {0};
    assert_false(wandb_key_read(&config, &fixture->arena, &key, &from, &err));
    assert_null(key.text);
    assert_null(strstr(err.text, "planted"));
    if (strstr(err.text, says) == NULL || err.kind != kind)
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static void finds_the_key_in_the_order_of_its_sources(void **state)
{
    struct fixture *fixture = *state;
    expect_no_key(fixture, ERR_MISSING, "machine api.wandb.ai login user password KEY");
    put("_netrc", "machine api.wandb.ai password " KEY "2\n");
    expect_key(fixture, KEY "2",
               arena_printf(&fixture->arena, "netrc file %s/_netrc", fixture->folder));
    put(".netrc", "machine api.wandb.ai login x password " KEY "3");
    expect_key(fixture, KEY "3",
               arena_printf(&fixture->arena, "netrc file %s/.netrc", fixture->folder));
    put("elsewhere", "machine api.wandb.ai\n  login x\n  password " KEY "4\n");
    (void)setenv("NETRC", "elsewhere", 1);
    expect_key(fixture, KEY "4", "netrc file elsewhere");
    (void)setenv("WANDB_API_KEY", KEY "5", 1);
    expect_key(fixture, KEY "5", "environment WANDB_API_KEY");
    put("key", KEY "6\n");
    assert_int_equal(chmod("key", 0600), 0);
    configure(fixture,
              arena_printf(&fixture->arena, "[wandb]\napi_key = file:%s/key\n", fixture->folder));
    expect_key(fixture, KEY "6", "[wandb] api_key");
}

static void matches_the_port_of_the_host(void **state)
{
    struct fixture *fixture = *state;
    put(".netrc",
        "machine example.com password " KEY "a machine example.com:8443 password " KEY "b");
    (void)setenv("WANDB_BASE_URL", "https://example.com:8443/x", 1);
    const char *source = arena_printf(&fixture->arena, "netrc file %s/.netrc", fixture->folder);
    expect_key(fixture, KEY "b", source);
    (void)setenv("WANDB_BASE_URL", "https://example.com", 1);
    expect_key(fixture, KEY "a", source);
    (void)setenv("WANDB_BASE_URL", "https://example.org", 1);
    expect_no_key(fixture, ERR_MISSING, "example.org");
}

static void refuses_keys_of_another_form(void **state)
{
    struct fixture *fixture = *state;
    static const char *const bad[] = {
        "planted", "planted key that is long enough but has blanks 00", "local-planted",
        "planted/00000000000000000000000000000000000f",
        "local-planted=0000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)setenv("WANDB_API_KEY", bad[i], 1);
        expect_no_key(fixture, ERR_INPUT, "not of the form of keys");
    }
    static const char *const good[] = {KEY, ("local-" KEY), "planted.part-two.part_three"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        (void)setenv("WANDB_API_KEY", good[i], 1);
        expect_key(fixture, good[i], "environment WANDB_API_KEY");
    }
    (void)setenv("WANDB_IDENTITY_TOKEN_FILE", "x", 1);
    expect_no_key(fixture, ERR_USAGE, "are both set");
    (void)unsetenv("WANDB_API_KEY");
    expect_no_key(fixture, ERR_USAGE, "not supported");
}

static void reads_netrc_as_it_is_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *password;
    } cases[] = {
        {"machine h login l password p", "p"},
        {"machine h\n\tpassword p\n\tlogin l\n", "p"},
        {"# machine h password no\nmachine h password p", "p"},
        {"machine o password no machine h password p", "p"},
        {"macdef m\nmachine h password no\n\nmachine h password p", "p"},
        {"machine h account a password \"a b\"", "a b"},
        {"default login x password no", NULL},
        {"machine o password p default password no", NULL},
        {"machine hh password p", NULL},
        {"machine h login l", NULL},
        {"machine h password", NULL},
        {"machine h password \"open", NULL},
        {"machine h password \"\"", NULL},
        {"machine", NULL},
        {"macdef m\nmachine h password no", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *start = NULL;
        size_t length = 0;
        bool found = netrc_find(cases[i].text, "h", &start, &length);
        assert_int_equal(found, cases[i].password != NULL);
        if (found) {
            assert_int_equal(length, strlen(cases[i].password));
            assert_memory_equal(start, cases[i].password, length);
        }
    }
}

/* A sum of settings: they are read whole, or not at all. */
static void is_read_within_its_budget_or_refused(void **state)
{
    struct fixture *fixture = *state;
    enum { SPARE_BYTES = 4096, ENOUGH_BYTES = 1 << 20 };
    bool done = false;
    size_t refused = 0;
    put(".config/wandb/settings", "[default]\nentity = one\nproject = user\n");
    configure(fixture, "[wandb]\nbase_url = https://example.com/\nentity = three\n");
    for (size_t budget = 0; !done && budget < ENOUGH_BYTES; budget += 512) {
        scoped_arena arena;
        arena_init(&arena, budget);
        struct wandb_config config;
        struct err err = {0};
        done = wandb_config_load(&fixture->conf, NULL, NULL, &arena, &config, &err);
        refused += !done;
        assert_true(arena.peak_bytes <= budget + SPARE_BYTES);
        if (done)
            see_value(&config.entity, "three", "own.conf:3");
        else
            assert_int_equal(err.kind, ERR_LIMIT);
    }
    assert_true(done && refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lets_later_sources_win_and_names_them, prepare, clear),
        cmocka_unit_test_setup_teardown(takes_no_host_from_the_working_folder, prepare, clear),
        cmocka_unit_test_setup_teardown(derives_the_address_of_pages, prepare, clear),
        cmocka_unit_test_setup_teardown(refuses_addresses_that_are_not_the_api, prepare, clear),
        cmocka_unit_test_setup_teardown(names_the_place_of_a_bad_key, prepare, clear),
        cmocka_unit_test_setup_teardown(finds_the_key_in_the_order_of_its_sources, prepare, clear),
        cmocka_unit_test_setup_teardown(matches_the_port_of_the_host, prepare, clear),
        cmocka_unit_test_setup_teardown(refuses_keys_of_another_form, prepare, clear),
        cmocka_unit_test_setup_teardown(is_read_within_its_budget_or_refused, prepare, clear),
        cmocka_unit_test(reads_netrc_as_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
