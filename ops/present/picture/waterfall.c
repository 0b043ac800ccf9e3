/* Draws a waterfall: lying bars over an axis of what the step gained. */
#include "ops/present/picture/waterfall.h"

#include "ops/present/picture/axis.h"

#include <math.h>

enum { ROW = 22, BAR = 14, NAMES_WIDE = 330, NAMES_NARROW = 118, TOP = 32, DIGITS = 4 };

struct fall {
    struct canvas *canvas;
    struct axis axis;
    struct duration_scale scale; /* of all numbers */
    double names;                /* px of names */
};

/* From the least to the greatest sum on the way, with 0. */
static struct fall fall_of(const struct waterfall *waterfall, struct canvas *canvas)
{
    struct fall fall = {.canvas = canvas};
    double sum = 0, low = 0, high = 0, largest = 0;
    for (size_t i = 0; i < waterfall->row_count; i++) {
        sum += waterfall->rows[i].delta_us;
        low = fmin(low, sum);
        high = fmax(high, sum);
        largest = fmax(largest, fabs(waterfall->rows[i].delta_us));
    }
    bool narrow = canvas->width < CANVAS_WIDE;
    fall.scale = duration_scale_for(fmax(largest, fabs(sum)), DIGITS);
    fall.names = narrow ? NAMES_NARROW : NAMES_WIDE;
    fall.axis = axis_between("us", low, high, narrow ? 3 : 5);
    fall.axis.start = fall.names + 8;
    fall.axis.end = canvas->width - 12 * CANVAS_LETTER;
    return fall;
}

static void row_draw(const struct fall *fall, double from, double y, const char *ink,
                     const struct waterfall_row *row)
{
    char number[FORMAT_BYTES];
    double start = axis_px(&fall->axis, from), end = axis_px(&fall->axis, from + row->delta_us);
    double left = fmin(start, end), width = fmax(fabs(end - start), 1);
    canvas_words(fall->canvas, "ink",
                 (struct caption){{fall->names, y + 15}, ANCHOR_END, fall->names - 8}, row->name);
    canvas_rect(fall->canvas, ink, (struct area){left, y + (ROW - BAR) / 2.0, width, BAR},
                row->title);
    canvas_words(fall->canvas, "ink",
                 (struct caption){{fall->canvas->width - 6, y + 15}, ANCHOR_END, 0},
                 format_in_scale(fall->scale, row->delta_us, true, number));
}

void waterfall_draw(const void *what, struct canvas *canvas)
{
    const struct waterfall *waterfall = what;
    struct fall fall = fall_of(waterfall, canvas);
    double sum = 0, y = TOP, bottom = TOP + ROW * (double)(waterfall->row_count + 1) + 6;
    canvas_words(canvas, "ink strong", (struct caption){{8, 18}, ANCHOR_START, canvas->width - 16},
                 waterfall->title);
    axis_draw_lying(&fall.axis, TOP, bottom, true, canvas);
    double zero = axis_px(&fall.axis, 0);
    for (size_t i = 0; i < waterfall->row_count; i++) {
        const struct waterfall_row *row = &waterfall->rows[i];
        row_draw(&fall, sum, y, tone_ink(row->tone), row);
        sum += row->delta_us;
        y += ROW;
        double x = axis_px(&fall.axis, sum);
        canvas_line(canvas, "soft", (struct spot){x, y - ROW + (ROW - BAR) / 2.0},
                    (struct spot){x, y + (ROW + BAR) / 2.0});
    }
    canvas_line(canvas, "ink", (struct spot){zero, TOP}, (struct spot){zero, bottom});
    const struct waterfall_row total = {waterfall->sum_name, sum, TONE_STRONG, waterfall->sum_name};
    row_draw(&fall, 0, y + 4, "ink", &total);
    canvas->height = bottom + 26;
}
