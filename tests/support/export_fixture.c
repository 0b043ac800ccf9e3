#include "tests/support/export_fixture.h"

#include "tests/support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char export_texts[] = "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT);";
const char export_kernels[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
    " streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, registersPerThread INTEGER,"
    " gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
    " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);";
const char export_copies[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,"
    " correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,"
    " copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,"
    " correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER NOT NULL);";
const char export_ranges[] =
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
    " rangeId INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);";
const char export_calls[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
    " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
    " nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);";
const char export_gpus[] =
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER NOT NULL, name TEXT,"
    " totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER,"
    " computeMajor INTEGER, computeMinor INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT,"
    " nameEnum INTEGER, value TEXT);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);";

void export_make(const char *path, const char *const *sql, int count)
{
    sqlite3 *db;
    char *why = NULL;
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < count; i++) {
        if (sqlite3_exec(db, sql[i], NULL, NULL, &why) != SQLITE_OK)
            fail_msg("%s: %s", why, sql[i]);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int64_t export_ask(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement = NULL;
    int64_t answer = 0;
    char uri[4096];
    (void)snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
    assert_int_equal(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
                     SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return answer;
}

char *export_folder, export_path[EXPORT_PATH_BYTES];

int export_folder_begin(const char *name)
{
    export_folder = test_folder_make();
    (void)snprintf(export_path, sizeof export_path, "%s/%s", export_folder, name);
    return 0;
}

int export_folder_end(void **state)
{
    (void)state;
    test_folder_remove(export_folder);
    free(export_folder);
    return 0;
}

void export_real_ones(void (*each)(void))
{
    const char *shared = getenv("STEPLEDGER_SHARED");
    char pattern[EXPORT_PATH_BYTES];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "%s/profiles/nsys/*.sqlite",
                   shared != NULL ? shared : "../shared");
    if (glob(pattern, 0, NULL, &found) != 0) {
        print_message("no real exports '%s'; set STEPLEDGER_SHARED\n", pattern);
        skip();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        (void)snprintf(export_path, sizeof export_path, "%s", found.gl_pathv[i]);
        each();
    }
    globfree(&found);
}

void assert_warned(const struct summary *summary, const char *part)
{
    for (size_t i = 0; i < summary->coverage.warnings.count; i++) {
        if (strstr(summary->coverage.warnings.items[i], part) != NULL)
            return;
    }
    for (size_t i = 0; i < summary->coverage.warnings.count; i++)
        print_message("%s\n", summary->coverage.warnings.items[i]);
    fail_msg("no warning of: %s", part);
}
