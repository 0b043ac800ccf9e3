/* Connections and statements.
 *
 * Every session is made safe at once (search path, time zone, timeouts:
 * history/sql/session_setup.sql). What the conninfo says wins over the defaults given here. Nothing
 * else in the program speaks to libpq but history/.
 */
#include "history/client/connection.h"

#include "history/client/db_error.h"
#include "history/client/pg_types.h"
#include "history/client/result.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SERVER_VERSION_MIN = 150000 };

/* What stands before `dbname`, the conninfo, is overridden by it; what stands after overrides
 * it. */
static const char *const keywords[] = {
    "fallback_application_name",
    "connect_timeout",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "dbname",
    "client_encoding",
    NULL,
};
enum { CONNINFO_AT = 6 };

/* stderr is for events of ours; errors come back as results. Who waits for a lock is told who holds
 * it (migration 0211). */
static void notice_take(void *context, const PGresult *result)
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    (void)context;
    if (sqlstate != NULL && strcmp(sqlstate, "SL001") == 0)
        log_event(LOG_WARN, LOG_database_waits, "why",
                  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY), NULL);
}

/* PQconninfoParse's own words would quote the part that it does not understand, and that may be a
 * password. */
static bool conninfo_check(const char *conninfo, struct err *err)
{
    static const char no_memory[] = "out of memory"; /* libpq's, where it could still say so */
    bool looks_right = strchr(conninfo, '=') != NULL || strstr(conninfo, "://") != NULL;
    char *wrong = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &wrong);
    if (options == NULL && (wrong == NULL || strncmp(wrong, no_memory, sizeof no_memory - 1) == 0))
        memory_end();
    PQfreemem(wrong);
    bool ok = options != NULL && (looks_right || conninfo[0] == '\0');
    PQconninfoFree(options);
    return ok ||
           err_set(err, ERR_USAGE,
                   "the database's connection string cannot be read; write "
                   "`host=... dbname=...` or `postgresql://user@host/name` (it is not shown here: "
                   "it may hold a password)");
}

bool db_conninfo_has_password(const char *conninfo)
{
    static const char *const secrets[] = {"password", "sslpassword"};
    bool has = false;
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    for (const PQconninfoOption *option = options; option != NULL && option->keyword != NULL;
         option++)
        has |=
            text_is_one(option->keyword, secrets) && option->val != NULL && option->val[0] != '\0';
    PQconninfoFree(options);
    return has;
}

bool db_open_raw(const char *conninfo, struct db **ret_db, struct err *err)
{
    const char *values[] = {"stepledger", "10", "30", "10", "3", "60000", conninfo, "UTF8", NULL};
    static_assert(sizeof values == sizeof keywords, "one value per keyword");
    assert(values[CONNINFO_AT] == conninfo);
    if (!conninfo_check(conninfo, err))
        return false;
    scoped_db *db = memory_zalloc(1, sizeof *db);
    db->conn = memory_given(PQconnectdbParams(keywords, values, 1));
    if (PQstatus(db->conn) != CONNECTION_OK)
        return db_error(db->conn, NULL, "cannot reach the database", err);
    PQsetNoticeReceiver(db->conn, notice_take, NULL);
    int version = PQserverVersion(db->conn);
    if (version < SERVER_VERSION_MIN)
        return err_set(err, ERR_UNAVAILABLE,
                       "the database server is PostgreSQL %d; stepledger needs %d or newer",
                       version / 10000, SERVER_VERSION_MIN / 10000);
    if (!query_do(db, Q_session_setup, NULL, err))
        return false;
    *ret_db = db;
    db = NULL;
    return true;
}

void db_close(struct db *db)
{
    if (db == NULL)
        return;
    free(db->due);
    ahead_drop(&db->ahead);
    PQfinish(db->conn);
    free(db);
}

