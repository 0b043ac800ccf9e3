/* "What changed?": this profile against an earlier one, as facts. Judging is the gate's work.
 *
 * Ops are joined by stable signature, per steady step and device; where a side has no such table
 * (documents of version 1, no steps), the hot ops are joined by name over the whole profile, and
 * `basis` says so.
 */
#include "ops/present/query/query_form.h"

#include "ops/present/words/words.h"
#include "ops/present/summary/summary.h"
#include "schema/documents/summary_records.h"

#include "ops/runtime/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PS_PER_US = 1e6;

struct change {
    const char *key; /* what both sides are joined by */
    const char *name, *category, *op_path;
    const char *change; /* slower, faster, added, removed */
    double before_us, after_us, delta_us;
    struct opt_f64 delta_pct;
    bool before, after; /* seen on that side */
};

static const struct member change_members[] = {
    M_TEXT(change, name),       M_TEXT(change, category),        M_TEXT(change, op_path),
    M_TEXT(change, change),     M_NUMBER(change, before_us),     M_NUMBER(change, after_us),
    M_NUMBER(change, delta_us), M_OPT_NUMBER(change, delta_pct),
};
static const struct record change_record = RECORD_OF(change, change_members);

struct fact_change {
    const char *name, *before, *after;
};

static const struct member fact_change_members[] = {
    M_FIELDS(fact_change, name, before, after),
};
static const struct record fact_change_record = RECORD_OF(fact_change, fact_change_members);

static bool has_op_table(const struct summary *summary)
{
    return summary->has_ours && summary->steps.steady_spans > 0;
}

/* One side of an op: the other one's figures are 0 until both are joined. */
static struct change side_of(double us, bool after)
{
    return (struct change){
        .before_us = after ? 0 : us, .after_us = after ? us : 0, .before = !after, .after = after};
}

static size_t ops_of(const struct summary *summary, bool own, bool after, struct change *rows)
{
    size_t count = 0;
    for (size_t i = 0; own && i < summary->op_count; i++) {
        const struct op_row *op = &summary->ops[i];
        double us = (double)op->steady_self_ps / PS_PER_US / (double)summary->steps.steady_spans;
        if (op->asynchronous)
            continue;
        struct change row = side_of(us, after);
        row.key = op->signature, row.name = op->name;
        row.category = op->category, row.op_path = op->op_path;
        rows[count++] = row;
    }
    for (size_t i = 0; !own && i < summary->hot_op_count; i++) {
        const struct hot_op *op = &summary->hot_ops[i];
        struct change row = side_of(op->exclusive_duration, after);
        row.key = row.name = op->name;
        row.category = op->category, row.op_path = op->tf_op_path;
        rows[count++] = row;
    }
    return count;
}

static int by_key(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : (int)b->after - (int)a->after;
}

static int by_delta(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    if (fabs(a->delta_us) != fabs(b->delta_us))
        return fabs(a->delta_us) < fabs(b->delta_us) ? 1 : -1;
    return strcmp(a->key, b->key);
}

/* One row per key that changed, largest change first. Rows of the later side come first and lend
 * their names. */
static size_t changes_join(struct change *rows, size_t count)
{
    size_t kept = 0;
    qsort(rows, count, sizeof *rows, by_key);
    for (size_t i = 0; i < count; i++) {
        struct change *last = kept == 0 ? NULL : &rows[kept - 1];
        if (last == NULL || strcmp(last->key, rows[i].key) != 0) {
            rows[kept++] = rows[i];
            continue;
        }
        last->before_us += rows[i].before_us;
        last->after_us += rows[i].after_us;
        last->before |= rows[i].before;
        last->after |= rows[i].after;
    }
    size_t changed = 0;
    for (size_t i = 0; i < kept; i++) {
        struct change row = rows[i];
        row.delta_us = row.after_us - row.before_us;
        row.delta_pct = change_percent(some_f64(row.before_us), some_f64(row.after_us));
        row.change = !row.after         ? "removed"
                     : !row.before      ? "added"
                     : row.delta_us > 0 ? "slower"
                     : row.delta_us < 0 ? "faster"
                                        : NULL;
        if (row.change != NULL)
            rows[changed++] = row;
    }
    qsort(rows, changed, sizeof *rows, by_delta);
    return changed;
}

static void ops_add(struct answer *answer, const struct query *query)
{
    const struct summary *before = query->baseline;
    const struct summary *after = query->summary;
    bool own = has_op_table(before) && has_op_table(after);
    size_t most =
        own ? before->op_count + after->op_count : before->hot_op_count + after->hot_op_count;
    struct change *rows = arena_array(query->arena, struct change, most);
    size_t count = ops_of(before, own, false, rows);
    count += ops_of(after, own, true, rows + count);
    count = changes_join(rows, count);
    answer_add(answer, "basis", json_text(own ? "per_step_and_device" : "hot_ops_of_the_profile"));
    answer_add_rows(answer, "ops", &change_record, rows, slice_count(count, query->top_k));
}

static void step_add(struct answer *answer, const struct query *query)
{
    struct opt_f64 before = query->baseline->has_ours
                                ? query->baseline->steps.steady_median_us
                                : query->baseline->step_time.steady_state_steps.median;
    struct opt_f64 after = query->summary->has_ours
                               ? query->summary->steps.steady_median_us
                               : query->summary->step_time.steady_state_steps.median;
    struct opt_f64 percent = change_percent(before, after);
    struct answer step = {json_object()};
    answer_add(&step, "before_us", before.set ? json_number(before.value) : json_null());
    answer_add(&step, "after_us", after.set ? json_number(after.value) : json_null());
    answer_add(&step, "delta_pct", percent.set ? json_number(percent.value) : json_null());
    answer_add(answer, "step_median", step.object);
}

/* Facts that differ or that one side lacks; both lists are sorted by name. */
static void facts_add(struct answer *answer, const struct query *query)
{
    const struct environment *before = &query->baseline->environment;
    const struct environment *after = &query->summary->environment;
    size_t b = 0, a = 0;
    json_t *list = json_array();
    while (b < before->fact_count || a < after->fact_count) {
        int order = b == before->fact_count  ? 1
                    : a == after->fact_count ? -1
                                             : strcmp(before->facts[b].name, after->facts[a].name);
        struct fact_change row = {
            .name = order <= 0 ? before->facts[b].name : after->facts[a].name,
            .before = order <= 0 ? before->facts[b].value : NULL,
            .after = order >= 0 ? after->facts[a].value : NULL,
        };
        b += order <= 0;
        a += order >= 0;
        if (order != 0 || strcmp(row.before, row.after) != 0)
            (void)json_array_append_new(list, record_to_json(&fact_change_record, &row));
    }
    answer_add(answer, "environment", list);
}

json_t *query_what_changed(const struct query *query, const char *query_type)
{
    struct answer answer = answer_new(query_type);
    if (query->baseline == NULL) {
        answer_add(&answer, "details",
                   json_text("Give the summary to compare with: --baseline SUMMARY. Of a "
                             "profile that the ledger judged, `query v4 why is it slower` says "
                             "what the verdict says."));
        return answer.object;
    }
    step_add(&answer, query);
    ops_add(&answer, query);
    facts_add(&answer, query);
    return answer.object;
}
