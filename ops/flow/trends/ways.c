/* Weighs ways back by levels and by ops. */
#include "ops/flow/trends/ways.h"

#include <math.h>
#include <string.h>

/* A later change that takes back less of one than this part says nothing of it. */
static const double undone_least = .1;

void ways_init(struct change_ways *ways)
{
    ways->moved = arena_array(ways->arena, struct report_change *, ways->course->change_count);
}

/* The ops that moved with the change, asked once; of one that is only suspected none is told. NULL:
 * err. */
static const struct report_change *ops_of(const struct change_ways *ways,
                                          const struct course_change *change, struct err *err)
{
    struct report_change **moved = &ways->moved[change - ways->course->changes];
    if (*moved != NULL)
        return *moved;
    struct report_change *made = arena_new(ways->arena, struct report_change);
    *made = (struct report_change){
        .measure = ways->course->measure, .before = change->before, .after = change->after};
    const struct change_around around = trends_around(ways->runs, ways->course, change);
    if (strcmp(change->tier, "confirmed") == 0 &&
        !trends_explain_ops(ways->db, &around, ways->arena, made, err))
        return NULL;
    *moved = made;
    return made;
}

static double jump_of(const struct course_change *change)
{
    return change->after - change->before;
}

/* Whether an op moved one way with one and the other way with the other, as far as ops are told. */
static bool share_an_op(const struct change_ways *ways, const struct course_change *left,
                        const struct course_change *right, bool *ret_share, struct err *err)
{
    const struct report_change *a = ops_of(ways, left, err);
    const struct report_change *b = a == NULL ? NULL : ops_of(ways, right, err);
    if (b == NULL)
        return false;
    *ret_share = a->op_count == 0 || b->op_count == 0;
    for (size_t i = 0; i < a->op_count; i++)
        for (size_t j = 0; j < b->op_count; j++)
            *ret_share |= strcmp(a->ops[i].name, b->ops[j].name) == 0 &&
                          a->ops[i].delta_us * b->ops[j].delta_us < 0;
    return true;
}

/* The change that this one takes back by its level; NULL: none. */
static const struct course_change *taken_by(const struct course *course,
                                            const struct course_change *change)
{
    for (size_t i = 0; change->takes_back != NULL && i < course->change_count; i++)
        if (strcmp(course->changes[i].at_profile, change->takes_back) == 0)
            return &course->changes[i];
    return NULL;
}

/* How far behind `back` the level is from the one before `taken`, where that is more than its own
 * doubt. Jumps are added up: a drift that all levels share is none of it. */
static struct opt_f64 rest_of(const struct course_change *taken, const struct course_change *back)
{
    double rest = 0, doubt = 0;
    for (const struct course_change *change = taken; change <= back; change++)
        rest += jump_of(change);
    if (back->low_pct.set && back->high_pct.set)
        doubt = fabs(back->high_pct.value - back->low_pct.value) / 200 * fabs(back->before);
    return fabs(rest) > doubt ? some_f64(rest) : (struct opt_f64){0};
}

static bool taking_settle(const struct change_ways *ways, const struct course_change *change,
                          struct course_change *ret_change, struct err *err)
{
    bool share;
    const struct course_change *taken = taken_by(ways->course, change);
    if (taken == NULL)
        return true;
    if (!share_an_op(ways, change, taken, &share, err))
        return false;
    if (share)
        ret_change->rest = rest_of(taken, change);
    else
        ret_change->takes_back = NULL;
    return true;
}

/* Whether later ones may have taken so much of it back that it is told, whatever ops say. */
static bool may_be_undone(const struct change_ways *ways, const struct course_change *change)
{
    const struct course *course = ways->course;
    double undone = 0;
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *later = &course->changes[i];
        if (later > change && later->loss != change->loss && course_change_counts(later))
            undone -= jump_of(later) / jump_of(change);
    }
    return undone >= undone_least;
}

/* What later changes that count and share an op took back of it. */
static bool undoing_settle(const struct change_ways *ways, const struct course_change *change,
                           struct course_change *ret_change, struct err *err)
{
    const struct course *course = ways->course;
    double undone = 0;
    bool share, is_undone = false;
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *later = &course->changes[i];
        if (later <= change || later->loss == change->loss || !course_change_counts(later))
            continue;
        if (!share_an_op(ways, change, later, &share, err))
            return false;
        if (!share)
            continue;
        is_undone = true;
        undone -= jump_of(later) / jump_of(change);
        ret_change->undone_by = later->at_profile;
        if (taken_by(course, later) == change)
            ret_change->rest = rest_of(change, later);
    }
    ret_change->went_away = change->went_away && is_undone;
    if (ret_change->went_away || undone < undone_least)
        ret_change->undone_by = NULL;
    else
        ret_change->undone = some_f64(fmin(undone, 1));
    return true;
}

bool ways_settle(const struct change_ways *ways, const struct course_change *change,
                 struct course_change *ret_change, struct err *err)
{
    *ret_change = *change;
    bool may = change->went_away || (course_change_counts(change) && may_be_undone(ways, change));
    return taking_settle(ways, change, ret_change, err) &&
           (!may || undoing_settle(ways, change, ret_change, err));
}

bool ways_settle_all(const struct change_ways *ways, struct course *course, struct err *err)
{
    struct course_change *settled =
        arena_array(ways->arena, struct course_change, course->change_count);
    for (size_t i = 0; i < course->change_count; i++)
        if (!ways_settle(ways, &course->changes[i], &settled[i], err))
            return false;
    if (course->change_count > 0)
        memcpy(course->changes, settled, course->change_count * sizeof *settled);
    return true;
}
