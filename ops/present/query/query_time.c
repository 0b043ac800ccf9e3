/* "Where does the time go?": the step, what fills it, and the ops that take most of it. */
#include "ops/present/query/query_form.h"

#include "ops/present/summary/summary.h"
#include "schema/documents/summary_view.h"
#include "schema/documents/told_ops.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <stdlib.h>

static const double PS_PER_US = 1e6;

static int by_steady_self(const void *a, const void *b)
{
    const struct op_row *x = *(const struct op_row *const *)a;
    const struct op_row *y = *(const struct op_row *const *)b;
    if (x->steady_self_ps != y->steady_self_ps)
        return x->steady_self_ps < y->steady_self_ps ? 1 : -1;
    return (x > y) - (x < y); /* as the table has them */
}

/* The ops of steady steps, most self time first. */
static const struct op_row **ops_by_time(const struct query *query, size_t *ret_count)
{
    const struct summary *summary = query->summary;
    const struct told_ops told = told_ops_of(summary);
    const struct op_row **ops = arena_array(query->arena, const struct op_row *, told.count + 1);
    *ret_count = 0;
    for (size_t i = 0; i < told.count; i++) {
        if (!told.items[i].asynchronous && told.items[i].steady_self_ps > 0)
            ops[(*ret_count)++] = &told.items[i];
    }
    qsort(ops, *ret_count, sizeof(const struct op_row *), by_steady_self);
    return ops;
}

void query_op_time_add(struct answer *answer, const struct summary *summary, struct opt_f64 self_us)
{
    const struct step_table *steps = &summary->steps;
    double all_ps = 0;
    int64_t spans = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        for (size_t k = 0; k < row->span_count && !row->warmup; k++, spans++)
            all_ps += (double)row->spans[k].duration_ps;
    }
    const bool known = self_us.set && steps->steady_spans > 0;
    const double each_us = known ? self_us.value / (double)steps->steady_spans : 0;
    answer_add(answer, "self_us_per_step", known ? json_number(each_us) : json_null());
    answer_add(answer, "share_of_step",
               known && all_ps > 0 ? json_number(each_us * (double)spans * PS_PER_US / all_ps)
                                   : json_null());
}

/* Per steady step and device. */
static json_t *op_json(const struct query *query, const struct op_row *op)
{
    struct answer object = {json_object()};
    answer_add(&object, "name", json_text(op->name));
    answer_add(&object, "category", json_text(op->category));
    answer_add(&object, "phase", json_text(op->phase));
    answer_add(&object, "op_path", json_text(op->op_path));
    query_op_time_add(&object, query->summary, some_f64((double)op->steady_self_ps / PS_PER_US));
    return object.object;
}

json_t *query_time(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct summary_view view;
    size_t count;
    const struct op_row **ops = ops_by_time(query, &count);
    summary_view_make(summary, query->arena, &view);
    bool per_step = summary->steps.steady_spans > 0;
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "headline", json_text(view.headline));
    answer_add(&answer, "dominant", json_text(view.dominant));
    /* What fills the devices' windows, as `summarize` and reports show it. */
    const struct {
        const char *name;
        struct opt_f64 share;
    } rows[] = {
        {"busy", view.busy},
        {"compute", view.compute},
        {"exposed_communication", view.exposed_communication},
        {"overlapped_communication", view.overlapped_communication},
        {"exposed_copies", view.exposed_copies},
    };
    json_t *shares = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        (void)json_object_set_new(shares, rows[i].name, optional_number(rows[i].share));
    answer_add(&answer, "shares_of_windows", shares);
    json_t *list = json_array();
    for (size_t i = 0; per_step && i < slice_count(count, query->top_k); i++)
        (void)json_array_append_new(list, op_json(query, ops[i]));
    answer_add(&answer, "ops", list);
    if (!per_step)
        answer_add(&answer, "details",
                   json_text("No steady steps were recognised, so no op's time per step is known: "
                             "\"What are the top ops?\" tells those of the whole capture."));
    return answer.object;
}
