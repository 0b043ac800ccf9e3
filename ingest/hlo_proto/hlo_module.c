/* See hlo_module.h. A message is read field by field, by a function that knows its own and steps
 * over all others. */
#include "ingest/hlo_proto/hlo_module.h"

#include "ingest/hlo/hlo.h"
#include "ingest/hlo_proto/hlo_message.h"

#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST_BYTES = 64 * 1024, SHAPE_DEPTH_MOST = 32 };

struct reader {
    struct cursor *cursor;
    struct hlo_module *module;
    unsigned depth; /* of tuples in tuples */
};

static bool memory_failed(const struct reader *reader, struct err *err)
{
    return arena_failed(reader->module->arena, "the programs of a profile", err);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A text; one that is longer than any name stays NULL. */
static bool text_read(struct reader *reader, const char **ret_text, struct err *err)
{
    uint64_t length;
    if (!cursor_length(reader->cursor, &length, err))
        return false;
    if (length <= TEXT_MOST_BYTES) {
        if (!cursor_need(reader->cursor, (size_t)length, err))
            return false;
        *ret_text = text_utf8_repair(reader->module->arena, (const char *)reader->cursor->p,
                                     (size_t)length);
        if (*ret_text == NULL)
            return memory_failed(reader, err);
    }
    return cursor_skip(reader->cursor, length, err);
}

static bool number_read(struct reader *reader, int64_t *ret_number, struct err *err)
{
    uint64_t value;
    if (!cursor_varint(reader->cursor, &value, err))
        return false;
    *ret_number = (int64_t)value;
    return true;
}

static bool id_add(struct reader *reader, int64_t **items, size_t *count, size_t *capacity,
                   struct err *err)
{
    int64_t number;
    int64_t *grown = arena_grow(reader->module->arena, *items, *count, capacity, sizeof *grown);
    if (grown == NULL)
        return memory_failed(reader, err);
    *items = grown;
    if (!number_read(reader, &number, err))
        return false;
    grown[(*count)++] = number;
    return true;
}

/* Numbers, packed or one by one. */
static bool ids_read(struct reader *reader, uint32_t tag, struct hlo_ids *ids, struct err *err)
{
    uint64_t length;
    if (tag_type(tag) == WIRE_VARINT)
        return id_add(reader, &ids->items, &ids->count, &ids->capacity, err);
    if (tag_type(tag) != WIRE_BYTES)
        return cursor_skip_field(reader->cursor, tag, err);
    if (!cursor_length(reader->cursor, &length, err))
        return false;
    int64_t outer = cursor_enter(reader->cursor, length);
    while (!cursor_at_end(reader->cursor)) {
        if (!id_add(reader, &ids->items, &ids->count, &ids->capacity, err))
            return false;
    }
    cursor_leave(reader->cursor, outer);
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

enum { SHAPE_ELEMENT = 2, SHAPE_DIMENSIONS = 3, SHAPE_PARTS = 4 };

static bool shape_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    struct hlo_shape *shape = into;
    int64_t number;
    if (tag == WIRE_TAG(SHAPE_ELEMENT, WIRE_VARINT)) {
        if (!number_read(reader, &number, err))
            return false;
        shape->element = (uint32_t)number;
        return true;
    }
    if (tag_field(tag) == SHAPE_DIMENSIONS) {
        struct hlo_ids dims = {shape->dims, shape->rank, shape->dim_capacity};
        if (!ids_read(reader, tag, &dims, err))
            return false;
        shape->dims = dims.items;
        shape->rank = dims.count;
        shape->dim_capacity = dims.capacity;
        return true;
    }
    if (tag != WIRE_TAG(SHAPE_PARTS, WIRE_BYTES))
        return cursor_skip_field(reader->cursor, tag, err);
    struct hlo_shape *parts = arena_grow(reader->module->arena, shape->parts, shape->part_count,
                                         &shape->part_capacity, sizeof *parts);
    if (parts == NULL)
        return memory_failed(reader, err);
    shape->parts = parts;
    parts[shape->part_count] = (struct hlo_shape){0};
    if (++reader->depth > SHAPE_DEPTH_MOST)
        return cursor_malformed(reader->cursor, "tuples nested too deeply", err);
    if (!message_read(reader->cursor, reader, shape_field, &parts[shape->part_count++], err))
        return false;
    reader->depth--;
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

enum {
    INSTRUCTION_NAME = 1,
    INSTRUCTION_OPCODE = 2,
    INSTRUCTION_SHAPE = 3,
    INSTRUCTION_METADATA = 7,
    INSTRUCTION_FUSION_KIND = 11,
    INSTRUCTION_WINDOW = 15,
    INSTRUCTION_CONVOLUTION = 16,
    INSTRUCTION_CUSTOM_CALL = 28,
    INSTRUCTION_DOT = 30,
    INSTRUCTION_ID = 35,
    INSTRUCTION_OPERANDS = 36,
    INSTRUCTION_CALLS = 38,
    INSTRUCTION_BACKEND = 43,
    INSTRUCTION_GROUPS = 49,
    INSTRUCTION_DEVICE_LIST = 87, /* the groups, as newer versions write them */
    METADATA_OP_NAME = 2,
    METADATA_SOURCE_FILE = 3,
    METADATA_SOURCE_LINE = 4,
    WINDOW_DIMENSION = 1,
    WINDOW_SIZE = 1,
    KERNEL_OUTPUT_FEATURE = 4,
    DOT_CONTRACTING = 1,
    GROUP_MEMBERS = 1,
    LIST_GROUPS = 1,
    LIST_IOTA = 2, /* groups of one size, told by their number */
    IOTA_GROUPS = 1,
    IOTA_DEVICES = 2
};

static bool metadata_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    struct hlo_instruction *instruction = into;
    switch (tag) {
    case WIRE_TAG(METADATA_OP_NAME, WIRE_BYTES):
        return text_read(reader, &instruction->op_name, err);
    case WIRE_TAG(METADATA_SOURCE_FILE, WIRE_BYTES):
        return text_read(reader, &instruction->source_file, err);
    case WIRE_TAG(METADATA_SOURCE_LINE, WIRE_VARINT):
        return number_read(reader, &instruction->source_line, err);
    default:
        return cursor_skip_field(reader->cursor, tag, err);
    }
}

static bool window_size_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    return tag_field(tag) == WINDOW_SIZE ? ids_read(reader, tag, into, err)
                                         : cursor_skip_field(reader->cursor, tag, err);
}

