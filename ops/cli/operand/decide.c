/* Implements what the deciding commands share. */
#include "ops/cli/operand/decide.h"

#include "history/profiles/profiles.h"
#include "history/verdicts/verdicts.h"
#include "ops/runtime/json.h"
#include "ops/runtime/log.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REASON_MAX_CHARS = 2000 }; /* the database's own bound */

bool decide_reason(struct cli *cli, const char **ret_reason, struct err *err)
{
    const char *start = cli_text(cli, "reason");
    size_t length = strlen(start);
    if (text_utf8_valid(start, length) != length)
        return err_set(err, ERR_USAGE, "option --reason: the text is not UTF-8");
    text_strip(&start, &length);
    if (length == 0)
        return err_set(err, ERR_USAGE, "option --reason: say why; it stays in the ledger");
    if (length > REASON_MAX_CHARS)
        return err_set(err, ERR_USAGE, "option --reason: %zu bytes, at most %d", length,
                       REASON_MAX_CHARS);
    *ret_reason = arena_strndup(&cli->arena, start, length);
    return true;
}

bool decide_verdict(struct cli *cli, struct db *db, const char *name, int64_t *ret_id,
                    struct verdict *ret_verdict, struct err *err)
{
    if (name[0] != 'v' || !text_parse_i64(name + 1, ret_id) || *ret_id < 1)
        return err_set(err, ERR_USAGE, "'%s' is no verdict; one is written v7", name);
    return ledger_read_verdict(db, *ret_id, &cli->arena, NULL, ret_verdict, err);
}

void decide_log(const struct acceptance *acceptance, const char *id, const struct verdict *verdict)
{
    if (acceptance->found && verdict->status == VERDICT_FAIL)
        log_event(LOG_INFO, LOG_verdict_accepted, "verdict", id, "why", acceptance->said, NULL);
    if (acceptance->beyond != NULL)
        log_event(LOG_WARN, LOG_acceptance_exceeded, "verdict", id, "why", acceptance->beyond,
                  NULL);
}

void decide_log_retracted(const char *id, const char *why)
{
    if (why != NULL)
        log_event(LOG_WARN, LOG_retracted_evidence, "verdict", id, "why", why, NULL);
}

/* Most people stand in a file, which is read without what glibc loads for all others: that dies
 * where there is no memory. */
static const struct passwd *person_of_file(struct passwd *entry, char *buffer, size_t bytes)
{
    struct passwd *found = NULL;
    FILE *file = fopen("/etc/passwd", "re");
    if (file == NULL)
        return NULL;
    while (fgetpwent_r(file, entry, buffer, bytes, &found) == 0 && found->pw_uid != getuid())
        found = NULL;
    (void)fclose(file);
    return found;
}

const char *decide_person(struct cli *cli)
{
    enum { ENTRY_BYTES = 4096 };
    char *buffer = arena_alloc(&cli->arena, ENTRY_BYTES);
    struct passwd entry, *other = NULL;
    const struct passwd *found = person_of_file(&entry, buffer, ENTRY_BYTES);
    if (found == NULL && getpwuid_r(getuid(), &entry, buffer, ENTRY_BYTES, &other) == 0)
        found = other;
    return found == NULL || found->pw_name[0] == '\0' ? NULL : found->pw_name;
}
