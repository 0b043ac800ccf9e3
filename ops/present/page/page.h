/* Pages: blocks that a builder adds, their charts, and the printers of them. */
#ifndef OPS_PRESENT_PAGE_PAGE_H
#define OPS_PRESENT_PAGE_PAGE_H

#include "ops/present/page/page_blocks.h"

#endif
