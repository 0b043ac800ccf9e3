#include "ingest/op_tables/op_list.h"

#include "ingest/hlo_proto/hlo_proto.h"
#include "ingest/tables/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MAX_BYTES = 1 << 24 };

void op_list_init(struct op_list *list, struct strings *texts, struct arena *arena)
{
    *list = (struct op_list){.arena = arena, .texts = texts};
    if (texts != NULL)
        return;
    list->texts = arena_new(arena, struct strings);
    strings_init(list->texts, arena);
}

static struct opt_f64 times(struct opt_f64 each, int64_t count)
{
    return (struct opt_f64){each.set, each.value * (double)count};
}

/* By memory, of `count` events; all of it HBM's where it is not parted. */
static void traffic_fill(struct op_sums *sums, const struct memory_traffic *traffic, int64_t count)
{
    sums->traffic[MEMORY_HBM] = sums->bytes_accessed;
    for (int i = 0; traffic != NULL && traffic->told && i < MEMORY_KINDS; i++)
        sums->traffic[i] = (struct opt_f64){i == MEMORY_HBM || traffic->bytes[i] > 0,
                                            traffic->bytes[i] * (double)count};
}

static void texts_keep(struct op_list *list, struct op_item *item)
{
    const char **const texts[] = {&item->name,   &item->program,     &item->category,
                                  &item->opcode, &item->shapes,      &item->op_path,
                                  &item->phase,  &item->source_file, &item->instruction};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (*texts[i] != NULL)
            *texts[i] =
                strings_text(list->texts, strings_add(list->texts, *texts[i], strlen(*texts[i])));
}

/* By the opcode, else by what the name says of kernels. */
static const char *collective_kind(const char *opcode, const char *name, const char *category)
{
    static const char *const kinds[] = {
        "all-reduce",         "all-gather", "reduce-scatter", "ragged-all-to-all",   "all-to-all",
        "collective-permute", "send",       "recv",           "collective-broadcast"};
    static const struct {
        const char *word, *kind;
    } words[] = {{"allreduce", "all-reduce"},         {"all_reduce", "all-reduce"},
                 {"allgather", "all-gather"},         {"all_gather", "all-gather"},
                 {"reducescatter", "reduce-scatter"}, {"reduce_scatter", "reduce-scatter"},
                 {"alltoall", "all-to-all"},          {"all_to_all", "all-to-all"},
                 {"sendrecv", "send-recv"},           {"broadcast", "collective-broadcast"}};
    if (device_class_of(opcode, category, name) != DEVICE_COMMUNICATION)
        return NULL;
    for (size_t i = 0; opcode != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(opcode, kinds[i], strlen(kinds[i])) == 0)
            return kinds[i];
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasestr(name, words[i].word) != NULL)
            return words[i].kind;
    }
    return "other-collective";
}

/* What tells an item: texts by their numbers in the list, an empty one as none. */
struct item_key {
    int64_t program_id;
    uint32_t program, name, category, op_path, shapes, asynchronous;
};

static uint32_t text_number(struct op_list *list, const char *text)
{
    return text == NULL || *text == '\0' ? (uint32_t)STRING_NONE
                                         : strings_add(list->texts, text, strlen(text));
}

/* The number of the item that has the same program, name and path; of one that is new, the next
 * one. Texts that a profile took for another op are told apart by what they say. */
static uint32_t number_of(struct op_list *list, const struct op_item *item)
{
    const struct item_key key = {
        .program_id = item->program_id.set ? item->program_id.value : 0,
        .program = text_number(list, item->program),
        .name = text_number(list, item->name),
        .category = text_number(list, item->category),
        .op_path = text_number(list, item->op_path),
        .shapes = text_number(list, item->shapes),
        .asynchronous = item->asynchronous,
    };
    return (uint32_t)byte_keys_number(&list->keys, &key, sizeof key, list->arena);
}

static const struct op_run run_untold;

