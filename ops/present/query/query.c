/* Finds the form that a question has. */
#include "ops/present/query/query.h"

#include "ops/present/query/query_form.h"
#include "ops/present/query/question.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <string.h>

enum match { MATCH_SUBSTRING, MATCH_WORD_START };

/* One of the words of "a|b|c" is in the question. */
static bool one_of(const char *lower, const char *words, enum match match)
{
    while (*words != '\0') {
        size_t length = strcspn(words, "|");
        char word[32];
        if (length < sizeof word) {
            memcpy(word, words, length);
            word[length] = '\0';
            if (match == MATCH_SUBSTRING ? strstr(lower, word) != NULL
                                         : question_has_word_start(lower, word))
                return true;
        }
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

static const struct query_form *form_find(const struct query *query)
{
    for (size_t i = 0; i < query_first_form_count; i++) {
        if (form_fits(&query_first_forms[i], query, MATCH_WORD_START))
            return &query_first_forms[i];
    }
    for (size_t i = 0; i < query_reference_form_count; i++) {
        if (form_fits(&query_reference_forms[i], query, MATCH_SUBSTRING))
            return &query_reference_forms[i];
    }
    if (form_fits(&query_advice_form, query, MATCH_WORD_START))
        return &query_advice_form;
    for (size_t i = 0; i < query_own_form_count; i++) {
        if (form_fits(&query_own_forms[i], query, MATCH_WORD_START))
            return &query_own_forms[i];
    }
    return NULL;
}

static bool form_append(json_t *list, const struct query_form *form)
{
    if (form->example == NULL) /* another way to ask what is listed elsewhere */
        return true;
    json_t *row = json_pack("{s:s, s:s, s:s}", "question", form->example, "query_type",
                            form->query_type, "answer", form->answer);
    return json_array_append_new(list, row) == 0;
}

json_t *query_forms(struct err *err)
{
    scoped_json *list = json_array();
    bool done = list != NULL;
    for (size_t i = 0; done && i < query_reference_form_count; i++)
        done = form_append(list, &query_reference_forms[i]);
    done = done && form_append(list, &query_advice_form);
    for (size_t i = 0; done && i < query_first_form_count; i++)
        done = form_append(list, &query_first_forms[i]);
    for (size_t i = 0; done && i < query_own_form_count; i++)
        done = form_append(list, &query_own_forms[i]);
    if (done)
        return json_incref(list);
    (void)err_set_memory(err, "no memory for the forms of questions");
    return NULL;
}

/* Rule 9 answers whatever is asked; where nothing shows that this was asked, it says so. */
static json_t *answer_unrecognized(const struct query *query)
{
    scoped_json *object = query_advice_form.make(query, query_advice_form.query_type);
    if (object == NULL)
        return NULL;
    struct answer answer = {json_incref(object), query->err};
    answer_add(&answer, "recognized", json_false());
    answer_add(&answer, "known_forms", query_forms(query->err));
    return answer_take(&answer);
}

/* An answer without rows says so, and where the reason is; not about the reference tool's own
 * documents, of which the answers are its own to the byte. */
static json_t *emptiness_add(const struct query *query, json_t *answer)
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
    return answer;
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
        .err = err,
    };
    query.lower = query.question == NULL ? NULL : text_lower(arena, query.question);
    if (query.lower == NULL) {
        (void)arena_failed(arena, "the question", err);
        return NULL;
    }
    const struct query_form *form = form_find(&query);
    return form == NULL ? answer_unrecognized(&query)
                        : emptiness_add(&query, form->make(&query, form->query_type));
}
