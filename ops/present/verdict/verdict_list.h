/* Verdicts of one call together: one workload or a whole matrix, for terminals, pull requests,
 * forges and test reports. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_LIST_H
#define OPS_PRESENT_VERDICT_VERDICT_LIST_H

#include "ops/present/page/page.h"
#include "schema/documents/verdict.h"
#include "schema/documents/verdict_course.h"

struct verdict_item {
    const char *name;              /* of the workload */
    const char *id;                /* "v7"; NULL: not recorded */
    const struct verdict *verdict; /* NULL: it could not be judged, failure says why */
    const char *failure;
    const char *accepted;  /* "reason (by whom)" of a person who took the change; NULL */
    const char *beyond;    /* why an acceptance of the change does not cover it; NULL */
    const char *retracted; /* "p3 of the baseline (why)": what it rests on and was retracted later;
                              NULL: nothing */
    const struct verdict_course *course; /* of its runs, for HTML; NULL = no ledger tells it */
    const char *astray; /* a destination that cannot be told of it, and what to do; NULL = none */
};

struct verdict_list {
    const struct verdict_item *items;
    size_t count;
    const char *when_utc; /* of JUnit alone: "2026-11-22T18:00:00.123456Z" */
};

/* "FAIL", "PASS (accepted)", "ERROR". Static. */
const char *verdict_item_label(const struct verdict_item *item);

/* The one sentence of an item, its failure when it could not be judged. */
const char *verdict_item_sentence(const struct verdict_item *item, struct arena *arena);

/* verdict_efficiency of an item, "" where it could not be judged. */
const char *verdict_item_efficiency(const struct verdict_item *item, struct arena *arena);

/* What stands above a verdict: it no longer counts, or rests on what no longer does, whatever it
 * says. */
void verdict_item_notes(const struct verdict_item *item, struct page *page);

/* For a terminal: with several a table of them first. No line break at the end. ERR_LIMIT. */
bool verdict_list_text(const struct verdict_list *list, const struct text_style *style,
                       struct text *out, struct err *err);

/* For a pull request or a step summary. details: each verdict in full behind the table. ERR_LIMIT.
 */
bool verdict_list_markdown(const struct verdict_list *list, bool details, struct text *out,
                           struct err *err);

/* For a browser: one self-contained page, with the pictures of each. No line break at the end.
 * ERR_LIMIT. */
bool verdict_list_html(const struct verdict_list *list, struct text *out, struct err *err);

/* JUnit XML, one test case per item: fail is a failure, what could not be judged an error,
 * inconclusive and incomparable are skipped with their reason. ERR_LIMIT. */
bool verdict_list_junit(const struct verdict_list *list, struct text *out, struct err *err);

/* Workflow commands of GitHub: for each that fails or warns one line for step time and at most
 * three for ops, ten of a kind in all, which is what a step shows. No line break at the end.
 * ERR_LIMIT. */
bool verdict_list_annotations(const struct verdict_list *list, struct text *out, struct err *err);

#endif
