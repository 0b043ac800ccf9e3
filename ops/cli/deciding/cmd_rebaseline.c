/* stepledger rebaseline: the baseline of a series begins anew. */
#include "compare/statistics/statistics.h"
#include "history/alert/alert.h"
#include "history/profiles/profiles.h"
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/trends/trends.h"
#include "ops/runtime/log.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* On each side of a place at which no level begins, of which the level is the median, at most. */
enum { LEVEL_RUNS = 20 };

struct rebaselining {
    struct cli *cli;
    struct db *db;
    const char *series, *reason;
};

struct rebaselined {
    int64_t rebaseline, after_profile;
    const char *series, *reason;
};

static const struct member rebaselined_members[] = {
    M_ENTRY("rebaseline", rebaselined, rebaseline, 'r'),
    M_ENTRY("after_profile", rebaselined, after_profile, 'p'),
    M_FIELDS(rebaselined, series, reason),
};
static const struct record rebaselined_record = RECORD_OF(rebaselined, rebaselined_members);

/* ---- from here on ---------------------------------------------------------------------------- */

/* A run that does not count is the place of nothing. */
static bool counts_check(const struct rebaselining *job, const char *option, int64_t id,
                         struct err *err)
{
    struct ledger_profile profile;
    if (!ledger_load_header(job->db, id, &job->cli->arena, &profile, err))
        return false;
    if (profile.superseded_by != 0)
        return err_set(err, ERR_INPUT, "option --%s: p%lld does not count: p%lld does in its place",
                       option, (long long)id, (long long)profile.superseded_by);
    return profile.retracted_at_utc == NULL ||
           err_set(err, ERR_INPUT,
                   "option --%s: p%lld (run %.100s) was retracted at %.19s and counts for nothing: "
                   "name a run of series %s that counts (`stepledger list runs --project %.100s "
                   "--workload %.100s`), or take that back (`stepledger retract p%lld --undo`)",
                   option, (long long)id, profile.run, profile.retracted_at_utc, job->series,
                   profile.project, profile.workload, (long long)id);
}

/* after 0: behind the newest run, or, of a re-baseline that is taken back, where the one before it
 * began. */
static bool start_anew(struct rebaselining *job, int64_t after, struct err *err)
{
    struct level_mark start;
    bool withdraws = cli_given(job->cli, "withdraw");
    if ((withdraws &&
         !ledger_rebaseline_before(job->db, job->series, &job->cli->arena, &after, err)) ||
        (!withdraws && after > 0 && !counts_check(job, "after", after, err)))
        return false;
    const struct rebaseline_entry entry = {.series = job->series,
                                           .after_profile_id = after,
                                           .is_whole = withdraws && after == 0,
                                           .reason = job->reason};
    if (!ledger_rebaseline(job->db, &entry, &start, err))
        return false;
    const struct rebaselined made = {start.rebaseline_id, start.profile_id, job->series,
                                     job->reason};
    return record_emit(&rebaselined_record, &made, err);
}

/* ---- a change point -------------------------------------------------------------------------- */

/* The median over the nearest runs of one side; count is not 0. */
static double level_of(struct arena *arena, const struct trend_point **points, size_t count)
{
    double *values = arena_array(arena, double, count);
    for (size_t i = 0; i < count; i++)
        values[i] = points[i]->value;
    stats_sort(values, count);
    return stats_quantile(values, count, 0.5);
}

static int64_t number_of(const char *entry)
{
    int64_t number = 0;
    (void)text_parse_i64(entry + 1, &number);
    return number;
}

/* A change point, and what the runs of its branch say of it. */
struct marking {
    struct rebaselining *job;
    struct change_point_entry *point;
    const char *workload, *branch, *profile;
    const char *course; /* "confirmed", "suspected"; NULL: no level of the course begins there */
    bool is_found;      /* the profile is a run of the branch */
};

/* The change that the course found about there; NULL: none. *ret_from, *ret_end: the confirmed ones
 * next to the place. */
