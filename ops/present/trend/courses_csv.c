/* Prints courses as CSV (RFC 4180): kind tells a course, a change in it and a drift in it apart. */
#include "ops/present/trend/courses_page.h"
#include "ops/present/words/words.h"

#include <inttypes.h>
#include <stdio.h>

/* Columns behind those that name the course. */
struct line {
    const char *kind, *tier, *from, *until, *from_commit, *until_commit;
    double before, after;
    struct opt_f64 change_pct;
    const char *loss, *matters, *entry, *went_away, *takes_back;
    struct opt_f64 matters_from;
    struct opt_f64 rest, undone;
    const char *undone_by;
};

static const char *yes_no(bool value)
{
    return value ? "yes" : "no";
}

static void line_add(const struct course *course, const struct line *line, struct text *out)
{
    char before[TEXT_DOUBLE_BYTES], after[TEXT_DOUBLE_BYTES], percent[TEXT_DOUBLE_BYTES];
    char noise[TEXT_DOUBLE_BYTES], from[TEXT_DOUBLE_BYTES], runs[24];
    char rest[TEXT_DOUBLE_BYTES], undone[TEXT_DOUBLE_BYTES];
    (void)snprintf(runs, sizeof runs, "%" PRId64, course->run_count);
    const char *const fields[] = {
        line->kind,
        course->workload,
        course->branch,
        course->measure,
        course->unit,
        course->op,
        course->op_name,
        course->series,
        course->apart,
        runs,
        line->tier,
        line->from,
        line->until,
        line->from_commit,
        line->until_commit,
        text_double(line->before, before),
        text_double(line->after, after),
        line->change_pct.set ? text_double(line->change_pct.value, percent) : "",
        line->loss,
        line->matters,
        line->entry,
        course->noise,
        course->noise_pct.set ? text_double(course->noise_pct.value, noise) : "",
        line->went_away,
        line->takes_back,
        line->matters_from.set ? text_double(line->matters_from.value, from) : "",
        line->rest.set ? text_double(line->rest.value, rest) : "",
        line->undone.set ? text_double(line->undone.value, undone) : "",
        line->undone_by,
    };
    csv_row_add(fields, sizeof fields / sizeof *fields, out);
}

bool courses_csv(const struct trend *trend, struct text *out, struct err *err)
{
    text_add(out, "kind,workload,branch,measure,unit,op,op_name,series,apart,runs,tier,from,until,"
                  "from_commit,until_commit,before,after,change_pct,loss,matters,entry,noise,"
                  "noise_pct,went_away,takes_back,matters_from,rest,undone,undone_by");
    for (size_t i = 0; i < trend->course_count; i++) {
        const struct course *course = &trend->courses[i];
        line_add(course,
                 &(struct line){.kind = "course",
                                .from = course->first_utc,
                                .until = course->last_utc,
                                .before = course->first_level,
                                .after = course->last_level,
                                .change_pct = course->change_pct,
                                .matters_from = some_f64(course->matters_from)},
                 out);
        for (size_t k = 0; k < course->change_count; k++) {
            const struct course_change *change = &course->changes[k];
            line_add(course,
                     &(struct line){"change",
                                    change->tier,
                                    change->after_profile,
                                    change->until_profile,
                                    change->after_commit,
                                    change->until_commit,
                                    change->before,
                                    change->after,
                                    change->change_pct,
                                    yes_no(change->loss),
                                    yes_no(change->matters),
                                    change->entry,
                                    yes_no(change->went_away),
                                    change->takes_back,
                                    {0},
                                    change->rest,
                                    change->undone,
                                    change->undone_by},
                     out);
        }
        for (size_t k = 0; k < course->drift_count; k++) {
            const struct course_drift *drift = &course->drifts[k];
            line_add(course,
                     &(struct line){.kind = "drift",
                                    .tier = drift->tier,
                                    .from = drift->from_profile,
                                    .until = drift->until_profile,
                                    .from_commit = drift->from_commit,
                                    .until_commit = drift->until_commit,
                                    .before = drift->before,
                                    .after = drift->after,
                                    .change_pct = drift->change_pct,
                                    .loss = yes_no(drift->loss),
                                    .matters = yes_no(drift->matters)},
                     out);
        }
    }
    return text_ok(out, "the trend", err);
}
