/* See op_build.h. Every text rule is asked here, so nothing of it is left for the events. */
#include "ingest/xplane/op_build.h"
#include "ingest/hlo/hlo.h"
#include "ingest/wire/wire.h"
#include "ingest/xplane/op_stats.h"

#include "ops/runtime/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The text of a value, cut to NAME_MAX_BYTES; STRING_NONE when it has none. */
static uint32_t text_of(struct catalog *catalog, const struct stat_value *value)
{
    if (!stat_has_text(value))
        return STRING_NONE;
    size_t length = limit_text(value->text, value->length, NAME_MAX_BYTES, &catalog->texts_cut);
    return strings_add(&catalog->strings, value->text, length);
}

/* ---- run id and step ------------------------------------------------------------------------- */

/* A number is a run id by its decimal text; so is a text that reads as one. */
static void run_id_build(struct catalog *catalog, const struct stat_value *value,
                         int64_t *texts_cut, struct run_id *ret_id)
{
    char digits[400]; /* the largest double has 309 */
    int length = 0;
    *ret_id = (struct run_id){0};
    if (value->type == STAT_UNSET || (value->type == STAT_TEXT && value->length == 0))
        return;
    ret_id->set = true;
    struct opt_i64 number = value->type == STAT_TEXT ? (struct opt_i64){0} : stat_integer(value);
    if (number.set) {
        ret_id->number = number.value;
        return;
    }
    if (value->type == STAT_UINT)
        length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value->unsigned_value);
    if (value->type == STAT_DOUBLE)
        length = snprintf(digits, sizeof digits, "%.0f", trunc(value->double_value));
    const char *text = value->type == STAT_TEXT ? value->text : digits;
    size_t text_length = value->type == STAT_TEXT ? value->length : (size_t)length;
    (void)pthread_mutex_lock(&catalog->lock);
    text_length = limit_text(text, text_length, NAME_MAX_BYTES, texts_cut);
    ret_id->text = strings_add(&catalog->strings, text, text_length);
    (void)pthread_mutex_unlock(&catalog->lock);
}

void op_note_build(struct catalog *catalog, const struct stat_value values[STAT_KIND_COUNT],
                   int64_t *texts_cut, struct event_note *ret_note, bool *ret_not_finite)
{
    *ret_note = (struct event_note){0};
    ret_note->step = stat_integer(&values[STAT_STEP_NUM]);
    *ret_not_finite = stat_not_finite(&values[STAT_RUN_ID]) ||
                      stat_not_finite(&values[STAT_STEP_NUM]) ||
                      (!ret_note->step.set && stat_not_finite(&values[STAT_STEP]));
    if (*ret_not_finite)
        return;
    if (!ret_note->step.set)
        ret_note->step = stat_integer(&values[STAT_STEP]);
    struct opt_i64 root = stat_integer(&values[STAT_ROOT]);
    ret_note->is_root = root.set && root.value >= 1;
    ret_note->correlation = stat_integer(&values[STAT_CORRELATION]);
    run_id_build(catalog, &values[STAT_RUN_ID], texts_cut, &ret_note->run_id);
}

