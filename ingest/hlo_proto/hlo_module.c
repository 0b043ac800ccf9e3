/* See hlo_module.h. */
#include "ingest/hlo_proto/hlo_module.h"

#include "ingest/hlo/hlo.h"

#include <stdlib.h>
#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

static hlo_take_fn part_take;

static const struct hlo_field shape_fields[] = {
    {2, HLO_NUMBER, FIELD_AT(struct hlo_shape, element, int64_t), NULL, NULL},
    {3, HLO_IDS, FIELD_AT(struct hlo_shape, dims, struct hlo_ids), NULL, NULL},
    {4, HLO_TAKEN, 0, NULL, part_take},
    {0},
};

/* One of a tuple. */
static bool part_take(struct hlo_reader *reader, void *into, struct err *err)
{
    enum { SHAPE_DEPTH_MOST = 32 };
    struct hlo_shape *shape = into;
    shape->parts = arena_grow(reader->arena, shape->parts, shape->part_count, &shape->part_capacity,
                              sizeof *shape->parts);
    struct hlo_shape *part = &shape->parts[shape->part_count++];
    *part = (struct hlo_shape){0};
    if (++reader->depth > SHAPE_DEPTH_MOST)
        return cursor_malformed(reader->cursor, "tuples nested too deeply", err);
    if (!hlo_message_read(reader, shape_fields, part, err))
        return false;
    reader->depth--;
    return true;
}

static bool shape_take(struct hlo_reader *reader, void *into, struct err *err)
{
    reader->depth = 0;
    return hlo_message_read(reader, shape_fields, into, err);
}

/* ---- groups of collectives ------------------------------------------------------------------- */

static const struct hlo_field group_fields[] = {{1, HLO_IDS, 0, NULL, NULL}, {0}};

static bool group_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct hlo_instruction *instruction = into;
    struct hlo_ids members = {0};
    if (!hlo_message_read(reader, group_fields, &members, err))
        return false;
    instruction->group_count++;
    if ((int64_t)members.count > instruction->group_size)
        instruction->group_size = (int64_t)members.count;
    return true;
}

#define OF_INSTRUCTION(field, type) FIELD_AT(struct hlo_instruction, field, type)

/* Groups of one size, told by their number. */
static const struct hlo_field iota_fields[] = {
    {1, HLO_NUMBER, OF_INSTRUCTION(group_count, int64_t), NULL, NULL},
    {2, HLO_NUMBER, OF_INSTRUCTION(group_size, int64_t), NULL, NULL},
    {0},
};

static const struct hlo_field device_list_fields[] = {
    {1, HLO_TAKEN, 0, NULL, group_take},
    {2, HLO_MESSAGE, 0, iota_fields, NULL},
    {0},
};

/* The groups as newer versions write them; the other form said the same. */
static bool device_list_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct hlo_instruction *instruction = into;
    instruction->group_count = instruction->group_size = 0;
    return hlo_message_read(reader, device_list_fields, instruction, err);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static const struct hlo_field metadata_fields[] = {
    {2, HLO_TEXT, OF_INSTRUCTION(op_name, const char *), NULL, NULL},
    {3, HLO_TEXT, OF_INSTRUCTION(source_file, const char *), NULL, NULL},
    {4, HLO_NUMBER, OF_INSTRUCTION(source_line, int64_t), NULL, NULL},
    {0},
};
static const struct hlo_field dimension_fields[] = {{1, HLO_IDS, 0, NULL, NULL}, {0}}; /* size */
static const struct hlo_field window_fields[] = {{1, HLO_MESSAGE, 0, dimension_fields, NULL}, {0}};
static const struct hlo_field convolution_fields[] = {{4, HLO_NUMBER, 0, NULL, NULL}, {0}};
static const struct hlo_field dot_fields[] = {{1, HLO_IDS, 0, NULL, NULL}, {0}};

