/* inotify below one folder: that something happened, and which files came by a rename.
 *
 * Only a hint: where inotify does not work, or its queue overflows, nothing is said and nothing is
 * lost, since the folder is searched by time as well.
 */
#ifndef OPS_SERVE_WATCH_WATCH_EVENTS_H
#define OPS_SERVE_WATCH_WATCH_EVENTS_H

#include "ingest/ingest.h"

struct watch_arrival;
struct watched_folder;

struct watch_events {
    int fd; /* readable when something happened; -1 where inotify does not work */
    struct watched_folder *folders;
    struct watch_arrival *arrivals;
};

/* Never fails: without inotify there are no hints. */
void watch_events_open(struct watch_events *events);
/* Ends the watch; accepts a zeroed struct whose fd is -1. */
void watch_events_close(struct watch_events *events);

/* Watches the folder and all below it; those that are watched already stay so. */
void watch_events_follow(struct watch_events *events, const char *folder);

/* Takes what happened; true when there was something. */
bool watch_events_take(struct watch_events *events);

/* true when every file of the capture was moved to its place since watch_arrivals_forget. */
bool watch_is_arrival(const struct watch_events *events, const struct profile_files *capture);
/* Forgets which files were moved. */
void watch_arrivals_forget(struct watch_events *events);

#endif
