/* Why a step takes as long as it does: the breakdown, the phases of what computes, the findings,
 * and what could not be seen. */
#include "ingest/findings/findings.h"
#include "ingest/formats.h"
#include "ingest/hlo/hlo.h"
#include "ingest/made_tables.h"
#include "ingest/source/source.h"
#include "ingest/tables/tables.h"
#include "ingest/xprof/xprof.h"
#include "ops/runtime/file.h"
#include "schema/documents/told_ops.h"

#include <string.h>

static const double ps_per_us = 1e6;

/* Own time of what computes in steady steps of a host, and how many these are on its devices. */
struct host_phases {
    double ps[PHASE_COUNT], spans;
};

struct explaining {
    struct arena *arena;
    struct examination examination;
    struct host_phases *hosts; /* as the steps have them … */
    size_t host_count, host_capacity;
    const char *cut; /* that a file was cut off, the first one; NULL: none was */
    struct string_list unseen;
    size_t unseen_capacity;
};

static void unseen_add(struct explaining *explaining, const char *text)
{
    struct string_list *list = &explaining->unseen;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return;
    list->items = arena_grow(explaining->arena, list->items, list->count,
                             &explaining->unseen_capacity, sizeof *list->items);
    list->items[list->count++] = text;
}

/* By what launches say of an op that says nothing itself. */
static void phases_collect(struct profile *profile, struct host_phases *phases)
{
    struct catalog *catalog = &profile->catalog;
    const struct arena_mark mark = arena_mark(&catalog->scratch);
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct used_op *used = &profile->used[i];
        const struct op *op = used_facts(used);
        const struct op_detail *detail = used_detail(used);
        if (used->state->device == UINT32_MAX || detail->asynchronous ||
            (op->device_class != DEVICE_COMPUTE && op->device_class != DEVICE_CONTAINER))
            continue;
        const char *path = launched_path(catalog, detail, &catalog->scratch);
        const struct op_row row = {
            .phase = phase_of(path, catalog_text(catalog, catalog->names[op->name].name))};
        phases->ps[phase_of_op(&row)] += (double)used_tally(used)->steady_self_ps;
        arena_rewind(&catalog->scratch, mark);
    }
}

static bool host_read(struct profile *profile, const struct summary *summary, void *context,
                      struct err *err)
{
    struct explaining *explaining = context;
    explaining->hosts = arena_grow(explaining->arena, explaining->hosts, explaining->host_count,
                                   &explaining->host_capacity, sizeof *explaining->hosts);
    struct host_phases *own = &explaining->hosts[explaining->host_count++];
    *own = (struct host_phases){.spans = (double)summary->steps.steady_spans};
    for (size_t i = 0; i < summary->program_op_count && summary->has_program_ops; i++) {
        const struct op_row *op = &summary->program_ops[i];
        const enum device_class class =
            device_class_told(op->device_class, op->opcode, op->category, op->name);
        if (!op->asynchronous && (class == DEVICE_COMPUTE || class == DEVICE_CONTAINER))
            own->ps[phase_of_op(op)] += (double)op->steady_self_ps;
    }
    if (!summary->has_program_ops)
        phases_collect(profile, own);
    for (size_t i = 0; i < profile->space_count && explaining->cut == NULL; i++)
        explaining->cut = space_unread_told(&profile->spaces[i], explaining->arena);
    return examination_add(&explaining->examination, profile, summary, err);
}

