/* How numbers, names and rows are written: for people, and harmless. */
#ifndef OPS_PRESENT_WORDS_WORDS_H
#define OPS_PRESENT_WORDS_WORDS_H

#include "ops/present/words/csv.h"
#include "ops/present/words/format.h"
#include "ops/present/words/shown.h"

#endif
