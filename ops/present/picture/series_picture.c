/* Draws a measure over runs. */
#include "ops/present/picture/series_picture.h"

#include "ops/present/picture/axis.h"
#include "ops/present/picture/chart.h"
#include "ops/present/picture/legend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RIGHT = 14,
    EDGE = 10, /* between the plot's sides and the first and last point */
    PLOT_WIDE = 250,
    PLOT_NARROW = 210,
    LABEL_ROWS = 2,   /* of what changes are called, above the plot */
    COLUMN_PX = 3,    /* points nearer to each other than this share columns */
    DAY = 10,         /* letters of a date */
    COMMIT_SHOWN = 7, /* of a commit */
    SPARK_BYTES = 1024,
    TICK_ROOM = 116 /* from one date to the next */
};

/* Beyond the quartiles by so many times their distance, a value is drawn at the edge. */
static const double FAR_OFF = 8;

struct plot {
    const struct series_picture *what;
    struct canvas *canvas;
    struct axis axis;
    double left, right, top, bottom;
    double high; /* values above are off the axis */
    size_t off_count;
    bool is_of_verdict; /* marks are parts in one */
};

static const struct mark marks[] = {
    [SERIES_PLAIN] = {MARK_DOT, "bar", 3},
    [SERIES_PASSED] = {MARK_DOT, "good", 3.6},
    [SERIES_BASELINE] = {MARK_DOT, "bar", 3.6},
    [SERIES_WARNED] = {MARK_TRIANGLE, "warn", 4.2},
    [SERIES_FAILED] = {MARK_DIAMOND, "bad", 4.2},
    [SERIES_ASIDE] = {MARK_TRIANGLE, "warn hollow", 4.2},
    [SERIES_CANDIDATE] = {MARK_DIAMOND, "other", 5},
};
static const struct mark outlier_mark = {MARK_DOT, "bar hollow", 3.6};
static const struct mark off_mark = {MARK_UP, "soft", 4};

/* A run beside those that a verdict is about. */
static const struct mark beside_mark = {MARK_DOT, "soft", 2.4};

static double plot_x(const struct plot *plot, size_t index)
{
    size_t count = plot->what->point_count;
    double room = plot->right - plot->left - 2 * EDGE;
    double share = count < 2 ? 0.5 : (double)index / (double)(count - 1);
    return plot->left + EDGE + room * share;
}

/* Between the point and the one before. */
static double plot_x_before(const struct plot *plot, size_t index)
{
    return index == 0 ? plot->left : (plot_x(plot, index - 1) + plot_x(plot, index)) / 2;
}

