/* Assesses a pair of summaries; keeps the records in a file of JSON lines. */
#include "ops/cli/files/track_of.h"

#include "compare/reference/reference.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { RECORD_MAX_BYTES = 256 << 20 };

static bool make_folder(const char *path, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, strlen(path) + 8192);
    char *folder = arena_strdup(&arena, path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return true;
    *slash = '\0';
    return file_make_dirs(folder, err);
}

/* Ends the last line, when it is a whole record. One that is no JSON was torn when its writer or
 * the machine died: it was never said to be there, and gives way. */
static bool last_mend(int fd, const char *path, off_t size, struct err *err)
{
    scoped_arena arena;
    struct err torn = {0};
    size_t length = size < RECORD_MAX_BYTES ? (size_t)size : RECORD_MAX_BYTES;
    arena_init(&arena, RECORD_MAX_BYTES + 8192);
    char *tail = arena_alloc(&arena, length);
    if (pread(fd, tail, length, size - (off_t)length) != (ssize_t)length)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot read the history '%s'", path);
    const char *before = memrchr(tail, '\n', length);
    const char *last = before == NULL ? tail : before + 1;
    size_t last_length = (size_t)(tail + length - last);
    scoped_json *record = json_parse(last, last_length, path, &torn);
    if (record != NULL)
        return file_write_all(fd, "\n", 1, path, err);
    if (torn.kind != ERR_INPUT) {
        *err = torn;
        return false;
    }
    if (ftruncate(fd, size - (off_t)last_length) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot cut off the torn last line of '%s'",
                             path);
    log_event(LOG_WARN, LOG_input_warning, "file", path, "why",
              "the last line was torn and was taken out", NULL);
    return true;
}

/* Appends one line, under a lock, flushed to disk; makes the folders. A torn line at the end of the
 * file, left by a writer that was killed, is taken out first, with a warning. */
static bool history_file_append(const char *path, const json_t *record, struct err *err)
{
    scoped_text line;
    text_init(&line, RECORD_MAX_BYTES);
    scoped_fd fd = -1;
    if (!make_folder(path, err))
        return false;
    fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot open the history '%s'", path);
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot look at the history '%s'", path);
    char last = '\n';
    bool lacks_end = info.st_size > 0 && pread(fd, &last, 1, info.st_size - 1) == 1 && last != '\n';
    if (lacks_end && (!last_mend(fd, path, info.st_size, err) || fstat(fd, &info) != 0))
        return false;
    json_print(record, JSON_STYLE_LINE, &line);
    text_addc(&line, '\n');
    if (!text_ok(&line, "the record", err))
        return false;
    /* A record is there whole and for good, or not at all. */
    if (file_write_all(fd, line.data, line.length, path, err) &&
        (fsync(fd) == 0 || err_set_errno(err, ERR_UNAVAILABLE, "cannot flush '%s'", path)) &&
        file_folder_flush(path, err))
        return true;
    (void)!ftruncate(fd, info.st_size);
    return false;
}

json_t *track_of(struct cli *cli, const struct pair *pair, struct arena *arena,
                 const char **ret_status, struct err *err)
{
    const struct track_thresholds thresholds = (struct track_thresholds){
        .max_step_median_regression_pct = cli_real(cli, "max-step-median-regression-pct"),
        .max_step_p90_regression_pct = cli_real(cli, "max-step-p90-regression-pct"),
        .max_communication_share_regression_abs =
            cli_real(cli, "max-communication-share-regression-abs"),
        .max_stall_share_regression_abs = cli_real(cli, "max-stall-share-regression-abs"),
    };
    char now[CLOCK_ISO_BYTES];
    struct track_record record = {
        .recorded_at_utc = clock_iso(clock_wall_us(), now),
        .label = cli_text(cli, "label"),
        .before = track_side_of(&pair->before),
        .after = track_side_of(&pair->after),
    };
    if (!track_assess(&pair->comparison, &thresholds, arena, &record.assessment, err))
        return NULL;
    json_t *document = track_record_to_json(&record);
    const char *history = cli_text(cli, "history");
    if (history != NULL && !history_file_append(history, document, err)) {
        json_decref(document);
        return NULL;
    }
    *ret_status = record.assessment.status;
    return document;
}
