/* An Nsight Systems export as the SQLite database that it is, and that nobody trusts: read only,
 * as it lies there, and nothing that the file itself says is run.
 *
 * Views, triggers, virtual tables and computed columns are no part of an export and are not looked
 * at. Tables are read in the order of their rows; a row that cannot be read is counted, and where a
 * table is broken what stands before is what it has. Memory and processor time are bounded.
 */
#ifndef INGEST_NSIGHT_EXPORT_DB_H
#define INGEST_NSIGHT_EXPORT_DB_H

#include "ingest/source/source.h"
#include "ingest/wire/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

enum { EXPORT_COLUMNS_MAX = 20 };

/* A table of the format: the columns that are asked for, by place; versions lack some of them. */
struct export_table {
    const char *name;
    unsigned traced;   /* bits of what was traced where there is the table */
    unsigned required; /* bits of the columns without which a row says nothing */
    const char *columns[EXPORT_COLUMNS_MAX]; /* NULL: this table has none for the place */
};

struct export_db {
    struct sqlite3 *handle;
    struct sqlite3_stmt *text_by_id;
    const struct input *input;
    struct notes *said;   /* what was found amiss */
    int64_t huge_rows;    /* hold more than can be read at once */
    int64_t broken_count; /* tables that end early */
    int64_t cpu_limit_us; /* of this thread, since the beginning of its clock */
    bool may_describe;    /* the authorizer lets PRAGMA table_xinfo through */
};

/* Opens the file. ERR_INPUT: no database, or one whose schema makes no sense. export_db_close
 * accepts a zeroed struct. */
bool export_db_open(struct export_db *db, const struct input *input, struct notes *said,
                    struct err *err);
void export_db_close(struct export_db *db);

/* Whether there is an ordinary table of that name. */
bool export_db_has(struct export_db *db, const char *table, bool *ret_has, struct err *err);

/* The rows of a table, one after the other. */
struct export_rows {
    struct export_db *db;
    const struct export_table *table;
    struct sqlite3_stmt *statement; /* NULL: there is no such table, or none that can be read */
    int places[EXPORT_COLUMNS_MAX]; /* in the result; -1 = not in this export */
    int64_t next_id, count;
};

/* Begins; no rows come from a table that the export does not have. export_rows_close accepts a
 * zeroed struct. */
bool export_rows_open(struct export_rows *rows, struct export_db *db,
                      const struct export_table *table, struct err *err);
void export_rows_close(struct export_rows *rows);

/* *ret_any is false at the end. ERR_LIMIT, ERR_IO, ERR_INPUT (takes too long). */
bool export_rows_next(struct export_rows *rows, bool *ret_any, struct err *err);

/* What a cell holds. */
enum cell { CELL_EMPTY, CELL_VALUE, CELL_ODD };

/* A cell of the present row as an integer, or as a text; what is of another type is odd. The text
 * lasts until the next row and need not be UTF-8. */
enum cell export_integer(const struct export_rows *rows, int column, int64_t *ret_value);
enum cell export_text(const struct export_rows *rows, int column, const char **ret_text,
                      size_t *ret_length);

/* The text of an id in StringIds; NULL when there is none. */
bool export_text_by_id(struct export_db *db, int64_t id, const char **ret_text, size_t *ret_length,
                       struct err *err);

#define scoped_export_rows __attribute__((cleanup(export_rows_close))) struct export_rows

#endif
