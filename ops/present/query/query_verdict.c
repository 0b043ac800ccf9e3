/* Implements the answer out of the verdict's own words, so that it says what `show` says. */
#include "ops/present/query/query_verdict.h"

#include "ops/present/query/query_form.h"
#include "ops/present/query/question.h"
#include "ops/present/summary/summary.h"
#include "ops/runtime/json.h"
#include "schema/documents/verdict_next.h"
#include "schema/documents/verdict_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A word of the question begins with one of "a|b|c". */
static bool asks(const char *question, const char *words)
{
    while (*words != '\0') {
        char word[24];
        size_t length = strcspn(words, "|");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, words);
        if (question_has_word_start(question, word))
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

bool query_asks_for_verdict(const char *question)
{
    return asks(question, "slower than|faster than|longer than|how much slower|how much faster|"
                          "how much longer|by how much|is it slower|is it faster") ||
           (asks(question, "why|reason|cause|blame") &&
            asks(question, "slow|fast|fail|red|block|regress|longer|pass|warn|verdict"));
}

static const char of_more[] = "slower|longer|regress|worse|added|new|lost|more time";
static const char of_less[] = "faster|shorter|improv|better|removed|gone|gained|less time";

bool query_asks_for_change(const char *question)
{
    static const char things[] = "which op|what op|which kernel|which phase|which region|"
                                 "which collective|step time";
    return asks(question, "chang|differ|moved|delta|baseline|became|got|regress|improv") ||
           (asks(question, things) && (asks(question, of_more) || asks(question, of_less)));
}

/* ---- what both answers say ------------------------------------------------------------------- */

/* The sentence of the verdict behind what people said of it, as every format has it. */
static const char *answer_sentence(const struct verdict *verdict, struct arena *arena)
{
    const char *sentence = verdict_sentence(verdict, arena);
    const char *said = verdict->accepted != NULL ? verdict->accepted : verdict->beyond;
    if (sentence == NULL)
        return NULL;
    if (verdict->based_on_retracted != NULL)
        sentence = arena_printf(arena, VERDICT_WORDS_RETRACTED "%s. %s",
                                verdict->based_on_retracted, sentence);
    if (said == NULL)
        return sentence;
    return arena_printf(arena, "%s%s%s %s",
                        verdict->accepted != NULL ? VERDICT_WORDS_ACCEPTED : VERDICT_WORDS_BEYOND,
                        said, islower((unsigned char)sentence[0]) ? ";" : ".", sentence);
}

/* The members that `show` puts beside a verdict; none where nobody said anything. */
static void said_add(struct answer *answer, const struct verdict *verdict)
{
    if (verdict->based_on_retracted != NULL)
        answer_add(answer, "based_on_retracted", json_text(verdict->based_on_retracted));
    if (verdict->accepted != NULL)
        answer_add(answer, "accepted", json_text(verdict->accepted));
    if (verdict->beyond != NULL)
        answer_add(answer, "beyond", json_text(verdict->beyond));
}

/* ---- why ------------------------------------------------------------------------------------- */

json_t *query_verdict(const struct verdict *verdict, const char *id, struct arena *arena)
{
    struct verdict_next next;
    const char *sentence = answer_sentence(verdict, arena);
    struct answer answer = answer_new("verdict");
    verdict_next_find(verdict, arena, &next);
    json_t *reasons = json_array();
    for (size_t i = 0; i < verdict->reason_count; i++)
        (void)json_array_append_new(reasons, json_text(verdict->reasons[i].text));
    answer_add(&answer, "verdict", json_text(id));
    answer_add(&answer, "status", json_text(verdict_status_names[verdict->status]));
    said_add(&answer, verdict);
    answer_say(&answer, sentence);
    answer_add(&answer, "reasons", reasons);
    answer_add(&answer, "next", json_text(next.why));
    answer_add(&answer, "command", json_text(next.command));
    return answer.object;
}

/* ---- what changed ---------------------------------------------------------------------------- */

/* Which of two directions are asked about; both where neither is. */
static bool is_asked(const char *question, double delta)
{
    bool more = asks(question, of_more), less = asks(question, of_less);
    return more == less || (delta > 0) == more;
}

static json_t *delta_json(const char *name, const char *change, double before, double after)
{
    struct opt_f64 percent = change_percent(some_f64(before), some_f64(after));
    return json_pack("{s:o, s:s, s:f, s:f, s:f, s:o}", "name", json_text(name), "change",
                     change != NULL   ? change
                     : after > before ? "slower"
                                      : "faster",
                     "before_us", before, "after_us", after, "delta_us", after - before,
                     "delta_pct", optional_number(percent));
}

static json_t *ops_json(const struct verdict *verdict, const char *question, int64_t top_k)
{
    json_t *list = json_array();
    for (size_t i = 0, moved = verdict_moved_count(verdict); i < moved; i++) {
        const struct verdict_op *op = &verdict->ops[i];
        if (!is_asked(question, op->delta_us))
            continue;
        json_t *row = delta_json(op->name, op->change, op->before_us, op->after_us);
        (void)json_object_set_new(row, "op_path", json_text(op->op_path));
        (void)json_object_set_new(row, "share_of_step", json_number(op->share_of_step));
        verdict_parts_add(row, &op->before_runs, &op->after_runs);
        (void)json_array_append_new(list, row);
    }
    answer_cut(list, top_k);
    return list;
}

/* Hosts, devices, phases ... of a kind that the question names. */
static json_t *groups_json(const struct verdict *verdict, const char *question, int64_t top_k)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->group_count; i++) {
        const struct verdict_group *group = &verdict->groups[i];
        json_t *row;
        if (!asks(question, group->kind) || !is_asked(question, group->delta_us))
            continue;
        row = delta_json(group->name, NULL, group->before_us, group->after_us);
        (void)json_object_set_new(row, "kind", json_text(group->kind));
        verdict_parts_add(row, &group->before_runs, &group->after_runs);
        (void)json_array_append_new(list, row);
    }
    answer_cut(list, top_k);
    return list;
}