static int double_order(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Above it a value is far off all others: one that would leave no room to them. */
static double fence_of(const struct series_picture *what, struct arena *arena)
{
    const struct series_point *points = what->points;
    const size_t count = what->point_count;
    double *sorted = arena_array(arena, double, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = points[i].value;
    qsort(sorted, count, sizeof *sorted, double_order);
    double low = sorted[count / 4], high = sorted[count * 3 / 4];
    return high + FAR_OFF * fmax(high - low, 0.02 * fabs(high));
}

static bool has_mark(const struct series_picture *what, enum series_mark mark)
{
    for (size_t i = 0; i < what->point_count; i++)
        if (what->points[i].mark == mark)
            return true;
    return false;
}

static struct plot plot_of(const struct series_picture *what, struct canvas *canvas)
{
    struct plot plot = {.what = what, .canvas = canvas};
    double low = INFINITY, high = -INFINITY, fence = fence_of(what, canvas->arena);
    for (size_t i = 0; i < what->point_count; i++) {
        double value = what->points[i].value;
        if (value > fence) {
            plot.off_count++;
            continue;
        }
        low = fmin(low, value);
        high = fmax(high, value);
    }
    for (size_t i = 0; i < what->level_count; i++) {
        low = fmin(low, fmin(what->levels[i].from, what->levels[i].until));
        high = fmax(high, fmax(what->levels[i].from, what->levels[i].until));
    }
    plot.axis = axis_over(what->unit, low, high, 4);
    plot.is_of_verdict = has_mark(what, SERIES_CANDIDATE);
    plot.high = plot.off_count > 0 ? fence : INFINITY;
    plot.left = 16 + axis_words_width(&plot.axis, false);
    plot.right = canvas->width - RIGHT;
    return plot;
}

/* ---- what lies behind the points ------------------------------------------------------------- */

static void changes_draw(const struct plot *plot)
{
    double free_from[LABEL_ROWS] = {0};
    for (size_t i = 0; i < plot->what->change_count; i++) {
        const struct series_change *change = &plot->what->changes[i];
        double from = plot_x(plot, change->after), until = plot_x(plot, change->until);
        double width = fmax(until - from, 5), middle = (from + until) / 2;
        char ink[40];
        (void)snprintf(ink, sizeof ink, "%s faint", tone_ink(change->tone));
        canvas_rect(plot->canvas, ink,
                    (struct area){middle - width / 2, plot->top, width, plot->bottom - plot->top},
                    change->title);
        if (!change->is_sure)
            continue;
        double words = canvas_words_width(change->words);
        double start = fmin(fmax(middle - words / 2, plot->left), plot->right - words);
        for (int row = 0; row < LABEL_ROWS; row++) {
            if (start < free_from[row])
                continue;
            (void)snprintf(ink, sizeof ink, "%s strong", tone_ink(change->tone));
            canvas_words(plot->canvas, ink,
                         (struct caption){{start, plot->top - 6 - row * 14.0}, ANCHOR_START, 0},
                         change->words);
            free_from[row] = start + words + 8;
            break;
        }
    }
}

static void breaks_draw(const struct plot *plot)
{
    for (size_t i = 0; i < plot->what->break_count; i++) {
        const struct series_break *item = &plot->what->breaks[i];
        double x = plot_x_before(plot, item->first);
        canvas_line(plot->canvas, item->is_baseline ? "good dash" : "other dash",
                    (struct spot){x, plot->top}, (struct spot){x, plot->bottom});
        canvas_rect(plot->canvas, "clear",
                    (struct area){x - 4, plot->top, 8, plot->bottom - plot->top}, item->title);
    }
}

/* Where the words of a line stand: at its right end, between two heights. */
struct band {
    double left, right, top, low;
};

/* Whether no point lies there; *crowd gets all that do as far as it is wide, high and low. */
static bool band_is_free(const struct plot *plot, struct band band, struct band *crowd)
{
    enum { BESIDE = 4 }; /* px, of a point */
    bool is_free = band.top >= plot->top && band.low <= plot->bottom;
    for (size_t i = 0; i < plot->what->point_count; i++) {
        double x = plot_x(plot, i), y = axis_px(&plot->axis, plot->what->points[i].value);
        if (x < band.left - BESIDE || x > band.right + BESIDE)
            continue;
        is_free &= y < band.top - BESIDE || y > band.low + BESIDE;
        crowd->top = fmin(crowd->top, y - BESIDE);
        crowd->low = fmax(crowd->low, y + BESIDE);
    }
    return is_free;
}

/* Right above the line or right below it, where no run lies; else above or below those that do,
 * whichever is nearer; where both are far from the line, right above it all the same. */
static double words_y(const struct plot *plot, struct spot from, struct spot until, double width)
{
    enum { HIGH = 11, GAP = 4, FAR = 60 };
    double length = until.x - from.x, left = until.x - width;
    double start = length > 0 ? until.y + (from.y - until.y) * fmin(width / length, 1) : until.y;
    struct band crowd = {left, until.x, fmin(start, until.y), fmax(start, until.y)}, line = crowd;
    const struct band above = {left, until.x, line.top - GAP - HIGH, line.top - GAP};
    const struct band below = {left, until.x, line.low + GAP, line.low + GAP + HIGH};
    if (band_is_free(plot, above, &crowd))
        return above.low;
    if (band_is_free(plot, below, &crowd))
        return below.low;
    double up = line.top - crowd.top, down = crowd.low - line.low;
    bool fits_up = crowd.top - GAP - HIGH >= plot->top && up <= FAR;
    bool fits_down = crowd.low + GAP + HIGH <= plot->bottom && down <= FAR;
    if (fits_up && (up <= down || !fits_down))
        return crowd.top - GAP;
    return fits_down ? crowd.low + GAP + HIGH : above.low;
}

/* Its value at its right end, where the level is as long as the words. */
static void level_words(const struct plot *plot, const struct series_level *level, struct spot from,
                        struct spot until)
{
    enum { ASIDE = 4 };
    const struct spot end = {until.x - ASIDE, until.y};
    double width = canvas_words_width(level->title) * CANVAS_STRONG_LETTER / CANVAS_LETTER;
    if (until.x - from.x < width + ASIDE)
        return;
    canvas_words(plot->canvas, "ink strong halo",
                 (struct caption){{end.x, words_y(plot, from, end, width)}, ANCHOR_END, 0},
                 level->title);
}

static void levels_draw(const struct plot *plot)
{
    enum { LABELLED_MAX = 8 };
    for (size_t i = 0; i < plot->what->level_count; i++) {
        const struct series_level *level = &plot->what->levels[i];
        struct spot from = {plot_x_before(plot, level->first), axis_px(&plot->axis, level->from)};
        struct spot until = {level->last + 1 < plot->what->point_count
                                 ? plot_x_before(plot, level->last + 1)
                                 : plot->right,
                             axis_px(&plot->axis, level->until)};
        char ink[40];
        (void)snprintf(ink, sizeof ink, "%s thick%s",
                       level->is_drift ? tone_ink(level->tone) : "ink",
                       level->is_drift ? " dash" : "");
        canvas_line(plot->canvas, ink, from, until);
        if (plot->what->level_count <= LABELLED_MAX)
            level_words(plot, level, from, until);
    }
}

/* ---- the points ------------------------------------------------------------------------------ */

static void point_draw(const struct plot *plot, size_t index, double radius)
{
    const struct series_point *point = &plot->what->points[index];
    bool is_beside = point->mark == SERIES_PLAIN && plot->is_of_verdict;
    struct mark mark = is_beside ? beside_mark : marks[point->mark];
    char ink[40];
    (void)snprintf(ink, sizeof ink, "%s%s", mark.ink, point->is_outlier ? " hollow" : "");
    if (point->value > plot->high)
        mark = off_mark;
    mark.ink = ink;
    mark.radius = fmin(mark.radius, radius);
    canvas_mark(plot->canvas, mark,
                (struct spot){plot_x(plot, index), axis_px(&plot->axis, point->value)},
                point->title);
}

/* Neighbours that share a column: from the least to the greatest of them, a dot at the median. */
static void column_draw(const struct plot *plot, size_t first, size_t end, double *values)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        if (plot->what->points[i].value <= plot->high)
            values[count++] = plot->what->points[i].value;
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, double_order);
    double x = (plot_x(plot, first) + plot_x(plot, end - 1)) / 2;
    double low = axis_px(&plot->axis, values[0]), high = axis_px(&plot->axis, values[count - 1]);
    struct mark mark = marks[SERIES_PLAIN];
    mark.radius = 1.5;
    canvas_line(plot->canvas, "bar half", (struct spot){x, low}, (struct spot){x, high});
    canvas_mark(plot->canvas, mark, (struct spot){x, axis_px(&plot->axis, values[count / 2])},
                plot->what->points[first].title);
}

