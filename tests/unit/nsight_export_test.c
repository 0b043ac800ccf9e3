/* Tests of exports of Nsight Systems: what of their tables becomes devices, ops and steps, whatever
 * version wrote them; real ones hold what SQL counts in them. */
#include "ingest/ingest.h"
#include "ingest/source/source.h"
#include "ops/runtime/text.h"
#include "tests/support/export_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARENA_BYTES = 64 << 20 };

/* The process 7 and its thread 9, as ids that hold both. */
#define PID "((7 << 24) | (1 << 48))"
#define TID "((7 << 24) | (1 << 48) | 9)"

static struct summary read_with(const struct ingest_options *options, struct arena *arena)
{
    struct profile_files files;
    struct summary summary = {0};
    struct err err = {0};
    arena_init(arena, ARENA_BYTES);
    if (!ingest_file(export_path, arena, &files, &err) ||
        !ingest_summarize(&files, options, arena, &summary, &err))
        fail_msg("%s", err.text);
    return summary;
}

static struct summary read_plain(struct arena *arena)
{
    struct ingest_options options;
    ingest_options_init(&options);
    return read_with(&options, arena);
}

static const struct op_row *op_of(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->op_count; i++) {
        if (strcmp(summary->ops[i].name, name) == 0)
            return &summary->ops[i];
    }
    for (size_t i = 0; i < summary->op_count; i++)
        print_message("%s\n", summary->ops[i].name);
    fail_msg("no op %s", name);
    return NULL;
}

/* ---- what becomes of the tables -------------------------------------------------------------- */

static const char texts[] =
    "INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'relu'),"
    " (4, 'cudaLaunchKernel'), (5, 'ncclDevKernel_AllReduce_Sum_f32'),"
    " (6, 'XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=3#'),"
    " (7, 'Thunk:#name=/dot_general,hlo_op=fusion.1#'), (8, 'Thunk:#hlo_op=fusion.2#'),"
    " (9, 'XlaModule:#hlo_module=jit_g#'), (10, 'Thunk:#hlo_op=all-reduce.1#');";

enum { SQL_BYTES = 64 * 1024 };

/* A kernel of the process, launched by the call of this id. */
static void kernel_put(struct text *rows, int64_t start, int64_t end, int correlation, int name)
{
    text_addf(rows,
              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
              " correlationId, globalPid, demangledName, shortName)"
              " VALUES (%lld, %lld, 0, 1, 7, %d, " PID ", %d, 2);",
              (long long)start, (long long)end, correlation, name);
}

static void call_put(struct text *rows, int64_t start, int correlation)
{
    text_addf(rows,
              "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%lld, %lld, 0, " TID ", %d, 4, 0);",
              (long long)start, (long long)start + 10, correlation);
}

/* A range with a text of its own, or one of StringIds. */
static void range_put(struct text *rows, int64_t start, int64_t end, const char *text)
{
    text_addf(rows,
              "INSERT INTO NVTX_EVENTS VALUES (%lld, %lld, 59, NULL, '%s', " TID ", NULL, 0);",
              (long long)start, (long long)end, text);
}

static void named_range_put(struct text *rows, int64_t start, int64_t end, int id)
{
    text_addf(rows, "INSERT INTO NVTX_EVENTS VALUES (%lld, %lld, 59, NULL, NULL, " TID ", %d, 0);",
              (long long)start, (long long)end, id);
}

