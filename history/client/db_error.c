/* Maps SQLSTATE to err kinds. Codes: PostgreSQL documentation, appendix A. The text never holds a
 * password: libpq leaves them out of connection errors, and statements are parameterized. */
#include "history/client/db_error.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static const char make_room[] = "make room on the database's disk and try again";

static const struct {
    const char
        *prefix; /* two characters = a class, five = one code; more specific rows come first */
    enum err_kind kind;
    const char *remedy; /* NULL: the server's own words are enough */
} table[] = {
    {"0A000", ERR_UNAVAILABLE, "a replica takes no writes: name the primary in --db"},
    {"25006", ERR_UNAVAILABLE, "this server takes no writes: name the primary in --db"},
    {"3F000", ERR_UNAVAILABLE, "run: stepledger migrate"},
    {"42501", ERR_USAGE, "the role lacks a right: run `stepledger migrate` as the schema's owner"},
    {"42P01", ERR_UNAVAILABLE, "run: stepledger migrate"},
    {"53100", ERR_FULL, make_room},
    {"53200", ERR_FULL, NULL},
    {"53300", ERR_UNAVAILABLE, "too many connections: try again later"},
    {"53", ERR_FULL, NULL},
    {"55P03", ERR_UNAVAILABLE, "another command holds the lock: try again"},
    {"57014", ERR_UNAVAILABLE, NULL},
    {"57", ERR_UNAVAILABLE, NULL},
    {"58", ERR_UNAVAILABLE, NULL},
    {"08", ERR_UNAVAILABLE, NULL},
    {"25P03", ERR_UNAVAILABLE, NULL},
    {"28", ERR_UNAVAILABLE, "check user and password of the connection string"},
    {"3D", ERR_UNAVAILABLE, "create the database first, or name another one"},
    {"40", ERR_CONFLICT, NULL},
    {"23505", ERR_BUG,
     "somebody put a row where this one belongs: `stepledger verify` tells what was put in"},
    {"22", ERR_INPUT, NULL},
    {"54", ERR_LIMIT, NULL},
};

/* libpq ends its messages with a newline and may use several lines; ours is one line. */
static void one_line(char *text)
{
    char *out = text;
    for (const char *in = text; *in != '\0'; in++) {
        char c = *in == '\n' || *in == '\t' ? ' ' : *in;
        if (c != ' ' || (out > text && out[-1] != ' '))
            *out++ = c;
    }
    while (out > text && out[-1] == ' ')
        out--;
    *out = '\0';
}

static const char *connection_words(const PGconn *conn)
{
    const char *said = conn == NULL ? "out of memory" : PQerrorMessage(conn);
    if (said[0] != '\0')
        return said;
    return PQstatus(conn) == CONNECTION_OK ? "no memory for what the server answered"
                                           : "the connection is lost";
}

/* Why a session cannot begin comes in words, without a code. A new one writes for the next ones
 * what it has read of the catalogue, and ends where its disk has no room for that. */
static bool says_disk_full(const char *words)
{
    return strstr(words, "could not write init file") != NULL ||
           strstr(words, "No space left on device") != NULL;
}

bool db_error(PGconn *conn, const PGresult *result, const char *what, struct err *err)
{
    struct err scratch;
    if (err == NULL)
        err = &scratch;
    const char *sqlstate = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (sqlstate == NULL && PQresultStatus(result) == PGRES_PIPELINE_ABORTED)
        return err_set(err, ERR_UNAVAILABLE, "%s: a statement before it failed", what);
    if (sqlstate == NULL) {
        /* What the server has not said itself leaves the two sides of two minds about what comes
         * next: it may wait for rows of a COPY while libpq, without memory, waits for it. So it
         * is hung up on. */
        const char *words = connection_words(conn);
        bool full = says_disk_full(words);
        size_t length = strlen(words);
        while (length > 0 && words[length - 1] == '\n')
            length--;
        err_set(err, full ? ERR_FULL : ERR_UNAVAILABLE, "%s: %.*s%s%s", what, (int)length, words,
                full ? "; " : "", full ? make_room : "");
        one_line(err->text);
        if (conn != NULL && PQsocket(conn) >= 0)
            (void)shutdown(PQsocket(conn), SHUT_RDWR);
        return false;
    }
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
    const size_t count = sizeof table / sizeof table[0];
    size_t row = 0;
    while (row < count && strncmp(sqlstate, table[row].prefix, strlen(table[row].prefix)) != 0)
        row++;
    if (strcmp(sqlstate, "23514") == 0 || strcmp(sqlstate, "23502") == 0)
        detail = NULL; /* the row that a CHECK or NOT NULL refuses, as it is */
    bool known = row < count;
    const char *remedy = known ? table[row].remedy : NULL;
    err_set(err, known ? table[row].kind : ERR_BUG, "%s: database says: %s%s%s%s%s%s (SQLSTATE %s)",
            what, message == NULL ? "nothing" : message, detail == NULL ? "" : " (",
            detail == NULL ? "" : detail, detail == NULL ? "" : ")", remedy == NULL ? "" : "; ",
            remedy == NULL ? "" : remedy, sqlstate);
    one_line(err->text);
    (void)snprintf(err->sqlstate, sizeof err->sqlstate, "%s", sqlstate);
    return false;
}
