/* Months that leave the ledger for a file: whole or not at all, verified with and without the file,
 * and back again. */
#include "history/archive/archive.h"
#include "tests/support/folder.h"
#include "tests/support/integrity_fixture.h"
#include "tests/support/ledger_fixture.h"
#include "tests/support/month_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILE_BYTES_MAX = 1 << 20 };

static const struct profile_identity identity = {
    .project = "llm", .workload = "pretrain", .branch = "main"};
static struct test_database database;
static struct arena arena;
static char *folder;
static const char *path;

/* p1, p2 of 2026-01, p3 of 2026-02, p4 of 2026-01 with a later id; p5 to p8 with a verdict. */
static int set_up(void **state)
{
    (void)state;
    static const char *const days[] = {"2026-01-01", "2026-01-31", "2026-02-01", "2026-01-15"};
    test_database_make(&database);
    arena_init(&arena, 64 << 20);
    folder = test_folder_make();
    path = arena_printf(&arena, "%s/jan.archive", folder);
    scoped_db *db = ledger_open(database.app);
    for (int i = 0; i < 4; i++) {
        month_pretend(&database, days[i]);
        (void)ledger_append(db, &arena, &identity, 100 + i);
    }
    month_pretend(&database, NULL);
    integrity_fill(&database);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(folder);
    free(folder);
    arena_done(&arena);
    return 0;
}

static struct archive_file write_month(void)
{
    struct err err = {0};
    struct archive_file file;
    scoped_db *db = ledger_open(database.app);
    if (!archive_write(db, "2026-01", path, &file, &err))
        fail_msg("%s", err.text);
    return file;
}

static int64_t detach(const struct archive_file *file)
{
    int64_t id = 0;
    struct err err = {0};
    scoped_db *db = ledger_open(database.owner);
    if (!archive_detach(db, path, file, &id, &err))
        fail_msg("%s", err.text);
    return id;
}

static void go_away(void)
{
    const struct archive_file file = write_month();
    (void)detach(&file);
}

static void come_back(void)
{
    int64_t id;
    struct err err = {0};
    struct archive_file file;
    scoped_db *db = ledger_open(database.owner);
    if (!archive_attach(db, path, &file, &id, &err))
        fail_msg("%s", err.text);
}

/* The report on the ledger and on the file. */
static const struct verify_report *verify_both(void)
{
    struct err err = {0};
    struct archive_file file;
    struct verify_report *report = integrity_verify(&database, NULL, &arena);
    scoped_db *db = ledger_open(database.app);
    if (!archive_verify(db, path, &arena, report, &file, &err))
        fail_msg("%s", err.text);
    return report;
}

static int64_t number(const char *query)
{
    return sql_number(database.admin, query);
}

static const char contents[] =
    "SELECT md5(string_agg(line, '' ORDER BY line)) FROM ("
    "SELECT r::text AS line FROM summaries r UNION ALL SELECT r::text FROM profile_devices r "
    "UNION ALL SELECT r::text FROM profile_steps r UNION ALL SELECT r::text FROM step_spans r "
    "UNION ALL SELECT r::text FROM op_rows r) AS l";

/* ---- the way of a month ---- */

static void leaves_a_ledger_that_verifies(void **state)
{
    (void)state;
    struct archive_file file = write_month();
    assert_int_equal(file.profile_count, 3);
    assert_string_equal(file.month, "2026-01");
    int64_t rows = number("SELECT count(*) FROM op_rows"), held = file.row_count;
    assert_int_equal(detach(&file), 1);
    assert_int_equal(number("SELECT count(*) FROM op_rows"), rows - 9);
    assert_int_equal(number("SELECT count(*) FROM op_rows_2026_01_x1"), 9);
    assert_int_equal(held, number("SELECT sum(row_count) FROM archived_sections"));
    assert_int_equal(number("SELECT count(*) FROM entries WHERE kind = 'archive' "
                            "AND chain = 'ledger' AND subject_id = 1"),
                     1);
    struct checkpoint kept = integrity_checkpoint(&database, &arena);
    integrity_assert_clean(integrity_verify(&database, &kept, &arena));
    integrity_assert_clean(verify_both());
    /* What has gone is not needed to append, nor are the detached tables. */
    sql_do(database.owner, "DROP TABLE summaries_2026_01_x1, profile_devices_2026_01_x1, "
                           "profile_steps_2026_01_x1, step_spans_2026_01_x1, op_rows_2026_01_x1");
    scoped_db *db = ledger_open(database.app);
    (void)ledger_append(db, &arena, &identity, 200);
    integrity_assert_clean(verify_both());
}

