/* Implements the bare tables. Rows are those that COPY gives, with the number in their first column
 * replaced. */
#include "tests/support/bare_copy.h"

#include "tests/support/cluster.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 4096, TEXT_BYTES = 400, NUMBER_AT = 6, NUMBER_BYTES = 8 };

struct source {
    const char *name;
    const char *key; /* of the profile's rows; NULL: they are found by kind */
    const char *index;
};

/* The op table first: it can be asked for alone. */
static const struct source sources[] = {
    {"op_rows", "profile_id", "brin"},
    {"profiles", "id", "btree"},
    {"profile_events", "profile_id", "btree"},
    {"summaries", "profile_id", "btree"},
    {"profile_files", "profile_id", "btree"},
    {"profile_hosts", "profile_id", "btree"},
    {"profile_facts", "profile_id", "btree"},
    {"profile_programs", "profile_id", "btree"},
    {"profile_devices", "profile_id", "btree"},
    {"profile_steps", "profile_id", "brin"},
    {"step_spans", "profile_id", "brin"},
    {"measures", "profile_id", "btree"},
    {"entries", NULL, "btree"},
};
enum { SOURCE_COUNT = sizeof sources / sizeof sources[0] };

struct chunk {
    char *bytes;
    int length;
};

struct table {
    struct chunk rows[ROWS_MAX];
    int count;
};

struct bare_copy {
    PGconn *conn;
    int table_count;
    uint64_t number;
    struct table tables[SOURCE_COUNT];
};

_Noreturn static void give_up(const char *what, const char *why)
{
    (void)fprintf(stderr, "bare copy: %s: %s\n", what, why);
    exit(1);
}

void bare_tables_make(const char *conninfo)
{
    for (int i = 0; i < SOURCE_COUNT; i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof text,
                       "SET search_path = stepledger; CREATE TABLE bare_%s (LIKE %s INCLUDING "
                       "STORAGE INCLUDING COMPRESSION); CREATE INDEX ON bare_%s USING %s (%s)%s",
                       sources[i].name, sources[i].name, sources[i].name, sources[i].index,
                       sources[i].key == NULL ? "chain, position" : sources[i].key,
                       strcmp(sources[i].index, "brin") == 0
                           ? " WITH (pages_per_range = 16, autosummarize = on)"
                           : "");
        sql_do(conninfo, text);
    }
}

static void command(struct bare_copy *copy, const char *text, ExecStatusType wanted)
{
    PGresult *result = PQexec(copy->conn, text);
    if (PQresultStatus(result) != wanted)
        give_up(text, PQerrorMessage(copy->conn));
    PQclear(result);
}

static void result_end(struct bare_copy *copy)
{
    for (PGresult *result = PQgetResult(copy->conn); result != NULL;
         result = PQgetResult(copy->conn)) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            give_up("COPY", PQerrorMessage(copy->conn));
        PQclear(result);
    }
}

static void table_read(struct bare_copy *copy, int i)
{
    char text[TEXT_BYTES], where[TEXT_BYTES / 2];
    struct table *table = &copy->tables[i];
    (void)snprintf(where, sizeof where, "%s = (SELECT min(id) FROM profiles)",
                   sources[i].key == NULL ? "kind IN ('profile', 'event') AND subject_id"
                                          : sources[i].key);
    (void)snprintf(text, sizeof text, "COPY (SELECT * FROM %s WHERE %s) TO STDOUT (FORMAT binary)",
                   sources[i].name, where);
    command(copy, text, PGRES_COPY_OUT);
    while (table->count < ROWS_MAX) {
        struct chunk *row = &table->rows[table->count];
        row->length = PQgetCopyData(copy->conn, &row->bytes, 0);
        if (row->length <= 0)
            break;
        table->count++;
    }
    result_end(copy);
}

struct bare_copy *bare_copy_open(const char *conninfo, enum bare_rows rows)
{
    struct bare_copy *copy = calloc(1, sizeof *copy);
    if (copy == NULL)
        give_up("open", "no memory");
    copy->conn = PQconnectdb(conninfo);
    copy->table_count = rows == BARE_ALL_ROWS ? SOURCE_COUNT : 1;
    copy->number = (uint64_t)getpid() << 32;
    command(copy, "SET search_path = stepledger", PGRES_COMMAND_OK);
    for (int i = 0; i < copy->table_count; i++)
        table_read(copy, i);
    return copy;
}

/* A row starts with its number of columns (16 bits) and the length of the first (32 bits); the
 * stream's head (19 bytes) comes with the first row. */
static void row_number(const struct bare_copy *copy, struct chunk *row, bool first)
{
    enum { HEAD_BYTES = 19 };
    int at = NUMBER_AT + (first ? HEAD_BYTES : 0);
    for (int i = 0; i < NUMBER_BYTES && at + NUMBER_BYTES <= row->length; i++)
        row->bytes[at + i] = (char)(copy->number >> (8 * (NUMBER_BYTES - 1 - i)));
}

static void table_write(struct bare_copy *copy, int i)
{
    char text[TEXT_BYTES];
    struct table *table = &copy->tables[i];
    (void)snprintf(text, sizeof text, "COPY bare_%s FROM STDIN (FORMAT binary)", sources[i].name);
    command(copy, text, PGRES_COPY_IN);
    for (int row = 0; row < table->count; row++) {
        if (sources[i].key != NULL)
            row_number(copy, &table->rows[row], row == 0);
        (void)PQputCopyData(copy->conn, table->rows[row].bytes, table->rows[row].length);
    }
    (void)PQputCopyEnd(copy->conn, NULL);
    result_end(copy);
}

void bare_copy_write(struct bare_copy *copy)
{
    copy->number++;
    command(copy, "BEGIN", PGRES_COMMAND_OK);
    for (int i = 0; i < copy->table_count; i++)
        table_write(copy, i);
    command(copy, "COMMIT", PGRES_COMMAND_OK);
}

void bare_copy_close(struct bare_copy *copy)
{
    for (int i = 0; i < copy->table_count; i++)
        for (int row = 0; row < copy->tables[i].count; row++)
            PQfreemem(copy->tables[i].rows[row].bytes);
    PQfinish(copy->conn);
    free(copy);
}
