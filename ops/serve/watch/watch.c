/* What was seen of each capture is kept by its path: the state of its files as one digest, since
 * when that is unchanged, and whether it was submitted. */
#include "ops/serve/watch/watch.h"

#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"
#include "ops/serve/watch/watch_events.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define uthash_malloc(bytes) memory_alloc(bytes)
#include <uthash.h>

enum { FACTS_BYTES_MAX = 64 << 20 };

/* One capture, by its path. */
struct seen {
    char key[SHA256_HEX_BYTES];   /* SHA-256 of the path of its first file */
    char state[SHA256_HEX_BYTES]; /* of path, size and time of each of its files */
    int64_t since_ms;             /* unchanged since */
    bool submitted;               /* in this state */
    UT_hash_handle hh;
};

struct watch {
    const struct watch_setting *setting;
    char *folder; /* absolute */
    struct watch_events events;
    int64_t due_ms;
    int64_t settle_ms, poll_ms;
    int64_t added; /* by the turn that runs */
    /* XPlane files of the folder itself, while it is searched. */
    const char **xplanes;
    size_t xplane_count;
    struct db *db;
    struct seen *seen;
};

/* ---- what a capture looks like --------------------------------------------------------------- */

static bool state_make(const struct profile_files *capture, char state[SHA256_HEX_BYTES],
                       struct err *err)
{
    scoped_text facts;
    text_init(&facts, FACTS_BYTES_MAX);
    for (size_t i = 0; i < capture->file_count; i++) {
        struct stat info;
        if (stat(capture->files[i], &info) != 0)
            return err_set_errno(err, ERR_INPUT, "cannot read '%s'", capture->files[i]);
        text_addf(&facts, "%s\n%" PRId64 " %" PRId64 ".%09ld\n", capture->files[i],
                  (int64_t)info.st_size, (int64_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    }
    if (!text_ok(&facts, "the files of a capture", err))
        return false;
    sha256_hex(facts.data, facts.length, state);
    return true;
}

/* By a path: of a capture its first file's. */
static struct seen *seen_find(struct watch *watch, const char *path)
{
    char key[SHA256_HEX_BYTES];
    struct seen *seen;
    sha256_hex(path, strlen(path), key);
    HASH_FIND_STR(watch->seen, key, seen);
    if (seen != NULL)
        return seen;
    seen = memory_zalloc(1, sizeof *seen);
    memcpy(seen->key, key, sizeof key);
    HASH_ADD_STR(watch->seen, key, seen);
    return seen;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Who may write in a watched folder must have neither others' files submitted nor all of the disk
 * searched, as Linux itself does in /tmp (protected_symlinks); a link in the folder that a link
 * leads to belongs to who owns that one. */
static void fts_cleanup(FTS **tree)
{
    if (*tree != NULL)
        (void)fts_close(*tree);
}

static bool is_followed(const FTSENT *entry)
{
    struct stat end;
    uid_t owner = entry->fts_statp->st_uid;
    return owner == geteuid() || owner == 0 || stat(entry->fts_path, &end) != 0 ||
           end.st_uid == owner;
}

/* The first link, the path itself or below it, that is not followed; NULL: there is none. Followed
 * are those of this user and of root, and those to what belongs to the one who laid them. In the
 * arena. ERR_INPUT: it cannot be searched; ERR_LIMIT. */
static bool watch_link_refused(const char *path, struct arena *arena, const char **ret_link,
                               struct err *err)
{
    char *root = arena_strdup(arena, path);
    *ret_link = NULL;
    char *const roots[] = {root, NULL};
    __attribute__((cleanup(fts_cleanup))) FTS *tree =
        fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
    for (FTSENT *entry; (errno = 0, entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info != FTS_SL || is_followed(entry))
            continue;
        *ret_link = arena_strdup(arena, entry->fts_path);
        return true;
    }
    return errno == 0 || err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool capture_submit(struct watch *watch, const struct profile_files *capture,
                           struct seen *seen, struct arena *arena, struct err *err)
{
    int64_t id;
    struct submission submission = watch->setting->submission;
    submission.db = watch->db;
    submission.dedupe_key = seen->state;
    if (!submission_add(&submission, capture, arena, &id, err))
        return false;
    seen->submitted = true;
    if (id == 0)
        return true;
    char number[24];
    (void)snprintf(number, sizeof number, "%" PRId64, id);
    log_event(LOG_INFO, LOG_job_submitted, "job", number, "file", capture->path, NULL);
    watch->added++;
    return true;
}

static bool capture_look(struct watch *watch, const struct profile_files *capture,
                         struct arena *arena, struct err *err)
{
    char state[SHA256_HEX_BYTES];
    int64_t now = clock_monotonic_ms();
    struct err failure = {0};
    struct seen *seen = seen_find(watch, capture->files[0]);
    if (!state_make(capture, state, &failure))
        return true; /* a file that vanished meanwhile is no capture */
    if (strcmp(state, seen->state) != 0) {
        memcpy(seen->state, state, sizeof state);
        seen->since_ms = now;
        seen->submitted = false;
    }
    bool whole =
        now - seen->since_ms >= watch->settle_ms || watch_is_arrival(&watch->events, capture);
    if (seen->submitted || !whole || capture_submit(watch, capture, seen, arena, &failure))
        return true;
    const enum err_kind kind = failure.kind;
    if (kind != ERR_INPUT && kind != ERR_LIMIT && kind != ERR_MISSING && kind != ERR_IO) {
        *err = failure; /* of the database: it ends the turn; those of the file are its own */
        return false;
    }
    seen->submitted = kind != ERR_IO; /* until it changes; a disk that failed is asked again */
    seen->since_ms = now;
    log_event(LOG_WARN, LOG_profile_rejected, "kind", err_kind_name(kind), "file", capture->path,
              "why", failure.text, NULL);
    return true;
}

/* Whether a file of the folder itself is a profile by its name, and what is in it: a trace only
 * where no XPlane file of its host lies beside it, which tells the same and more. */
static bool is_profile_name(const struct watch *watch, const char *path)
{
    bool chosen;
    const struct profile_format *format = format_of_path(path, NULL);
    if (format == NULL || format == &profile_formats[FORMAT_XPLANE])
        return format != NULL;
    traces_choose(&path, 1, watch->xplanes, watch->xplane_count, &chosen);
    return chosen && ingest_is_profile(path);
}

/* Once. */
static void link_tell(struct watch *watch, const char *link)
{
    struct seen *seen = seen_find(watch, link);
    if (seen->submitted)
        return;
    seen->submitted = true;
    log_event(LOG_WARN, LOG_profile_rejected, "kind", err_kind_name(ERR_INPUT), "file", link, "why",
              "the link belongs to another user than what it leads to, and is not followed: move "
              "the files there, or let their owner lay it",
              NULL);
}

static bool entry_search(struct watch *watch, const char *path, struct err *err)
{
    struct stat info;
    struct profile_list list;
    struct err failure = {0};
    scoped_arena arena;
    conf_memory_arena(watch->setting->submission.conf, &arena);
    bool usable =
        stat(path, &info) == 0 &&
        (S_ISDIR(info.st_mode) || (S_ISREG(info.st_mode) && is_profile_name(watch, path)));
    const char *link;
    if (!usable || !watch_link_refused(path, &arena, &link, &failure))
        return true;
    if (link != NULL) {
        link_tell(watch, link);
        return true;
    }
    if (!ingest_discover(path, &arena, &list, &failure))
        return true; /* nothing in it yet */
    for (size_t i = 0; i < list.count; i++)
        if (!capture_look(watch, &list.items[i], &arena, err))
            return false;
    return true;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool folder_search(struct watch *watch, struct err *err)
{
    struct dirent **entries;
    const char *folder = watch->folder;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0) {
        log_event(LOG_WARN, LOG_input_warning, "file", folder, "why", strerror(errno), NULL);
        return true;
    }
    scoped_arena names;
    conf_memory_arena(watch->setting->submission.conf, &names);
    watch->xplane_count = 0;
    watch->xplanes = arena_array(&names, const char *, (size_t)count);
    const char **paths = arena_array(&names, const char *, (size_t)count);
    for (int i = 0; i < count; i++) {
        paths[i] = path_join(&names, folder, entries[i]->d_name);
        if (format_of_path(paths[i], NULL) == &profile_formats[FORMAT_XPLANE])
            watch->xplanes[watch->xplane_count++] = paths[i];
        free(entries[i]);
    }
    free(entries);
    bool searched = arena_ok(&names, "the files of a folder", err);
    for (int i = 0; i < count && searched; i++)
        searched = entry_search(watch, paths[i], err);
    return searched;
}

bool watch_turn(struct watch *watch, struct db *db, int64_t *ret_count, struct err *err)
{
    *ret_count = 0;
    bool happened = watch_events_take(&watch->events);
    if (!happened && clock_monotonic_ms() < watch->due_ms)
        return true;
    watch->due_ms = clock_monotonic_ms() + watch->poll_ms;
    watch->db = db;
    watch->added = 0;
    watch_events_follow(&watch->events, watch->folder);
    if (!folder_search(watch, err))
        return false;
    watch_arrivals_forget(&watch->events);
    *ret_count = watch->added;
    return watch->added == 0 || queue_hint(db, err);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool watch_open(const struct watch_setting *setting, struct watch **ret_watch, struct err *err)
{
    struct stat info;
    char folder[PATH_MAX];
    bool is_there = realpath(setting->folder, folder) != NULL;
    if (!is_there || stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
        if (is_there)
            errno = ENOTDIR;
        return err_set_errno(err, ERR_INPUT, "cannot watch '%s'", setting->folder);
    }
    struct watch *watch = memory_zalloc(1, sizeof *watch);
    watch->setting = setting;
    watch->folder = memory_strdup(folder);
    watch->settle_ms = conf_int(setting->submission.conf, CONF_watch_settle_ms);
    watch->poll_ms = conf_int(setting->submission.conf, CONF_watch_poll_ms);
    watch_events_open(&watch->events);
    *ret_watch = watch;
    return true;
}

void watch_close(struct watch *watch)
{
    struct seen *seen, *next;
    if (watch == NULL)
        return;
    HASH_ITER (hh, watch->seen, seen, next) {
        HASH_DEL(watch->seen, seen);
        free(seen);
    }
    watch_events_close(&watch->events);
    free(watch->folder);
    free(watch);
}

int watch_socket(const struct watch *watch)
{
    return watch->events.fd;
}

int64_t watch_due_ms(const struct watch *watch)
{
    return watch->due_ms;
}
