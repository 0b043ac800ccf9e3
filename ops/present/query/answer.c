/* Collects members. */
#include "ops/present/query/query_form.h"

#include "ops/present/summary/summary.h"
#include "ops/runtime/json.h"

struct answer answer_new(const char *query_type)
{
    struct answer answer = {json_object()};
    answer_add(&answer, "query_type", json_text(query_type));
    return answer;
}

void answer_add(struct answer *answer, const char *name, json_t *value)
{
    (void)json_object_set_new(answer->object, name, value);
}

void answer_cut(json_t *list, int64_t top_k)
{
    size_t kept = slice_count(json_array_size(list), top_k);
    while (json_array_size(list) > kept)
        (void)json_array_remove(list, json_array_size(list) - 1);
}

void answer_add_rows(struct answer *answer, const char *name, const struct record *record,
                     const void *rows, size_t count)
{
    const char *row = rows;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++, row += record->size)
        (void)json_array_append_new(list, record_to_json(record, row));
    answer_add(answer, name, list);
}

void answer_add_steps_left(struct answer *answer, const struct query *query)
{
    const char *left = summary_steps_left(query->summary);
    if (left != NULL)
        answer_add(answer, "steps_left", json_text(left));
}

const char answer_of_other_tool[] =
    "The summary was written by another tool, which keeps neither devices nor the whole op table: "
    "summarize the profile with stepledger.";

void answer_say(struct answer *answer, const char *sentence)
{
    answer_add(answer, "answer", json_text(sentence));
}

json_t *answer_unknown(struct answer *answer, const char *details)
{
    answer_add(answer, "result", json_text("unknown_from_this_file"));
    answer_add(answer, "details", json_text(details));
    return answer->object;
}

void answer_add_absence(struct answer *answer, const struct query *query, bool found)
{
    if (!query->summary->has_ours)
        answer_add(answer, "details",
                   json_text("The summary was written by another tool, which keeps neither steps "
                             "nor devices, coverage and environment: summarize the profile with "
                             "stepledger."));
    else if (!found)
        answer_add(answer, "details",
                   json_text("The profile holds none that was recognised; ask \"Are there "
                             "warnings?\" for the reason."));
}

json_t *optional_number(struct opt_f64 value)
{
    return value.set ? json_number(value.value) : json_null();
}
