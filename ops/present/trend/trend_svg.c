/* Draws a trend as one SVG: a line per level, dots by verdict, the axis from what there is.
 *
 * The axis starts at zero unless all values lie near each other, where a change would not be seen;
 * its labels say where it starts. Colours are those that colour-blind readers tell apart, and each
 * dot says its run, value and verdict on hovering. */
#include "ops/present/page/page.h"
#include "ops/present/trend/course_words.h"
#include "ops/present/trend/trend_page.h"
#include "ops/runtime/text_harmless.h"

#include <math.h>

enum { WIDTH = 960, HEIGHT = 320, LEFT = 90, RIGHT = 16, TOP = 40, BOTTOM = 40 };

static const double NARROW_RANGE = 0.2;

/* By tone. */
static const char *const colours[TONE_COUNT] = {
    [TONE_PLAIN] = "#56707f", [TONE_STRONG] = "#56707f", [TONE_DIM] = "#56707f",
    [TONE_GOOD] = "#1b7f5a",  [TONE_WARN] = "#d98e04",   [TONE_BAD] = "#c0392b",
};

struct drawing {
    const struct trend *trend;
    struct text *out;
    double low, high; /* of the axis */
};

static double x_of(const struct drawing *drawing, size_t index)
{
    size_t count = drawing->trend->point_count;
    double room = WIDTH - LEFT - RIGHT;
    return count < 2 ? LEFT + room / 2 : LEFT + room * (double)index / (double)(count - 1);
}

static double y_of(const struct drawing *drawing, double value)
{
    double span = drawing->high - drawing->low;
    double share = span > 0 ? (value - drawing->low) / span : 0.5;
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
}

static struct drawing drawing_of(const struct trend *trend, struct text *out)
{
    double low = trend->points[0].value, high = low;
    for (size_t i = 1; i < trend->point_count; i++) {
        low = fmin(low, trend->points[i].value);
        high = fmax(high, trend->points[i].value);
    }
    double span = high - low, edge = span * 0.1;
    bool narrow = low > 0 && span < NARROW_RANGE * high;
    double room = edge > 0 ? edge : fabs(high) * 0.05;
    return (struct drawing){trend, out, narrow ? low - room : fmin(low, 0), high + room};
}

static void axis_add(const struct drawing *drawing)
{
    enum { TICKS = 5 };
    for (int i = 0; i < TICKS; i++) {
        char label[FORMAT_BYTES];
        double value = drawing->low + (drawing->high - drawing->low) * i / (TICKS - 1);
        double y = y_of(drawing, value);
        text_addf(drawing->out,
                  "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" "
                  "style=\"stroke:#d5dde2;stroke-dasharray:none\"/>\n"
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                  LEFT, y, WIDTH - RIGHT, y, LEFT - 8, y + 4);
        harmless_add(drawing->out, HARMLESS_MARKUP, trend_value(drawing->trend, value, label));
        text_add(drawing->out, "</text>\n");
    }
}

static void level_add(const struct drawing *drawing, size_t first, size_t end)
{
    text_add(drawing->out, "<polyline fill=\"none\" stroke=\"#56707f\" points=\"");
    for (size_t i = first; i < end; i++)
        text_addf(drawing->out, "%s%.1f,%.1f", i == first ? "" : " ", x_of(drawing, i),
                  y_of(drawing, drawing->trend->points[i].value));
    text_add(drawing->out, "\"/>\n");
}

static void levels_add(const struct drawing *drawing)
{
    const struct trend *trend = drawing->trend;
    size_t first = 0;
    for (size_t i = 1; i <= trend->point_count; i++) {
        const char *start = i < trend->point_count ? trend_level_start(trend, i) : NULL;
        if (i < trend->point_count && start == NULL)
            continue;
        level_add(drawing, first, i);
        if (start != NULL) {
            double x = (x_of(drawing, i - 1) + x_of(drawing, i)) / 2;
            text_addf(drawing->out,
                      "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
                      "style=\"stroke:#8a5fb0;stroke-dasharray:4 3\"><title>",
                      x, TOP, x, HEIGHT - BOTTOM);
            harmless_add(drawing->out, HARMLESS_MARKUP, start);
            text_add(drawing->out, "</title></line>\n");
        }
        first = i;
    }
}

static void dots_add(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->trend->point_count; i++) {
        const struct trend_point *point = &drawing->trend->points[i];
        char value[FORMAT_BYTES];
        text_addf(drawing->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>",
                  x_of(drawing, i), y_of(drawing, point->value), colours[trend_tone(point)]);
        harmless_add(drawing->out, HARMLESS_MARKUP, point->run);
        text_add(drawing->out, ": ");
        harmless_add(drawing->out, HARMLESS_MARKUP,
                     trend_value(drawing->trend, point->value, value));
        if (point->verdict != NULL)
            text_addf(drawing->out, ", %s%s", point->verdict, point->accepted ? ", accepted" : "");
        text_add(drawing->out, "</title></circle>\n");
    }
}

