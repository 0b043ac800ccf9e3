/* What `stepledger help TOPIC` says: what no command's --help has room for, printed from the tables
 * that parse and decide. */
#ifndef OPS_CLI_HELP_HELP_H
#define OPS_CLI_HELP_HELP_H

#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/text.h"

struct help_topic {
    const char *name, *line;
    void (*print)(struct arena *arena, struct text *out);
};
extern const struct help_topic help_topics[];
extern const size_t help_topic_count;

/* One topic each. */
void help_config(struct arena *arena, struct text *out);
void help_capture(struct arena *arena, struct text *out);

/* The configuration that holds, as a file: each value with its meaning and where it comes from.
 * What may be a secret is not shown. */
void config_show(const struct conf *conf, struct text *out);

/* A value of the configuration for people: "(not shown: it may hold a password)" in its place. */
const char *config_shown_value(enum conf_key key, const char *value);

/* Whether something reads the section of an entry, and, of those without a NAME, its key.
 * ERR_MISSING: nothing reads the section, ERR_USAGE: it has no such key; both say where. */
bool config_entry_check(const struct conf_entry *entry, struct err *err);

#endif
