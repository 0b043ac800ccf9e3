/* The JSON form of a ranking. */
#include "schema/documents/ranking.h"

#include "schema/documents/summary_records.h"

static const struct member difference_members[] = {
    M_TEXT(ranked_difference, name),
    M_FIELDS_NULLABLE(ranked_difference, value, own),
};
static const struct record difference_record = RECORD_OF(ranked_difference, difference_members);

static const struct member run_members[] = {
    M_FIELDS(ranked_run, name, profiles),
    M_FIELDS_NULLABLE(ranked_run, branch, commit, label),
    M_INT(ranked_run, step_count),
    M_FIELDS_NULLABLE(ranked_run, step_us, period_us, behind),
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
    M_FIELDS(ranking, left_out, notes),
};
const struct record ranking_record = RECORD_OF(ranking, members);

json_t *ranking_to_json(const struct ranking *ranking)
{
    return record_to_json(&ranking_record, ranking);
}
