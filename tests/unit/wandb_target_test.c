/* Tests of ops/net/wandb/wandb_target: every form in which people name runs and artifacts. */
#include "alerts/wandb/wandb_publication.h"
#include "ops/net/wandb/wandb_target.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20 };

static const struct wandb_config hosted = {
    .base_url = {"https://api.wandb.ai", "default"},
    .app_url = {"https://wandb.ai", "default"},
    .entity = {"team", "option --entity"},
    .project = {"proj", "environment WANDB_PROJECT"},
};

static const struct wandb_config bare = {
    .base_url = {"http://127.0.0.1:8080", "environment WANDB_BASE_URL"},
    .app_url = {"http://127.0.0.1:8080", "environment WANDB_BASE_URL"},
};

static void reads_every_form_of_a_run(void **state)
{
    (void)state;
    static const struct {
        const char *target, *path, *source;
    } cases[] = {
        {"r1", "team/proj/r1", "option --entity"},
        {"/r1/", "team/proj/r1", "option --entity"},
        {"e/p/r1", "e/p/r1", "the run's name"},
        {"e/p/runs/r1", "e/p/r1", "the run's name"},
        {"e//p/runs/r1/overview", "e/p/r1", "the run's name"},
        {"e/p/runs", "e/p/runs", "the run's name"},
        {"https://wandb.ai/e/p/runs/r1", "e/p/r1", "the run's URL"},
        {"https://WANDB.ai/e/p/runs/r1/logs?nw=x/y#z", "e/p/r1", "the run's URL"},
        {"https://api.wandb.ai/e/p/r1", "e/p/r1", "the run's URL"},
        {"https://wandb.ai/e/p/r1?a/b/c/d", "e/p/r1", "the run's URL"},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wandb_run_name name;
        struct err err = {0};
        if (!wandb_run_name_parse(cases[i].target, &hosted, &arena, &name, &err))
            fail_msg("%s: %s", cases[i].target, err.text);
        assert_string_equal(name.path, cases[i].path);
        assert_string_equal(name.entity.source, cases[i].source);
    }
}

static void refuses_what_names_no_run(void **state)
{
    (void)state;
    static const struct {
        const char *target, *says;
        enum err_kind kind;
    } cases[] = {
        {"", "names no W&B run", ERR_INPUT},
        {"e/p", "names no W&B run", ERR_INPUT},
        {"https://127.0.0.1:8080/e/p", "names no W&B run", ERR_INPUT},
        {"http://127.0.0.1:8080?e/p/r", "names no W&B run", ERR_INPUT},
        {"r1", "is a bare run id", ERR_USAGE},
        {"https://wandb.ai/e/p/r1", "host 'wandb.ai'", ERR_USAGE},
        {"https://127.0.0.1/e/p/r1", "host '127.0.0.1'", ERR_USAGE},
        {"https://127.0.0.1:8080@evil.example/e/p/r1", "evil.example", ERR_USAGE},
        {"https://evil.example#127.0.0.1:8080/e/p/r1", "host 'evil.example'", ERR_USAGE},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wandb_run_name name;
        struct err err = {0};
        assert_false(wandb_run_name_parse(cases[i].target, &bare, &arena, &name, &err));
        if (strstr(err.text, cases[i].says) == NULL || err.kind != cases[i].kind)
            fail_msg("%s: %s", cases[i].target, err.text);
    }
}

static void reads_every_form_of_an_artifact(void **state)
{
    (void)state;
    static const struct {
        const char *reference, *entity, *project, *collection, *alias;
    } cases[] = {
        {"profiler", "team", "proj", "profiler", "latest"},
        {"profiler:v3", "team", "proj", "profiler", "v3"},
        {"p/profiler:best", "team", "p", "profiler", "best"},
        {"e/p/profiler:v0", "e", "p", "profiler", "v0"},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wandb_artifact_name name;
        assert_true(wandb_artifact_name_parse(cases[i].reference, &hosted, &arena, &name, NULL));
        assert_string_equal(name.entity.text, cases[i].entity);
        assert_string_equal(name.project.text, cases[i].project);
        assert_string_equal(name.collection, cases[i].collection);
        assert_string_equal(name.alias, cases[i].alias);
    }
    struct wandb_artifact_name name;
    assert_true(wandb_artifact_name_parse("profiler", &bare, &arena, &name, NULL));
    assert_null(name.entity.text);
    assert_string_equal(name.project.text, "uncategorized");
}

static void refuses_what_names_no_artifact(void **state)
{
    (void)state;
    static const char *const cases[] = {"", ":v1", "a/b/c/d:v1", "a:", "a:b:c", "a:b/c", "/:v1"};
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wandb_artifact_name name;
        struct err err = {0};
        assert_false(wandb_artifact_name_parse(cases[i], &hosted, &arena, &name, &err));
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

static void fits_names_to_what_clients_can_log_to(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"profile-summary-p-llama 8b", "profile-summary-p-llama-8b"},
        {"a<b|c>/d:e\\f\tg", "a-b-c--d-e-f-g"},
        {"\xc3\xa4.\xf0\x9f\x98\x80_1", "-.-_1"},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    const char *fit;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fit = wandb_name_fit(cases[i][0], &arena);
        assert_string_equal(fit, cases[i][1]);
    }
    char name[200];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    fit = wandb_name_fit(name, &arena);
    assert_int_equal(strlen(fit), 128);
    assert_int_equal(fit[120], '-');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form_of_a_run),
        cmocka_unit_test(refuses_what_names_no_run),
        cmocka_unit_test(reads_every_form_of_an_artifact),
        cmocka_unit_test(refuses_what_names_no_artifact),
        cmocka_unit_test(fits_names_to_what_clients_can_log_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