static void points_draw(const struct plot *plot)
{
    size_t count = plot->what->point_count;
    size_t columns = (size_t)((plot->right - plot->left) / COLUMN_PX);
    double radius = count > 60 ? fmax(240.0 / (double)count, 1.6) : 6;
    bool shares = count > columns; /* of marks those that stand out are left */
    double *values = shares ? arena_array(plot->canvas->arena, double, count / columns + 2) : NULL;
    for (size_t i = 0; shares && i < columns; i++)
        column_draw(plot, i * count / columns, (i + 1) * count / columns, values);
    for (size_t i = 0; i < count; i++) {
        const struct series_point *point = &plot->what->points[i];
        bool stands_out =
            point->mark >= SERIES_WARNED || point->is_outlier || point->value > plot->high;
        if (!shares || stands_out)
            point_draw(plot, i, !stands_out ? radius : shares ? 3.2 : 4.2);
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool has_outlier(const struct series_picture *what)
{
    for (size_t i = 0; i < what->point_count; i++)
        if (what->points[i].is_outlier)
            return true;
    return false;
}

static bool has_change(const struct series_picture *what, bool is_sure, enum tone tone)
{
    for (size_t i = 0; i < what->change_count; i++)
        if (what->changes[i].is_sure == is_sure && (!is_sure || what->changes[i].tone == tone))
            return true;
    return false;
}

static bool has_break(const struct series_picture *what, bool is_baseline)
{
    for (size_t i = 0; i < what->break_count; i++)
        if (what->breaks[i].is_baseline == is_baseline)
            return true;
    return false;
}

static bool has_level(const struct series_picture *what, bool is_drift)
{
    for (size_t i = 0; i < what->level_count; i++)
        if (what->levels[i].is_drift == is_drift)
            return true;
    return false;
}

static double legend_add(const struct plot *plot, double y)
{
    const struct series_picture *what = plot->what;
    bool many = what->point_count > (size_t)((plot->right - plot->left) / COLUMN_PX);
    const struct legend_item items[] = {
        {SWATCH_MARK, marks[SERIES_CANDIDATE], "candidate", !has_mark(what, SERIES_CANDIDATE)},
        {SWATCH_MARK, marks[SERIES_BASELINE], "baseline", many || !has_mark(what, SERIES_BASELINE)},
        {SWATCH_MARK, marks[SERIES_ASIDE], "set aside", !has_mark(what, SERIES_ASIDE)},
        {SWATCH_MARK, plot->is_of_verdict && !many ? beside_mark : marks[SERIES_PLAIN],
         many                  ? "runs: least, median, greatest"
         : plot->is_of_verdict ? "other run"
                               : "run",
         !many && !has_mark(what, SERIES_PLAIN)},
        {SWATCH_MARK, marks[SERIES_PASSED], "pass", many || !has_mark(what, SERIES_PASSED)},
        {SWATCH_MARK, marks[SERIES_WARNED], "warn or undecided", !has_mark(what, SERIES_WARNED)},
        {SWATCH_MARK, marks[SERIES_FAILED], "fail", !has_mark(what, SERIES_FAILED)},
        {SWATCH_MARK, outlier_mark, "far from its neighbours: set aside", !has_outlier(what)},
        {SWATCH_MARK, off_mark, "off the axis", plot->off_count == 0},
        {SWATCH_LINE,
         {.ink = "ink thick"},
         plot->is_of_verdict ? "median of a side" : "level",
         !has_level(what, false)},
        {SWATCH_LINE, {.ink = "ink thick dash"}, "slow drift", !has_level(what, true)},
        {SWATCH_AREA, {.ink = "bad faint"}, "loss came in here", !has_change(what, true, TONE_BAD)},
        {SWATCH_AREA,
         {.ink = "good faint"},
         "gain came in here",
         !has_change(what, true, TONE_GOOD)},
        {SWATCH_AREA,
         {.ink = "soft faint"},
         "suspected change",
         !has_change(what, false, TONE_PLAIN)},
        {SWATCH_LINE, {.ink = "other dash"}, "not comparable across", !has_break(what, false)},
        {SWATCH_LINE, {.ink = "good dash"}, "new baseline", !has_break(what, true)},
    };
    return legend_draw(items, sizeof items / sizeof items[0], (struct spot){8, y}, plot->canvas);
}

static void day_draw(const struct plot *plot, size_t index, double middle)
{
    const struct series_point *point = &plot->what->points[index];
    double x = plot_x(plot, index);
    char day[DAY + 1], commit[COMMIT_SHOWN + 1];
    (void)snprintf(day, sizeof day, "%s", point->day);
    (void)snprintf(commit, sizeof commit, "%s", point->commit != NULL ? point->commit : "");
    canvas_line(plot->canvas, "line", (struct spot){x, plot->bottom},
                (struct spot){x, plot->bottom + 4});
    canvas_words(plot->canvas, "soft",
                 (struct caption){{middle, plot->bottom + 18}, ANCHOR_MIDDLE, 0}, day);
    if (commit[0] != '\0')
        canvas_words(plot->canvas, "soft",
                     (struct caption){{middle, plot->bottom + 33}, ANCHOR_MIDDLE, 0}, commit);
}

/* The day of the first run, of the last one, and of as many between as there is room for; below it
 * the commit. */
static void days_draw(const struct plot *plot)
{
    const size_t count = plot->what->point_count;
    const double half = DAY * CANVAS_LETTER / 2.0 + 2, apart = 2 * half + 8;
    double end = plot->right + RIGHT - half, before = -INFINITY;
    size_t ticks = (size_t)((plot->right - plot->left) / TICK_ROOM) + 1;
    ticks = ticks < count ? ticks : count;
    for (size_t i = 0; i < ticks; i++) {
        size_t index = ticks < 2 ? 0 : i * (count - 1) / (ticks - 1);
        double middle = fmin(fmax(plot_x(plot, index), plot->left + half), end);
        bool is_last = i + 1 == ticks;
        if (middle - before < apart || (i > 0 && !is_last && end - middle < apart))
            continue;
        day_draw(plot, index, middle);
        before = middle;
    }
}

const char *series_sparkline(const struct series_picture *series, size_t columns,
                             struct arena *arena)
{
    struct bar *bars = arena_array(arena, struct bar, series->point_count);
    double fence = fence_of(series, arena);
    scoped_text line;
    text_init(&line, SPARK_BYTES);
    for (size_t i = 0; i < series->point_count; i++) {
        double value = series->points[i].value;
        bool is_dim = value > fence || series->points[i].is_outlier;
        bars[i] = (struct bar){"", value, is_dim ? TONE_DIM : TONE_PLAIN};
    }
    const struct chart chart = {.bars = bars, .bar_count = series->point_count};
    chart_sparkline_bars(&chart, columns, &line);
    return text_keep_start(&line, arena);
}

void series_picture_draw(const void *what, struct canvas *canvas)
{
    const struct series_picture *series = what;
    struct plot plot = plot_of(series, canvas);
    plot.top = legend_add(&plot, 26 + canvas_title(canvas, series->title)) + LABEL_ROWS * 14 + 4;
    plot.bottom = plot.top + (canvas->width < CANVAS_WIDE ? PLOT_NARROW : PLOT_WIDE);
    plot.axis.start = plot.bottom;
    plot.axis.end = plot.top;
    axis_draw_standing(&plot.axis, plot.left, plot.right - plot.left, canvas);
    changes_draw(&plot);
    points_draw(&plot);
    breaks_draw(&plot);
    levels_draw(&plot);
    days_draw(&plot);
    canvas->height = plot.bottom + 42;
}
