/* Implements the answer out of the verdict's own words, so that it says what `show` says. */
#include "ops/present/query_verdict.h"

#include "ops/present/question.h"
#include "ops/runtime/json.h"
#include "schema/verdict_next.h"
#include "schema/verdict_words.h"

bool query_asks_for_verdict(const char *question)
{
    static const char *const asks[] = {"why", "reason", "cause", "blame"};
    static const char *const about[] = {"slow",    "fast",   "fail", "red",  "block",
                                        "regress", "longer", "pass", "warn", "verdict"};
    static const char *const against[] = {"slower than", "faster than", "longer than"};
    bool is_why = false, is_about = false;
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++)
        is_why |= question_has_word_start(question, asks[i]);
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
        is_about |= question_has_word_start(question, about[i]);
    for (size_t i = 0; i < sizeof against / sizeof against[0]; i++) {
        if (question_has_word_start(question, against[i]))
            return true;
    }
    return is_why && is_about;
}

json_t *query_verdict(const struct verdict *verdict, const char *id, struct arena *arena,
                      struct err *err)
{
    struct verdict_next next;
    const char *sentence = verdict_sentence(verdict, arena);
    if (sentence == NULL || !verdict_next_find(verdict, arena, &next)) {
        (void)arena_failed(arena, "an answer", err);
        return NULL;
    }
    json_t *reasons = json_array();
    for (size_t i = 0; i < verdict->reason_count; i++)
        (void)json_array_append_new(reasons, json_text(verdict->reasons[i].text));
    json_t *answer = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "query_type", "verdict",
                               "verdict", id, "status", verdict_status_names[verdict->status],
                               "answer", json_text(sentence), "reasons", reasons, "next",
                               json_text(next.why), "command", json_text(next.command));
    if (answer == NULL)
        (void)err_set(err, ERR_LIMIT, "no memory for an answer");
    return answer;
}
