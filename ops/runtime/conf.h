/* Configuration: `key = value` under `[sections]`, and one table of our own tunables.
 *
 * Sources, later wins: built-in default, /etc/stepledger.conf, ~/.config/stepledger/config (or
 * XDG_CONFIG_HOME), --config FILE, environment STEPLEDGER_<KEY>, command-line options. Every value
 * remembers where it came from. The same grammar serves policy and matrix files. The only file that
 * includes inih.
 */
#ifndef OPS_RUNTIME_CONF_H
#define OPS_RUNTIME_CONF_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONF_SYSTEM_PATH "/etc/stepledger.conf"
/* "no" leaves out the two usual files: what --config names and the environment stand alone. */
#define CONF_USUAL_VARIABLE "STEPLEDGER_USUAL_CONFIG"

/* One `key = value` of a file, with its place. */
struct conf_entry {
    const char *section; /* "" before the first section */
    const char *key, *value;
    const char *file;
    int line;
};

/* One `[section]` of a file, also when nothing stands under it. */
struct conf_header {
    const char *name, *file;
    int line;
    size_t entry_count;
};

struct conf_file {
    struct conf_entry *entries;
    size_t count, capacity;
    struct conf_header *headers;
    size_t header_count, header_capacity;
};

/* Reads a file of the grammar (at most 1 MiB). ERR_INPUT names file:line and what is wrong;
 * ERR_MISSING. */
bool conf_file_read(const char *path, struct arena *arena, struct conf_file *out, struct err *err);

/* The same of a text that came from elsewhere; name stands for the file in messages. */
bool conf_text_read(const char *text, const char *name, struct arena *arena, struct conf_file *out,
                    struct err *err);

/* ERR_USAGE when the key of this entry stands before it in the same section: only one could hold.
 */
bool conf_entry_once(const struct conf_file *file, size_t index, struct err *err);

/* ERR_USAGE when a section holds nothing: what was meant by it would go unnoticed. */
bool conf_sections_check(const struct conf_file *file, struct err *err);

/* Bounds of hostile input, far above what profilers write and far below what hurts a machine: a
 * part of the table below, and the members of struct ingest_limits. */
#define CONF_LIMITS(X) \
    X(max_events, INT, "4000000000", 1, INT64_MAX, "events of one file") \
    X(max_metadata, INT, "5000000", 1, INT32_MAX, "metadata entries of one plane, distinct ops") \
    X(max_string_bytes, INT, "67108864", 4096, 1 << 30, "one event or one string, bytes") \
    X(max_depth, INT, "1000000", 1, INT32_MAX, "events nested in each other") \
    X(max_planes, INT, "100000", 1, INT32_MAX, "planes of one file") \
    X(max_lines, INT, "1000000", 1, INT32_MAX, "lines of one file")

/* X(name, type, default, min, max, help). Types: TEXT (min and max unused), INT, BOOL. Environment:
 * STEPLEDGER_NAME. */
