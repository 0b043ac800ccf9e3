/* stepledger summarize: one profile in, profile_summary.v1 out; no database. */
#include "ops/cli/cli.h"
#include "ops/cli/files/remote.h"
#include "ops/cli/files/xprof_export.h"
#include "ops/cli/operand/operand.h"

#include <sys/stat.h>

enum { DOCUMENT_MAX_BYTES = 1 << 30 };

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The reference's order when several are given: file, artifact, run, directory; an operand is what
 * it is found to be. */
static bool find_profile(struct cli *cli, struct profile_files *ret_profile,
                         struct remote_profile *ret_remote, struct err *err)
{
    const char *trace = cli_text(cli, "trace-file"), *xplane = cli_text(cli, "xplane-file");
    const char *file = trace != NULL ? trace : xplane;
    const char *artifact = cli_text(cli, "artifact"), *run = cli_text(cli, "run-target");
    const char *directory = cli_text(cli, "profile-dir");
    if (cli->operand_count == 1) {
        if (file != NULL || artifact != NULL || run != NULL || directory != NULL)
            return err_set(err, ERR_USAGE, "'%s' and an option that names a profile: give one",
                           cli->operands[0]);
        *(is_directory(cli->operands[0]) ? &directory : &file) = cli->operands[0];
    }
    const char *tables = cli_text(cli, "xprof-tables");
    if (file != NULL)
        return ingest_file(file, &cli->arena, ret_profile, err);
    if (tables != NULL && artifact == NULL && run == NULL && directory == NULL)
        return true;
    bool remote = artifact != NULL || run != NULL;
    if (remote && !(artifact != NULL ? remote_artifact(cli, artifact, ret_remote, err)
                                     : remote_run(cli, run, ret_remote, err)))
        return false;
    if (!remote && directory == NULL)
        return err_set(err, ERR_INPUT,
                       "give a profile, or one of --trace-file, --xplane-file, --profile-dir, "
                       "--artifact, --run-target and --xprof-tables");
    return summarize_find(cli, remote ? ret_remote->path : directory, ret_profile, err);
}

/* The profile's summary; tables that are made here are put in as those that were made elsewhere. */
static bool profile_summarize(struct cli *cli, const struct profile_files *profile,
                              struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct progress_bar bar;
    struct ingest_options options;
    const char *folder = cli_text(cli, "xplane-output-dir");
    if (!summarize_options_all(cli, &options, err))
        return false;
    options.memory_profile = cli_text(cli, "memory-profile");
    if (folder == NULL)
        return summarize_profile(cli, profile, &options, arena, ret_summary, err);
    options = summarize_bar(cli, profile, &options, &bar);
    options.warn = summarize_warn;
    const struct xprof_export wanted = {folder, profile, &options};
    const bool done = xprof_export(&wanted, arena, ret_summary, err);
    bar_clear(&bar);
    return done;
}

static bool summarize(struct cli *cli, struct err *err)
{
    struct profile_files profile = {0};
    scoped_remote remote = {0};
    const char *tables = cli_text(cli, "xprof-tables");
    if (tables != NULL && cli_text(cli, "xplane-output-dir") != NULL)
        return err_set(err, ERR_USAGE,
                       "options --xprof-tables and --xplane-output-dir: give one of them");
    if (!find_profile(cli, &profile, &remote, err) ||
        (tables != NULL && !ingest_tables(tables, &cli->arena, &profile, err)) ||
        !summarize_output_check(cli, &profile, err))
        return false;
    scoped_arena arena;
    arena_init_within(&arena, cli->memory);
    struct summary summary;
    if (!profile_summarize(cli, &profile, &arena, &summary, err) ||
        !remote_describe(&remote, &arena, &summary, err))
        return false;
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    summary_print(&summary, JSON_STYLE_INDENTED, &text);
    return cli_emit(cli_text(cli, "output"), &text, err);
}