static void names_kernels_copies_and_streams(void **state)
{
    (void)state;
    scoped_arena arena;
    scoped_text rows;
    text_init(&rows, SQL_BYTES);
    kernel_put(&rows, 1000, 3000, 11, 1);
    kernel_put(&rows, 3000, 4000, 12, 1);
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_copies, export_gpus,
                text_string(&rows),
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
                " globalPid, demangledName, shortName) VALUES (2000, 2500, 1, 1, 13, " PID
                ", 5, 5)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
                " (100,200,0,1,7,1," PID ",4096,1,0,2), (5000,5100,0,1,7,2," PID ",8,2,2,0),"
                " (6000,6100,0,1,7,3," PID ",8,10,2,2), (7000,7100,0,1,7,3," PID ",8,99,2,2)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (4500,4600,0,1,7,4," PID ",0,64)",
                "INSERT INTO TARGET_INFO_GPU VALUES (1,0,'NVIDIA H100',80000000000,"
                "3352320000000,1980000000,132,9,0), (1,1,'NVIDIA H100',80000000000,"
                "3352320000000,1980000000,132,9,0)",
                "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1,'','Hostname',1,'node7'),"
                " (1,'','CudaDriverVersion',2,'12080')",
                "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000,'')");
    struct summary summary = read_plain(&arena);
    assert_string_equal(summary.source_format, "nsight_sqlite");
    assert_int_equal(summary.device_count, 2);
    assert_string_equal(summary.devices[0].name, "/device:GPU:0");
    assert_string_equal(summary.environment.device_type, "NVIDIA H100");
    assert_string_equal(summary.environment.hosts.items[0], "node7");
    assert_string_equal(fact_find(&summary.environment, "clock_rate_khz")->value, "1980000");
    assert_string_equal(fact_find(&summary.environment, "driver_version")->value, "12080");
    assert_string_equal(fact_find(&summary.environment, "profiler_options")->value,
                        "Nsight Systems: cuda");
    const struct op_row *gemm = op_of(&summary, "void gemm<float>(int)");
    assert_int_equal(gemm->count, 2);
    assert_int_equal(gemm->self_ps, 3000000);
    assert_string_equal(op_of(&summary, "MemcpyH2D")->category, "copy");
    assert_int_equal(op_of(&summary, "MemcpyD2H")->count, 1);
    assert_string_equal(op_of(&summary, "MemcpyP2P")->category, "communication");
    assert_int_equal(op_of(&summary, "Memcpy")->count, 1);
    assert_int_equal(op_of(&summary, "Memset")->self_ps, 100000);
    assert_string_equal(op_of(&summary, "ncclDevKernel_AllReduce_Sum_f32")->category,
                        "communication");
    assert_int_equal(summary.capture.hosts[0].begin_ns.value, 1700000000000000100);
    assert_int_equal(summary.coverage.unsorted_lines, 0); /* tables that share a stream */
    assert_warned(&summary, "No NVTX range is named as steps are");
}

/* The kernel of a step begins when the next step's range is open already: its call tells. */
static void finds_steps_by_the_usual_names(void **state)
{
    (void)state;
    static const char *const names[] = {"train ",     "step ",         "Iteration ",
                                        "Step #",     "train_step: ",  "ProfilerStep#",
                                        "iteration_", "training step "};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scoped_arena arena;
        scoped_text rows;
        text_init(&rows, SQL_BYTES);
        for (int step = 0; step < 3; step++) {
            char name[40];
            (void)snprintf(name, sizeof name, "%s%d", names[i], 10 + step);
            range_put(&rows, 1000 * (step + 1), 1000 * (step + 2), name);
            call_put(&rows, 1000 * (step + 1) + 100, step + 1);
        }
        kernel_put(&rows, 1200, 1900, 1, 1);
        kernel_put(&rows, 3050, 3090, 2, 1);
        kernel_put(&rows, 3200, 3300, 3, 3);
        EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_ranges, export_calls,
                    text_string(&rows));
        struct summary summary = read_plain(&arena);
        assert_int_equal(summary.steps.method, STEPS_ANNOTATION);
        assert_int_equal(summary.steps.count, 3);
        assert_int_equal(summary.steps.rows[1].number, 11);
        assert_int_equal(summary.steps.rows[1].max_ps, 40000);
    }
}

static void leaves_other_names_alone(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Step 90 to 100", "step", "restep 7", "12", "step12", "step ", "step 1234567890123456789"};
    scoped_arena arena;
    scoped_text rows;
    text_init(&rows, SQL_BYTES);
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        range_put(&rows, 10 * i, 10 * i + 5, names[i]);
    EXPORT_MAKE(export_path, export_texts, texts, export_ranges, text_string(&rows));
    struct summary summary = read_plain(&arena);
    assert_int_equal(summary.steps.count, 0);
    assert_warned(&summary, "--step-range says which ranges are steps");
    assert_warned(&summary, "The export has no table of kernels");
}

