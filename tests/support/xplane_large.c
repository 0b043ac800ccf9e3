/* Implements the generator: a step of 500 ops repeats on each device, with a `while` around every
 * tenth block. */
#include "tests/support/xplane_large.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    OPS_PER_STEP = 500,
    WHILE_EVERY = 100,
    WHILE_BODY = 20,
    OP_KINDS = 400,
    WHILE_KIND = OP_KINDS + 1,
    MODULE_KIND,
    STEP_KIND_FIRST = 1000,
    OP_PS = 2000000,
    OP_GAP_PS = 50000,
    BYTES_PER_EVENT = 40,
    STAT_DEVICE_OFFSET = 1,
    STAT_DEVICE_DURATION = 2,
    STAT_CATEGORY = 3,
    STAT_FLOPS = 4,
    STAT_TF_OP = 5,
    STAT_TYPE = 6,
    SORT_BLOCK = 1000
};

/* Counts bytes when stream is NULL, else writes them. */
struct sink {
    FILE *stream;
    int64_t bytes;
};

static void put_bytes(struct sink *sink, const void *data, size_t length)
{
    sink->bytes += (int64_t)length;
    if (sink->stream != NULL)
        (void)fwrite_unlocked(data, 1, length, sink->stream);
}

static size_t varint(uint64_t value, unsigned char *out)
{
    size_t length = 0;
    while (value >= 0x80) {
        out[length++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    out[length++] = (unsigned char)value;
    return length;
}

static void put_varint(struct sink *sink, unsigned field, uint64_t value)
{
    unsigned char buffer[20];
    size_t length = varint((uint64_t)field << 3, buffer);
    length += varint(value, buffer + length);
    put_bytes(sink, buffer, length);
}

static void put_head(struct sink *sink, unsigned field, uint64_t length)
{
    unsigned char buffer[20];
    size_t used = varint((uint64_t)field << 3 | 2, buffer);
    used += varint(length, buffer + used);
    put_bytes(sink, buffer, used);
}

static void put_string(struct sink *sink, unsigned field, const char *string)
{
    put_head(sink, field, strlen(string));
    put_bytes(sink, string, strlen(string));
}

struct job {
    const struct xplane_large *plan;
    int64_t steps;
    int device;
    int64_t events;
};

/* A part of a message: called twice, to count and to write. */
typedef void part(struct sink *sink, struct job *job, int64_t argument);

static void put_message(struct sink *sink, unsigned field, part *body, struct job *job,
                        int64_t argument)
{
    struct sink count = {0};
    int64_t events = job->events;
    body(&count, job, argument);
    put_head(sink, field, (uint64_t)count.bytes);
    if (sink->stream == NULL) {
        sink->bytes += count.bytes;
        return;
    }
    job->events = events;
    body(sink, job, argument);
}

struct event {
    uint64_t kind;
    int64_t offset, duration;
    bool with_stats;
};

static void put_event(struct sink *sink, struct job *job, struct event event)
{
    unsigned char body[128], stat[32];
    size_t used = 0;
    body[used++] = 1 << 3;
    used += varint(event.kind, body + used);
    body[used++] = 2 << 3;
    used += varint((uint64_t)event.offset, body + used);
    body[used++] = 3 << 3;
    used += varint((uint64_t)event.duration, body + used);
    for (int i = 0; event.with_stats && i < 2; i++) {
        size_t length = 0;
        stat[length++] = 1 << 3;
        length += varint(i == 0 ? STAT_DEVICE_OFFSET : STAT_DEVICE_DURATION, stat + length);
        stat[length++] = 3 << 3;
        length += varint((uint64_t)(i == 0 ? event.offset : event.duration), stat + length);
        body[used++] = 4 << 3 | 2;
        body[used++] = (unsigned char)length;
        memcpy(body + used, stat, length);
        used += length;
    }
    put_head(sink, 4, used);
    put_bytes(sink, body, used);
    job->events++;
}

static int64_t step_ps(void)
{
    return (int64_t)OPS_PER_STEP * (OP_PS + OP_GAP_PS);
}

static void put_op(struct sink *sink, struct job *job, int64_t index)
{
    int64_t within = index % OPS_PER_STEP;
    int64_t start = index * (OP_PS + OP_GAP_PS);
    if (within % WHILE_EVERY == 0)
        put_event(
            sink, job,
            (struct event){WHILE_KIND, start, (int64_t)WHILE_BODY * (OP_PS + OP_GAP_PS), true});
    int64_t duration = OP_PS - (index * 7919) % 100000;
    put_event(sink, job, (struct event){(uint64_t)(within % OP_KINDS) + 1, start, duration, true});
}

static void ops_line(struct sink *sink, struct job *job, int64_t argument)
{
    (void)argument;
    put_varint(sink, 1, 3);
    put_string(sink, 2, "XLA Ops");
    put_varint(sink, 3, 1000000);
    int64_t count = job->steps * OPS_PER_STEP;
    bool reversed = job->plan->unsorted && job->device == 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t block = i - i % SORT_BLOCK;
        int64_t last = block + SORT_BLOCK <= count ? block + SORT_BLOCK - 1 : count - 1;
        put_op(sink, job, reversed ? last - (i - block) : i);
    }
}

static void modules_line(struct sink *sink, struct job *job, int64_t argument)
{
    (void)argument;
    put_varint(sink, 1, 2);
    put_string(sink, 2, "XLA Modules");
    put_varint(sink, 3, 1000000);
    for (int64_t i = 0; i < job->steps; i++)
        put_event(sink, job,
                  (struct event){MODULE_KIND, i * step_ps(), step_ps() - OP_GAP_PS, true});
}

static void steps_line(struct sink *sink, struct job *job, int64_t argument)
{
    (void)argument;
    put_varint(sink, 1, 1);
    put_string(sink, 2, "Steps");
    put_varint(sink, 3, 1000000);
    for (int64_t i = 0; i < job->steps; i++)
        put_event(sink, job,
                  (struct event){(uint64_t)(STEP_KIND_FIRST + i), i * step_ps(),
                                 step_ps() - OP_GAP_PS, false});
}

static void stat_text(struct sink *sink, struct job *job, int64_t argument)
{
    (void)job;
    char text[96];
    put_varint(sink, 1, STAT_TF_OP);
    (void)snprintf(text, sizeof text, "jit(train_step)/jvp(Model)/layer_%d/op_%d/dot_general",
                   (int)(argument % 32), (int)argument);
    put_string(sink, 5, text);
}

static void stat_category(struct sink *sink, struct job *job, int64_t argument)
{
    (void)job;
    (void)argument;
    put_varint(sink, 1, STAT_CATEGORY);
    put_string(sink, 5, "loop fusion");
}

static void event_metadata(struct sink *sink, struct job *job, int64_t id)
{
    char name[160];
    put_varint(sink, 1, (uint64_t)id);
    if (id <= OP_KINDS) {
        (void)snprintf(
            name, sizeof name,
            "%%fusion.%d = bf16[8,1024,%d]{2,1,0} fusion(bf16[8,1024,512]{2,1,0} %%p.%d), "
            "kind=kLoop",
            (int)id, 64 * (1 + (int)id % 16), (int)id);
        put_string(sink, 2, name);
        (void)snprintf(name, sizeof name, "fusion.%d", (int)id);
        put_string(sink, 4, name);
        put_message(sink, 5, stat_text, job, id);
        put_message(sink, 5, stat_category, job, id);
        return;
    }
    (void)snprintf(name, sizeof name, "%lld", (long long)(id - STEP_KIND_FIRST));
    put_string(sink, 2,
               id == WHILE_KIND    ? "while.1"
               : id == MODULE_KIND ? "jit_train_step(7)"
                                   : name);
}

static void event_entry(struct sink *sink, struct job *job, int64_t id)
{
    put_varint(sink, 1, (uint64_t)id);
    put_message(sink, 2, event_metadata, job, id);
}

static void stat_metadata(struct sink *sink, struct job *job, int64_t id)
{
    (void)job;
    static const char *const names[] = {
        "",      "device_offset_ps",  "device_duration_ps", "hlo_category", "flops",
        "tf_op", "device_type_string"};
    put_varint(sink, 1, (uint64_t)id);
    put_string(sink, 2, names[id]);
}

static void stat_entry(struct sink *sink, struct job *job, int64_t id)
{
    put_varint(sink, 1, (uint64_t)id);
    put_message(sink, 2, stat_metadata, job, id);
}

static void plane_stat(struct sink *sink, struct job *job, int64_t argument)
{
    (void)job;
    (void)argument;
    put_varint(sink, 1, STAT_TYPE);
    put_string(sink, 5, "TPU v5e");
}

static void device_plane(struct sink *sink, struct job *job, int64_t device)
{
    char name[32];
    (void)snprintf(name, sizeof name, "/device:TPU:%d", (int)device);
    put_varint(sink, 1, (uint64_t)device + 1);
    put_string(sink, 2, name);
    job->device = (int)device;
    put_message(sink, 3, steps_line, job, 0);
    put_message(sink, 3, modules_line, job, 0);
    put_message(sink, 3, ops_line, job, 0);
    for (int64_t id = 1; id <= MODULE_KIND; id++)
        put_message(sink, 4, event_entry, job, id);
    for (int64_t step = 0; step < job->steps; step++)
        put_message(sink, 4, event_entry, job, STEP_KIND_FIRST + step);
    for (int64_t id = 1; id <= STAT_TYPE; id++)
        put_message(sink, 5, stat_entry, job, id);
    put_message(sink, 6, plane_stat, job, 0);
}

bool xplane_large_write(const char *path, const struct xplane_large *plan, int64_t *ret_events)
{
    FILE *stream = fopen(path, "wbe");
    if (stream == NULL)
        return false;
    struct job job = {.plan = plan};
    int64_t per_step = (int64_t)plan->devices * OPS_PER_STEP * BYTES_PER_EVENT;
    job.steps = plan->size_bytes / per_step + 1;
    struct sink sink = {.stream = stream};
    for (int device = 0; device < plan->devices; device++)
        put_message(&sink, 1, device_plane, &job, device);
    put_string(&sink, 4, "bench-host-0");
    *ret_events = job.events;
    bool good = ferror(stream) == 0;
    return fclose(stream) == 0 && good;
}