static json_t *mismatches_json(const struct verdict *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct verdict_mismatch *row = &verdict->mismatches[i];
        (void)json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", row->field, "before",
                                                    json_text(row->baseline), "after",
                                                    json_text(row->candidate)));
    }
    return list;
}

json_t *query_verdict_changes(const struct verdict *verdict, const char *id, const char *question,
                              int64_t top_k, struct arena *arena)
{
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    const char *sentence = answer_sentence(verdict, arena);
    struct answer answer = answer_new("what_changed");
    answer_add(&answer, "verdict", json_text(id));
    answer_add(&answer, "status", json_text(verdict_status_names[verdict->status]));
    said_add(&answer, verdict);
    answer_say(&answer, sentence);
    answer_add(&answer, "baseline", json_text(verdict->baseline.why));
    answer_add(&answer, "basis",
               json_text(verdict->ops_per == NULL ? "per_step_and_device" : "per_call"));
    answer_add(&answer, "step_median",
               json_pack("{s:o, s:o, s:o}", "before_us", optional_number(before), "after_us",
                         optional_number(after), "delta_pct",
                         optional_number(change_percent(before, after))));
    json_t *ops = ops_json(verdict, question, top_k);
    if (json_array_size(ops) == 0)
        answer_add(&answer, "details",
                   json_text(verdict->op_count == 0
                                 ? "The verdict compared no ops: a side holds none, or the sides "
                                   "could not be compared."
                                 : "No op moved so by what matters."));
    answer_add(&answer, "ops", ops);
    answer_add(&answer, "groups", groups_json(verdict, question, top_k));
    answer_add(&answer, "environment", mismatches_json(verdict));
    return answer.object;
}
