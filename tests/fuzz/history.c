/* Fuzz target: a history of `track`, JSON lines. */
#include "ops/present/report/history_report.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct err err = {0};
    json_t *answer = history_summary((const char *)bytes, length, "fuzz", 3, &err);
    assert(answer != NULL || err.kind == ERR_INPUT);
    json_decref(answer);
    return 0;
}
