/* Implements the attempts for one file: a request for the bytes that are missing, by hand through
 * redirects, and what each end of it means. */
#include "ops/net/fetch/fetch_file.h"
#include "ops/net/fetch/fetch_part.h"
#include "ops/net/fetch/fetch_text.h"
#include "ops/runtime/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    REFUSALS_MAX = 3,
    CORRUPTIONS_MAX = 2,
    URL_BYTES = 8 << 10,
    ATTEMPT_MEMORY_BYTES = 256 << 10,
    COMPLAINT_BYTES = 1024,
    PROGRESS_BYTES = 1 << 20 /* an attempt that brought so much is no failed one */
};

struct download {
    struct fetch_job *job;
    const struct fetch_item *item;
    size_t index;
    struct fetch_part part;
    int64_t asked_from; /* first byte that this request wants */
    bool decided;       /* whether the answer continues or begins anew */
    char content_range[64];
    char location[URL_BYTES];
    char complaint[COMPLAINT_BYTES]; /* begin of the body of a refusal */
    size_t complaint_length;
    struct err fault; /* of taking the body; kind ERR_NONE: none */
    bool misplaced;   /* the answer has other bytes than were asked for */
};

/* ---- the body ---- */

static void done_add(struct download *download, int64_t bytes)
{
    (void)atomic_fetch_add(&download->job->bytes_done, bytes);
}

static bool begin_anew(struct download *download, struct err *err)
{
    done_add(download, -download->part.have);
    return fetch_part_reset(&download->part, err);
}

/* The first bytes of a 200 or 206: do they go on where the part ends? */
static bool decide(struct download *download, int status)
{
    long long from = -1;
    download->decided = true;
    if (status == 200)
        return download->part.have == 0 || begin_anew(download, &download->fault);
    bool given = sscanf(download->content_range, "bytes %lld-", &from) == 1;
    download->misplaced = !given || from != download->part.have;
    return !download->misplaced;
}

static bool body_take(void *context, int status, const char *bytes, size_t length)
{
    struct download *download = context;
    if (status != 200 && status != 206) {
        size_t room = COMPLAINT_BYTES - 1 - download->complaint_length;
        size_t kept = length < room ? length : room;
        memcpy(download->complaint + download->complaint_length, bytes, kept);
        download->complaint_length += kept;
        return true;
    }
    if (atomic_load(&download->job->stop) || (!download->decided && !decide(download, status)))
        return false;
    if (!fetch_part_add(&download->part, bytes, length, &download->fault))
        return false;
    done_add(download, (int64_t)length);
    (void)atomic_fetch_add(&download->job->bytes_moved, (int64_t)length);
    int64_t have = download->part.have, listed = download->item->size_bytes;
    if (have > FETCH_FILE_MAX_BYTES)
        return err_set(&download->fault, ERR_LIMIT, "'%s' of %s is longer than 64 GiB",
                       download->item->path, download->job->source->name);
    return listed < 0 || have <= listed;
}

/* ---- one exchange ---- */

static bool request_once(struct download *download, const struct fetch_place *place,
                         struct arena *arena, struct http_reply *ret_reply, struct err *err)
{
    const struct fetch_source *source = download->job->source;
    char range[64];
    const char *headers[FETCH_PLACE_HEADERS + 1];
    size_t header_count = 0;
    struct http_field fields[] = {
        {"content-range", download->content_range, sizeof download->content_range},
        {"location", download->location, sizeof download->location},
    };
    download->asked_from = download->part.have;
    download->decided = download->misplaced = false;
    download->complaint_length = 0;
    download->content_range[0] = download->location[0] = '\0';
    (void)snprintf(range, sizeof range, "Range: bytes=%lld-", (long long)download->asked_from);
    if (download->asked_from > 0)
        headers[header_count++] = range;
    for (int i = 0; i < FETCH_PLACE_HEADERS && place->headers[i] != NULL; i++)
        headers[header_count++] = place->headers[i];
    const struct http_transfer transfer = {
        .request = {.url = place->url, .headers = headers, .header_count = header_count},
        .method = HTTP_GET,
        .credential = place->credential,
        .sink = {body_take, download, INT64_MAX},
        .fields = fields,
        .field_count = sizeof fields / sizeof fields[0],
        .stall_s = source->stall_s,
    };
    bool performed = http_perform(source->policy, &transfer, arena, ret_reply, err);
    download->complaint[download->complaint_length] = '\0';
    return performed;
}

