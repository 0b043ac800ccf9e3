/* The reference tool's forms of questions and its answers (README.md,
 * Questions). */
#include "ops/present/query/query_form.h"

#include "ops/present/query/question.h"
#include "ops/present/summary/summary.h"
#include "schema/documents/summary_records.h"
#include "schema/documents/summary_view.h"

#include "ops/runtime/json.h"

#include <math.h>

static json_t *phrase_json(struct phrase phrase)
{
    return json_stringn(phrase.start, phrase.length);
}

/* 1 */
static json_t *top_ops(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct answer answer = answer_new(query_type);
    answer_add_rows(&answer, "results", &hot_op_record, summary->hot_ops,
                    slice_count(summary->hot_op_count, query->top_k));
    return answer.object;
}

static void collectives_add(struct answer *answer, const char *name, const struct query *query)
{
    const struct summary *summary = query->summary;
    answer_add_rows(answer, name, &communication_op_record, summary->communication_ops,
                    slice_count(summary->communication_op_count, query->top_k));
}

/* 2 */
static json_t *compute_vs_communication(const struct query *query, const char *query_type)
{
    const struct time_breakdown *breakdown = &query->summary->time_breakdown;
    double compute = breakdown->part[PART_COMPUTE].share_of_total;
    double communication = breakdown->part[PART_COMMUNICATION].share_of_total;
    struct answer answer = answer_new(query_type);
    bool is_known = compute + communication > 0; /* a trace without devices tells neither */
    struct summary_view view = {0};
    if (query->summary->has_ours)
        summary_view_make(query->summary, query->arena, &view);
    bool copies = view.busy.set && view.exposed_copies.value >
                                       fmax(view.compute.value, view.exposed_communication.value);
    answer_add(&answer, "dominant",
               json_text(copies                    ? "copies"
                         : !is_known               ? "unknown_from_this_file"
                         : communication > compute ? "communication"
                                                   : "compute"));
    answer_add(&answer, "compute_share", json_number(compute));
    answer_add(&answer, "communication_share", json_number(communication));
    collectives_add(&answer, "communication_breakdown", query);
    return answer.object;
}

/* 3 */
static json_t *collective_breakdown(const struct query *query, const char *query_type)
{
    struct answer answer = answer_new(query_type);
    collectives_add(&answer, "results", query);
    return answer.object;
}

/* ---- gaps: 4 and 5 ------------------------------------------------------------------------------
 */

typedef bool (*phrase_test)(struct phrase phrase, const char *text);

static const struct gap_before_op *gap_find(const struct summary *summary, struct phrase target)
{
    const phrase_test tests[] = {phrase_equals, phrase_within};
    for (size_t t = 0; t < sizeof tests / sizeof *tests; t++) {
        for (size_t i = 0; i < summary->gap_before_op_count; i++) {
            const struct gap_before_op *gap = &summary->gap_before_ops[i];
            if (tests[t](target, gap->name) || tests[t](target, gap->payload_op) ||
                tests[t](target, gap->marker_op))
                return gap;
        }
    }
    return NULL;
}

/* Contexts whose op is the target, else holds it. The target is cleaned once more, as the reference
 * does. */
static void contexts_add(struct answer *answer, const char *name, const struct query *query,
                         struct phrase target)
{
    const struct summary *summary = query->summary;
    const phrase_test tests[] = {phrase_equals, phrase_within};
    json_t *list = json_array();
    target = phrase_clean(target);
    for (size_t t = 0; t < 2 && json_array_size(list) == 0; t++) {
        for (size_t i = 0; i < summary->gap_region_context_count; i++) {
            const struct gap_region_context *context = &summary->gap_region_contexts[i];
            if (tests[t](target, context->op_name))
                (void)json_array_append_new(list,
                                            record_to_json(&gap_region_context_record, context));
        }
    }
    answer_cut(list, query->top_k);
    answer_add(answer, name, list);
}

/* 4 */
static json_t *pre_op_gap(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct phrase target;
    struct answer answer = answer_new(query_type);
    answer_add_rows(&answer, "top_gaps", &gap_before_op_record, summary->gap_before_ops,
                    slice_count(summary->gap_before_op_count, query->top_k));
    if (question_after(query->question, "before", &target)) {
        const struct gap_before_op *gap = gap_find(summary, target);
        answer_add(&answer, "target", phrase_json(target));
        answer_add(&answer, "match",
                   gap == NULL ? json_null() : record_to_json(&gap_before_op_record, gap));
        contexts_add(&answer, "context", query, target);
    }
    return answer.object;
}

/* 5 */
static json_t *gap_region_context(const struct query *query, const char *query_type)
{
    static const char *const words[] = {"for", "of", "op"};
    const struct summary *summary = query->summary;
    struct phrase target;
    bool found = false;
    for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++)
        found = question_after(query->question, words[i], &target);
    struct answer answer = answer_new(query_type);
    if (found || question_op_token(query->question, &target)) {
        answer_add(&answer, "target", phrase_json(target));
        contexts_add(&answer, "results", query, target);
        return answer.object;
    }
    answer_add(&answer, "target", json_null());
    answer_add_rows(&answer, "results", &gap_region_context_record, summary->gap_region_contexts,
                    slice_count(summary->gap_region_context_count, query->top_k));
    return answer.object;
}

