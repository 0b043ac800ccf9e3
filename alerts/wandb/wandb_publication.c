/* Implements the form of a summary's artifact, and the limits of names. */
#include "alerts/wandb/wandb_publication.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/json.h"
#include "schema/documents/summary_view.h"

#include <limits.h>
#include <string.h>

const char wandb_summary_type[] = "profile_summary";
const char wandb_summary_job[] = "profile-summary-publish";

enum {
    NAME_MAX_CHARS = 128,
    TAG_MAX_CHARS = 64,
    TAIL_CHARS = 7,
    METADATA_MAX_KEYS = 100,
    VIEW_MEMORY_BYTES = 1 << 20
};
#define DOCUMENT_MAX_BYTES ((size_t)1 << 30)

/* ---- names ---- */

static bool name_check(const char *what, const char *name, size_t max_chars, const char *forbidden,
                       struct err *err)
{
    size_t length = strlen(name), chars = text_utf8_count(name, length);
    if (text_utf8_valid(name, length) != length)
        return err_set(err, ERR_USAGE, "%s is not valid UTF-8", what);
    if (chars < 1 || chars > max_chars)
        return err_set(err, ERR_USAGE, "%s '%.200s' must have 1 to %zu characters", what, name,
                       max_chars);
    for (const char *p = name; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || strchr(forbidden, *p) != NULL)
            return err_set(err, ERR_USAGE, "%s '%.200s' must not hold control characters or %s",
                           what, name, forbidden);
    }
    return true;
}

/* The SDK logs to and uses artifacts of such names alone. */
static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-_.", c) != NULL;
}

static bool artifact_name_check(const char *name, struct err *err)
{
    if (!name_check("the artifact's name", name, NAME_MAX_CHARS, "/:", err))
        return false;
    for (const char *p = name; *p != '\0'; p++)
        if (!is_name_char(*p))
            return err_set(err, ERR_USAGE,
                           "the artifact's name '%.200s' must hold letters, digits, '-', '_' and "
                           "'.' alone: W&B's own clients log to no other",
                           name);
    return true;
}

const char *wandb_name_fit(const char *name, struct arena *arena)
{
    char *fit = arena_strdup(arena, name);
    char hex[SHA256_HEX_BYTES];
    char *end = fit;
    for (const char *p = fit; *p != '\0'; p++)
        if (((unsigned char)*p & 0xC0) != 0x80)
            *end++ = is_name_char(*p) ? *p : '-';
    *end = '\0';
    if (strlen(fit) <= NAME_MAX_CHARS)
        return fit;
    sha256_hex(name, strlen(name), hex);
    return arena_printf(arena, "%.*s-%.*s", NAME_MAX_CHARS - TAIL_CHARS - 1, fit, TAIL_CHARS, hex);
}

bool wandb_summary_name(const struct summary *summary, const char *given, struct arena *arena,
                        const char **ret_name, struct err *err)
{
    *ret_name = given;
    if (given != NULL)
        return artifact_name_check(given, err);
    char when[CLOCK_ISO_BYTES];
    int64_t made_us;
    if (summary->generated_at_utc == NULL || !clock_read_iso(summary->generated_at_utc, &made_us))
        made_us = clock_wall_us();
    const char *run = summary->run_metadata.run_id;
    const char *tail = run != NULL && run[0] != '\0' ? run : clock_compact(made_us, when);
    *ret_name = wandb_name_fit(arena_printf(arena, "profile-summary-%s", tail), arena);
    return true;
}

/* ---- documents about a summary ---- */

json_t *wandb_number(struct opt_f64 value)
{
    return value.set ? json_number(value.value) : json_null();
}

/* The times and shares of steps: of profile_summary.v1, and beside them ours, by the names of
 * schema/documents/measures.h. */
