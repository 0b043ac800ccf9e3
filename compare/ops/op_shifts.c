/* Implements cost shifts: an op that went and one that came in its place become one series, and a
 * fusion takes in what stood beside it. */
#include "compare/ops/op_series.h"

#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

/* Where an op that went or came stood: the length of path that two of them must share. */
struct place {
    const char *path;
    size_t length;
    double us;
    struct op_series *series;
};

static int path_order(const struct place *a, const struct place *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->path, b->path, shorter);
    if (order != 0 || a->length == b->length)
        return order;
    return a->length < b->length ? -1 : 1;
}

/* The larger one first. */
static int size_order(const struct place *a, const struct place *b)
{
    if (a->us != b->us)
        return a->us > b->us ? -1 : 1;
    return strcmp(a->series->signature, b->series->signature);
}

static int place_order(const void *left, const void *right)
{
    int order = path_order(left, right);
    return order != 0 ? order : size_order(left, right);
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

/* In the place of a path: what an op is when its scope is called otherwise, or nothing. */
enum { BY_IDENTITY = -1 };

static struct place identity_of(struct arena *arena, struct op_series *series)
{
    const struct op_row *row = series->before != NULL ? series->before : series->after;
    struct place place = place_of(series, 0);
    place.length = 0;
    if (row == NULL || row->op_path == NULL || row->shape_signature == NULL)
        return place;
    const char *last = strrchr(row->op_path, '/');
    const char *key = arena_printf(arena, "%s|%s|%s|%s", row->opcode != NULL ? row->opcode : "",
                                   row->phase != NULL ? row->phase : "", row->shape_signature,
                                   last != NULL ? last + 1 : row->op_path);
    place.path = key;
    place.length = strlen(key);
    return place;
}

/* The ops that only one side has, in order of place and then size. */
static size_t places_collect(struct arena *arena, const struct op_table *table, bool gone,
                             int above, struct place *places)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        bool fits = gone ? series->before_us > 0 && series->after_us <= 0
                         : series->before_us <= 0 && series->after_us > 0;
        if (series->shifted || !fits)
            continue;
        places[count] = above == BY_IDENTITY ? identity_of(arena, series) : place_of(series, above);
        count += places[count].length > 0;
    }
    if (count > 1)
        qsort(places, count, sizeof *places, place_order);
    return count;
}

/* The op takes in the times of another, which is no series of its own then. */
static void series_take(const struct op_table *table, struct op_series *series,
                        struct op_series *taken)
{
    for (size_t i = 0; i < op_table_runs(table); i++) {
        series->us[i] += taken->us[i];
        taken->us[i] = 0;
    }
    taken->before = taken->after = NULL;
    op_series_close(table, series);
    op_series_close(table, taken);
}

/* The candidate's op takes over the baseline's past. */
static void series_merge(const struct op_table *table, struct op_series *came,
                         struct op_series *gone)
{
    if (came->before == NULL)
        came->before = gone->before;
    came->shifted = true;
    series_take(table, came, gone);
}

static void shifts_pair(struct arena *arena, const struct op_table *table, int above,
                        struct place *gone, struct place *came)
{
    size_t gone_count = places_collect(arena, table, true, above, gone);
    size_t came_count = places_collect(arena, table, false, above, came);
    size_t i = 0, j = 0;
    while (i < gone_count && j < came_count) {
        int order = path_order(&gone[i], &came[j]);
        if (order == 0)
            series_merge(table, came[j++].series, gone[i++].series);
        else if (order < 0)
            i++;
        else
            j++;
    }
}

/* ---- names that take turns ------------------------------------------------------------------- */

/* The runs of one side, in a series' times. */
struct side_runs {
    size_t from, until;
};

/* Ops that take about as long do the same work; what takes another time is another op. */
static const double same_time = 1.1;

