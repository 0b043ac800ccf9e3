/* Folders are kept by inotify's number, arrivals by the digest of their path. */
#include "ops/serve/watch/watch_events.h"

#include "ops/runtime/digest.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define uthash_malloc(bytes) memory_alloc(bytes)
#include <uthash.h>

enum {
    EVENT_BYTES = 16384,
    NAME_BYTES = 4096,
    EVENTS = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR,
};

/* A file that came by a rename: whole from the start. */
struct watch_arrival {
    char key[SHA256_HEX_BYTES]; /* SHA-256 of its path */
    UT_hash_handle hh;
};

struct watched_folder {
    int id; /* of inotify */
    char *path;
    UT_hash_handle hh;
};

static void folder_add(struct watch_events *events, const char *path)
{
    struct watched_folder *known;
    int id = events->fd < 0 ? -1 : inotify_add_watch(events->fd, path, EVENTS);
    if (id < 0)
        return; /* the search by time finds it */
    HASH_FIND_INT(events->folders, &id, known);
    if (known != NULL)
        return;
    known = memory_zalloc(1, sizeof *known);
    known->id = id;
    known->path = memory_strdup(path);
    HASH_ADD_INT(events->folders, id, known);
}

static void arrival_note(struct watch_events *events, const struct inotify_event *event)
{
    struct watched_folder *folder;
    char path[NAME_BYTES], key[SHA256_HEX_BYTES];
    struct watch_arrival *arrival;
    HASH_FIND_INT(events->folders, &event->wd, folder);
    int length =
        folder == NULL ? -1 : snprintf(path, sizeof path, "%s/%s", folder->path, event->name);
    if (length < 0 || (size_t)length >= sizeof path)
        return;
    sha256_hex(path, (size_t)length, key);
    HASH_FIND_STR(events->arrivals, key, arrival);
    if (arrival != NULL)
        return;
    arrival = memory_zalloc(1, sizeof *arrival);
    memcpy(arrival->key, key, sizeof key);
    HASH_ADD_STR(events->arrivals, key, arrival);
}

static void event_take(struct watch_events *events, const struct inotify_event *event)
{
    if ((event->mask & IN_MOVED_TO) != 0 && event->len > 0)
        arrival_note(events, event);
    if ((event->mask & IN_IGNORED) != 0) {
        struct watched_folder *folder;
        HASH_FIND_INT(events->folders, &event->wd, folder);
        if (folder == NULL)
            return;
        HASH_DEL(events->folders, folder);
        free(folder->path);
        free(folder);
    }
}

bool watch_events_take(struct watch_events *events)
{
    bool happened = false;
    char buffer[EVENT_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t length;
    while (events->fd >= 0 && (length = read(events->fd, buffer, sizeof buffer)) > 0) {
        for (char *at = buffer; at < buffer + length;) {
            const struct inotify_event *event = (const struct inotify_event *)(void *)at;
            event_take(events, event);
            happened = true;
            at += sizeof *event + event->len;
        }
    }
    return happened;
}

void watch_events_follow(struct watch_events *events, const char *folder)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *tree = events->fd < 0 ? NULL : fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return;
    for (FTSENT *entry; (entry = fts_read(tree)) != NULL;)
        if (entry->fts_info == FTS_D)
            folder_add(events, entry->fts_path);
    (void)fts_close(tree);
}

bool watch_is_arrival(const struct watch_events *events, const struct profile_files *capture)
{
    for (size_t i = 0; i < capture->file_count; i++) {
        char key[SHA256_HEX_BYTES];
        const struct watch_arrival *known;
        sha256_hex(capture->files[i], strlen(capture->files[i]), key);
        HASH_FIND_STR(events->arrivals, key, known);
        if (known == NULL)
            return false;
    }
    return true;
}

void watch_arrivals_forget(struct watch_events *events)
{
    struct watch_arrival *arrival, *next;
    HASH_ITER (hh, events->arrivals, arrival, next) {
        HASH_DEL(events->arrivals, arrival);
        free(arrival);
    }
}

void watch_events_open(struct watch_events *events)
{
    *events = (struct watch_events){.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
}

void watch_events_close(struct watch_events *events)
{
    struct watched_folder *folder, *next;
    HASH_ITER (hh, events->folders, folder, next) {
        HASH_DEL(events->folders, folder);
        free(folder->path);
        free(folder);
    }
    watch_arrivals_forget(events);
    if (events->fd >= 0)
        (void)close(events->fd);
}
