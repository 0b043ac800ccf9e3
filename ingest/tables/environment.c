/* The facts that decide whether profiles can be compared: hardware, counts, versions, options.
 *
 * What the file says comes first; `--meta` fills what it does not say, and may not contradict it.
 */
#include "ingest/source/source.h"
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"
#include "ingest/xplane/xplane.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

/* Plane stats that are facts, and their names in schema/documents/provenance_fields.h. First one
 * wins. */
static const struct {
    const char *stat, *fact;
} stat_facts[] = {
    {"cuda_runtime_version", "cuda_version"},
    {"cuda_version", "cuda_version"},
    {"cuda_driver_version", "driver_version"},
    {"libtpu_version", "libtpu_version"},
    {"jax_version", "jax_version"},
    {"jaxlib_version", "jaxlib_version"},
    {"xla_flags", "xla_flags"},
    {"profile_options", "profiler_options"},
    {"device_vendor", "device_vendor"},
    {"core_count", "core_count"},
    {"clock_rate", "clock_rate_khz"},
    {"memory_size", "memory_bytes"},
    {"has_megacore", "has_megacore"},
};

/* ---- facts ----------------------------------------------------------------------------------- */

static void plane_facts(struct fact_list *facts, const struct xplane *plane)
{
    bool is_task = strcmp(plane->name, "Task Environment") == 0;
    for (size_t i = 0; i < sizeof stat_facts / sizeof stat_facts[0]; i++) {
        const XStat *stat = plane_stat_find(plane, stat_facts[i].stat);
        const char *value;
        plane_stat_text(plane, stat, facts->arena, &value);
        if (value != NULL)
            fact_add(facts, (struct fact){stat_facts[i].fact, value,
                                          is_task ? "task_environment" : "plane_stat"});
    }
}

/* ---- devices --------------------------------------------------------------------------------- */

/* The generation of an Nvidia GPU by its compute capability. Those of 11.0 and 12.x have cores of
 * their own, which do a fraction of what those of 10.x do. */
static const char *nvidia_generation(double major, double minor)
{
    static const struct {
        int major, minor;
        const char *name;
    } generations[] = {{12, 0, "Blackwell RTX"},
                       {11, 0, "Blackwell Thor"},
                       {10, 0, "Blackwell"},
                       {9, 0, "Hopper"},
                       {8, 9, "Ada"},
                       {8, 0, "Ampere"},
                       {7, 5, "Turing"},
                       {7, 0, "Volta"},
                       {6, 0, "Pascal"}};
    for (size_t i = 0; i < sizeof generations / sizeof generations[0]; i++) {
        if (major > generations[i].major ||
            (major == generations[i].major && minor >= generations[i].minor))
            return generations[i].name;
    }
    return "";
}

const char *plane_device_type(struct arena *arena, const struct xplane *plane,
                              const char **ret_source)
{
    static const char *const stats[] = {"device_type_string", "gpu_device_name"};
    static const char prefix[] = "/device:";
    const char *told = NULL, *vendor;
    *ret_source = "plane_stat";
    for (size_t i = 0; i < sizeof stats / sizeof stats[0] && told == NULL; i++)
        plane_stat_text(plane, plane_stat_find(plane, stats[i]), arena, &told);
    if (told != NULL)
        return told;
    const struct opt_f64 major = plane_stat_positive(plane_stat_find(plane, "compute_cap_major"));
    const struct opt_f64 minor = plane_stat_positive(plane_stat_find(plane, "compute_cap_minor"));
    plane_stat_text(plane, plane_stat_find(plane, "device_vendor"), arena, &vendor);
    if (major.set)
        return vendor != NULL && strcmp(vendor, "AMD") == 0
                   ? arena_printf(arena, "AMD GPU (gfx%.0f%.0f)", major.value, minor.value)
                   : arena_printf(arena, "Nvidia GPU (%s)",
                                  nvidia_generation(major.value, minor.value));
    const char *kind = plane->name + strlen(prefix);
    const size_t length = strcspn(kind, ":");
    *ret_source = "plane_name";
    return length > 0 ? arena_strndup(arena, kind, length) : NULL;
}