static void names_the_file_for_what_is_gone(void **state)
{
    (void)state;
    struct err err = {0};
    struct archive_list list;
    struct ledger_profile profile;
    go_away();
    scoped_db *db = ledger_open(database.app);
    assert_true(archive_list(db, &arena, &list, &err));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].month, "2026-01");
    assert_string_equal(list.items[0].file_name, path);
    assert_int_equal(list.items[0].profile_count, 3);
    assert_false(ledger_load_profile(db, 4, &arena, &profile, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, path));
    assert_true(ledger_load_profile(db, 3, &arena, &profile, &err));
    const struct baseline_query query = {
        .project = "llm", .workload = "pretrain", .branch = "main", .run_limit = 20};
    struct place_list places;
    assert_true(ledger_baseline_places(db, &query, &arena, &places, &err));
    for (size_t i = 0; i < places.count; i++)
        assert_int_equal(places.items[i].archived,
                         places.items[i].id < 5 && places.items[i].id != 3);
}

static void brings_a_month_back_as_it_was(void **state)
{
    (void)state;
    struct err err = {0};
    struct ledger_profile profile;
    char *before = sql_text(database.admin, contents);
    for (int round = 0; round < 2; round++) {
        go_away();
        come_back();
        char *after = sql_text(database.admin, contents);
        assert_string_equal(after, before);
        free(after);
        integrity_assert_clean(verify_both());
    }
    free(before);
    scoped_db *db = ledger_open(database.app);
    assert_true(ledger_load_profile(db, 1, &arena, &profile, &err));
    assert_int_equal(number("SELECT count(*) FROM profiles p JOIN op_rows r ON r.profile_id = p.id "
                            "WHERE r.recorded_on <> p.recorded_on"),
                     0);
}

/* Killed when the file was there and the month not yet gone: the same again takes the same file. */
static void goes_on_with_a_file_that_is_there_already(void **state)
{
    (void)state;
    struct archive_file first = write_month(), second = write_month();
    assert_memory_equal(first.sha256, second.sha256, SHA256_BYTES);
    (void)detach(&second);
}

static void lets_readers_finish_before_it_takes_the_tables(void **state)
{
    (void)state;
    struct err err = {0};
    struct ledger_profile profile;
    struct archive_file file = write_month();
    pid_t reader = fork();
    if (reader == 0) {
        struct db *db = ledger_open(database.app), *open;
        bool read = snapshot_open(db, &open, &err) &&
                    ledger_load_profile(db, 1, &arena, &profile, &err) && sleep(3) == 0;
        _exit(!read);
    }
    (void)sleep(1);
    (void)detach(&file);
    int status;
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    integrity_assert_clean(verify_both());
}

/* ---- what is refused ---- */

static void write_is_refused(const char *month, enum err_kind kind, const char *because)
{
    struct err err = {0};
    struct archive_file file;
    scoped_db *db = ledger_open(database.app);
    assert_false(archive_write(db, month, path, &file, &err));
    if (err.kind != kind || strstr(err.text, because) == NULL)
        fail_msg("%s: %s", err_kind_name(err.kind), err.text);
}

static void refuses_what_is_no_past_month(void **state)
{
    (void)state;
    int64_t id;
    struct err err = {0};
    struct archive_file file;
    write_is_refused("2026-1", ERR_INPUT, "no month");
    write_is_refused("2026-13", ERR_INPUT, "no month");
    write_is_refused("2020-01", ERR_MISSING, "no profile");
    char *now = sql_text(database.admin, "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')");
    scoped_db *db = ledger_open(database.owner);
    assert_true(archive_write(db, now, path, &file, &err));
    assert_false(archive_detach(db, path, &file, &id, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "not over"));
    free(now);
}

