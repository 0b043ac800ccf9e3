/* Checks names once, at the door of the ledger: what is stored is stored for good. */
#include "history/profiles/identity.h"

#include "ops/runtime/text.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_BYTES_MAX = 200, BRANCH_BYTES_MAX = 500 };

bool identity_is_entry_id(const char *name)
{
    int64_t number;
    return name[0] != '\0' && strchr("pvs", name[0]) != NULL && text_parse_i64(name + 1, &number);
}

bool identity_series(const char *name, struct opt_i64 *ret_number, struct err *err)
{
    int64_t number = 0;
    if (name != NULL && (name[0] != 's' || !text_parse_i64(name + 1, &number)))
        return err_set(err, ERR_INPUT, "'%s' is no series; a series is written s3", name);
    *ret_number = (struct opt_i64){name != NULL, number};
    return true;
}

static bool has_control(const char *value)
{
    for (const char *c = value; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return true;
    return false;
}

struct name_rule {
    const char *what, *value;
    size_t max_bytes;
    bool required, may_be_id;
};

static bool name_check(const struct name_rule *rule, struct err *err)
{
    if (rule->value == NULL && !rule->required)
        return true;
    if (rule->value == NULL || rule->value[0] == '\0')
        return err_set(err, ERR_INPUT, "the %s is empty: give it a name", rule->what);
    if (rule->value[strspn(rule->value, " ")] == '\0')
        return err_set(err, ERR_INPUT, "the %s \"%s\" is blank: give it a name (--%s NAME)",
                       rule->what, rule->value, rule->what);
    size_t length = strlen(rule->value);
    if (length > rule->max_bytes)
        return err_set(err, ERR_INPUT, "the %s has %zu bytes, %zu are allowed: %.60s...",
                       rule->what, length, rule->max_bytes, rule->value);
    if (has_control(rule->value) || text_utf8_valid(rule->value, length) != length)
        return err_set(err, ERR_INPUT, "the %s holds control characters or is not UTF-8",
                       rule->what);
    if (!rule->may_be_id && identity_is_entry_id(rule->value))
        return err_set(err, ERR_INPUT,
                       "the %s \"%s\" looks like an entry of the ledger: choose another",
                       rule->what, rule->value);
    return true;
}

bool identity_check(const struct profile_identity *identity, struct err *err)
{
    const struct name_rule rules[] = {
        {"project", identity->project, NAME_BYTES_MAX, true, true},
        {"workload", identity->workload, NAME_BYTES_MAX, true, true},
        {"branch", identity->branch, BRANCH_BYTES_MAX, false, true},
        {"commit", identity->commit, NAME_BYTES_MAX, false, true},
        {"run", identity->run, NAME_BYTES_MAX, false, identity->run_is_known},
        {"label", identity->label, NAME_BYTES_MAX, false, false},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!name_check(&rules[i], err))
            return false;
    return true;
}

static bool all_shows(const char *what, const char *value, struct err *err)
{
    const char *end = value == NULL ? NULL : value + strlen(value);
    while (value != end) {
        uint32_t c = text_utf8_next(&value, end);
        if (harmless_hides(c))
            return err_set(err, ERR_INPUT,
                           "the %s holds the character U+%04" PRIX32 ", which nobody sees: it "
                           "would look like another %s; write it without",
                           what, c, what);
    }
    return true;
}

bool identity_shows(const struct profile_identity *given, struct err *err)
{
    return given->origin != NULL || (all_shows("project", given->project, err) &&
                                     all_shows("workload", given->workload, err) &&
                                     (given->run_is_known || all_shows("run", given->run, err)) &&
                                     all_shows("label", given->label, err));
}