static bool window_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    return tag == WIRE_TAG(WINDOW_DIMENSION, WIRE_BYTES)
               ? message_read(reader->cursor, reader, window_size_field, into, err)
               : cursor_skip_field(reader->cursor, tag, err);
}

static bool convolution_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    return tag == WIRE_TAG(KERNEL_OUTPUT_FEATURE, WIRE_VARINT)
               ? number_read(reader, into, err)
               : cursor_skip_field(reader->cursor, tag, err);
}

static bool dot_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    return tag_field(tag) == DOT_CONTRACTING ? ids_read(reader, tag, into, err)
                                             : cursor_skip_field(reader->cursor, tag, err);
}

static bool group_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    return tag_field(tag) == GROUP_MEMBERS ? ids_read(reader, tag, into, err)
                                           : cursor_skip_field(reader->cursor, tag, err);
}

static bool group_read(struct reader *reader, struct hlo_instruction *instruction, struct err *err)
{
    struct hlo_ids members = {0};
    if (!message_read(reader->cursor, reader, group_field, &members, err))
        return false;
    instruction->group_count++;
    if ((int64_t)members.count > instruction->group_size)
        instruction->group_size = (int64_t)members.count;
    return true;
}

static bool iota_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    struct hlo_instruction *instruction = into;
    if (tag == WIRE_TAG(IOTA_GROUPS, WIRE_VARINT))
        return number_read(reader, &instruction->group_count, err);
    if (tag == WIRE_TAG(IOTA_DEVICES, WIRE_VARINT))
        return number_read(reader, &instruction->group_size, err);
    return cursor_skip_field(reader->cursor, tag, err);
}

static bool device_list_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    if (tag == WIRE_TAG(LIST_GROUPS, WIRE_BYTES))
        return group_read(reader, into, err);
    return tag == WIRE_TAG(LIST_IOTA, WIRE_BYTES)
               ? message_read(reader->cursor, reader, iota_field, into, err)
               : cursor_skip_field(reader->cursor, tag, err);
}

