#include "ingest/nsight/export_db.h"

#include "ops/runtime/text.h"

#include <sqlite3.h>

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    ROW_MAX_BYTES = 4 * 1024 * 1024, /* no row that Nsight Systems writes comes near to it */
    HEAP_MAX_BYTES = 64 * 1024 * 1024,
    CACHE_KIB = 1024,
    SQL_MAX_BYTES = 4096,
    LEAST_ROW_BYTES = 4,             /* of any row: its place in a page, its size, its id */
    OPS_PER_LOOK = 50000,            /* of SQLite's machine, between looks at the clock */
    CPU_LEAST_US = 20 * 1000 * 1000, /* any file may take so long, */
    CPU_US_PER_MB = 2 * 1000 * 1000, /* and a hundred times what a sound one takes */
    BYTES_PER_MB = 1000000,
};

/* ---- opening --------------------------------------------------------------------------------- */

static int64_t cpu_now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int clock_look(void *context)
{
    const struct export_db *db = context;
    return cpu_now_us() > db->cpu_limit_us;
}

/* Only our own reading passes: no functions, no schema that runs something. */
static int authorize(void *context, int action, const char *what, const char *detail,
                     const char *database, const char *trigger)
{
    const struct export_db *db = context;
    (void)detail;
    (void)database;
    if (trigger != NULL) /* or a view */
        return SQLITE_DENY;
    if (action == SQLITE_SELECT || action == SQLITE_READ)
        return SQLITE_OK;
    bool describes = action == SQLITE_PRAGMA && strcmp(what, "table_xinfo") == 0;
    return describes && db->may_describe ? SQLITE_OK : SQLITE_DENY;
}

/* What SQLite says of its last failure, as one of ours. */
static bool db_failed(const struct export_db *db, struct err *err)
{
    const char *path = db->input->path;
    int code = sqlite3_extended_errcode(db->handle);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return err_set(err, ERR_LIMIT,
                       "'%s': its schema or a row takes SQLite more than %d MiB of memory; an "
                       "export of Nsight Systems needs far less",
                       path, HEAP_MAX_BYTES >> 20);
    case SQLITE_INTERRUPT:
        return err_set(err, ERR_INPUT,
                       "'%s' takes more time to read than any sound file of its size: it is "
                       "broken; export it again",
                       path);
    case SQLITE_IOERR:
        return err_set(err, ERR_IO, "cannot read '%s': %s", path, sqlite3_errmsg(db->handle));
    default:
        return err_set(err, ERR_INPUT, "'%s' is a broken SQLite database (%s); export it again",
                       path, sqlite3_errmsg(db->handle));
    }
}

/* Failures that are of the file's content alone: a part of it is lost, the rest may be sound. */
static bool is_broken_content(const struct export_db *db)
{
    int code = sqlite3_extended_errcode(db->handle);
    return code == SQLITE_IOERR_SHORT_READ ||
           ((code & 0xff) != SQLITE_NOMEM && (code & 0xff) != SQLITE_INTERRUPT &&
            (code & 0xff) != SQLITE_IOERR);
}

static bool db_settle(struct export_db *db, struct err *err)
{
    static const struct {
        int what, value;
    } settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                    {SQLITE_DBCONFIG_DQS_DDL, 0},        {SQLITE_DBCONFIG_DQS_DML, 0}},
      limits[] = {{SQLITE_LIMIT_LENGTH, ROW_MAX_BYTES}, {SQLITE_LIMIT_ATTACHED, 0},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 2},    {SQLITE_LIMIT_EXPR_DEPTH, 20},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},      {SQLITE_LIMIT_VARIABLE_NUMBER, 2},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    (void)sqlite3_hard_heap_limit64(HEAP_MAX_BYTES);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        (void)sqlite3_db_config(db->handle, settings[i].what, settings[i].value, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        (void)sqlite3_limit(db->handle, limits[i].what, limits[i].value);
    (void)sqlite3_drop_modules(db->handle, NULL); /* no virtual tables */
    db->cpu_limit_us =
        cpu_now_us() + CPU_LEAST_US + db->input->size_bytes / BYTES_PER_MB * (int64_t)CPU_US_PER_MB;
    sqlite3_progress_handler(db->handle, OPS_PER_LOOK, clock_look, db);
    char pragmas[256];
    (void)snprintf(pragmas, sizeof pragmas,
                   "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA cache_size=-%d; "
                   "PRAGMA query_only=ON;",
                   CACHE_KIB);
    if (sqlite3_exec(db->handle, pragmas, NULL, NULL, NULL) != SQLITE_OK)
        return db_failed(db, err);
    (void)sqlite3_set_authorizer(db->handle, authorize, db);
    return true;
}

