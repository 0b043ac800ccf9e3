/* Torture: every allocation of reading the configuration fails once. It is then read whole, or
 * refused: the user's file is never left out.
 *
 * Link: -Wl,--wrap=malloc
 */
#include "ops/runtime/conf.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { PATH_BYTES = 4096, BUDGET_BYTES = 1 << 20, ROUNDS_MAX = 1000, USERS_MB = 777 };

static long allocations_left = -1; /* until one fails; below 0: none does */
static bool has_failed;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
    if (allocations_left < 0 || allocations_left-- > 0)
        return __real_malloc(size);
    has_failed = true;
    return NULL;
}

/* Whether it was read; with what the user's file says. */
static bool configuration_is_read(long fails)
{
    scoped_arena arena;
    struct conf conf;
    struct err err = {0};
    arena_init(&arena, BUDGET_BYTES);
    has_failed = false;
    allocations_left = fails;
    bool done = conf_load(&conf, &arena, NULL, &err);
    allocations_left = -1;
    if (done)
        assert_int_equal(conf_int(&conf, CONF_max_memory_mb), USERS_MB);
    else
        assert_non_null(strstr(err.text, "memory"));
    return done;
}

static void a_file_is_read_or_its_lack_is_told(void **state)
{
    (void)state;
    char *folder = test_folder_make(), path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/stepledger", folder);
    assert_int_equal(mkdir(path, 0755), 0);
    (void)snprintf(path, sizeof path, "%s/stepledger/config", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "max_memory_mb = %d\n", USERS_MB) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    assert_true(configuration_is_read(-1));
    int fails = 0;
    do {
        assert_true(fails < ROUNDS_MAX);
        bool done = configuration_is_read(fails++);
        assert_true(done || has_failed);
    } while (has_failed);
    assert_true(fails > 2);
    test_folder_remove(folder);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_is_read_or_its_lack_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
