/* Reading a profile on behalf of a command. */
#include "ops/cli/operand/summarize.h"

#include "ops/cli/operand/moment.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BAR_FROM_BYTES = 100000000 };

/* Options that are facts of their own. */
static const struct {
    const char *option, *fact;
} stated[] = {{"model-flops-per-step", "model_flops_per_step"},
              {"tokens-per-step", "tokens_per_step"}};
enum { STATED_COUNT = sizeof stated / sizeof *stated };

bool summarize_stated(const struct cli *cli, const char *option, struct opt_f64 *ret_number,
                      struct err *err)
{
    double value;
    const char *text = cli_text(cli, option);
    *ret_number = (struct opt_f64){0};
    if (text == NULL)
        return true;
    if (!text_parse_double(text, &value) || !(value > 0))
        return err_set(err, ERR_USAGE, "option --%s: '%s' is no number above 0", option, text);
    *ret_number = some_f64(value);
    return true;
}

/* A time in the words of options, as the fact of it; NULL: none was given. */
static bool captured_parse(struct cli *cli, const char **ret_value, struct err *err)
{
    int64_t wall_us;
    char value[CLOCK_ISO_BYTES];
    const char *text = cli_text(cli, "captured-at");
    *ret_value = NULL;
    if (text == NULL)
        return true;
    if (!moment_read_past(text, "captured-at", &wall_us, err))
        return false;
    if (wall_us < 0 || wall_us > clock_wall_us())
        return err_set(err, ERR_USAGE,
                       "option --captured-at: %s is %s: say when it was captured, or leave it out, "
                       "and the profile's own clock says it",
                       text, wall_us < 0 ? "before 1970" : "still to come");
    *ret_value = arena_strdup(&cli->arena, clock_iso(wall_us, value));
    return true;
}

static bool meta_parse(struct cli *cli, struct ingest_options *options, struct err *err)
{
    const struct cli_value *meta = cli_value(cli, "meta");
    const char *captured;
    struct fact *facts = arena_array(&cli->arena, struct fact, meta->count + STATED_COUNT + 1);
    if (!captured_parse(cli, &captured, err))
        return false;
    for (size_t i = 0; i < meta->count; i++) {
        const char *sign = strchr(meta->list[i], '=');
        if (sign == NULL || sign == meta->list[i] || sign[1] == '\0')
            return err_set(err, ERR_USAGE, "option --meta: '%s' is not of the form key=value",
                           meta->list[i]);
        facts[i] =
            (struct fact){arena_strndup(&cli->arena, meta->list[i], (size_t)(sign - meta->list[i])),
                          sign + 1, "option"};
    }
    options->meta = facts;
    options->meta_count = meta->count;
    if (captured != NULL)
        facts[options->meta_count++] = (struct fact){CAPTURED_AT_FACT, captured, "option"};
    for (size_t i = 0; i < STATED_COUNT; i++) {
        struct opt_f64 number;
        if (!summarize_stated(cli, stated[i].option, &number, err))
            return false;
        if (number.set)
            facts[options->meta_count++] =
                (struct fact){stated[i].fact, cli_text(cli, stated[i].option), "option"};
    }
    return true;
}

bool summarize_options(struct cli *cli, struct ingest_options *ret_options, struct err *err)
{
    ingest_options_init(ret_options);
    ingest_options_configure(ret_options, &cli->conf);
    if (cli_given(cli, "warmup-steps"))
        ingest_options_fix_warmup(ret_options, cli_int(cli, "warmup-steps"));
    ret_options->mode = strcmp(cli_text(cli, "breakdown-mode"), "exclusive_global") == 0
                            ? BREAKDOWN_GLOBAL
                            : BREAKDOWN_PER_TRACK;
    if (cli_given(cli, "step-range") &&
        !ingest_options_name_steps(ret_options, cli_text(cli, "step-range"), err))
        return false;
    ret_options->strict_input = cli_given(cli, "strict-input");
    ret_options->capture_key = cli_text(cli, "capture");
    return meta_parse(cli, ret_options, err);
}

bool summarize_options_all(struct cli *cli, struct ingest_options *ret_options, struct err *err)
{
    if (!summarize_options(cli, ret_options, err))
        return false;
    ret_options->hot_op_limit = cli_int(cli, "hot-op-limit");
    return true;
}

void summarize_warn(const char *path, const char *why)
{
    log_event(LOG_WARN, LOG_input_warning, "file", path, "why", why, NULL);
}

static bool several_fail(const char *directory, const struct profile_list *list, struct err *err)
{
    return err_set(err, ERR_INPUT, "'%s' holds %zu captures; name one, for example '%s'", directory,
                   list->count, list->items[0].path);
}