/* What all of the profile's files tell; one that cannot be read is left out, by name. */
static bool files_read(struct explaining *explaining, const struct profile_files *profile,
                       const struct ingest_options *options, struct err *err)
{
    const struct host_question question = {
        .read = host_read, .context = explaining, .programs = true};
    struct ingest_options asked = *options;
    struct summary summary;
    asked.question = &question;
    asked.tells_launches = true;
    asked.leaves_broken = !options->strict_input;
    if (!ingest_summarize(profile, &asked, explaining->arena, &summary, err))
        return false;
    struct step_list *steps = &explaining->examination.steps;
    step_list_join(steps, &summary);
    if (steps->left != NULL)
        unseen_add(explaining, steps->left);
    for (size_t i = 0; i < summary.coverage.warnings.count; i++)
        unseen_add(explaining, summary.coverage.warnings.items[i]);
    return true;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void part_add(struct explanation *explanation, const char *name, const char *parent,
                     double us)
{
    struct explained_part *part = &explanation->parts[explanation->part_count++];
    *part = (struct explained_part){.name = name, .parent = parent, .average_us = us};
    if (explanation->step_us > 0)
        part->share = some_f64(us / explanation->step_us);
}

/* Own times are an average over devices and count what runs side by side twice: what they miss of
 * the slowest device's compute, or have too much, is told. */
static void phases_add(const struct explaining *explaining, double compute_us,
                       struct explanation *explanation)
{
    struct host_phases all = {.spans = 0};
    double rest_us = compute_us;
    for (size_t h = 0; h < explaining->host_count; h++) {
        const struct host_phases *own = &explaining->hosts[h];
        if (step_list_host(&explaining->examination.steps, (int64_t)h + 1)->is_left)
            continue;
        all.spans += own->spans;
        for (size_t i = 0; i < PHASE_COUNT; i++)
            all.ps[i] += own->ps[i];
    }
    for (size_t i = 0; i < PHASE_COUNT && all.spans > 0; i++) {
        const double us = all.ps[i] / ps_per_us / all.spans;
        if (us <= 0)
            continue;
        part_add(explanation, phase_names[i], step_part_names[STEP_COMPUTE], us);
        rest_us -= us;
    }
    if (all.spans > 0)
        part_add(explanation, "difference of devices and streams", step_part_names[STEP_COMPUTE],
                 rest_us);
}

static void parts_make(struct explaining *explaining, struct explanation *explanation)
{
    const struct step_list *steps = &explaining->examination.steps;
    const struct step_waits waits = step_list_waits(steps);
    const struct collective_times collectives = step_list_collectives(steps);
    enum { OF_COLLECTIVES = 2 };
    explanation->parts = arena_array(explaining->arena, struct explained_part,
                                     STEP_PART_COUNT + PHASE_COUNT + 1 + OF_COLLECTIVES);
    explanation->step_us = step_list_stats(steps, STEP_PART_COUNT, READING_OURS).average.value;
    explanation->step_median_us = step_list_middle_us(steps);
    explanation->residual_us = explanation->step_us;
    explanation->period_us = waits.period_us;
    explanation->between_us = waits.between_us;
    explanation->input_wait_us = waits.input_us;
    explanation->input_wait_between_us = waits.input_between_us;
    explanation->input_wait_share = waits.input_share;
    explanation->compile_wait_us = waits.compile_us;
    explanation->compile_wait_between_us = waits.compile_between_us;
    for (int part = 0; part < STEP_PART_COUNT; part++) {
        const double us = step_list_stats(steps, (enum step_part)part, READING_OURS).average.value;
        if (steps->absent[part] != NULL) {
            unseen_add(explaining, arena_printf(explaining->arena, "%s: %s", step_part_names[part],
                                                steps->absent[part]));
            continue;
        }
        explanation->residual_us -= us;
        part_add(explanation, step_part_names[part], "step", us);
        if (part == STEP_COMPUTE)
            phases_add(explaining, us, explanation);
        if (part == STEP_COLLECTIVES && collectives.waiting_us > 0) {
            part_add(explanation, "moving data", step_part_names[part], collectives.moving_us);
            part_add(explanation, "waiting for slower devices", step_part_names[part],
                     collectives.waiting_us);
        }
    }
}

static bool findings_make(struct explaining *explaining, struct explanation *explanation,
                          struct err *err)
{
    const struct finding_list *findings = &explaining->examination.findings;
    const char *unlooked[UNLOOKED_MOST];
    const size_t count = examination_unlooked(&explaining->examination, unlooked);
    if (!examination_settle(&explaining->examination, err))
        return false;
    for (size_t i = 0; i < count; i++)
        unseen_add(explaining, unlooked[i]);
    explanation->findings =
        arena_array(explaining->arena, struct explained_finding, findings->count);
    explanation->finding_count = findings->count;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        explanation->findings[i] = (struct explained_finding){
            .finding = finding->rule,
            .evidence = finding->evidence,
            .remedy = finding->remedy,
            .op_name = finding->op,
            .host = finding->host,
            .share = finding->share,
            .time_per_step_us = finding->time_us,
            .count = finding->count,
        };
    }
    return true;
}

