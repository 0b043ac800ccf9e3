/* Implements the checker by regular expressions over the plain line. A printed number stands for
 * all that round to it, so what is compared are ranges. */
#include "tests/support/shown_numbers.h"

#include "ops/runtime/text.h"

#include <assert.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MAX = 16, NUMBER_BYTES = 40 };

#define NUMBER "([0-9]+\\.?[0-9]*(e[+-]?[0-9]+)?)"
#define SIGNED "([+-][0-9]+\\.?[0-9]*(e[+-]?[0-9]+)?)"
#define UNIT " (ns|\xc2\xb5s|ms|s)"

struct reading {
    const struct verdict *verdict;
    const char *plain;
    struct shown_count *count;
    char *why;
};

/* All numbers that are printed like this one, in µs or as they stand. */
struct range {
    double low, high;
};

/* ---- one plain line -------------------------------------------------------------------------- */

static const struct {
    const char *from, *to;
} marks[] = {{"&gt;", ">"}, {"&lt;", "<"}, {"&amp;", "&"}, {"&quot;", "\""},
             {"%25", "%"},  {"%3A", ":"},  {"%0A", " "},   {"\\", ""},
             {"|", " "},    {"*", " "},    {"`", " "}};

static bool is_tag(const char *p)
{
    return p[0] == '<' && (p[1] == '/' || p[1] == '!' || (p[1] >= 'a' && p[1] <= 'z')) &&
           strchr(p, '>') != NULL;
}

static size_t mark_take(const char *p, struct text *out)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i].from);
        if (strncmp(p, marks[i].from, length) != 0)
            continue;
        text_add(out, marks[i].to);
        return length;
    }
    text_addc(out, *p == '\n' ? ' ' : *p);
    return 1;
}