static const struct hlo_field instruction_fields[] = {
    {1, HLO_TEXT, OF_INSTRUCTION(name, const char *), NULL, NULL},
    {2, HLO_TEXT, OF_INSTRUCTION(opcode, const char *), NULL, NULL},
    {3, HLO_TAKEN, OF_INSTRUCTION(shape, struct hlo_shape), NULL, shape_take},
    {7, HLO_MESSAGE, 0, metadata_fields, NULL},
    {11, HLO_TEXT, OF_INSTRUCTION(fusion_kind, const char *), NULL, NULL},
    {15, HLO_MESSAGE, OF_INSTRUCTION(window, struct hlo_ids), window_fields, NULL},
    {16, HLO_MESSAGE, OF_INSTRUCTION(kernel_output_feature, int64_t), convolution_fields, NULL},
    {28, HLO_TEXT, OF_INSTRUCTION(custom_call, const char *), NULL, NULL},
    {30, HLO_MESSAGE, OF_INSTRUCTION(contracting, struct hlo_ids), dot_fields, NULL},
    {35, HLO_NUMBER, OF_INSTRUCTION(id, int64_t), NULL, NULL},
    {36, HLO_IDS, OF_INSTRUCTION(operands, struct hlo_ids), NULL, NULL},
    {38, HLO_IDS, OF_INSTRUCTION(calls, struct hlo_ids), NULL, NULL},
    {43, HLO_TEXT, OF_INSTRUCTION(backend, const char *), NULL, NULL},
    {49, HLO_TAKEN, 0, NULL, group_take},
    {87, HLO_TAKEN, 0, NULL, device_list_take},
    {0},
};

static bool instruction_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct hlo_module *module = reader->whole;
    struct hlo_computation *computation = into;
    module->instructions = arena_grow(module->arena, module->instructions, module->count,
                                      &module->capacity, sizeof *module->instructions);
    struct hlo_instruction *instruction = &module->instructions[module->count++];
    *instruction = (struct hlo_instruction){.computation = (uint32_t)module->computation_count - 1};
    computation->count++;
    return hlo_message_read(reader, instruction_fields, instruction, err);
}

/* ---- modules --------------------------------------------------------------------------------- */

static const struct hlo_field computation_fields[] = {
    {2, HLO_TAKEN, 0, NULL, instruction_take},
    {5, HLO_NUMBER, FIELD_AT(struct hlo_computation, id, int64_t), NULL, NULL},
    {6, HLO_NUMBER, FIELD_AT(struct hlo_computation, root, int64_t), NULL, NULL},
    {0},
};

static bool computation_take(struct hlo_reader *reader, void *into, struct err *err)
{
    struct hlo_module *module = into;
    module->computations =
        arena_grow(module->arena, module->computations, module->computation_count,
                   &module->computation_capacity, sizeof *module->computations);
    struct hlo_computation *computation = &module->computations[module->computation_count++];
    *computation = (struct hlo_computation){.first = module->count};
    return hlo_message_read(reader, computation_fields, computation, err);
}

static const struct hlo_field module_fields[] = {
    {1, HLO_TEXT, FIELD_AT(struct hlo_module, name, const char *), NULL, NULL},
    {3, HLO_TAKEN, 0, NULL, computation_take},
    {0},
};
static const struct hlo_field proto_fields[] = {{1, HLO_MESSAGE, 0, module_fields, NULL}, {0}};

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
static void module_index(struct hlo_module *module)
{
    id_map_init(&module->by_id, module->arena);
    id_map_init(&module->computation_by_id, module->arena);
    module->by_name = arena_array(module->arena, uint32_t, module->count);
    for (size_t i = 0; i < module->computation_count; i++) {
        int64_t id = module->computations[i].id;
        if (id_map_find(&module->computation_by_id, id) == ID_MAP_ABSENT)
            id_map_set(&module->computation_by_id, id, (int32_t)i);
    }
    for (size_t i = 0; i < module->count; i++) {
        const struct hlo_instruction *instruction = &module->instructions[i];
        module->by_name[i] = (uint32_t)i;
        if (id_map_find(&module->by_id, instruction->id) == ID_MAP_ABSENT)
            id_map_set(&module->by_id, instruction->id, (int32_t)i);
    }
    if (module->count > 0)
        qsort_r(module->by_name, module->count, sizeof *module->by_name, name_order, module);
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
 * first; what is called so wraps one op, the last. */
static void collectives_tell(struct hlo_module *module)
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
        }
    }
}

bool hlo_module_read(struct cursor *cursor, int64_t begin, int64_t end, struct arena *arena,
                     struct hlo_module *ret_module, struct err *err)
{
    struct hlo_module module = {.arena = arena};
    struct hlo_reader reader = {.cursor = cursor, .arena = arena, .whole = &module};
    cursor_seek(cursor, begin, end);
    if (!hlo_fields_read(&reader, proto_fields, &module, err))
        return false;
    module_index(&module);
    collectives_tell(&module);
    *ret_module = module;
    return arena_ok(arena, "the programs of a profile", err);
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
