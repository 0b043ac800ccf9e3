/* Draws the pictures that are sent along with a report. */
#include "ops/present/trend_report/trend_report.h"

#include "ops/present/trend/trend.h"
#include "ops/present/trend_report/report_drawings.h"

#include <ctype.h>
#include <string.h>

enum { NAME_LETTERS = 40 };

struct sending {
    const struct trend_report *report;
    struct arena *arena;
    struct report_picture *items;
    size_t count, limit;
};

/* "3-pretrain-8b-course.png": nothing that a header, a path or a shell would take for its own. */
static const char *file_name(const struct sending *sending, const char *workload, const char *kind)
{
    char letters[NAME_LETTERS + 1];
    size_t length = 0;
    for (const char *p = workload; *p != '\0' && length < NAME_LETTERS; p++) {
        bool kept =
            (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z');
        if (kept || (length > 0 && letters[length - 1] != '-'))
            letters[length++] = kept ? (char)tolower((unsigned char)*p) : '-';
    }
    while (length > 0 && letters[length - 1] == '-')
        length--;
    letters[length] = '\0';
    return arena_printf(sending->arena, "%zu-%s%s%s.png", sending->count + 1, letters,
                        length > 0 ? "-" : "", kind);
}

static bool picture_add(struct sending *sending, const struct drawing *drawing,
                        const char *workload, const char *kind, struct err *err)
{
    scoped_text svg, png;
    text_init(&svg, CANVAS_MAX_BYTES);
    text_init(&png, CANVAS_MAX_BYTES);
    picture_svg(drawing, CANVAS_WIDE, true, sending->arena, &svg);
    if (!picture_png(&svg, &png, err))
        return false;
    unsigned char *bytes = arena_alloc(sending->arena, png.length);
    const char *name = file_name(sending, workload, kind);
    memcpy(bytes, png.data, png.length);
    sending->items[sending->count++] =
        (struct report_picture){name, drawing->title, bytes, png.length};
    return true;
}

static bool course_add(struct sending *sending, const struct opt_i64 *course, const char *workload,
                       struct err *err)
{
    struct drawing drawing;
    return sending->count == sending->limit || !report_course_is_new(sending->report, course) ||
           !report_course_drawing(sending->report, *course, sending->arena, &drawing) ||
           picture_add(sending, &drawing, workload, "course", err);
}

static bool changes_add(struct sending *sending, const struct report_change *changes, size_t count,
                        struct err *err)
{
    struct drawing drawing;
    for (size_t i = 0; i < count && sending->count < sending->limit; i++) {
        if (!course_add(sending, &changes[i].course, changes[i].workload, err))
            return false;
        if (sending->count < sending->limit &&
            change_parts_drawing(&changes[i], sending->arena, &drawing) &&
            !picture_add(sending, &drawing, changes[i].workload, "parts", err))
            return false;
    }
    return true;
}

bool trend_report_pictures(const struct trend_report *report, size_t limit, struct arena *arena,
                           struct report_picture **ret_pictures, size_t *ret_count, struct err *err)
{
    struct sending sending = {.report = report,
                              .arena = arena,
                              .items = arena_array(arena, struct report_picture, limit),
                              .limit = limit};
    if (!changes_add(&sending, report->losses, report->loss_count, err) ||
        !changes_add(&sending, report->improvements, report->improvement_count, err) ||
        !changes_add(&sending, report->recoveries, report->recovery_count, err))
        return false;
    for (size_t i = 0; i < report->drift_count; i++)
        if (!course_add(&sending, &report->drifts[i].course, report->drifts[i].workload, err))
            return false;
    *ret_pictures = sending.items;
    *ret_count = sending.count;
    return arena_ok(arena, "the pictures of a report", err);
}
