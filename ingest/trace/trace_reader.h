/* The text of a trace on its way through the window, and what is done with what cannot be read.
 */
#ifndef INGEST_TRACE_TRACE_READER_H
#define INGEST_TRACE_TRACE_READER_H

#include "ingest/trace/trace_reading.h"

/* Larger items are stepped over; no event that a profiler writes comes near to it. */
enum { ITEM_MAX_BYTES = 4 * 1024 * 1024, KEY_MAX_BYTES = ITEM_MAX_BYTES + 4096 };

struct reader {
    struct trace_reading *reading;
    struct text_window window;
    struct progress *progress;
    int64_t told_bytes;
    int64_t resumed_at; /* where reader_resume found an event, in the text */
};

/* What a scan came to. */
enum outcome {
    GOT,
    STOPPED, /* the text is over */
    BROKEN,  /* it makes no sense here */
    TOO_LONG /* it does not fit into memory */
};

/* Frees the window. */
void reader_done(struct reader *reader);

/* Reads on; *ret_outcome is GOT when there is more to look at. */
bool reader_more(struct reader *reader, enum outcome *ret_outcome, struct err *err);

typedef bool scan_fn(struct json_scan *scan, void *result);

/* Scans at the window's place, as often as it takes until the bytes are there. */
bool reader_scan(struct reader *reader, scan_fn *scan_one, void *result, enum outcome *ret_outcome,
                 struct err *err);

/* Steps over an object, array or text that is larger than the window. */
bool reader_skip(struct reader *reader, enum outcome *ret_outcome, struct err *err);

/* Goes on behind an item that cannot be read with the next object that is an event: *event, which
 * else is no object. Of an item that is only too large, which then is_long, the end is found
 * instead; it may also be one that lacks a bracket. STOPPED: nothing follows. */
bool reader_resume(struct reader *reader, bool is_long, struct trace_event *event,
                   enum outcome *ret_outcome, struct err *err);

#define scoped_reader __attribute__((cleanup(reader_done))) struct reader

#endif
