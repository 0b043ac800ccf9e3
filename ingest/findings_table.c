/* The table of what was found in a profile: `findings`. */
#include "ingest/made_tables.h"

enum {
    FINDING_RULE,
    FINDING_SHARE,
    FINDING_TIME,
    FINDING_COUNT,
    FINDING_OP,
    FINDING_HOST,
    FINDING_EVIDENCE,
    FINDING_REMEDY,
    FINDING_COLUMNS
};

#define COLUMNS_OF(share, time) \
    { \
        [FINDING_RULE] = {"finding", "finding", "", DATA_TEXT}, \
        [FINDING_SHARE] = {"share", share, "ratio", DATA_REAL}, \
        [FINDING_TIME] = {"time_per_step_us", time, "us", DATA_REAL}, \
        [FINDING_COUNT] = {"count", "how often", "count", DATA_INTEGER}, \
        [FINDING_OP] = {"op_name", "op", "", DATA_TEXT}, \
        [FINDING_HOST] = {"host", "host", "", DATA_TEXT}, \
        [FINDING_EVIDENCE] = {"evidence", "evidence", "", DATA_TEXT}, \
        [FINDING_REMEDY] = {"remedy", "what to do", "", DATA_TEXT}, \
    }
static const struct data_column of_steps[FINDING_COLUMNS] =
    COLUMNS_OF("of the time to the next step", "per step");
static const struct data_column of_capture[FINDING_COLUMNS] = COLUMNS_OF("of the capture", "time");

bool findings_table_make(const struct table_making *making, struct data_table *ret_table,
                         struct err *err)
{
    struct examination *examination = &making->reading->examination;
    struct made_rows rows;
    if (examination->steps.count == 0)
        return step_list_refuse("table 'findings'", making->profile->path, making->reading->cut,
                                err);
    const bool has_steps = examination->steps.items[0].times.numbered;
    made_rows_init(&rows, has_steps ? of_steps : of_capture, FINDING_COLUMNS, making->arena);
    if (!examination_settle(examination, err))
        return false;
    for (size_t i = 0; i < examination->findings.count; i++) {
        const struct finding *finding = &examination->findings.items[i];
        struct data_value *row = made_row(&rows);
        row[FINDING_RULE] = data_text(finding->rule);
        row[FINDING_SHARE] = data_opt_real(finding->share);
        row[FINDING_TIME] = data_opt_real(finding->time_us);
        row[FINDING_COUNT] = data_opt_integer(finding->count);
        row[FINDING_OP] = data_text(finding->op);
        row[FINDING_HOST] = data_text(finding->host);
        row[FINDING_EVIDENCE] = data_text(finding->evidence);
        row[FINDING_REMEDY] = data_text(finding->remedy);
    }
    made_property(&rows, "period_us_average", "us",
                  data_opt_real(step_list_waits(&examination->steps).period_us));
    const char *unlooked[UNLOOKED_MOST], *words = NULL;
    const size_t count = examination_unlooked(examination, unlooked);
    for (size_t i = 0; i < count; i++)
        words =
            words == NULL ? unlooked[i] : arena_printf(making->arena, "%s. %s", words, unlooked[i]);
    made_property(&rows, "unlooked_for", "", data_text(words));
    return made_table(&rows, making->request->name, making->request->limit,
                      examination->steps.format, ret_table, err);
}
