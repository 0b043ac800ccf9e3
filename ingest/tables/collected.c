/* Facts that were collected beside the job, laid beside those that the profile says itself. */
#include "ingest/tables/tables.h"

#include "ingest/source/source.h"

#include <string.h>

static const char blanks[] = " \t\r\n";

static bool holds_words(const char *words, const char *others)
{
    for (others += strspn(others, blanks); *others != '\0'; others += strspn(others, blanks)) {
        const size_t length = strcspn(others, blanks);
        const char *word = words + strspn(words, blanks);
        while (*word != '\0' &&
               (strcspn(word, blanks) != length || strncmp(word, others, length) != 0)) {
            word += strcspn(word, blanks);
            word += strspn(word, blanks);
        }
        if (*word == '\0')
            return false;
        others += length;
    }
    return true;
}

/* Flags in another order are the same flags; a library may tell its version with more words than
 * its package. */
static bool agree(const char *name, const char *left, const char *right)
{
    if (strcmp(left, right) == 0)
        return true;
    if (text_ends_with(name, "_flags") || text_ends_with(name, "_args"))
        return holds_words(left, right) && holds_words(right, left);
    return text_ends_with(name, "_version") &&
           (strstr(left, right) != NULL || strstr(right, left) != NULL);
}

bool collected_apply(const struct ingest_options *options, struct arena *arena,
                     struct summary *summary, struct err *err)
{
    struct environment *environment = &summary->environment;
    struct run_metadata *run = &summary->run_metadata;
    const struct {
        const char *name;
        const char **member;
    } members[] = {{"run_path", &run->run_path},
                   {"run_id", &run->run_id},
                   {"git_commit", &run->git_sha},
                   {"config_hash", &run->config_hash}};
    struct notes notes = {.arena = arena};
    struct fact_list facts = {arena, environment,
                              environment->fact_count + options->collected_count};
    if (options->collected_count == 0)
        return true;
    struct fact *grown = arena_array(arena, struct fact, facts.capacity);
    if (environment->fact_count > 0)
        memcpy(grown, environment->facts, environment->fact_count * sizeof *grown);
    environment->facts = grown;
    for (size_t i = 0; i < summary->coverage.warnings.count; i++)
        note_add(&notes, summary->coverage.warnings.items[i]);
    for (size_t i = 0; i < options->collected_count; i++) {
        const struct fact *fact = &options->collected[i];
        const struct fact *held = fact_find(environment, fact->name);
        for (size_t m = 0; m < sizeof members / sizeof members[0]; m++)
            if (strcmp(members[m].name, fact->name) == 0 && *members[m].member == NULL)
                *members[m].member = fact->value;
        if (held == NULL)
            fact_add(&facts, *fact);
        else if (!agree(fact->name, held->value, fact->value))
            NOTE(&notes, "%s: '%s' by %s, '%s' by %s; the first is kept", fact->name, held->value,
                 held->source, fact->value, fact->source);
    }
    facts_sort(environment);
    summary->coverage.warnings = notes_list(&notes);
    return arena_ok(arena, "the facts beside a profile", err);
}