static void refuses_to_take_a_month_twice_or_to_bring_back_what_is_there(void **state)
{
    (void)state;
    int64_t id;
    struct err err = {0};
    struct archive_file file = write_month(), back;
    scoped_db *db = ledger_open(database.owner);
    assert_false(archive_attach(db, path, &back, &id, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    (void)detach(&file);
    assert_false(archive_detach(db, path, &file, &id, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    write_is_refused("2026-01", ERR_MISSING, "already");
}

static void refuses_everybody_but_the_owner(void **state)
{
    (void)state;
    int64_t id;
    struct err err = {0};
    struct archive_file file = write_month(), back;
    scoped_db *db = ledger_open(database.app);
    assert_false(archive_detach(db, path, &file, &id, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    (void)detach(&file);
    assert_false(archive_attach(db, path, &back, &id, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_string_equal(
        sql_refusal(database.app, "SELECT ledger_month_detach('2026-02-01', '_x9')"), "42501");
}

static void leaves_a_file_of_another_month_alone(void **state)
{
    (void)state;
    struct err err = {0};
    struct archive_file file;
    (void)write_month();
    scoped_db *db = ledger_open(database.app);
    assert_false(archive_write(db, "2026-02", path, &file, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "there already"));
    (void)write_month(); /* it still holds January */
}

/* Superuser's changes, each of which must be in the way of archiving. */
static void archives_nothing_that_does_not_verify(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"UPDATE op_rows SET self_ps = self_ps + 1 WHERE profile_id = 2", "not what was recorded"},
        {"UPDATE profile_facts SET value = 'x' WHERE profile_id = 4", "not what was recorded"},
        {"DELETE FROM summaries WHERE profile_id = 1", "not what was recorded"},
        {"DELETE FROM entries WHERE kind = 'profile' AND subject_id = 2", "no entry"},
        {"INSERT INTO step_spans (profile_id, recorded_on, number, start_ps, duration_ps) "
         "VALUES (77, '2026-01-05', 1, 2, 3)",
         "put in"},
        {"UPDATE op_rows SET recorded_on = '2026-01-07' WHERE profile_id = 5", "put in"},
    };
    struct test_database whole = database;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[500];
        test_database_clone(&whole, &database);
        (void)snprintf(text, sizeof text, "SET session_replication_role = replica; %s",
                       changes[i][0]);
        sql_do(database.admin, text);
        write_is_refused("2026-01", ERR_INPUT, changes[i][1]);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    database = whole;
}

static void notices_profiles_that_came_meanwhile(void **state)
{
    (void)state;
    int64_t id;
    struct err err = {0};
    struct archive_file file = write_month();
    scoped_db *db = ledger_open(database.owner);
    month_pretend(&database, "2026-01-20");
    (void)ledger_append(db, &arena, &identity, 300);
    assert_false(archive_detach(db, path, &file, &id, &err));
    assert_int_equal(err.kind, ERR_CONFLICT);
    assert_int_equal(number("SELECT count(*) FROM op_rows_2026_01"), 12);
    (void)write_month();
}

/* ---- what is changed all the same ---- */

struct bytes {
    char *data;
    size_t length;
};

static struct bytes file_bytes(void)
{
    struct bytes bytes = {malloc(FILE_BYTES_MAX), 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes.length = fread(bytes.data, 1, FILE_BYTES_MAX, file);
    (void)fclose(file);
    return bytes;
}

static void file_put(const char *data, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* How many findings there are about the file alone. */
static int64_t file_findings(struct db *db)
{
    struct err err = {0};
    struct archive_file file;
    static struct verify_report report;
    struct arena_mark mark = arena_mark(&arena);
    report = (struct verify_report){0};
    if (!archive_verify(db, path, &arena, &report, &file, &err))
        fail_msg("%s", err.text);
    arena_rewind(&arena, mark);
    return report.finding_count;
}

static void finds_every_changed_byte_of_a_file(void **state)
{
    (void)state;
    go_away();
    scoped_db *db = ledger_open(database.app);
    struct bytes whole = file_bytes();
    assert_int_equal(file_findings(db), 0);
    for (size_t at = 0; at < whole.length; at += 1 + at % 61) {
        whole.data[at] ^= 1;
        file_put(whole.data, whole.length);
        if (file_findings(db) == 0)
            fail_msg("byte %zu of %zu was changed and not found", at, whole.length);
        whole.data[at] ^= 1;
    }
    free(whole.data);
}

static void finds_a_torn_file(void **state)
{
    (void)state;
    go_away();
    scoped_db *db = ledger_open(database.app);
    struct bytes whole = file_bytes();
    for (size_t length = 0; length < whole.length; length += 1 + length % 97) {
        file_put(whole.data, length);
        assert_int_equal(file_findings(db), 1);
    }
    whole.data = realloc(whole.data, whole.length + 1);
    whole.data[whole.length] = '\n';
    file_put(whole.data, whole.length + 1);
    assert_int_equal(file_findings(db), 1);
    free(whole.data);
}

/* A changed file is not brought back, and leaves nothing of it behind. */
static void brings_nothing_back_from_a_changed_file(void **state)
{
    (void)state;
    int64_t id;
    struct err err = {0};
    struct archive_file file;
    go_away();
    struct bytes whole = file_bytes();
    whole.data[whole.length / 2] ^= 4;
    file_put(whole.data, whole.length);
    free(whole.data);
    scoped_db *db = ledger_open(database.owner);
    assert_false(archive_attach(db, path, &file, &id, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    integrity_assert_clean(integrity_verify(&database, NULL, &arena));
}

static void finds_what_is_changed_around_an_archive(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *chain, *entry;
    } changes[] = {
        {"UPDATE archived_sections SET sha256 = sha256('x') WHERE profile_id = 2 "
         "AND section = 'ops'",
         "s1", "p2"},
        {"DELETE FROM archived_sections WHERE profile_id = 1 AND section = 'spans'", "s1", "p1"},
        {"UPDATE profile_facts SET value = 'x' WHERE profile_id = 4", "s1", "p4"},
        {"UPDATE archives SET file_sha256 = sha256('x')", "ledger", "x1"},
        {"INSERT INTO archived_sections VALUES (5, 'ops', 1, 3, sha256('x'))", "ledger", "x1"},
        {"INSERT INTO op_rows SELECT (r).* FROM (SELECT r FROM op_rows_2026_01_x1 r LIMIT 1) q",
         "s1", "p1"},
    };
    go_away();
    (void)integrity_checkpoint(&database, &arena);
    sql_do(database.owner, "CALL ledger_month_add('2026-01-01')");
    struct test_database whole = database;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[500];
        test_database_clone(&whole, &database);
        (void)snprintf(text, sizeof text, "SET session_replication_role = replica; %s",
                       changes[i].sql);
        sql_do(database.admin, text);
        const struct verify_report *report = integrity_verify(&database, NULL, &arena);
        if (report->finding_count == 0 ||
            strcmp(report->findings[0].chain, changes[i].chain) != 0 ||
            strcmp(report->findings[0].entry, changes[i].entry) != 0)
            fail_msg("%s: %d findings", changes[i].sql, (int)report->finding_count);
    }
    database = whole;
}

static void keeps_detached_tables_closed(void **state)
{
    (void)state;
    go_away();
    static const char *const texts[] = {"UPDATE op_rows_2026_01_x1 SET count = 1",
                                        "DELETE FROM op_rows_2026_01_x1",
                                        "TRUNCATE summaries_2026_01_x1"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(sql_refusal(database.owner, texts[i]), "23001");
        assert_string_equal(sql_refusal(database.admin, texts[i]), "23001");
        assert_string_equal(sql_refusal(database.app, texts[i]), "42501");
    }
    assert_string_equal(sql_refusal(database.app, "SELECT count(*) FROM op_rows_2026_01_x1"),
                        "42501");
}

int main(void)
{
#define archive_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        archive_test(leaves_a_ledger_that_verifies),
        archive_test(names_the_file_for_what_is_gone),
        archive_test(brings_a_month_back_as_it_was),
        archive_test(goes_on_with_a_file_that_is_there_already),
        archive_test(lets_readers_finish_before_it_takes_the_tables),
        archive_test(refuses_what_is_no_past_month),
        archive_test(refuses_to_take_a_month_twice_or_to_bring_back_what_is_there),
        archive_test(refuses_everybody_but_the_owner),
        archive_test(leaves_a_file_of_another_month_alone),
        archive_test(archives_nothing_that_does_not_verify),
        archive_test(notices_profiles_that_came_meanwhile),
        archive_test(finds_every_changed_byte_of_a_file),
        archive_test(finds_a_torn_file),
        archive_test(brings_nothing_back_from_a_changed_file),
        archive_test(finds_what_is_changed_around_an_archive),
        archive_test(keeps_detached_tables_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