static int64_t number_of(const char *profile)
{
    int64_t number = 0;
    (void)text_parse_i64(profile + 1, &number);
    return number;
}

/* The place of a run among those that are drawn; the first or the last for one beyond them. */
static size_t place_of(const struct trend *trend, const char *profile)
{
    size_t place = 0;
    while (place + 1 < trend->point_count &&
           number_of(trend->points[place].profile_id) < number_of(profile))
        place++;
    return place;
}

/* A band where a change lies, with its sentence on hovering. */
static void change_add(const struct drawing *drawing, const struct course *course,
                       const struct course_change *change, struct text *words)
{
    double from = x_of(drawing, place_of(drawing->trend, change->after_profile));
    double until = x_of(drawing, place_of(drawing->trend, change->until_profile));
    course_change_words(course, change, words);
    text_addf(drawing->out,
              "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
              "style=\"fill:%s;fill-opacity:.25\"><title>",
              from, TOP, fmax(until - from, 3), HEIGHT - BOTTOM - TOP,
              colours[course_tone(change->loss)]);
    harmless_add(drawing->out, HARMLESS_MARKUP, text_string(words));
    text_add(drawing->out, "</title></rect>\n");
}

/* A straight line where a drift lies. */
static void drift_add(const struct drawing *drawing, const struct course *course,
                      const struct course_drift *drift, struct text *words)
{
    course_drift_words(course, drift, words);
    text_addf(drawing->out,
              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
              "style=\"stroke:%s;stroke-width:2;stroke-dasharray:8 4\"><title>",
              x_of(drawing, place_of(drawing->trend, drift->from_profile)),
              y_of(drawing, drift->before),
              x_of(drawing, place_of(drawing->trend, drift->until_profile)),
              y_of(drawing, drift->after), colours[course_tone(drift->loss)]);
    harmless_add(drawing->out, HARMLESS_MARKUP, text_string(words));
    text_add(drawing->out, "</title></line>\n");
}

/* What moved among the runs that are drawn. */
static void moves_add(const struct drawing *drawing)
{
    const struct trend *trend = drawing->trend;
    int64_t first = number_of(trend->points[0].profile_id);
    scoped_text words;
    text_init(&words, COURSE_SENTENCE_BYTES);
    for (size_t i = 0; i < trend->course_count; i++) {
        const struct course *course = &trend->courses[i];
        for (size_t k = 0; k < course->change_count; k++)
            if (course_change_counts(&course->changes[k]) &&
                number_of(course->changes[k].until_profile) > first)
                change_add(drawing, course, &course->changes[k], &words);
        for (size_t k = 0; k < course->drift_count; k++)
            if (course->drifts[k].matters && number_of(course->drifts[k].from_profile) >= first)
                drift_add(drawing, course, &course->drifts[k], &words);
    }
    text_fail_as(drawing->out, &words);
}

static void words_add(const struct drawing *drawing)
{
    const struct trend *trend = drawing->trend;
    text_addf(drawing->out, "<text x=\"%d\" y=\"22\" font-weight=\"bold\">", LEFT);
    harmless_add(drawing->out, HARMLESS_MARKUP, trend->measure);
    text_add(drawing->out, ", ");
    harmless_add(drawing->out, HARMLESS_MARKUP, trend->project);
    text_addc(drawing->out, '/');
    harmless_add(drawing->out, HARMLESS_MARKUP, trend->workload);
    if (trend->branch != NULL) {
        text_add(drawing->out, ", ");
        harmless_add(drawing->out, HARMLESS_MARKUP, trend->branch);
    }
    text_addf(drawing->out, "</text>\n<text x=\"%d\" y=\"%d\">%.10s</text>\n", LEFT, HEIGHT - 14,
              trend->points[0].recorded_at_utc);
    text_addf(drawing->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.10s</text>\n",
              WIDTH - RIGHT, HEIGHT - 14, trend->points[trend->point_count - 1].recorded_at_utc);
}

bool trend_svg(const struct trend *trend, struct text *out, struct err *err)
{
    if (trend->point_count == 0)
        return err_set(err, ERR_USAGE, "option --format: no svg shows a trend by %s; html does",
                       trend->grouped_by != NULL ? trend->grouped_by : "nothing");
    struct drawing drawing = drawing_of(trend, out);
    text_addf(out,
              "<svg class=\"trend\" xmlns=\"http://www.w3.org/2000/svg\" "
              "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
              "font-family=\"sans-serif\" font-size=\"12\" "
              "fill=\"#22313a\">\n<rect width=\"%d\" height=\"%d\" "
              "style=\"fill:#ffffff\"/>\n",
              WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    axis_add(&drawing);
    moves_add(&drawing);
    levels_add(&drawing);
    dots_add(&drawing);
    words_add(&drawing);
    text_add(out, "</svg>");
    return text_ok(out, "the trend", err);
}