static const struct course_change *change_near(const struct comparable *runs,
                                               const struct course *course, size_t place,
                                               size_t *ret_from, size_t *ret_end)
{
    const struct course_change *found = NULL;
    size_t nearest = SIZE_MAX;
    *ret_from = 0;
    *ret_end = runs->count;
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        size_t at = comparable_place(runs, change->at_profile);
        size_t away = at > place ? at - place : place - at;
        if (place > comparable_place(runs, change->after_profile) &&
            place <= comparable_place(runs, change->until_profile) && away < nearest) {
            nearest = away;
            found = change;
        }
        if (strcmp(change->tier, "confirmed") != 0)
            continue;
        if (at <= place)
            *ret_from = at;
        else if (at < *ret_end)
            *ret_end = at;
    }
    return found;
}

/* The runs of the series before a place with which its comparable runs begin: behind a re-baseline,
 * or where something else became another. Returns how many. */
static size_t older_take(const struct trends_seen *seen, const struct trend_point *first,
                         const struct trend_point *ret_points[LEVEL_RUNS])
{
    size_t count = 0;
    for (size_t i = seen->trend->point_count; i-- > 0 && count < LEVEL_RUNS;) {
        const struct trend_point *point = &seen->trend->points[i];
        if (run_order_compare(point->order, first->order) < 0 &&
            strcmp(point->series, first->series) == 0)
            ret_points[count++] = point;
    }
    return count;
}

/* The levels of the runs around the place, which a gate would compare with each other. */
static bool levels_fill(struct marking *marking, const struct trends_seen *seen, size_t which,
                        struct err *err)
{
    const struct comparable *runs = &seen->runs->items[which];
    struct change_point_entry *point = marking->point;
    struct arena *arena = &marking->job->cli->arena;
    const struct trend_point *older[LEVEL_RUNS];
    size_t place = comparable_place(runs, marking->profile), from, end;
    size_t older_count = place > 0 ? 0 : older_take(seen, runs->points[0], older);
    if (place + older_count == 0)
        return err_set(err, ERR_INPUT,
                       "%s: no level changed there: series %s has no run before it on branch "
                       "%.100s",
                       marking->profile, marking->job->series, marking->branch);
    const struct course_change *change =
        change_near(runs, &seen->courses[which], place, &from, &end);
    marking->is_found = true;
    if (change != NULL) {
        marking->course = strcmp(change->tier, "confirmed") == 0 ? "confirmed" : "suspected";
        point->before = change->before;
        point->after = change->after;
        return true;
    }
    from = place - from > LEVEL_RUNS ? place - LEVEL_RUNS : from;
    end = end - place > LEVEL_RUNS ? place + LEVEL_RUNS : end;
    point->before = place > 0 ? level_of(arena, runs->points + from, place - from)
                              : level_of(arena, older, older_count);
    point->after = level_of(arena, runs->points + place, end - place);
    return true;
}

static bool workload_look(void *context, const struct trends_seen *seen, struct err *err)
{
    struct marking *marking = context;
    for (size_t i = 0; i < seen->runs->count; i++) {
        const struct comparable *runs = &seen->runs->items[i];
        size_t place = comparable_place(runs, marking->profile);
        if (strcmp(seen->trend->workload, marking->workload) == 0 &&
            strcmp(runs->points[place]->profile_id, marking->profile) == 0)
            return levels_fill(marking, seen, i, err);
    }
    return true;
}

