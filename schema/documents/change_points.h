/* The changes of level of a plain series: change_points.v1. */
#ifndef SCHEMA_DOCUMENTS_CHANGE_POINTS_H
#define SCHEMA_DOCUMENTS_CHANGE_POINTS_H

#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"

#include <jansson.h>

enum change_tier {
    CHANGE_SUSPECTED, /* stands out if values are independent of their neighbours; tells nobody */
    CHANGE_CONFIRMED  /* stands out of noise as correlated as this series' is, and lasts */
};
enum { CHANGE_TIER_COUNT = CHANGE_CONFIRMED + 1 };

struct change_point {
    int64_t index;       /* the first value of the new level, from 0 */
    int64_t first, last; /* the change lies from first to last, 95 % */
    enum change_tier tier;
    double before, after; /* the levels on both sides, at the change; outliers count less */
    double confidence;    /* 0 to 1: 1 - the chance that noise alone jumps so far anywhere */
};

struct change_report {
    const char *schema_version; /* "change_points.v1" */
    const char *source;         /* what was read */
    int64_t value_count;        /* that are numbers */
    int64_t missing_count;      /* nulls and empty cells; indices count them */
    double noise_sd;            /* about levels and drift */
    double noise_correlation;   /* of neighbours, 0 to .7 */
    double drift;               /* of a straight line common to all levels, first to last value; 0:
                                   none stands out */
    int64_t level_min_count;    /* values that a level holds at least when confirmed changes
                                   are looked for; it begins where that explains them best */
    struct change_point *change_points; /* by index */
    size_t change_point_count;
};

extern const struct record change_report_record;

/* The JSON form; new reference. */
json_t *change_report_to_json(const struct change_report *report);

#endif
