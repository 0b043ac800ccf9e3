/* Changes the defaults that say when something is recorded, and nothing else: everything goes the
 * way that it always goes. */
#include "tests/support/month_fixture.h"

#include <stddef.h>
#include <stdio.h>

enum { TEXT_BYTES = 1500 };

/* What the migrations made them, kept at the first change: `verify` knows it. */
static const char defaults_keep[] =
    "CREATE TABLE IF NOT EXISTS public.kept_defaults AS "
    "SELECT format('ALTER TABLE stepledger.%I ALTER %I SET DEFAULT ', c.relname, a.attname) AS "
    "change, a.attname, pg_get_expr(d.adbin, d.adrelid) AS was "
    "FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid "
    "JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum "
    "WHERE (c.relname = 'profiles' AND a.attname = 'recorded_at') "
    "OR (c.relname = ANY (ledger_monthly()) AND a.attname = 'recorded_on')";

static const char defaults_set[] =
    "DO $$ DECLARE d record; BEGIN FOR d IN SELECT * FROM public.kept_defaults LOOP "
    "EXECUTE d.change || %s; END LOOP; END $$";

void month_pretend(const struct test_database *database, const char *day)
{
    char text[TEXT_BYTES], value[200];
    sql_do(database->admin, defaults_keep);
    if (day == NULL) {
        (void)snprintf(value, sizeof value, "d.was");
    } else {
        (void)snprintf(value, sizeof value,
                       "CASE d.attname WHEN 'recorded_at' THEN 'timestamptz ''%s 12:34:56.5+00''' "
                       "ELSE 'date ''%s''' END",
                       day, day);
        (void)snprintf(text, sizeof text,
                       "CALL ledger_month_add(date_trunc('month', timestamp '%s')::date)", day);
        sql_do(database->owner, text);
    }
    (void)snprintf(text, sizeof text, defaults_set, value);
    sql_do(database->admin, text);
}

void months_lose(const struct test_database *database)
{
    sql_do(database->admin,
           "DO $$ DECLARE part regclass; BEGIN FOR part IN SELECT c.oid FROM pg_class c "
           "JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relispartition AND c.relkind = 'r' "
           "AND right(c.relname, 7) >= to_char(CURRENT_DATE, 'YYYY_MM') LOOP "
           "EXECUTE format('DROP TABLE %s', part); END LOOP; END $$");
}