static void peaks_build(struct profile *profile, struct summary *summary)
{
    struct environment *environment = &summary->environment;
    environment->peaks = arena_array(profile->arena, struct device_peak, summary->device_count);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct xplane *plane = state->plane;
        if (state->device == UINT32_MAX)
            continue;
        struct device_peak peak = {
            .device = summary->devices[state->device].name,
            .tflops = plane_stat_positive(plane_stat_find(plane, "peak_teraflops_per_second")),
            .hbm_gb_per_s =
                plane_stat_positive(plane_stat_find(plane, "peak_hbm_bw_gigabytes_per_second")),
            .source = "plane_stat",
        };
        if (!peak.hbm_gb_per_s.set)
            peak.hbm_gb_per_s =
                plane_stat_positive(plane_stat_find(plane, "peak_hbm_bw_gigabyterps"));
        struct opt_f64 bandwidth = plane_stat_positive(plane_stat_find(plane, "memory_bandwidth"));
        if (!peak.hbm_gb_per_s.set && bandwidth.set)
            peak.hbm_gb_per_s = some_f64(bandwidth.value / 1e9);
        if (peak.tflops.set || peak.hbm_gb_per_s.set)
            environment->peaks[environment->peak_count++] = peak;
    }
}

/* Of devices those that ran something count; when none did, those that the file has. */
static void devices_build(struct profile *profile, struct fact_list *facts, struct summary *summary)
{
    struct environment *environment = facts->environment;
    int64_t count = (int64_t)summary->device_count;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        const char *digits = strrchr(plane->name, ':'), *source;
        count += summary->device_count == 0 && plane->is_device && digits != NULL &&
                 digits[1] != '\0' && strspn(digits + 1, "0123456789") == strlen(digits + 1);
        if (!plane->is_device || environment->device_type != NULL ||
            (summary->device_count > 0 && profile->planes[p].device == UINT32_MAX))
            continue;
        environment->device_type = plane_device_type(profile->arena, plane, &source);
        if (environment->device_type != NULL)
            fact_add(facts, (struct fact){"device_type", environment->device_type, source});
    }
    if (count > 0)
        environment->device_count = some_i64(count);
    peaks_build(profile, summary);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- options --------------------------------------------------------------------------------- */

static bool conflict(const struct fact *meta, const char *said, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "--meta %s=%s contradicts the profile, which says '%s'; leave the option out or "
                   "check that it is the right profile",
                   meta->name, meta->value, said);
}

static bool number_fill(const struct fact *meta, struct opt_i64 *member, struct err *err)
{
    int64_t value;
    char said[24];
    if (!text_parse_i64(meta->value, &value) || value < 1)
        return err_set(err, ERR_INPUT, "--meta %s=%s: expected a number above 0", meta->name,
                       meta->value);
    if (member->set && member->value != value) {
        (void)snprintf(said, sizeof said, "%lld", (long long)member->value);
        return conflict(meta, said, err);
    }
    *member = some_i64(value);
    return true;
}

static bool text_fill(const struct fact *meta, const char **member, struct err *err)
{
    if (*member != NULL && strcmp(*member, meta->value) != 0)
        return conflict(meta, *member, err);
    *member = meta->value;
    return true;
}

/* What a trace's process is called says less of a device than who ran it can: "TPU" than "TPU v6e".
 */
static bool device_type_fill(const struct fact *meta, struct environment *environment,
                             struct err *err)
{
    const size_t length = environment->device_type == NULL ? 0 : strlen(environment->device_type);
    if (length > 0 && strncmp(meta->value, environment->device_type, length) == 0 &&
        meta->value[length] == ' ') {
        environment->device_type = meta->value;
        for (size_t i = 0; i < environment->fact_count; i++)
            if (strcmp(environment->facts[i].name, meta->name) == 0)
                environment->facts[i] = *meta;
    }
    return text_fill(meta, &environment->device_type, err);
}

/* Options that are members of run_metadata. */
static bool run_fill(const struct fact *meta, struct run_metadata *run, bool *ret_taken,
                     struct err *err)
{
    const struct {
        const char *name;
        const char **member;
    } texts[] = {{"run_path", &run->run_path},
                 {"run_id", &run->run_id},
                 {"artifact_ref", &run->artifact_ref},
                 {"artifact_name", &run->artifact_name},
                 {"hardware_type", &run->hardware_type},
                 {"mesh_or_topology", &run->mesh_or_topology},
                 {"git_sha", &run->git_sha},
                 {"config_hash", &run->config_hash}};
    *ret_taken = true;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].name, meta->name) == 0)
            return text_fill(meta, texts[i].member, err);
    }
    *ret_taken = false;
    return true;
}

