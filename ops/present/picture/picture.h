/* What is drawn: charts, courses of a measure, what a change is made of. As SVG, and as PNG. */
#ifndef OPS_PRESENT_PICTURE_PICTURE_H
#define OPS_PRESENT_PICTURE_PICTURE_H

#include "ops/present/picture/canvas.h"
#include "ops/present/picture/chart.h"
#include "ops/present/picture/ink.h"
#include "ops/present/picture/picture_png.h"
#include "ops/present/picture/series_picture.h"
#include "ops/present/picture/spread_picture.h"
#include "ops/present/picture/stack_picture.h"
#include "ops/present/picture/waterfall.h"

#endif
