/* Exports of Nsight Systems that a test makes itself: tables with the columns that the format has,
 * and rows in SQL.
 */
#ifndef TESTS_SUPPORT_EXPORT_FIXTURE_H
#define TESTS_SUPPORT_EXPORT_FIXTURE_H

#include "schema/documents/summary.h"

#include <stdint.h>

/* Tables as newer versions write them, without rows. */
extern const char export_texts[], export_kernels[], export_copies[], export_ranges[],
    export_calls[], export_gpus[];

/* Makes a new database of what the SQL says; ends the test when it makes no sense. */
void export_make(const char *path, const char *const *sql, int count);
#define EXPORT_MAKE(path, ...) \
    export_make((path), (const char *const[]){__VA_ARGS__}, \
                (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

/* For groups of tests: a folder of their own and the path of an export in it. */
enum { EXPORT_PATH_BYTES = 300 };
extern char *export_folder, export_path[EXPORT_PATH_BYTES];
int export_folder_begin(const char *name);
int export_folder_end(void **state);

/* Calls each() for every real export below the shared folder, whose path is in export_path then;
 * skips the test, and says so, where there is none. */
void export_real_ones(void (*each)(void));

/* Ends the test when none of the warnings has the part. */
void assert_warned(const struct summary *summary, const char *part);

/* The number that a question to the file answers; 0 when there is no such table. */
int64_t export_ask(const char *path, const char *sql);

#endif
