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

bool wandb_name_fit(const char *name, struct arena *arena, const char **ret_name, struct err *err)
{
    char *fit = arena_strdup(arena, name);
    char hex[SHA256_HEX_BYTES];
    if (fit == NULL)
        return arena_failed(arena, "the artifact's name", err);
    char *end = fit;
    for (const char *p = fit; *p != '\0'; p++)
        if (((unsigned char)*p & 0xC0) != 0x80)
            *end++ = is_name_char(*p) ? *p : '-';
    *end = '\0';
    *ret_name = fit;
    if (strlen(fit) <= NAME_MAX_CHARS)
        return true;
    if (!sha256_hex(name, strlen(name), hex, err))
        return false;
    *ret_name =
        arena_printf(arena, "%.*s-%.*s", NAME_MAX_CHARS - TAIL_CHARS - 1, fit, TAIL_CHARS, hex);
    return *ret_name != NULL || arena_failed(arena, "the artifact's name", err);
}

bool wandb_summary_name(const struct summary *summary, const char *given, struct arena *arena,
                        const char **ret_name, struct err *err)
{
    *ret_name = given;
    if (given != NULL)
        return artifact_name_check(given, err);
    char when[CLOCK_ISO_BYTES];
    const char *run = summary->run_metadata.run_id;
    const char *tail = run != NULL && run[0] != '\0' ? run : clock_compact(clock_wall_us(), when);
    const char *name = arena_printf(arena, "profile-summary-%s", tail);
    return name == NULL ? arena_failed(arena, "the artifact's name", err)
                        : wandb_name_fit(name, arena, ret_name, err);
}

/* ---- documents about a summary ---- */

json_t *wandb_number(struct opt_f64 value)
{
    return value.set ? json_number(value.value) : json_null();
}

static bool member_set(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

/* Hardware and topology mean the same to both: where the run does not say them, the profile may. */
static bool texts_set(json_t *object, const struct summary *summary,
                      const struct summary_view *view)
{
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
        {"hardware_type", run->hardware_type != NULL ? run->hardware_type : view->device_type},
        {"mesh_or_topology",
         run->mesh_or_topology != NULL ? run->mesh_or_topology : view->topology},
        {"git_sha", run->git_sha},
        {"config_hash", run->config_hash},
        {"top_pre_gap_op", gap == NULL ? NULL : gap->name},
        {"generated_at_utc", summary->generated_at_utc},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!member_set(object, texts[i].name, json_text(texts[i].text)))
            return false;
    }
    json_t *total = gap == NULL ? json_null() : json_number(gap->total_gap_duration);
    return member_set(object, "top_pre_gap_total", total);
}

static bool times_set(json_t *object, const struct summary *summary)
{
    static const struct {
        const char *name;
        enum breakdown_part part;
    } shares[] = {{"compute_share", PART_COMPUTE},
                  {"communication_share", PART_COMMUNICATION},
                  {"host_share", PART_HOST},
                  {"stall_share", PART_STALL}};
    const struct duration_stats *steady = &summary->step_time.steady_state_steps;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        double share = summary->time_breakdown.part[shares[i].part].share_of_total;
        if (!member_set(object, shares[i].name, json_number(share)))
            return false;
    }
    return member_set(object, "step_median", wandb_number(steady->median)) &&
           member_set(object, "step_p90", wandb_number(steady->p90));
}

/* Ours, by the names of schema/documents/measures.h, beside those of profile_summary.v1. */
static bool measures_set(json_t *object, const struct summary_view *view)
{
    const struct {
        const char *name;
        struct opt_f64 value;
    } measures[] = {
        {"steady_step_median_us", view->step_median_us},
        {"steady_step_p90_us", view->step_p90_us},
        {"device_busy_share", view->busy},
        {"device_compute_share", view->compute},
        {"exposed_communication_share", view->exposed_communication},
        {"overlapped_communication_share", view->overlapped_communication},
    };
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++) {
        if (!member_set(object, measures[i].name, wandb_number(measures[i].value)))
            return false;
    }
    return member_set(object, "steady_steps", json_integer((json_int_t)view->steady_steps));
}

static bool view_make(const struct summary *summary, struct arena *arena, struct summary_view *view,
                      struct err *err)
{
    arena_init(arena, VIEW_MEMORY_BYTES);
    return summary_view_make(summary, arena, view) ||
           arena_failed(arena, "what a summary says", err);
}

json_t *wandb_summary_metadata(const struct summary *summary, struct err *err)
{
    scoped_arena arena;
    struct summary_view view;
    if (!view_make(summary, &arena, &view, err))
        return NULL;
    json_t *object = json_object();
    if (texts_set(object, summary, &view) && times_set(object, summary) &&
        (!summary->has_ours || measures_set(object, &view)) &&
        member_set(object, "num_hierarchical_regions",
                   json_integer((json_int_t)summary->hierarchical_region_count)) &&
        member_set(object, "num_gap_region_contexts",
                   json_integer((json_int_t)summary->gap_region_context_count)))
        return object;
    json_decref(object);
    (void)err_set_memory(err, "no memory for the artifact's metadata");
    return NULL;
}

json_t *wandb_summary_metrics(const struct summary *summary, struct err *err)
{
    scoped_arena arena;
    struct summary_view view;
    if (!view_make(summary, &arena, &view, err))
        return NULL;
    json_t *object = json_object();
    if (times_set(object, summary) && (!summary->has_ours || measures_set(object, &view)))
        return object;
    json_decref(object);
    (void)err_set_memory(err, "no memory for the run's metrics");
    return NULL;
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