static const struct cli_option options[] = {
    {"trace-file", CLI_TEXT, "FILE", NULL, "one trace in Chrome's JSON (.trace.json, .gz or not)"},
    {"xplane-file", CLI_TEXT, "FILE", NULL, "one XPlane file (.xplane.pb)"},
    {"profile-dir", CLI_TEXT, "DIR", NULL, "a directory with one capture, one file per host"},
    {"artifact", CLI_TEXT, "NAME", NULL,
     "a W&B artifact of type jax_profile: ENTITY/PROJECT/NAME:ALIAS"},
    {"run-target", CLI_TEXT, "RUN", NULL,
     "a W&B run: ENTITY/PROJECT/RUN, its URL, or a bare id with --entity and --project"},
    {"xprof-tables", CLI_TEXT, "DIR", NULL,
     "tables that xprof made of the profile, or all there is of it (overview_page.json, ...)"},
    {"xplane-output-dir", CLI_TEXT, "DIR", NULL,
     "write tables as xprof exports them there, and put them in as --xprof-tables does"},
    {"xplane-count-trace-events", CLI_FLAG, NULL, NULL,
     "taken for the reference's sake: events are counted whatever it says"},
    CLI_REMOTE,
    CLI_WARMUP,
    CLI_HOT_OPS,
    CLI_MODE,
    CLI_META,
    CLI_MEMORY_PROFILE,
    CLI_STRICT_INPUT,
    CLI_READING,
    CLI_PROGRESS,
    {"output", CLI_TEXT, "FILE", NULL, "write the summary there and print the path"},
    CLI_END,
};

const struct cli_command cmd_summarize = {
    .name = "summarize",
    .line = "read a profile, print its summary as JSON",
    .operands = "[PROFILE]",
    .operand_max = 1,
    .options = options,
    .details =
        "PROFILE is an XPlane file, a trace in Chrome's JSON (of JAX, TensorFlow or\n"
        "PyTorch), or a directory with one capture, of which XPlane files are preferred; or a\n"
        "device memory profile, which tells no times. One that lies by a capture (memory.prof),\n"
        "or is named with --memory-profile, is read with it.\n\n"
        "--xprof-tables DIR: tables that xprof made of the profile (overview_page.json,\n"
        "kernel_stats.json, *.op_stats_v2.pb, ...) take the place of its step_time,\n"
        "time_breakdown and communication_ops, and add to hot_ops. Where their kernels and steps\n"
        "are not the profile's, that is said; --strict-input refuses them. Where the profile is\n"
        "gone, they are read by themselves: as DIR, or as a PROFILE, such a file or folder.\n\n"
        "--xplane-output-dir DIR: the same tables, made here: overview_page.json (of GPUs),\n"
        "input_pipeline_analyzer.json, kernel_stats.json, framework_op_stats.json,\n"
        "hlo_stats.json, op_profile.json, roofline_model.json, memory_profile.json, as far as\n"
        "the profile gives them. The reference has xprof make them and merges them.\n\n"
        "Prints profile_summary.v1 with the members that stepledger adds beside it\n"
        "(producer, environment, steps, other_steps, devices, ops, coverage, sources,\n"
        "memory, capture). Needs no database. coverage.warnings says what is missing or in doubt:\n"
        "hosts without events, files in another form, steps that a device lacks.\n\n"
        "Steps are, whichever comes first: a device's line Steps; the host's step\n"
        "annotations; runs (TPU) or launches (GPU) of the program that takes most time;\n"
        "without ops of devices the host's annotations by themselves, or its calls of the\n"
        "compiled function that takes most time. What came once or twice gives way to what\n"
        "repeats. Warm-up steps are left out of steady figures and named with the reason: the\n"
        "host compiled meanwhile, or the first steps are apart from the rest by more than\n"
        "their noise. --warmup-steps, warmup_steps in the configuration, or in a policy for a\n"
        "workload, fixes a number instead.\n\n"
        "Of a run: the profile in trainer.log_dir of its configuration, else its own output\n"
        "artifact. The API key comes from WANDB_API_KEY, netrc, or [wandb] api_key.\n\n"
        "exit: 0 done · 1 error · 2 usage",
    .run = summarize,
    .compatible = true,
};
