/* What the figures of a step (schema/documents/figures.h) are made of, taken while a profile is
 * open. What is left out because the profile is large says which table tells it. */
#include "ingest/allocators/allocators.h"
#include "ingest/breakdown/breakdown.h"
#include "ingest/hlo_proto/hlo_proto.h"
#include "ingest/made_tables.h"
#include "ingest/op_tables/op_tables.h"

#include <stdlib.h>
#include <string.h>

/* Of a larger profile reading all events again would take half of the time of its summary. */
static const int64_t AGAIN_EVENTS_MOST = 2000000;
enum { PROGRAM_BUDGET_BYTES = 256 << 20 }; /* that the buffers of one take while they are read */
enum { BUFFERS_KEPT = 16 };                /* of a program, the largest */

bool measured_needs_launches(const struct profile *profile)
{
    const struct host_question *question = profile->options->question;
    if (question != NULL && !question->measures && !question->programs)
        return false;
    return programs_are_there(profile);
}

static bool program_measure(struct profile *profile, const struct op_list *ops,
                            struct measured *measured, struct err *err)
{
    scoped_hlo_programs programs = {0};
    scoped_arena arena;
    struct hlo_memory memory;
    uint64_t id;
    arena_init(&arena, PROGRAM_BUDGET_BYTES);
    measured->program_memory_absent = "neither the file nor one beside it holds a program with "
                                      "its buffer assignment that the ops name";
    if (!op_list_main_program(ops, &id, &measured->program))
        return true;
    if (!hlo_programs_open(profile, profile->arena, &programs, err))
        return false;
    programs.bytes_most = OP_PROGRAM_BYTES_MOST;
    if (!hlo_programs_memory(&programs, id, measured->program, &arena, &memory, err))
        return false;
    if (!memory.known)
        return true;
    measured->program_memory_bytes = some_i64(memory.peak_bytes);
    measured->program_memory_absent = NULL;
    measured->program_memory_is_beside = programs.beside_count > 0;
    measured->program_buffer_count =
        memory.held_count < BUFFERS_KEPT ? memory.held_count : BUFFERS_KEPT;
    return hlo_programs_held(&programs, &memory, measured->program_buffer_count, profile->arena,
                             &measured->program_buffers, err);
}

static int row_order(const void *key, const void *row)
{
    const int64_t number = *(const int64_t *)key, other = ((const struct step_row *)row)->number;
    return (number > other) - (number < other);
}

/* A step waits as its slowest device does. */
static bool waits_measure(struct profile *profile, struct summary *summary, struct err *err)
{
    struct step_table *table = &summary->steps;
    struct step_breakdown breakdown;
    if (!step_breakdown_read(profile, summary, profile->arena, &breakdown, err))
        return false;
    summary->measured.input_wait_absent = breakdown.absent[STEP_INPUT_WAIT];
    for (size_t i = 0; i < breakdown.count && breakdown.absent[STEP_INPUT_WAIT] == NULL; i++) {
        const struct device_step *step = &breakdown.steps[i];
        struct step_row *row = step->numbered ? bsearch(&step->number, table->rows, table->count,
                                                        sizeof *row, row_order)
                                              : NULL;
        if (row == NULL || row->slowest != step->device)
            continue;
        row->has_input_wait = true;
        row->input_wait_ps = step->ps[STEP_INPUT_WAIT];
        ps_add(&row->input_wait_ps, step->behind_ps[STEP_INPUT_WAIT]);
    }
    return true;
}

bool measured_build(struct profile *profile, struct summary *summary, struct err *err)
{
    struct measured *measured = &summary->measured;
    const bool large = summary->trace_overview.num_complete_events > AGAIN_EVENTS_MOST;
    const bool allocators = allocators_tell(profile);
    summary->has_measured = true;
    measured->input_wait_absent = input_wait_absent(profile, summary);
    measured->compile_absent = compile_absent(profile, summary);
    measured->hbm_peak_absent =
        "no event of an allocator is in the profile (most clients of JAX tell none): memory.prof "
        "beside it tells what is in use (device_memory)";
    if (allocators && large)
        measured->hbm_peak_absent = "the profile has so many events that they are not read again "
                                    "for it: `table memory` tells";
    const bool waits = measured->input_wait_absent == NULL;
    if (waits && large)
        measured->input_wait_absent = "the profile has so many events that they are not read again "
                                      "for it: `table overview` tells";
    const struct op_list *ops;
    if (!op_list_of(profile, &ops, err))
        return false;
    model_work_measure(ops, measured);
    measured->model_flops_are_beside = ops->beside_programs > 0;
    if (!program_measure(profile, ops, measured, err) ||
        (waits && !large && !waits_measure(profile, summary, err)))
        return false;
    if (!allocators || large)
        return true;
    struct allocator_log log = {.arena = profile->arena};
    if (!allocators_read(profile, &log, err))
        return false;
    measured->hbm_peak_bytes = allocators_peak(&log, &measured->hbm_allocator);
    measured->hbm_peak_absent =
        measured->hbm_peak_bytes.set
            ? NULL
            : "no event of an allocator of a device says how much is in use";
    return true;
}
