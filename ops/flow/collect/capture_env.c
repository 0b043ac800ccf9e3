/* Variables on the list, versions that python's metadata tells without importing anything, the
 * driver, the kernel, the code. */
#include "ops/flow/collect/capture_env.h"

#include "ops/flow/collect/code_origin.h"
#include "ops/flow/collect/config_file.h"
#include "ops/flow/collect/program.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum {
    FACTS_MAX = 128,
    VALUE_BYTES_MAX = 32 << 10,
    LEFT_OUT_MAX = 256,
    PROC_BYTES_MAX = 4096,
};

static const struct {
    const char *variable, *fact;
} variables[] = {
#define VARIABLE_ROW(variable, fact, help) {#variable, #fact},
    CAPTURE_VARIABLES(VARIABLE_ROW)
#undef VARIABLE_ROW
};
enum { VARIABLE_COUNT = sizeof variables / sizeof variables[0] };

/* Others of these families are named, so that one sees what the list lacks. */
static const char *const families[] = {"XLA_", "LIBTPU_", "JAX_", "TPU_", "NCCL_", "NVTE_"};

/* The distributions whose versions are facts: NAME_version, with `-` as `_`. What lies in the
 * current folder is no module of theirs. */
static const char versions_script[] =
    "import sys\n"
    "sys.path = [folder for folder in sys.path if folder]\n"
    "from importlib.metadata import version\n"
    "print(sys.executable)\n"
    "print('python=' + sys.version.split()[0])\n"
    "for name in ('jax', 'jaxlib', 'libtpu', 'libtpu-nightly', 'flax', 'optax', 'haliax',\n"
    "             'levanter', 'maxtext', 'orbax-checkpoint', 'transformer-engine-jax',\n"
    "             'jax-cuda12-plugin', 'jax-cuda13-plugin', 'jax-rocm60-plugin',\n"
    "             'nvidia-cudnn-cu12', 'nvidia-nccl-cu12'):\n"
    "    try:\n"
    "        print(name + '=' + version(name))\n"
    "    except Exception:\n"
    "        pass\n";

/* An interpreter on a slow disk takes some seconds. */
static const struct program_limits versions_limits = {.bytes = 1 << 16, .ms = 60 * 1000};

struct collecting {
    struct arena *arena;
    struct fact *facts; /* FACTS_MAX */
    size_t count;
};

static void add(struct collecting *collecting, const char *name, const char *value,
                const char *source)
{
    if (collecting->count < FACTS_MAX)
        collecting->facts[collecting->count++] = (struct fact){name, value, source};
}

static void all_add(struct collecting *collecting, const struct fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(collecting, facts[i].name, facts[i].value, facts[i].source);
}

/* ---- the environment ------------------------------------------------------------------------- */

static int name_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of the families, what is not on the list: names alone. */
static void left_out_list(struct collecting *collecting, struct string_list *ret_list)
{
    const char **items = arena_array(collecting->arena, const char *, LEFT_OUT_MAX);
    size_t count = 0;
    for (char **entry = environ; *entry != NULL && count < LEFT_OUT_MAX; entry++) {
        size_t length = strcspn(*entry, "=");
        bool of_family = false, listed = false;
        for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
            of_family |= strncmp(*entry, families[i], strlen(families[i])) == 0;
        for (size_t i = 0; i < VARIABLE_COUNT; i++)
            listed |= strlen(variables[i].variable) == length && (*entry)[length] == '=' &&
                      strncmp(*entry, variables[i].variable, length) == 0;
        if (of_family && !listed)
            items[count++] = text_utf8_repair(collecting->arena, *entry, length);
    }
    if (count > 0)
        qsort(items, count, sizeof *items, name_order);
    *ret_list = (struct string_list){count == 0 ? NULL : items, count};
}

/* ---- versions -------------------------------------------------------------------------------- */

/* "transformer-engine-jax=1.2" is the fact transformer_engine_jax_version; the first line is the
 * program that says so. */