/* What nobody can have captured would be kept, and used by nothing. */
static bool captured_check(const struct fact *meta, struct err *err)
{
    int64_t wall_us;
    if (!clock_read_iso(meta->value, &wall_us))
        return err_set(err, ERR_USAGE,
                       "the fact " CAPTURED_AT_FACT " is '%s', which is no time such as "
                       "2026-11-30T07:00:00.000000Z (--captured-at writes it)",
                       meta->value);
    if (wall_us < 0 || wall_us > clock_wall_us())
        return err_set(err, ERR_USAGE,
                       "the fact " CAPTURED_AT_FACT " is '%s', which is %s: say when it was "
                       "captured, or leave it out, and the profile's own clock says it",
                       meta->value, wall_us < 0 ? "before 1970" : "still to come");
    return true;
}

static bool meta_fill(struct fact_list *facts, const struct fact *meta, struct summary *summary,
                      struct err *err)
{
    /* of the capture, of which a file is a part */
    static const char *const counts[] = {"num_devices", "num_hosts", "device_count", "host_count"};
    struct environment *environment = facts->environment;
    bool taken;
    if (!run_fill(meta, &summary->run_metadata, &taken, err))
        return false;
    if (text_is_one(meta->name, counts) || (taken && strcmp(meta->name, "config_hash") != 0))
        return true;
    if (strcmp(meta->name, CAPTURED_AT_FACT) == 0 && !captured_check(meta, err))
        return false;
    if (strcmp(meta->name, "topology") == 0)
        return text_fill(meta, &environment->topology, err);
    if (strcmp(meta->name, "device_type") == 0 && !device_type_fill(meta, environment, err))
        return false;
    const struct fact *known = fact_find(environment, meta->name);
    if (known != NULL && strcmp(known->value, meta->value) != 0)
        return conflict(meta, known->value, err);
    fact_add(facts, *meta);
    return true;
}

bool environment_build(struct profile *profile, struct summary *summary, struct err *err)
{
    struct environment *environment = &summary->environment;
    struct fact_list facts = {profile->arena, environment, 0};
    const char **hosts = arena_array(profile->arena, const char *, profile->space_count);
    size_t count = 0;
    for (size_t i = 0; i < profile->space_count; i++)
        if (profile->spaces[i].host != NULL)
            hosts[count++] = profile->spaces[i].host;
    qsort(hosts, count, sizeof *hosts, compare_texts);
    environment->hosts = (struct string_list){count == 0 ? NULL : hosts, count};
    environment->host_count = some_i64((int64_t)profile->space_count);
    devices_build(profile, &facts, summary);
    if (profile->is_kept && !programs_build(profile, environment, err))
        return false;
    for (size_t p = 0; p < profile->plane_count; p++)
        plane_facts(&facts, profile->planes[p].plane);
    for (size_t i = 0; i < profile->options->meta_count; i++) {
        if (!meta_fill(&facts, &profile->options->meta[i], summary, err))
            return false;
    }
    facts_sort(environment);
    return arena_ok(profile->arena, "the environment of a profile", err);
}

bool environment_counts(struct summary *summary, const struct ingest_options *options,
                        struct err *err)
{
    struct environment *environment = &summary->environment;
    struct opt_i64 stated = {0};
    for (size_t i = 0; i < options->meta_count; i++) {
        const struct fact *meta = &options->meta[i];
        struct opt_i64 *hosts = &summary->run_metadata.num_hosts;
        bool filled = true;
        if (strcmp(meta->name, "num_devices") == 0)
            filled = number_fill(meta, &summary->run_metadata.num_devices, err);
        else if (strcmp(meta->name, "num_hosts") == 0)
            filled = number_fill(meta, hosts, err);
        else if (strcmp(meta->name, "host_count") == 0)
            filled = number_fill(meta, &stated, err) &&
                     (stated.value >= environment->host_count.value ||
                      number_fill(meta, &environment->host_count, err));
        else if (strcmp(meta->name, "device_count") == 0 && summary->capture.missing.count == 0)
            filled = number_fill(meta, &environment->device_count, err);
        if (!filled)
            return false;
    }
    return true;
}
