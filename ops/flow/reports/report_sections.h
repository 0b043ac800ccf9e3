/* Reports that come by themselves: the [report NAME] sections of the configuration.
 *
 *     [report weekly]
 *     project = llm
 *     workloads = pretrain-*, eval   # patterns (* and ?), comma-separated; default: all
 *     branch = main                  # default: judge_baseline_branch; * = all
 *     period = week                  # day, week or month
 *     at = 0 7 * * mon               # five fields of cron, UTC
 *     to = team-slack, ops-mail      # destinations; without it the report is kept and nobody told
 *     repository = https://github.com/acme/train   # or the folder of a clone
 *     secret = env:GITHUB_TOKEN      # default: the token of a destination of that forge
 *
 * The first report of a section is that of its last time behind the project's first run, made when
 * the scheduler meets it.
 */
#ifndef OPS_FLOW_REPORTS_REPORT_SECTIONS_H
#define OPS_FLOW_REPORTS_REPORT_SECTIONS_H

#include "ops/flow/reports/cron.h"
#include "ops/net/forge/forge.h"
#include "ops/net/section.h"
#include "ops/runtime/conf.h"

struct report_section {
    const char *name, *project;
    const char *workloads, *branch; /* NULL = all; branch: NULL = judge_baseline_branch */
    const char *period;             /* "day", "week", "month" */
    const char *at;
    struct cron cron;
    const char *to;         /* comma-separated names; NULL = nobody */
    const char *measure;    /* of schema/documents/measures.h */
    const char *policy;     /* NULL = judge_policy */
    const char *repository; /* NULL = none */
    enum forge_kind forge;  /* of the repository, where its host does not tell */
    const char *secret_ref; /* its token; NULL = that of a destination, or none */
    struct http_policy network;
    const char *fault; /* what is wrong with it, with file and line: it makes no report; NULL */
    const char *file;  /* where it begins */
    int line;
};

struct report_section_list {
    struct report_section *items;
    size_t count;
};

/* Each section stands alone: one that is wrong has its fault, which names file, line and key, or
 * what it lacks. */
bool report_sections_read(const struct conf *conf, struct arena *arena,
                          struct report_section_list *ret_list, struct err *err);

/* The keys of such a section, for those who explain them. */
struct section_keys report_section_keys(void);

#endif
