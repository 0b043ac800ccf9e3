/* The embedded cluster: made once, found again, and back on its feet after anything is killed. */
#include "history/cluster/cluster.h"
#include "history/cluster/cluster_process.h"
#include "ops/runtime/clock.h"
#include "tests/support/cluster.h"
#include "tests/support/folder.h"
#include "tests/support/ledger_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { STARTERS = 5, CRASHES = 6, KILLS = 4, ARENA_BYTES = 64 << 20 };

static char *root_folder;
static int home_count;

struct home {
    struct arena arena;
    char data_home[300];
};

/* The clusters are killed, not their disk: in memory where that is allowed, making one does not
 * wait for a busy disk. The mounts are this process's own. */
static int group_set_up(void **state)
{
    (void)state;
    root_folder = test_folder_make();
    if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        (void)mount("none", root_folder, "tmpfs", 0, "size=1g,mode=0755");
    return 0;
}

static int home_open(void **state, int number)
{
    struct home *home = calloc(1, sizeof *home);
    arena_init(&home->arena, ARENA_BYTES);
    (void)snprintf(home->data_home, sizeof home->data_home, "%s/%d", root_folder, number);
    (void)mkdir(home->data_home, 0755);
    *state = home;
    return setenv("XDG_DATA_HOME", home->data_home, 1);
}

/* A home that nobody has used. */
static int set_up(void **state)
{
    return home_open(state, ++home_count);
}

static int tear_down(void **state)
{
    struct home *home = *state;
    struct err err = {0};
    (void)cluster_stop(&err);
    test_folder_remove(home->data_home);
    arena_done(&home->arena);
    free(home);
    return 0;
}

/* The home of all tests that only need a cluster to be there: to make one takes seconds. */
static int set_up_shared(void **state)
{
    return home_open(state, 0);
}

static int tear_down_shared(void **state)
{
    struct home *home = *state;
    arena_done(&home->arena);
    free(home);
    return 0;
}

static struct cluster_status ensure(struct home *home)
{
    struct err err = {0};
    struct cluster_status status;
    if (!cluster_ensure(&home->arena, &status, &err))
        fail_msg("%s", err.text);
    assert_true(status.running);
    return status;
}

static void stop(void)
{
    struct err err = {0};
    if (!cluster_stop(&err))
        fail_msg("%s", err.text);
}

static void append(struct home *home, const char *url, int number)
{
    static const struct profile_identity identity = {.project = "llm", .workload = "pretrain"};
    struct db *db = ledger_open(url);
    ledger_append(db, &home->arena, &identity, number);
    db_close(db);
}

static int64_t profiles(const struct cluster_status *status)
{
    return sql_number(status->url, "SELECT count(*) FROM profiles");
}

static void is_made_on_first_use_and_found_again(void **state)
{
    struct home *home = *state;
    struct err err = {0};
    struct cluster_status before, first, again;
    assert_true(cluster_inspect(&home->arena, &before, &err));
    assert_false(before.exists);
    assert_false(before.running);
    first = ensure(home);
    assert_true(first.created);
    assert_true(first.started);
    append(home, first.url, 1);
    again = ensure(home);
    assert_false(again.created);
    assert_false(again.started);
    assert_int_equal(again.pid, first.pid);
    stop();
    stop();
    assert_true(cluster_inspect(&home->arena, &again, &err));
    assert_true(again.exists);
    assert_false(again.running);
    again = ensure(home);
    assert_false(again.created);
    assert_true(again.started);
    assert_int_equal(profiles(&again), 1);
}

static void listens_on_its_socket_only(void **state)
{
    struct home *home = *state;
    struct cluster_status status = ensure(home);
    struct stat info;
    char *text = sql_text(status.url, "SHOW listen_addresses");
    assert_string_equal(text, "");
    free(text);
    text = arena_printf(&home->arena, "%s/.s.PGSQL.5432", status.socket_dir);
    assert_int_equal(stat(text, &info), 0);
    assert_int_equal(info.st_mode & 077, 0);
}

