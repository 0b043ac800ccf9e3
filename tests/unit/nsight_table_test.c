/* Tests of the tables that lie in exports of Nsight Systems: kernels, copies and ranges add up to
 * what SQL counts, of made exports and of real ones. */
#include "ingest/ingest.h"
#include "tests/support/export_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARENA_BYTES = 64 << 20 };

static bool try_table(const char *name, struct arena *arena, struct data_table *ret_table,
                      struct err *err)
{
    const struct table_request request = {.name = name};
    struct profile_files files;
    struct ingest_options options;
    ingest_options_init(&options);
    arena_init(arena, ARENA_BYTES);
    *err = (struct err){0};
    return ingest_file(export_path, arena, &files, err) &&
           ingest_table(&request, &files, &options, arena, ret_table, err);
}

static struct data_table table_of(const char *name, struct arena *arena)
{
    struct data_table table;
    struct err err;
    if (!try_table(name, arena, &table, &err))
        fail_msg("%s", err.text);
    return table;
}

static const struct data_value *value_at(const struct data_table *table, size_t row,
                                         const char *column)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].id, column) == 0)
            return &data_row(table, row)[i];
    }
    fail_msg("no column %s", column);
    return NULL;
}

static void assert_text(const struct data_table *table, size_t row, const char *column,
                        const char *wanted)
{
    const struct data_value *value = value_at(table, row, column);
    if (wanted == NULL) {
        assert_false(value->set);
        return;
    }
    assert_true(value->set);
    assert_string_equal(value->text, wanted);
}

static const char texts[] =
    "INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'relu'),"
    " (6, 'XlaModule:#prefix=jit(f),hlo_module=jit_f,program_id=3#'),"
    " (7, 'Thunk:#name=/dot_general,hlo_op=fusion.1#'), (8, 'Thunk:#hlo_op=fusion.2#')";

static void groups_kernels_by_launch(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, texts, export_kernels, export_ranges, export_calls,
                "INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, textId) VALUES"
                " (10, 50, 59, 9, 6), (11, 20, 59, 9, 7), (21, 30, 59, 9, 8)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (12, 13, 0, 9, 1, 4, 0),"
                " (22, 23, 0, 9, 2, 4, 0)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
                " correlationId, demangledName, shortName, registersPerThread, gridX, gridY, gridZ,"
                " blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory) VALUES"
                " (100, 300, 0, 1, 7, 1, 1, 2, 32, 4, 2, 1, 128, 1, 1, 1024, 16),"
                " (400, 500, 0, 1, 7, 1, 1, 2, 32, 4, 2, 1, 128, 1, 1, 1024, 16),"
                " (400, 450, 1, 1, 7, 1, 1, 2, 32, 8, 2, 1, 128, 1, 1, 1024, 16),"
                " (600, 610, 0, 1, 7, 2, 3, 3, NULL, NULL, 1, 1, 1, 1, 1, NULL, 0),"
                " (700, 700, 0, 1, 7, 9, 3, 3, 16, 1, 1, 1, 1, 1, 1, 0, 0),"
                " (900, 800, 0, 1, 7, 9, 3, 3, 16, 1, 1, 1, 1, 1, 1, 0, 0)");
    struct data_table table = table_of("kernels", &arena);
    assert_int_equal(table.row_count, 4);
    assert_text(&table, 0, "kernel_name", "void gemm<float>(int)");
    assert_text(&table, 0, "grid_dim", "4,2,1");
    assert_text(&table, 0, "block_dim", "128,1,1");
    assert_text(&table, 0, "op_name", "jit(f)/dot_general");
    assert_int_equal(value_at(&table, 0, "registers_per_thread")->integer, 32);
    assert_int_equal(value_at(&table, 0, "shmem_bytes")->integer, 1040);
    assert_int_equal(value_at(&table, 0, "occurrences")->integer, 2);
    assert_true(fabs(value_at(&table, 0, "total_duration_us")->real - 0.3) < 1e-12);
    assert_true(fabs(value_at(&table, 0, "min_duration_us")->real - 0.1) < 1e-12);
    assert_text(&table, 1, "grid_dim", "8,2,1");
    assert_text(&table, 2, "op_name", "fusion.2");
    assert_text(&table, 2, "grid_dim", NULL);
    assert_false(value_at(&table, 2, "shmem_bytes")->set);
    assert_text(&table, 3, "op_name", NULL);
    assert_int_equal(value_at(&table, 3, "occurrences")->integer, 1); /* it lasted no time */
}

static void groups_copies_by_direction(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, export_copies,
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0,300,0,1,7,1,0,100,1,0,2),"
                " (400,500,0,1,7,1,0,50,1,0,2), (600,700,0,1,7,1,0,8,2,2,1),"
                " (800,850,0,1,7,1,0,1,99,77,NULL)",
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (900,910,0,1,7,1,0,0,64)");
    struct data_table table = table_of("copies", &arena);
    assert_int_equal(table.row_count, 4);
    assert_text(&table, 0, "kind", "MemcpyH2D");
    assert_text(&table, 0, "source_memory", "pageable");
    assert_text(&table, 0, "destination_memory", "device");
    assert_int_equal(value_at(&table, 0, "bytes")->integer, 150);
    assert_text(&table, 1, "destination_memory", "pinned");
    assert_text(&table, 2, "kind", "Memcpy");
    assert_text(&table, 2, "source_memory", NULL);
    assert_text(&table, 3, "kind", "Memset");
    assert_int_equal(value_at(&table, 3, "bytes")->integer, 64);
}

