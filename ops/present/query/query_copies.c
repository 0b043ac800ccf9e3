/* What moves between a host's memory and a device's, which way, and for how long: of the copies
 * that a summary keeps; of an older one, that keeps none, by the names of its ops. */
#include "ops/present/query/query_form.h"

#include "ops/present/summary/summary.h"
#include "ops/present/words/words.h"
#include "schema/documents/told_ops.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <string.h>

static const double ps_per_us = 1e6;

/* Rows of copies of a summary, and whether they are all that it can tell. */
struct copy_list {
    const struct copied_ops *rows;
    size_t count;
    bool is_whole;
};

/* Of an older summary. Ends of copies tell there neither which way these go nor how much they move
 * in their own time. */
static struct copy_list copies_by_name(const struct query *query)
{
    const struct summary *summary = query->summary;
    struct copied_ops *rows = arena_array(query->arena, struct copied_ops, summary->op_count + 1);
    struct copy_list list = {.rows = rows, .is_whole = true};
    for (size_t i = 0; i < summary->op_count; i++) {
        const struct op_row *op = &summary->ops[i];
        const enum copy_way way = copy_way_of(op->name, op->opcode, op->category);
        const bool is_half = opcode_is_half(op->opcode) && strncmp(op->opcode, "copy", 4) == 0;
        list.is_whole &= !is_half;
        if (way != COPY_ON_DEVICE && !op->asynchronous)
            rows[list.count++] = (struct copied_ops){.name = op->name,
                                                     .way = way,
                                                     .count = op->count,
                                                     .total_ps = op->total_ps,
                                                     .steady_self_ps = op->steady_self_ps,
                                                     .bytes = op->bytes_accessed};
    }
    return list;
}

struct copy_sum {
    double total_us, steady_us;
    int64_t count;
    struct opt_f64 bytes;
};

static json_t *row_json(const struct query *query, const struct copied_ops *row)
{
    const int64_t spans = query->summary->steps.steady_spans;
    return json_pack("{s:s, s:s, s:I, s:f, s:o, s:o}", "name", row->name, "way",
                     copy_way_names[row->way], "count", (json_int_t)row->count, "total_us",
                     (double)row->total_ps / ps_per_us, "self_us_per_step",
                     spans > 0
                         ? json_number((double)row->steady_self_ps / ps_per_us / (double)spans)
                         : json_null(),
                     "bytes", optional_number(row->bytes));
}

/* "from host to device 577.7 ms per steady step and device (2,400 events of the whole profile,
 * 231.1 s, 5.86 TiB)"; "" for none. */
static const char *way_words(const struct query *query, enum copy_way way,
                             const struct copy_sum *sum)
{
    static const char *const words[COPY_WAY_COUNT] = {
        [COPY_ON_DEVICE] = "",
        [COPY_HOST_TO_DEVICE] = "from host to device",
        [COPY_DEVICE_TO_HOST] = "from device to host",
        [COPY_INFEED] = "in infeed, waiting for the host's input",
    };
    char step[FORMAT_BYTES], total[FORMAT_BYTES], bytes[FORMAT_BYTES];
    char events[FORMAT_COUNTED_BYTES];
    const char *per_step = "";
    if (sum->count == 0)
        return "";
    if (sum->steady_us > 0)
        per_step = arena_printf(
            query->arena, " %s per steady step and device,",
            format_duration(sum->steady_us / (double)query->summary->steps.steady_spans, 4, step));
    const char *size = "";
    if (sum->bytes.set && sum->bytes.value > 0)
        size = arena_printf(query->arena, ", %s", format_size((int64_t)sum->bytes.value, bytes));
    return arena_printf(query->arena, "%s%s %s in the whole profile (%s%s)", words[way], per_step,
                        format_duration(sum->total_us, 4, total),
                        format_counted(sum->count, "event", events), size);
}

static const char *sums_words(const struct query *query, const struct copy_sum *sums)
{
    const char *all = "";
    for (int way = COPY_ON_DEVICE + 1; way < COPY_WAY_COUNT; way++) {
        const char *one = way_words(query, (enum copy_way)way, &sums[way]);
        if (*one != '\0')
            all = arena_printf(query->arena, "%s%s%s", all, *all == '\0' ? "" : "; ", one);
    }
    return arena_printf(query->arena,
                        "Devices' ops copy, or wait for copies, %s; all devices together where it "
                        "is of the whole profile.",
                        all);
}

/* Without rows it is said whether there are no copies, or nothing tells which way they go. */
static const char *none_words(const struct summary *summary, const struct copy_list *list)
{
    if (!list->is_whole)
        return "This summary is older than stepledger's knowledge of copies: it has ops that copy "
               "between memories (copy-start, copy-done), and does not tell which. Summarize the "
               "profile again.";
    if (!summary->has_copies || summary->copy_count == 0)
        return "No op of this file is known to copy between host and device (Memcpy H2D or D2H, "
               "copy-start to the host's memory, infeed, outfeed): either there are none, or the "
               "profiler did not record them.";
    return "Ops of this file copy on devices or between them alone: none is known to copy between "
           "host and device.";
}

json_t *query_transfers(const struct query *query, const char *query_type)
{
    const struct summary *summary = query->summary;
    const struct copy_list list =
        summary->has_copies ? (struct copy_list){summary->copies, summary->copy_count, true}
                            : copies_by_name(query);
    struct copy_sum sums[COPY_WAY_COUNT];
    struct answer answer = answer_new(query_type);
    json_t *rows = json_array();
    size_t found = 0;
    bool sizes = true;
    for (int way = 0; way < COPY_WAY_COUNT; way++)
        sums[way] = (struct copy_sum){.bytes.set = true};
    for (size_t i = 0; i < list.count; i++) {
        const struct copied_ops *row = &list.rows[i];
        struct copy_sum *sum = &sums[row->way];
        if (row->way == COPY_ON_DEVICE)
            continue;
        sum->count += row->count;
        sum->total_us += (double)row->total_ps / ps_per_us;
        sum->steady_us += (double)row->steady_self_ps / ps_per_us;
        if (!opcode_ends(row->name, "-start")) { /* their ends tell what they move */
            sum->bytes.set = sum->bytes.set && row->bytes.set;
            sum->bytes.value += row->bytes.value;
            sizes = sizes && row->bytes.set;
        }
        if (found++ < slice_count(list.count, query->top_k))
            (void)json_array_append_new(rows, row_json(query, row));
    }
    answer_add(&answer, "results", rows);
    if (found == 0)
        return answer_unknown(&answer, summary->has_ours ? none_words(summary, &list)
                                                         : answer_of_other_tool);
    if (!sizes)
        answer_add(&answer, "bytes_absent",
                   json_text("The summary does not keep what these copies move: `stepledger table "
                             "copies` of the profile does."));
    answer_say(&answer, sums_words(query, sums));
    return answer.object;
}
