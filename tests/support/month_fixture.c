/* Changes the defaults that say when something is recorded, and nothing else: everything goes the
 * way that it always goes. */
#include "tests/support/month_fixture.h"

#include <stddef.h>
#include <stdio.h>

enum { TEXT_BYTES = 1500 };

static const char profile_default[] =
    "CREATE TABLE IF NOT EXISTS public.kept_default AS "
    "SELECT pg_get_expr(d.adbin, d.adrelid) AS was FROM pg_attrdef d "
    "JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum "
    "WHERE d.adrelid = 'profiles'::regclass AND a.attname = 'recorded_at'";

static const char defaults_set[] =
    "DO $$ DECLARE parent text; at text := %s; day text := %s; BEGIN "
    "EXECUTE format('ALTER TABLE profiles ALTER recorded_at SET DEFAULT %%s', at); "
    "FOREACH parent IN ARRAY ledger_monthly() LOOP "
    "EXECUTE format('ALTER TABLE %%I ALTER recorded_on SET DEFAULT %%s', parent, day); "
    "END LOOP; END $$";

void month_pretend(const struct test_database *database, const char *day)
{
    char text[TEXT_BYTES], at[100], on[100];
    sql_do(database->admin, profile_default);
    if (day == NULL) {
        (void)snprintf(at, sizeof at, "(SELECT was FROM public.kept_default)");
        (void)snprintf(on, sizeof on, "'CURRENT_DATE'");
    } else {
        (void)snprintf(at, sizeof at, "'timestamptz ''%s 12:34:56.5+00'''", day);
        (void)snprintf(on, sizeof on, "'date ''%s'''", day);
        (void)snprintf(text, sizeof text,
                       "CALL ledger_month_add(date_trunc('month', timestamp '%s')::date)", day);
        sql_do(database->owner, text);
    }
    (void)snprintf(text, sizeof text, defaults_set, at, on);
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
