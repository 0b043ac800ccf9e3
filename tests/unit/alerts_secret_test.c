/* Tests of ops/net/secret: each form of reference, each way in which a file is unfit, and that no
 * message quotes a secret. */
#include "ops/net/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PLANTED "planted-value-7d1f"

static char folder[] = "/tmp/stepledger-secret-XXXXXX";
static char path[64], reference[96];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/secret", folder);
    (void)snprintf(reference, sizeof reference, "file:%s", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static void write_file(const char *bytes, size_t length, mode_t mode)
{
    (void)unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void expect_secret(const char *from, const char *expected)
{
    scoped_secret secret = {0};
    struct err err = {0};
    if (!secret_read(from, "secret", SECRET_LITERAL_REFUSED, &secret, &err))
        fail_msg("%s", err.text);
    assert_string_equal(secret.text, expected);
    assert_int_equal(secret.length, strlen(expected));
}

static void expect_refusal(const char *from, enum err_kind kind, const char *says)
{
    struct secret secret = {0};
    struct err err = {0};
    assert_false(secret_read(from, "secret", SECRET_LITERAL_REFUSED, &secret, &err));
    assert_null(secret.text);
    if (err.kind != kind || strstr(err.text, says) == NULL)
        fail_msg("%s: expected '%s'", err.text, says);
    assert_null(strstr(err.text, PLANTED));
}

static void reads_a_variable_of_the_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("STEPLEDGER_TEST_SECRET", PLANTED, 1), 0);
    expect_secret("env:STEPLEDGER_TEST_SECRET", PLANTED);
    assert_int_equal(unsetenv("STEPLEDGER_TEST_SECRET"), 0);
    expect_refusal("env:STEPLEDGER_TEST_SECRET", ERR_MISSING, "STEPLEDGER_TEST_SECRET is not set");
    assert_int_equal(setenv("STEPLEDGER_TEST_SECRET", "", 1), 0);
    expect_refusal("env:STEPLEDGER_TEST_SECRET", ERR_INPUT, "STEPLEDGER_TEST_SECRET is empty");
}

static void does_not_quote_a_secret_that_stands_where_its_name_belongs(void **state)
{
    (void)state;
    expect_refusal("env:https://hooks.example/" PLANTED, ERR_USAGE, "no name of a variable");
    expect_refusal("file:https://hooks.example/" PLANTED, ERR_USAGE, "absolute path");
    expect_refusal("whsec_" PLANTED, ERR_USAGE, "env:NAME, file:/PATH or credential:NAME");
    expect_refusal("env:", ERR_USAGE, "nothing follows env:");
    expect_refusal("file:", ERR_USAGE, "nothing follows file:");
}

