/* Looks at the schema itself: what is changed there changes what later rows are, or which of them
 * are seen, without a hash being wrong. What it should be is what the migrations say. */
#include "history/verify/verify_run.h"

#include "history/client/client.h"

#include <string.h>

bool verify_schema(struct verify_run *run, struct err *err)
{
    static const struct verify_place nowhere = {0};
    static const struct {
        const char *kind, *what;
    } things[] = {
        {"row security", "row-level security is on, readers may not see all rows"},
        {"policy", "there is a policy of row-level security"},
        {"rule", "there is a rule that rewrites statements"},
        {"trigger off", "a trigger is switched off"},
        {"open", "the triggers that refuse changes are missing"},
        {"owner", "the owner is not the schema's, and may change it at will"},
        {"grant", "a right is given that no role has by `migrate`"},
        {"setting", "a setting that changes what statements do, or whose they are, is set"},
        {"member", "a worker's role has the rights of another role"},
        {"power", "a role of the ledger may do what only a superuser may"},
        {"foreign", "there is something that is not PostgreSQL's and stands in its place"},
        {"month index", "an index of a month does not hold as that of its table does"},
        {"counter", "a counter of ids does not count as `migrate` made it"},
    };
    scoped_result *rows = NULL;
    if (!query_run(run->db, Q_schema_look, NULL, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        const char *kind = result_text(rows, row, C_schema_look_kind),
                   *name = result_text(rows, row, C_schema_look_name);
        for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
            if (strcmp(things[i].kind, kind) == 0)
                verify_note(run, &nowhere, "%s: %.120s", things[i].what, name);
    }
    return verify_shape(run, err);
}
