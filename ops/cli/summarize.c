/* Reading a profile on behalf of a command. */
#include "ops/cli/summarize.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, BAR_EVERY_MS = 100, BAR_FROM_BYTES = 100000000 };

struct bar {
    int64_t drawn_ms;
    bool drawn;
    const char *name;
};

static void bar_draw(void *context, int64_t done, int64_t total)
{
    struct bar *bar = context;
    int64_t now = clock_monotonic_ms();
    if (total <= 0 || (bar->drawn && now - bar->drawn_ms < BAR_EVERY_MS))
        return;
    bar->drawn_ms = now;
    bar->drawn = true;
    int filled = (int)(done * BAR_WIDTH / total);
    char line[BAR_WIDTH + 1];
    memset(line, ' ', BAR_WIDTH);
    memset(line, '#', (size_t)(filled > BAR_WIDTH ? BAR_WIDTH : filled));
    line[BAR_WIDTH] = '\0';
    (void)fprintf(stderr, "\r[%s] %3d %%  %.1f of %.1f MB  %s", line, (int)(done * 100 / total),
                  (double)done / 1e6, (double)total / 1e6, bar->name);
}

static bool meta_parse(struct cli *cli, struct ingest_options *options, struct err *err)
{
    const struct cli_value *meta = cli_value(cli, "meta");
    struct fact *facts = arena_array(&cli->arena, struct fact, meta->count + 1);
    if (facts == NULL)
        return arena_failed(&cli->arena, "--meta", err);
    for (size_t i = 0; i < meta->count; i++) {
        const char *sign = strchr(meta->list[i], '=');
        if (sign == NULL || sign == meta->list[i] || sign[1] == '\0')
            return err_set(err, ERR_USAGE, "option --meta: '%s' is not of the form key=value",
                           meta->list[i]);
        facts[i] =
            (struct fact){arena_strndup(&cli->arena, meta->list[i], (size_t)(sign - meta->list[i])),
                          sign + 1, "option"};
        if (facts[i].name == NULL)
            return arena_failed(&cli->arena, "--meta", err);
    }
    options->meta = facts;
    options->meta_count = meta->count;
    return true;
}

bool summarize_options(struct cli *cli, struct ingest_options *ret_options, struct err *err)
{
    ingest_options_init(ret_options);
    ret_options->warmup_steps = cli_int(cli, "warmup-steps");
    ret_options->mode = strcmp(cli_text(cli, "breakdown-mode"), "exclusive_global") == 0
                            ? BREAKDOWN_GLOBAL
                            : BREAKDOWN_PER_TRACK;
    ret_options->strict_input = cli_given(cli, "strict-input");
    ret_options->threads = (int)conf_int(&cli->conf, CONF_threads);
    return meta_parse(cli, ret_options, err);
}

static int64_t profile_bytes(const struct profile_files *profile)
{
    int64_t total = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        struct stat info;
        total += stat(profile->files[i], &info) == 0 ? (int64_t)info.st_size : 0;
    }
    return total;
}

bool summarize_profile(struct cli *cli, const struct profile_files *profile,
                       const struct ingest_options *options, struct arena *arena,
                       struct summary *ret_summary, struct err *err)
{
    struct ingest_options with_bar = *options;
    struct bar bar = {.name = path_base(profile->path)};
    if (isatty(STDERR_FILENO) &&
        (cli_given(cli, "progress") || profile_bytes(profile) >= BAR_FROM_BYTES)) {
        with_bar.progress = bar_draw;
        with_bar.progress_context = &bar;
    }
    bool done = ingest_summarize(profile, &with_bar, arena, ret_summary, err);
    if (bar.drawn)
        (void)fprintf(stderr, "\r\033[K");
    return done;
}
