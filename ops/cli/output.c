/* What commands print, and how they end: documents on stdout, one line per failure on stderr, exit
 * codes. */
#include "ops/cli/cli.h"
#include "ops/present/page/page.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text_harmless.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_STANDARD = 100, COLUMNS_MIN = 60, DOCUMENT_MAX_BYTES = 1 << 30 };

static const enum exit_code exit_codes[ERR_KIND_COUNT] = {
    [ERR_NONE] = EXIT_OK,
    [ERR_INPUT] = EXIT_INPUT,
    [ERR_LIMIT] = EXIT_INPUT,
    [ERR_CONFLICT] = EXIT_TRY_LATER,
    [ERR_UNAVAILABLE] = EXIT_UNAVAILABLE,
    [ERR_BUG] = EXIT_INTERNAL,
    [ERR_USAGE] = EXIT_USAGE,
    [ERR_MISSING] = EXIT_MISSING,
    [ERR_FULL] = EXIT_TRY_LATER,
    [ERR_IO] = EXIT_UNAVAILABLE,
};

enum exit_code exit_code_of(enum err_kind kind)
{
    return kind < ERR_KIND_COUNT ? exit_codes[kind] : EXIT_INTERNAL;
}

int cli_fail(const struct cli *cli, const struct err *err)
{
    harmless_say("stepledger %s: %s", cli->command->name, err->text);
    if (cli->command->compatible && err->kind != ERR_USAGE)
        return EXIT_FAILED;
    return (int)exit_code_of(err->kind);
}

bool cli_write(const char *data, size_t length, struct err *err)
{
    return file_write_all(STDOUT_FILENO, data, length, "standard output", err);
}

bool cli_emit_bytes(const char *output_path, const struct text *bytes, struct err *err)
{
    if (!text_ok(bytes, "the document", err))
        return false;
    if (output_path == NULL)
        return cli_write(text_string(bytes), bytes->length, err);
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    char *shown = path_normal(&arena, output_path);
    char *line = arena_printf(&arena, "%s\n", shown);
    char *slash = strrchr(shown, '/');
    if (slash != NULL && slash != shown) {
        *slash = '\0';
        if (!file_make_dirs(shown, err))
            return false;
        *slash = '/';
    }
    return file_write_atomic(output_path, text_string(bytes), bytes->length, err) &&
           cli_write(line, strlen(line), err);
}

bool cli_emit(const char *output_path, struct text *document, struct err *err)
{
    bool ends = document->length > 0 && document->data[document->length - 1] == '\n';
    if (output_path == NULL || !ends)
        text_addc(document, '\n');
    return cli_emit_bytes(output_path, document, err);
}

bool document_print(const char *output_path, json_t *root, struct err *err)
{
    scoped_json *document = root;
    assert(document != NULL || err->kind != ERR_NONE);
    if (document == NULL)
        return false;
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    json_print(document, JSON_STYLE_INDENTED, &text);
    return cli_emit(output_path, &text, err);
}

bool record_emit(const struct record *record, const void *value, struct err *err)
{
    return document_print(NULL, record_to_json(record, value), err);
}

bool cli_page_add(const struct page *page, const char *format, const char *what, struct text *out,
                  struct err *err)
{
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    if (!page_ok(page, what, err))
        return false;
    page_print_as(page, format, &style, out);
    return text_ok(out, what, err);
}

bool cli_colour(int fd)
{
    const char *never = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(fd) && (never == NULL || never[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

int cli_columns(int fd)
{
    struct winsize size;
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col < COLUMNS_MIN ? COLUMNS_MIN : size.ws_col;
    return COLUMNS_STANDARD;
}

bool cli_scope(const struct cli *cli, const char **ret_project, const char **ret_workload,
               struct err *err)
{
    const char *project = cli_text(cli, "project");
    const char *workload = cli_text(cli, "workload");
    if (project == NULL)
        project = conf_text(&cli->conf, CONF_project);
    if (workload == NULL)
        workload = conf_text(&cli->conf, CONF_workload);
    if (project[0] == '\0')
        return err_set(err, ERR_USAGE,
                       "--project is missing (or `project = …` in the configuration)");
    if (workload[0] == '\0')
        return err_set(err, ERR_USAGE,
                       "--workload is missing (or `workload = …` in the configuration)");
    *ret_project = project;
    *ret_workload = workload;
    return true;
}

const char *age_text(int64_t ms, char buffer[AGE_BYTES])
{
    static const struct {
        double from_s, unit_s;
        const char *name;
    } units[] = {{2 * 86400, 86400, "days"}, {2 * 3600, 3600, "h"}, {120, 60, "min"}};
    enum { UNIT_COUNT = sizeof units / sizeof units[0] };
    double s = ms > 0 ? (double)ms / 1000 : 0; /* by a clock that was ahead */
    size_t i = 0;
    while (i < UNIT_COUNT && s < units[i].from_s)
        i++;
    if (i < UNIT_COUNT)
        (void)snprintf(buffer, AGE_BYTES, "%.1f %s", s / units[i].unit_s, units[i].name);
    else
        (void)snprintf(buffer, AGE_BYTES, "%.1f s", s);
    return buffer;
}
