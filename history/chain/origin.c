/* Implements origins: one statement for every kind of entry. */
#include "history/chain/origin.h"

#include "history/client/client.h"

void origin_args(struct args *args, enum entry_kind kind, int64_t subject_id,
                 const struct origin *origin)
{
    args_text(args, entry_kinds[kind].name);
    args_i64(args, subject_id);
    args_text(args, origin->recorded_at_utc);
    args_text(args, origin->by);
}

bool origin_append(struct db *db, enum entry_kind kind, int64_t subject_id,
                   const struct origin *origin, struct err *err)
{
    struct args args = {0};
    if (origin == NULL || origin->recorded_at_utc == NULL)
        return true;
    origin_args(&args, kind, subject_id, origin);
    return query_do(db, Q_origin_add, &args, err);
}