/* The request, and those to which it is redirected. */
static bool request(struct download *download, bool is_refused, struct arena *arena,
                    struct http_reply *ret_reply, struct err *err)
{
    const struct fetch_source *source = download->job->source;
    struct fetch_place place;
    if (!source->locate(source->context, download->index, is_refused, arena, &place, err))
        return false;
    for (int hops = 0;; hops++) {
        if (!request_once(download, &place, arena, ret_reply, err))
            return false;
        bool moved = ret_reply->outcome == HTTP_ANSWERED && ret_reply->status / 100 == 3;
        if (!moved)
            return true;
        if (hops == FETCH_REDIRECTS_MAX || !fetch_redirect(download->location, &place, arena))
            return err_set(err, ERR_INPUT, "'%s' of %s: %s", download->item->path, source->name,
                           hops == FETCH_REDIRECTS_MAX
                               ? "redirected too often"
                               : "redirected to nowhere that can be followed");
    }
}

/* ---- what it means ---- */

enum verdict {
    STEP_DONE,
    STEP_AGAIN, /* at once */
    STEP_REFUSED,
    STEP_WAIT,
    STEP_FAILED
};

static enum verdict finish(struct download *download, int *corruptions, struct err *err)
{
    bool fits;
    char why[256];
    struct fetch_part *part = &download->part;
    if (!fetch_part_finish(part, &fits, why, err))
        return STEP_FAILED;
    if (fits)
        return STEP_DONE;
    if (!begin_anew(download, err))
        return STEP_FAILED;
    if (++*corruptions < CORRUPTIONS_MAX)
        return STEP_AGAIN;
    (void)unlinkat(part->folder_fd, part->name, 0);
    (void)err_set(err, ERR_INPUT,
                  "'%s' of %s is corrupt: %s; nothing of it was kept. Fetch again, or have it "
                  "uploaded again",
                  download->item->path, download->job->source->name, why);
    return STEP_FAILED;
}

static enum verdict judge(struct download *download, const struct http_reply *reply,
                          int *corruptions, struct err *err)
{
    bool answered = reply->outcome == HTTP_ANSWERED;
    if (download->fault.kind != ERR_NONE) {
        (void)err_set(err, download->fault.kind, "%s", download->fault.text);
        return STEP_FAILED;
    }
    if (atomic_load(&download->job->stop)) {
        (void)err_set(err, ERR_CONFLICT, "another file failed");
        return STEP_FAILED;
    }
    bool restart = download->misplaced || (answered && reply->status == 416);
    if (restart && download->asked_from > 0)
        return begin_anew(download, err) ? STEP_AGAIN : STEP_FAILED;
    if (answered && reply->status / 100 == 2 && !restart) {
        bool over =
            download->item->size_bytes >= 0 && download->part.have > download->item->size_bytes;
        return reply->body_whole || over ? finish(download, corruptions, err) : STEP_WAIT;
    }
    const int status = reply->status;
    if (answered && (status == 400 || status == 401 || status == 403 || status == 410))
        /* S3's word for a request that was too slow to arrive. */
        return strstr(download->complaint, "RequestTimeout") != NULL ? STEP_WAIT : STEP_REFUSED;
    return pace_worth(PACE_FILE, reply) ? STEP_WAIT : STEP_REFUSED;
}

