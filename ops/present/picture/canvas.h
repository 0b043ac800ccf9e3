/* A drawing as SVG, in pixels: shapes are appended, the height is settled when all is drawn.
 *
 * Every picture is drawn twice for a page, for a wide window and for a telephone: scaled down, its
 * letters could not be read. Shapes name classes of ink.h. Names are foreign: whatever is written
 * is made harmless here. Failures stay with the text.
 */
#ifndef OPS_PRESENT_PICTURE_CANVAS_H
#define OPS_PRESENT_PICTURE_CANVAS_H

#include "ops/present/picture/ink.h"
#include "ops/runtime/arena.h"

enum {
    CANVAS_WIDE = 960,
    CANVAS_NARROW = 360,
    CANVAS_LETTER = 7, /* px of a letter, on the large side: fonts differ */
    CANVAS_STRONG_LETTER = 8,
    CANVAS_LINE = 18, /* from a line of words to the next */
    CANVAS_MAX_BYTES = 64 << 20
};

struct canvas {
    struct text body;
    struct arena *arena;
    double width, height;
};

struct spot {
    double x, y;
};

struct area {
    double x, y, width, height;
};

enum mark_shape { MARK_DOT, MARK_TRIANGLE, MARK_DIAMOND, MARK_UP };

struct mark {
    enum mark_shape shape;
    const char *ink;
    double radius;
};

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* Where words stand, and how many pixels they have; what is longer is cut in the middle. */
struct caption {
    struct spot at;
    enum anchor anchor;
    double room; /* 0 = no limit */
};

/* Pixels that words take, on the large side. */
double canvas_words_width(const char *words);

/* title: what is shown on hovering; NULL = nothing. */
void canvas_line(struct canvas *canvas, const char *ink, struct spot from, struct spot to);
void canvas_rect(struct canvas *canvas, const char *ink, struct area area, const char *title);
void canvas_mark(struct canvas *canvas, struct mark mark, struct spot at, const char *title);
void canvas_words(struct canvas *canvas, const char *ink, struct caption caption,
                  const char *words);

/* The words above a picture, which name what it is of: on a narrow canvas in two lines, as cut they
 * would name it no more. Returns by how many pixels all below stands lower than under one line. */
double canvas_title(struct canvas *canvas, const char *title);

/* Draws what it describes, and sets the height. */
typedef void picture_draw(const void *what, struct canvas *canvas);

/* What is drawn, by whom, and what a reader who sees nothing is told. */
struct drawing {
    const char *title;
    picture_draw *draw;
    const void *what;
};

/* Appends one <svg> of that width: of a page, or with its own colours for a file. */
void picture_svg(const struct drawing *drawing, double width, bool alone, struct arena *arena,
                 struct text *out);

#endif
