/* Exports of Nsight Systems that a test makes itself: tables with the columns that the format has,
 * and rows in SQL.
 */
#ifndef TESTS_SUPPORT_EXPORT_FIXTURE_H
#define TESTS_SUPPORT_EXPORT_FIXTURE_H

#include <stdint.h>

/* Tables as newer versions write them, without rows. */
extern const char export_texts[], export_kernels[], export_copies[], export_ranges[],
    export_calls[], export_gpus[];

/* Makes a new database of what the SQL says; ends the test when it makes no sense. */
void export_make(const char *path, const char *const *sql, int count);
#define EXPORT_MAKE(path, ...) \
    export_make((path), (const char *const[]){__VA_ARGS__}, \
                (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

/* The number that a question to the file answers; 0 when there is no such table. */
int64_t export_ask(const char *path, const char *sql);

#endif
