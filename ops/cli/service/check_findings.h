/* What `check` has found so far. */
#ifndef OPS_CLI_SERVICE_CHECK_FINDINGS_H
#define OPS_CLI_SERVICE_CHECK_FINDINGS_H

#include "history/db.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/text.h"

struct check {
    struct text *out;
    int findings;
    bool is_offline; /* no receiver is connected to */
};

/* A line that starts with `!`. */
void check_find(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A file that says how runs are judged or compared; each fault as `policy check` says it, `who`
 * before it: what names the file. path: NULL or "" names none. */
void check_policy(struct check *check, const char *who, const char *path, struct arena *arena);

/* Destinations and routes of the configuration: whether each is whole, its secrets can be read, it
 * can be reached, and the names that lead to it are right. Nothing is sent. */
void check_routing(struct check *check, const struct conf *conf, struct arena *arena);

/* The reports of the configuration: whether each is whole, its policy can be used and its
 * destinations can take it; when it comes next. */
void check_reports(struct check *check, const struct conf *conf, struct arena *arena);

/* Destinations of comments that no branch of late leads to: comments appear at pull and merge
 * requests, whose number is in the branch. */
bool check_comments(struct check *check, const struct conf *conf, struct db *db,
                    struct arena *arena, struct err *err);

/* Reports of projects that the ledger does not have: their names may be mistyped. */
bool check_projects(struct check *check, const struct conf *conf, struct db *db,
                    struct arena *arena, struct err *err);

/* What the ledger's outbox owes to destinations: those that take nothing, messages that wait for
 * long or were given up. */
bool check_outbox(struct check *check, struct db *db, struct arena *arena, struct err *err);

#endif
