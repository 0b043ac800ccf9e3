/* Tests of ops/runtime/{file,conf,json,clock,digest,retry,err}: what the outside world does to
 * them. */
#include "ops/runtime/clock.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"
#include "ops/runtime/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    char folder[64];
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    arena_init(&fixture->arena, 16 << 20);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/stepledger-test-XXXXXX");
    *state = fixture;
    return mkdtemp(fixture->folder) == NULL;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
    int code = system(command);
    arena_done(&fixture->arena);
    free(fixture);
    return code;
}

static const char *put_file(struct fixture *fixture, const char *name, const char *content)
{
    struct err err = {0};
    char *path = path_join(&fixture->arena, fixture->folder, name);
    assert_true(file_write_atomic(path, content, strlen(content), &err));
    return path;
}

/* Whoever opens a pipe for reading waits for its writer; a writer that is late is no fault. */
static void reads_a_pipe_that_somebody_writes_to_later(void **state)
{
    struct fixture *fixture = *state;
    struct err err = {0};
    char *data;
    const char *path = path_join(&fixture->arena, fixture->folder, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        int fd = open(path, O_WRONLY | O_CLOEXEC); /* waits until somebody reads */
        _exit(write(fd, "late", 4) == 4 ? 0 : 1);
    }
    assert_true(file_read(path, 100, &fixture->arena, &data, NULL, &err));
    assert_string_equal(data, "late");
    int status;
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    FILE *stream = file_stream(fixture->folder, &err);
    assert_null(stream);
    assert_non_null(strstr(err.text, "is a directory, not a file"));
}

static void writes_a_file_whole_and_reads_it_back(void **state)
{
    struct fixture *fixture = *state;
    const char *path = put_file(fixture, "a", "old");
    (void)put_file(fixture, "a", "newer");
    char *data;
    size_t length;
    struct err err = {0};
    assert_true(file_read(path, 5, &fixture->arena, &data, &length, &err));
    assert_int_equal(length, 5);
    assert_string_equal(data, "newer");
}

