/* Draws a waterfall: lying bars over an axis of what the step gained. */
#include "ops/present/picture/waterfall.h"

#include "ops/present/picture/axis.h"

#include <math.h>

enum { ROW = 22, TALL_ROW = 36, BAR = 14, NAMES_MAX = 330, NUMBER = 84, TOP = 32, DIGITS = 4 };

struct fall {
    struct canvas *canvas;
    struct axis axis;
    struct duration_scale scale; /* of all numbers */
    double names;                /* px of names before the bars; 0: they stand above them */
    double row;                  /* from a row to the next */
};

/* From the least to the greatest sum on the way, with 0. */
static struct fall fall_of(const struct waterfall *waterfall, struct canvas *canvas)
{
    struct fall fall = {.canvas = canvas};
    double sum = 0, low = 0, high = 0, largest = 0;
    double names = canvas_words_width(waterfall->sum_name);
    for (size_t i = 0; i < waterfall->row_count; i++) {
        sum += waterfall->rows[i].delta_us;
        low = fmin(low, sum);
        high = fmax(high, sum);
        largest = fmax(largest, fabs(waterfall->rows[i].delta_us));
        names = fmax(names, canvas_words_width(waterfall->rows[i].name));
    }
    bool narrow = canvas->width < CANVAS_WIDE;
    fall.scale = duration_scale_for(fmax(largest, fabs(sum)), DIGITS);
    fall.names = narrow ? 0 : fmin(names + 16, NAMES_MAX);
    fall.row = narrow ? TALL_ROW : ROW;
    fall.axis = axis_between("us", low, high, narrow ? 3 : 5);
    fall.axis.start = narrow ? 28 : fall.names + 8;
    fall.axis.end = canvas->width - NUMBER - (narrow ? 20 : 0);
    return fall;
}

static void row_draw(const struct fall *fall, double from, double y, const char *ink,
                     const struct waterfall_row *row)
{
    char number[FORMAT_BYTES];
    double start = axis_px(&fall->axis, from), end = axis_px(&fall->axis, from + row->delta_us);
    double left = fmin(start, end), width = fmax(fabs(end - start), 1);
    double bar = y + fall->row - (ROW + BAR) / 2.0;
    const struct caption before = {{fall->names, bar + 11}, ANCHOR_END, fall->names - 8};
    const struct caption above = {{8, y + 13}, ANCHOR_START, fall->canvas->width - 16};
    canvas_words(fall->canvas, fall->names > 0 ? "ink" : "ink halo",
                 fall->names > 0 ? before : above, row->name);
    canvas_rect(fall->canvas, ink, (struct area){left, bar, width, BAR}, row->title);
    canvas_words(fall->canvas, "ink",
                 (struct caption){{fall->canvas->width - 6, bar + 11}, ANCHOR_END, 0},
                 format_in_scale(fall->scale, row->delta_us, true, number));
}

void waterfall_draw(const void *what, struct canvas *canvas)
{
    const struct waterfall *waterfall = what;
    struct fall fall = fall_of(waterfall, canvas);
    double top = TOP + canvas_title(canvas, waterfall->title);
    double sum = 0, y = top, half = (ROW - BAR) / 2.0;
    double bottom = top + fall.row * (double)(waterfall->row_count + 1) + 6;
    axis_draw_lying(&fall.axis, top, bottom, true, canvas);
    double zero = axis_px(&fall.axis, 0);
    canvas_line(canvas, "ink", (struct spot){zero, top}, (struct spot){zero, bottom});
    for (size_t i = 0; i < waterfall->row_count; i++) {
        const struct waterfall_row *row = &waterfall->rows[i];
        row_draw(&fall, sum, y, tone_ink(row->tone), row);
        sum += row->delta_us;
        y += fall.row;
        double x = axis_px(&fall.axis, sum);
        canvas_line(canvas, "soft", (struct spot){x, y - half - BAR},
                    (struct spot){x, y + fall.row - half});
    }
    const struct waterfall_row total = {waterfall->sum_name, sum, TONE_STRONG, waterfall->sum_name};
    row_draw(&fall, 0, y + 4, "ink", &total);
    canvas->height = bottom + 26;
}