static struct op_item *item_append(struct op_list *list, const struct op_item *item)
{
    list->items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    struct op_item *added = &list->items[list->count++];
    *added = *item;
    texts_keep(list, added);
    return added;
}

/* The item of an op, without what is only asked of those that are new. */
static struct op_item item_of_used(const struct profile *profile, const struct id_map *programs,
                                   const struct used_op *used)
{
    const struct catalog *catalog = &profile->catalog;
    const struct op_detail *detail = used_detail(used);
    const char *name = catalog_text(catalog, catalog->names[used_facts(used)->name].name);
    const char *instruction = catalog_text(catalog, detail->instruction);
    const bool is_kernel = used->state->plane->has_streams;
    for (const char *next = instruction; next != NULL && (next = strstr(next, "::")) != NULL;)
        instruction = next += 2; /* of `outer::inner` the inner one */
    return (struct op_item){
        .name = instruction != NULL ? instruction : name,
        .run = &run_untold,
        .instruction = instruction != NULL || is_kernel ? instruction : name,
        .program = op_program_name(profile, programs, detail),
        .program_id = {detail->has_program, (int64_t)detail->program_id},
        .is_kernel = is_kernel,
        .category = op_category(catalog, used),
        .opcode = catalog_text(catalog, detail->opcode),
        .shapes =
            catalog_text(catalog, detail->shapes != STRING_NONE ? detail->shapes : detail->shape),
        .op_path = launched_path(catalog, detail, profile->arena),
        .source_file = catalog_text(catalog, used_facts(used)->source),
        .asynchronous = detail->asynchronous,
        .container = used_facts(used)->device_class == DEVICE_CONTAINER,
        .device_class = device_class_name((enum device_class)used_facts(used)->device_class),
    };
}

/* Adds an op to the item of that number, which is the next one where none was like it. */
static void used_add(struct op_list *list, const struct profile *profile,
                     const struct id_map *programs, const struct used_op *used, uint32_t number)
{
    const struct catalog *catalog = &profile->catalog;
    const struct op_detail *detail = used_detail(used);
    const struct op_tally *tally = used_tally(used);
    const int64_t count = op_placed(used->state, used->op);
    const char *name = catalog_text(catalog, catalog->names[used_facts(used)->name].name);
    if (number == list->count) {
        struct op_item item = item_of_used(profile, programs, used);
        item.phase = phase_of(item.op_path, item.name);
        item.collective = collective_kind(item.opcode, name, item.category);
        (void)item_append(list, &item);
    }
    struct op_item *item = &list->items[number];
    struct op_sums sums = {.count = count,
                           .total_ps = tally->total_ps,
                           .self_ps = tally->self_ps,
                           .flops = times(detail_flops(detail), count),
                           .model_flops = times(detail_model_flops(detail), count),
                           .bytes_accessed = times(detail_bytes(detail), count)};
    traffic_fill(&sums, detail->traffic, count);
    op_sums_add(&item->sums, &sums);
    item->steady_count += tally->steady_count;
    ps_add(&item->steady_self_ps, tally->steady_self_ps);
    list->shares[list->share_count++] = (struct op_share){
        .item = number,
        .device = list->device_count + used->state->device,
        .kernel = strings_add(list->texts, name, strlen(name)),
        .count = count,
        .total_ps = tally->total_ps,
        .self_ps = tally->self_ps,
        .steady_count = tally->steady_count,
    };
}

/* ---- programs -------------------------------------------------------------------------------- */