static void writes_to_what_is_no_file(void **state)
{
    struct fixture *fixture = *state;
    struct err err = {0};
    struct stat info;
    char byte = 0;
    const char *path = path_join(&fixture->arena, fixture->folder, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    scoped_fd reader = open(path, O_RDWR | O_NONBLOCK);
    assert_true(file_write_atomic(path, "x", 1, &err));
    assert_int_equal(read(reader, &byte, 1), 1);
    assert_int_equal(byte, 'x');
    assert_true(stat(path, &info) == 0 && S_ISFIFO(info.st_mode));
    assert_false(file_write_atomic(fixture->folder, "x", 1, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_true(file_write_atomic("/dev/null", "x", 1, &err));
}

/* A link that leads to a file, and one that leads to none yet. */
static void replaces_what_a_link_names(void **state)
{
    struct fixture *fixture = *state;
    static const char *const targets[] = {"real", "none"};
    const char *real = put_file(fixture, "real", "old");
    assert_int_equal(chmod(real, 0640), 0);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        char *data;
        struct err err = {0};
        struct stat info;
        char *link = arena_printf(&fixture->arena, "%s/link%zu", fixture->folder, i);
        assert_int_equal(symlink(targets[i], link), 0);
        assert_true(file_write_atomic(link, "new", 3, &err));
        assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
        const char *target = path_join(&fixture->arena, fixture->folder, targets[i]);
        assert_true(lstat(target, &info) == 0 && S_ISREG(info.st_mode));
        assert_true(file_read(target, 5, &fixture->arena, &data, NULL, &err));
        assert_string_equal(data, "new");
    }
    struct stat info;
    assert_true(stat(real, &info) == 0 && (info.st_mode & 0777) == 0640);
}

static void gives_each_writer_a_file_of_its_own(void **state)
{
    struct fixture *fixture = *state;
    struct err err = {0};
    char *data;
    const char *path = path_join(&fixture->arena, fixture->folder, "a");
    scoped_file_output first, second;
    assert_true(file_output_open(&first, path, &fixture->arena, &err));
    assert_true(file_output_open(&second, path, &fixture->arena, &err));
    assert_true(file_write_all(first.fd, "first", 5, path, &err));
    assert_true(file_write_all(second.fd, "second", 6, path, &err));
    assert_true(file_output_finish(&second, &err) && file_output_finish(&first, &err));
    assert_true(file_read(path, 6, &fixture->arena, &data, NULL, &err));
    assert_string_equal(data, "first");
}

static void refuses_a_file_over_the_limit_and_a_missing_one(void **state)
{
    struct fixture *fixture = *state;
    const char *path = put_file(fixture, "a", "123456");
    char *data;
    struct err err = {0};
    assert_false(file_read(path, 5, &fixture->arena, &data, NULL, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_false(file_read("/nonexistent/x", 5, &fixture->arena, &data, NULL, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "/nonexistent/x"));
    assert_false(file_read(fixture->folder, 5, &fixture->arena, &data, NULL, &err));
    assert_int_equal(err.kind, ERR_INPUT);
}

static void says_that_a_disk_is_full(void **state)
{
    (void)state;
    scoped_fd fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct err err = {0};
    assert_false(file_write_all(fd, "x", 1, "the report", &err));
    assert_int_equal(err.kind, ERR_FULL);
    assert_non_null(strstr(err.text, "the report"));
}

static void normalizes_paths_as_python_does(void **state)
{
    struct fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"./a//b/.", "a/b"}, {"/", "/"}, {"", "."}, {"a/../b", "a/../b"}, {"/a/", "/a"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(path_normal(&fixture->arena, cases[i][0]), cases[i][1]);
}

static void names_the_line_of_a_bad_setting(void **state)
{
    struct fixture *fixture = *state;
    struct conf conf;
    struct err err = {0};
    const char *path = put_file(fixture, "c", "# note\n\nthreads = many\n");
    assert_false(conf_load(&conf, &fixture->arena, path, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_non_null(strstr(err.text, "c:3"));
    path = put_file(fixture, "c", "threads = 2\nthread = 3\n");
    assert_false(conf_load(&conf, &fixture->arena, path, &err));
    assert_non_null(strstr(err.text, "c:2"));
    assert_non_null(strstr(err.text, "did you mean 'threads'?"));
    path = put_file(fixture, "c", "threads = 2\nnonsense\n");
    assert_false(conf_load(&conf, &fixture->arena, path, &err));
    assert_non_null(strstr(err.text, "c:2"));
}

/* Without it messages would go nowhere, and profiles into another ledger. */
static void passes_over_no_configuration_that_is_a_broken_link(void **state)
{
    struct fixture *fixture = *state;
    static const char *const targets[] = {"config", "nowhere"};
    struct conf conf;
    struct err err = {0};
    char folder[80], link[96];
    (void)snprintf(folder, sizeof folder, "%s/stepledger", fixture->folder);
    (void)snprintf(link, sizeof link, "%s/stepledger/config", fixture->folder);
    assert_int_equal(setenv("XDG_CONFIG_HOME", fixture->folder, 1), 0);
    assert_true(conf_load(&conf, &fixture->arena, NULL, &err));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        assert_int_equal(symlink(targets[i], link), 0);
        assert_false(conf_load(&conf, &fixture->arena, NULL, &err));
        assert_non_null(strstr(err.text, "/stepledger/config"));
        assert_int_equal(unlink(link), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
}

static void lets_the_environment_win_over_files(void **state)
{
    struct fixture *fixture = *state;
    struct conf conf;
    struct err err = {0};
    const char *path =
        put_file(fixture, "c", "project = file\n[destination x]\nurl = u\nurl = v\n");
    assert_int_equal(setenv("STEPLEDGER_PROJECT", "environment", 1), 0);
    bool loaded = conf_load(&conf, &fixture->arena, path, &err);
    assert_int_equal(unsetenv("STEPLEDGER_PROJECT"), 0);
    assert_true(loaded);
    assert_string_equal(conf_text(&conf, CONF_project), "environment");
    assert_string_equal(conf.values[CONF_project].source, "environment STEPLEDGER_PROJECT");
    assert_int_equal(conf.sections.count, 2);
    const struct conf_entry *entry = &conf.sections.entries[1];
    assert_string_equal(entry->section, "destination x");
    assert_string_equal(entry->key, "url");
    assert_string_equal(entry->value, "v");
    assert_int_equal(entry->line, 4);
}

static void prints_json_as_python_does(void **state)
{
    (void)state;
    struct err err = {0};
    const char *source =
        "{\"b\": [1, 2.50, {}], \"a\": \"\\u00e9\\ud83d\\ude00\\n\\u007f\", \"c\": []}";
    scoped_json *value = json_parse(source, strlen(source), "it", &err);
    assert_non_null(value);
    scoped_text text;
    text_init(&text, 4096);
    json_print(value, JSON_STYLE_INDENTED, &text);
    /* Python 3.11: json.dumps(value, indent=2, sort_keys=True) */
    assert_string_equal(
        text_string(&text),
        "{\n  \"a\": \"\\u00e9\\ud83d\\ude00\\n\x7f\",\n  \"b\": [\n    1,\n    2.5,\n"
        "    {}\n  ],\n  \"c\": []\n}");
    scoped_text line;
    text_init(&line, 4096);
    json_print(value, JSON_STYLE_LINE, &line);
    assert_string_equal(
        text_string(&line),
        "{\"a\": \"\\u00e9\\ud83d\\ude00\\n\x7f\", \"b\": [1, 2.5, {}], \"c\": []}");
}

static void names_the_place_of_broken_json(void **state)
{
    (void)state;
    struct err err = {0};
    assert_null(json_parse("{\"a\":\n 1,}", 10, "x.json", &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "'x.json'"));
    assert_non_null(strstr(err.text, "line 2"));
}

static void knows_the_digest_of_abc(void **state)
{
    (void)state;
    char hex[SHA256_HEX_BYTES];
    sha256_hex("abc", 3, hex); /* FIPS 180-4, example B.1 */
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void shows_time_before_and_after_1970(void **state)
{
    (void)state;
    char buffer[CLOCK_ISO_BYTES];
    assert_string_equal(clock_iso(1700000000123456, buffer), "2023-11-14T22:13:20.123456Z");
    assert_string_equal(clock_iso(-1, buffer), "1969-12-31T23:59:59.999999Z");
    assert_string_equal(clock_compact(1700000000123456, buffer), "20231114-221320");
}

static void backs_off_between_nothing_and_the_cap(void **state)
{
    (void)state;
    const struct retry_policy policy = {.base_ms = 100, .cap_ms = 1000};
    assert_int_equal(retry_delay_ms(&policy, 1, 0.0), 0);
    assert_int_equal(retry_delay_ms(&policy, 1, 0.5), 100);
    assert_int_equal(retry_delay_ms(&policy, 60, 0.999), 999);
    double random = retry_random();
    assert_true(random >= 0 && random < 1);
}

static void keeps_the_reason_behind_a_prefix(void **state)
{
    (void)state;
    struct err err = {0};
    errno = ENOSPC;
    assert_false(err_set_errno(&err, ERR_INPUT, "cannot write '%s'", "x"));
    assert_int_equal(err.kind, ERR_FULL);
    assert_false(err_prefix(&err, "profile %d", 7));
    assert_string_equal(err.text, "profile 7: cannot write 'x': No space left on device");
}

static void names_a_folder_that_cannot_be_made(void **state)
{
    (void)state;
    static const char *const places[] = {"/proc/nothing/here", "/dev/null/here"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct err err = {0};
        assert_false(file_make_dirs(places[i], &err));
        assert_int_equal(err.kind, ERR_UNAVAILABLE);
        assert_memory_equal(strstr(err.text, "/"), places[i], 9);
    }
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folder(reads_a_pipe_that_somebody_writes_to_later),
        with_folder(writes_a_file_whole_and_reads_it_back),
        with_folder(writes_to_what_is_no_file),
        with_folder(replaces_what_a_link_names),
        with_folder(gives_each_writer_a_file_of_its_own),
        with_folder(refuses_a_file_over_the_limit_and_a_missing_one),
        cmocka_unit_test(says_that_a_disk_is_full),
        cmocka_unit_test(names_a_folder_that_cannot_be_made),
        with_folder(normalizes_paths_as_python_does),
        with_folder(names_the_line_of_a_bad_setting),
        with_folder(passes_over_no_configuration_that_is_a_broken_link),
        with_folder(lets_the_environment_win_over_files),
        cmocka_unit_test(prints_json_as_python_does),
        cmocka_unit_test(names_the_place_of_broken_json),
        cmocka_unit_test(knows_the_digest_of_abc),
        cmocka_unit_test(shows_time_before_and_after_1970),
        cmocka_unit_test(backs_off_between_nothing_and_the_cap),
        cmocka_unit_test(keeps_the_reason_behind_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
