/* Fuzz target: a compiled program (HloProto). Whatever the bytes are, the answer is a module whose
 * instructions can be found again and whose costs are numbers, or one clear error, within bounds of
 * memory and time: programs that call themselves too.
 */
#include "ingest/hlo_proto/hlo_proto.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_BYTES = 64 << 20, STRING_MAX_BYTES = 1 << 20, COSTS_MOST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static void number_check(struct opt_f64 number)
{
    require(!number.set || (!isnan(number.value) && number.value >= 0));
}

static void module_check(const struct hlo_module *module)
{
    for (size_t i = 0; i < module->count; i++) {
        const struct hlo_instruction *instruction = &module->instructions[i];
        scoped_text shapes;
        text_init(&shapes, STRING_MAX_BYTES);
        const char *name = instruction->name == NULL ? "" : instruction->name;
        const struct hlo_instruction *found = hlo_find(module, name);
        require(found != NULL && strcmp(found->name == NULL ? "" : found->name, name) == 0);
        require(hlo_of_id(module, instruction->id) != NULL);
        require(instruction->computation < module->computation_count);
        if (i >= COSTS_MOST || instruction->opcode == NULL)
            continue;
        const struct hlo_cost cost = hlo_cost_of(module, instruction);
        number_check(cost.flops);
        number_check(cost.bytes);
        require(hlo_category(instruction) != NULL);
        hlo_shapes_add(module, instruction, &shapes);
        require(shapes.failed || shapes.length > 0);
    }
}

static void memory_check(const struct hlo_memory *memory)
{
    int64_t held = 0;
    for (size_t i = 0; i < memory->held_count; i++) {
        require(memory->held[i].bytes > 0 && memory->held[i].kind != NULL);
        require(i == 0 || memory->held[i - 1].bytes >= memory->held[i].bytes);
        require(!__builtin_add_overflow(held, memory->held[i].bytes, &held));
    }
    require(held == memory->peak_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_arena arena;
    scoped_input input = {.fd = -1};
    scoped_cursor cursor = {0};
    struct hlo_module module;
    struct err err = {0};
    char path[32];
    int fd = memfd_create("hlo", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    require(input_open(path, &input, &err));
    (void)close(fd);
    arena_init(&arena, MEMORY_BYTES);
    cursor_init(&cursor, &input, STRING_MAX_BYTES);
    if (hlo_module_read(&cursor, 0, (int64_t)size, &arena, &module, &err))
        module_check(&module);
    else
        require((err.kind == ERR_INPUT || err.kind == ERR_LIMIT) && strlen(err.text) > 0);
    struct hlo_memory memory;
    err = (struct err){0};
    if (hlo_buffers_read(&cursor, 0, (int64_t)size, &arena, &memory, &err))
        memory_check(&memory);
    else
        require((err.kind == ERR_INPUT || err.kind == ERR_LIMIT) && strlen(err.text) > 0);
    return 0;
}