/* A mark holds for all branches; which levels there are, those say that gates are judged by. */
static bool point_make(struct marking *marking, struct err *err)
{
    struct rebaselining *job = marking->job;
    struct change_point_entry *point = marking->point;
    struct ledger_profile profile;
    bool withdraws = point->status == CHANGE_POINT_WITHDRAWN;
    if (!ledger_load_profile(job->db, point->at_profile_id, &job->cli->arena, &profile, err))
        return false;
    if (profile.series == NULL || strcmp(profile.series, job->series) != 0)
        return err_set(err, ERR_INPUT, "p%lld belongs to series %s, not to %s",
                       (long long)point->at_profile_id,
                       profile.series != NULL ? profile.series : "none", job->series);
    marking->workload = profile.workload;
    marking->branch = withdraws ? profile.branch : cli_text(job->cli, "branch");
    marking->profile = arena_printf(&job->cli->arena, "p%lld", (long long)point->at_profile_id);
    const struct trends_request request = {.project = profile.project,
                                           .workload = profile.workload,
                                           .workloads = profile.workload,
                                           .branch = marking->branch,
                                           .series = job->series,
                                           .measure = point->measure,
                                           .shown = TRENDS_RUNS_MAX};
    if (!trends_walk(job->db, &request, &job->cli->arena, workload_look, marking, err))
        return false;
    return marking->is_found ||
           err_set(err, ERR_INPUT,
                   "%s (run %.100s) is no run of branch %.100s that counts, but of %.100s: levels "
                   "are those of the branch that gates compare with; name one of its runs "
                   "(`stepledger trend --project %.100s --workload %.100s --branch %.100s`), or "
                   "that branch with --branch",
                   marking->profile, profile.run, marking->branch,
                   profile.branch != NULL ? profile.branch : "none", profile.project,
                   profile.workload, marking->branch);
}

/* That a person says so is enough; that nobody else does is told. */
static void course_tell(const struct marking *marking)
{
    char why[300];
    if (marking->course != NULL || marking->point->status == CHANGE_POINT_WITHDRAWN)
        return;
    (void)snprintf(why, sizeof why,
                   "no level of the course of branch %.100s begins at %s (%.3f ms before, %.3f ms "
                   "from it on): that one does rests on your word alone; --withdraw takes it back",
                   marking->branch, marking->profile, marking->point->before / 1000,
                   marking->point->after / 1000);
    log_event(LOG_WARN, LOG_input_warning, "why", why, NULL);
}

/* Only what stands can be withdrawn: a candidate, or what was confirmed. */
static bool is_standing(struct rebaselining *job, const struct change_point_entry *point,
                        struct err *err)
{
    struct ledger_profile profile;
    struct change_mark_list marks;
    if (!ledger_load_header(job->db, point->at_profile_id, &job->cli->arena, &profile, err))
        return false;
    const struct change_mark_query query = {.project = profile.project,
                                            .workload = profile.workload};
    if (!ledger_change_marks(job->db, &query, &job->cli->arena, &marks, err))
        return false;
    for (size_t i = 0; i < marks.count; i++)
        if (marks.items[i].series_id == number_of(job->series) &&
            marks.items[i].at_profile_id == point->at_profile_id &&
            marks.items[i].measure != NULL && strcmp(marks.items[i].measure, point->measure) == 0 &&
            strcmp(marks.items[i].status, "withdrawn") != 0)
            return true;
    return err_set(err, ERR_MISSING, "series %s has no change point at p%lld (`list changes`)",
                   job->series, (long long)point->at_profile_id);
}

struct marked {
    struct change_point_entry point;
    const char *course, *series, *reason;
};

static const struct member marked_members[] = {
    M_ENTRY("change_point", marked, point.id, 'k'),
    M_ENTRY("at_profile", marked, point.at_profile_id, 'p'),
    M_TEXT_AS("measure", marked, point.measure),
    M_CHOICE_AS("status", marked, point.status, enum change_point_status,
                change_point_status_names),
    M_NUMBER_AS("before", marked, point.before),
    M_NUMBER_AS("after", marked, point.after),
    M_TEXT(marked, course, M_NULLABLE),
    M_FIELDS(marked, series, reason),
};
static const struct record marked_record = RECORD_OF(marked, marked_members);