/* What the instruction says of an op of the list. */
static bool item_join(struct op_list *list, struct op_item *item, const struct hlo_module *module,
                      const struct hlo_instruction *instruction, struct err *err)
{
    scoped_text shapes;
    text_init(&shapes, KEY_MAX_BYTES);
    hlo_shapes_add(module, instruction, &shapes);
    if (!text_ok(&shapes, "the shapes of an instruction", err))
        return false;
    item->joined = true;
    item->opcode = instruction->opcode;
    item->category = hlo_category(instruction);
    item->shapes = text_string(&shapes);
    if (item->op_path == NULL)
        item->op_path = hlo_path_of(module, instruction);
    if (item->source_file == NULL && instruction->source_file != NULL)
        item->source_file = arena_printf(list->arena, "%s:%" PRId64, instruction->source_file,
                                         instruction->source_line);
    item->phase = phase_of(item->op_path, item->name);
    item->collective = collective_kind(item->opcode, item->name, item->category);
    texts_keep(list, item);
    return arena_ok(list->arena, "the ops of a profile", err);
}

static bool asks_work(const struct op_item *item)
{
    return !item->joined && !item->sums.flops.set;
}

static const struct op_run *run_of(struct op_list *list, const struct op_item *item,
                                   const struct hlo_module *module,
                                   const struct hlo_instruction *instruction)
{
    struct op_run *run = arena_copy(list->arena, item->run, 1, sizeof *run);
    run->group_count = instruction->group_count;
    run->group_size = instruction->group_size;
    if (!asks_work(item))
        return run;
    const struct hlo_cost cost = hlo_cost_of(module, instruction);
    run->flops = cost.flops;
    run->bytes = cost.bytes;
    return run;
}

/* An op that programs are asked of, and the time of all of them that are of its program. */
struct asking {
    uint32_t item;
    int64_t program, program_ps;
};

/* Of what only a part can be read that of most time counts. */
static int asking_order(const void *a, const void *b)
{
    const struct asking *left = a, *right = b;
    if (left->program_ps != right->program_ps)
        return left->program_ps > right->program_ps ? -1 : 1;
    if (left->program != right->program)
        return left->program < right->program ? -1 : 1;
    return (left->item > right->item) - (left->item < right->item);
}

/* The ops that programs are asked of, program by program, in an array of the arena. */
static const struct asking *askings_make(const struct op_list *list, struct arena *arena,
                                         size_t *ret_count)
{
    struct id_map places;
    struct asking *askings = arena_array(arena, struct asking, list->count);
    int64_t *sums = arena_array(arena, int64_t, list->count);
    int32_t programs = 0;
    size_t count = 0;
    id_map_init(&places, arena);
    for (size_t i = 0; i < list->count; i++) {
        const struct op_item *item = &list->items[i];
        const bool asks_group =
            list->asks_groups && item->run->group_size == 0 && item->collective != NULL;
        if (!(asks_work(item) || asks_group) || item->instruction == NULL || !item->program_id.set)
            continue;
        int32_t at = id_map_find(&places, item->program_id.value);
        if (at == ID_MAP_ABSENT)
            id_map_set(&places, item->program_id.value, at = programs++);
        ps_add(&sums[at], item->sums.self_ps);
        askings[count++] = (struct asking){.item = (uint32_t)i, .program = item->program_id.value};
    }
    for (size_t i = 0; i < count; i++)
        askings[i].program_ps = sums[id_map_find(&places, askings[i].program)];
    if (count > 0)
        qsort(askings, count, sizeof *askings, asking_order);
    *ret_count = count;
    return askings;
}

/* Asks the programs about such ops, program by program. */
static bool items_join(struct op_list *list, struct profile *profile, struct err *err)
{
    scoped_hlo_programs programs = {0};
    scoped_arena work;
    size_t count;
    arena_init_within(&work, list->arena);
    const struct asking *askings = askings_make(list, &work, &count);
    if (count == 0)
        return arena_ok(list->arena, "the ops of a profile", err);
    if (!hlo_programs_open(profile, profile->arena, &programs, err))
        return false;
    programs.bytes_most = list->program_bytes_most;
    for (size_t i = 0; i < count; i++) {
        struct op_item *item = &list->items[askings[i].item];
        const struct hlo_module *module;
        if (!hlo_programs_find(&programs, (uint64_t)item->program_id.value, item->program, &module,
                               err))
            return false;
        const struct hlo_instruction *instruction =
            module == NULL ? NULL : hlo_find(module, item->instruction);
        if (instruction == NULL || instruction->opcode == NULL)
            continue;
        item->run = run_of(list, item, module, instruction);
        if (asks_work(item) && !item_join(list, item, module, instruction, err))
            return false;
    }
    list->beside_programs += programs.beside_count;
    list->broken_programs += programs.broken_count;
    list->program_bytes_over |= programs.bytes_over;
    return true;
}

