/* The JSON form of a ranking. */
#include "schema/documents/ranking.h"

#include "schema/documents/summary_records.h"

static const struct member difference_members[] = {
    M_TEXT(ranked_difference, name),
    M_TEXT(ranked_difference, value, M_NULLABLE),
    M_TEXT(ranked_difference, own, M_NULLABLE),
};
static const struct record difference_record = RECORD_OF(ranked_difference, difference_members);

static const struct member run_members[] = {
    M_TEXT(ranked_run, name),
    M_TEXTS(ranked_run, profiles),
    M_TEXT(ranked_run, branch, M_NULLABLE),
    M_TEXT(ranked_run, commit, M_NULLABLE),
    M_TEXT(ranked_run, label, M_NULLABLE),
    M_INT(ranked_run, step_count),
    M_OPT_NUMBER(ranked_run, step_us, M_NULLABLE),
    M_OPT_NUMBER(ranked_run, period_us, M_NULLABLE),
    M_OPT_NUMBER(ranked_run, behind, M_NULLABLE),
    M_LIST("figures", ranked_run, figures, figure_count, summary_figure, figure_record),
    M_LIST("differences", ranked_run, differences, difference_count, ranked_difference,
           difference_record),
};
static const struct record run_record = RECORD_OF(ranked_run, run_members);

static const struct member group_members[] = {
    M_TEXT(ranked_group, apart, M_NULLABLE),
    M_LIST("runs", ranked_group, runs, run_count, ranked_run, run_record),
};
static const struct record group_record = RECORD_OF(ranked_group, group_members);

static const struct member members[] = {
    M_TEXT(ranking, schema_version),
    M_TEXT(ranking, by, M_OPTIONAL),
    M_LIST("groups", ranking, groups, group_count, ranked_group, group_record),
    M_TEXTS(ranking, left_out),
    M_TEXTS(ranking, notes),
};
const struct record ranking_record = RECORD_OF(ranking, members);

json_t *ranking_to_json(const struct ranking *ranking, struct err *err)
{
    return record_to_json(&ranking_record, ranking, err);
}
