/* Makes months through a function of the database that has the owner's rights. What was made here
 * is not remembered: it goes when the transaction does. */
#include "history/profiles/months.h"

#include "history/client/client.h"
#include "ops/runtime/clock.h"

#include <string.h>

bool months_prepare(struct db *db, bool *ret_new, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, Q_months_ensure, NULL, &result, err))
        return false;
    *ret_new = !result_bool(result, 0, C_months_ensure_were_there);
    return true;
}

bool months_ensure(struct db *db, int64_t recorded_us, struct err *err)
{
    bool is_new;
    char month[CLOCK_ISO_BYTES];
    clock_iso(recorded_us, month);
    month[MONTH_BYTES - 1] = '\0';
    if (strcmp(db->month, month) == 0)
        return true;
    if (!months_prepare(db, &is_new, err))
        return false;
    if (!is_new)
        memcpy(db->month, month, sizeof db->month);
    return true;
}
