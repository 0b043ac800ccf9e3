/* The kernels of GPUs, by name and launch: what `kernel_stats` of xprof tells, of all that were
 * recorded; and their copies and fills. Which of them an event is, its details say: a text of
 * members `name:value` that differ between vendors and years. Ops of other devices have none. Sums
 * are over the devices of the capture, whatever its steps.
 */
#include "ingest/lines/lines.h"
#include "ingest/tables/tables.h"

#include <string.h>

/* ---- launches -------------------------------------------------------------------------------- */

/* What stands behind `name:` in a launch, up to the next blank; NULL: nothing does. */
static const char *launch_member(const char *launch, const char *name, size_t *ret_length)
{
    const size_t length = strlen(name);
    for (const char *at = launch; at != NULL; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (strncmp(at, name, length) == 0 && at[length] == ':') {
            *ret_length = strcspn(at + length + 1, " ");
            return at + length + 1;
        }
    }
    return NULL;
}

static struct data_value launch_text(const char *launch, const char *name, struct arena *arena)
{
    size_t length;
    const char *text = launch_member(launch, name, &length);
    return data_text(text == NULL || length == 0 ? NULL : arena_strndup(arena, text, length));
}

/* The sum of the members that are there. */
static struct data_value launch_sum(const char *launch, const char *const *names)
{
    enum { DIGITS_MOST = 15 };
    struct data_value sum = {0};
    for (; *names != NULL; names++) {
        size_t length;
        const char *text = launch_member(launch, *names, &length);
        int64_t number = 0;
        if (text == NULL || length == 0 || length > DIGITS_MOST ||
            strspn(text, "0123456789") != length)
            continue;
        for (size_t i = 0; i < length; i++)
            number = number * 10 + (text[i] - '0');
        sum = data_integer((sum.set ? sum.integer : 0) + number);
    }
    return sum;
}

/* Theoretical occupancy; writers that do not know it say 0. */
static struct data_value launch_occupancy(const char *launch, struct arena *arena)
{
    const struct data_value text = launch_text(launch, "occ_pct", arena);
    double percent;
    const bool known = text.set && text_parse_double(text.text, &percent) && percent > 0;
    return known ? data_real(percent) : (struct data_value){.kind = DATA_REAL};
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The framework's op that TensorFlow annotates a launch with: of `a:T#k=v#::b:Type#k=v#::#k=v#` it
 * is `b:Type`, the innermost that says more than what it is told with. NULL: none does. */
static const char *annotated_op(const char *annotation, struct arena *arena)
{
    const char *named = NULL;
    for (const char *begin = annotation; begin != NULL;) {
        named = *begin != '\0' && *begin != '#' ? begin : named;
        begin = strstr(begin, "::");
        begin = begin == NULL ? NULL : begin + 2;
    }
    if (named == NULL)
        return NULL;
    const char *next = strstr(named, "::");
    size_t length = next == NULL ? strlen(named) : (size_t)(next - named);
    const char *told = memchr(named, '#', length);
    return arena_strndup(arena, named, told == NULL ? length : (size_t)(told - named));
}

const char *launched_path(const struct catalog *catalog, const struct op_detail *detail,
                          struct arena *arena)
{
    static const char no_path[] = "XlaModule";
    const char *path = catalog_text(catalog, detail->own_path);
    if (path != NULL && strncmp(path, no_path, sizeof no_path - 1) != 0)
        return path;
    return detail->annotation == STRING_NONE
               ? NULL
               : annotated_op(catalog_text(catalog, detail->annotation), arena);
}

double launched_share(struct profile *profile)
{
    double total = 0, launched = 0;
    struct catalog *catalog = &profile->catalog;
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct used_op *used = &profile->used[i];
        const struct op_detail *detail = used_detail(used);
        const char *own = catalog_text(catalog, detail->own_path);
        const double self_ps = (double)used_tally(used)->self_ps;
        if (used->state->device == UINT32_MAX || detail->asynchronous)
            continue;
        total += self_ps;
        const struct arena_mark mark = arena_mark(&catalog->scratch);
        if ((own == NULL || *own == '\0') &&
            launched_path(catalog, detail, &catalog->scratch) != NULL)
            launched += self_ps;
        arena_rewind(&catalog->scratch, mark);
    }
    return total > 0 ? launched / total : 0;
}

/* Which op of the program a kernel runs: its path without a type, else the instruction. */
static struct data_value op_name_of(const struct catalog *catalog, const struct op_detail *detail,
                                    struct arena *arena)
{
    const char *path = launched_path(catalog, detail, arena);
    if (path == NULL)
        return data_text(catalog_text(catalog, detail->instruction));
    const bool annotated = path != catalog_text(catalog, detail->own_path);
    const char *type = annotated ? strrchr(path, ':') : NULL;
    return data_text(type == NULL ? path : arena_strndup(arena, path, (size_t)(type - path)));
}

/* Sums of one op over a line. */
struct launch_sums {
    int64_t count, total_ps, least_ps, most_ps;
};

/* A launch as it goes into rows. */
struct launch {
    const struct catalog *catalog;
    const struct op *op;
    const struct op_detail *detail;
    const char *details;
    struct arena *arena; /* of texts that the rows copy */
};

/* No GPU has so many in one multiprocessor, and no kernel takes none. Collectors of AMD once wrote
 * what lay in memory that they had not filled, halves of an address, for registers and shared
 * memory. */
