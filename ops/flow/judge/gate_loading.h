/* What is loaded for a gate, while it is: names become entries of the ledger, entries sides. */
#ifndef OPS_FLOW_JUDGE_GATE_LOADING_H
#define OPS_FLOW_JUDGE_GATE_LOADING_H

#include "compare/gate/gate.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/flow.h"
#include "ops/flow/judge/gate_job.h"

struct gate_sides {
    const char *series; /* of the candidate */
    struct gate_side baseline, candidate, history;
    struct earlier_verdicts earlier; /* on the candidates' commit; 0 attempts: it has none */
    struct string_list left_out;     /* of pairs: runs of the commit that nobody judged, "p4" */
    struct string_list against;      /* what the baseline is: "branch main" */
    const char *same_commit;         /* of which both sides are; NULL: there is none */
    bool is_own_past;                /* the branch has runs of that one alone */
};

/* Profiles that cannot be relied on: they were stored so that nobody can read them, or are not what
 * was recorded; those for which there is no memory beside others; and those that are too many. */
struct gate_unreadable {
    size_t count;
    char first[200]; /* why not that one */
    size_t roomless_count;
    int64_t roomless_first;
    bool are_beyond;     /* there are older ones than those that are taken of a commit: */
    size_t beyond_count; /* so many of those that are known */
    int64_t beyond_first;
    size_t broken_count; /* files of folders that were named, which hold no profile */
    const char *broken_first;
};

/* What loading works with. */
struct gate_loading {
    const struct flow *flow;
    struct arena *arena; /* of the job */
    const struct gate_job *job;
    struct gate_rules rules;
    int64_t *excluded; /* ids that are no baseline: the candidate's, and a named baseline's */
    size_t excluded_count, excluded_capacity;
    struct profile_page candidates;
    const char *candidate_why; /* how they were chosen */
    const char *commit;        /* whose runs the candidate is; NULL: those that were named */
    const char *own_commit;    /* whose runs are no baseline; NULL: not known, or a dirty tree */
    bool is_landed;            /* the commit is judged on the baseline branch and failed before */
    struct profile_ids apart;  /* the commit's in pairs that are not judged with these */
    struct gate_unreadable unreadable; /* of the commit's runs */
    struct gate_sides sides;
};

/* Whether a profile stands on the page. */
bool gate_profile_is_held(const struct profile_page *page, int64_t id);

/* Whether the id stands among them. */
bool gate_ids_hold(const struct profile_ids *ids, int64_t id);

/* Two commits, of which one may be said by its start; nothing differs from what is not known. */
bool gate_commits_differ(const char *said, const char *held);

/* Are they one commit? Of 7 digits on it may be said by its start. */
bool gate_commits_equal(const char *left, const char *right);

/* A profile of the ledger, which is not copied. */
struct gate_profile gate_profile_make(struct arena *arena, const struct ledger_profile *held);

/* A profile that nobody named does not count, and is named: who may store profiles must not stop
 * the gate with one. */
void gate_profile_leave_out(int64_t id, const char *why, struct gate_unreadable *unreadable);

/* Loads a profile that nobody named. *ret_readable: it is there; else it was left out. */
bool gate_profile_load(struct gate_loading *loading, int64_t id, struct gate_unreadable *unreadable,
                       struct ledger_profile *ret_profile, bool *ret_readable, struct err *err);

/* Loads one of many that nobody named: it is left out, too, when it would leave less than a quarter
 * of the memory. */
bool gate_profile_load_beside(struct gate_loading *loading, int64_t id,
                              struct gate_unreadable *unreadable,
                              struct ledger_profile *ret_profile, bool *ret_readable,
                              struct err *err);

/* "...; left out: 2 profiles cannot be relied on (p7 ...)" of a sentence. */
const char *gate_unreadable_why(struct arena *arena, const char *why,
                                const struct gate_unreadable *unreadable);

/* The profiles that are so called, newest first, at least one: of several, those that can be relied
 * on. ERR_MISSING names it; ERR_INPUT. */
bool gate_resolve(struct gate_loading *loading, const struct profile_reference *reference,
                  struct profile_page *ret_page, struct err *err);

/* Appends the profile to *page, once, and excludes it from the baseline. */
void gate_profile_add(struct gate_loading *loading, const struct ledger_profile *profile,
                      struct profile_page *page);

/* The page's profiles as a side. why: one sentence. */
struct gate_side gate_side_make(struct gate_loading *loading, const struct profile_page *page,
                                const char *why);

/* The profiles that a list names: a path is ingested under this identity, everything else is an
 * id, a commit, a run or a label. Appends to *page, each profile once, and excludes them from the
 * baseline. */
bool gate_names_load(struct gate_loading *loading, const struct string_list *names,
                     const struct profile_identity *identity, struct profile_page *page,
                     struct err *err);

#endif
