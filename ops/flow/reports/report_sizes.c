/* A job that runs on another number of devices is another series: nobody compares the two, and one
 * stops as the other begins. That is no dead job, and no new one. */
#include "history/reading/reading.h"
#include "ops/flow/reports/making.h"

#include <inttypes.h>
#include <string.h>

/* Where a series stands in the list, of which it is the first column; row_count: nowhere. */
static size_t row_of(const struct list *list, const char *series)
{
    size_t row = 0;
    while (row < list->row_count &&
           strcmp(list->values[row * list->column_count].text, series) != 0)
        row++;
    return row;
}

static const struct list_value *value_of(const struct list *list, size_t row, const char *name)
{
    size_t column = 0;
    while (column + 1 < list->column_count && strcmp(list->columns[column].name, name) != 0)
        column++;
    return &list->values[row * list->column_count + column];
}

static bool same_value(const struct list *list, size_t a, size_t b, const char *name)
{
    const struct list_value *left = value_of(list, a, name), *right = value_of(list, b, name);
    bool texts = left->text != NULL && right->text != NULL;
    return left->set == right->set && left->integer == right->integer &&
           (!left->set || !texts || strcmp(left->text, right->text) == 0);
}

/* Another series of the same devices, of which there are more or fewer. */
static bool is_other_size(const struct list *list, size_t a, size_t b)
{
    return same_value(list, a, b, "device_type") && same_value(list, a, b, "definition_version") &&
           value_of(list, a, "device_count")->set && value_of(list, b, "device_count")->set &&
           !same_value(list, a, b, "device_count");
}

/* The newest other series that ran before this one began or, when it stopped, behind its last run.
 */
static const char *neighbour_of(const struct report_series *series, const struct list *list,
                                bool has_stopped)
{
    const struct trend *trend = series->seen->trend;
    size_t own = row_of(list, series->series);
    for (size_t i = trend->point_count; own < list->row_count && i-- > 0;) {
        const struct trend_point *point = &trend->points[i];
        size_t row = row_of(list, point->series);
        bool is_there = has_stopped
                            ? point->order.ran_us > series->points[series->count - 1]->order.ran_us
                            : point->order.ran_us < series->points[0]->order.ran_us;
        if (is_there && row < list->row_count && row != own && is_other_size(list, own, row))
            return point->series;
    }
    return NULL;
}

bool report_size_find(struct report_making *making, const struct report_series *series,
                      bool has_stopped, const char **ret_words, struct err *err)
{
    const struct trend *trend = series->seen->trend;
    struct list list;
    struct list_query query = {.noun = list_noun_find("series"),
                               .by[LIST_BY_PROJECT] = making->request->project,
                               .by[LIST_BY_WORKLOAD] = trend->workload,
                               .limit = TRENDS_WORKLOADS_MAX};
    *ret_words = NULL;
    if (series->count == trend->point_count) /* the workload has no other */
        return true;
    if (!ledger_list(making->db, &query, making->scratch, &list, err))
        return false;
    const char *other = neighbour_of(series, &list, has_stopped);
    if (other == NULL)
        return true;
    int64_t here = value_of(&list, row_of(&list, series->series), "device_count")->integer,
            there = value_of(&list, row_of(&list, other), "device_count")->integer;
    *ret_words =
        has_stopped ? arena_printf(making->arena,
                                   "the workload goes on as series %s, on %" PRId64
                                   " device%s in place of %" PRId64,
                                   other, there, there == 1 ? "" : "s", here)
                    : arena_printf(making->arena, "%s on %" PRId64 " device%s in place of %" PRId64,
                                   other, here, here == 1 ? "" : "s", there);
    return true;
}
