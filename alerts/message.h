/* Messages: what is said to a receiver, frozen when the verdict is recorded.
 *
 * Every kind of receiver says the same facts in its own form; the facts, their order and their
 * bounds come from here. Deterministic and without a clock: the same verdict gives the same bytes
 * and the same keys.
 */
#ifndef ALERTS_MESSAGE_H
#define ALERTS_MESSAGE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/err.h"
#include "ops/runtime/text.h"
#include "schema/documents/alert_phase.h"
#include "schema/documents/verdict.h"

#include <stddef.h>

/* Goes up with every change of what a message says: the same finding in new words is a new message.
 */
enum { MESSAGE_RENDERER_VERSION = 6 };

struct message {
    const char *content_type;
    const char *body;
    size_t length;
};

/* A picture that is sent along where a message can hold one. */
struct notice_picture {
    const char *name;  /* "1-pretrain-course.png": small letters, digits, hyphens */
    const char *title; /* for who does not see it */
    const unsigned char *bytes;
    size_t byte_count;
};

/* A document that is sent along to receivers that keep documents. */
struct notice_page {
    const char *name; /* "report.md": a file's name */
    const char *mimetype;
    const char *text;
};

struct summary;
struct trend_report;

/* A profile that a verdict rests on. */
struct notice_profile {
    const char *id; /* "p12" */
    const struct summary *summary;
};

/* What there is to say. */
struct notice {
    enum alert_phase phase;
    const struct verdict *verdict; /* of a judgement that has none yet (started, aborted): names and
                                      candidate alone; NULL: headline and details are all */
    const char *verdict_id;        /* "v12"; NULL = not known */
    const char *link;              /* the full report; NULL = none */
    const char *headline, *details; /* said in place of, or below, what the verdict says; NULL */
    const struct notice_profile *profiles; /* of the candidate, for channels that want them */
    size_t profile_count;
    const char *again; /* tells a reminder from what it reminds of; NULL = it is none */
    const struct trend_report *report; /* of what moved in a project: there is no verdict, and it
                                          says all; NULL */
    const struct notice_picture *pictures; /* of it */
    size_t picture_count;
    const struct notice_page *pages; /* of it, for channels that keep a record */
    size_t page_count;
    bool accepted; /* a person has taken the change with its cost: details say who and why */
};

struct destination;

/* Builds the message for a destination of any kind (alerts/channels.h). ERR_USAGE: the destination
 * lacks a key that its kind needs; ERR_LIMIT: memory. */
bool message_build(const struct notice *notice, const struct destination *to, struct arena *arena,
                   struct message *ret_message, struct err *err);

/* Identity of the alert that a verdict belongs to: project, workload, series, candidate branch.
 * Messages of one alert reach a destination in order. Hex SHA-256. */
void message_order_key(const struct verdict *verdict, char out[SHA256_HEX_BYTES]);

/* The same for receivers that keep one state per commit: project, workload, branch, commit. */
void message_commit_key(const struct verdict *verdict, char out[SHA256_HEX_BYTES]);

/* Identity of one finding in one form: the alert, how often it has been opened, open or not, the
 * evidence (of a judgement without one: the verdict's id), the kind of destination, the renderer's
 * version, and which reminder it is. Judging the same evidence again gives the same key as long as
 * the alert is open. Hex SHA-256; fit to be a message id. */
struct message_identity {
    const struct notice *notice; /* with a verdict */
    const char *order_key, *channel_kind;
    int generation;
};
void message_dedupe_key(const struct message_identity *identity, char out[SHA256_HEX_BYTES]);

/* Hex SHA-256 of parts that cannot run into each other; NULL counts apart from "". */
void message_digest(const char *const *parts, size_t count, char out[SHA256_HEX_BYTES]);

/* How much of a verdict a message holds: items of the lists, code points of a name or sentence. */
struct message_bounds {
    size_t op_count, reason_count, id_count, chars;
};

/* Appends one sentence that says it all, clean and without a line break:
 * "FAIL: llm/pretrain: step time 412.3 ms -> 431.9 ms (+4.8 %): fusion.12 +18.9 ms/step". */
void message_headline_add(const struct verdict *verdict, const struct message_bounds *bounds,
                          struct text *out);

/* The same without the status before it. */
void message_sentence_add(const struct verdict *verdict, const struct message_bounds *bounds,
                          struct text *out);

/* Parts of a message, lines ended by '\n': the reasons, the ops that moved, both sides of what
 * was compared, or could not be. */
void message_reasons_add(const struct verdict *verdict, const struct message_bounds *bounds,
                         struct text *out);
void message_ops_add(const struct verdict *verdict, const struct message_bounds *bounds,
                     struct text *out);
void message_sides_add(const struct verdict *verdict, const struct message_bounds *bounds,
                       struct text *out);

/* What a person may do now, a line; nothing where there is nothing. */
void message_next_add(const struct verdict *verdict, struct text *out);

/* Appends the same for people with a minute: headline, reasons, the ops that moved, what was
 * compared; lines ended by '\n'. */
void message_text_add(const struct verdict *verdict, const struct message_bounds *bounds,
                      struct text *out);

#endif
