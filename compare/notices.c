/* Implements the notices. */
#include "compare/notices.h"

#include <string.h>

/* XLA's flag with nothing behind it: every kernel is launched and traced by itself, which reads
 * well and runs slower. */
static const char buffers_off[] = "--xla_gpu_enable_command_buffer=";

static bool command_buffers_off(const struct summary *summary)
{
    const struct fact *flags = environment_fact(&summary->environment, "xla_flags");
    const char *found =
        flags == NULL || flags->value == NULL ? NULL : strstr(flags->value, buffers_off);
    if (found == NULL)
        return false;
    char next = found[sizeof buffers_off - 1];
    return next == '\0' || next == ' ' || next == '"' || next == '\'';
}

static bool is_truncated(const struct summary *summary)
{
    return summary->trace_overview.suspected_truncation || summary->coverage.bytes_unread > 0;
}

static bool is_warmup_alone(const struct summary *summary)
{
    return summary->steps.count > 0 && summary->steps.steady_count == 0;
}

static const struct notice {
    bool (*holds)(const struct summary *summary);
    const char *text;
} notices[] = {
    {is_truncated, "is truncated: it does not hold the whole capture"},
    {is_warmup_alone, "holds warm-up steps alone"},
    {command_buffers_off, "was taken with command buffers off, which slows the run"},
};

static void profile_notices(struct judgement *judgement, const struct gate_profile *profile)
{
    for (size_t i = 0; i < sizeof notices / sizeof notices[0]; i++) {
        if (notices[i].holds(profile->summary))
            message_add(judgement, "%s %s.", profile->profile_id, notices[i].text);
    }
}

static bool set_has_run(const struct profile_set *set, const char *run)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(gate_run_id(set->items[i]), run) == 0)
            return true;
    }
    return false;
}

void notices_add(struct judgement *judgement, const struct profile_sets *sets)
{
    for (size_t i = 0; i < sets->baseline.count; i++)
        profile_notices(judgement, sets->baseline.items[i]);
    for (size_t i = 0; i < sets->candidate.count; i++) {
        const struct gate_profile *profile = sets->candidate.items[i];
        profile_notices(judgement, profile);
        if (set_has_run(&sets->baseline, gate_run_id(profile)))
            message_add(judgement, "Run %s stands on both sides.", gate_run_id(profile));
    }
}
