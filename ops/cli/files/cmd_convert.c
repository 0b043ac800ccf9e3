/* stepledger convert: a profile as a trace to look at. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* "A:B", "A:", ":B", or one number alone. */
static bool steps_parse(const char *text, struct arena *arena, struct convert_request *request,
                        struct err *err)
{
    const char *colon = text == NULL ? NULL : strchr(text, ':');
    if (text == NULL)
        return true;
    const char *first = arena_strndup(arena, text, strcspn(text, ":"));
    const char *last = colon == NULL ? first : colon + 1;
    struct opt_i64 *ends[] = {&request->first_step, &request->last_step};
    const char *texts[] = {first, last};
    bool good = first[0] != '\0' || last[0] != '\0';
    for (int i = 0; i < 2; i++) {
        ends[i]->set = texts[i][0] != '\0';
        good = good && (!ends[i]->set || text_parse_i64(texts[i], &ends[i]->value));
    }
    if (!good)
        return err_set(err, ERR_USAGE,
                       "option --steps: '%s' is not of the form A:B (both are in), A:, :B or A",
                       text);
    if (request->first_step.set && request->last_step.set &&
        request->first_step.value > request->last_step.value)
        return err_set(err, ERR_USAGE, "option --steps: '%s' ends before it begins", text);
    return true;
}

static bool convert_to(struct cli *cli, const struct convert_request *request,
                       const struct profile_files *profile, struct err *err)
{
    struct ingest_options options;
    struct progress_bar bar;
    struct convert_report report;
    scoped_arena arena;
    arena_init_within(&arena, cli->memory);
    ingest_options_init(&options);
    ingest_options_configure(&options, &cli->conf);
    if (cli_given(cli, "warmup-steps"))
        ingest_options_fix_warmup(&options, cli_int(cli, "warmup-steps"));
    options.strict_input = cli_given(cli, "strict-input");
    options.capture_key = cli_text(cli, "capture");
    if (cli_given(cli, "step-range") &&
        !ingest_options_name_steps(&options, cli_text(cli, "step-range"), err))
        return false;
    const struct ingest_options with_bar = summarize_bar(cli, profile, &options, &bar);
    bool done = ingest_convert(request, profile, &with_bar, &arena, &report, err);
    bar_clear(&bar);
    if (!done)
        return false;
    const char *path = cli->operands[0];
    if (report.dropped_count > 0) {
        const char *why = arena_printf(&arena,
                                       "%" PRId64 " events without a duration, a place in time or "
                                       "a name are not in the trace",
                                       report.dropped_count);
        log_event(LOG_WARN, LOG_input_warning, "file", path, "why", why, NULL);
    }
    for (size_t i = 0; i < report.notes.count; i++)
        log_event(LOG_WARN, LOG_input_warning, "file", path, "why", report.notes.items[i], NULL);
    return true;
}

static bool convert(struct cli *cli, struct err *err)
{
    struct profile_files profile;
    struct convert_request request = {
        .fd = STDOUT_FILENO, .name = "standard output", .device = cli_text(cli, "device")};
    const char *path = cli_text(cli, "output");
    if (!steps_parse(cli_text(cli, "steps"), &cli->arena, &request, err) ||
        !summarize_operand(cli, cli->operands[0], &profile, err))
        return false;
    if (path == NULL && isatty(STDOUT_FILENO))
        return err_set(err, ERR_USAGE,
                       "what is written is compressed and not for a terminal: give --output FILE");
    if (path == NULL)
        return convert_to(cli, &request, &profile, err);
    scoped_file_output output = {.fd = -1};
    const char *line = arena_printf(&cli->arena, "%s\n", path);
    if (!file_output_open(&output, path, &cli->arena, err))
        return false;
    request.fd = output.fd;
    request.name = path;
    return convert_to(cli, &request, &profile, err) && file_output_finish(&output, err) &&
           cli_write(line, strlen(line), err);
}

static const struct cli_option options[] = {
    {"to", CLI_CHOICE, "perfetto-json", NULL, "the form to write"},
    {"output", CLI_TEXT, "FILE", NULL,
     "write the trace there and print the path (default: standard output, not on a terminal)"},
    {"steps", CLI_TEXT, "A:B", NULL, "only what lies in these steps; both are in"},
    {"device", CLI_TEXT, "D", NULL, "only this device, as `summarize` names it"},
    CLI_WARMUP,
    CLI_CAPTURE,
    CLI_STRICT_INPUT,
    CLI_READING,
    CLI_PROGRESS,
    CLI_END,
};

const struct cli_command cmd_convert = {
    .name = "convert",
    .line = "write a profile as a trace for Perfetto: all of it, or some steps",
    .operands = "PROFILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .required = "to",
    .details =
        "PROFILE is an XPlane file, a trace in Chrome's JSON, an export of Nsight Systems, or a\n"
        "directory with one capture. What is written is Chrome's JSON, compressed with gzip,\n"
        "for https://ui.perfetto.dev or chrome://tracing: every event that lasts, without the cap\n"
        "of a million events that profilers' own traces have, with its time to the picosecond.\n"
        "Processes are devices and hosts, threads their lines; arguments of an op what the\n"
        "profile tells of it, and `step`, the step that `summarize` counts it to. Steps are\n"
        "a process above each device, unless the device has a line of them itself.\n\n"
        "--steps A:B keeps the ops of these steps, and of all else what starts in them: on a\n"
        "host in their annotation, without annotations while a device was in one. --steps A is\n"
        "one step, A: and :B run to an end. --device keeps the lines and steps of one device,\n"
        "none of a host. An output that could not be written whole is not there.\n\n"
        "exit: 0 written · 2 usage · 6 no such path, step or device · 65 the profile cannot be\n"
        "      read, or nothing is left to write · 75 disk full",
    .run = convert,
};
