#include "ingest/hlo/precision.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* What the type that ends before a bracket says. */
static enum precision precision_of_type(const char *text, const char *end)
{
    static const char *const wide[] = {"f32", "f64", "c64", "c128"};
    const char *type = end;
    while (type > text && isalnum((unsigned char)type[-1]))
        type--;
    const size_t length = (size_t)(end - type);
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (length == strlen(wide[i]) && memcmp(type, wide[i], length) == 0)
            return PRECISION_32BIT;
    type += length > 0 && type[0] == 'b'; /* bf16, f16, f8e4m3fn, f4e2m1fn */
    return end - type >= 2 && type[0] == 'f' && isdigit((unsigned char)type[1]) ? PRECISION_16BIT
                                                                                : PRECISION_UNTOLD;
}

enum precision precision_of_shapes(const char *shapes)
{
    enum precision found = PRECISION_UNTOLD;
    const char *at = shapes;
    for (; at != NULL && (at = strchr(at, '[')) != NULL; at++) {
        const enum precision one = precision_of_type(shapes, at);
        if (one == PRECISION_16BIT)
            return one;
        if (one != PRECISION_UNTOLD)
            found = one;
    }
    return found;
}

static int holds_one(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(text, words[i]) != NULL)
            return 1;
    return 0;
}

/* `float` is in `bfloat16`, so the narrow ones are asked first. */
enum precision precision_of_kernel(const char *kernel)
{
    static const char *const narrow[] = {"bfloat16", "half", "bf16",  "fp16",   "f16",
                                         "hgemm",    "h884", "h1688", "h16816", "hmma",
                                         "float8",   "e4m3", "e5m2",  "fp8"};
    static const char *const wide[] = {"float", "double", "f32",   "fp32",  "tf32",   "f64",
                                       "sgemm", "dgemm",  "cgemm", "zgemm", "scudnn", "dcudnn"};
    if (holds_one(kernel, narrow, sizeof narrow / sizeof narrow[0]))
        return PRECISION_16BIT;
    return holds_one(kernel, wide, sizeof wide / sizeof wide[0]) ? PRECISION_32BIT
                                                                 : PRECISION_UNTOLD;
}
