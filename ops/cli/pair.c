/* Loads and compares two summaries. */
#include "ops/cli/pair.h"

#include "compare/comparison.h"
#include "ops/cli/documents.h"

#include <string.h>

static bool strict_check(const struct provenance_checks *checks, struct err *err)
{
    if (strcmp(checks->status, "fail") != 0)
        return true;
    scoped_text text;
    text_init(&text, sizeof err->text);
    text_add(&text, "Provenance checks failed.");
    for (size_t i = 0; i < checks->messages.count; i++)
        text_addf(&text, " %s", checks->messages.items[i]);
    return err_set(err, ERR_INPUT, "%s", text_string(&text));
}

bool pair_compare(struct cli *cli, struct arena *arena, struct pair *pair, struct err *err)
{
    return comparison_make(&pair->before, &pair->after, cli_int(cli, "top-k"), arena,
                           &pair->comparison, err) &&
           (!cli_given(cli, "strict-provenance") ||
            strict_check(&pair->comparison.provenance_checks, err));
}

bool pair_load(struct cli *cli, struct arena *arena, struct pair *pair, struct err *err)
{
    return document_read_summary(pair->before_path, arena, &pair->before, err) &&
           document_read_summary(pair->after_path, arena, &pair->after, err) &&
           pair_compare(cli, arena, pair, err);
}