static int share_order(const void *a, const void *b)
{
    const struct op_share *left = a, *right = b;
    if (left->item != right->item)
        return left->item < right->item ? -1 : 1;
    return (left->kernel > right->kernel) - (left->kernel < right->kernel);
}

void op_list_finish(struct op_list *list)
{
    const size_t count = list->share_count;
    struct op_share *shares = list->shares;
    if (count > 0)
        qsort(shares, count, sizeof *shares, share_order);
    for (size_t i = 0, next; i < count; i = next) {
        int64_t runs = 0, steady_runs = 0;
        for (next = i; next < count && share_order(&shares[i], &shares[next]) == 0; next++) {
            ps_add(&runs, shares[next].count);
            ps_add(&steady_runs, shares[next].steady_count);
        }
        struct op_item *item = &list->items[shares[i].item];
        if (i > 0 && shares[i - 1].item == shares[i].item && runs <= item->sums.count)
            continue;
        item->sums.count = runs;
        item->steady_count = steady_runs;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct op_item *item = &list->items[i];
        if (!item->sums.flops.set)
            item->sums.flops = item->sums.model_flops = times(item->run->flops, item->sums.count);
        if (!item->sums.bytes_accessed.set) {
            item->sums.bytes_accessed = times(item->run->bytes, item->sums.count);
            traffic_fill(&item->sums, NULL, item->sums.count);
        }
        op_item_settle(item);
    }
}

/* Those of a plane, which tells 0 where the device has no such memory. */
static void memory_peaks_take(struct op_list *list, const struct xplane *plane)
{
    static const char *const stats[MEMORY_KINDS] = {
        [MEMORY_CMEM_READ] = "peak_cmem_rd_bw_gigabytes_per_second",
        [MEMORY_CMEM_WRITE] = "peak_cmem_wr_bw_gigabytes_per_second",
        [MEMORY_VMEM_READ] = "peak_vmem_rd_bw_gigabytes_per_second",
        [MEMORY_VMEM_WRITE] = "peak_vmem_wr_bw_gigabytes_per_second"};
    static const double bytes_per_gb = 1e9;
    for (int i = 0; i < MEMORY_KINDS; i++) {
        const struct opt_f64 peak = stats[i] == NULL
                                        ? (struct opt_f64){0}
                                        : plane_stat_positive(plane_stat_find(plane, stats[i]));
        if (peak.set && !list->memory_peaks[i].set)
            list->memory_peaks[i] = some_f64(peak.value * bytes_per_gb);
    }
}

bool op_list_collect(struct op_list *list, struct profile *profile, struct err *err)
{
    struct id_map programs;
    scoped_arena work;
    uint32_t devices = 0;
    arena_init_within(&work, list->arena);
    program_names_collect(profile, &work, &programs);
    uint32_t *numbers = arena_array(&work, uint32_t, profile->used_count);
    size_t shares = list->share_count;
    byte_keys_expect(&list->keys, profile->used_count, list->arena);
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct used_op *used = &profile->used[i];
        numbers[i] = UINT32_MAX;
        if (used->state->device == UINT32_MAX || op_placed(used->state, used->op) == 0)
            continue;
        const struct op_item item = item_of_used(profile, &programs, used);
        numbers[i] = number_of(list, &item);
        shares++;
    }
    /* Of many devices these are the largest tables: of one host they have room for all, and no
     * more. */
    list->items = arena_expect(list->arena, list->items, &list->capacity, list->keys.count,
                               sizeof *list->items);
    list->shares = arena_expect(list->arena, list->shares, &list->share_capacity, shares,
                                sizeof *list->shares);
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct used_op *used = &profile->used[i];
        if (numbers[i] == UINT32_MAX)
            continue;
        used_add(list, profile, &programs, used, numbers[i]);
        if (used->state->device >= devices)
            devices = used->state->device + 1;
    }
    for (size_t p = 0; p < profile->plane_count; p++)
        if (profile->planes[p].plane->is_device)
            memory_peaks_take(list, profile->planes[p].plane);
    list->device_count += devices;
    return items_join(list, profile, err);
}