static bool level_mark(struct rebaselining *job, int64_t at, struct err *err)
{
    bool withdraws = cli_given(job->cli, "withdraw");
    struct change_point_entry point = {
        .measure = measure_rows[MEASURE_steady_step_median].name,
        .at_profile_id = at,
        .status = withdraws ? CHANGE_POINT_WITHDRAWN : CHANGE_POINT_CONFIRMED,
        .method = "person",
    };
    scoped_text evidence;
    text_init(&evidence, 1 << 16);
    scoped_json *reason = json_pack("{s:o}", "reason", json_text(job->reason));
    json_print(reason, JSON_STYLE_LINE, &evidence);
    point.evidence = text_string(&evidence);
    struct marking marking = {.job = job, .point = &point};
    if ((!withdraws && !counts_check(job, "at", at, err)) || !point_make(&marking, err) ||
        (withdraws && !is_standing(job, &point, err)) || !text_ok(&evidence, "the reason", err) ||
        !change_point_add(job->db, &point, &point.id, err))
        return false;
    course_tell(&marking);
    const struct marked marked = {point, marking.course, job->series, job->reason};
    return record_emit(&marked_record, &marked, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* An option that names a profile, p12; 0 when it is not given. */
static bool profile_read(const struct cli *cli, const char *option, int64_t *ret_id,
                         struct err *err)
{
    const char *name = cli_text(cli, option);
    *ret_id = 0;
    return name == NULL || (name[0] == 'p' && text_parse_i64(name + 1, ret_id) && *ret_id > 0) ||
           err_set(err, ERR_USAGE, "option --%s: '%s' is no profile; one is written p12", option,
                   name);
}

static bool run_rebaseline(struct cli *cli, struct err *err)
{
    struct rebaselining job = {.cli = cli, .series = cli->operands[0]};
    scoped_db *db = NULL;
    int64_t after, at;
    if (!decide_reason(cli, &job.reason, err) || !profile_read(cli, "after", &after, err) ||
        !profile_read(cli, "at", &at, err))
        return false;
    if (after > 0 && at > 0)
        return err_set(err, ERR_USAGE, "--after and --at exclude each other: both say where");
    if (after > 0 && cli_given(cli, "withdraw"))
        return err_set(err, ERR_USAGE,
                       "--withdraw and --after exclude each other: the newest re-baseline is taken "
                       "back, or with --at a change point");
    if (!connect_ledger(cli, &db, err))
        return false;
    job.db = db;
    return at > 0 ? level_mark(&job, at, err) : start_anew(&job, after, err);
}

static const struct cli_option options[] = {
    {"after", CLI_TEXT, "PROFILE", NULL, "the last run of the old level (default: the newest)"},
    {"at", CLI_TEXT, "PROFILE", NULL, "confirm a change point: the first run of the new level"},
    {"branch", CLI_TEXT, "B", "main", "whose run --at names: as `gate --baseline-branch`"},
    {"withdraw", CLI_FLAG, NULL, NULL,
     "take back the newest re-baseline of the series, or the change point at --at"},
    CLI_REASON,
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_rebaseline = {
    .name = "rebaseline",
    .line = "start the baseline of a series anew",
    .operands = "SERIES",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .required = "reason",
    .details =
        "Appends that only runs behind the newest one (or behind --after) are a baseline of the\n"
        "series (s3, as verdicts and `ingest` name it): for a change of level that is here to\n"
        "stay, such as new drivers. Runs stand in the order in which they were captured: what is\n"
        "recorded later and was captured before is of the old level, and a candidate of then is\n"
        "judged by the old runs. With --at it confirms that the step time changed its level at\n"
        "that profile, which has the same effect and is drawn in trends: its levels are those of\n"
        "the branch's course; where none begins there a warning says so. A change point that was\n"
        "a mistake, or a candidate that is none (`list changes`), is withdrawn with --at and\n"
        "--withdraw. --withdraw alone takes the newest re-baseline back: one more is appended,\n"
        "which begins where the baseline began before (with the first run, where it was the\n"
        "first); said again it takes back the one before that. A run that was retracted is no\n"
        "place of a level. Nothing is removed; past verdicts stay as they are.\n\n"
        "exit: 0 recorded · 2 usage · 6 no such series, profile or change point, or nothing to\n"
        "      take back · 65 not the name of a series, or a run that does not count, or of\n"
        "      another branch or series · 69 database away",
    .run = run_rebaseline,
};
