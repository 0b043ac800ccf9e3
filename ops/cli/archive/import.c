/* What the lines of an export share: whose number is ours, what was said before, what was left out.
 */
#include "ops/cli/archive/import.h"

#include "ops/runtime/log.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 500 };

const char *import_text(const json_t *object, const char *member)
{
    return json_string_value(json_object_get(object, member));
}

static int pair_order(const void *left, const void *right)
{
    const struct import_pair *a = left, *b = right;
    if (a->letter != b->letter)
        return a->letter < b->letter ? -1 : 1;
    return a->theirs < b->theirs ? -1 : a->theirs > b->theirs;
}

bool import_number(struct import *import, char letter, int64_t theirs, struct err *err)
{
    const struct import_pair *last =
        import->pair_count == 0 ? NULL : &import->pairs[import->pair_count - 1];
    bool follows = letter == 's'   ? import->series == theirs - 1
                   : letter == 'r' ? import->reports == theirs - 1
                                   : last != NULL && last->letter == letter &&
                                         last->theirs == theirs - 1 && last->ours == last->theirs;
    return !import->keeps_numbers || follows ||
           ledger_pass_numbers(import->db, letter, theirs, err);
}

void import_number_given(struct import *import, struct import_pair pair, const char *name)
{
    char why[WHY_BYTES];
    if (!import->keeps_numbers || pair.ours == pair.theirs || pair.ours == IMPORT_LEFT_OUT)
        return;
    import->keeps_numbers = false;
    (void)snprintf(why, sizeof why,
                   "%c%" PRId64 " of the export is %c%" PRId64
                   " here: its number was taken, or used up by an append that was broken off; "
                   "reports and verdicts stay as they were recorded, with the numbers of the "
                   "ledger that made them. A new ledger would keep all numbers",
                   pair.letter, pair.theirs, pair.letter, pair.ours);
    log_event(LOG_WARN, LOG_input_warning, "file", name, "why", why, NULL);
}

bool import_pair_add(struct import *import, struct import_pair pair, const char *name,
                     struct err *err)
{
    if (import->pair_count > 0 && pair_order(&import->pairs[import->pair_count - 1], &pair) >= 0)
        return err_set(err, ERR_INPUT,
                       "%s: %c%" PRId64 " does not follow the line before it: "
                       "profiles, then verdicts, by their numbers",
                       name, pair.letter, pair.theirs);
    import->pairs = arena_grow(import->arena, import->pairs, import->pair_count,
                               &import->pair_capacity, sizeof *import->pairs);
    import->pairs[import->pair_count++] = pair;
    import_number_given(import, pair, name);
    return true;
}

bool import_left_out(struct import *import, const char *name, const json_t *line)
{
    char what[WHY_BYTES];
    const char *id = import_text(line, "id");
    const char *file = import_text(json_object_get(line, "archive"), "file");
    const char *unreadable = import_text(line, "unreadable");
    if (unreadable != NULL)
        (void)snprintf(what, sizeof what, "%.40s is left out: %.300s", id != NULL ? id : "the line",
                       unreadable);
    else
        (void)snprintf(what, sizeof what, "%.40s is left out: it is, or rests on, what is %s%.300s",
                       id != NULL ? id : "the line", file != NULL ? "in " : "left out",
                       file != NULL ? file : "");
    log_event(LOG_WARN, LOG_input_warning, "file", name, "why", what, NULL);
    import->left_out++;
    return true;
}

bool import_find(const struct import *import, const char *id, const char *name, int64_t *ret_ours,
                 struct err *err)
{
    struct import_pair wanted = {.letter = id[0]};
    (void)text_parse_i64(id + (id[0] != '\0'), &wanted.theirs);
    const struct import_pair *found = import->pair_count == 0
                                          ? NULL
                                          : bsearch(&wanted, import->pairs, import->pair_count,
                                                    sizeof *import->pairs, pair_order);
    if (found == NULL)
        return err_set(err, ERR_INPUT, "%s: it rests on %.40s, which this export does not hold",
                       name, id);
    *ret_ours = found->ours;
    return true;
}

struct origin import_origin(const json_t *line)
{
    return (struct origin){json_string_value(json_object_get(line, "recorded_at_utc")),
                           json_string_value(json_object_get(line, "by"))};
}

/* How often something was said in the export so far. */
struct said {
    const char *what;
    int64_t count;
};

static int said_order(const void *left, const void *right)
{
    return strcmp(((const struct said *)left)->what, ((const struct said *)right)->what);
}

/* They lie in the arena. */
static void said_forget(void *said)
{
    (void)said;
}

void import_done(struct import *import)
{
    tdestroy(import->said, said_forget);
    import->said = NULL;
}

bool import_is_known(struct import *import, const char *what, int64_t held)
{
    struct said *said = arena_new(import->arena, struct said);
    said->what = what;
    struct said *const *kept = memory_given(tsearch(said, &import->said, said_order));
    bool known = held > (*kept)->count++;
    import->known += known;
    return known;
}