static bool has_note(const struct stat_value *values)
{
    for (int kind = STAT_OP_KIND_COUNT; kind < STAT_KIND_COUNT; kind++) {
        if (values[kind].type != STAT_UNSET)
            return true;
    }
    return false;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* §3: a module's own row carries its framework path in the stat `name`. */
static const struct stat_value *framework_path(const struct stat_value *values)
{
    const struct stat_value *path = &values[STAT_TF_OP];
    if (!stat_has_text(path) || !stat_has_text(&values[STAT_NAME]))
        return path;
    const char *text = path->text;
    size_t length = path->length;
    text_strip(&text, &length);
    while (length > 0 && text[length - 1] == ':')
        length--;
    bool is_module = length == strlen("XlaModule") && memcmp(text, "XlaModule", length) == 0;
    return is_module ? &values[STAT_NAME] : path;
}

static uint32_t source_file(struct catalog *catalog, const struct stat_value *values)
{
    static const enum stat_kind kinds[] = {STAT_SOURCE, STAT_SOURCE_FILE, STAT_FILE_NAME};
    size_t i = 0, last = sizeof kinds / sizeof kinds[0] - 1;
    while (i < last && !stat_has_text(&values[kinds[i]]))
        i++;
    return text_of(catalog, &values[kinds[i]]);
}

static uint32_t shape_of(struct catalog *catalog, const char *text, size_t length)
{
    scoped_text signature; /* no longer than the text */
    text_init(&signature, SIZE_MAX);
    shape_signature(text, length, &signature);
    return signature.length == 0
               ? (uint32_t)STRING_NONE
               : strings_add(&catalog->strings, text_string(&signature), signature.length);
}

/* Shapes by the long name (§8): the stat, else the metadata name when another one is shown. */
static void shapes_build(struct catalog *catalog, const struct op_source *source,
                         struct op_detail *detail)
{
    const struct stat_value *long_name = &source->values[STAT_LONG_NAME];
    if (source->base_detail != NULL) {
        detail->name_shape = source->base_detail->name_shape;
        detail->shape =
            source->overrides_long_name ? detail->name_shape : source->base_detail->shape;
    } else if (strcmp(source->metadata_name, source->name) != 0) {
        detail->name_shape =
            shape_of(catalog, source->metadata_name, strlen(source->metadata_name));
        detail->shape = detail->name_shape;
    }
    bool own = source->base_detail == NULL || source->overrides_long_name;
    if (own && stat_has_text(long_name))
        detail->shape = shape_of(catalog, long_name->text, long_name->length);
}

static uint32_t keep(struct catalog *catalog, const char *text)
{
    return text == NULL ? (uint32_t)STRING_NONE
                        : strings_add(&catalog->strings, text, strlen(text));
}

/* The innermost instruction of `outer::inner`. */
static const char *innermost(struct catalog *catalog, const struct stat_value *hlo_op)
{
    const char *name = arena_strndup(&catalog->scratch, hlo_op->text, hlo_op->length);
    for (const char *inner = name; inner != NULL; inner = strstr(name, "::"))
        name = inner == name ? name : inner + 2;
    return name;
}

/* Opcode and shapes by the instruction's text. Without one the opcode follows from the
 * instruction's name, and the event is a kernel with a family of its own. */
static void opcode_build(struct catalog *catalog, const struct op_source *source,
                         struct op_detail *detail)
{
    const struct stat_value *long_name = &source->own_values[STAT_LONG_NAME];
    const struct stat_value *hlo_op = &source->own_values[STAT_HLO_OP];
    struct hlo_text text = {0};
    if (source->base_detail != NULL && source->base_detail->shapes != STRING_NONE) {
        detail->opcode = source->base_detail->opcode;
        detail->shapes = source->base_detail->shapes;
        detail->way = source->base_detail->way;
        return;
    }
    if (source->metadata_name != NULL)
        hlo_text_parse(source->metadata_name, strlen(source->metadata_name), &catalog->scratch,
                       &text);
    if (text.opcode == NULL && stat_has_text(long_name))
        hlo_text_parse(long_name->text, long_name->length, &catalog->scratch, &text);
    if (text.opcode != NULL) {
        detail->opcode = keep(catalog, text.opcode);
        detail->way = (uint8_t)text.way;
        detail->shapes = keep(catalog, text.shapes);
        return;
    }
    detail->kernel = keep(catalog, hlo_name_family(source->name, &catalog->scratch));
    detail->opcode = detail->kernel;
    if (stat_has_text(hlo_op)) {
        const char *name = innermost(catalog, hlo_op);
        detail->opcode = keep(catalog, hlo_name_family(name, &catalog->scratch));
    }
}

static struct opt_f64 number_of(const struct stat_value *value)
{
    struct opt_f64 number = {0};
    number.set = stat_number(value, &number.value) && isfinite(number.value) && number.value >= 0;
    return number;
}

static void work_build(const struct stat_value *values, struct op_detail *detail)
{
    const struct opt_f64 flops = number_of(&values[STAT_FLOPS]);
    const struct opt_f64 model_flops = number_of(&values[STAT_MODEL_FLOPS]);
    const struct opt_f64 bytes = number_of(&values[STAT_BYTES_ACCESSED]);
    detail->tells_flops = flops.set || model_flops.set; /* one stands for the other */
    detail->flops = flops.set ? flops.value : model_flops.value;
    detail->model_flops = model_flops.set ? model_flops.value : flops.value;
    detail->tells_bytes = bytes.set;
    detail->bytes_accessed = bytes.value;
}

/* Our path of a variant that has none is that of its base, which may be compressed. */
static void paths_build(struct catalog *catalog, const struct op_source *source,
                        struct op_detail *detail)
{
    detail->tf_op = text_of(catalog, framework_path(source->values));
    detail->own_path = text_of(catalog, framework_path(source->own_values));
    if (source->base_detail != NULL && source->values[STAT_TF_OP].type == STAT_UNSET)
        detail->own_path = source->base_detail->own_path;
}

static void launch_build(struct catalog *catalog, const struct stat_value *values,
                         struct op_detail *detail)
{
    static const enum stat_kind kinds[] = {STAT_KERNEL_DETAILS, STAT_MEMCPY_DETAILS,
                                           STAT_MEMSET_DETAILS};
    size_t i = 0, count = sizeof kinds / sizeof kinds[0];
    while (i < count && !stat_has_text(&values[kinds[i]]))
        i++;
    if (i == count)
        return;
    detail->launch = text_of(catalog, &values[kinds[i]]);
    detail->annotation = text_of(catalog, &values[STAT_ANNOTATION]);
    detail->instruction = text_of(catalog, &values[STAT_HLO_OP]);
}

static void detail_build(struct catalog *catalog, const struct op_source *source,
                         const struct op *op, struct op_detail *detail)
{
    const struct stat_value *values = source->own_values;
    paths_build(catalog, source, detail);
    detail->category = text_of(catalog, &values[STAT_HLO_CATEGORY]);
    detail->module = text_of(catalog, &values[STAT_HLO_MODULE]);
    launch_build(catalog, values, detail);
    detail->path = catalog_path(catalog, &catalog->names[op->name], detail->tf_op);
    detail->has_program =
        values[STAT_PROGRAM_ID].type == STAT_INT || values[STAT_PROGRAM_ID].type == STAT_UINT;
    detail->program_id = values[STAT_PROGRAM_ID].unsigned_value;
    work_build(values, detail);
    if (source->traffic != NULL && source->traffic->told) {
        struct memory_traffic *traffic = arena_new(catalog->arena, struct memory_traffic);
        *traffic = *source->traffic;
        detail->traffic = traffic;
    }
    if (source->traffic == NULL && source->base_detail != NULL)
        detail->traffic = source->base_detail->traffic;
    shapes_build(catalog, source, detail);
    opcode_build(catalog, source, detail);
}

/* ---- stats that stay ------------------------------------------------------------------------- */

/* Packed, a value is a byte of its kind and type, then its bits as a varint: those of a number, or
 * where its text lies. */
enum { TYPE_BITS = 3, VALUE_MAX_BYTES = 1 + VARINT_MAX_BYTES };
static const unsigned TYPE_MASK = (1U << TYPE_BITS) - 1;
_Static_assert(STAT_DOUBLE < 1 << TYPE_BITS && STAT_KIND_COUNT <= 1 << (8 - TYPE_BITS),
               "kind and type are one byte");
_Static_assert(STAT_KIND_COUNT *VALUE_MAX_BYTES <= UINT8_MAX, "so is the length of all");

struct op_stats {
    uint8_t length;
    uint8_t bytes[];
};

/* The bits of a value of that kind. */
static uint64_t bits_of(struct catalog *catalog, enum stat_kind kind,
                        const struct stat_value *value, bool long_name_too)
{
    if (value->type != STAT_TEXT)
        return value->unsigned_value;
    const bool kept = long_name_too || kind != STAT_LONG_NAME;
    const uint32_t text = strings_add(&catalog->strings, value->text, kept ? value->length : 0);
    return (uintptr_t)catalog_text(catalog, text);
}

const struct op_stats *op_stats_keep(struct catalog *catalog,
                                     const struct stat_value values[STAT_KIND_COUNT],
                                     bool long_name_too)
{
    uint8_t bytes[STAT_KIND_COUNT * VALUE_MAX_BYTES], *end = bytes;
    for (int kind = 0; kind < STAT_KIND_COUNT; kind++) {
        const struct stat_value *value = &values[kind];
        if (value->type == STAT_UNSET)
            continue;
        *end++ = (uint8_t)(kind << TYPE_BITS | (int)value->type);
        end = varint_put(end, bits_of(catalog, (enum stat_kind)kind, value, long_name_too));
    }
    if (end == bytes)
        return NULL;
    const size_t length = (size_t)(end - bytes);
    struct op_stats *stats = arena_alloc(catalog->arena, sizeof *stats + length);
    stats->length = (uint8_t)length;
    memcpy(stats->bytes, bytes, length);
    return stats;
}

void op_stats_read(const struct op_stats *stats, struct stat_value ret_values[STAT_KIND_COUNT])
{
    memset(ret_values, 0, STAT_KIND_COUNT * sizeof *ret_values);
    if (stats == NULL)
        return;
    const uint8_t *at = stats->bytes, *end = at + stats->length;
    while (at < end) {
        const uint8_t head = *at++;
        struct stat_value *value = &ret_values[head >> TYPE_BITS];
        uint64_t bits = 0;
        at = varint_read(at, end, &bits);
        assert(at != NULL);
        value->type = (enum stat_type)(head & TYPE_MASK);
        if (value->type != STAT_TEXT) {
            value->unsigned_value = bits;
            continue;
        }
        value->text = (const char *)(uintptr_t)bits; /* NOLINT: it was one */
        value->length = strlen(value->text);
    }
}

/* All that is said of an op. Its path is the framework's, wherever that stands. Its long name is
 * the stat of that name, else what its metadata is called where another name is shown, else that of
 * the op that it is a variant of. */
static const struct op_stats *told_keep(struct catalog *catalog, const struct op_source *source)
{
    struct stat_value values[STAT_KIND_COUNT];
    struct stat_value *long_name = &values[STAT_LONG_NAME];
    const struct op_stats *base = source->base == NULL ? NULL : source->base->told;
    memcpy(values, source->own_values, sizeof values);
    values[STAT_TF_OP] = *framework_path(source->own_values);
    if (!stat_has_text(long_name) && source->metadata_name != NULL &&
        strcmp(source->metadata_name, source->name) != 0)
        *long_name = (struct stat_value){.type = STAT_TEXT,
                                         .text = source->metadata_name,
                                         .length = strlen(source->metadata_name)};
    if (!stat_has_text(long_name)) {
        struct stat_value of_base[STAT_KIND_COUNT];
        op_stats_read(base, of_base);
        if (of_base[STAT_LONG_NAME].type != STAT_UNSET)
            *long_name = of_base[STAT_LONG_NAME];
    }
    return op_stats_keep(catalog, values, true);
}

/* A host's event is shown by the last part of its name, which may say little. */
static void whole_name_keep(struct catalog *catalog, const struct op_source *source, struct op *op)
{
    const char *name = source->metadata_name;
    if (source->base != NULL || name == NULL || strcmp(name, source->name) == 0)
        return;
    const size_t length = limit_text(name, strlen(name), NAME_MAX_BYTES, &catalog->texts_cut);
    op->whole_name = strings_add(&catalog->strings, name, length);
}

/* ---- ops ------------------------------------------------------------------------------------- */

void op_build(const struct plane_ops *ops, const struct op_source *source, struct op *ret_op,
              struct op_detail *ret_detail)
{
    struct catalog *catalog = ops->catalog;
    struct op *op = ret_op;
    *op = (struct op){.name = OP_NONE, .collective = COLLECTIVE_NONE, .async_twin = OP_NONE};
    if (ops->is_device)
        *ret_detail = (struct op_detail){.path = -1};
    if (source->name[0] == '\0')
        return;
    struct arena_mark mark = arena_mark(&catalog->scratch);
    op->name = catalog_name(catalog, source->name, strlen(source->name));
    const struct op_name *name = &catalog->names[op->name];
    op->source = source_file(catalog, source->values);
    op->part = (uint8_t)part_on_plane(&name->class, ops->is_host, ops->is_device);
    op->op_part = (uint8_t)name->class.op_part;
    op->collective = (int8_t)name->class.collective;
    op->is_marker = name->is_marker;
    op->is_train = name->is_train;
    op->host_word = ops->is_host ? (uint8_t)name->word : HOST_WORD_NONE;
    op->has_number = name->number.set;
    op->number = name->number.value;
    if (source->base != NULL) {
        op->whole_name = source->base->whole_name;
        op->note = source->base->note;
        op->stats = source->base->stats;
    } else {
        if (has_note(source->values)) {
            struct event_note *note = arena_new(catalog->arena, struct event_note);
            op_note_build(catalog, source->values, &catalog->texts_cut, note, &op->not_finite);
            op->note = note;
        }
    }
    if (ops->is_host)
        whole_name_keep(catalog, source, op);
    op->device_class = DEVICE_COMPUTE;
    if (ops->is_device) {
        struct op_source named = *source;
        named.name = catalog_text(catalog, name->name); /* cut where it was too long */
        detail_build(catalog, &named, op, ret_detail);
        op->device_class =
            (uint8_t)device_class_of(catalog_text(catalog, ret_detail->opcode),
                                     catalog_text(catalog, ret_detail->category), named.name);
    }
    arena_rewind(&catalog->scratch, mark);
    if (catalog->keeps_told)
        op->told = told_keep(catalog, source);
}
