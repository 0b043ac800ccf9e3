/* Migrations: schema/migrations/NNNN_*.sql, embedded at build, applied in order, each in one
 * transaction under an advisory lock and recorded with its SHA-256. */
#ifndef HISTORY_MIGRATE_MIGRATE_H
#define HISTORY_MIGRATE_MIGRATE_H

#include "history/db.h"

#include <stdint.h>

struct migration_report {
    int version_before, version_after; /* 0 = empty database */
    int applied_count;
    int64_t chained_count; /* entries of before that got their place on a chain */
};

/* What migrate_run would do. */
struct migration_plan {
    int version_before, missing_count;
    int64_t moved_rows, moved_bytes; /* rewritten in one transaction; rows are an estimate */
};

/* Errors are those of migrate_run. */
bool migrate_look(struct db *db, struct migration_plan *ret_plan, struct err *err);

/* Applies what is missing, and gives rows that older schemas wrote without entries theirs, in the
 * transaction of the last migration: rows that come later by any other way never get one here.
 * ERR_UNAVAILABLE: the database is newer than this program, or a recorded migration has another
 * SHA-256 than ours (names it). */
bool migrate_run(struct db *db, struct migration_report *ret_report, struct err *err);

/* The version this program needs. */
int migrate_version_wanted(void);

#endif
