/* Finds the form that a question has. */
#include "ops/present/query/query.h"

#include "ops/present/query/query_form.h"
#include "ops/present/query/question.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <string.h>

enum match { MATCH_SUBSTRING, MATCH_WORD_START };

/* One of the words of "a|b|c" is in the question. */
static bool one_of(const char *lower, const char *words, enum match match)
{
    while (*words != '\0') {
        size_t length = strcspn(words, "|");
        char word[64];
        assert(length < sizeof word && "a word of a form");
        memcpy(word, words, length);
        word[length] = '\0';
        if (match == MATCH_SUBSTRING ? strstr(lower, word) != NULL
                                     : question_has_word_start(lower, word))
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

static bool form_fits(const struct query_form *form, const struct query *query, enum match match)
{
    for (size_t i = 0; i < QUERY_NEEDS && form->needs[i] != NULL; i++) {
        if (!one_of(query->lower, form->needs[i], match))
            return false;
    }
    return form->fits == NULL || form->fits(query);
}

/* The first that fits, in the order in which they are tried; NULL: none does. */
static const struct query_form *form_find(const struct query *query)
{
    const struct {
        const struct query_form *forms;
        size_t count;
        enum match match;
    } tables[] = {{query_first_forms, query_first_form_count, MATCH_WORD_START},
                  {query_reference_forms, query_reference_form_count, MATCH_SUBSTRING},
                  {&query_advice_form, 1, MATCH_WORD_START},
                  {query_own_forms, query_own_form_count, MATCH_WORD_START}};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t].count; i++)
            if (form_fits(&tables[t].forms[i], query, tables[t].match))
                return &tables[t].forms[i];
    return NULL;
}

json_t *query_forms(void)
{
    const struct {
        const struct query_form *forms;
        size_t count;
    } tables[] = {{query_reference_forms, query_reference_form_count},
                  {&query_advice_form, 1},
                  {query_first_forms, query_first_form_count},
                  {query_own_forms, query_own_form_count}};
    json_t *list = json_array();
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct query_form *form = &tables[t].forms[i];
            if (form->example != NULL) /* else another way to ask what is listed elsewhere */
                (void)json_array_append_new(
                    list, json_pack("{s:s, s:s, s:s}", "question", form->example, "query_type",
                                    form->query_type, "answer", form->answer));
        }
    }
    return list;
}

/* An answer without rows says so, and where the reason is; not about the reference tool's own
 * documents, of which the answers are its own to the byte. */
static void emptiness_add(const struct query *query, json_t *answer)
{
    static const char *const lists[] = {"results", "top_gaps", "ops"};
    const json_t *match = json_object_get(answer, "match");
    bool is_empty = json_is_null(match);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *list = json_object_get(answer, lists[i]);
        is_empty |= json_is_array(list) && json_array_size(list) == 0;
    }
    if (is_empty && query->summary->has_ours && json_object_get(answer, "details") == NULL &&
        json_object_get(answer, "answer") == NULL)
        (void)json_object_set_new(
            answer, "details",
            json_string(
                "None of that is in the profile: no op or region of that name, no gap "
                "before it, or nothing of the kind; events of the host are kept nowhere but "
                "in what devices wait for. \"What are the top ops?\" gives names, "
                "\"Are there warnings?\" says what was not recognised."));
}

json_t *query_answer(const struct summary *summary, const struct summary *baseline,
                     const char *question, int64_t top_k, struct arena *arena, struct err *err)
{
    struct query query = {
        .summary = summary,
        .baseline = baseline,
        .question = text_utf8_repair(arena, question, strlen(question)),
        .top_k = top_k,
        .arena = arena,
    };
    query.lower = text_lower(arena, query.question);
    const struct query_form *form = form_find(&query);
    scoped_json *answer = NULL;
    if (form != NULL) {
        answer = form->make(&query, form->query_type);
        emptiness_add(&query, answer);
    } else { /* rule 9 answers whatever is asked; nothing shows that this was asked */
        answer = query_advice_form.make(&query, query_advice_form.query_type);
        (void)json_object_set_new(answer, "recognized", json_false());
        (void)json_object_set_new(answer, "known_forms", query_forms());
    }
    return arena_ok(arena, "an answer", err) ? json_incref(answer) : NULL;
}