static void lets_nobody_be_the_superuser(void **state)
{
    struct home *home = *state;
    struct cluster_status status = ensure(home);
    struct err err = {0};
    struct db *db;
    assert_false(
        db_open_raw(arena_printf(&home->arena, "host=%s port=5432 user=postgres dbname=stepledger",
                                 status.socket_dir),
                    &db, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    assert_int_equal(sql_number(status.owner_url,
                                "SELECT count(*) FROM pg_roles WHERE rolsuper AND "
                                "rolname LIKE 'stepledger%'"),
                     0);
    assert_string_equal(sql_refusal(status.url, "DELETE FROM profiles"), "42501");
}

static void is_durable_and_small(void **state)
{
    struct home *home = *state;
    struct cluster_status status = ensure(home);
    static const char *const wanted[][2] = {{"SHOW fsync", "on"},
                                            {"SHOW synchronous_commit", "on"},
                                            {"SHOW wal_compression", "lz4"},
                                            {"SHOW data_checksums", "on"},
                                            {"SHOW shared_buffers", "32MB"},
                                            {"SHOW server_encoding", "UTF8"},
                                            {"SHOW lc_collate", "C.UTF-8"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char *text = sql_text(status.url, wanted[i][0]);
        assert_string_equal(text, wanted[i][1]);
        free(text);
    }
}

static void starts_once_when_many_start_it_at_once(void **state)
{
    struct home *home = *state;
    pid_t starters[STARTERS];
    for (int i = 0; i < STARTERS; i++) {
        starters[i] = fork();
        if (starters[i] == 0) {
            struct err err = {0};
            struct cluster_status status;
            bool done = cluster_ensure(&home->arena, &status, &err);
            if (!done)
                (void)fprintf(stderr, "%s\n", err.text);
            _exit(done ? status.created : 100);
        }
    }
    int created = 0;
    for (int i = 0; i < STARTERS; i++) {
        int result;
        assert_int_equal(waitpid(starters[i], &result, 0), starters[i]);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) <= 1);
        created += WEXITSTATUS(result);
    }
    assert_int_equal(created, 1);
    assert_false(ensure(home).started);
}

static void comes_back_after_kill_9_of_the_server(void **state)
{
    struct home *home = *state;
    struct cluster_status status = ensure(home);
    int64_t before = profiles(&status);
    for (int i = 0; i < CRASHES; i++) {
        append(home, status.url, 100 + i);
        assert_int_equal(kill(status.pid, SIGKILL), 0);
        clock_sleep_ms(i % 2 == 0 ? 0 : 50);
        status = ensure(home);
        assert_true(status.started);
        assert_int_equal(profiles(&status), before + i + 1);
    }
}

/* Names in the folder that holds the cluster, but for the lock and the cluster. */
static int leftovers(const struct home *home)
{
    char path[400];
    int count = 0;
    (void)snprintf(path, sizeof path, "%s/stepledger", home->data_home);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += strncmp(entry->d_name, "pg.new", 6) == 0;
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

static void redoes_what_a_killed_command_left_half_made(void **state)
{
    struct home *home = *state;
    int64_t from = clock_monotonic_ms();
    ensure(home);
    int64_t whole_ms = clock_monotonic_ms() - from;
    for (int i = 0; i < KILLS; i++) {
        stop();
        test_folder_remove(home->data_home);
        assert_int_equal(mkdir(home->data_home, 0755), 0);
        pid_t maker = fork();
        if (maker == 0) {
            struct cluster_status status;
            _exit(cluster_ensure(&home->arena, &status, NULL) ? 0 : 1);
        }
        clock_sleep_ms(whole_ms * i / KILLS);
        (void)kill(maker, SIGKILL);
        assert_int_equal(waitpid(maker, NULL, 0), maker);
        struct cluster_status status = ensure(home);
        append(home, status.url, i);
        assert_int_equal(profiles(&status), 1);
        assert_int_equal(leftovers(home), 0);
    }
}

/* A process of the server's user that is no server. */
static pid_t bystander_start(struct home *home)
{
    struct err err = {0};
    struct cluster_place place;
    pid_t pid;
    const char *const argv[] = {"/bin/sleep", "60", NULL};
    assert_true(cluster_place_find(&home->arena, &place, &err));
    const struct cluster_command command = {
        .argv = argv, .folder = "/", .log_file = place.log_file, .dies_with_us = true};
    if (!cluster_spawn(&place, &command, &pid, &err))
        fail_msg("%s", err.text);
    return pid;
}

static void starts_although_its_old_process_id_is_somebody_elses_now(void **state)
{
    struct home *home = *state;
    struct cluster_status status = ensure(home);
    append(home, status.url, 200);
    int64_t before = profiles(&status);
    assert_int_equal(kill(status.pid, SIGKILL), 0);
    while (cluster_folder_in_use(status.data_dir))
        clock_sleep_ms(5);
    pid_t bystander = bystander_start(home);
    char *path = arena_printf(&home->arena, "%s/postmaster.pid", status.data_dir);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    (void)fprintf(file, "%ld\n", (long)bystander);
    (void)fclose(file);
    status = ensure(home);
    assert_int_equal(profiles(&status), before);
    stop();
    assert_int_equal(waitpid(bystander, NULL, WNOHANG), 0); /* and was left alone */
    assert_int_equal(kill(bystander, SIGKILL), 0);
    assert_int_equal(waitpid(bystander, NULL, 0), bystander);
}

static void tells_at_once_that_its_server_is_stopped(void **state)
{
    struct home *home = *state;
    struct err err = {0}, stop_err = {0}, open_err = {0};
    struct db *db;
    struct cluster_status status = ensure(home);
    assert_int_equal(kill(status.pid, SIGSTOP), 0);
    (void)(cluster_ensure(&home->arena, &status, &err) || cluster_stop(&stop_err) ||
           cluster_open(&home->arena, &db, &open_err));
    assert_int_equal(kill(status.pid, SIGCONT), 0);
    assert_non_null(strstr(err.text, "kill -CONT"));
    assert_string_equal(stop_err.text, err.text);
    assert_string_equal(open_err.text, err.text);
}

static void starts_again_when_its_socket_was_tidied_away(void **state)
{
    struct home *home = *state;
    struct cluster_status status = ensure(home);
    append(home, status.url, 201);
    int64_t before = profiles(&status);
    assert_int_equal(unlink(arena_printf(&home->arena, "%s/.s.PGSQL.5432", status.socket_dir)), 0);
    struct cluster_status again = ensure(home);
    assert_int_not_equal(again.pid, status.pid);
    assert_int_equal(profiles(&again), before);
}

static void gives_the_server_nothing_of_ours(void **state)
{
    struct home *home = *state;
    char path[100], target[300];
    int low = open("/etc/passwd", O_RDONLY);
    int fd = fcntl(low, F_DUPFD, 40); /* not close-on-exec */
    assert_true(low >= 0 && fd >= 40);
    struct cluster_status status = ensure(home);
    assert_int_not_equal(getsid(status.pid), getsid(0));
    for (int i = 0; i < 64; i++) {
        (void)snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)status.pid, i);
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            continue;
        target[length] = '\0';
        if (strstr(target, "passwd") != NULL || strstr(target, "pg.lock") != NULL)
            fail_msg("descriptor %d of the server is %s", i, target);
        if (i < 3 && strcmp(target, "/dev/null") != 0 && strcmp(target, status.log_file) != 0)
            fail_msg("descriptor %d of the server is %s", i, target);
    }
    (void)close(low);
    (void)close(fd);
}

