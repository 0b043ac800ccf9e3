#include "ingest/tables/collected.h"

#include "ingest/source/source.h"

#include <string.h>

static const char blanks[] = " \t\r\n";

static bool holds_word(const char *words, const char *word, size_t length)
{
    for (words += strspn(words, blanks); *words != '\0'; words += strspn(words, blanks)) {
        size_t size = strcspn(words, blanks);
        if (size == length && strncmp(words, word, length) == 0)
            return true;
        words += size;
    }
    return false;
}

static bool holds_words(const char *words, const char *others)
{
    for (others += strspn(others, blanks); *others != '\0'; others += strspn(others, blanks)) {
        size_t size = strcspn(others, blanks);
        if (!holds_word(words, others, size))
            return false;
        others += size;
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

/* The member of run_metadata that the fact fills; NULL: none. */
static const char **member_of(struct run_metadata *run, const char *name)
{
    const struct {
        const char *name;
        const char **member;
    } members[] = {{"run_path", &run->run_path},
                   {"run_id", &run->run_id},
                   {"git_commit", &run->git_sha},
                   {"config_hash", &run->config_hash}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].name, name) == 0)
            return members[i].member;
    }
    return NULL;
}

bool collected_apply(const struct ingest_options *options, struct arena *arena,
                     struct summary *summary, struct err *err)
{
    struct environment *environment = &summary->environment;
    struct notes notes = {.arena = arena};
    struct fact_list facts = {arena, environment, 0};
    struct fact *grown =
        arena_array(arena, struct fact, environment->fact_count + options->collected_count);
    if (options->collected_count == 0)
        return true;
    if (grown == NULL)
        return arena_failed(arena, "the facts beside a profile", err);
    if (environment->fact_count > 0)
        memcpy(grown, environment->facts, environment->fact_count * sizeof *grown);
    environment->facts = grown;
    facts.capacity = environment->fact_count + options->collected_count;
    for (size_t i = 0; i < summary->coverage.warnings.count; i++)
        note_add(&notes, summary->coverage.warnings.items[i]);
    for (size_t i = 0; i < options->collected_count; i++) {
        const struct fact *fact = &options->collected[i];
        const struct fact *held = fact_find(environment, fact->name);
        const char **member = member_of(&summary->run_metadata, fact->name);
        if (member != NULL && *member == NULL)
            *member = fact->value;
        if (held == NULL && !fact_add(&facts, *fact, err))
            return false;
        if (held != NULL && !agree(fact->name, held->value, fact->value))
            NOTE(&notes, "%s: '%s' by %s, '%s' by %s; the first is kept", fact->name, held->value,
                 held->source, fact->value, fact->source);
    }
    facts_sort(environment);
    summary->coverage.warnings = notes_list(&notes);
    return !notes.failed || arena_failed(arena, "the facts beside a profile", err);
}
