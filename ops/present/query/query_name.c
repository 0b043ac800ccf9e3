/* "How long does attention take?": ops and regions whose name or path holds a word of the question.
 *
 * The longest word that names something is taken; small words of questions never name anything.
 * Questions about a "context" belong to the reference tool, which does not answer them by name.
 */
#include "ops/present/query/query_form.h"

#include "ops/present/query/question.h"
#include "ops/present/summary/summary.h"
#include "schema/documents/summary_records.h"
#include "schema/documents/told_ops.h"

#include "ops/runtime/json.h"

#include <string.h>

enum {
    TOKENS_MAX = 64
}; /* a question; what is longer is a text, and each word costs a walk over all ops */
static const double PS_PER_US = 1e6;

static bool is_small_word(struct phrase token)
{
    static const char *const words[] = {
        "a",     "about", "all",  "an",   "and",  "are",  "as",    "at",   "be",        "by",
        "can",   "did",   "do",   "does", "for",  "from", "get",   "give", "has",       "have",
        "how",   "i",     "in",   "is",   "it",   "long", "many",  "me",   "much",      "my",
        "of",    "on",    "op",   "or",   "ops",  "show", "take",  "tell", "takes",     "that",
        "the",   "there", "this", "time", "to",   "was",  "we",    "what", "operation", "when",
        "where", "which", "who",  "why",  "with", "you",  "spent", "cost", "costs",     "main"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (phrase_equals(token, words[i]))
            return true;
    }
    return token.length == 0;
}

static bool text_has(struct phrase name, const char *text)
{
    return text != NULL && phrase_is_word_of(name, text);
}

static bool op_has(const struct op_row *op, struct phrase name)
{
    return text_has(name, op->name) || text_has(name, op->op_path) || text_has(name, op->opcode);
}

/* Where no op is called so, ops as programs tell them, by instructions and paths. */
static struct told_ops ops_named(const struct summary *summary, struct phrase name)
{
    for (size_t i = 0; i < summary->op_count; i++) {
        if (op_has(&summary->ops[i], name))
            return (struct told_ops){summary->ops, summary->op_count};
    }
    return told_ops_of(summary);
}

static bool hot_op_has(const struct hot_op *op, struct phrase name)
{
    return text_has(name, op->name) || text_has(name, op->canonical_name) ||
           text_has(name, op->tf_op_path);
}

static bool names_any(const struct summary *summary, struct phrase name)
{
    const struct told_ops ops = ops_named(summary, name);
    for (size_t i = 0; i < ops.count; i++) {
        if (op_has(&ops.items[i], name))
            return true;
    }
    for (size_t i = 0; i < summary->hot_op_count; i++) {
        if (hot_op_has(&summary->hot_ops[i], name))
            return true;
    }
    for (size_t i = 0; i < summary->hierarchical_region_count; i++) {
        if (text_has(name, summary->hierarchical_regions[i].path))
            return true;
    }
    return false;
}

/* What is written as names of ops and annotations are, and as no word of a question is. */
static bool is_like_a_name(struct phrase token)
{
    return token.length > 2 && memchr(token.start, '_', token.length) != NULL;
}

static bool name_find(const struct query *query, struct phrase *ret_name)
{
    const char *cursor = query->question;
    struct phrase token;
    bool found = false;
    for (int i = 0; i < TOKENS_MAX && question_next_token(&cursor, &token); i++) {
        bool longer = !found || token.length > ret_name->length;
        if (!longer || is_small_word(token) || !names_any(query->summary, token))
            continue;
        *ret_name = token;
        found = true;
    }
    return found;
}

/* A word that is written as a name and names nothing: it is asked for all the same. */
static bool unknown_find(const struct query *query, struct phrase *ret_name)
{
    const char *cursor = query->question;
    for (int i = 0; i < TOKENS_MAX && question_next_token(&cursor, ret_name); i++)
        if (is_like_a_name(*ret_name))
            return true;
    return question_op_token(query->question, ret_name);
}

bool query_names_something(const struct query *query)
{
    struct phrase name;
    return !question_has_word_start(query->lower, "context") &&
           (name_find(query, &name) || unknown_find(query, &name));
}

static bool op_row_has(const void *row, struct phrase name)
{
    return op_has(row, name);
}

static bool hot_op_row_has(const void *row, struct phrase name)
{
    return hot_op_has(row, name);
}

static bool region_row_has(const void *row, struct phrase name)
{
    const struct hierarchical_region *region = row;
    return text_has(name, region->path);
}

/* Rows of one list of the summary. */
struct rows {
    const struct record *record;
    const void *items;
    size_t count;
    bool (*has)(const void *row, struct phrase name);
};

static void rows_add(struct answer *answer, const char *member, const struct query *query,
                     const struct rows *rows, struct phrase name)
{
    json_t *list = json_array();
    const char *row = rows->items;
    for (size_t i = 0; i < rows->count; i++, row += rows->record->size) {
        if (rows->has(row, name))
            (void)json_array_append_new(list, record_to_json(rows->record, row));
    }
    answer_cut(list, query->top_k);
    answer_add(answer, member, list);
}

/* Self time of the ops of that name, per steady step and device, and its share of the mean one. */
static void time_add(struct answer *answer, const struct summary *summary, struct phrase name)
{
    const struct told_ops ops = ops_named(summary, name);
    double self_us = 0;
    bool found = false;
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        if (op->asynchronous || !op_has(op, name))
            continue;
        found = true;
        self_us += (double)op->steady_self_ps / PS_PER_US;
    }
    query_op_time_add(answer, summary, (struct opt_f64){found, self_us});
}

json_t *query_by_name(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    const struct rows hot = {&hot_op_record, summary->hot_ops, summary->hot_op_count,
                             hot_op_row_has};
    const struct rows regions = {&hierarchical_region_record, summary->hierarchical_regions,
                                 summary->hierarchical_region_count, region_row_has};
    struct phrase name = {"", 0};
    if (!name_find(query, &name))
        (void)unknown_find(query, &name);
    const struct told_ops ops = ops_named(summary, name);
    const struct rows own = {&op_row_record, ops.items, ops.count, op_row_has};
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "target", json_stringn(name.start, name.length));
    time_add(&answer, summary, name);
    rows_add(&answer, "ops", query, summary->has_ours ? &own : &hot, name);
    rows_add(&answer, "regions", query, &regions, name);
    return answer.object;
}
