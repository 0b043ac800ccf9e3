/* The members beside the events: PyTorch (Kineto) tells there of devices, ranks and clocks. */
#include "ingest/trace/trace_reading.h"

#include <string.h>

enum { DEVICES_MOST = 1024 };

static void text_take(struct trace_reading *reading, const struct token *value,
                      const char **ret_text)
{
    if (value->kind == TOKEN_STRING)
        *ret_text = token_text(value, reading->arena);
    else if (value->kind == TOKEN_NUMBER)
        *ret_text = arena_strndup(reading->arena, value->start, value->length);
}

static void number_take(const struct token *value, struct opt_i64 *ret_number)
{
    int64_t number;
    if (token_integer(value, &number))
        *ret_number = some_i64(number);
}

/* The value of a member of an object that lies whole in memory; false when it has none. */
static bool member_find(const struct token *object, const char *name, struct token *ret_value)
{
    struct json_scan scan = {object->start + 1, object->start + object->length, false};
    struct token key;
    bool any;
    if (object->kind != TOKEN_COMPOUND || object->start[0] != '{')
        return false;
    while (scan_name(&scan, &key, &any) && any && scan_value(&scan, ret_value)) {
        if (token_is(&key, name))
            return true;
        if (!scan_comma(&scan))
            break;
    }
    return false;
}

/* Names of devices by their ids. */
static void devices_take(struct trace_reading *reading, const struct token *list)
{
    struct trace_root *root = &reading->root;
    struct json_scan scan = {list->start + 1, list->start + list->length, false};
    struct token device, value;
    if (list->kind != TOKEN_COMPOUND || list->start[0] != '[')
        return;
    root->devices = arena_array(reading->arena, const char *, DEVICES_MOST);
    root->device_count = DEVICES_MOST;
    while (scan_blanks(&scan) && *scan.p != ']' && scan_value(&scan, &device)) {
        int64_t id;
        if (member_find(&device, "id", &value) && token_integer(&value, &id) && id >= 0 &&
            id < DEVICES_MOST && member_find(&device, "name", &value))
            text_take(reading, &value, &root->devices[id]);
        if (!scan_comma(&scan))
            break;
    }
}

void trace_root_take(struct trace_reading *reading, const struct token *name,
                     const struct token *value)
{
    struct trace_root *root = &reading->root;
    const struct {
        const char *name, **text;
    } texts[] = {{"displayTimeUnit", &root->time_unit},
                 {"host_name", &root->host},
                 {"cuda_runtime_version", &root->cuda_runtime},
                 {"cuda_driver_version", &root->cuda_driver}};
    struct token inner;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (token_is(name, texts[i].name))
            text_take(reading, value, texts[i].text);
    reading->is_torch =
        reading->is_torch || token_is(name, "schemaVersion") || token_is(name, "deviceProperties");
    if (token_is(name, "baseTimeNanoseconds"))
        number_take(value, &root->base_ns);
    if (token_is(name, "deviceProperties"))
        devices_take(reading, value);
    if (!token_is(name, "distributedInfo"))
        return;
    if (member_find(value, "rank", &inner))
        number_take(&inner, &root->rank);
    if (member_find(value, "world_size", &inner))
        number_take(&inner, &root->world_size);
}