#define CONF_TUNABLES(X) \
    X(db, TEXT, "", 0, 0, "libpq conninfo or URI of the ledger; empty = the embedded cluster") \
    X(db_read, TEXT, "", 0, 0, "conninfo of a replica for reads; empty = db") \
    X(project, TEXT, "", 0, 0, "project when --project is not given") \
    X(workload, TEXT, "", 0, 0, "workload when --workload is not given") \
    X(notify, TEXT, "", 0, 0, "destinations told of verdicts that are not pass, comma-separated") \
    X(origin_from_ci, BOOL, "yes", 0, 0, "commit and branch from the variables of a CI system") \
    X(verdict_url, TEXT, "", 0, 0, "web address of a verdict, for messages; {verdict} = its id") \
    X(max_memory_mb, INT, "1024", 16, 1048576, \
      "memory of one unit of work: what is read, JSON and lines too, and what is made of it, MiB") \
    X(threads, INT, "2", 1, 256, "threads that read one profile") \
    X(warmup_steps, INT, "-1", -1, 1000000000, \
      "steps with a smaller number are warm-up; -1 = what the data tell") \
    CONF_LIMITS(X) \
    X(checkpoint_key, TEXT, "", 0, 0, \
      "PEM file of the Ed25519 key that signs checkpoints and exports") \
    X(checkpoint_trust, TEXT, "", 0, 0, \
      "base64 of the public key that checkpoints and exports must carry") \
    X(state_dir, TEXT, "", 0, 0, \
      "folder for the newest checkpoint seen; empty = STATE_DIRECTORY, XDG_STATE_HOME or HOME") \
    X(verify_notify, TEXT, "", 0, 0, \
      "destinations told of findings of `verify`; empty = all that take notes") \
    X(log_level, TEXT, "info", 0, 0, "error, warn, info or debug") \
    X(delivery_attempts, INT, "12", 1, 1000, "attempts before a message is set aside as dead") \
    X(delivery_base_ms, INT, "2000", 1, 3600000, "first backoff of a delivery, ms") \
    X(delivery_cap_ms, INT, "600000", 1, 86400000, "longest backoff of a delivery, ms") \
    X(alert_gone_days, INT, "14", 0, 36500, \
      "an alert of a branch without runs for so long closes") \
    X(outbox_keep_days, INT, "30", 2, 36500, "days after which finished messages are removed") \
    X(workers, INT, "2", 1, 256, "ingest workers that `serve` runs") \
    X(queue_lease_ms, INT, "60000", 300, 3600000, "a job is taken over after this silence, ms") \
    X(queue_attempts, INT, "5", 1, 1000, "attempts before a job is set aside") \
    X(queue_base_ms, INT, "1000", 1, 3600000, "first backoff of a job, ms") \
    X(queue_cap_ms, INT, "300000", 1, 86400000, "longest backoff of a job, ms") \
    X(queue_max_bytes, INT, "67108864", 0, 1000000000, "largest job whose bytes may be queued") \
    X(queue_keep_days, INT, "30", 1, 36500, "days after which finished jobs leave the queue") \
    X(job_memory_mb, INT, "4096", 16, 16777216, "address space of the process of one job, MiB") \
    X(job_cpu_s, INT, "900", 1, 1000000, "processor time of one job, s") \
    X(job_wall_s, INT, "3600", 1, 1000000, "time that one job may take, s") \
    X(judge_policy, TEXT, "", 0, 0, "policy file of `work compare`; empty = the default") \
    X(judge_baseline_branch, TEXT, "main", 0, 0, "branch of baselines, and of `trend`") \
    X(judge_last, INT, "200", 1, 1000, "at most so many runs of its baselines") \
    X(judge_settle_ms, INT, "10000", 0, 86400000, \
      "a commit rests so long before it is judged, ms") \
    X(judge_lease_ms, INT, "300000", 300, 86400000, "a judgement is taken over after this, ms") \
    X(watch_poll_ms, INT, "2000", 50, 3600000, "how often a watched folder is searched, ms") \
    X(watch_settle_ms, INT, "5000", 0, 3600000, "a file that rests this long is whole, ms") \
    X(metrics_port, INT, "0", 0, 65535, "port of the metrics on 127.0.0.1; 0 = none")

enum conf_key {
#define CONF_KEY_MEMBER(name, type, standard, min, max, help) CONF_##name,
    CONF_TUNABLES(CONF_KEY_MEMBER)
#undef CONF_KEY_MEMBER
        CONF_KEY_COUNT
};

struct conf_value {
    const char *text;   /* validated */
    const char *source; /* "default", "/etc/stepledger.conf:3", "environment STEPLEDGER_DB", "option
                           --db" */
};

struct conf {
    struct conf_value values[CONF_KEY_COUNT];
    struct conf_file sections; /* entries that stand under a section, of all files, in order */
    struct arena *arena;
};

/* Loads all sources but options; extra_file (--config) may be NULL. Keys that are not in the table
 * are ERR_INPUT with a suggestion. */
bool conf_load(struct conf *conf, struct arena *arena, const char *extra_file, struct err *err);

/* Sets one from an option; checks type and range. */
bool conf_set(struct conf *conf, enum conf_key key, const char *value, const char *source,
              struct err *err);

/* The value as text; "" is a value too. */
const char *conf_text(const struct conf *conf, enum conf_key key);
/* The value of an INT. */
int64_t conf_int(const struct conf *conf, enum conf_key key);
/* max_memory_mb in bytes. */
size_t conf_memory_bytes(const struct conf *conf);
/* Prepares an arena within that budget: what all of a process hold, trees of JSON too, counts once
 * (json_memory_within of ops/runtime/json.h). */
void conf_memory_arena(const struct conf *conf, struct arena *arena);
/* Whether a BOOL is yes. */
bool conf_bool(const struct conf *conf, enum conf_key key);
/* Its built-in default, as text. */
const char *conf_key_standard(enum conf_key key);
/* The built-in default of an INT. */
int64_t conf_standard_int(enum conf_key key);
/* The key of a name in which words are joined by '_' or '-'; CONF_KEY_COUNT when there is none. */
enum conf_key conf_key_find(const char *name);
/* The key as it is written in files. */
const char *conf_key_name(enum conf_key key);
/* What it is for, one line. */
const char *conf_key_help(enum conf_key key);

/* What values it takes, in words: "1 to 256", "yes or no", "" for any text. buffer holds at least
 * CONF_RANGE_BYTES. Returns buffer. */
enum { CONF_RANGE_BYTES = 64 };
const char *conf_key_range(enum conf_key key, char *buffer);

#endif
