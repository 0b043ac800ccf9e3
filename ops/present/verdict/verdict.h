/* A verdict in each format that there is. */
#ifndef OPS_PRESENT_VERDICT_VERDICT_H
#define OPS_PRESENT_VERDICT_VERDICT_H

#include "ops/present/verdict/verdict_list.h"
#include "ops/present/verdict/verdict_page.h"
#include "ops/present/verdict/verdict_picture.h"

#endif
