/* Our forms of questions: steps, devices, coverage, environment. Tried after the reference tool's
 * rules 1 to 8. */
#include "ops/present/query/query_form.h"

#include "ops/present/summary/summary.h"

#include "ops/present/words/words.h"
#include "ops/present/query/question.h"
#include "schema/documents/summary_records.h"
#include "schema/documents/summary_view.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

/* ---- steps --------------------------------------------------------------------------------------
 */

static json_t *slowest_steps(const struct query *query, const char *query_type)
{
    const struct step_table *steps = &query->summary->steps;
    const struct step_row **order = steps_slowest_first(steps, query->arena);
    struct answer answer = answer_new(query_type);
    json_t *list = json_array();
    for (size_t i = 0; i < slice_count(steps->count, query->top_k); i++)
        (void)json_array_append_new(list, query_step_json(query, order[i]));
    answer_add(&answer, "steady_median_us", optional_number(steps->steady_median_us));
    answer_add(&answer, "results", list);
    answer_add_steps_left(&answer, query);
    answer_add_absence(&answer, query, steps->count > 0);
    return answer.object;
}

static json_t *step_overview(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    const struct step_table *steps = &summary->steps;
    const struct duration_stats *stats = &summary->step_time.steady_state_steps;
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "method", json_text(step_method_names[steps->method]));
    answer_add(&answer, "count", json_integer((json_int_t)steps->count));
    answer_add(&answer, "steady_count",
               json_integer(summary->has_ours ? steps->steady_count : stats->count));
    answer_add(&answer, "steady_median_us",
               optional_number(summary->has_ours ? steps->steady_median_us : stats->median));
    answer_add(&answer, "steady_p90_us",
               optional_number(summary->has_ours ? steps->steady_p90_us : stats->p90));
    answer_add_steps_left(&answer, query);
    answer_add_absence(&answer, query, steps->count > 0);
    return answer.object;
}

/* ---- devices ------------------------------------------------------------------------------------
 */

/* Per cent by which the slowest device's step is longer than the fastest's; absent with fewer than
 * two. */
static struct opt_f64 skew_percent(const struct device_row *const *order, size_t count)
{
    size_t with_steps = 0;
    while (with_steps < count && order[with_steps]->steady_step_median_ps > 0)
        with_steps++;
    if (with_steps < 2)
        return (struct opt_f64){false, 0};
    double slowest = (double)order[0]->steady_step_median_ps;
    double fastest = (double)order[with_steps - 1]->steady_step_median_ps;
    return change_percent(some_f64(fastest), some_f64(slowest));
}

static json_t *devices(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    const struct device_row **order = devices_slowest_first(summary, query->arena);
    size_t shown = slice_count(summary->device_count, query->top_k);
    bool known = shown > 0 && order[0]->steady_step_median_ps >= 0;
    struct answer answer = answer_new(query_type);
    json_t *list = json_array();
    for (size_t i = 0; i < shown; i++)
        (void)json_array_append_new(list, record_to_json(&device_row_record, order[i]));
    if (known) {
        /* Equal steps hide who works longest. */
        struct opt_f64 skew = skew_percent(order, summary->device_count), work_skew = {0};
        const struct device_row *worker =
            device_of_most_work(summary, skew, query->arena, &work_skew);
        bool alike = worker == NULL && skew.set && !skew_tells(skew.value);
        const char *stall = host_stall_sentence(summary, query->arena);
        answer_add(&answer, "slowest",
                   alike || stall != NULL
                       ? json_null()
                       : json_text(worker == NULL ? order[0]->name : worker->name));
        answer_add(&answer, "skew_pct", optional_number(worker == NULL ? skew : work_skew));
        if (stall != NULL)
            answer_add(&answer, "answer", json_text(stall));
        else if (alike)
            answer_add(&answer, "answer", json_text(devices_alike));
        else if (worker != NULL)
            answer_add(
                &answer, "answer",
                json_text("By the time without communication: steps are equally long because "
                          "the other devices wait in collectives."));
    } else {
        answer_add(&answer, "slowest", json_null());
        answer_add(&answer, "skew_pct", json_null());
    }
    answer_add(&answer, "results", list);
    answer_add_steps_left(&answer, query);
    answer_add_absence(&answer, query, summary->device_count > 0);
    return answer.object;
}

/* ---- what the figures are worth -----------------------------------------------------------------
 */

static void texts_add(struct answer *answer, const char *name, const struct string_list *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++)
        (void)json_array_append_new(list, json_text(texts->items[i]));
    answer_add(answer, name, list);
}

static json_t *coverage(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    struct answer answer = answer_new(query_type);
    texts_add(&answer, "warnings", &summary->coverage.warnings);
    texts_add(&answer, "quality_warnings", &summary->trace_overview.quality_warnings);
    const char *cut = summary_cut_told(summary);
    if (cut != NULL)
        answer_say(&answer, arena_printf(query->arena, "Not all of the profile was read: %s", cut));
    answer_add(&answer, "suspected_truncation",
               json_boolean(summary->trace_overview.suspected_truncation));
    answer_add_absence(&answer, query, true);
    return answer.object;
}

static json_t *environment(const struct query *query, const char *query_type)
{
    const struct environment *known = &query->summary->environment;
    struct answer answer = answer_new(query_type);
    answer_add(&answer, "device_type", json_text(known->device_type));
    answer_add(&answer, "topology", json_text(known->topology));
    texts_add(&answer, "hosts", &known->hosts);
    answer_add_rows(&answer, "facts", &fact_record, known->facts, known->fact_count);
    answer_add_rows(&answer, "programs", &hlo_program_record, known->programs,
                    known->program_count);
    answer_add_absence(&answer, query, true);
    return answer.object;
}

