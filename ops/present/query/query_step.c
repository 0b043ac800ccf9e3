/* Steps that a question names by their numbers: "step 12", "steps 12 to 15", "steps 12 and 15". */
#include "ops/present/query/query_form.h"

#include "ops/present/query/question.h"
#include "ops/present/summary/summary.h"
#include "schema/documents/summary_records.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <string.h>

/* A row as in the document, with the slowest device by name. */
json_t *query_step_json(const struct query *query, const struct step_row *row)
{
    struct answer object = {record_to_json(&step_row_record, row)};
    const struct summary *summary = query->summary;
    answer_add(&object, "slowest_device",
               row->slowest < summary->device_count ? json_text(summary->devices[row->slowest].name)
                                                    : json_null());
    return object.object;
}

/* The first and the last number; one step where both are the same. */
struct named_steps {
    int64_t first, last;
    bool ends_alone; /* "and": these two, and none between them */
};

static bool phrase_is_one_of(struct phrase phrase, const char *const *words)
{
    bool found = false;
    for (; !found && *words != NULL; words++)
        found = phrase_equals(phrase, *words);
    return found;
}

/* "12-15" and "12..15", of which a blank makes no words. */
static bool joined_read(struct phrase token, struct named_steps *ret_steps)
{
    static const char *const joints[] = {"-", "..", "\xe2\x80\x93"}; /* an en dash */
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        const size_t joint = strlen(joints[i]);
        const char *at = memmem(token.start, token.length, joints[i], joint);
        const size_t before = at == NULL ? 0 : (size_t)(at - token.start);
        if (before > 0 && text_python_int(token.start, before, &ret_steps->first) &&
            text_python_int(at + joint, token.length - before - joint, &ret_steps->last))
            return true;
    }
    return false;
}

/* What follows the word "step": a number, and perhaps another one. */
static bool numbers_read(const char *cursor, struct named_steps *ret_steps)
{
    static const char *const between[] = {"to", "through", "until",        "till", "and",
                                          "-",  "..",      "\xe2\x80\x93", NULL};
    struct phrase token, second;
    cursor += *cursor == '#';
    if (!question_next_token(&cursor, &token))
        return false;
    if (!text_python_int(token.start, token.length, &ret_steps->first))
        return joined_read(token, ret_steps);
    ret_steps->last = ret_steps->first;
    if (!question_next_token(&cursor, &token) || !phrase_is_one_of(token, between))
        return true;
    bool more = question_next_token(&cursor, &second);
    if (more && phrase_equals(second, "step"))
        more = question_next_token(&cursor, &second);
    if (more && text_python_int(second.start, second.length, &ret_steps->last))
        ret_steps->ends_alone = phrase_equals(token, "and");
    return true;
}

/* false when no number follows the word "step". */
static bool named_steps_find(const struct query *query, struct named_steps *ret_steps)
{
    static const char *const words[] = {"step", "steps"};
    *ret_steps = (struct named_steps){0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct phrase rest;
        if (question_after(query->question, words[i], &rest) && numbers_read(rest.start, ret_steps))
            return true;
    }
    return false;
}

bool query_names_a_step(const struct query *query)
{
    struct named_steps steps;
    return named_steps_find(query, &steps);
}

static bool is_named(const struct named_steps *steps, int64_t number)
{
    const bool at_end = number == steps->first || number == steps->last;
    const bool rises = steps->first <= steps->last;
    const int64_t low = rises ? steps->first : steps->last;
    const int64_t high = rises ? steps->last : steps->first;
    return at_end || (!steps->ends_alone && low <= number && number <= high);
}

json_t *query_step(const struct query *query, const char *query_type)
{
    const struct step_table *steps = &query->summary->steps;
    struct named_steps named;
    struct answer answer = answer_new(query_type);
    (void)named_steps_find(query, &named);
    const bool one = named.first == named.last;
    json_t *list = json_array();
    for (size_t i = 0; i < steps->count; i++)
        if (is_named(&named, steps->rows[i].number))
            (void)json_array_append_new(list, query_step_json(query, &steps->rows[i]));
    if (one) {
        answer_add(&answer, "number", json_integer(named.first));
        answer_add(&answer, "result",
                   json_array_size(list) == 0 ? json_null() : json_incref(json_array_get(list, 0)));
        json_decref(list);
    } else {
        answer_add(&answer, "numbers",
                   json_pack("[I, I]", (json_int_t)named.first, (json_int_t)named.last));
        answer_add(&answer, "count", json_integer((json_int_t)json_array_size(list)));
        answer_cut(list, query->top_k);
        answer_add(&answer, "results", list);
    }
    if (steps->count > 0)
        answer_add(&answer, "known",
                   json_pack("{s:I, s:I, s:I}", "first", (json_int_t)steps->rows[0].number, "last",
                             (json_int_t)steps->rows[steps->count - 1].number, "count",
                             (json_int_t)steps->count));
    answer_add_steps_left(&answer, query);
    answer_add_absence(&answer, query, steps->count > 0);
    return answer.object;
}

json_t *query_step_alone(const struct query *query, const char *query_type)
{
    struct named_steps named;
    struct answer answer = answer_new(query_type);
    (void)named_steps_find(query, &named);
    answer_add(&answer, "number", json_integer(named.first));
    return answer_unknown(&answer,
                          "Of one step a summary keeps its times alone (\"Show step 12\"): "
                          "operations, memory, rates and ops are those of the steady steps "
                          "together. Ask without the step.");
}