bool summarize_find(struct cli *cli, const char *directory, struct profile_files *ret_profile,
                    struct err *err)
{
    struct profile_list list;
    struct err failure = {0}, no_tables = {0};
    const struct profile_files *one = NULL;
    if (!ingest_discover(directory, &cli->arena, &list, &failure)) {
        *ret_profile = (struct profile_files){0};
        if (failure.kind == ERR_MISSING &&
            ingest_tables(directory, &cli->arena, ret_profile, &no_tables))
            return true;
        *err = failure;
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (list.count > 1 && !ingest_is_xplane(&list.items[i]))
            continue;
        if (one != NULL)
            return several_fail(directory, &list, err);
        one = &list.items[i];
    }
    if (one == NULL)
        return several_fail(directory, &list, err);
    for (size_t i = 0; i < list.count; i++) {
        if (&list.items[i] != one)
            summarize_warn(list.items[i].path,
                           "another capture, which has no XPlane file, was left "
                           "out: name it to read it");
    }
    *ret_profile = *one;
    return true;
}

static int64_t file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

/* The options with the bar, where one is to be drawn. */
static struct ingest_options options_with_bar(const struct cli *cli,
                                              const struct ingest_options *options,
                                              int64_t size_bytes, struct progress_bar *bar)
{
    struct ingest_options with_bar = *options;
    if (isatty(STDERR_FILENO) && (cli_given(cli, "progress") || size_bytes >= BAR_FROM_BYTES)) {
        with_bar.progress = bar_draw;
        with_bar.progress_context = bar;
    }
    return with_bar;
}

static void file_begins(void *context, const char *path, struct ingest_options *options)
{
    struct cli *cli = context;
    cli->bar = (struct progress_bar){.name = path_base(path)};
    *options = options_with_bar(cli, options, file_bytes(path), &cli->bar);
}

static void file_ends(void *context)
{
    const struct cli *cli = context;
    bar_clear(&cli->bar);
}

bool summarize_reading(struct cli *cli, struct reading *ret_reading, struct err *err)
{
    *ret_reading = (struct reading){
        .was_asked = cli_given(cli, "warmup-steps") || cli_given(cli, "step-range") ||
                     cli_given(cli, "breakdown-mode") || cli_given(cli, "meta") ||
                     cli_given(cli, stated[0].option) || cli_given(cli, stated[1].option) ||
                     cli_given(cli, "captured-at"),
        .begin = file_begins,
        .end = file_ends,
        .context = cli,
    };
    return summarize_options(cli, &ret_reading->options, err);
}

bool summarize_output_check(const struct cli *cli, const struct profile_files *profile,
                            struct err *err)
{
    struct stat ours, theirs;
    const char *output = cli_text(cli, "output");
    bool exists = output != NULL ? stat(output, &ours) == 0 : fstat(STDOUT_FILENO, &ours) == 0;
    for (size_t i = 0; exists && i < profile->file_count; i++) {
        if (stat(profile->files[i], &theirs) == 0 && ours.st_dev == theirs.st_dev &&
            ours.st_ino == theirs.st_ino)
            return err_set(err, ERR_USAGE,
                           "'%s' is the profile that is read: write to another file",
                           profile->files[i]);
    }
    return true;
}

bool summarize_operand(struct cli *cli, const char *path, struct profile_files *ret_profile,
                       struct err *err)
{
    struct stat info;
    bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return (is_folder ? summarize_find(cli, path, ret_profile, err)
                      : ingest_file(path, &cli->arena, ret_profile, err)) &&
           summarize_output_check(cli, ret_profile, err);
}

struct ingest_options summarize_bar(const struct cli *cli, const struct profile_files *profile,
                                    const struct ingest_options *options, struct progress_bar *bar)
{
    int64_t size_bytes = 0;
    *bar = (struct progress_bar){.name = path_base(profile->path)};
    for (size_t i = 0; i < profile->file_count; i++)
        size_bytes += file_bytes(profile->files[i]);
    return options_with_bar(cli, options, size_bytes, bar);
}

bool summarize_profile(struct cli *cli, const struct profile_files *profile,
                       const struct ingest_options *options, struct arena *arena,
                       struct summary *ret_summary, struct err *err)
{
    struct progress_bar bar;
    struct ingest_options with_bar = summarize_bar(cli, profile, options, &bar);
    with_bar.warn = summarize_warn;
    bool done = ingest_summarize(profile, &with_bar, arena, ret_summary, err);
    bar_clear(&bar);
    return done;
}

bool collect_of_options(struct cli *cli, struct collection *ret_collection, struct err *err)
{
    const struct cli_value *files = cli_value(cli, "env-file");
    const struct collect_request request = {
        .env_files = {files->list, files->count},
        .here = strcmp(cli_text(cli, "env"), "here") == 0,
        .config_file = cli_text(cli, "config-file"),
        .wandb_run = cli_text(cli, "wandb-run"),
        .repository = cli_text(cli, "repo"),
    };
    return collect_facts(&cli->conf, &request, &cli->arena, ret_collection, err);
}

bool origin_of_options(struct cli *cli, const struct collection *collection, const char *commit,
                       const char *branch, struct code_origin *ret_origin, struct err *err)
{
    const struct origin_request asked = {
        .commit = commit, .branch = branch, .asks_ci = conf_bool(&cli->conf, CONF_origin_from_ci)};
    return collect_origin(collection, &asked, &cli->arena, ret_origin, err);
}