static void puts_its_socket_elsewhere_when_the_path_is_too_long(void **state)
{
    struct home *home = *state;
    struct err err = {0};
    struct cluster_status status;
    char deep[400];
    (void)snprintf(deep, sizeof deep, "%s/a,b %080d", home->data_home, 0);
    assert_int_equal(setenv("XDG_DATA_HOME", deep, 1), 0);
    assert_true(cluster_inspect(&home->arena, &status, &err));
    assert_int_equal(strncmp(status.socket_dir, "/tmp/stepledger-", 16), 0);
    assert_int_equal(mkdir(status.socket_dir, 0777), 0); /* somebody was there first */
    assert_int_equal(chmod(status.socket_dir, 0777), 0);
    assert_false(cluster_ensure(&home->arena, &status, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, status.socket_dir));
    assert_int_equal(rmdir(status.socket_dir), 0);
    status = ensure(home);
    append(home, status.url, 1);
    stop();
    test_folder_remove(status.socket_dir);
}

static void names_a_place_that_it_cannot_use(void **state)
{
    struct home *home = *state;
    struct err err = {0};
    struct cluster_status status;
    assert_int_equal(setenv("XDG_DATA_HOME", "/dev/null", 1), 0);
    assert_false(cluster_ensure(&home->arena, &status, &err));
    assert_non_null(strstr(err.text, "/dev/null"));
    assert_non_null(strstr(err.text, "XDG_DATA_HOME"));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    if (geteuid() != 0)
        return;
    assert_int_equal(chmod(home->data_home, 0700), 0); /* root's own: the server's user stays out */
    assert_int_equal(setenv("XDG_DATA_HOME", home->data_home, 1), 0);
    assert_false(cluster_ensure(&home->arena, &status, &err));
    assert_int_equal(err.kind, ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "cannot enter the folder"));
    assert_int_equal(leftovers(home), 0);
}

