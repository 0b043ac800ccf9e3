/* The command line: one table of commands, one table of options per command.
 *
 * To add a command: write cmd_NAME.c in the room of its subject with a `const struct cli_command
 * cmd_NAME`, add NAME to CLI_COMMANDS in ops/cli/commands.h. Its --help, its checks and its
 * suggestions come from the tables.
 */
#ifndef OPS_CLI_CLI_H
#define OPS_CLI_CLI_H

#include "ops/cli/bar.h"
#include "ops/cli/commands.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes: X(name, number, what it says). */
#define EXIT_CODES(X) \
    X(OK, 0, "done. Of a gate: pass, accepted; warn and inconclusive unless asked to fail") \
    X(FAILED, 1, "a gate fails or a fail stands; `verify` or `check` found something") \
    X(USAGE, 2, "the command line, a configuration or a policy is wrong; says where") \
    X(WARNED, 3, "a gate warns, with --warn-exit") \
    X(INCONCLUSIVE, 4, "a gate could not tell, with --strict") \
    X(INCOMPARABLE, 5, "the two sides of a gate cannot be compared; says why") \
    X(MISSING, 6, "a baseline, profile, file or program that was asked for is not there") \
    X(INPUT, 65, "input is rejected: unreadable, or over a limit") \
    X(UNAVAILABLE, 69, "database or receiver cannot be reached") \
    X(INTERNAL, 70, "a mistake of ours: please report it") \
    X(TRY_LATER, 75, "later it may work: disk full, or another was faster")

enum exit_code {
#define EXIT_CODE_MEMBER(name, number, help) EXIT_##name = (number),
    EXIT_CODES(EXIT_CODE_MEMBER)
#undef EXIT_CODE_MEMBER
};

enum cli_kind {
    CLI_FLAG,
    CLI_TEXT,
    CLI_INT,
    CLI_REAL,
    CLI_LIST,
    CLI_CHOICE,
    CLI_SETTING /* a tunable of that name: range, default and help are those of its table */
};

struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    enum cli_kind kind;
    const char *metavar;  /* CLI_CHOICE: the choices, "a|b|c" */
    const char *standard; /* NULL = absent */
    const char *help;
};

struct cli;
struct page;

struct cli_command {
    const char *name;
    const char *line;             /* one line for the list of commands */
    const char *operands;         /* synopsis of what follows the options, "" for nothing */
    int operand_min, operand_max; /* -1 = any number */
    const struct cli_option *options;
    const char *required; /* the option that must be given; NULL = none */
    const char *details;  /* shown by --help after the options: what it does, which exit codes */
    bool (*run)(struct cli *cli, struct err *err);
    bool compatible; /* a drop-in of the reference tool: errors exit 1 */
};

struct cli_value {
    bool given;
    const char *text; /* the last one, or the default; NULL = absent */
    int64_t integer;
    double real;
    const char **list;
    size_t count, capacity;
};

struct cli {
    const struct cli_command *command;
    struct cli_value *values; /* parallel to command->options, then the common ones */
    const char **operands;
    size_t operand_count;
    enum exit_code code;  /* of a command that was done */
    struct arena arena;   /* of the whole command */
    struct arena *memory; /* the budget of max_memory_mb: arenas for what is read lie within it */
    struct conf conf;
    struct progress_bar bar; /* of the file that is being read */
};

/* Options that many commands share. */
#define CLI_OPTION(...) \
    { \
        __VA_ARGS__ \
    }
#define CLI_DB \
    CLI_OPTION("db", CLI_TEXT, "CONNINFO", NULL, \
               "the ledger's database (default: STEPLEDGER_DB, else the embedded one)")
/* Of commands that may read from a replica (connect_reader), behind CLI_DB. */
#define CLI_DB_READ CLI_OPTION("db-read", CLI_SETTING, "CONNINFO", NULL, NULL)
#define CLI_PROJECT \
    CLI_OPTION("project", CLI_TEXT, "P", NULL, "project of the profiles (default: configuration)")
#define CLI_WORKLOAD \
    CLI_OPTION("workload", CLI_TEXT, "W", NULL, \
               "training job within the project (default: configuration)")
/* Sets a tunable of the configuration. */
#define CLI_TUNABLE(name) CLI_OPTION(name, CLI_SETTING, "N", NULL, NULL)
/* What --format csv does to names, for details. */
#define CLI_CSV_DETAILS \
    "With --format csv a name that a spreadsheet would run as a formula (it begins with =, +, -\n" \
    "or @, and is no number) has an apostrophe before it. An empty field: the row has\n" \
    "none of it, or it is not known; a count of none is 0.\n\n"
#define CLI_END CLI_OPTION(NULL, CLI_FLAG, NULL, NULL, NULL)

/* Values by name; asking for an option that the command's table lacks is a bug (assert). */
const struct cli_value *cli_value(const struct cli *cli, const char *name);
bool cli_given(const struct cli *cli, const char *name);
const char *cli_text(const struct cli *cli, const char *name);
int64_t cli_int(const struct cli *cli, const char *name);
double cli_real(const struct cli *cli, const char *name);

/* Whether "a|b|c" (NULL: nothing) holds the word. */
bool cli_is_choice(const char *choices, const char *word);

/* --project / --workload or the configuration; ERR_USAGE when neither has it. */
bool cli_scope(const struct cli *cli, const char **ret_project, const char **ret_workload,
               struct err *err);

/* Says the failure in one line on stderr and returns the exit code that belongs to it. */
int cli_fail(const struct cli *cli, const struct err *err);
enum exit_code exit_code_of(enum err_kind kind);

/* Writes a document to stdout, all of it or ERR_FULL / ERR_UNAVAILABLE. */
bool cli_write(const char *data, size_t length, struct err *err);

/* The reference's --output rule: with a path writes the file (a newline is made sure of at its end)
 * and prints the path; without, prints the document and one newline, which is added to *document.
 */
bool cli_emit(const char *output_path, struct text *document, struct err *err);

/* The same for bytes, to which nothing is added. */
bool cli_emit_bytes(const char *output_path, const struct text *bytes, struct err *err);

/* Prints a document by that rule; takes the reference; NULL: err says why already. */
bool document_print(const char *output_path, json_t *root, struct err *err);

/* Prints the document that the table describes. */
bool record_emit(const struct record *record, const void *value, struct err *err);

/* Adds a page in that form for the terminal; `what` names it in errors. ERR_LIMIT. */
bool cli_page_add(const struct page *page, const char *format, const char *what, struct text *out,
                  struct err *err);

enum { AGE_BYTES = 32 };
/* How long ago, for people: "3.2 s", "14.0 min", "5.1 h", "2.0 days"; buffer holds AGE_BYTES.
 * Returns buffer. */
const char *age_text(int64_t ms, char buffer[AGE_BYTES]);

/* Colour only on a terminal and never with NO_COLOR. */
bool cli_colour(int fd);
/* Columns of the terminal on fd, 100 when it is none. */
int cli_columns(int fd);

/* Parses argv (after the command's name); *ret_help true when --help was asked. ERR_USAGE with a
 * suggestion. */
bool cli_parse(struct cli *cli, int argc, char **argv, bool *ret_help, struct err *err);
/* Overrides the configuration by the options of kind CLI_SETTING that were given. ERR_USAGE. */
bool cli_settings_apply(struct cli *cli, struct err *err);
/* The command's --help. */
void cli_help(const struct cli_command *command, struct text *out);

#endif
