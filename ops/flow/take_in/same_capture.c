#include "ops/flow/take_in/same_capture.h"

#include "schema/documents/measures.h"

#include <inttypes.h>
#include <string.h>

static const char trace_format[] = "perfetto_trace_json", xplane_format[] = "xplane_pb";

static bool contradict(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

bool same_capture_may_be(const struct profile_identity *identity, const char *run,
                         const char *branch, const char *commit)
{
    return !contradict(identity->run, run) && !contradict(identity->branch, branch) &&
           !contradict(identity->commit, commit);
}

static const struct join_file *file_of(const struct form_search *search, size_t index)
{
    return &search->set->files[search->group->files[index]].facts;
}

static bool are_all(const struct form_search *search, bool (*is)(const struct join_file *file))
{
    size_t count = 0;
    while (count < search->group->count && is(file_of(search, count)))
        count++;
    return count == search->group->count;
}

/* ---- by place -------------------------------------------------------------------------------- */

/* Whether the neighbour, of that format, is a host of the file in the other form. */
static bool is_form_of(const struct form_search *search, const struct capture_neighbour *held,
                       const char *format, const struct join_file *file)
{
    if (!held->in_job || held->path == NULL || held->format == NULL ||
        strcmp(held->format, format) != 0)
        return false;
    const struct file_place place = file_place_of(held->path, search->arena);
    return format == trace_format ? file_place_is_trace_of(&place, &file->place)
                                  : file_place_is_trace_of(&file->place, &place);
}

/* Whether each file has a host of the profile in that other form. */
static bool is_of_all(const struct form_search *search, int64_t profile_id, const char *format)
{
    const struct neighbour_list *list = search->neighbours;
    bool all = true;
    for (size_t i = 0; i < search->group->count && all; i++) {
        bool found = false;
        for (size_t n = 0; n < list->count && !found; n++)
            found = list->items[n].profile_id == profile_id &&
                    is_form_of(search, &list->items[n], format, file_of(search, i));
        all = found;
    }
    return all;
}

/* ---- by times -------------------------------------------------------------------------------- */

/* Profiles in that other form whose steps and ops last as long; of hosts that were merged none. */
static bool alike_find(const struct form_search *search, const struct summary *summary,
                       const char *format, struct alike_list *ret_list, struct err *err)
{
    struct opt_f64 values[MEASURE_END] = {0};
    *ret_list = (struct alike_list){0};
    measures_take(summary, values);
    if (search->group->count != 1 || !values[MEASURE_steady_steps].set ||
        !values[MEASURE_steady_step_mean].set)
        return true;
    const struct alike_query query = {.project = search->identity->project,
                                      .workload = search->identity->workload,
                                      .format = format,
                                      .steps = values[MEASURE_steady_steps].value,
                                      .step_us = values[MEASURE_steady_step_mean].value,
                                      .ops_us = values[MEASURE_op_time]};
    return ledger_captures_alike(search->db, &query, search->arena, ret_list, err);
}

/* ---- both ------------------------------------------------------------------------------------ */

bool same_capture_whole(const struct form_search *search, struct summary *ret_summary,
                        int64_t *ret_profile_id, struct err *err)
{
    const struct neighbour_list *list = search->neighbours;
    struct alike_list alike;
    int64_t found = 0;
    *ret_profile_id = 0;
    if (!are_all(search, join_is_trace))
        return true;
    for (size_t n = 0; n < list->count && found == 0; n++)
        if (is_of_all(search, list->items[n].profile_id, xplane_format))
            found = list->items[n].profile_id;
    if (!captures_summarize(search->set, search->group, search->arena, ret_summary, err))
        return false;
    if (found == 0) {
        if (!alike_find(search, ret_summary, xplane_format, &alike, err))
            return false;
        found = alike.count > 0 ? alike.items[0].profile_id : 0;
        if (found != 0 && alike.items[0].retracted != NULL)
            return err_set(err, ERR_INPUT,
                           "this is the capture of p%" PRId64
                           ", in another form, which was retracted (%.300s); `stepledger retract "
                           "p%" PRId64 " --undo --reason ...` takes that back",
                           found, alike.items[0].retracted, found);
    }
    *ret_profile_id = found;
    return true;
}

static void supersede(struct profile_identity *identity, int64_t *ids, int64_t id, const char *run)
{
    for (size_t i = 0; i < identity->supersedes_count; i++) {
        if (ids[i] == id)
            return;
    }
    ids[identity->supersedes_count++] = id;
    if (identity->run == NULL) {
        identity->run = run;
        identity->run_is_known = true;
    }
}

bool same_capture_traces(const struct form_search *search, const struct summary *summary,
                         struct profile_identity *identity, struct err *err)
{
    const struct neighbour_list *list = search->neighbours;
    struct alike_list alike;
    if (!are_all(search, join_is_xplane))
        return true;
    if (!alike_find(search, summary, trace_format, &alike, err))
        return false;
    int64_t *ids =
        arena_array(search->arena, int64_t, identity->supersedes_count + list->count + alike.count);
    if (identity->supersedes_count > 0)
        memcpy(ids, identity->supersedes, identity->supersedes_count * sizeof *ids);
    identity->supersedes = ids;
    for (size_t n = 0; n < list->count; n++) {
        const struct capture_neighbour *held = &list->items[n];
        bool is = false;
        for (size_t i = 0; i < search->group->count && !is; i++)
            is = is_form_of(search, held, trace_format, file_of(search, i));
        if (is && same_capture_may_be(search->identity, held->run, held->branch, held->commit))
            supersede(identity, ids, held->profile_id, held->run);
    }
    for (size_t i = 0; i < alike.count; i++) {
        const struct alike_capture *held = &alike.items[i];
        if (held->retracted == NULL &&
            same_capture_may_be(search->identity, held->run, held->branch, held->commit))
            supersede(identity, ids, held->profile_id, held->run);
    }
    return true;
}