static bool versions_add(struct collecting *collecting, const char *python, struct err *err)
{
    const char *const argv[] = {python, "-c", versions_script, NULL};
    struct program_output output;
    struct err failure = {0};
    if (!program_run(argv, &versions_limits, collecting->arena, &output, &failure))
        return failure.kind == ERR_MISSING || err_set(err, failure.kind, "%s", failure.text);
    if (output.exit_code != 0)
        return true;
    const char *source = NULL;
    for (const char *at = output.text; *at != '\0';) {
        size_t length = strcspn(at, "\n"), named = strcspn(at, "=\n");
        const char *line = arena_strndup(collecting->arena, at, length);
        at += length + (at[length] == '\n');
        if (source == NULL) {
            source = line;
            continue;
        }
        char *name = arena_printf(collecting->arena, "%.*s_version", (int)named, line);
        for (char *c = name; *c != '\0'; c++)
            *c = *c == '-' ? '_' : *c;
        add(collecting, name, line + named + (line[named] == '='), source);
    }
    return true;
}

/* The first word of a line that is digits and dots. */
static const char *version_word(const char *line, struct arena *arena)
{
    while (*line != '\0' && *line != '\n') {
        size_t length = strcspn(line, " \t\n");
        if (isdigit((unsigned char)line[0]) && strspn(line, "0123456789.") == length &&
            memchr(line, '.', length) != NULL)
            return arena_strndup(arena, line, length);
        line += length;
        line += strspn(line, " \t");
    }
    return NULL;
}

static void driver_add(struct collecting *collecting, const char *fact, const char *path)
{
    char *text;
    if (!file_read(path, PROC_BYTES_MAX, collecting->arena, &text, NULL, NULL))
        return;
    const char *version = version_word(text, collecting->arena);
    if (version != NULL)
        add(collecting, fact, version, path);
}

static void machine_add(struct collecting *collecting, const char **ret_host)
{
    struct utsname names;
    *ret_host = "unknown";
    if (uname(&names) == 0) {
        *ret_host = arena_strdup(collecting->arena, names.nodename);
        add(collecting, "kernel_release", arena_strdup(collecting->arena, names.release), "uname");
    }
    driver_add(collecting, "nvidia_driver_version", "/proc/driver/nvidia/version");
    driver_add(collecting, "amdgpu_version", "/sys/module/amdgpu/version");
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Of two that say one thing, git (in small letters) stands before a CI system's variable. */
static int fact_order(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : strcmp(b->source, a->source);
}

/* What was asked for: python's versions, the code of a repository and of a CI system, a
 * configuration. */
static bool asked_add(struct collecting *collecting, const struct capture_env_request *request,
                      struct err *err)
{
    struct fact of_git[ORIGIN_GIT_FACTS], of_ci[ORIGIN_CI_FACTS], of_file[CONFIG_FILE_FACTS_MAX];
    size_t git_count = 0, ci_count = 0, file_count = 0;
    struct err failure = {0};
    if (request->python != NULL && !versions_add(collecting, request->python, err))
        return false;
    if (request->repository != NULL &&
        !origin_of_repository(request->repository, collecting->arena, of_git, &git_count,
                              &failure) &&
        failure.kind != ERR_MISSING)
        return err_set(err, failure.kind, "%s", failure.text);
    if ((request->asks_ci && !origin_of_ci(collecting->arena, of_ci, &ci_count, err)) ||
        (request->config_file != NULL &&
         !config_file_facts(request->config_file, collecting->arena, of_file, &file_count, err)))
        return false;
    all_add(collecting, of_git, git_count);
    all_add(collecting, of_ci, ci_count);
    all_add(collecting, of_file, file_count);
    return true;
}

bool capture_env_collect(const struct capture_env_request *request, struct arena *arena,
                         struct capture_env *ret_capture, struct err *err)
{
    char now[CLOCK_ISO_BYTES];
    struct collecting collecting = {.arena = arena,
                                    .facts = arena_array(arena, struct fact, FACTS_MAX)};
    struct capture_env capture = {.schema_version = "capture_env.v1",
                                  .captured_at_utc =
                                      arena_strdup(arena, clock_iso(clock_wall_us(), now))};
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        const char *value = getenv(variables[i].variable);
        if (value == NULL || value[0] == '\0' || strlen(value) > VALUE_BYTES_MAX)
            continue;
        add(&collecting, variables[i].fact,
            text_utf8_repair(collecting.arena, value, strlen(value)), variables[i].variable);
    }
    left_out_list(&collecting, &capture.left_out);
    machine_add(&collecting, &capture.host);
    if (!asked_add(&collecting, request, err))
        return false;
    qsort(collecting.facts, collecting.count, sizeof *collecting.facts, fact_order);
    capture.facts = collecting.facts;
    capture.fact_count = collecting.count;
    *ret_capture = capture;
    return arena_ok(arena, "what was captured", err);
}
