/* Loads a dump through one connection of the superuser. */
#include "tests/support/old_ledger.h"

#include "ops/runtime/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { DUMP_BYTES_MAX = 16 << 20, COMMAND_BYTES = 200, PART_BYTES = 65536 };

void old_ledger_load(const char *name, struct test_database *ret_database)
{
    size_t length;
    char command[COMMAND_BYTES], part[PART_BYTES];
    scoped_text dump;
    text_init(&dump, DUMP_BYTES_MAX);
    (void)snprintf(command, sizeof command, "gzip -dc tests/db/fixtures/%s.sql.gz", name);
    FILE *unpacked = popen(command, "r");
    assert_non_null(unpacked);
    while ((length = fread(part, 1, sizeof part, unpacked)) > 0)
        text_addn(&dump, part, length);
    assert_int_equal(pclose(unpacked), 0);
    assert_false(dump.failed);
    test_database_make_empty(ret_database);
    sql_do(ret_database->admin, text_string(&dump));
}

struct migration_report old_ledger_migrate(const struct test_database *database)
{
    struct err err = {0};
    struct migration_report report = {0};
    scoped_db *db = NULL;
    if (!db_open_raw(database->owner, &db, &err) || !migrate_run(db, &report, &err))
        fail_msg("%s", err.text);
    return report;
}
