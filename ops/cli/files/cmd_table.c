/* stepledger table: rows that lie in a profile's own files, or that its summary keeps. */
#include "ingest/data_tables/data_tables.h"
#include "ops/cli/cli.h"
#include "ops/cli/files/peaks_file.h"
#include "ops/cli/files/table_print.h"
#include "ops/cli/files/xprof_export.h"
#include "ops/cli/operand/operand.h"

#include <string.h>
#include <unistd.h>

enum { TABLE_MAX_BYTES = 1 << 30, LIMIT_MAX = 1000000000 };

static bool table_print_json(const struct data_table *table, struct text *out, struct err *err)
{
    data_table_print(table, JSON_STYLE_INDENTED, out);
    return text_ok(out, "the table", err);
}

static const struct {
    const char *name;
    bool (*print)(const struct data_table *table, struct text *out, struct err *err);
} formats[] = {{"json", table_print_json}, {"text", table_print_text}, {"csv", table_print_csv}};

static const char *format_of(const struct cli *cli)
{
    const char *wanted = cli_text(cli, "format");
    return wanted != NULL ? wanted : isatty(STDOUT_FILENO) ? "text" : "json";
}

static bool print(const struct cli *cli, const struct data_table *table, struct err *err)
{
    const char *wanted = format_of(cli);
    scoped_text out;
    text_init(&out, TABLE_MAX_BYTES);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, wanted) == 0)
            return formats[i].print(table, &out, err) &&
                   cli_emit(cli_text(cli, "output"), &out, err);
    return err_set(err, ERR_BUG, "no printer for --format %s", wanted);
}

static bool reading_options(const struct cli *cli, struct ingest_options *ret_options,
                            struct err *err)
{
    ingest_options_init(ret_options);
    ingest_options_configure(ret_options, &cli->conf);
    ret_options->strict_input = cli_given(cli, "strict-input");
    ret_options->capture_key = cli_text(cli, "capture");
    ret_options->warn = summarize_warn;
    return !cli_given(cli, "step-range") ||
           ingest_options_name_steps(ret_options, cli_text(cli, "step-range"), err);
}

/* Of a summary, in a file or in the ledger; what it does not keep, as it knows no other steps, of
 * the files that it was made of. */
static bool kept_table(struct cli *cli, const struct table_request *request, struct arena *arena,
                       struct data_table *ret_table, struct err *err)
{
    struct summary summary;
    struct profile_files files;
    const struct reference_scope scope = reference_scope_of(cli);
    struct ingest_options options;
    const char *name = cli->operands[1];
    const bool other_steps = cli_given(cli, "step-range");
    struct err refusal = {0};
    if (!reading_options(cli, &options, err) ||
        !reference_summary(cli, &scope, name, arena, &summary, err))
        return false;
    if (other_steps)
        refusal = (struct err){.kind = ERR_INPUT, .text = "a summary knows no other steps"};
    else if (ingest_table_of_summary(request, &summary, name, arena, ret_table, &refusal))
        return true;
    if (refusal.kind == ERR_INPUT && recorded_files(&summary, arena, &files, &options, err))
        return summarize_output_check(cli, &files, err) &&
               ingest_table(request, &files, &options, arena, ret_table, err);
    const struct err gone = *err;
    *err = refusal;
    return refusal.kind == ERR_INPUT ? err_set(err, refusal.kind, "%s: %s", refusal.text, gone.text)
                                     : false;
}