bool export_db_open(struct export_db *db, const struct input *input, struct notes *said,
                    struct err *err)
{
    bool any;
    scoped_text uri;
    *db = (struct export_db){.input = input, .said = said};
    text_init(&uri, 4 * strlen(input->path) + 64);
    text_add(&uri, "file:");
    for (const char *p = input->path; *p != '\0'; p++)
        text_addf(&uri, strchr("%?#", *p) == NULL ? "%c" : "%%%02X", (unsigned char)*p);
    text_add(&uri, "?immutable=1"); /* nobody writes the file */
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(text_shown(&uri), &db->handle, flags, NULL) != SQLITE_OK) {
        (void)memory_given(db->handle);
        return db_failed(db, err);
    }
    return db_settle(db, err) && export_db_has(db, "StringIds", &any, err);
}

void export_db_close(struct export_db *db)
{
    (void)sqlite3_finalize(db->text_by_id);
    (void)sqlite3_close(db->handle);
    *db = (struct export_db){0};
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void statement_done(sqlite3_stmt **statement)
{
    (void)sqlite3_finalize(*statement);
}
#define scoped_statement __attribute__((cleanup(statement_done))) sqlite3_stmt

bool export_db_has(struct export_db *db, const char *table, bool *ret_has, struct err *err)
{
    static const char sql[] = "SELECT type, rootpage FROM sqlite_schema WHERE name = ?1";
    scoped_statement *statement = NULL;
    *ret_has = false;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) != SQLITE_OK)
        return db_failed(db, err);
    int code = sqlite3_step(statement);
    if (code == SQLITE_DONE)
        return true;
    if (code != SQLITE_ROW)
        return db_failed(db, err);
    const char *type = (const char *)sqlite3_column_text(statement, 0);
    *ret_has = type != NULL && strcmp(type, "table") == 0 && sqlite3_column_int64(statement, 1) > 0;
    if (!*ret_has)
        NOTE(db->said, "%s is no table of its own in this file, and was not read.", table);
    return true;
}

/* Which of the table's columns there are. */
static bool columns_find(struct export_rows *rows, unsigned *ret_found, struct err *err)
{
    enum { XINFO_NAME = 1, XINFO_HIDDEN = 6 };
    struct export_db *db = rows->db;
    char sql[SQL_MAX_BYTES];
    scoped_statement *statement = NULL;
    *ret_found = 0;
    (void)snprintf(sql, sizeof sql, "PRAGMA table_xinfo(\"%s\")", rows->table->name);
    db->may_describe = true;
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        const char *name = (const char *)sqlite3_column_text(statement, XINFO_NAME);
        bool computed = sqlite3_column_int(statement, XINFO_HIDDEN) != 0;
        for (int i = 0; name != NULL && !computed && i < EXPORT_COLUMNS_MAX; i++) {
            const char *asked = rows->table->columns[i];
            if (asked != NULL && strcasecmp(asked, name) == 0)
                *ret_found |= 1U << i;
        }
    }
    db->may_describe = false;
    return code == SQLITE_DONE || db_failed(db, err);
}

static bool rows_select(struct export_rows *rows, unsigned found, struct err *err)
{
    scoped_text sql;
    int place = 0;
    text_init(&sql, SQL_MAX_BYTES);
    text_add(&sql, "SELECT _rowid_");
    for (int i = 0; i < EXPORT_COLUMNS_MAX; i++) {
        rows->places[i] = -1;
        if (!(found >> i & 1))
            continue;
        rows->places[i] = ++place;
        text_addf(&sql, ", \"%s\"", rows->table->columns[i]);
    }
    text_addf(&sql, " FROM \"%s\" NOT INDEXED WHERE _rowid_ >= ?1 ORDER BY _rowid_",
              rows->table->name);
    if (!text_ok(&sql, "a question to an export", err))
        return false;
    if (sqlite3_prepare_v2(rows->db->handle, text_string(&sql), -1, &rows->statement, NULL) ==
        SQLITE_OK)
        return true;
    if (!is_broken_content(rows->db))
        return db_failed(rows->db, err);
    NOTE(rows->db->said, "Table %s cannot be read: %s.", rows->table->name,
         sqlite3_errmsg(rows->db->handle));
    rows->db->broken_count++;
    return true;
}

static bool rows_begin(struct export_rows *rows, struct err *err)
{
    (void)sqlite3_reset(rows->statement);
    return sqlite3_bind_int64(rows->statement, 1, rows->next_id) == SQLITE_OK ||
           db_failed(rows->db, err);
}

bool export_rows_open(struct export_rows *rows, struct export_db *db,
                      const struct export_table *table, struct err *err)
{
    bool has;
    unsigned found;
    *rows = (struct export_rows){.db = db, .table = table, .next_id = INT64_MIN};
    if (!export_db_has(db, table->name, &has, err))
        return false;
    if (!has)
        return true;
    if (!columns_find(rows, &found, err))
        return false;
    for (int i = 0; i < EXPORT_COLUMNS_MAX; i++) {
        if (!(table->required >> i & 1) || found >> i & 1)
            continue;
        NOTE(db->said, "Table %s has no column %s, and was not read.", table->name,
             table->columns[i]);
        return true;
    }
    return rows_select(rows, found, err) && (rows->statement == NULL || rows_begin(rows, err));
}

