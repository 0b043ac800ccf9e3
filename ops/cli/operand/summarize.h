/* What `summarize`, `ingest` and `gate` share: options of reading, progress, and --meta. */
#ifndef OPS_CLI_OPERAND_SUMMARIZE_H
#define OPS_CLI_OPERAND_SUMMARIZE_H

#include "ingest/ingest.h"
#include "ops/cli/cli.h"
#include "ops/flow/collect/collect.h"
#include "ops/flow/take_in/take_in.h"

#define CLI_STEP_RANGE \
    CLI_OPTION( \
        "step-range", CLI_TEXT, "REGEX", NULL, \
        "of exports of Nsight Systems: the NVTX ranges that are steps, with the number in " \
        "parentheses, such as 'Iteration ([0-9]+)' (default: train 12, step 12 and the like)")
#define CLI_WARMUP \
    CLI_OPTION( \
        "warmup-steps", CLI_INT, "N", NULL, \
        "steps with a smaller number are warm-up (default: what the data tell, and 5 for the " \
        "members of version 1)"), \
        CLI_STEP_RANGE
#define CLI_HOT_OPS CLI_OPTION("hot-op-limit", CLI_INT, "N", "25", "rows of hot_ops")
#define CLI_MODE \
    CLI_OPTION("breakdown-mode", CLI_CHOICE, "exclusive_per_track|exclusive_global", \
               "exclusive_per_track", "how time is broken down")
/* Facts of a step that no profile knows (figures.h): kept as --meta keeps them. */
#define CLI_STATED_OF_STEP \
    CLI_OPTION("model-flops-per-step", CLI_TEXT, "N", NULL, \
               "operations that the model asks for, of all devices and one step: MFU"), \
        CLI_OPTION("tokens-per-step", CLI_TEXT, "N", NULL, \
                   "tokens of all devices and one step: throughput")
#define CLI_CAPTURE \
    CLI_OPTION("capture", CLI_TEXT, "KEY", NULL, \
               "the files are hosts of one capture, whatever they say")
#define CLI_META \
    CLI_OPTION("meta", CLI_LIST, "K=V", NULL, \
               "a fact that the profile does not say, such as precision=bf16"), \
        CLI_STATED_OF_STEP, \
        CLI_OPTION( \
            "captured-at", CLI_TEXT, "TIME", NULL, \
            "when the profiles were captured, before their own clocks: 2026-11-30T07:00:00Z"), \
        CLI_OPTION( \
            "capture", CLI_TEXT, "KEY", NULL, \
            "the files are hosts of one capture, whatever they say; also those of later commands")
#define CLI_STRICT_INPUT \
    CLI_OPTION("strict-input", CLI_FLAG, NULL, NULL, \
               "refuse a truncated file instead of reading what is whole")
/* Of commands that read one capture: the options' memory_profile. */
#define CLI_MEMORY_PROFILE \
    CLI_OPTION( \
        "memory-profile", CLI_TEXT, "FILE", NULL, \
        "what jax.profiler.save_device_memory_profile wrote for the capture (default: what " \
        "lies by it)")
#define CLI_PROGRESS \
    CLI_OPTION("progress", CLI_FLAG, NULL, NULL, \
               "a progress bar on a terminal, also for small files")

/* Of every command that reads profiles. */
#define CLI_READING \
    CLI_TUNABLE("threads"), CLI_TUNABLE("max-events"), CLI_TUNABLE("max-metadata"), \
        CLI_TUNABLE("max-string-bytes"), CLI_TUNABLE("max-depth"), CLI_TUNABLE("max-planes"), \
        CLI_TUNABLE("max-lines")

/* Options of commands that take profiles into the ledger, beside what names them. */
#define CLI_TAKING_IN CLI_META, CLI_WARMUP, CLI_MODE, CLI_STRICT_INPUT, CLI_READING, CLI_PROGRESS

/* What one of CLI_STATED_OF_STEP states; not set: it was not given. ERR_USAGE: no number above 0.
 */
bool summarize_stated(const struct cli *cli, const char *option, struct opt_f64 *ret_number,
                      struct err *err);

/* Fills options from the command line; the command's table must hold the macros above. */
bool summarize_options(struct cli *cli, struct ingest_options *ret_options, struct err *err);

/* The same with --hot-op-limit, for commands that have it. */
bool summarize_options_all(struct cli *cli, struct ingest_options *ret_options, struct err *err);

/* The reading of profiles that go into the ledger, each with a progress bar as below; anew of known
 * bytes where --warmup-steps, --step-range, --breakdown-mode or --meta ask for it. */
bool summarize_reading(struct cli *cli, struct reading *ret_reading, struct err *err);

/* The one capture in a directory, or the only one with XPlane files, in the command's arena: what
 * is left out is told. ERR_INPUT when there are several, with how to name one; ERR_MISSING. */
bool summarize_find(struct cli *cli, const char *directory, struct profile_files *ret_profile,
                    struct err *err);

/* ERR_USAGE where --output is one of the profile's files, which it would replace. */
bool summarize_output_check(const struct cli *cli, const struct profile_files *profile,
                            struct err *err);

/* The profile that a path names: a file, or as summarize_find; with summarize_output_check. */
bool summarize_operand(struct cli *cli, const char *path, struct profile_files *ret_profile,
                       struct err *err);

/* The options with a progress bar, on a terminal for large files; the caller clears it. */
struct ingest_options summarize_bar(const struct cli *cli, const struct profile_files *profile,
                                    const struct ingest_options *options, struct progress_bar *bar);

/* Logs what is said of a file, for ingest_options.warn. */
void summarize_warn(const char *path, const char *why);

/* ingest_summarize in the arena given, with a progress bar on a terminal for large files. */
bool summarize_profile(struct cli *cli, const struct profile_files *profile,
                       const struct ingest_options *options, struct arena *arena,
                       struct summary *ret_summary, struct err *err);

/* ---- what is learned about profiles besides what stands in them (ops/flow/collect) ----
 *
 * Nothing is taken from around without being asked: a runner that only gates has flags and versions
 * of its own, which say nothing of the job. */

#define COLLECT_ENV_FILE \
    CLI_OPTION("env-file", CLI_LIST, "FILE", NULL, "what `capture-env` found on a host of the job")
#define COLLECT_ENV \
    CLI_OPTION("env", CLI_CHOICE, "none|here", "none", \
               "here: this command runs beside the job, in its environment")
#define COLLECT_CONFIG \
    CLI_OPTION("config-file", CLI_TEXT, "FILE", NULL, \
               "the job's configuration (YAML, JSON): its hash, batch, ...")
#define COLLECT_WANDB \
    CLI_OPTION("wandb-run", CLI_TEXT, "RUN", NULL, "ENTITY/PROJECT/RUN at Weights & Biases")
#define COLLECT_REPO \
    CLI_OPTION("repo", CLI_TEXT, "DIR", NULL, "git repository that the job's code came from")
/* Of every command that takes profiles in. */
#define CLI_COLLECT COLLECT_ENV_FILE, COLLECT_ENV, COLLECT_CONFIG, COLLECT_WANDB, COLLECT_REPO

/* Collects what the options name; the command's table holds CLI_COLLECT. Errors of
 * collect_facts. */
bool collect_of_options(struct cli *cli, struct collection *ret_collection, struct err *err);

/* The origin of profiles with this commit and branch (NULL: not given) and what was collected, as
 * collect_origin. */
bool origin_of_options(struct cli *cli, const struct collection *collection, const char *commit,
                       const char *branch, struct code_origin *ret_origin, struct err *err);

#endif