static void says_when_the_disk_is_full(void **state)
{
    struct home *home = *state;
    struct err err = {0};
    struct cluster_status status;
    if (mount("none", home->data_home, "tmpfs", 0, "size=12m,mode=0755") != 0) {
        print_message("a small file system cannot be mounted: %s\n", strerror(errno));
        skip();
    }
    bool done = cluster_ensure(&home->arena, &status, &err);
    int left = leftovers(home);
    assert_int_equal(umount2(home->data_home, MNT_DETACH), 0);
    assert_false(done);
    assert_int_equal(err.kind, ERR_FULL);
    assert_int_equal(left, 0);
}

/* Leaves no byte in the file system of the file. */
static void disk_fill(const char *file)
{
    static const char zeros[1 << 16];
    int fd = open(file, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    for (size_t size = sizeof zeros; size > 0; size /= 2)
        while (write(fd, zeros, size) == (ssize_t)size)
            ;
    (void)close(fd);
}

/* Appends profiles until one is refused. */
static struct err append_until_refused(const char *url)
{
    static const struct profile_identity identity = {.project = "llm", .workload = "pretrain"};
    struct err err = {0};
    struct db *db = ledger_open(url);
    for (int i = 100; i < 200 && err.kind == ERR_NONE; i++) {
        struct arena arena;
        struct profile_receipt receipt;
        arena_init(&arena, 4 * (size_t)ARENA_BYTES);
        (void)ledger_append_profile(db, &identity, ledger_summary(&arena, i, 2000), &arena,
                                    &receipt, &err);
        arena_done(&arena);
    }
    db_close(db);
    return err;
}

static void stores_nothing_of_a_profile_when_the_disk_fills_up(void **state)
{
    struct home *home = *state;
    char filler[400];
    if (mount("none", home->data_home, "tmpfs", 0, "size=100m,mode=0755") != 0) {
        print_message("a small file system cannot be mounted: %s\n", strerror(errno));
        skip();
    }
    struct cluster_status status = ensure(home);
    (void)snprintf(filler, sizeof filler, "%s/filler", home->data_home);
    disk_fill(filler);
    struct err err = append_until_refused(status.url);
    /* Full data files are an error; a full WAL ends the server, and it comes back. */
    assert_true(err.kind == ERR_FULL || err.kind == ERR_UNAVAILABLE);
    assert_int_equal(unlink(filler), 0);
    status = ensure(home);
    int64_t broken = sql_number(
        status.url,
        "SELECT (SELECT count(*) FROM op_rows) - 2000 * (SELECT count(*) FROM profiles)");
    append(home, status.url, 1);
    stop();
    assert_int_equal(umount2(home->data_home, MNT_DETACH), 0);
    assert_int_equal(broken, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CASE_SHARED(name) cmocka_unit_test_setup_teardown(name, set_up_shared, tear_down_shared)
    const struct CMUnitTest tests[] = {
        CASE(is_made_on_first_use_and_found_again),
        CASE_SHARED(listens_on_its_socket_only),
        CASE_SHARED(lets_nobody_be_the_superuser),
        CASE_SHARED(is_durable_and_small),
        CASE(starts_once_when_many_start_it_at_once),
        CASE_SHARED(comes_back_after_kill_9_of_the_server),
        CASE(redoes_what_a_killed_command_left_half_made),
        CASE_SHARED(starts_although_its_old_process_id_is_somebody_elses_now),
        CASE_SHARED(tells_at_once_that_its_server_is_stopped),
        CASE_SHARED(starts_again_when_its_socket_was_tidied_away),
        CASE_SHARED(gives_the_server_nothing_of_ours),
        CASE(puts_its_socket_elsewhere_when_the_path_is_too_long),
        CASE(names_a_place_that_it_cannot_use),
        CASE(says_when_the_disk_is_full),
        CASE(stores_nothing_of_a_profile_when_the_disk_fills_up),
    };
    return cmocka_run_group_tests(tests, group_set_up, NULL);
}
