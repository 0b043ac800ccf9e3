/* Implements the arena as a list of blocks that double in size up to 1 MiB; large requests get a
 * block of their own. */
#include "ops/runtime/arena.h"

#include <assert.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

enum {
    BLOCK_MIN_BYTES = 1024,
    BLOCK_MAX_BYTES = 1 << 20,
    ALIGN = 16,
    LARGE_BYTES = 256 << 10,
    SPARE_BYTES = 64 << 20 /* beyond twice the budget; above what one round of input takes */
};

struct arena_block {
    struct arena_block *next; /* older */
    size_t size;              /* of data */
    size_t fill;
    size_t used; /* of data, at most so far: what is behind it is zero */
    char data[];
};

/* ---- memory of the process ------------------------------------------------------------------- */

static void (*last_words)(const struct err *err);

void memory_end_tell(void (*words)(const struct err *err))
{
    last_words = words;
}

/* Takes no memory. */
_Noreturn static void process_end(const struct err *err, int code)
{
    char line[sizeof err->text + 64];
    int length = snprintf(line, sizeof line, "stepledger: %s\n", err->text);
    if (last_words != NULL)
        last_words(err);
    else
        (void)!write(STDERR_FILENO, line, (size_t)length);
    _exit(code);
}

_Noreturn void memory_end(void)
{
    struct err err = {.kind = ERR_FULL};
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        (void)err_set(&err, ERR_LIMIT,
                      "no memory: the process may have %ju MiB (job_memory_mb for a job, else "
                      "ulimit -v)",
                      (uintmax_t)limit.rlim_cur >> 20);
    else
        (void)err_set(&err, ERR_FULL,
                      "no memory: the machine has none left; end other programs, or try again "
                      "later");
    process_end(&err, err.kind == ERR_LIMIT ? EX_DATAERR : EX_TEMPFAIL);
}

void memory_share(void)
{
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

void *memory_alloc(size_t size)
{
    return memory_given(malloc(size > 0 ? size : 1));
}

void *memory_zalloc(size_t count, size_t size)
{
    return memory_given(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *memory_resize(void *memory, size_t size)
{
    return memory_given(realloc(memory, size > 0 ? size : 1));
}

char *memory_strdup(const char *text)
{
    return memory_given(strdup(text));
}

/* ---- arenas ---------------------------------------------------------------------------------- */

_Noreturn static void limit_end(const struct arena *arena)
{
    struct err err;
    (void)arena_failed(arena, "what is being read", &err);
    process_end(&err, EX_DATAERR);
}

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

static void over_mark(struct arena *arena)
{
    for (struct arena *at = arena; at != NULL; at = at->outer)
        at->over = true;
}

bool arena_reserve(struct arena *arena, size_t bytes)
{
    for (struct arena *at = arena; at != NULL; at = at->outer) {
        if (bytes_count(at, bytes))
            continue;
        over_mark(arena);
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

bool arena_fits(struct arena *arena, size_t count, size_t item_size)
{
    size_t bytes;
    if (!__builtin_mul_overflow(count, item_size, &bytes) && bytes <= arena_left_bytes(arena))
        return true;
    over_mark(arena);
    return false;
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

/* A block of its usual size as long as the budget holds, then of what is asked for. */
static void block_add(struct arena *arena, size_t need)
{
    size_t size = arena->head == NULL ? BLOCK_MIN_BYTES : 2 * arena->head->size;
    struct arena_block *block;
    if (size > BLOCK_MAX_BYTES)
        size = BLOCK_MAX_BYTES;
    if (size < need)
        size = need;
    if (!arena_reserve(arena, sizeof *block + size)) {
        size = need;
        arena_charge(arena, sizeof *block + size);
        for (const struct arena *at = arena; at != NULL; at = at->outer) {
            size_t used = at->used_bytes, budget = at->budget_bytes;
            if (used / 2 > budget && used - 2 * budget > SPARE_BYTES)
                limit_end(at);
        }
    }
    block = memory_zalloc(1, sizeof *block + size);
    block->next = arena->head;
    block->size = size;
    arena->head = block;
}

/* *ret_used: how much of it was used before. */
static void *place_take(struct arena *arena, size_t size, size_t *ret_used)
{
    assert(size < SIZE_MAX / 2 && "sizes that input claims are reserved first");
    size_t need = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (need == 0)
        need = ALIGN;
    if (arena->head == NULL || arena->head->size - arena->head->fill < need)
        block_add(arena, need);
    struct arena_block *block = arena->head;
    void *result = block->data + block->fill;
    *ret_used = block->used > block->fill ? block->used - block->fill : 0;
    block->fill += need;
    if (block->used < block->fill)
        block->used = block->fill;
    return result;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size_t used;
    return place_take(arena, size, &used);
}

void *arena_zalloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes = 0, used;
    bool overflows = __builtin_mul_overflow(count, size, &bytes);
    assert(!overflows && "sizes that input claims are reserved first");
    char *place = place_take(arena, bytes, &used);
    return memset(place, 0, used < bytes ? used : bytes); /* pages not looked at take no memory */
}

void *arena_copy(struct arena *arena, const void *items, size_t count, size_t item_size)
{
    return count == 0 ? NULL
                      : memcpy(arena_alloc(arena, count * item_size), items, count * item_size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
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
    assert(length >= 0);
    char *result = arena_alloc(arena, (size_t)length + 1);
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
    size_t wanted = *capacity == 0 ? 16 : 2 * *capacity;
    void *moved = arena_alloc(arena, wanted * item_size);
    if (count > 0)
        memcpy(moved, items, count * item_size);
    *capacity = wanted;
    return moved;
}

void *arena_expect(struct arena *arena, void *items, size_t *capacity, size_t wanted,
                   size_t item_size)
{
    const size_t old = *capacity;
    if (wanted <= old)
        return items;
    *capacity = wanted > 2 * old ? wanted : 2 * old;
    void *moved = arena_alloc(arena, *capacity * item_size);
    if (old > 0)
        memcpy(moved, items, old * item_size);
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

bool arena_ok(const struct arena *arena, const char *what, struct err *err)
{
    return !arena->over || arena_failed(arena, what, err);
}

bool arena_failed(const struct arena *arena, const char *what, struct err *err)
{
    return err_set(err, ERR_LIMIT,
                   "no memory for %s: the limit max_memory_mb = %zu is used up; raise it with "
                   "--max-memory-mb or in the configuration",
                   what, arena->budget_bytes >> 20);
}