static bool profile_table(struct cli *cli, const struct table_request *request, struct arena *arena,
                          struct data_table *ret_table, struct err *err)
{
    struct profile_files profile;
    struct ingest_options options;
    return reading_options(cli, &options, err) &&
           summarize_operand(cli, cli->operands[1], &profile, err) &&
           ingest_table(request, &profile, &options, arena, ret_table, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* What the user states of the device and of a step. */
static bool stated_read(const struct cli *cli, struct arena *arena, struct table_request *request,
                        struct err *err)
{
    if (!summarize_stated(cli, "model-flops-per-step", &request->model_flops_per_step, err) ||
        !summarize_stated(cli, "tokens-per-step", &request->tokens_per_step, err))
        return false;
    const char *peaks = cli_text(cli, "peaks");
    return peaks == NULL || peaks_file_read(peaks, arena, &request->peaks, err);
}

static bool table_take(struct cli *cli, const struct table_request *request, struct arena *arena,
                       struct data_table *ret_table, struct err *err)
{
    return reference_is_summary(cli->operands[1])
               ? kept_table(cli, request, arena, ret_table, err)
               : profile_table(cli, request, arena, ret_table, err);
}

struct part_taking {
    struct cli *cli;
    struct arena *arena;
};

static bool part_take(void *context, const struct table_request *request,
                      struct data_table *ret_table, struct err *err)
{
    const struct part_taking *taking = context;
    return table_take(taking->cli, request, taking->arena, ret_table, err);
}

static bool table_show(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct data_table table;
    struct table_request request = {.name = xprof_table_of(cli->operands[0]),
                                    .limit = cli_int(cli, "limit")};
    struct part_taking taking = {cli, arena};
    scoped_text out;
    text_init(&out, TABLE_MAX_BYTES);
    if (request.limit < 0 || request.limit > LIMIT_MAX)
        return err_set(err, ERR_USAGE, "option --limit: %lld is not from 0 to %d",
                       (long long)request.limit, LIMIT_MAX);
    if (!stated_read(cli, arena, &request, err))
        return false;
    if (strcmp(format_of(cli), "xprof") == 0)
        return xprof_answer(&request, part_take, &taking, &out, err) &&
               cli_emit(cli_text(cli, "output"), &out, err);
    return table_take(cli, &request, arena, &table, err) && print(cli, &table, err);
}

#define TABLE_DETAILS(name, help) "  " #name ": " help "\n"
#define MADE_DETAILS(name, subject, help) TABLE_DETAILS(name, help)
#define TABLE_LIST DATA_TABLES(TABLE_DETAILS) MADE_TABLES(MADE_DETAILS)
#define NAME_DETAILS(theirs, ours) "  " #theirs ": " #ours "\n"
#define NAME_LIST "or what xprof calls it\n" XPROF_NAMES(NAME_DETAILS)

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "json|text|csv|xprof", NULL,
     "what to print (default: text on a terminal, else json)"},
    {"limit", CLI_INT, "N", "0", "rows, those of most time or most bytes; 0: all"},
    {"output", CLI_TEXT, "FILE", NULL, "write the table there and print the path"},
    CLI_PEAKS("what one device can do: lines `tflops = 989`, `hbm_gb_per_s = 3350` (tables of ops, "
              "findings)"),
    CLI_STATED_OF_STEP,
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_CAPTURE,
    CLI_STEP_RANGE,
    CLI_STRICT_INPUT,
    CLI_READING,
    CLI_END,
};

const struct cli_command cmd_table = {
    .name = "table",
    .line = "print a table of a profile: op_profile, roofline, kernels, ...",
    .operands = "TABLE PROFILE",
    .operand_min = 2,
    .operand_max = 2,
    .options = options,
    .details =
        "TABLE is one of\n" TABLE_LIST NAME_LIST "\n"
        "Of a capture of several hosts all are added up (host_count says how many), rows of\n"
        "`steps` and `findings` name theirs, `device_skew` is how unevenly devices take for an\n"
        "op; a file of one host tells of that host alone.\n\n"
        "Columns have the ids of xprof's tables (kernels: kernel_stats, memory: memory_profile,\n"
        "roofline: roofline_model), and --format xprof has their layout (op_profile: a tree,\n"
        "memory: by allocator, overview and input_pipeline: lists of tables). A column that the\n"
        "profile cannot give is left out (of kernels, copies, ranges: null), and `absent` says\n"
        "why: no 0 stands for it.\n\n"
        "PROFILE is a file, or a directory with one capture, of which all hosts are added up;\n"
        "a summary, or what the ledger calls a profile (p12, a run, a commit, ...): allocations\n"
        "and tables of ops (op_profile to phases) are those that it keeps, ops by signature, so\n"
        "fewer rows; all others are read from its files, where they still lie unchanged.\n"
        "Of tables that xprof made (kernel_stats, overview_page, op_stats, memory_profile, in\n"
        "JSON or as stored) a file or a folder gives those that are in them.\n"
        "Which table a source gives depends on its kind; one that it cannot give is refused\n"
        "with the reason. `properties` tells of all rows what they add up to, whatever --limit.\n"
        "\n" CLI_CSV_DETAILS
        "exit: 0 printed · 2 usage · 6 no such path · 65 the profile does not hold the table,\n"
        "      or cannot be read",
    .run = table_show,
};