static void takes_the_ranges_that_the_user_names(void **state)
{
    (void)state;
    struct ingest_options options;
    struct err err = {0};
    scoped_arena arena;
    ingest_options_init(&options);
    assert_false(ingest_options_name_steps(&options, "Step [0-9]+", &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_non_null(strstr(err.text, "in parentheses"));
    assert_false(ingest_options_name_steps(&options, "Step ([0-9]+", &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_true(ingest_options_name_steps(&options, "^Step ([0-9]+) to", &err));
    scoped_text rows;
    text_init(&rows, SQL_BYTES);
    range_put(&rows, 1000, 2000, "Step 90 to 100");
    range_put(&rows, 2000, 3000, "Step 100 to 110");
    range_put(&rows, 1000, 2000, "step 1");
    call_put(&rows, 1100, 1);
    call_put(&rows, 2100, 2);
    kernel_put(&rows, 1200, 1900, 1, 1);
    kernel_put(&rows, 2200, 2300, 2, 1);
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_ranges, export_calls,
                text_string(&rows));
    struct summary summary = read_with(&options, &arena);
    assert_int_equal(summary.steps.count, 2);
    assert_int_equal(summary.steps.rows[0].number, 90);
    assert_string_equal(summary.producer.step_range, "^Step ([0-9]+) to");
}

/* Ops and programs of XLA come from the ranges around the call; without steps, the runs of a
 * program, from its first kernel to the end of its last, are steps. */
static void finds_programs_by_the_ranges_of_xla(void **state)
{
    (void)state;
    static const int ranges[][3] = {{1000, 2000, 6}, {1100, 1200, 7}, {1300, 1400, 8},
                                    {2000, 3000, 6}, {2100, 2200, 7}, {2300, 2400, 8},
                                    {3000, 4000, 9}, {3100, 3200, 10}};
    static const int launches[] = {1110, 1310, 2110, 2310, 3110, 3900};
    static const int kernels[][4] = {{5000, 6000, 1, 1}, {6000, 6100, 2, 3}, {8000, 9100, 3, 1},
                                     {9100, 9200, 4, 3}, {9300, 9310, 5, 5}, {9400, 9410, 6, 2},
                                     {9500, 9510, 77, 4}};
    scoped_arena arena;
    scoped_text rows;
    text_init(&rows, SQL_BYTES);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        named_range_put(&rows, ranges[i][0], ranges[i][1], ranges[i][2]);
    for (int i = 0; i < (int)(sizeof launches / sizeof launches[0]); i++)
        call_put(&rows, launches[i], i + 1);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        kernel_put(&rows, kernels[i][0], kernels[i][1], kernels[i][2], kernels[i][3]);
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_ranges, export_calls,
                text_string(&rows));
    struct summary summary = read_plain(&arena);
    const struct op_row *gemm = op_of(&summary, "void gemm<float>(int)");
    assert_string_equal(gemm->program, "jit_f");
    assert_string_equal(gemm->op_path, "jit(f)/jit(main)/dot_general");
    assert_int_equal(gemm->count, 2);
    assert_string_equal(op_of(&summary, "relu")->program, "jit_f");
    assert_string_equal(op_of(&summary, "ncclDevKernel_AllReduce_Sum_f32")->program, "jit_g");
    assert_string_equal(op_of(&summary, "gemm")->program, "jit_g"); /* behind its thunk */
    assert_null(op_of(&summary, "cudaLaunchKernel")->program);      /* nobody called it */
    assert_int_equal(summary.steps.method, STEPS_MODULE_RUN);
    assert_string_equal(summary.steps.program, "jit_f");
    assert_int_equal(summary.steps.count, 2);
    assert_int_equal(summary.steps.rows[1].max_ps, 1200000);
}

/* Two epochs of three steps are six steps; a range that stands late in the table is none of a new
 * epoch. */
static void counts_on_where_numbers_begin_again(void **state)
{
    (void)state;
    static const int order[] = {0, 2, 1, 3, 4, 5};
    scoped_arena arena;
    scoped_text rows;
    text_init(&rows, SQL_BYTES);
    for (int i = 0; i < 6; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "step %d", order[i] % 3);
        range_put(&rows, 1000 * order[i], 1000 * order[i] + 900, name);
        call_put(&rows, 1000 * i + 100, i + 1);
        kernel_put(&rows, 1000 * i + 200, 1000 * i + 300 + i, i + 1, 1);
    }
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_ranges, export_calls,
                text_string(&rows));
    struct summary summary = read_plain(&arena);
    assert_int_equal(summary.steps.count, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(summary.steps.rows[i].number, i);
        assert_int_equal(summary.steps.rows[i].max_ps, 1000 * (100 + i));
    }
    assert_warned(&summary, "3 steps are counted on");
}