static void figures_set(json_t *object, const struct summary *summary,
                        const struct summary_view *view)
{
    const struct time_breakdown *time = &summary->time_breakdown;
    const struct duration_stats *steady = &summary->step_time.steady_state_steps;
    const struct {
        const char *name;
        struct opt_f64 value;
    } figures[] = {
        {"compute_share", some_f64(time->part[PART_COMPUTE].share_of_total)},
        {"communication_share", some_f64(time->part[PART_COMMUNICATION].share_of_total)},
        {"host_share", some_f64(time->part[PART_HOST].share_of_total)},
        {"stall_share", some_f64(time->part[PART_STALL].share_of_total)},
        {"step_median", steady->median},
        {"step_p90", steady->p90},
        {"steady_step_median_us", view->step_median_us},
        {"steady_step_p90_us", view->step_p90_us},
        {"device_busy_share", view->busy},
        {"device_compute_share", view->compute},
        {"exposed_communication_share", view->exposed_communication},
        {"overlapped_communication_share", view->overlapped_communication},
    };
    enum { THEIRS = 6 };
    const size_t count = summary->has_ours ? sizeof figures / sizeof figures[0] : THEIRS;
    for (size_t i = 0; i < count; i++)
        (void)json_object_set_new(object, figures[i].name, wandb_number(figures[i].value));
    if (summary->has_ours)
        (void)json_object_set_new(object, "steady_steps",
                                  json_integer((json_int_t)view->steady_steps));
}

/* Hardware and topology mean the same to both: where the run does not say them, the profile may. */
json_t *wandb_summary_metadata(const struct summary *summary)
{
    scoped_arena arena;
    arena_init(&arena, VIEW_MEMORY_BYTES);
    struct summary_view view = {0};
    summary_view_make(summary, &arena, &view);
    const struct run_metadata *run = &summary->run_metadata;
    const struct gap_before_op *gap =
        summary->gap_before_op_count > 0 ? summary->gap_before_ops : NULL;
    const struct {
        const char *name, *text;
    } texts[] = {
        {"schema_version", summary->schema_version},
        {"source_format", summary->source_format},
        {"source_path", summary->source_path},
        {"run_path", run->run_path},
        {"run_id", run->run_id},
        {"source_artifact_ref", run->artifact_ref},
        {"hardware_type", run->hardware_type != NULL ? run->hardware_type : view.device_type},
        {"mesh_or_topology", run->mesh_or_topology != NULL ? run->mesh_or_topology : view.topology},
        {"git_sha", run->git_sha},
        {"config_hash", run->config_hash},
        {"top_pre_gap_op", gap == NULL ? NULL : gap->name},
        {"generated_at_utc", summary->generated_at_utc},
    };
    json_t *object =
        json_pack("{s:o, s:I, s:I}", "top_pre_gap_total",
                  gap == NULL ? json_null() : json_number(gap->total_gap_duration),
                  "num_hierarchical_regions", (json_int_t)summary->hierarchical_region_count,
                  "num_gap_region_contexts", (json_int_t)summary->gap_region_context_count);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        (void)json_object_set_new(object, texts[i].name, json_text(texts[i].text));
    figures_set(object, summary, &view);
    return object;
}

json_t *wandb_summary_metrics(const struct summary *summary)
{
    scoped_arena arena;
    arena_init(&arena, VIEW_MEMORY_BYTES);
    struct summary_view view = {0};
    summary_view_make(summary, &arena, &view);
    json_t *object = json_object();
    figures_set(object, summary, &view);
    return object;
}

/* ---- limits ---- */

bool wandb_publication_check(const struct wandb_publication *publication, struct err *err)
{
    if (!artifact_name_check(publication->artifact_name, err))
        return false;
    for (size_t i = 0; i < publication->document_count; i++) {
        const struct wandb_document *document = &publication->documents[i];
        if (document->length > DOCUMENT_MAX_BYTES)
            return err_set(err, ERR_LIMIT, "'%.200s' has %zu bytes; at most 1 GiB is published",
                           document->name, document->length);
        if (!name_check("the document's name", document->name, NAME_MAX, ":\\", err))
            return false;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(document->name, publication->documents[k].name) == 0)
                return err_set(err, ERR_USAGE,
                               "two documents are called '%.200s'; an artifact holds each name "
                               "once, so rename one",
                               document->name);
        }
    }
    if (publication->document_count <= 0)
        return err_set(err, ERR_USAGE, "there is no document to publish");
    for (size_t i = 0; i < publication->aliases.count; i++) {
        if (!name_check("the alias", publication->aliases.items[i], NAME_MAX_CHARS, "/:", err))
            return false;
    }
    for (size_t i = 0; i < publication->run_tags.count; i++) {
        const char *tag = publication->run_tags.items[i];
        if (!name_check("the tag", tag, TAG_MAX_CHARS, "", err))
            return false;
    }
    return json_object_size(publication->metadata) <= METADATA_MAX_KEYS ||
           err_set(err, ERR_USAGE, "the metadata has more than %d members", METADATA_MAX_KEYS);
}
