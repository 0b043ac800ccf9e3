/* The summary of a capture out of the summaries of its hosts: map and reduce.
 *
 * Each host's file is summarized alone; a capture is the set of these summaries, and this makes its
 * document. The result depends on the set only, not on the order or on how often it was made of
 * fewer: whoever adds a host merges all of them again. Of one host it is that host's own.
 *
 * Our members add up exactly: devices stand behind each other, a step is as slow as its slowest
 * device and warm-up when any host says so, ops are added by signature, idle time by its spans.
 * Facts of the first host that knows them hold; where hosts differ, a note says so. steady_spans is
 * the sum of what each host counted, because that is what steady times of ops were added over.
 *
 * profile_summary.v1 knows no capture of several hosts. Its members are defined from the hosts'
 * own: counts and times are added, step_time is that of the mean over devices of each step, the
 * tables add the rows that the hosts' tables have (each is cut after hot_op_limit rows or more).
 */
#ifndef INGEST_MERGE_MERGE_H
#define INGEST_MERGE_MERGE_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

/* hosts[count] are summaries of one file each, in any order, made with the same options; the result
 * points into them. path: source_path, NULL = the folder that the files have in common. ERR_INPUT:
 * their options or definitions differ. */
bool summaries_merge(const struct summary *hosts, size_t count, const char *path,
                     struct arena *arena, struct summary *ret_summary, struct err *err);

struct left_file;

/* What is known of a capture beside its hosts' files. */
struct capture_context {
    struct opt_i64 stated_count; /* of hosts, by options */
    const char **unread;         /* files that may be hosts of it, in a form that is not read */
    size_t unread_count;
    const char **aside; /* files that tell the same in a lesser form */
    size_t aside_count;
    const struct left_file *left; /* files by them that tell nothing */
    size_t left_count;
    const char *const *programs; /* compiled ones, in files of their own */
    size_t program_count;
    const char *broken, *broken_why; /* a file instead of which another was read; NULL: none */
};

/* Why an export of another profiler was left aside; NULL: the file is none by its name. Static. */
const char *aside_export_reason(const char *path);

/* How many hosts the job had, who is missing, and why the others are one capture: fills
 * summary->capture and adds to coverage. */
void capture_complete(struct summary *summary, const struct capture_context *context,
                      struct arena *arena);

#endif