static void groups_ranges_by_name_and_domain(void **state)
{
    (void)state;
    scoped_arena arena;
    EXPORT_MAKE(export_path, export_texts, texts, export_ranges,
                "INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, domainId) VALUES"
                " (0, NULL, 75, 'NCCL', NULL, 3), (0, 100, 59, 'load', NULL, 0),"
                " (100, 300, 60, 'load', NULL, 0), (0, 10, 59, NULL, 3, 3),"
                " (0, 20, 59, 'load', NULL, 3), (5, NULL, 59, 'open', NULL, 0)");
    struct data_table table = table_of("ranges", &arena);
    assert_int_equal(table.row_count, 3);
    assert_text(&table, 0, "range", "load");
    assert_text(&table, 0, "domain", NULL);
    assert_int_equal(value_at(&table, 0, "occurrences")->integer, 2);
    assert_text(&table, 1, "domain", "NCCL");
    assert_text(&table, 2, "range", "relu");
}

static void refuses_what_an_export_lacks(void **state)
{
    (void)state;
    scoped_arena first, second;
    struct data_table table;
    struct err err;
    EXPORT_MAKE(export_path, export_texts, export_ranges);
    assert_false(try_table("kernels", &first, &table, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "CUDA was not traced"));
    static const struct {
        const char *table, *told;
    } cases[] = {{"MEMCPY", "holds copies, but no kernel"},
                 {"GRAPH_TRACE", "--cuda-graph-trace=node"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_arena arena;
        char sql[256];
        (void)snprintf(sql, sizeof sql,
                       "CREATE TABLE CUPTI_ACTIVITY_KIND_%s (start INTEGER, end INTEGER)",
                       cases[i].table);
        EXPORT_MAKE(export_path, export_texts, export_ranges, sql);
        assert_false(try_table("kernels", &arena, &table, &err));
        assert_null(strstr(err.text, "CUDA was not traced"));
        assert_non_null(strstr(err.text, cases[i].told));
    }
    EXPORT_MAKE(export_path, export_texts, export_ranges);
    assert_false(try_table("allocations", &second, &table, &err));
    assert_non_null(strstr(err.text, "memory.prof"));
}

/* ---- real ones ------------------------------------------------------------------------------- */

/* What a table and SQL add up to. */
static void check_sums(const char *name, const char *const *tables, size_t count)
{
    scoped_arena arena;
    struct data_table table;
    struct err err;
    int64_t events = 0, wanted_events = 0, wanted_ns = 0;
    double total_us = 0;
    for (size_t i = 0; i < count; i++) {
        char sql[200];
        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE end >= start", tables[i]);
        wanted_events += export_ask(export_path, sql);
        (void)snprintf(sql, sizeof sql, "SELECT sum(end - start) FROM %s", tables[i]);
        wanted_ns += export_ask(export_path, sql);
    }
    if (!try_table(name, &arena, &table, &err)) {
        assert_int_equal(wanted_events, 0);
        assert_int_equal(err.kind, ERR_INPUT);
        return;
    }
    for (size_t row = 0; row < table.row_count; row++) {
        events += value_at(&table, row, "occurrences")->integer;
        total_us += value_at(&table, row, "total_duration_us")->real;
    }
    assert_int_equal(events, wanted_events);
    assert_true(fabs(total_us * 1e3 - (double)wanted_ns) < 1e-6 * (double)wanted_ns);
}

static void real_one_adds_up(void)
{
    static const char *const kernels[] = {"CUPTI_ACTIVITY_KIND_KERNEL"},
                             *const copies[] = {"CUPTI_ACTIVITY_KIND_MEMCPY",
                                                "CUPTI_ACTIVITY_KIND_MEMSET"},
                             *const ranges[] = {"NVTX_EVENTS"};
    check_sums("kernels", kernels, 1);
    check_sums("copies", copies, 2);
    check_sums("ranges", ranges, 1);
}

static void real_ones_add_up_to_what_sql_counts(void **state)
{
    (void)state;
    export_real_ones(real_one_adds_up);
}

static int folder_begin(void **state)
{
    (void)state;
    return export_folder_begin("tables.sqlite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_kernels_by_launch),
        cmocka_unit_test(groups_copies_by_direction),
        cmocka_unit_test(groups_ranges_by_name_and_domain),
        cmocka_unit_test(refuses_what_an_export_lacks),
        cmocka_unit_test(real_ones_add_up_to_what_sql_counts),
    };
    return cmocka_run_group_tests(tests, folder_begin, export_folder_end);
}