enum { REGISTERS_MOST = 1 << 18 };

static void kernel_keys(const struct launch *launch, struct row_item *item)
{
    static const char *const registers[] = {"regs", NULL};
    static const char *const shared[] = {"shm", "static_shared", "dynamic_shared", "group_mem",
                                         NULL};
    item->keys[1] = launch_text(launch->details, "grid", launch->arena);
    item->keys[2] = launch_text(launch->details, "block", launch->arena);
    item->keys[3] = launch_sum(launch->details, registers);
    item->keys[4] = launch_sum(launch->details, shared);
    if (item->keys[3].set && item->keys[3].integer > REGISTERS_MOST)
        item->keys[4].set = false;
    if (item->keys[3].integer == 0 || item->keys[3].integer > REGISTERS_MOST)
        item->keys[3].set = false;
    item->keys[5] = op_name_of(launch->catalog, launch->detail, launch->arena);
    item->keys[6] = launch_occupancy(launch->details, launch->arena);
}

static void copy_keys(const struct launch *launch, struct row_item *item)
{
    static const char *const size[] = {"size", "num_bytes", NULL};
    struct data_value bytes = launch_sum(launch->details, size);
    item->keys[1] = launch_text(launch->details, "kind_src", launch->arena);
    item->keys[2] = launch_text(launch->details, "kind_dst", launch->arena);
    item->sums_unknown = !bytes.set;
    if (bytes.set && __builtin_mul_overflow(bytes.integer, item->count, &item->sums[0]))
        item->sums[0] = INT64_MAX;
}

static bool row_add(const struct launch *launch, const struct launch_sums *sums,
                    struct grouped_rows *rows, struct err *err)
{
    const struct catalog *catalog = launch->catalog;
    struct row_item item = {
        .keys = {data_text(catalog_text(catalog, catalog->names[launch->op->name].name))},
        .count = sums->count,
        .total_ps = sums->total_ps,
        .least_ps = sums->least_ps,
        .most_ps = sums->most_ps,
    };
    bool is_kernel = launch_member(launch->details, "grid", &(size_t){0}) != NULL;
    if (is_kernel != (rows->kind == &table_kinds[DATA_TABLE_kernels]))
        return true;
    (is_kernel ? kernel_keys : copy_keys)(launch, &item);
    return grouped_add(rows, &item, err);
}

/* The ops of a plane while its lines are read; they become more on the way. */
struct plane_launches {
    struct arena *arena;
    struct launch_sums *sums; /* by op */
    size_t count, capacity;
};

/* false: they last longer than 64 bits hold. */
static bool sums_add(struct plane_launches *launches, const struct event *event)
{
    while ((size_t)event->op >= launches->count) {
        launches->sums = arena_grow(launches->arena, launches->sums, launches->count,
                                    &launches->capacity, sizeof *launches->sums);
        launches->sums[launches->count++] = (struct launch_sums){0};
    }
    struct launch_sums *sums = &launches->sums[event->op];
    if (sums->count == 0 || event->duration_ps < sums->least_ps)
        sums->least_ps = event->duration_ps;
    if (event->duration_ps > sums->most_ps)
        sums->most_ps = event->duration_ps;
    sums->count++;
    return !__builtin_add_overflow(sums->total_ps, event->duration_ps, &sums->total_ps);
}

static bool line_read(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                      struct plane_launches *launches, struct err *err)
{
    line_reader_open(reader, plane, line, ORDER_AS_WRITTEN);
    do {
        if (!line_reader_next(reader, err))
            return false;
        for (size_t i = 0; i < reader->count; i++) {
            const struct event *event = &reader->batch->events[i];
            if (plane->ops.details[event->op].launch != STRING_NONE && !sums_add(launches, event))
                return err_set(err, ERR_INPUT,
                               "'%s': the kernels of line '%s' last longer than 64 bits hold: the "
                               "file is broken",
                               plane->space->input.path, line->name);
        }
    } while (reader->count > 0);
    return true;
}

static bool plane_read(const struct profile *profile, struct xplane *plane,
                       struct grouped_rows *rows, struct err *err)
{
    scoped_arena arena;
    scoped_line_reader reader = {0};
    arena_init_within(&arena, profile->arena);
    struct plane_launches launches = {.arena = &arena};
    line_reader_init(&reader, plane->space, &profile->options->limits);
    for (size_t i = 0; i < plane->line_count; i++) {
        const struct xline *line = &plane->lines[i];
        if (line->role == LINE_OPS && !line->derived && line_has_events(line) &&
            !line_read(&reader, plane, line, &launches, err))
            return false;
    }
    for (size_t i = 0; i < launches.count; i++) {
        const struct op_detail *detail = &plane->ops.details[i];
        const struct launch launch = {&profile->catalog, &plane->ops.ops[i], detail,
                                      catalog_text(&profile->catalog, detail->launch), &arena};
        if (launches.sums[i].count > 0 && !row_add(&launch, &launches.sums[i], rows, err))
            return false;
    }
    return true;
}

void launches_ask(struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        if (profile->planes[p].plane->is_device)
            plane_ops_ask_launches(&profile->planes[p].plane->ops);
    }
}

bool launch_table_read(struct profile *profile, struct grouped_rows *rows, struct err *err)
{
    launches_ask(profile);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct xplane *plane = profile->planes[p].plane;
        if (plane->is_device && !plane_read(profile, plane, rows, err))
            return false;
    }
    return true;
}
