/* One workload after the other; what is said of a place is one transaction. */
#include "ops/flow/trends/marking.h"

#include "compare/changes/changes.h"
#include "history/alert/alert.h"
#include "history/reading/reading.h"
#include "ops/flow/trends/courses.h"
#include "ops/flow/trends/trends.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PROJECTS_MAX = 100000, METHOD_BYTES = 32, EVIDENCE_BYTES = 4096 };

struct marking {
    struct db *db;
    const struct conf *conf;
    struct arena *arena;            /* of one project */
    const struct conf_file *policy; /* NULL: the default one */
    struct trends_marked marked;
    bool failed; /* of its own, not for want of runs */
};

static bool is_settled(const struct course_change *change)
{
    return change->runs_since >= MARKING_SETTLED_RUNS;
}

static bool change_add(struct marking *marking, const struct course *course,
                       const struct course_change *change, struct err *err)
{
    char method[METHOD_BYTES];
    int64_t id;
    scoped_text evidence;
    text_init(&evidence, EVIDENCE_BYTES);
    scoped_json *seen =
        json_pack("{s:s, s:s, s:s?, s:s?, s:f, s:I}", "after_profile", change->after_profile,
                  "until_profile", change->until_profile, "after_commit", change->after_commit,
                  "until_commit", change->until_commit, "confidence", change->confidence, "runs",
                  (json_int_t)course->run_count);
    json_print(seen, JSON_STYLE_LINE, &evidence);
    if (!text_ok(&evidence, "a change point", err))
        return false;
    (void)snprintf(method, sizeof method, TRENDS_METHOD "/%d", COURSE_RULE_VERSION);
    const struct change_point_entry entry = {
        .measure = course->measure,
        .at_profile_id = trends_number(change->at_profile),
        .status = is_settled(change) ? CHANGE_POINT_CONFIRMED : CHANGE_POINT_CANDIDATE,
        .before = change->before,
        .after = change->after,
        .method = method,
        .evidence = text_string(&evidence),
    };
    marking->marked.confirmed += is_settled(change);
    return change_point_add(marking->db, &entry, &id, err);
}

static bool changes_add(struct marking *marking, const struct course *course, struct err *err)
{
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        if (!course_change_counts(change) || change->entry != NULL)
            continue;
        if (!change_add(marking, course, change, err))
            return false;
        marking->marked.added++;
    }
    return true;
}

/* What runs of today tell of the place of a mark. */
struct sight {
    bool is_covered;             /* they say anything of it */
    const struct course *course; /* the change that they show there; NULL: none */
    const struct course_change *change;
};

static struct sight mark_see(const struct trends_seen *seen, const struct change_mark *mark)
{
    struct sight sight = {0};
    for (size_t i = 0; i < seen->runs->count; i++) {
        const struct comparable *runs = &seen->runs->items[i];
        const struct course *course = &seen->courses[i];
        size_t from = comparable_from(runs, mark);
        if (trends_number(course->series) != mark->series_id)
            continue;
        sight.is_covered |= from > comparable_place(runs, course->first_profile) &&
                            from <= comparable_place(runs, course->last_profile);
        for (size_t k = 0; k < course->change_count; k++) {
            const struct course_change *change = &course->changes[k];
            if (strcmp(change->tier, "confirmed") == 0 &&
                from > comparable_place(runs, change->after_profile) &&
                from <= comparable_place(runs, change->until_profile))
                return (struct sight){true, course, change};
        }
    }
    return sight;
}

static bool mark_withdraw(struct marking *marking, const struct change_mark *mark, struct err *err)
{
    char method[METHOD_BYTES];
    int64_t id;
    const struct change_point_entry entry = {
        .measure = mark->measure,
        .at_profile_id = mark->at_profile_id,
        .status = CHANGE_POINT_WITHDRAWN,
        .before = mark->before,
        .after = mark->after,
        .method = method,
        .evidence = "{\"reason\":\"the runs up to today do not show this change any more\"}",
    };
    (void)snprintf(method, sizeof method, TRENDS_METHOD "/%d", COURSE_RULE_VERSION);
    return change_point_add(marking->db, &entry, &id, err);
}

/* A mark of ours whose runs have spoken since: withdrawn where they do not show it any more;
 * confirmed, at its likeliest place of today, where its level has lasted. */
static bool mark_revise(struct marking *marking, const struct trends_seen *seen,
                        const struct change_mark *mark, struct err *err)
{
    struct sight sight = mark_see(seen, mark);
    if (sight.change == NULL) {
        marking->marked.withdrawn += sight.is_covered;
        return !sight.is_covered || mark_withdraw(marking, mark, err);
    }
    if (strcmp(mark->status, "candidate") != 0 || !course_change_counts(sight.change) ||
        !is_settled(sight.change))
        return true;
    return (trends_number(sight.change->at_profile) == mark->at_profile_id ||
            mark_withdraw(marking, mark, err)) &&
           change_add(marking, sight.course, sight.change, err);
}

static bool workload_mark(void *context, const struct trends_seen *seen, struct err *err)
{
    struct marking *marking = context;
    marking->failed = true;
    for (size_t i = 0; i < seen->runs->count; i++)
        if (!changes_add(marking, &seen->courses[i], err))
            return false;
    for (size_t i = 0; i < seen->marks->count; i++) {
        const struct change_mark *mark = &seen->marks->items[i];
        if (trends_is_ours(mark->method) && strcmp(mark->status, "withdrawn") != 0 &&
            mark->measure != NULL && strcmp(mark->measure, seen->trend->measure) == 0 &&
            !mark_revise(marking, seen, mark, err))
            return false;
    }
    marking->failed = false;
    return true;
}

static bool project_mark(struct marking *marking, const char *project, struct err *err)
{
    struct err why = {0};
    const struct trends_request request = {
        .project = project,
        .branch = conf_text(marking->conf, CONF_judge_baseline_branch),
        .measure = measure_rows[MEASURE_steady_step_median].name,
        .group = TRENDS_BY_WORKLOAD,
        .policy = marking->policy,
        .shown = TRENDS_RUNS,
    };
    if (trends_walk(marking->db, &request, marking->arena, workload_mark, marking, &why))
        return true;
    *err = why;
    return why.kind == ERR_MISSING && !marking->failed; /* nothing on that branch */
}

bool trends_mark(struct db *db, const struct conf *conf, struct trends_marked *ret_marked,
                 struct err *err)
{
    scoped_arena names, arena;
    struct list list;
    struct conf_file policy = {0};
    const char *path = conf_text(conf, CONF_judge_policy);
    struct list_query query = {.noun = list_noun_find("projects"), .limit = PROJECTS_MAX};
    struct marking marking = {.db = db, .conf = conf, .arena = &arena};
    conf_memory_arena(conf, &names);
    conf_memory_arena(conf, &arena);
    marking.policy = path[0] != '\0' ? &policy : NULL;
    if ((marking.policy != NULL && !conf_file_read(path, &names, &policy, err)) ||
        !ledger_list(db, &query, &names, &list, err))
        return false;
    for (size_t row = 0; row < list.row_count; row++) {
        struct arena_mark mark = arena_mark(&arena);
        if (!project_mark(&marking, list.values[row * list.column_count].text, err))
            return false;
        arena_rewind(&arena, mark);
    }
    *ret_marked = marking.marked;
    return true;
}