static bool instruction_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    struct hlo_instruction *instruction = into;
    switch (tag) {
    case WIRE_TAG(INSTRUCTION_NAME, WIRE_BYTES):
        return text_read(reader, &instruction->name, err);
    case WIRE_TAG(INSTRUCTION_OPCODE, WIRE_BYTES):
        return text_read(reader, &instruction->opcode, err);
    case WIRE_TAG(INSTRUCTION_SHAPE, WIRE_BYTES):
        reader->depth = 0;
        return message_read(reader->cursor, reader, shape_field, &instruction->shape, err);
    case WIRE_TAG(INSTRUCTION_METADATA, WIRE_BYTES):
        return message_read(reader->cursor, reader, metadata_field, instruction, err);
    case WIRE_TAG(INSTRUCTION_FUSION_KIND, WIRE_BYTES):
        return text_read(reader, &instruction->fusion_kind, err);
    case WIRE_TAG(INSTRUCTION_WINDOW, WIRE_BYTES):
        return message_read(reader->cursor, reader, window_field, &instruction->window, err);
    case WIRE_TAG(INSTRUCTION_CONVOLUTION, WIRE_BYTES):
        return message_read(reader->cursor, reader, convolution_field,
                            &instruction->kernel_output_feature, err);
    case WIRE_TAG(INSTRUCTION_CUSTOM_CALL, WIRE_BYTES):
        return text_read(reader, &instruction->custom_call, err);
    case WIRE_TAG(INSTRUCTION_DOT, WIRE_BYTES):
        return message_read(reader->cursor, reader, dot_field, &instruction->contracting, err);
    case WIRE_TAG(INSTRUCTION_ID, WIRE_VARINT):
        return number_read(reader, &instruction->id, err);
    case WIRE_TAG(INSTRUCTION_BACKEND, WIRE_BYTES):
        return text_read(reader, &instruction->backend, err);
    case WIRE_TAG(INSTRUCTION_GROUPS, WIRE_BYTES):
        return group_read(reader, instruction, err);
    case WIRE_TAG(INSTRUCTION_DEVICE_LIST, WIRE_BYTES):
        instruction->group_count = instruction->group_size = 0; /* the other form said the same */
        return message_read(reader->cursor, reader, device_list_field, instruction, err);
    default:
        break;
    }
    if (tag_field(tag) == INSTRUCTION_OPERANDS)
        return ids_read(reader, tag, &instruction->operands, err);
    if (tag_field(tag) == INSTRUCTION_CALLS)
        return ids_read(reader, tag, &instruction->calls, err);
    return cursor_skip_field(reader->cursor, tag, err);
}

/* ---- modules --------------------------------------------------------------------------------- */

enum {
    PROTO_MODULE = 1,
    MODULE_NAME = 1,
    MODULE_COMPUTATIONS = 3,
    COMPUTATION_INSTRUCTIONS = 2,
    COMPUTATION_ID = 5,
    COMPUTATION_ROOT = 6
};

static bool computation_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    struct hlo_module *module = reader->module;
    struct hlo_computation *computation = into;
    if (tag == WIRE_TAG(COMPUTATION_ID, WIRE_VARINT))
        return number_read(reader, &computation->id, err);
    if (tag == WIRE_TAG(COMPUTATION_ROOT, WIRE_VARINT))
        return number_read(reader, &computation->root, err);
    if (tag != WIRE_TAG(COMPUTATION_INSTRUCTIONS, WIRE_BYTES))
        return cursor_skip_field(reader->cursor, tag, err);
    struct hlo_instruction *grown = arena_grow(module->arena, module->instructions, module->count,
                                               &module->capacity, sizeof *grown);
    if (grown == NULL)
        return memory_failed(reader, err);
    module->instructions = grown;
    grown[module->count] =
        (struct hlo_instruction){.computation = (uint32_t)module->computation_count - 1};
    computation->count++;
    return message_read(reader->cursor, reader, instruction_field, &grown[module->count++], err);
}

static bool module_field(void *context, uint32_t tag, void *into, struct err *err)
{
    struct reader *reader = context;
    struct hlo_module *module = into;
    if (tag == WIRE_TAG(MODULE_NAME, WIRE_BYTES))
        return text_read(reader, &module->name, err);
    if (tag != WIRE_TAG(MODULE_COMPUTATIONS, WIRE_BYTES))
        return cursor_skip_field(reader->cursor, tag, err);
    struct hlo_computation *grown =
        arena_grow(module->arena, module->computations, module->computation_count,
                   &module->computation_capacity, sizeof *grown);
    if (grown == NULL)
        return memory_failed(reader, err);
    module->computations = grown;
    struct hlo_computation *computation = &grown[module->computation_count++];
    *computation = (struct hlo_computation){.first = module->count};
    return message_read(reader->cursor, reader, computation_field, computation, err);
}

static const char *name_of(const struct hlo_module *module, uint32_t index)
{
    const char *name = module->instructions[index].name;
    return name == NULL ? "" : name;
}

static int name_order(const void *a, const void *b, void *context)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = strcmp(name_of(context, left), name_of(context, right));
    return order != 0 ? order : (left > right) - (left < right);
}

/* Names, ids; of equal ones the first counts. */
static bool module_index(struct hlo_module *module)
{
    id_map_init(&module->by_id, module->arena);
    id_map_init(&module->computation_by_id, module->arena);
    module->by_name = arena_array(module->arena, uint32_t, module->count);
    if (module->by_name == NULL)
        return false;
    for (size_t i = 0; i < module->computation_count; i++) {
        int64_t id = module->computations[i].id;
        if (id_map_find(&module->computation_by_id, id) == ID_MAP_ABSENT &&
            !id_map_set(&module->computation_by_id, id, (int32_t)i))
            return false;
    }
    for (size_t i = 0; i < module->count; i++) {
        const struct hlo_instruction *instruction = &module->instructions[i];
        module->by_name[i] = (uint32_t)i;
        if (id_map_find(&module->by_id, instruction->id) == ID_MAP_ABSENT &&
            !id_map_set(&module->by_id, instruction->id, (int32_t)i))
            return false;
    }
    if (module->count > 0)
        qsort_r(module->by_name, module->count, sizeof *module->by_name, name_order, module);
    return true;
}