static void plain_make(const char *document, struct text *out)
{
    scoped_text marked;
    text_init(&marked, SIZE_MAX);
    for (const char *p = document; *p != '\0';) {
        if (is_tag(p)) {
            text_addc(&marked, ' ');
            p = strchr(p, '>') + 1;
        } else {
            p += mark_take(p, &marked);
        }
    }
    for (const char *p = text_string(&marked); *p != '\0'; p++) {
        if (*p != ' ' || p[1] != ' ')
            text_addc(out, *p);
    }
    assert(!marked.failed && !out->failed);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void group_copy(const char *at, const regmatch_t *group, char *buffer)
{
    size_t length = group->rm_so < 0 ? 0 : (size_t)(group->rm_eo - group->rm_so);
    length = length < NUMBER_BYTES ? length : NUMBER_BYTES - 1;
    memcpy(buffer, at + (group->rm_so < 0 ? 0 : group->rm_so), length);
    buffer[length] = '\0';
}

static struct range range_of(const char *at, const regmatch_t *group)
{
    char number[NUMBER_BYTES];
    group_copy(at, group, number);
    const char *point = strchr(number, '.'), *exponent = strchr(number, 'e');
    int decimals = point == NULL ? 0 : (int)strcspn(point + 1, "e");
    double half = 0.5 * pow(10, -decimals) * (exponent == NULL ? 1 : pow(10, atof(exponent + 1)));
    double value = atof(number);
    half *= 1 + 1e-9; /* a tie may be rounded either way */
    return (struct range){value - half, value + half};
}

static struct range time_of(const char *at, const regmatch_t *group, const regmatch_t *unit)
{
    struct range range = range_of(at, group);
    char name[NUMBER_BYTES];
    group_copy(at, unit, name);
    double us = strcmp(name, "ns") == 0   ? 1e-3
                : strcmp(name, "ms") == 0 ? 1e3
                : strcmp(name, "s") == 0  ? 1e6
                                          : 1;
    return (struct range){range.low * us, range.high * us};
}

static bool holds(struct range range, double value)
{
    double slack = 1e-9 * fabs(value);
    return value >= range.low - slack && value <= range.high + slack;
}

static bool meet(struct range a, struct range b)
{
    return a.low <= b.high && b.low <= a.high;
}

/* What the percentage between two ranges can be. */
static struct range percent_between(struct range before, struct range after)
{
    double least = before.low > 0 ? before.low : 1e-300;
    return (struct range){100 * (after.low / before.high - 1), 100 * (after.high / least - 1)};
}

static struct range difference(struct range before, struct range after)
{
    return (struct range){after.low - before.high, after.high - before.low};
}

static bool objects(struct reading *reading, const char *what, const char *at,
                    const regmatch_t *match)
{
    (void)snprintf(reading->why, SHOWN_WHY_BYTES, "%s: '%.*s'", what,
                   (int)(match->rm_eo - match->rm_so), at + match->rm_so);
    return false;
}

/* ---- the verdict's numbers ------------------------------------------------------------------- */

static bool is_pair(struct opt_f64 before, struct opt_f64 after, struct range a, struct range b)
{
    return before.set && after.set && holds(a, before.value) && holds(b, after.value);
}

static bool pair_is_known(const struct verdict *verdict, const char *unit, struct range a,
                          struct range b)
{
    const struct verdict_side *before = &verdict->baseline, *after = &verdict->candidate;
    bool times = strcmp(unit, "us") == 0;
    if (times && (is_pair(before->step_median_us, after->step_median_us, a, b) ||
                  is_pair(before->step_p90_us, after->step_p90_us, a, b)))
        return true;
    for (size_t i = 0; i < verdict->measure_count; i++) {
        const struct verdict_measure *measure = &verdict->measures[i];
        double factor = times ? 1 : 100;
        struct opt_f64 left = {measure->before.set, factor * measure->before.value};
        struct opt_f64 right = {measure->after.set, factor * measure->after.value};
        if (strcmp(measure->unit, unit) == 0 && is_pair(left, right, a, b))
            return true;
    }
    for (size_t i = 0; times && i < verdict->op_count; i++) {
        if (holds(a, verdict->ops[i].before_us) && holds(b, verdict->ops[i].after_us))
            return true;
    }
    for (size_t i = 0; times && i < verdict->group_count; i++) {
        if (holds(a, verdict->groups[i].before_us) && holds(b, verdict->groups[i].after_us))
            return true;
    }
    return false;
}

/* Figures that only a sentence of the verdict has (busy time, a step with device time held). */
static bool sentence_has(const struct verdict *verdict, const char *at, const regmatch_t *match)
{
    size_t length = (size_t)(match->rm_eo - match->rm_so);
    for (size_t i = 0; i < verdict->reason_count; i++) {
        const char *text = verdict->reasons[i].text;
        for (const char *p = text; strlen(p) >= length; p++) {
            if (strncmp(p, at + match->rm_so, length) == 0)
                return true;
        }
    }
    return false;
}

/* ---- what is looked for ---------------------------------------------------------------------- */

typedef bool found_check(struct reading *reading, const char *at, const regmatch_t *groups);

/* "412.3 ms -> 431.9 ms (+4.8 %)" */
static bool arrow_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    struct range before = time_of(at, &groups[1], &groups[3]);
    struct range after = time_of(at, &groups[4], &groups[6]);
    reading->count->pairs++;
    if (groups[8].rm_so >= 0 && !meet(range_of(at, &groups[8]), percent_between(before, after)))
        return objects(reading, "the percentage is not that of its pair", at, &groups[0]);
    if (!pair_is_known(reading->verdict, "us", before, after) &&
        !sentence_has(reading->verdict, at, &groups[0]))
        return objects(reading, "the verdict has no such pair", at, &groups[0]);
    return true;
}

/* "412.3 ms 431.9 ms +19.6 ms +4.8 %" of a table */
static bool row_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    struct range before = time_of(at, &groups[1], &groups[3]);
    struct range after = time_of(at, &groups[4], &groups[6]);
    struct range delta = time_of(at, &groups[7], &groups[9]);
    reading->count->rows++;
    if (!meet(delta, difference(before, after)))
        return objects(reading, "the change is not that of its row", at, &groups[0]);
    if (groups[11].rm_so >= 0 && !meet(range_of(at, &groups[11]), percent_between(before, after)))
        return objects(reading, "the percentage is not that of its row", at, &groups[0]);
    if (!pair_is_known(reading->verdict, "us", before, after))
        return objects(reading, "the verdict has no such row", at, &groups[0]);
    return true;
}

/* "3.1 % 4.0 % +0.9 pp +5.0 pp ok" of the table of measures */
static bool share_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    struct range before = range_of(at, &groups[1]), after = range_of(at, &groups[3]);
    struct range delta = range_of(at, &groups[5]);
    char status[NUMBER_BYTES];
    group_copy(at, &groups[11], status);
    reading->count->shares++;
    if (!meet(delta, difference(before, after)))
        return objects(reading, "the change is not that of its share", at, &groups[0]);
    if (!pair_is_known(reading->verdict, "share", before, after))
        return objects(reading, "the verdict has no such share", at, &groups[0]);
    if (groups[9].rm_so < 0)
        return true;
    struct range allowed = range_of(at, &groups[9]);
    bool up = allowed.high > 0;
    bool surely_over = up ? delta.low > allowed.high : delta.high < allowed.low;
    bool surely_not = up ? delta.high < allowed.low : delta.low > allowed.high;
    bool over = strcmp(status, "fail") == 0 || strcmp(status, "warn") == 0;
    if ((strcmp(status, "ok") == 0 && surely_over) || (over && surely_not))
        return objects(reading, "status and allowance disagree", at, &groups[0]);
    return true;
}

