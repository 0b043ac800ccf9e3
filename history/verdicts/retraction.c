/* Implements what is said of retracted evidence. */
#include "history/verdicts/retraction.h"

#include "history/client/client.h"

#include <inttypes.h>

bool verdict_retraction(struct db *db, int64_t verdict_id, struct arena *arena,
                        const char **ret_text, struct err *err)
{
    scoped_result *rows = NULL;
    struct args args = {0};
    const char *text = NULL;
    args_i64(&args, verdict_id);
    if (!query_run(db, Q_verdict_retracted, &args, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        text = arena_printf(arena, "%s%sp%" PRId64 " of the %s (%s)", row > 0 ? text : "",
                            row > 0 ? ", " : "", result_i64(rows, row, 0),
                            result_text(rows, row, 1), result_text(rows, row, 2));
        if (text == NULL)
            return arena_failed(arena, "the retracted profiles of a verdict", err);
    }
    *ret_text = text;
    return true;
}
