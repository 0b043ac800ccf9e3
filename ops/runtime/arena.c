/* Implements the arena as a list of blocks that double in size up to 1 MiB; large requests get a
 * block of their own. */
#include "ops/runtime/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN_BYTES = 1024, BLOCK_MAX_BYTES = 1 << 20, ALIGN = 16 };

struct arena_block {
    struct arena_block *next; /* older */
    size_t size;              /* of data */
    size_t fill;
    size_t pad;
    char data[];
};

void arena_init(struct arena *arena, size_t budget_bytes)
{
    *arena = (struct arena){.budget_bytes = budget_bytes};
}

void arena_init_within(struct arena *arena, struct arena *outer)
{
    *arena = (struct arena){.outer = outer, .budget_bytes = outer->budget_bytes};
}

/* Within this arena's own budget. */
static bool bytes_count(struct arena *arena, size_t bytes)
{
    size_t used = atomic_load(&arena->used_bytes);
    do {
        if (used > arena->budget_bytes || bytes > arena->budget_bytes - used)
            return false;
    } while (!atomic_compare_exchange_weak(&arena->used_bytes, &used, used + bytes));
    size_t peak = atomic_load(&arena->peak_bytes);
    while (used + bytes > peak &&
           !atomic_compare_exchange_weak(&arena->peak_bytes, &peak, used + bytes)) {
    }
    return true;
}

bool arena_reserve(struct arena *arena, size_t bytes)
{
    for (struct arena *at = arena; at != NULL; at = at->outer) {
        if (bytes_count(at, bytes))
            continue;
        for (struct arena *told = arena; told != NULL; told = told->outer)
            told->over = true;
        for (struct arena *counted = arena; counted != at; counted = counted->outer)
            atomic_fetch_sub(&counted->used_bytes, bytes);
        return false;
    }
    return true;
}

void arena_charge(struct arena *arena, size_t bytes)
{
    for (struct arena *at = arena; at != NULL; at = at->outer)
        atomic_fetch_add(&at->used_bytes, bytes);
}

void arena_release(struct arena *arena, size_t bytes)
{
    for (struct arena *at = arena; at != NULL; at = at->outer)
        atomic_fetch_sub(&at->used_bytes, bytes);
}

size_t arena_left_bytes(const struct arena *arena)
{
    size_t left = SIZE_MAX;
    for (const struct arena *at = arena; at != NULL; at = at->outer) {
        size_t used = atomic_load(&at->used_bytes);
        size_t here = used < at->budget_bytes ? at->budget_bytes - used : 0;
        left = here < left ? here : left;
    }
    return left;
}

void arena_forgive(struct arena *arena)
{
    for (struct arena *at = arena; at != NULL; at = at->outer)
        at->over = false;
}

static void block_drop(struct arena *arena)
{
    struct arena_block *block = arena->head;
    arena->head = block->next;
    arena_release(arena, sizeof *block + block->size);
    free(block);
}

void arena_done(struct arena *arena)
{
    while (arena->head != NULL)
        block_drop(arena);
}

static bool block_add(struct arena *arena, size_t need)
{
    size_t size = arena->head == NULL ? BLOCK_MIN_BYTES : 2 * arena->head->size;
    if (size > BLOCK_MAX_BYTES)
        size = BLOCK_MAX_BYTES;
    if (size < need)
        size = need;
    struct arena_block *block;
    if (need > SIZE_MAX - sizeof *block)
        return false;
    if (!arena_reserve(arena, sizeof *block + size)) {
        size = need; /* a last, smaller block */
        if (!arena_reserve(arena, sizeof *block + size))
            return false;
    }
    block = malloc(sizeof *block + size);
    if (block == NULL) {
        for (struct arena *at = arena; at != NULL; at = at->outer)
            at->refused = true;
        arena_release(arena, sizeof *block + size);
        return false;
    }
    block->next = arena->head;
    block->size = size;
    block->fill = 0;
    arena->head = block;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    size_t need = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (need == 0)
        need = ALIGN;
    if ((arena->head == NULL || arena->head->size - arena->head->fill < need) &&
        !block_add(arena, need))
        return NULL;
    void *result = arena->head->data + arena->head->fill;
    arena->head->fill += need;
    return result;
}

void *arena_zalloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *result = arena_alloc(arena, bytes);
    if (result != NULL)
        memset(result, 0, bytes);
    return result;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : arena_alloc(arena, length + 1);
    if (copy == NULL)
        return NULL;
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return text == NULL ? NULL : arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *result = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1);
    if (result != NULL)
        (void)vsnprintf(result, (size_t)length + 1, format, arguments);
    return result;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *result = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return result;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity == 0 ? 8 : *capacity;
    size_t bytes;
    if (__builtin_mul_overflow(wanted, (size_t)2, &wanted) ||
        __builtin_mul_overflow(wanted, item_size, &bytes))
        return NULL;
    void *moved = arena_alloc(arena, bytes);
    if (moved == NULL)
        return NULL;
    if (count > 0)
        memcpy(moved, items, count * item_size);
    *capacity = wanted;
    return moved;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->head, arena->head == NULL ? 0 : arena->head->fill};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->head != mark.head)
        block_drop(arena);
    if (arena->head != NULL)
        arena->head->fill = mark.fill;
}

bool arena_failed(const struct arena *arena, const char *what, struct err *err)
{
    if (arena->refused)
        return err_set_memory(err, "no memory for %s", what);
    /* Neither: what is no arena's had none, or a bound of its own. */
    return err_set(err, ERR_LIMIT,
                   "no memory for %s: %sthe limit max_memory_mb = %zu is used up; raise it with "
                   "--max-memory-mb or in the configuration",
                   what, arena->over ? "" : "the machine has none left, or ",
                   arena->budget_bytes >> 20);
}