/* A process counts its calls and its devices from the beginning. */
static void keeps_processes_apart(void **state)
{
    (void)state;
    static const char two[] =
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
        " correlationId, globalPid, demangledName, shortName) VALUES"
        " (1000,2000,0,1,7,1,(7 << 24),1,2), (1500,2500,0,1,7,1,(8 << 24),3,3)";
    scoped_arena first, second;
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, two);
    struct summary summary = read_plain(&first);
    assert_int_equal(summary.device_count, 2);
    assert_string_equal(summary.devices[1].name, "/device:GPU:1");
    assert_warned(&summary, "taken for different ones");
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_gpus, two,
                "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 7), (3, 0, 8)");
    summary = read_plain(&second);
    assert_int_equal(summary.device_count, 1);
    assert_string_equal(summary.devices[0].name, "/device:GPU:3");
    assert_int_equal(summary.devices[0].busy_ps, 1500000);
}

static void tells_of_graphs_that_hide_their_kernels(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, texts,
                "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER,"
                " deviceId INTEGER, graphId INTEGER, graphExecId INTEGER, contextId INTEGER,"
                " streamId INTEGER, correlationId INTEGER, globalPid INTEGER)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1,5,0,2,3,1,7,9," PID
                "), (6,9,0,2,4,1,7,10," PID ")");
    struct summary summary = read_plain(&arena);
    assert_int_equal(op_of(&summary, "CUDA graph")->count, 2);
    assert_string_equal(fact_find(&summary.environment, "profiler_options")->value,
                        "Nsight Systems: graphs as a whole");
    assert_warned(&summary, "--cuda-graph-trace=node");
}

/* Of 2022, without what later versions have. */
static void reads_tables_of_older_versions(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, texts,
                "CREATE TABLE EXPORT_META_DATA (name TEXT, value TEXT)",
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER,"
                " deviceId INTEGER, shortName INTEGER)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10,20,0,3), (20,40,0,3)");
    struct summary summary = read_plain(&arena);
    assert_int_equal(op_of(&summary, "relu")->self_ps, 30000);
}

/* Times since 1970 keep their nanoseconds. */
static void reads_times_since_1970(void **state)
{
    (void)state;
    const int64_t now_ns = 1700000000000000000;
    scoped_arena arena;
    scoped_text rows;
    text_init(&rows, SQL_BYTES);
    kernel_put(&rows, now_ns + 1, now_ns + 4, 1, 3);
    kernel_put(&rows, now_ns + 5, now_ns + 6, 2, 3);
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, text_string(&rows));
    struct summary summary = read_plain(&arena);
    assert_int_equal(op_of(&summary, "relu")->self_ps, 4000);
    assert_int_equal(summary.devices[0].window_ps, 5000);
}

/* ---- folders --------------------------------------------------------------------------------- */

static void file_make(const char *name, const char *text)
{
    char file[EXPORT_PATH_BYTES];
    (void)snprintf(file, sizeof file, "%s/many/%s", export_folder, name);
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0 && fclose(stream) == 0);
}

static struct profile_list found_in(const char *name, struct arena *arena)
{
    char searched[EXPORT_PATH_BYTES];
    struct profile_list list;
    struct err err = {0};
    (void)snprintf(searched, sizeof searched, "%s/%s", export_folder, name);
    arena_init(arena, ARENA_BYTES);
    if (!ingest_discover(searched, arena, &list, &err))
        fail_msg("%s", err.text);
    return list;
}

