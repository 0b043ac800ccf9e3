/* The two parameters that every page has. */
#include "history/page.h"

bool page_run(struct db *db, enum query_id id, int64_t after_id, int64_t limit, PGresult **ret_rows,
              struct err *err)
{
    struct args args = {0};
    args_i64(&args, after_id);
    args_i64(&args, limit);
    return query_run(db, id, &args, ret_rows, err);
}
