/* Compares with files of tests/golden; tests run in the root of the repository. */
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE *golden_open(const char *name, const char *mode)
{
    char path[512];
    (void)snprintf(path, sizeof path, "tests/golden/%s", name);
    FILE *file = fopen(path, mode);
    if (file == NULL)
        fail_msg("%s cannot be opened; `make golden T=word` writes those of the tests whose name "
                 "holds the word, and tests run in the root of the repository",
                 path);
    return file;
}

char *golden_read(const char *name, size_t *ret_length)
{
    FILE *file = golden_open(name, "r");
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *data = calloc(1, (size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, file), (size_t)size);
    (void)fclose(file);
    if (ret_length != NULL)
        *ret_length = (size_t)size;
    return data;
}

static void golden_write(const char *name, const char *text)
{
    FILE *file = golden_open(name, "w");
    (void)fprintf(file, "%s\n", text);
    assert_int_equal(fclose(file), 0);
}

void golden_check(const char *name, const char *text)
{
    const char *mode = getenv("STEPLEDGER_GOLDEN");
    if (mode != NULL && strcmp(mode, "write") == 0) {
        golden_write(name, text);
        return;
    }
    size_t length;
    char *wanted = golden_read(name, &length);
    size_t same = 0, line = 1;
    while (same < length && wanted[same] == text[same] && text[same] != '\0')
        line += wanted[same++] == '\n';
    bool equal = same + 1 == length && wanted[same] == '\n' && text[same] == '\0';
    if (!equal)
        print_error("%s differs in line %zu (`make golden` rewrites it)\n"
                    "  wanted: %.120s\n  got:    %.120s\n",
                    name, line, wanted + same, text + same);
    free(wanted);
    assert_true(equal);
}
