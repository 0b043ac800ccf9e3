/* A drawing as PNG, for chat and mail. */
#ifndef OPS_PRESENT_PICTURE_PICTURE_PNG_H
#define OPS_PRESENT_PICTURE_PICTURE_PNG_H

#include "ops/present/picture/canvas.h"
#include "ops/runtime/err.h"

/* Appends the bytes of a PNG of the SVG, which stands alone, at twice its size: chat scales
 * pictures down. The same SVG gives the same bytes on one machine; letters are those of DejaVu
 * Sans, or of what the machine has for sans-serif. librsvg is loaded when the first picture is
 * asked for: loading it with the program would cost every command twice the time that it takes to
 * start. ERR_UNAVAILABLE: librsvg or a font is missing, and which package brings it; ERR_LIMIT. */
bool picture_png(const struct text *svg, struct text *out, struct err *err);

#endif
