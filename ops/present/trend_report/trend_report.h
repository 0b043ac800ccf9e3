/* A report of what moved in a project: for people, and its pictures for mail and chat. */
#ifndef OPS_PRESENT_TREND_REPORT_TREND_REPORT_H
#define OPS_PRESENT_TREND_REPORT_TREND_REPORT_H

#include "ops/present/page/page.h"
#include "schema/documents/trend_report.h"

/* What needs somebody comes first (new losses, each with its commits, its ops and what to do), then
 * what to keep, drifts, what went quiet, then the state of gates and series. No line break at the
 * end. ERR_LIMIT. */
bool trend_report_text(const struct trend_report *report, const struct text_style *style,
                       struct text *out, struct err *err);
bool trend_report_markdown(const struct trend_report *report, struct text *out, struct err *err);
/* With a picture of each course that something is told of, and of what each change is made of. */
bool trend_report_html(const struct trend_report *report, struct text *out, struct err *err);

/* RFC 4180 with a header line, a line for each finding; numbers as in the JSON form. No line break
 * at the end. ERR_LIMIT. */
bool trend_report_csv(const struct trend_report *report, struct text *out, struct err *err);

/* A picture to be sent along. */
struct report_picture {
    const char *name;  /* "1-pretrain-course.png": small letters, digits, hyphens */
    const char *title; /* for who does not see it; foreign names in it are made harmless */
    const unsigned char *bytes;
    size_t byte_count;
};

/* The first pictures of the report, `limit` at most, in the order of its page: of each change where
 * it came, and what it is made of. In the arena. ERR_UNAVAILABLE of picture_png; ERR_LIMIT. */
bool trend_report_pictures(const struct trend_report *report, size_t limit, struct arena *arena,
                           struct report_picture **ret_pictures, size_t *ret_count,
                           struct err *err);

#endif