static bool estimate_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    struct opt_f64 estimate = reading->verdict->statistics.estimate_pct;
    reading->count->estimates++;
    return (estimate.set && holds(range_of(at, &groups[1]), estimate.value)) ||
           objects(reading, "not the rule's estimate", at, &groups[0]);
}

static bool of_loss_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    const struct verdict_cause *cause = &reading->verdict->cause;
    struct range part = range_of(at, &groups[1]);
    return (cause->share_of_delta.set && holds(part, 100 * cause->share_of_delta.value)) ||
           (cause->first_share.set && holds(part, 100 * cause->first_share.value)) ||
           objects(reading, "not a part of the loss that the verdict knows", at, &groups[0]);
}

static bool is_all(struct opt_f64 share)
{
    return share.set && share.value > 0.99 && share.value < 1.06;
}

static bool all_of_loss_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    const struct verdict_cause *cause = &reading->verdict->cause;
    return is_all(cause->share_of_delta) || is_all(cause->first_share) ||
           objects(reading, "it is not all of the loss", at, &groups[0]);
}

/* Who has an answer does not ask for more. */
static bool more_runs_check(struct reading *reading, const char *at, const regmatch_t *groups)
{
    return reading->verdict->status != VERDICT_PASS ||
           objects(reading, "a pass asks for more runs", at, &groups[0]);
}

static struct {
    const char *pattern;
    const char *mark; /* no match without it: looked for first, because it is fast */
    found_check *check;
    regex_t compiled;
    bool is_compiled;
} patterns[] = {
    {NUMBER UNIT " -> " NUMBER UNIT "( \\(" SIGNED " %\\))?", " -> ", arrow_check, {0}, false},
    {NUMBER UNIT " " NUMBER UNIT " " SIGNED UNIT "( " SIGNED " %)?", "s", row_check, {0}, false},
    {NUMBER " % " NUMBER " % " SIGNED " pp ((" SIGNED " pp|-) (ok|warn|fail|unknown))?",
     " pp ",
     share_check,
     {0},
     false},
    {"rule estimates " SIGNED " %", "rule estimates", estimate_check, {0}, false},
    {"rule's estimate[: ]+" SIGNED " %", "rule's estimate", estimate_check, {0}, false},
    {NUMBER " % of the (loss|gain)", "of the ", of_loss_check, {0}, false},
    {"all of the (loss|gain)", "all of the ", all_of_loss_check, {0}, false},
    {"more runs? (needed|of|would)", "more run", more_runs_check, {0}, false},
};

static bool pattern_check(struct reading *reading, size_t index)
{
    regmatch_t groups[GROUPS_MAX];
    bool agrees = true;
    if (strstr(reading->plain, patterns[index].mark) == NULL)
        return true;
    if (!patterns[index].is_compiled)
        assert(regcomp(&patterns[index].compiled, patterns[index].pattern, REG_EXTENDED) == 0);
    patterns[index].is_compiled = true;
    for (const char *at = reading->plain;
         agrees && regexec(&patterns[index].compiled, at, GROUPS_MAX, groups, 0) == 0;
         at += groups[0].rm_eo)
        agrees = patterns[index].check(reading, at, groups);
    return agrees;
}

bool shown_numbers_agree(const struct verdict *verdict, const char *document,
                         struct shown_count *count, char *why)
{
    scoped_text plain;
    text_init(&plain, SIZE_MAX);
    plain_make(document, &plain);
    struct reading reading = {verdict, text_string(&plain), count, why};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (!pattern_check(&reading, i))
            return false;
    }
    return true;
}

void shown_without_pictures(const struct text *html, struct text *out)
{
    const char *from = text_string(html);
    for (const char *open = strstr(from, "<svg"); open != NULL; open = strstr(from, "<svg")) {
        const char *end = strstr(open, "</svg>");
        if (end == NULL)
            break;
        text_addn(out, from, (size_t)(open - from));
        from = end;
    }
    text_add(out, from);
}