/* The ops that part of the side's runs have, in order of place and then of their time there. */
static size_t part_collect(struct arena *arena, const struct op_table *table,
                           const struct side_runs *side, int above, struct place *places)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        double us = 0;
        size_t runs = 0;
        for (size_t j = side->from; j < side->until; j++) {
            us += series->us[j];
            runs += series->us[j] > 0;
        }
        if (runs == 0 || runs == side->until - side->from)
            continue;
        places[count] = above == BY_IDENTITY ? identity_of(arena, series) : place_of(series, above);
        places[count].us = us / (double)runs;
        count += places[count].length > 0;
    }
    if (count > 1)
        qsort(places, count, sizeof *places, place_order);
    return count;
}

static bool has_opcode_of(const struct op_series *a, const struct op_series *b)
{
    const char *left = (a->before != NULL ? a->before : a->after)->opcode;
    const char *right = (b->before != NULL ? b->before : b->after)->opcode;
    return text_same(left, right);
}

/* Never in one run, of whatever side: there they would be two ops. */
static bool take_turns(const struct op_table *table, const struct op_series *a,
                       const struct op_series *b)
{
    for (size_t i = 0; i < op_table_runs(table); i++) {
        if (a->us[i] > 0 && b->us[i] > 0)
            return false;
    }
    return true;
}

/* The two are one op; the series keeps the name that the candidate runs. */
static void names_join(const struct op_table *table, struct place *kept, struct op_series *other)
{
    struct op_series *series = kept->series;
    if (other->after != NULL && series->after == NULL) {
        kept->series = other;
        other = series;
        series = kept->series;
    }
    if (series->before == NULL)
        series->before = other->before;
    series_take(table, series, other);
}

/* Some runs of a side are of a program that calls an op otherwise. Of each place the ops that begin
 * in one run are those of one program: the largest of them is one op with the largest of another,
 * and so on, where both never run together. ranks[runs of the side]. */
static void turns_join(const struct op_table *table, const struct side_runs *side,
                       struct place *places, size_t count, size_t *ranks)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t joined = 0;
        memset(ranks, 0, (side->until - side->from) * sizeof *ranks);
        for (end = begin; end < count && path_order(&places[begin], &places[end]) == 0; end++) {
            struct place place = places[end];
            /* Which of the runs of a side the op is in first. */
            size_t run = side->from;
            while (place.series->us[run] <= 0)
                run++;
            size_t rank = ranks[(run - side->from)]++;
            struct place *kept = &places[begin + rank];
            if (rank == joined)
                places[begin + joined++] = place;
            else if (kept->us <= same_time * place.us &&
                     has_opcode_of(kept->series, place.series) &&
                     take_turns(table, kept->series, place.series))
                names_join(table, kept, place.series);
        }
    }
}

/* ---- fusions --------------------------------------------------------------------------------- */

static bool is_fusion(const struct op_row *row)
{
    return row->opcode != NULL && strcmp(row->opcode, "fusion") == 0;
}

/* places[count] are a heap, the largest first, but for the first, which became smaller. */
static void first_sink(struct place *places, size_t count)
{
    for (size_t i = 0, next = 1; next < count; i = next, next = 2 * i + 1) {
        if (next + 1 < count && size_order(&places[next + 1], &places[next]) < 0)
            next++;
        if (size_order(&places[i], &places[next]) <= 0)
            return;
        struct place moved = places[i];
        places[i] = places[next];
        places[next] = moved;
    }
}

static size_t same_place_count(const struct place *places, size_t count)
{
    size_t same = count > 0;
    while (same < count && path_order(&places[0], &places[same]) == 0)
        same++;
    return same;
}

/* What a fusion may save of the ops that went into it. */
static const double fusion_saving = 0.3;

/* The fusion grew by what the op took, or by less and saves the rest. */
static bool takes_in(const struct place *fusion, const struct place *gone)
{
    double whole = fusion->series->before_us + gone->us;
    return fusion->us > 0 && gone->us - fusion->us <= fusion_saving * whole;
}

/* A fusion takes in several ops, and one of them was paired with it: the others went into it too
 * when they stood beside it and it grew by as much as they took, or by less because it is cheaper.
 * Left apart, the fusion would look like a loss. The fusion that grew most is asked first: what
 * descends is a heap already. */
