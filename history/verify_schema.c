/* Looks at the schema itself: what is changed there changes what later rows are, or which of them
 * are seen, without a hash being wrong. What it should be is what the migrations say.
 *
 * Bodies of functions are compared as text; of functions that are an expression, and of views, only
 * the names are known here. */
#include "history/verify_run.h"

#include "history/result.h"

#include "migrations.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 80 };

/* A function as the last migration that defines it has it. */
struct definition {
    bool found;
    const char *body; /* NULL: an expression */
    size_t length;
};

/* Behind "CREATE [OR REPLACE] FUNCTION|PROCEDURE [stepledger.]name("; NULL: another statement. */
static const char *definition_of(const char *statement, const char *name)
{
    static const char *const words[] = {"CREATE FUNCTION ", "CREATE OR REPLACE FUNCTION ",
                                        "CREATE PROCEDURE ", "CREATE OR REPLACE PROCEDURE "};
    static const char schema[] = "stepledger.";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = statement + strlen(words[i]);
        if (strncmp(statement, words[i], strlen(words[i])) != 0)
            continue;
        at += strncmp(at, schema, sizeof schema - 1) == 0 ? sizeof schema - 1 : 0;
        if (strncmp(at, name, strlen(name)) == 0 && at[strlen(name)] == '(')
            return at;
    }
    return NULL;
}

/* From the name of a function to the end of its statement. */
static struct definition definition_read(const char *at)
{
    const char *quote = strstr(at, "$$"), *end = strchr(at, ';');
    struct definition definition = {.found = true};
    if (quote != NULL && (end == NULL || quote < end)) {
        const char *close = strstr(quote + 2, "$$");
        definition.body = quote + 2;
        definition.length = close == NULL ? strlen(definition.body) : (size_t)(close - quote) - 2;
    }
    return definition;
}

static struct definition function_find(const char *name)
{
    struct definition last = {0};
    for (size_t i = 0; i < MIGRATION_COUNT; i++)
        for (const char *line = migrations[i].text; line != NULL; line = strchr(line, '\n')) {
            line += *line == '\n';
            const char *at = definition_of(line, name);
            if (at != NULL)
                last = definition_read(at);
        }
    return last;
}

static void function_check(struct verify_run *run, const char *name, const char *body)
{
    static const struct verify_place nowhere = {0};
    const struct definition wanted = function_find(name);
    if (!wanted.found)
        verify_note(run, &nowhere, "the function %.60s is none of the ledger's: it was put in",
                    name);
    else if ((body == NULL) != (wanted.body == NULL) ||
             (body != NULL &&
              (strlen(body) != wanted.length || strncmp(body, wanted.body, wanted.length) != 0)))
        verify_note(run, &nowhere,
                    "the function %.60s is not what `migrate` made it: it was changed", name);
}

static bool trigger_is_known(const char *name)
{
    char words[NAME_BYTES];
    (void)snprintf(words, sizeof words, "TRIGGER %.60s ", name);
    for (size_t i = 0; i < MIGRATION_COUNT; i++)
        if (strstr(migrations[i].text, words) != NULL)
            return true;
    return false;
}

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
        {"setting", "session_replication_role, which switches triggers off, is set for a role"},
    };
    scoped_result *rows = NULL;
    if (!query_run(run->db, Q_schema_look, NULL, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        const char *kind = result_text(rows, row, 0), *name = result_text(rows, row, 1);
        if (strcmp(kind, "function") == 0)
            function_check(run, name, result_text(rows, row, 2));
        if (strcmp(kind, "trigger") == 0 && !trigger_is_known(name))
            verify_note(run, &nowhere, "the trigger %.60s is none of the ledger's: it was put in",
                        name);
        for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
            if (strcmp(things[i].kind, kind) == 0)
                verify_note(run, &nowhere, "%s: %.120s", things[i].what, name);
    }
    return true;
}
