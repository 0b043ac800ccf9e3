/* What measures were called in policy files of before: such files, and the texts that old verdicts
 * were judged by, stay readable. Internal to compare/. */
#ifndef COMPARE_POLICY_POLICY_NAMES_H
#define COMPARE_POLICY_POLICY_NAMES_H

#include "ops/runtime/conf.h"

#include <stdbool.h>

/* Does the file name a measure as only the first policies did? Then all its names are of that
 * time. */
bool policy_is_of_first(const struct conf_file *file);

/* The present name of what a policy calls `name`; `name` itself when it has no other. */
const char *policy_measure_name(const char *name, bool is_of_first);

#endif
