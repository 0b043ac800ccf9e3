/* What is published at W&B: an artifact with its documents, and what is said about runs beside it;
 * and how a profile summary becomes one. Pure.
 */
#ifndef ALERTS_WANDB_WANDB_PUBLICATION_H
#define ALERTS_WANDB_WANDB_PUBLICATION_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/summary.h"

#include <jansson.h>

struct wandb_document {
    const char *name; /* logical path within the artifact */
    const char *mimetype;
    const char *bytes;
    size_t length; /* at most 1 GiB */
};

/* A notice that the service sends to the key's owner as that person has set it up; best effort. */
struct wandb_alert {
    const char *title; /* cut to 63 characters; one of the same title within wait_ms is dropped
                          by the service */
    const char *text;
    const char *severity; /* INFO, WARN, ERROR */
    int64_t wait_ms;
};

struct wandb_publication {
    const char *artifact_name, *artifact_type;
    const char *job_type;       /* of the run that is made for it */
    struct string_list aliases; /* as asked for; `latest` is always added */
    const json_t *metadata;     /* object; may be NULL */
    const struct wandb_document *documents;
    size_t document_count;
    const char *source_artifact; /* "entity/project/name:alias" that it was made from; NULL */
    const json_t *metrics;       /* object of numbers, written as perf/NAME; NULL = none */
    const char *annotated_run;   /* "entity/project/run" that gets metrics, tags and alert too; NULL
                                    = only the publishing run does */
    struct string_list run_tags; /* added to those of annotated_run */
    const struct wandb_alert *alert; /* NULL = none */
};

/* "profile_summary". */
extern const char wandb_summary_type[];
extern const char wandb_summary_job[];

/* The same of reports of trends. */
extern const char wandb_report_type[];
extern const char wandb_report_job[];

/* A name that clients of W&B can log to: letters, digits, '-', '_' and '.', whatever else becomes
 * '-', a character each; longer than 128 it ends with a short hash. */
const char *wandb_name_fit(const char *name, struct arena *arena);

/* The artifact's name: the one given, else profile-summary-RUN of the summary's run, else
 * profile-summary-TIME of when it was made (so that it has one name however often it is
 * published), made to fit. ERR_USAGE: a given name that does not fit. */
bool wandb_summary_name(const struct summary *summary, const char *given, struct arena *arena,
                        const char **ret_name, struct err *err);

/* null where it is not known. */
json_t *wandb_number(struct opt_f64 value);

/* The artifact's metadata: 21 members with the reference tool's names and meaning. New reference.
 */
json_t *wandb_summary_metadata(const struct summary *summary);

/* The metrics that a run's summary gets: step times and shares. New reference. */
json_t *wandb_summary_metrics(const struct summary *summary);

struct trend_report;

/* A report's artifact: trend-report-PROJECT-NAME, made to fit. */
const char *wandb_report_name(const struct trend_report *report, struct arena *arena);

/* What it is of and how many findings of each kind it has. New references. */
json_t *wandb_report_metadata(const struct trend_report *report);
json_t *wandb_report_metrics(const struct trend_report *report);

/* Checks names, aliases, tags, documents against the service's limits. ERR_USAGE names the one that
 * is wrong; ERR_LIMIT: a document over 1 GiB. */
bool wandb_publication_check(const struct wandb_publication *publication, struct err *err);

#endif
