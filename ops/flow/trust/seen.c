/* A ledger is known by the address that it is reached at: who puts another database there puts
 * another ledger in its place. */
#include "ops/flow/trust/seen.h"

#include "history/verify/verify.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHECKPOINT_BYTES_MAX = 1 << 30, NAME_DIGITS = 16, SEEN_BYTES_MAX = 256 << 20 };

static const char *folder_of(const struct conf *conf, struct arena *arena)
{
    const char *set = conf_text(conf, CONF_state_dir);
    const char *service = getenv("STATE_DIRECTORY"), *base = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (set[0] != '\0')
        return set;
    if (service != NULL && service[0] == '/')
        return path_join(arena, arena_strndup(arena, service, strcspn(service, ":")), "seen");
    if (base != NULL && base[0] == '/')
        return path_join(arena, base, "stepledger");
    return home == NULL || home[0] != '/' ? NULL
                                          : path_join(arena, home, ".local/state/stepledger");
}

static bool path_make(const struct conf *conf, struct db *db, enum seen_kind kind,
                      struct arena *arena, const char **ret_path, struct err *err)
{
    static const char *const names[SEEN_KIND_COUNT] = {"checkpoint", "verified"};
    char hex[SHA256_HEX_BYTES];
    const char *address = db_address(db, arena), *folder = folder_of(conf, arena);
    if (folder == NULL)
        return err_set(err, ERR_USAGE,
                       "there is no folder for what this machine has seen of the ledger: set "
                       "state_dir, XDG_STATE_HOME or HOME");
    sha256_hex(address, strlen(address), hex);
    const char *name = arena_printf(arena, "%s-%.*s.json", names[kind], NAME_DIGITS, hex);
    *ret_path = path_join(arena, folder, name);
    return true;
}

bool seen_read(const struct conf *conf, struct db *db, enum seen_kind kind, struct arena *arena,
               struct seen *ret_seen, struct err *err)
{
    struct seen seen = {0};
    if (!path_make(conf, db, kind, arena, &seen.path, err))
        return false;
    seen.found = access(seen.path, F_OK) == 0 || errno != ENOENT;
    if (seen.found) {
        scoped_json *root = json_read_file(seen.path, CHECKPOINT_BYTES_MAX, err);
        if (root == NULL || !checkpoint_from_json(root, seen.path, arena, &seen.checkpoint, err) ||
            !checkpoint_check(&seen.checkpoint, err)) {
            /* It may have been changed so that it cannot be read: it is not taken for nothing. */
            return err->kind == ERR_INPUT &&
                   err_prefix(
                       err,
                       "what this machine has seen of the ledger cannot be read (when `verify "
                       "--against` a checkpoint that was kept elsewhere finds nothing else, remove "
                       "%s: it is written anew)",
                       seen.path);
        }
    }
    *ret_seen = seen;
    return arena_ok(arena, "what this machine has seen of the ledger", err);
}

static int64_t number_of(const struct checkpoint *checkpoint)
{
    int64_t number = 0;
    (void)text_parse_i64(checkpoint->id + (checkpoint->id[0] == 'c'), &number);
    return number;
}

bool checkpoint_is_older(const struct checkpoint *a, const struct checkpoint *b)
{
    return number_of(a) < number_of(b);
}

bool seen_keep(const struct conf *conf, struct db *db, enum seen_kind kind,
               const struct checkpoint *checkpoint, struct err *err)
{
    struct seen seen;
    scoped_arena arena;
    arena_init(&arena, SEEN_BYTES_MAX);
    if (!seen_read(conf, db, kind, &arena, &seen, err))
        return false;
    if (seen.found && !checkpoint_is_older(&seen.checkpoint, checkpoint))
        return true;
    /* A ledger that was rolled back gets newer numbers again in time. */
    const char *fault = NULL;
    if (seen.found && !ledger_holds(db, &seen.checkpoint, &arena, &fault, err))
        return false;
    if (fault != NULL)
        return err_set(err, ERR_INPUT,
                       "the ledger does not hold what this machine has seen of it (%s): %.300s",
                       seen.path, fault);
    scoped_text text;
    text_init(&text, CHECKPOINT_BYTES_MAX);
    const char *base = path_base(seen.path);
    const char *folder = arena_strndup(&arena, seen.path, (size_t)(base - seen.path));
    scoped_json *json = checkpoint_to_json(checkpoint);
    json_print(json, JSON_STYLE_INDENTED, &text);
    text_addc(&text, '\n');
    return text_ok(&text, "the checkpoint", err) && file_make_dirs(folder, err) &&
           file_write_atomic(seen.path, text.data, text.length, err);
}
