/* Implements cost shifts: an op that went and one that came in its place become one series, and a
 * fusion takes in what stood beside it. */
#include "compare/op_series.h"

#include <stdlib.h>
#include <string.h>

/* Where an op that went or came stood: the length of path that two of them must share. */
struct place {
    const char *path;
    size_t length;
    double us;
    struct op_series *series;
};

static int place_order(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->path, b->path, shorter);
    if (order != 0 || a->length != b->length)
        return order != 0 ? order : (a->length < b->length ? -1 : 1);
    if (a->us != b->us)
        return a->us > b->us ? -1 : 1;
    return strcmp(a->series->signature, b->series->signature);
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->length == b->length && memcmp(a->path, b->path, a->length) == 0;
}

/* How much of the path is left without its last parts; 0 when it has no more. */
static size_t path_above(const char *path, int parts)
{
    size_t length = strlen(path);
    for (; parts > 0 && length > 0; parts--) {
        while (length > 0 && path[length - 1] != '/')
            length--;
        length -= length > 0;
    }
    return length;
}

static struct place place_of(struct op_series *series, int above)
{
    const struct op_row *row = series->before != NULL ? series->before : series->after;
    const char *path = row == NULL || row->op_path == NULL ? "" : row->op_path;
    return (struct place){path, path_above(path, above), series->before_us + series->after_us,
                          series};
}

/* The ops that only one side has, in order of place and then size. */
static size_t places_collect(const struct op_table *table, bool gone, int above,
                             struct place *places)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        bool fits = gone ? series->before_us > 0 && series->after_us <= 0
                         : series->before_us <= 0 && series->after_us > 0;
        if (series->shifted || !fits)
            continue;
        places[count] = place_of(series, above);
        count += places[count].length > 0;
    }
    if (count > 1)
        qsort(places, count, sizeof *places, place_order);
    return count;
}

/* The candidate's op takes over the baseline's past. */
static void series_merge(const struct op_table *table, struct op_series *came,
                         struct op_series *gone)
{
    for (size_t i = 0; i < op_table_runs(table); i++) {
        came->us[i] += gone->us[i];
        gone->us[i] = 0;
    }
    if (came->before == NULL)
        came->before = gone->before;
    came->shifted = true;
    gone->before = gone->after = NULL;
    op_series_close(table, came);
    op_series_close(table, gone);
}

static void shifts_pair(const struct op_table *table, int above, struct place *gone,
                        struct place *came)
{
    size_t gone_count = places_collect(table, true, above, gone);
    size_t came_count = places_collect(table, false, above, came);
    size_t i = 0, j = 0;
    while (i < gone_count && j < came_count) {
        if (same_place(&gone[i], &came[j])) {
            series_merge(table, came[j++].series, gone[i++].series);
            continue;
        }
        struct place left = gone[i], right = came[j];
        left.us = right.us = 0;
        left.series = right.series = gone[i].series;
        if (place_order(&left, &right) < 0)
            i++;
        else
            j++;
    }
}

/* ---- fusions --------------------------------------------------------------------------------- */

static bool is_fusion(const struct op_row *row)
{
    return row->opcode != NULL && strcmp(row->opcode, "fusion") == 0;
}

/* The fusion of the candidate that grew most in that place, by no less than the op that went took:
 * NULL when there is none. */
static struct op_series *absorber_find(const struct op_table *table, int above,
                                       const struct place *gone)
{
    struct op_series *best = NULL;
    double most = gone->us;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        double grown = series->after_us - series->before_us;
        if (!series->shifted || grown < most || series->after == NULL || !is_fusion(series->after))
            continue;
        const char *path = series->after->op_path == NULL ? "" : series->after->op_path;
        struct place place = {path, path_above(path, above), 0, series};
        if (!same_place(&place, gone))
            continue;
        best = series;
        most = grown;
    }
    return best;
}

/* A fusion takes in several ops, and one of them was paired with it: the others went into it too
 * when they stood beside it and it grew by as much as they took. Left apart, the fusion would look
 * like a loss. */
static void fusions_absorb(const struct op_table *table, int above, struct place *gone)
{
    size_t count = places_collect(table, true, above, gone);
    for (size_t i = 0; i < count; i++) {
        struct op_series *into = absorber_find(table, above, &gone[i]);
        if (into != NULL)
            series_merge(table, into, gone[i].series);
    }
}

bool op_table_pair_shifts(struct judgement *judgement, struct op_table *table)
{
    struct place *gone = arena_array(judgement->arena, struct place, table->count);
    struct place *came = arena_array(judgement->arena, struct place, table->count);
    if (gone == NULL || came == NULL) {
        judgement->out_of_memory = true;
        return false;
    }
    for (int above = 0; above <= 1; above++)
        shifts_pair(table, above, gone, came);
    for (int above = 1; above <= 2; above++)
        fusions_absorb(table, above, gone);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        if (series->before != NULL || series->after != NULL)
            table->items[kept++] = *series;
    }
    table->count = kept;
    return true;
}
