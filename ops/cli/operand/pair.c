/* Loads and compares two summaries. */
#include "ops/cli/operand/pair.h"

#include "compare/reference/reference.h"
#include "ops/cli/operand/reference.h"

#include <string.h>

bool pair_compare(struct cli *cli, struct arena *arena, struct pair *pair, struct err *err)
{
    const struct provenance_checks *checks = &pair->comparison.provenance_checks;
    if (!comparison_make(&pair->before, &pair->after, cli_int(cli, "top-k"), arena,
                         &pair->comparison, err))
        return false;
    if (!cli_given(cli, "strict-provenance") || strcmp(checks->status, "fail") != 0)
        return true;
    scoped_text text;
    text_init(&text, sizeof err->text);
    text_add(&text, "Provenance checks failed.");
    for (size_t i = 0; i < checks->messages.count; i++)
        text_addf(&text, " %s", checks->messages.items[i]);
    return err_set(err, ERR_INPUT, "%s", text_shown(&text));
}

/* --before and --after, else the operands: two, or a verdict, which has both sides. */
static bool sides_named(struct cli *cli, struct arena *arena, struct reference_sides *ret_sides,
                        struct err *err)
{
    int64_t verdict_id;
    const char *before = cli_text(cli, "before"), *after = cli_text(cli, "after");
    const char **operands = cli->operands;
    if (before == NULL && after == NULL && cli->operand_count == 1 &&
        reference_is_id(operands[0], 'v', &verdict_id))
        return reference_sides(cli, verdict_id, arena, ret_sides, err);
    size_t wanted = (before == NULL ? 1u : 0u) + (after == NULL ? 1u : 0u);
    if (cli->operand_count > wanted)
        return err_set(err, ERR_USAGE, "unexpected operand '%s'", operands[wanted]);
    if (before == NULL && cli->operand_count == wanted)
        before = *operands++;
    if (after == NULL && cli->operand_count == wanted)
        after = *operands;
    if (before == NULL || after == NULL)
        return err_set(err, ERR_USAGE, "option --%s is required (or BEFORE AFTER, or a verdict)",
                       before == NULL ? "before" : "after");
    *ret_sides = (struct reference_sides){before, after};
    return true;
}

bool pair_load(struct cli *cli, struct arena *arena, struct pair *pair, struct err *err)
{
    struct reference_sides sides;
    const struct reference_scope scope = reference_scope_of(cli);
    return sides_named(cli, arena, &sides, err) &&
           reference_summary(cli, &scope, sides.before, arena, &pair->before, err) &&
           reference_summary(cli, &scope, sides.after, arena, &pair->after, err) &&
           pair_compare(cli, arena, pair, err);
}
