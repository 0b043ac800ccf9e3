/* Tests of ingest/discover: which files make one profile. */
#include "ingest/ingest.h"
#include "ops/runtime/file.h"
#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    char *folder;
    struct arena arena;
    struct profile_list list;
};

static int fixture_make(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->folder = test_folder_make();
    arena_init(&fixture->arena, 16 << 20);
    *state = fixture;
    return 0;
}

static int fixture_drop(void **state)
{
    struct fixture *fixture = *state;
    test_folder_remove(fixture->folder);
    arena_done(&fixture->arena);
    free(fixture->folder);
    free(fixture);
    return 0;
}

/* An empty file below the folder. */
static void file_make(struct fixture *fixture, const char *path)
{
    struct err err;
    char *full = path_join(&fixture->arena, fixture->folder, path);
    char *folder = arena_strdup(&fixture->arena, full);
    *strrchr(folder, '/') = '\0';
    assert_true(file_make_dirs(folder, &err));
    assert_true(file_write_atomic(full, "", 0, &err));
}

static void discover(struct fixture *fixture, const char *path)
{
    struct err err = {0};
    char *full = path_join(&fixture->arena, fixture->folder, path);
    assert_true(ingest_discover(full, &fixture->arena, &fixture->list, &err));
}

/* The path below the folder of a file of a profile. */
static const char *file_of(const struct fixture *fixture, size_t profile, size_t file)
{
    return fixture->list.items[profile].files[file] + strlen(fixture->folder) + 1;
}

static void a_file_is_a_profile_whatever_its_name(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "odd.name");
    discover(fixture, "./odd.name");
    assert_int_equal(fixture->list.count, 1);
    assert_string_equal(file_of(fixture, 0, 0), "odd.name");
    assert_string_equal(fixture->list.items[0].path, fixture->list.items[0].files[0]);
}

static void hosts_of_a_session_are_one_profile(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "run/plugins/profile/2026_11_21_09_16_29/b.xplane.pb");
    file_make(fixture, "run/plugins/profile/2026_11_21_09_16_29/a.xplane.pb");
    file_make(fixture, "run/plugins/profile/2026_11_21_09_16_29/a.trace.json.gz");
    discover(fixture, "run");
    assert_int_equal(fixture->list.count, 1);
    assert_int_equal(fixture->list.items[0].file_count, 2);
    assert_string_equal(file_of(fixture, 0, 0),
                        "run/plugins/profile/2026_11_21_09_16_29/a.xplane.pb");
    assert_string_equal(path_base(fixture->list.items[0].path), "2026_11_21_09_16_29");
}

static void sessions_of_the_same_host_are_several_profiles(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "profile/2026_11_21_09_16_29/a.xplane.pb");
    file_make(fixture, "profile/2026_11_21_09_16_31/a.xplane.pb");
    discover(fixture, "profile");
    assert_int_equal(fixture->list.count, 2);
    assert_string_equal(path_base(fixture->list.items[0].path), "a.xplane.pb");
}

static void sessions_seconds_apart_with_other_hosts_are_one_profile(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "profile/2026_11_21_09_16_59/a.xplane.pb");
    file_make(fixture, "profile/2026_11_21_09_17_01/b.xplane.pb");
    file_make(fixture, "profile/2026_11_21_09_17_02/c.xplane.pb");
    file_make(fixture, "profile/2026_11_21_09_47_01/d.xplane.pb"); /* another capture */
    discover(fixture, "profile");
    assert_int_equal(fixture->list.count, 2);
    assert_int_equal(fixture->list.items[0].file_count, 3);
    assert_int_equal(fixture->list.items[1].file_count, 1);
}

static void folders_that_are_no_times_are_not_joined(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "a/x.xplane.pb");
    file_make(fixture, "b/y.xplane.pb");
    discover(fixture, ".");
    assert_int_equal(fixture->list.count, 2);
}

static void a_folder_without_profiles_says_what_was_looked_for(void **state)
{
    struct fixture *fixture = *state;
    struct err err;
    file_make(fixture, "empty/readme.txt");
    assert_false(ingest_discover(fixture->folder, &fixture->arena, &fixture->list, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "*.xplane.pb"));
    assert_false(ingest_discover("/no/such/folder", &fixture->arena, &fixture->list, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void links_that_go_round_in_circles_end(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "a/x.xplane.pb");
    char *link = path_join(&fixture->arena, fixture->folder, "a/self");
    assert_int_equal(symlink("..", link), 0);
    discover(fixture, ".");
    assert_int_equal(fixture->list.count, 1);
}

static void link_make(struct fixture *fixture, const char *target, const char *path)
{
    assert_int_equal(symlink(target, path_join(&fixture->arena, fixture->folder, path)), 0);
}

static void what_is_named_like_a_host_is_one_until_it_is_read(void **state)
{
    struct fixture *fixture = *state;
    file_make(fixture, "a/x.xplane.pb");
    link_make(fixture, "nowhere", "a/y.xplane.pb");
    link_make(fixture, "z.xplane.pb", "a/z.xplane.pb");
    link_make(fixture, "nowhere", "a/readme.txt");
    discover(fixture, ".");
    assert_int_equal(fixture->list.count, 1);
    assert_int_equal(fixture->list.items[0].file_count, 3);
    assert_string_equal(file_of(fixture, 0, 2), "a/z.xplane.pb");
}

static void hosts_in_other_forms_are_told_beside_those_that_are_read(void **state)
{
    struct fixture *fixture = *state;
    struct err err;
    file_make(fixture, "a/x.xplane.riegeli");
    assert_false(ingest_discover(fixture->folder, &fixture->arena, &fixture->list, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "x.xplane.riegeli"));
    file_make(fixture, "b/x.xplane.pb");
    file_make(fixture, "b/x.xplane.pb.gz"); /* the same host */
    file_make(fixture, "b/y.xplane.pb.gz");
    file_make(fixture, "b/z.xplane.riegeli");
    file_make(fixture, "b/z.trace.json.gz");
    file_make(fixture, "c/x.xplane.pb");
    file_make(fixture, "c/w.xplane.pb.gz");
    discover(fixture, ".");
    assert_int_equal(fixture->list.count, 3); /* the trace is of a host that no file tells of */
    assert_int_equal(fixture->list.items[0].unread_count, 2);
    assert_string_equal(path_base(fixture->list.items[0].unread[0]), "y.xplane.pb.gz");
    assert_string_equal(path_base(fixture->list.items[0].unread[1]), "z.xplane.riegeli");
    assert_string_equal(file_of(fixture, 1, 0), "b/z.trace.json.gz");
    assert_int_equal(fixture->list.items[2].unread_count, 1);
    assert_string_equal(path_base(fixture->list.items[2].unread[0]), "w.xplane.pb.gz");
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_file_is_a_profile_whatever_its_name),
        FOLDER_TEST(hosts_of_a_session_are_one_profile),
        FOLDER_TEST(sessions_of_the_same_host_are_several_profiles),
        FOLDER_TEST(sessions_seconds_apart_with_other_hosts_are_one_profile),
        FOLDER_TEST(folders_that_are_no_times_are_not_joined),
        FOLDER_TEST(a_folder_without_profiles_says_what_was_looked_for),
        FOLDER_TEST(links_that_go_round_in_circles_end),
        FOLDER_TEST(what_is_named_like_a_host_is_one_until_it_is_read),
        FOLDER_TEST(hosts_in_other_forms_are_told_beside_those_that_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