static bool query_prepare(struct db *db, enum query_id id, struct err *err)
{
    if (db->prepared[id])
        return true;
    const struct query *query = &queries[id];
    scoped_result *result = PQprepare(db->conn, query->name, query->text, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        return db_error(db->conn, result, query->name, err);
    db->prepared[id] = true;
    return true;
}

bool query_result_check(const struct db *db, const struct query *query, const PGresult *result,
                        struct err *err)
{
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        return db_error(db->conn, result, query->name, err);
    /* Whether a result has the columns of the file's header; ERR_BUG names the first that
     * differs. */
    const char *columns = query->columns;
    int count = PQnfields(result);
    for (int i = 0; i < count; i++) {
        uint32_t wanted = pg_type_next(&columns);
        if (wanted != PQftype(result, i))
            return err_set(err, ERR_BUG, "query %s: column %d (%s) has type %u, not %u",
                           query->name, i + 1, PQfname(result, i), PQftype(result, i), wanted);
    }
    if (pg_type_next(&columns) != 0)
        return err_set(err, ERR_BUG, "query %s: %d columns came back, more were declared",
                       query->name, count);
    return true;
}

bool query_args_check(const struct query *query, const struct args *args, struct err *err)
{
    return args == NULL || !args->too_long ||
           err_set(err, ERR_LIMIT, "query %s: a value has more than 2 GiB", query->name);
}

/* Where it differs from what the session is set to, and the statement has values. */
static bool plans_set(struct db *db, enum query_id id, struct err *err)
{
    const struct query *query = &queries[id];
    bool once = db->all_plans_once || query->is_planned_once;
    if (id == Q_plans_keep || once == db->plans_once || query->parameters[0] == '\0')
        return true;
    db->plans_once = once;
    return query_do(db, Q_plans_keep, ARGS(once ? "force_generic_plan" : "auto"), err);
}

bool query_run(struct db *db, enum query_id id, const struct args *args, PGresult **ret_result,
               struct err *err)
{
    if (!query_args_check(&queries[id], args, err))
        return false;
    static const struct args none;
    scoped_result *result = ahead_take(&db->ahead, &id, args);
    if (result == NULL && (!plans_set(db, id, err) || !query_prepare(db, id, err)))
        return false;
    if (args == NULL)
        args = &none;
    if (result == NULL)
        result = PQexecPrepared(db->conn, queries[id].name, args->count, args->values,
                                args->lengths, args->formats, 1);
    if (!query_result_check(db, &queries[id], result, err))
        return false;
    *ret_result = result;
    result = NULL;
    return true;
}

bool query_ahead(struct db *db, enum query_id id, const struct args *args, struct err *err)
{
    ahead_drop(&db->ahead);
    return query_args_check(&queries[id], args, err) && plans_set(db, id, err) &&
           query_prepare(db, id, err) && ahead_send(&db->ahead, db->conn, id, args, err);
}

PGTransactionStatusType db_transaction_status(struct db *db)
{
    ahead_wait(&db->ahead);
    return PQtransactionStatus(db->conn);
}

bool query_row(struct db *db, enum query_id id, const struct args *args, PGresult **ret_result,
               struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, id, args, &result, err))
        return false;
    if (PQntuples(result) != 1)
        return err_set(err, ERR_BUG, "query %s: %d rows came back where there is always one",
                       queries[id].name, PQntuples(result));
    *ret_result = result;
    result = NULL;
    return true;
}

bool query_number(struct db *db, enum query_id id, const struct args *args, int64_t *ret_number,
                  struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, id, args, &result, err))
        return false;
    *ret_number = result_i64(result, 0, 0);
    return true;
}

bool query_number_or(struct db *db, enum query_id id, const struct args *args, int64_t none,
                     int64_t *ret_number, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, id, args, &result, err))
        return false;
    *ret_number = PQntuples(result) == 0 ? none : result_i64(result, 0, 0);
    return true;
}

bool query_bool(struct db *db, enum query_id id, const struct args *args, bool *ret_value,
                struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, id, args, &result, err))
        return false;
    *ret_value = result_bool(result, 0, 0);
    return true;
}

bool query_do(struct db *db, enum query_id id, const struct args *args, struct err *err)
{
    scoped_result *result = NULL;
    return query_run(db, id, args, &result, err);
}

bool query_copy_start(struct db *db, enum query_id id, ExecStatusType direction, struct err *err)
{
    ahead_wait(&db->ahead);
    if (!query_prepare(db, id, err))
        return false;
    scoped_result *result = PQexecPrepared(db->conn, queries[id].name, 0, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != direction)
        return db_error(db->conn, result, queries[id].name, err);
    return true;
}

bool query_script(struct db *db, const char *name, const char *text, struct err *err)
{
    ahead_wait(&db->ahead);
    scoped_result *result = PQexec(db->conn, text);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        return db_error(db->conn, result, name, err);
    return true;
}

const char *db_address(const struct db *db, struct arena *arena)
{
    static const char *const parts[] = {"host", "port", "dbname"};
    const char *address = "";
    PQconninfoOption *options = memory_given(PQconninfo(db->conn));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
            if (strcmp(option->keyword, parts[i]) == 0)
                address =
                    arena_printf(arena, "%s%s\n", address, option->val != NULL ? option->val : "");
    PQconninfoFree(options);
    return address;
}

enum db_way db_way(const struct db *db, const char **ret_host)
{
    /* "localhost" is what /etc/hosts says of it: this machine. */
    static const char *const here[] = {"localhost", "::1", ""};
    enum db_way way = DB_WAY_OPEN;
    bool has_authority = false;
    const char *host = PQhost(db->conn), *address = PQhostaddr(db->conn);
    const char *server = address != NULL && address[0] != '\0' ? address : host;
    *ret_host = host != NULL && host[0] != '\0' ? host : address;
    if (server == NULL || server[0] == '/' || server[0] == '@' || strncmp(server, "127.", 4) == 0 ||
        text_is_one(server, here) || PQgssEncInUse(db->conn))
        return DB_WAY_CLOSED;
    PQconninfoOption *options = memory_given(PQconninfo(db->conn));
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++) {
        const char *value = option->val == NULL ? "" : option->val;
        if (strcmp(option->keyword, "sslrootcert") == 0)
            has_authority = value[0] != '\0';
        else if (strcmp(option->keyword, "sslmode") == 0 && strncmp(value, "verify-", 7) == 0)
            way = DB_WAY_CLOSED;
        else if (strcmp(option->keyword, "sslmode") == 0 && strcmp(value, "require") == 0)
            way = DB_WAY_UNPROVEN;
    }
    PQconninfoFree(options);
    return way == DB_WAY_UNPROVEN && has_authority ? DB_WAY_CLOSED : way;
}
