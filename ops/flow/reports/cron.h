/* Times that come again, as cron writes them: "minute hour day-of-month month day-of-week", UTC.
 * Each field is *, a number, a range (1-5), a list (1,3,5), each with a step (* /15, 8-18/2);
 * months and days of the week also by their names (jan, mon; Sunday is 0 and 7). Where both days
 * are restricted, either makes a day fit, as cron has it. Stays in its room. */
#ifndef OPS_FLOW_REPORTS_CRON_H
#define OPS_FLOW_REPORTS_CRON_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stdint.h>

enum cron_field { CRON_MINUTE, CRON_HOUR, CRON_DAY, CRON_MONTH, CRON_WEEKDAY, CRON_FIELD_COUNT };

struct cron {
    uint64_t fits[CRON_FIELD_COUNT]; /* bit n: the value n */
    bool is_any[CRON_FIELD_COUNT];   /* the field begins with * */
};

/* ERR_USAGE names the field, what stands there, and what may. */
bool cron_read(const char *text, struct cron *ret_cron, struct err *err);

/* The last such time up to now_us, and the first behind it; microseconds since 1970. */
int64_t cron_last(const struct cron *cron, int64_t now_us);
int64_t cron_next(const struct cron *cron, int64_t now_us);

#endif
