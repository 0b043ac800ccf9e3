/* Implements the names of before.
 *
 * The first policies had a table of measures of their own. Two of its names are now those of other
 * measures, so they can be told by the company they keep alone: every recorded text of that time
 * names all measures.
 */
#include "compare/policy/policy_names.h"

#include <string.h>

static const struct {
    const char *first, *present;
    bool is_taken; /* today the name is that of another measure */
} names[] = {
    {"step_median", "steady_step_median", true}, {"step_p90", "steady_step_p90", true},
    {"device_time", "op_time", false},           {"idle_time", "step_idle", false},
    {"idle_share", "device_idle_share", false},
};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

static const char measure_word[] = "measure ";

bool policy_is_of_first(const struct conf_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const char *name = strstr(file->entries[i].section, measure_word);
        for (size_t j = 0; name != NULL && j < NAME_COUNT; j++) {
            if (!names[j].is_taken && strcmp(name + sizeof measure_word - 1, names[j].first) == 0)
                return true;
        }
    }
    return false;
}

const char *policy_measure_name(const char *name, bool is_of_first)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (strcmp(names[i].first, name) == 0 && (is_of_first || !names[i].is_taken))
            return names[i].present;
    }
    return name;
}