static bool is_ours(const struct query *query)
{
    return query->summary->has_ours;
}

/* Of what is exposed, and not which device has most of it. */
static bool asks_of_the_whole(const struct query *query)
{
    return is_ours(query) && !question_has_word_start(query->lower, "device") &&
           !question_has_word_start(query->lower, "which");
}

static bool has_baseline(const struct query *query)
{
    return query->baseline != NULL;
}

const struct query_form query_first_forms[] = {
    QUERY_FORM("Are the collectives overlapped?", "communication_overlap",
               "how much of communication is hidden behind compute", is_ours, query_overlap,
               "overlap|hidden|hide|expos", "collective|comm|all|reduce|gather|network"),
    QUERY_FORM("Are the devices waiting for input?", "waits",
               "idle time within and between steps, and what of its cause the file tells",
               query_asks_of_waits, query_waits, NULL),
    QUERY_FORM(NULL /* listed below */, "what_changed",
               "step time, ops and environment against --baseline", has_baseline,
               query_what_changed, "regress|improve|compare"),
};
const size_t query_first_form_count = sizeof query_first_forms / sizeof *query_first_forms;

const struct query_form query_own_forms[] = {
    QUERY_FORM(NULL /* which it cannot say of one step */, "step", NULL, query_names_a_step,
               query_step_alone, "step",
               "mfu|hfu|flop|utili|memory|hbm|token|throughput|sample|ops|kernel|collective"),
    QUERY_FORM("Show step 12", "step", "one step, or steps 12 to 15, with each device's part",
               query_names_a_step, query_step, "step"),
    QUERY_FORM("Which are the slowest steps?", "slowest_steps",
               "steps by time, and which device was slowest", NULL, slowest_steps, "step",
               "slow|longest|worst"),
    QUERY_FORM("How long is a step?", "steps", "how steps were found, how many, median and p90",
               NULL, step_overview, "step"),
    QUERY_FORM("Did it recompile?", "compilation",
               "the steps in which the host compiled, or why the file cannot tell", NULL,
               query_compilation, "recompil|compil|retrac"),
    QUERY_FORM("How many tokens per second?", "throughput",
               "tokens, samples and steps per second, or what they need", NULL, query_throughput,
               "token|throughput|sample|example"),
    QUERY_FORM("What changed?", "what_changed", "step time, ops and environment against --baseline",
               NULL, query_what_changed, "chang|differ|moved"),
    QUERY_FORM(
        "How much is recomputed?", "recomputation",
        "the share of ops that are computed again for the backward pass, or why it is not known",
        NULL, query_recomputation, "recomput|remat|rematerial",
        "share|cost|much|percent|recomputation"),
    QUERY_FORM("How long is the backward pass?", "phases",
               "time by phase: forward, backward, recomputation", NULL, query_phases,
               "backward|forward|phase|recompute|remat|rematerial"),
    QUERY_FORM("What is the MFU?", "mfu",
               "FLOP/s against the device's peak, or why the file cannot tell", NULL, query_mfu,
               "mfu|hfu|flop|utili"),
    QUERY_FORM("What is the peak memory?", "peak_memory",
               "the most memory in use on a device, or why it is not known", NULL,
               query_peak_memory, "memory|hbm", "peak|use|usage|full|oom|need|much|enough"),
    QUERY_FORM("Is it memory bound?", "roofline",
               "ops by what bounds them, or why the file cannot tell", NULL, query_bound,
               "memory|bandwidth|compute|roofline|hbm", "bound|limited|roofline|bandwidth"),
    QUERY_FORM("What is the memory of device 1?", "device_memory",
               "what is in use on each device, or on the fullest one", NULL, query_device_memory,
               "memory|hbm", "device|chip|gpu|tpu"),
    QUERY_FORM("How long are host to device transfers?", "transfers",
               "what moves between host and device", NULL, query_transfers,
               "transfer|infeed|outfeed|memcpy|h2d|d2h|upload"),
    QUERY_FORM("Which host is slow?", "hosts", "the step time of each host, slowest first", NULL,
               query_hosts, "host", "slow|longest|straggl|behind|lag|skew"),
    QUERY_FORM("How much is exposed?", "communication_overlap",
               "communication and copies that nothing hides", asks_of_the_whole, query_overlap,
               "expos|overlap|hidden"),
    QUERY_FORM("Which device is slowest?", "devices",
               "each device's busy, idle and exposed time, slowest first", NULL, devices,
               "device|chip|gpu|tpu|host|straggler|skew|overlap|exposed|idle|busy"),
    QUERY_FORM("Which op got slower?", "what_changed",
               "step time, ops and environment against --baseline", NULL, query_what_changed,
               "slower|faster|worse|better"),
    QUERY_FORM("Are there warnings?", "coverage", "what was not recognised in the profile", NULL,
               coverage, "warning|coverage|missing|dropped|trust|truncat"),
    QUERY_FORM("Which versions and flags?", "environment", "hardware, versions, flags, programs",
               NULL, environment, "environment|hardware|version|flag|jax|xla|topology|provenance"),
    QUERY_FORM("How long does fusion.1 take?", "by_name",
               "ops and regions of that name, with their time", query_names_something,
               query_by_name, NULL),
    QUERY_FORM(NULL, "steps", NULL, NULL, step_overview, "fast|quick|duration"),
    QUERY_FORM("Where does the time go?", "time_spent",
               "the step, what fills it, and the ops that take most of it", is_ours, query_time,
               "slow|time|domina|expens|costl|heav|hot|most|longest|spen"),
};
const size_t query_own_form_count = sizeof query_own_forms / sizeof *query_own_forms;
