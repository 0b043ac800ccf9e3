/* Reads paths from their end. */
#include "ingest/source/place.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* What a file is called that holds planes of a host, in whatever form: `<host>.xplane.<form>`. */
static const char xplane_mark[] = ".xplane.";
/* And a trace: `<host>.trace.json`, `<worker>.pt.trace.json`, packed or not. */
static const char *const trace_marks[] = {".pt.trace.json", ".trace.json"};

/* The rank in `process_3`, `rank-3` and the like. */
static struct opt_i64 rank_of(const char *name)
{
    static const char *const words[] = {"process", "rank"};
    int64_t number;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) != 0)
            continue;
        const char *digits = name + length + (name[length] == '_' || name[length] == '-');
        if (digits[0] >= '0' && digits[0] <= '9' && text_parse_i64(digits, &number))
            return some_i64(number);
    }
    return (struct opt_i64){0};
}

/* The rank that stands in a name as `rank1` or `rank_1`, by itself, and the name without the
 * number. */
static void rank_within(const char *name, struct arena *arena, struct file_place *place)
{
    static const char word[] = "rank";
    for (const char *at = name; (at = strcasestr(at, word)) != NULL; at++) {
        const char *digits = at + sizeof word - 1;
        digits += *digits == '_' || *digits == '-' || *digits == '.';
        const size_t length = strspn(digits, "0123456789");
        if ((at > name && isalnum((unsigned char)at[-1])) ||
            isalnum((unsigned char)digits[length]) || length == 0 ||
            !text_parse_i64(arena_strndup(arena, digits, length), &place->rank.value))
            continue;
        place->rank.set = true;
        place->unranked =
            arena_printf(arena, "%.*s%s", (int)(digits - name), name, digits + length);
        return;
    }
}

/* What PyTorch's handler says of a process by `<worker>.<time>`, which lies loose: the time is none
 * of its name. */
static void worker_take(struct arena *arena, struct file_place *place)
{
    const char *time = strrchr(place->host, '.');
    if (time == NULL || time == place->host || time[1] == '\0' ||
        time[1 + strspn(time + 1, "0123456789")] != '\0')
        return;
    char *worker = arena_strndup(arena, place->host, (size_t)(time - place->host));
    const char *pid = strrchr(worker, '_');
    const bool is_process = pid != NULL && pid > worker && pid[1] != '\0' &&
                            pid[1 + strspn(pid + 1, "0123456789")] == '\0';
    place->host = worker;
    place->run = is_process ? arena_printf(arena, "%s/%s", place->folder, worker) : place->folder;
    place->machine = is_process ? arena_strndup(arena, worker, (size_t)(pid - worker)) : NULL;
}

/* Takes the last name off a path, which it cuts there; NULL when there is none. */
static const char *name_cut(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash[1] == '\0')
        return NULL;
    *slash = '\0';
    return slash + 1;
}

/* Whether XPlane files of several hosts lie in the folder. */
static bool holds_hosts(const char *folder, const char *host)
{
    const size_t length = strlen(host);
    scoped_folder *entries = opendir(folder);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        const char *mark = strstr(entry->d_name, xplane_mark);
        if (mark != NULL && entry->d_name[0] != '.' &&
            ((size_t)(mark - entry->d_name) != length || strncmp(entry->d_name, host, length) != 0))
            return true;
    }
    return false;
}

struct file_place file_place_of(const char *path, struct arena *arena)
{
    struct file_place place = {.session_s = -1};
    char *whole = path_absolute(arena, path);
    const char *name = name_cut(whole);
    char *job = arena_strdup(arena, whole);
    name = name == NULL ? "" : name;
    const char *mark = strstr(name, xplane_mark);
    for (size_t i = 0; i < sizeof trace_marks / sizeof trace_marks[0] && mark == NULL; i++)
        mark = strstr(name, trace_marks[i]);
    const bool is_handlers =
        mark != NULL && strncmp(mark, trace_marks[0], strlen(trace_marks[0])) == 0;
    place.folder = whole;
    place.host = arena_strndup(arena, name, mark == NULL ? strlen(name) : (size_t)(mark - name));
    if (is_handlers)
        worker_take(arena, &place);
    rank_within(place.host, arena, &place);

    place.process = rank_of(place.host);
    /* `/plugins/profile/<session>` is cut off, which is named after a time. */
    static const char above[] = "/plugins/profile";
    struct tm time = {0};
    char *session = strrchr(job, '/');
    const size_t before = session == NULL ? 0 : (size_t)(session - job), end = sizeof above - 1;
    if (before >= end && strncmp(session - end, above, end) == 0) {
        session[-(ptrdiff_t)end] = '\0';
        place.job = job;
    }
    const char *rest = strptime(path_base(place.folder), "%Y_%m_%d_%H_%M_%S", &time);
    if (rest != NULL && *rest == '\0')
        place.session_s = (int64_t)timegm(&time);
    struct opt_i64 rank = rank_of(path_base(job));
    if (rank.set && name_cut(job) != NULL) {
        if (!holds_hosts(place.folder, place.host))
            place.process = rank;
        place.job = job;
    }
    place.run = place.job != NULL ? place.job : place.run;
    return place;
}

const char *file_place_run_folder(const struct file_place *place)
{
    return place->job != NULL ? place->job : place->folder;
}

bool file_place_is_loose(const struct file_place *place)
{
    return place->job == NULL && place->session_s < 0;
}

bool file_place_is_trace_of(const struct file_place *trace, const struct file_place *xplane)
{
    static const char whole_job[] = "perfetto_trace.json.gz";
    bool same_process =
        trace->process.set == xplane->process.set && trace->process.value == xplane->process.value;
    return same_process && strcmp(path_base(trace->folder), path_base(xplane->folder)) == 0 &&
           (strcmp(trace->host, xplane->host) == 0 || strcmp(trace->host, whole_job) == 0);
}