/* Of tables that xprof made, which are all there is of a profile: steps and their parts. */
static bool tables_read(struct explaining *explaining, const struct profile_files *profile,
                        struct err *err)
{
    const bool several = profile->table_count > 0;
    struct xprof_tables tables;
    if (!xprof_read(several ? profile->tables : profile->files, several ? profile->table_count : 1,
                    explaining->arena, &tables, err))
        return false;
    xprof_steps(&tables, &explaining->examination.steps);
    unseen_add(explaining,
               "tables that xprof made are all there is of the profile: nothing tells ops, phases, "
               "what passes between steps or which steps are warm-up, and findings are those of "
               "the steps' times alone");
    if (explaining->examination.steps.count > 0)
        return true;
    const char *names = "";
    for (size_t i = 0; i < tables.path_count; i++)
        names = arena_printf(tables.arena, "%s%s%s", names, i == 0 ? "" : ", ",
                             path_base(tables.paths[i]));
    return err_set(err, ERR_INPUT,
                   "no explanation of '%s': it is tables that xprof made (%s), and none of them "
                   "tells the times of steps, as overview_page and input_pipeline_analyzer do: add "
                   "one, or give the profile itself (*.xplane.pb)%s",
                   profile->path, names, xprof_unread(&tables));
}

bool ingest_explain(const struct profile_files *profile, const struct ingest_options *options,
                    struct arena *arena, struct explanation *ret_explanation, struct err *err)
{
    struct explaining explaining = {
        .arena = arena, .examination = {.steps = {.arena = arena}, .findings = {.arena = arena}}};
    const bool of_tables = profile->file_count == 1 && xprof_is_table(profile->files[0]);
    if (!format_has_times(profile, "explanation", err) ||
        !(of_tables ? tables_read(&explaining, profile, err)
                    : files_read(&explaining, profile, options, err)))
        return false;
    struct step_list *steps = &explaining.examination.steps;
    if (steps->count == 0)
        return step_list_refuse("explanation", profile->path, explaining.cut, err);
    step_list_settle(steps);
    struct explanation explanation = {
        .schema_version = "explanation.v1",
        .profile = profile->path,
        .step_method = steps->method,
        .device_type = steps->device_type,
        .host_count = {!of_tables || steps->host_count > 0, steps->host_count},
        .left_host_count =
            steps->left_count > 0 ? some_i64(steps->left_count) : (struct opt_i64){0},
        .device_count = {!of_tables || steps->device_count > 0, steps->device_count},
    };
    for (size_t i = 0; i < steps->count; i = step_list_next(steps, i)) {
        explanation.step_count += steps->items[i].times.numbered;
        explanation.steady_step_count +=
            steps->items[i].times.numbered && steps->items[i].warmup == NULL;
    }
    parts_make(&explaining, &explanation);
    if (!findings_make(&explaining, &explanation, err))
        return false;
    explanation.unseen = explaining.unseen;
    explanation.host_kind = "host";
    for (size_t i = 0; explanation.host_count.value > 1 && i < profile->file_count; i++) {
        const struct file_place place = file_place_of(profile->files[i], arena);
        if (place.machine != NULL || place.rank.set || place.process.set)
            explanation.host_kind = "process"; /* a worker's, a rank's */
    }
    *ret_explanation = explanation;
    return arena_ok(arena, "an explanation", err);
}