/* The computation that an asynchronous op starts, which its end names by way of its operand, or
 * calls as well; NULL: it is none. */
static const struct hlo_computation *async_called(const struct hlo_module *module,
                                                  const struct hlo_instruction *instruction)
{
    enum { UPDATES_MOST = 16 };
    for (int i = 0; i < UPDATES_MOST && instruction != NULL && instruction->opcode != NULL &&
                    opcode_is_async(instruction->opcode);
         i++) {
        if (instruction->calls.count > 0)
            return hlo_computation_of(module, instruction->calls.items[0]);
        instruction = instruction->operands.count > 0
                          ? hlo_of_id(module, instruction->operands.items[0])
                          : NULL;
    }
    return NULL;
}

/* Halves of collectives are called so, as elsewhere. Ends stand behind their starts, and are asked
 * first; what is called so wraps one op, the last. false beyond the budget. */
static bool collectives_tell(struct hlo_module *module)
{
    enum { CALLED_MOST = 8 };
    for (size_t i = module->count; i-- > 0;) {
        struct hlo_instruction *half = &module->instructions[i];
        const struct hlo_computation *called = async_called(module, half);
        const char *kind = NULL;
        size_t left = called == NULL ? 0 : called->count;
        for (size_t looks = 0; kind == NULL && left > 0 && looks < CALLED_MOST; looks++) {
            const struct hlo_instruction *inner = &module->instructions[called->first + --left];
            kind = inner->opcode == NULL ? NULL
                                         : collective_of_name(inner->opcode, strlen(inner->opcode));
            if (kind == NULL)
                continue;
            half->opcode = collective_half(kind, half->opcode, module->arena);
            half->group_count = inner->group_count;
            half->group_size = inner->group_size;
            if (half->opcode == NULL)
                return false;
        }
    }
    return true;
}

bool hlo_module_read(struct cursor *cursor, int64_t begin, int64_t end, struct arena *arena,
                     struct hlo_module *ret_module, struct err *err)
{
    struct hlo_module module = {.arena = arena};
    struct reader reader = {.cursor = cursor, .module = &module};
    cursor_seek(cursor, begin, end);
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        if (!cursor_tag(cursor, &tag, err) ||
            !(tag == WIRE_TAG(PROTO_MODULE, WIRE_BYTES)
                  ? message_read(cursor, &reader, module_field, &module, err)
                  : cursor_skip_field(cursor, tag, err)))
            return false;
    }
    if (!module_index(&module) || !collectives_tell(&module))
        return memory_failed(&reader, err);
    *ret_module = module;
    return true;
}

const struct hlo_instruction *hlo_find(const struct hlo_module *module, const char *name)
{
    size_t low = 0, high = module->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(name_of(module, module->by_name[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < module->count && strcmp(name_of(module, module->by_name[low]), name) == 0;
    return found ? &module->instructions[module->by_name[low]] : NULL;
}

const struct hlo_instruction *hlo_of_id(const struct hlo_module *module, int64_t id)
{
    int32_t index = id_map_find(&module->by_id, id);
    return index == ID_MAP_ABSENT ? NULL : &module->instructions[index];
}

const struct hlo_computation *hlo_computation_of(const struct hlo_module *module, int64_t id)
{
    int32_t index = id_map_find(&module->computation_by_id, id);
    return index == ID_MAP_ABSENT ? NULL : &module->computations[index];
}

static bool has_path(const struct hlo_instruction *instruction)
{
    return instruction != NULL && instruction->op_name != NULL && instruction->op_name[0] != '\0';
}

const char *hlo_path_of(const struct hlo_module *module, const struct hlo_instruction *instruction)
{
    const bool fuses = instruction->fusion_kind != NULL && instruction->calls.count > 0;
    const struct hlo_computation *fused =
        fuses ? hlo_computation_of(module, instruction->calls.items[0]) : NULL;
    if (has_path(instruction) || fused == NULL)
        return has_path(instruction) ? instruction->op_name : NULL;
    const struct hlo_instruction *told = hlo_of_id(module, fused->root);
    for (size_t i = fused->count; !has_path(told) && i > 0; i--)
        told = &module->instructions[fused->first + i - 1];
    return has_path(told) ? told->op_name : NULL;
}