static bool give_up(const struct download *download, const struct http_reply *reply,
                    const char *why, struct err *err)
{
    const char *path = download->item->path, *name = download->job->source->name;
    const char *behind = why == NULL ? "" : why, *between = why == NULL ? "" : "; ";
    if (reply->outcome != HTTP_ANSWERED)
        return err_set(err,
                       reply->outcome == HTTP_FORBIDDEN || reply->outcome == HTTP_UNFIT
                           ? ERR_USAGE
                           : ERR_UNAVAILABLE,
                       "'%s' of %s: %s%s%s", path, name, reply->why, between, behind);
    if (reply->status == 404)
        return err_set(err, ERR_MISSING,
                       "'%s' of %s is listed but not stored (HTTP 404): it was deleted, or its "
                       "upload never ended",
                       path, name);
    if (reply->status / 100 == 2)
        return err_set(err, ERR_UNAVAILABLE, "'%s' of %s: the answer was cut: %s%s%s", path, name,
                       reply->body_why == NULL ? "" : reply->body_why, between, behind);
    bool later = reply->status >= 500 || reply->status == 429 || reply->status == 408;
    return err_set(err, later ? ERR_UNAVAILABLE : ERR_INPUT,
                   "'%s' of %s: HTTP %d from its storage%s%s", path, name, reply->status, between,
                   behind);
}

static struct pace pace_begin(struct fetch_job *job)
{
    struct pace pace = pace_of(job->source->retry, &job->gate, PACE_FILE);
    pace.stop = &job->stop;
    return pace;
}

/* The attempts. A refusal is worth new places a few times; waits are bounded by the pace, which
 * begins anew when an attempt brought something. */
static bool attempts(struct download *download, struct err *err)
{
    struct fetch_job *job = download->job;
    struct pace pace = pace_begin(job);
    int refusals = 0, corruptions = 0;
    for (enum verdict verdict = STEP_AGAIN; verdict != STEP_DONE;) {
        scoped_arena arena;
        arena_init(&arena, ATTEMPT_MEMORY_BYTES);
        struct http_reply reply = {0};
        const char *why = NULL;
        int64_t before = download->part.have;
        pace_enter(&pace);
        if (!request(download, verdict == STEP_REFUSED, &arena, &reply, err))
            return false;
        verdict = judge(download, &reply, &corruptions, err);
        if (download->part.have - before >= PROGRESS_BYTES)
            pace = pace_begin(job);
        if (verdict == STEP_FAILED)
            return false;
        if (verdict == STEP_REFUSED && ++refusals >= REFUSALS_MAX)
            return give_up(download, &reply, NULL, err);
        if (verdict == STEP_WAIT && !pace_again(&pace, &reply, &why))
            return give_up(download, &reply, why, err);
    }
    return true;
}

static void part_cleanup(struct download *download)
{
    fetch_part_close(&download->part);
}
#define scoped_download __attribute__((cleanup(part_cleanup))) struct download

bool fetch_file(struct fetch_job *job, size_t index, struct err *err)
{
    const struct fetch_item *item = &job->source->items[index];
    scoped_download download = {
        .job = job, .item = item, .index = index, .part = {.folder_fd = -1, .fd = -1}};
    bool whole = false;
    if (!fetch_part_open(job->root_fd, item, job->source->stall_s, &download.part, &whole, err))
        return err_prefix(err, "%s", job->source->name);
    if (whole) {
        (void)atomic_fetch_add(&job->files_kept, 1);
        done_add(&download, item->size_bytes < 0 ? 0 : item->size_bytes);
        return true;
    }
    (void)atomic_fetch_add(&job->files_resumed, download.part.have > 0);
    done_add(&download, download.part.have);
    int corruptions = 0;
    bool complete = item->has_md5 && download.part.have == item->size_bytes;
    enum verdict verdict = complete ? finish(&download, &corruptions, err) : STEP_AGAIN;
    return verdict == STEP_DONE || (verdict == STEP_AGAIN && attempts(&download, err));
}