void op_list_add(struct op_list *list, const struct op_row *row, struct opt_i64 program_id,
                 bool is_kernel)
{
    const struct op_item item = {
        .name = row->name,
        .run = &run_untold,
        .is_kernel = is_kernel,
        .collective = collective_kind(row->opcode, row->name, row->category),
        .program = row->program,
        .program_id = program_id,
        .category = row->category,
        .opcode = row->opcode,
        .shapes = row->shape_signature,
        .op_path = row->op_path,
        .phase = row->phase,
        .source_file = row->source_file,
        .asynchronous = row->asynchronous,
        .container = device_class_told(row->device_class, row->opcode, row->category, row->name) ==
                     DEVICE_CONTAINER,
    };
    struct op_sums sums = {.count = row->count,
                           .total_ps = row->total_ps,
                           .self_ps = row->self_ps,
                           .flops = row->flops,
                           .bytes_accessed = row->bytes_accessed};
    traffic_fill(&sums, NULL, row->count);
    const uint32_t number = number_of(list, &item);
    struct op_item *held = number == list->count ? item_append(list, &item) : &list->items[number];
    op_sums_add(&held->sums, &sums);
    held->steady_count += row->steady_count;
    ps_add(&held->steady_self_ps, row->steady_self_ps);
}

void op_list_of_summary(struct op_list *list, const struct summary *summary)
{
    const struct told_ops ops = told_ops_of(summary);
    bool of_kernels = false;
    for (size_t i = 0; i < summary->device_count; i++)
        of_kernels = of_kernels || strstr(summary->devices[i].name, "/device:GPU:") != NULL;
    for (size_t i = 0; i < ops.count; i++)
        op_list_add(list, &ops.items[i], (struct opt_i64){0}, of_kernels);
    op_list_finish(list);
}

struct op_sums op_list_total(const struct op_list *list)
{
    struct op_sums total = {0};
    for (size_t i = 0; i < list->count; i++) {
        const struct op_sums sums = op_own_sums(&list->items[i]);
        if (!list->items[i].asynchronous)
            op_sums_add(&total, &sums);
    }
    return total;
}

int64_t summary_window_ps(const struct summary *summary)
{
    int64_t time_ps = 0;
    for (size_t i = 0; i < summary->device_count; i++)
        ps_add(&time_ps, summary->devices[i].window_ps);
    return time_ps;
}

/* Recomputation is work of the devices, and none that the model asks for. */
void model_work_measure(const struct op_list *ops, struct measured *measured)
{
    static const char large[] =
        "its programs, which tell the operations of its ops, are larger than is read for it: "
        "`table roofline` reads them, or state --model-flops-per-step";
    double flops = 0;
    measured->own_ps = measured->told_ps = 0;
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_item *op = &ops->items[i];
        const struct op_sums sums = op_own_sums(op);
        if (op->asynchronous)
            continue;
        ps_add(&measured->own_ps, op->steady_self_ps);
        if (!op_hides_work(op))
            ps_add(&measured->told_ps, op->steady_self_ps);
        if (sums.model_flops.set && sums.count > 0 && strcmp(op->phase, "recompute") != 0)
            flops += sums.model_flops.value * (double)op->steady_count / (double)sums.count;
    }
    measured->model_flops = flops > 0 ? some_f64(flops) : (struct opt_f64){0};
    measured->model_flops_absent = ops->program_bytes_over ? large : NULL;
}
