#include "ingest/nsight/range_names.h"
#include "ingest/nsight/nsight.h"
#include "ingest/wire/wire.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* An expression is not asked about more of a name. */
enum { ASKED_BYTES_MAX = NAME_MAX_BYTES, DIGITS_MOST = 18 };

/* A decimal number of digits alone. */
static struct opt_i64 number_of(const char *digits, size_t length)
{
    int64_t number = 0;
    if (length == 0 || length > DIGITS_MOST)
        return (struct opt_i64){0};
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)digits[i]))
            return (struct opt_i64){0};
        number = number * 10 + (digits[i] - '0');
    }
    return some_i64(number);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* `<word><blanks or signs><digits>`. */
static bool step_by_words(const char *text, size_t length, struct range_name *name)
{
    static const char *const words[] = {
        "train",      "step",          "iteration",   "iter",        "train_step",  "training_step",
        "train step", "training step", "global_step", "global step", "ProfilerStep"};
    static const char signs[] = " #_:=-";
    size_t digits = length, word, known = 0;
    while (digits > 0 && isdigit((unsigned char)text[digits - 1]))
        digits--;
    for (word = digits; word > 0 && strchr(signs, text[word - 1]) != NULL; word--)
        if (text[word - 1] == '\0')
            return false;
    while (known < sizeof words / sizeof words[0] &&
           (strlen(words[known]) != word || strncasecmp(words[known], text, word) != 0))
        known++;
    if (word == digits || known == sizeof words / sizeof words[0])
        return false;
    name->step = number_of(text + digits, length - digits);
    name->name = (struct range_part){text, word};
    return name->step.set;
}

/* The steps that the user names are those of the training. */
static bool step_by_expression(const char *text, size_t length, const regex_t *expression,
                               struct range_name *name)
{
    static const char train[] = "train";
    regmatch_t groups[2] = {{0, (regoff_t)(length < ASKED_BYTES_MAX ? length : ASKED_BYTES_MAX)}};
    if (regexec(expression, text, 2, groups, REG_STARTEND) != 0 || groups[1].rm_so < 0)
        return false;
    name->step = number_of(text + groups[1].rm_so, (size_t)(groups[1].rm_eo - groups[1].rm_so));
    name->name = (struct range_part){train, sizeof train - 1};
    return name->step.set;
}

/* ---- XLA ------------------------------------------------------------------------------------- */

/* The value of a member in `#key=value,key=value#`: up to the last key behind it, if there is one
 * that is known; names of ops hold commas. */
static struct range_part member_find(struct range_part members, const char *key, const char *next)
{
    const size_t key_length = strlen(key);
    const char *end = members.start + members.length, *start = members.start;
    if (members.length < key_length || memcmp(start, key, key_length) != 0) {
        start = memmem(members.start, members.length, key, key_length);
        while (start != NULL && start[-1] != ',')
            start = memmem(start + 1, (size_t)(end - start - 1), key, key_length);
    }
    if (start == NULL)
        return (struct range_part){0};
    start += key_length;
    const char *stop = memmem(start, (size_t)(end - start), next, strlen(next));
    return (struct range_part){start, (size_t)((stop != NULL ? stop : end) - start)};
}

/* The members between the signs of `<what>:#…#`; false when the text is none of that. */
static bool members_of(const char *text, size_t length, const char *what,
                       struct range_part *ret_members)
{
    const size_t before = strlen(what);
    if (length < before + 1 || memcmp(text, what, before) != 0 || text[length - 1] != '#')
        return false;
    *ret_members = (struct range_part){text + before, length - before - 1};
    return true;
}

static void xla_read(const char *text, size_t length, struct range_name *name)
{
    struct range_part members;
    if (members_of(text, length, "XlaModule:#", &members)) {
        name->module = member_find(members, "hlo_module=", ",");
        name->path = member_find(members, "prefix=", ",hlo_module=");
        struct range_part program = member_find(members, "program_id=", ",");
        name->program = number_of(program.start, program.length);
        name->kind = name->module.length > 0 ? RANGE_MODULE : RANGE_OTHER;
    } else if (members_of(text, length, "Thunk:#", &members)) {
        name->op = member_find(members, "hlo_op=", ",");
        name->path = member_find(members, "name=", ",hlo_op=");
        name->kind = name->op.length > 0 ? RANGE_OP : RANGE_OTHER;
    }
}

struct range_name range_name_read(const char *text, size_t length, const regex_t *step_range)
{
    struct range_name name = {.name = {text, length}};
    bool is_step = step_range == NULL ? step_by_words(text, length, &name)
                                      : step_by_expression(text, length, step_range, &name);
    if (is_step)
        name.kind = RANGE_STEP;
    else
        xla_read(text, length, &name);
    return name;
}

bool step_range_compile(const char *expression, regex_t *ret_expression, struct err *err)
{
    char why[200];
    int code = regcomp(ret_expression, expression, REG_EXTENDED);
    if (code != 0) {
        (void)regerror(code, ret_expression, why, sizeof why);
        return err_set(err, ERR_USAGE, "--step-range '%s' is no extended regular expression: %s",
                       expression, why);
    }
    if (ret_expression->re_nsub > 0)
        return true;
    regfree(ret_expression);
    return err_set(err, ERR_USAGE,
                   "--step-range '%s' does not say which part is the number of the step: put it in "
                   "parentheses, as in 'Iteration ([0-9]+)'",
                   expression);
}

bool nsight_step_range_check(const char *expression, struct err *err)
{
    regex_t compiled;
    if (!step_range_compile(expression, &compiled, err))
        return false;
    regfree(&compiled);
    return true;
}