/* 6 */
static json_t *hierarchical_regions(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    size_t shown = slice_count(summary->hierarchical_region_count, query->top_k);
    const struct region_roots roots = region_roots_make(summary, query->arena);
    struct answer answer = answer_new(query_type);
    json_t *list = json_array();
    for (size_t i = 0; i < shown; i++) {
        const struct hierarchical_region *region = &summary->hierarchical_regions[i];
        struct answer row = {record_to_json(&hierarchical_region_record, region)};
        answer_add(&row, "inclusive_share_of_total",
                   json_number(region_share(&roots, region, region->inclusive_duration)));
        answer_add(&row, "exclusive_share_of_total",
                   json_number(region_share(&roots, region, region->exclusive_duration)));
        (void)json_array_append_new(list, row.object);
    }
    answer_add(&answer, "results", list);
    return answer.object;
}

/* 7 */
static json_t *bound_analysis(const struct query *query, const char *query_type)
{
    if (query_bound_is_known(query)) /* as without the hyphen */
        return query_bound(query, "roofline");
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "result", json_text("unsupported_from_trace_only"));
    answer_add(&answer, "details",
               json_text("The current summary is derived from trace timings and does not include "
                         "hardware-counter evidence needed for memory-vs-compute bound "
                         "classification."));
    return answer.object;
}

/* 8 */
static json_t *comparison_hint(const struct query *query, const char *query_type)
{
    (void)query; /* the same of every file */
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "details",
               json_text("Use compare_profile_summaries(before, after) to measure "
                         "regressions/improvements."));
    return answer.object;
}

/* 9 */
static json_t *optimization_candidates(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct summary_view view;
    bool seen = summary->has_ours;
    if (seen)
        summary_view_make(summary, query->arena, &view);
    struct answer answer = answer_new(query_type);
    json_t *list = json_array();
    for (size_t i = 0; i < summary->optimization_candidate_count; i++) {
        const struct optimization_candidate *row = &summary->optimization_candidates[i];
        if (!seen || !summary_view_refutes(&view, row))
            (void)json_array_append_new(list, record_to_json(&optimization_candidate_record, row));
    }
    if (seen && view.dominant != NULL) /* ours: the candidates do not say it */
        answer_add(&answer, "dominant", json_text(view.dominant));
    answer_add(&answer, "results", list);
    return answer.object;
}

const struct query_form query_reference_forms[] = {
    QUERY_FORM("What are the top ops?", "top_ops", "the ops with most exclusive time", NULL,
               top_ops, "top", "op"),
    QUERY_FORM("Is communication or compute dominating?", "compute_vs_communication",
               "the larger share of the two, and the collectives", NULL, compute_vs_communication,
               "comm|collective", "compute|dominating|dominant|worst"),
    QUERY_FORM("Which collectives are there?", "collective_breakdown", "time by kind of collective",
               NULL, collective_breakdown, "collective|communication"),
    QUERY_FORM("What is the gap before fusion.1?", "pre_op_gap",
               "idle time before an op, and where in the model it lies", NULL, pre_op_gap, "gap",
               "before"),
    QUERY_FORM("Show the gap context of copy.3", "gap_region_context",
               "where in the model the gaps before an op lie", NULL, gap_region_context, "context",
               "gap|op|copy"),
    QUERY_FORM("Show the regions", "hierarchical_regions",
               "time by part of the model, with shares of its root", NULL, hierarchical_regions,
               "region|hierarch"),
    QUERY_FORM("Is it memory-bound?", "bound_analysis",
               "what bounds ops, where the file tells FLOPs and bytes", NULL, bound_analysis,
               "memory-bound|compute-bound"),
    QUERY_FORM("Did it regress?", "comparison_hint", "how two profiles are compared", NULL,
               comparison_hint, "improve|regress|compare"),
};
const size_t query_reference_form_count =
    sizeof query_reference_forms / sizeof *query_reference_forms;

/* An empty question asks for advice as well: there is nothing in it that this would not answer. */
static bool advice_fits(const struct query *query)
{
    static const char *const words[] = {"next",      "try",        "optimi", "candidate", "suggest",
                                        "recommend", "bottleneck", "advice", "speed",     "make"};
    struct phrase token;
    const char *cursor = query->question;
    if (!question_next_token(&cursor, &token))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (question_has_word_start(query->lower, words[i]))
            return true;
    }
    return false;
}

const struct query_form query_advice_form = {"What should we try next?",
                                             "optimization_candidates",
                                             "what to look at first",
                                             {NULL},
                                             advice_fits,
                                             optimization_candidates};
