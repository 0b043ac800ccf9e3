/* How the text of a trace ended: what is refused for it, and what is said. */
#include "ingest/trace/trace_reading.h"

#include "ops/runtime/file.h"

#include <inttypes.h>

/* Whether the document has no end. */
static bool is_amiss(const struct trace_reading *reading)
{
    return reading->is_cut || reading->is_broken;
}

/* What is odd about the end of a document that is whole, and what to do: sentences without subject.
 */
static void oddities_list(const struct trace_reading *reading, struct notes *said)
{
    if (reading->packed_end == TEXT_CHANGED)
        note_add(said, "is not what its gzip checksum is of, so bytes were changed on their way: "
                       "copy the file again");
    if (!is_amiss(reading) && reading->packed_end == TEXT_CUT)
        note_add(said,
                 "is whole, but the compressed data ends early, before its last gzip checksum: "
                 "copy the file again");
    if (!is_amiss(reading) && reading->packed_end == TEXT_BROKEN)
        note_add(said, "is followed by compressed data that is broken and was not read: copy the "
                       "file again");
    if (reading->packed_end != TEXT_BROKEN && reading->packed_behind > 0)
        NOTE(said,
             "is followed by %" PRId64 " bytes that are no gzip and were not read: copy the file "
             "again",
             reading->packed_behind);
    if (reading->behind_at > 0 && reading->is_followed_by_json)
        NOTE(said,
             "is followed by another JSON document, which begins at byte %" PRId64
             " of the text and was not read: give each trace a file of its own",
             reading->behind_at);
    else if (reading->behind_at > 0)
        NOTE(said,
             "is followed by %" PRId64
             " bytes of text that are no JSON document, from byte %" PRId64
             " on, which were not read: copy the file again",
             reading->text_bytes - reading->behind_at, reading->behind_at);
}

bool trace_end_judge(const struct trace_reading *reading, const struct ingest_options *options,
                     struct err *err)
{
    const char *path = reading->space->input.path;
    const bool torn = reading->broken_count > 0, amiss = is_amiss(reading) || torn;
    const long long whole = (long long)(torn ? reading->broken_at : reading->whole_text);
    const char *what = reading->is_broken || torn           ? "makes no sense"
                       : reading->packed_end == TEXT_BROKEN ? "cannot be decompressed"
                                                            : "is cut off";
    struct notes said = {.arena = reading->arena};
    if (!reading->has_events && !is_amiss(reading))
        return err_set(err, ERR_INPUT,
                       reading->has_odd_events
                           ? "'%s' is JSON whose member traceEvents is no array of events; give a "
                             "trace in Chrome's format"
                           : "'%s' is JSON without the member traceEvents; give a trace in "
                             "Chrome's format",
                       path);
    if (amiss && reading->complete_count == 0)
        return err_set(err, ERR_INPUT,
                       "'%s' %s at byte %lld of its text, before its first event; copy the file "
                       "again",
                       path, what, (long long)reading->stopped_at);
    if (amiss && options->strict_input)
        return err_set(err, ERR_INPUT,
                       "'%s' %s behind byte %lld of its text; copy the file again, or read what is "
                       "whole without --strict-input",
                       path, what, whole);
    if (amiss && reading->rows != NULL)
        return err_set(err, ERR_INPUT,
                       "'%s' %s behind byte %lld of its text, and a table of it would lack what "
                       "follows; copy the file again",
                       path, what, whole);
    oddities_list(reading, &said);
    if (said.count > 0 && options->strict_input)
        return err_set(err, ERR_INPUT, "'%s' %s, or read it without --strict-input", path,
                       said.items[0]);
    if (reading->packed_end == TEXT_CHANGED && reading->rows != NULL)
        return err_set(err, ERR_INPUT, "'%s' %s", path, said.items[0]);
    for (size_t i = 0; i < said.count && reading->rows != NULL && options->warn != NULL; i++)
        options->warn(path, said.items[i]); /* a table has no coverage that says it */
    return true;
}

void trace_end_note(const struct trace_reading *reading, struct notes *said)
{
    struct notes odd = {.arena = reading->arena};
    if (reading->is_broken)
        NOTE(said, "The text makes no sense from byte %" PRId64 " on: what follows was not read.",
             reading->whole_text);
    if (reading->is_cut && reading->packed_end == TEXT_BROKEN)
        NOTE(said,
             "The compressed data is broken behind byte %" PRId64 " of the text: what follows was "
             "not read.",
             reading->whole_text);
    oddities_list(reading, &odd);
    for (size_t i = 0; i < odd.count; i++)
        NOTE(said, "The trace %s.", odd.items[i]);
}

void trace_end_fill(const struct trace_reading *reading, struct xspace *space)
{
    const bool amiss = is_amiss(reading), packed = reading->is_packed;
    const char *name = path_base(space->input.path);
    const int64_t lost =
        reading->lost_bytes + (amiss ? reading->text_bytes - reading->whole_text : 0);
    space->behind_bytes = reading->packed_behind +
                          (reading->behind_at > 0 ? reading->text_bytes - reading->behind_at : 0);
    space->is_unproven =
        reading->packed_end == TEXT_CHANGED || (!amiss && reading->packed_end == TEXT_CUT);
    if (!amiss && reading->broken_count == 0)
        return;
    space->unread_bytes = packed || lost == 0 ? 1 : lost;
    space->unread_note =
        lost == 0 ? arena_printf(reading->arena, "'%s' ends early behind what is whole.", name)
                  : arena_printf(
                        reading->arena,
                        "'%s' %s: %lld bytes of its %stext hold nothing whole and were not read.",
                        name, amiss ? "ends early" : "is broken", (long long)lost,
                        packed ? "decompressed " : "");
}
