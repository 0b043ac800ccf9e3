/* Exclusive durations of nested events: a stack per track (profile_summary.v1 §5).
 *
 * Events come in (start, -end) order. One that starts at or after the top's end, or ends after it,
 * takes the top off; so events that partly overlap are siblings. What is taken off adds its full
 * duration to its parent's children. The stack exists twice, for doubles in microseconds and for
 * picoseconds, because rounding may nest events differently; the macro keeps the two equal.
 */
#ifndef INGEST_INTERVALS_EXCLUSIVE_H
#define INGEST_INTERVALS_EXCLUSIVE_H

#include "ingest/wire/wire.h"
#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { EXCLUSIVE_FIRST_FRAMES = 64 };

#define EXCLUSIVE_STACK(unit, type) \
    struct frame_##unit { \
        type end, duration, children; \
        uint32_t tag; /* the caller's */ \
    }; \
    struct stack_##unit { \
        struct frame_##unit *frames; \
        size_t depth, capacity; \
    }; \
    /* Takes off the top when an event of [start, end) ends it. */ \
    static inline bool stack_##unit##_pop(struct stack_##unit *stack, type start, type end, \
                                          uint32_t *ret_tag, type *ret_exclusive) \
    { \
        if (stack->depth == 0) \
            return false; \
        const struct frame_##unit *top = &stack->frames[stack->depth - 1]; \
        if (start < top->end && end <= top->end) \
            return false; \
        type exclusive = top->duration - top->children; \
        *ret_tag = top->tag; \
        *ret_exclusive = exclusive > 0 ? exclusive : 0; \
        stack->depth--; \
        if (stack->depth > 0) \
            stack->frames[stack->depth - 1].children += top->duration; \
        return true; \
    } \
    static inline void stack_##unit##_push(struct stack_##unit *stack, type end, type duration, \
                                           uint32_t tag) \
    { \
        if (stack->depth == stack->capacity) { \
            stack->capacity = stack->capacity == 0 ? EXCLUSIVE_FIRST_FRAMES : 2 * stack->capacity; \
            stack->frames = memory_resize(stack->frames, stack->capacity * sizeof *stack->frames); \
        } \
        stack->frames[stack->depth++] = (struct frame_##unit){end, duration, 0, tag}; \
    }

EXCLUSIVE_STACK(us, double)
EXCLUSIVE_STACK(ps, int64_t)

#endif
