/* A measure over runs: its values, the levels that it held, where it changed and what was thought
 * of it. Knows no document: the rooms of trends and reports fill it in. */
#ifndef OPS_PRESENT_PICTURE_SERIES_PICTURE_H
#define OPS_PRESENT_PICTURE_SERIES_PICTURE_H

#include "ops/present/picture/canvas.h"

/* What stands out of the others is marked: by its verdict, or by its part in one. Those from
 * SERIES_WARNED on are drawn even where runs share a column. */
enum series_mark {
    SERIES_PLAIN,
    SERIES_PASSED,
    SERIES_BASELINE,
    SERIES_WARNED,
    SERIES_FAILED,
    SERIES_ASIDE,
    SERIES_CANDIDATE
};

struct series_point {
    double value;
    const char *title; /* on hovering */
    const char *day;   /* "2026-03-20..."; ten letters are shown */
    const char *commit;
    enum series_mark mark;
    bool is_outlier; /* far from those around it: drawn hollow */
};

/* A level from a point to a point, both in it. */
struct series_level {
    size_t first, last;
    double from, until; /* equal, but of a drift */
    const char *title;
    bool is_drift;
    enum tone tone;
};

/* A change that lies behind one point and at the latest at another. */
struct series_change {
    size_t after, until;
    enum tone tone;
    bool is_sure;      /* else suspected: drawn paler, without words */
    const char *words; /* "+5.0 %" */
    const char *title;
};

/* Between a point and the one before nothing is compared. */
struct series_break {
    size_t first; /* of what is behind it */
    const char *title;
    bool is_baseline; /* people set a new baseline; else other runs begin */
};

struct series_picture {
    const char *title;
    const char *unit; /* us, share, ratio, count */
    const struct series_point *points;
    size_t point_count;
    const struct series_level *levels;
    size_t level_count;
    const struct series_change *changes; /* by place */
    size_t change_count;
    const struct series_break *breaks;
    size_t break_count;
};

/* The values in one line of at most so many bars, for where nothing is drawn; what is far off all
 * others leaves the room to these. */
const char *series_sparkline(const struct series_picture *series, size_t columns,
                             struct arena *arena);

/* Draws a struct series_picture with a point at least. Where points are more than there is room
 * for, neighbours share a column: a line from the least to the greatest, a dot at the median.
 * Values far off all others stand at the edge and leave the axis to the others. */
void series_picture_draw(const void *what, struct canvas *canvas);

#endif