static void fusions_absorb(const struct op_table *table, int above, struct place *gone,
                           struct place *fusions)
{
    size_t gone_count = places_collect(NULL, table, true, above, gone);
    /* The fusions of the candidate that grew, in order of place and then of growth. */
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        double grown = series->after_us - series->before_us;
        if (!series->shifted || grown <= 0 || series->after == NULL || !is_fusion(series->after))
            continue;
        const char *path = series->after->op_path == NULL ? "" : series->after->op_path;
        fusions[count] = (struct place){path, path_above(path, above), grown, series};
        count += fusions[count].length > 0;
    }
    if (count > 1)
        qsort(fusions, count, sizeof *fusions, place_order);
    size_t fusion_count = count;
    size_t same = same_place_count(fusions, fusion_count);
    for (size_t i = 0, first = 0; i < gone_count && first < fusion_count;) {
        int order = path_order(&gone[i], &fusions[first]);
        if (order > 0) {
            first += same;
            same = same_place_count(fusions + first, fusion_count - first);
            continue;
        }
        if (order == 0 && takes_in(&fusions[first], &gone[i])) {
            fusions[first].us -= gone[i].us;
            series_merge(table, fusions[first].series, gone[i].series);
            first_sink(fusions + first, same);
        }
        i++;
    }
}

/* ---- splits ---------------------------------------------------------------------------------- */

/* Two ops that came of one cost a little more than it. */
static const double split_cost = 1.25;

/* One op that became several was paired with the largest of them: what came beside that and takes
 * no more than the op lost is the rest of it. Left apart, it would look like a loss. */
static void splits_absorb(const struct op_table *table, int above, struct place *came,
                          struct place *shrunk)
{
    size_t came_count = places_collect(NULL, table, false, above, came);
    /* The ops that took the place of one that took more time, in order of place. */
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        if (!series->shifted || series->after_us >= series->before_us)
            continue;
        shrunk[count] = place_of(series, above);
        shrunk[count].us = series->before_us - series->after_us;
        count += shrunk[count].length > 0;
    }
    if (count > 1)
        qsort(shrunk, count, sizeof *shrunk, place_order);
    size_t shrunk_count = count;
    for (size_t i = 0, first = 0; i < came_count && first < shrunk_count;) {
        int order = path_order(&came[i], &shrunk[first]);
        if (order > 0) {
            first++;
            continue;
        }
        for (size_t j = first; order == 0 && j < shrunk_count; j++) {
            if (path_order(&came[i], &shrunk[j]) != 0)
                break;
            if (came[i].us > split_cost * shrunk[j].us)
                continue;
            shrunk[j].us -= came[i].us;
            series_take(table, shrunk[j].series, came[i].series);
            break;
        }
        i++;
    }
}

void op_table_pair_shifts(struct gate_state *judgement, struct op_table *table)
{
    static const int alike[] = {0, BY_IDENTITY};
    const size_t past = table->baseline_runs, runs = past + table->candidate_runs;
    const struct side_runs sides[] = {{0, past}, {past, runs}};
    struct place *gone = arena_array(judgement->arena, struct place, table->count);
    struct place *came = arena_array(judgement->arena, struct place, table->count);
    size_t *ranks = arena_array(judgement->arena, size_t, runs);
    for (size_t i = 0; i < 2; i++)
        for (size_t side = 0; side < 2; side++) {
            size_t count = part_collect(judgement->arena, table, &sides[side], alike[i], gone);
            turns_join(table, &sides[side], gone, count, ranks);
        }
    shifts_pair(judgement->arena, table, 0, gone, came);
    shifts_pair(judgement->arena, table, BY_IDENTITY, gone, came);
    shifts_pair(judgement->arena, table, 1, gone, came);
    for (int above = 1; above <= 2; above++)
        fusions_absorb(table, above, gone, came);
    splits_absorb(table, 1, came, gone);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        if (series->before != NULL || series->after != NULL)
            table->items[kept++] = *series;
    }
    table->count = kept;
}
