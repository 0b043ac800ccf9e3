/* Implements the closed list of reasons. */
#include "schema/documents/verdict_reasons.h"

#include "ops/runtime/text.h"
#include "schema/documents/measures.h"
#include "schema/documents/provenance_fields.h"

#include <string.h>

/* Codes that are made of a name and what became of it. */
static bool is_of(const char *code, const char *name, const char *const endings[2])
{
    size_t length = strlen(name);
    if (strncmp(code, name, length) != 0)
        return false;
    return strcmp(code + length, endings[0]) == 0 || strcmp(code + length, endings[1]) == 0;
}

bool verdict_reason_is_known(const char *code)
{
    static const char *const fixed[] = {
#define REASON_CODE(code, meaning) #code,
        VERDICT_REASONS(REASON_CODE)
#undef REASON_CODE
    };
    static const char *const facts[] = {
#define FACT_NAME(name, action, kind, help) #name,
        PROVENANCE_FIELDS(FACT_NAME)
#undef FACT_NAME
    };
    static const char *const of_measures[2] = {"_increased", "_decreased"};
    static const char *const of_facts[2] = {"_differs", "_unknown"};
    if (text_is_one(code, fixed))
        return true;
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        if (is_of(code, measure_rows[i].name, of_measures))
            return true;
    }
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (is_of(code, facts[i], of_facts))
            return true;
    }
    return false;
}