/* Other databases are none, and a report that lies beside its export is read once. */
static void takes_exports_of_a_folder(void **state)
{
    (void)state;
    scoped_arena alone, beside, session;
    char file[EXPORT_PATH_BYTES];
    (void)snprintf(file, sizeof file, "%s/many", export_folder);
    assert_int_equal(mkdir(file, 0755), 0);
    (void)snprintf(file, sizeof file, "%s/many/one.sqlite", export_folder);
    EXPORT_MAKE(file, export_texts);
    (void)snprintf(file, sizeof file, "%s/many/mlflow.sqlite", export_folder);
    EXPORT_MAKE(file, "CREATE TABLE runs (id INTEGER)");
    (void)snprintf(file, sizeof file, "%s/many/two.sqlite", export_folder);
    EXPORT_MAKE(file, export_kernels);
    file_make("one.nsys-rep", "NVIDIA Tegra Profiler Report 2026@1@1");
    struct profile_list list = found_in("many", &alone);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].file_count, 2);
    assert_non_null(strstr(list.items[0].files[0], "one.sqlite"));
    assert_non_null(strstr(list.items[0].files[1], "two.sqlite"));
    file_make("host.xplane.pb", "\n");
    list = found_in("many", &beside);
    assert_int_equal(list.items[0].file_count, 1);
    assert_non_null(strstr(list.items[0].files[0], ".xplane.pb"));
    assert_int_equal(list.count, 2); /* nothing says that they are of its job */
    assert_int_equal(list.items[1].file_count, 2);
    static const char *const below[] = {"plugins", "plugins/profile", "plugins/profile/t"};
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
        (void)snprintf(file, sizeof file, "%s/many/%s", export_folder, below[i]);
        assert_int_equal(mkdir(file, 0755), 0);
    }
    (void)snprintf(file, sizeof file, "%s/many/host.xplane.pb", export_folder);
    assert_int_equal(unlink(file), 0);
    file_make("plugins/profile/t/host.xplane.pb", "\n");
    list = found_in("many", &session);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].aside_count, 2);
}

/* ---- real ones ------------------------------------------------------------------------------- */

/* Rows of the tables that become ops of devices, and their nanoseconds. */
static int64_t counted(const char *file, const char *what)
{
    static const char *const tables[] = {"KERNEL", "MEMCPY", "MEMSET"};
    int64_t sum = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char sql[200];
        (void)snprintf(sql, sizeof sql, "SELECT %s FROM CUPTI_ACTIVITY_KIND_%s WHERE end > start",
                       what, tables[i]);
        sum += export_ask(file, sql);
    }
    return sum;
}

static void real_one_is_counted(void)
{
    scoped_arena arena;
    int64_t count = 0, total_ps = 0;
    struct summary summary = read_plain(&arena);
    for (size_t op = 0; op < summary.op_count; op++) {
        count += summary.ops[op].count;
        total_ps += summary.ops[op].total_ps;
    }
    assert_int_equal(count, counted(export_path, "count(*)"));
    assert_int_equal(total_ps, 1000 * counted(export_path, "sum(end - start)"));
    if (export_ask(export_path, "SELECT count(*) FROM sqlite_schema"
                                " WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'") == 0)
        assert_warned(&summary, "The export has no table of kernels");
}

static void real_ones_hold_what_sql_counts(void **state)
{
    (void)state;
    export_real_ones(real_one_is_counted);
}

static int folder_begin(void **state)
{
    (void)state;
    return export_folder_begin("a %#? b.sqlite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_kernels_copies_and_streams),
        cmocka_unit_test(finds_steps_by_the_usual_names),
        cmocka_unit_test(leaves_other_names_alone),
        cmocka_unit_test(takes_the_ranges_that_the_user_names),
        cmocka_unit_test(finds_programs_by_the_ranges_of_xla),
        cmocka_unit_test(counts_on_where_numbers_begin_again),
        cmocka_unit_test(keeps_processes_apart),
        cmocka_unit_test(tells_of_graphs_that_hide_their_kernels),
        cmocka_unit_test(reads_tables_of_older_versions),
        cmocka_unit_test(reads_times_since_1970),
        cmocka_unit_test(takes_exports_of_a_folder),
        cmocka_unit_test(real_ones_hold_what_sql_counts),
    };
    return cmocka_run_group_tests(tests, folder_begin, export_folder_end);
}
