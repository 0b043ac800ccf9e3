/* What detaching, attaching and verifying a month share, for the files of history/archive only. */
#ifndef HISTORY_ARCHIVE_ARCHIVE_ENTRY_H
#define HISTORY_ARCHIVE_ARCHIVE_ENTRY_H

#include "history/archive/archive_read.h"
#include "history/chain/chain.h"

struct archive_month {
    struct db *db;
    int64_t id; /* reserved for the entry */
    bool is_over;
    int64_t archive_id; /* where the month is; 0 = in the ledger */
    int64_t profile_count;
};

/* ERR_INPUT: this is not how a month is written. */
bool archive_month_check(const char *month, struct err *err);

/* In a transaction: looks at the month, and reserves nothing (id 0). ERR_USAGE without the owner's
 * rights. */
bool archive_month_find(struct db *db, const char *month, struct archive_month *ret_month,
                        struct err *err);

/* The same behind the chain "ledger", which it takes, one month at a time; reserves the id. */
bool archive_begin(struct db *db, const char *month, struct archive_month *ret_month,
                   struct err *err);

/* What became of the month. */
struct archive_note {
    const char *action, *path;
    const struct archive_file *file;
};

/* Appends it, with its entry. */
bool archive_append(const struct archive_month *month, const struct archive_note *note,
                    struct err *err);

/* Whether the profile's entry holds what the archive says: ERR_INPUT when not. *ret_days: the day
 * on which it was recorded, since 2000-01-01. */
bool archive_entry_find(struct db *db, const struct archive_profile *profile, int32_t *ret_days,
                        struct err *err);

#endif