static void trims_one_final_line_end_of_a_file(void **state)
{
    (void)state;
    static const struct {
        const char *content, *secret;
    } cases[] = {
        {PLANTED, PLANTED},
        {PLANTED "\n", PLANTED},
        {PLANTED "\r\n", PLANTED},
        {" " PLANTED " \n", " " PLANTED " "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(cases[i].content, strlen(cases[i].content), 0600);
        expect_secret(reference, cases[i].secret);
    }
}

static void refuses_files_that_are_unfit(void **state)
{
    (void)state;
    static const struct {
        const char *content;
        size_t length;
        const char *says;
    } cases[] = {
        {"", 0, "is empty"},
        {"\n", 1, "is empty"},
        {"\r\n", 2, "is empty"},
        {PLANTED "\n\n", sizeof PLANTED + 1, "control character at byte 19"},
        {PLANTED "\r", sizeof PLANTED, "control character at byte 19"},
        {PLANTED "\n" PLANTED "\n", 2 * sizeof PLANTED, "control character at byte 19"},
        {PLANTED "\0x", sizeof PLANTED + 1, "control character at byte 19"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(cases[i].content, cases[i].length, 0600);
        expect_refusal(reference, ERR_INPUT, cases[i].says);
    }
}

static void refuses_a_file_that_others_can_reach(void **state)
{
    (void)state;
    static const mode_t open_modes[] = {0640, 0604, 0620, 0602, 0610, 0601, 0777};
    for (size_t i = 0; i < sizeof open_modes / sizeof open_modes[0]; i++) {
        char mode[16];
        (void)snprintf(mode, sizeof mode, "mode %04o", (unsigned)open_modes[i]);
        write_file(PLANTED, sizeof PLANTED - 1, open_modes[i]);
        expect_refusal(reference, ERR_INPUT, mode);
        expect_refusal(reference, ERR_INPUT, "chmod 600");
    }
    write_file(PLANTED, sizeof PLANTED - 1, 0400);
    expect_secret(reference, PLANTED);
}

static void refuses_a_file_of_another_user(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("needs root to make a file of another user\n");
        skip();
    }
    write_file(PLANTED, sizeof PLANTED - 1, 0600);
    assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
    expect_refusal(reference, ERR_INPUT, "belongs to user 65534");
}

static void refuses_what_is_no_regular_file_without_hanging(void **state)
{
    (void)state;
    (void)unlink(path);
    expect_refusal(reference, ERR_MISSING, path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal(reference, ERR_INPUT, "not a regular file");
    expect_refusal("file:/tmp", ERR_INPUT, "not a regular file");
}

static void bounds_the_length(void **state)
{
    (void)state;
    static char longest[SECRET_MAX_BYTES + 2];
    memset(longest, 'x', sizeof longest - 1);
    write_file(longest, SECRET_MAX_BYTES, 0600);
    scoped_secret secret = {0};
    assert_true(secret_read(reference, "secret", SECRET_LITERAL_REFUSED, &secret, NULL));
    assert_int_equal(secret.length, SECRET_MAX_BYTES);
    write_file(longest, SECRET_MAX_BYTES + 1, 0600);
    expect_refusal(reference, ERR_LIMIT, "larger than the limit of 8192 bytes");
    assert_int_equal(setenv("STEPLEDGER_TEST_SECRET", longest, 1), 0);
    expect_refusal("env:STEPLEDGER_TEST_SECRET", ERR_INPUT, "longer than 8192 bytes");
}

static void takes_a_literal_only_where_it_is_allowed(void **state)
{
    (void)state;
    scoped_secret secret = {0};
    assert_true(secret_read("https://example.com/x", "url", SECRET_LITERAL_ALLOWED, &secret, NULL));
    assert_string_equal(secret.text, "https://example.com/x");
    expect_refusal("https://example.com/x", ERR_USAGE, "secret must say where");
}

static void ends_a_zeroed_secret(void **state)
{
    (void)state;
    struct secret secret = {0};
    secret_done(&secret);
    assert_null(secret.text);
}

static void reads_what_the_service_manager_hands_over(void **state)
{
    (void)state;
    write_file(PLANTED "\n", strlen(PLANTED) + 1,
               0440); /* the mask of the ACL shows as the group */
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", folder, 1), 0);
    expect_secret("credential:secret", PLANTED);
    expect_refusal("credential:other", ERR_MISSING, "other");
    expect_refusal("credential:../secret", ERR_USAGE, "no name of one");
    expect_refusal("credential:.secret", ERR_USAGE, "no name of one");
    expect_refusal("credential:", ERR_USAGE, "nothing follows");
    write_file(PLANTED, strlen(PLANTED), 0444);
    expect_refusal("credential:secret", ERR_INPUT, "mode 0444");
    write_file(PLANTED, strlen(PLANTED), 0440);
    expect_refusal(reference, ERR_INPUT, "mode 0440"); /* a file of one's own is held to more */
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    expect_refusal("credential:secret", ERR_MISSING, "LoadCredential=secret:PATH");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_the_service_manager_hands_over),
        cmocka_unit_test(reads_a_variable_of_the_environment),
        cmocka_unit_test(does_not_quote_a_secret_that_stands_where_its_name_belongs),
        cmocka_unit_test(trims_one_final_line_end_of_a_file),
        cmocka_unit_test(refuses_files_that_are_unfit),
        cmocka_unit_test(refuses_a_file_that_others_can_reach),
        cmocka_unit_test(refuses_a_file_of_another_user),
        cmocka_unit_test(refuses_what_is_no_regular_file_without_hanging),
        cmocka_unit_test(bounds_the_length),
        cmocka_unit_test(takes_a_literal_only_where_it_is_allowed),
        cmocka_unit_test(ends_a_zeroed_secret),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
