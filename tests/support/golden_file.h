/* Documents that tests compare to the byte with files of tests/golden. */
#ifndef TESTS_SUPPORT_GOLDEN_FILE_H
#define TESTS_SUPPORT_GOLDEN_FILE_H

#include <stddef.h>

/* Fails the running test, saying where they part, unless the file (below tests/golden) holds the
 * text and one line break. With STEPLEDGER_GOLDEN=write in the environment the file is written
 * instead: `make golden`, `make golden T=word`. */
void golden_check(const char *name, const char *text);

/* A file below tests/golden, NUL-terminated; the caller frees it. Fails the running test without
 * it. ret_length may be NULL. */
char *golden_read(const char *name, size_t *ret_length);

#endif