void export_rows_close(struct export_rows *rows)
{
    (void)sqlite3_finalize(rows->statement);
    *rows = (struct export_rows){0};
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void rows_end(struct export_rows *rows)
{
    (void)sqlite3_finalize(rows->statement);
    rows->statement = NULL;
}

/* What is left of a table that is broken from here on. */
static bool rows_lost(struct export_rows *rows, const char *why, struct err *err)
{
    struct export_db *db = rows->db;
    if (!is_broken_content(db))
        return db_failed(db, err);
    NOTE(db->said,
         "Table %s is broken behind its first %" PRId64 " rows (%s): the rest of it was "
         "not read.",
         rows->table->name, rows->count, why);
    db->broken_count++;
    rows_end(rows);
    return true;
}

/* Steps over the row that is too large to be read. */
static bool huge_skip(struct export_rows *rows, struct err *err)
{
    struct export_db *db = rows->db;
    char sql[SQL_MAX_BYTES];
    scoped_statement *statement = NULL;
    (void)snprintf(sql, sizeof sql,
                   "SELECT _rowid_ FROM \"%s\" NOT INDEXED WHERE _rowid_ >= ?1 ORDER BY _rowid_",
                   rows->table->name);
    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 1, rows->next_id) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        return rows_lost(rows, sqlite3_errmsg(db->handle), err);
    int64_t id = sqlite3_column_int64(statement, 0);
    db->huge_rows++;
    rows->count++;
    if (id == INT64_MAX) {
        rows_end(rows);
        return true;
    }
    rows->next_id = id + 1;
    return rows_begin(rows, err);
}

bool export_rows_next(struct export_rows *rows, bool *ret_any, struct err *err)
{
    struct export_db *db = rows->db;
    *ret_any = false;
    while (rows->statement != NULL) {
        int code = sqlite3_step(rows->statement);
        if (code == SQLITE_DONE) {
            rows_end(rows);
        } else if (code == SQLITE_TOOBIG) {
            if (!huge_skip(rows, err))
                return false;
        } else if (code != SQLITE_ROW) {
            if (!rows_lost(rows, sqlite3_errmsg(db->handle), err))
                return false;
        } else if (++rows->count > db->input->size_bytes / LEAST_ROW_BYTES) {
            return err_set(err, ERR_INPUT,
                           "'%s': table %s has more rows than the file has room for: it is "
                           "broken; export it again",
                           db->input->path, rows->table->name);
        } else {
            int64_t id = sqlite3_column_int64(rows->statement, 0);
            rows->next_id = id < INT64_MAX ? id + 1 : id;
            *ret_any = true;
            return true;
        }
    }
    return true;
}

enum cell export_integer(const struct export_rows *rows, int column, int64_t *ret_value)
{
    int place = rows->places[column];
    *ret_value = 0;
    if (place < 0)
        return CELL_EMPTY;
    int type = sqlite3_column_type(rows->statement, place);
    if (type == SQLITE_NULL)
        return CELL_EMPTY;
    if (type != SQLITE_INTEGER)
        return CELL_ODD;
    *ret_value = sqlite3_column_int64(rows->statement, place);
    return CELL_VALUE;
}

enum cell export_text(const struct export_rows *rows, int column, const char **ret_text,
                      size_t *ret_length)
{
    int place = rows->places[column];
    *ret_text = NULL;
    *ret_length = 0;
    if (place < 0 || sqlite3_column_type(rows->statement, place) == SQLITE_NULL)
        return CELL_EMPTY;
    if (sqlite3_column_type(rows->statement, place) != SQLITE_TEXT)
        return CELL_ODD;
    *ret_text = (const char *)sqlite3_column_text(rows->statement, place);
    *ret_length = (size_t)sqlite3_column_bytes(rows->statement, place);
    return *ret_text != NULL ? CELL_VALUE : CELL_ODD;
}

/* ---- texts ----------------------------------------------------------------------------------- */

bool export_text_by_id(struct export_db *db, int64_t id, const char **ret_text, size_t *ret_length,
                       struct err *err)
{
    *ret_text = NULL;
    *ret_length = 0;
    static const char sql[] = "SELECT value FROM StringIds WHERE id = ?1";
    if (db->text_by_id == NULL &&
        sqlite3_prepare_v2(db->handle, sql, -1, &db->text_by_id, NULL) != SQLITE_OK)
        return is_broken_content(db) || db_failed(db, err);
    (void)sqlite3_reset(db->text_by_id);
    (void)sqlite3_bind_int64(db->text_by_id, 1, id);
    int code = sqlite3_step(db->text_by_id);
    if (code == SQLITE_DONE)
        return true;
    if (code != SQLITE_ROW)
        return code == SQLITE_TOOBIG || is_broken_content(db) || db_failed(db, err);
    if (sqlite3_column_type(db->text_by_id, 0) != SQLITE_TEXT)
        return true;
    *ret_text = (const char *)sqlite3_column_text(db->text_by_id, 0);
    *ret_length = (size_t)sqlite3_column_bytes(db->text_by_id, 0);
    return true;
}
